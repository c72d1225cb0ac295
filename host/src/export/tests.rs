//! Tests of whole pictures.

use glam::{DVec2, DVec3, Vec3};
use proptest::prelude::*;

use super::bin::{Bins, ProjectedTriangle, SUBPIXELS, TILE};
use super::camera::View;
use super::ground::Ground;
use super::raster::{BACKGROUND, TileSamples, sample_pattern};
use super::render::see_tile;
use super::scene::Scene;
use super::sky::SkyMaps;
use super::sun::SunMaps;
use super::test_scene::{Random, brick, sphere, torus};
use super::*;
use crate::geometry::{Aabb, Pose, TriMesh};

fn plain(mesh: &TriMesh) -> Drawable<'_> {
    Drawable { mesh, pose: Pose::IDENTITY, coloring: Coloring::Uniform([0.7; 3]) }
}

fn small() -> RenderOptions {
    RenderOptions { width: 160, height: 90, ground: Some(0.0), ..RenderOptions::default() }
}

fn brightness(pixel: [u8; 4]) -> u32 {
    pixel[..3].iter().map(|&channel| u32::from(channel)).sum()
}

/// What every sample of a picture of four samples per pixel sees, with the place of the sample.
fn visible(scene: &Scene<'_>, view: &View, width: u32, height: u32) -> Vec<([f64; 2], u32, f32)> {
    let bins = Bins::new(scene, view, width, height);
    let mut samples = TileSamples::<4>::new();
    let mut seen = Vec::new();
    for row in 0..height.div_ceil(TILE) {
        for column in 0..width.div_ceil(TILE) {
            see_tile(&mut samples, &bins, None, column, row);
            for place in 0..TILE * TILE {
                let (x, y) = (column * TILE + place % TILE, row * TILE + place / TILE);
                if x < width && y < height {
                    for (sample, offset) in sample_pattern::<4>().into_iter().enumerate() {
                        let at = [x, y].map(|pixel| f64::from(pixel) + 0.5);
                        let at = [at[0] + f64::from(offset[0]) / 16.0, at[1] + f64::from(offset[1]) / 16.0];
                        let place = place as usize;
                        seen.push((at, samples.source[place][sample], samples.inverse_depth[place][sample]));
                    }
                }
            }
        }
    }
    seen
}

/// One over the depth at which a ray meets a triangle, and by how many pixels it passes inside the nearest edge.
fn cast(corners: [DVec3; 3], view: &View, [x, y]: [f64; 2]) -> (f64, f64) {
    let weights = |x: f64, y: f64| {
        let (ray, [a, b, c]) = (view.ray(x, y), corners);
        let side = a.dot(b.cross(c)).signum();
        [ray.dot(b.cross(c)) * side, ray.dot(c.cross(a)) * side, ray.dot(a.cross(b)) * side]
    };
    let (here, right, below) = (weights(x, y), weights(x + 1.0, y), weights(x, y + 1.0));
    let margin = (0..3)
        .map(|edge| here[edge] / DVec2::new(right[edge] - here[edge], below[edge] - here[edge]).length())
        .fold(f64::INFINITY, f64::min);
    let volume = corners[0].dot(corners[1].cross(corners[2])).abs();
    (here.iter().sum::<f64>() / volume, margin)
}

/// Compares with a ray caster; returns the part of the samples that are seen otherwise.
fn compare_with_rays(mesh: &TriMesh, camera: &Camera) -> f64 {
    const SIZE: [u32; 2] = [100, 70];
    let view = camera.view(SIZE[0], SIZE[1]).unwrap();
    let drawables = [plain(mesh)];
    let scene = Scene::new(&drawables, &view, 0.0);
    let corners: Vec<[DVec3; 3]> =
        mesh.iter_corners().map(|corners| corners.map(|corner| view.point(corner))).collect();
    let seen = visible(&scene, &view, SIZE[0], SIZE[1]);
    assert_eq!(seen.len(), (SIZE[0] * SIZE[1] * 4) as usize);
    let mut different = 0;
    for &(at, source, inverse_depth) in &seen {
        let hits: Vec<(f64, f64)> = corners.iter().map(|&corners| cast(corners, &view, at)).collect();
        let near = 1.0 / view.near;
        let is_hit = |&(depth, margin): &(f64, f64)| margin > 0.0 && depth > 0.0 && depth < near;
        let nearest =
            (0..hits.len()).filter(|&hit| is_hit(&hits[hit])).max_by(|&a, &b| hits[a].0.total_cmp(&hits[b].0));
        if nearest.map_or(BACKGROUND, |hit| hit as u32) == source {
            if let Some(hit) = nearest {
                let (expected, margin) = hits[hit];
                // Corners are moved by up to half a sub-pixel, which tilts triangles that are seen nearly edge-on.
                let tilted = margin < 1.0;
                assert!(
                    tilted || (f64::from(inverse_depth) / expected - 1.0).abs() < 0.05,
                    "{inverse_depth} {expected}"
                );
            }
            continue;
        }
        different += 1;
        let close_call = |hit: usize| hits[hit].1.abs() < 1.5 / f64::from(SUBPIXELS);
        let (seen, expected) = ((source != BACKGROUND).then_some(source as usize), nearest);
        let at_edge = seen.is_some_and(close_call) || expected.is_some_and(close_call);
        let crossing = match (seen, expected) {
            (Some(seen), Some(expected)) => (hits[seen].0 / hits[expected].0 - 1.0).abs() < 0.02,
            _ => false,
        };
        assert!(at_edge || crossing, "at {at:?}: {seen:?} where {expected:?} is expected");
    }
    f64::from(different) / seen.len() as f64
}

#[test]
fn samples_see_what_rays_hit() {
    let mut random = Random::new(11);
    for round in 0..12 {
        let mut mesh = TriMesh::default();
        for number in 0..40u32 {
            let center = random.point(2.0);
            let reach = if number % 4 == 0 { 2.5 } else { 0.6 };
            mesh.positions.extend((0..3).map(|_| center + random.point(reach)));
            mesh.triangles.push([3 * number, 3 * number + 1, 3 * number + 2]);
        }
        // Every other time from amid the triangles, so that many must be clipped.
        let eye = if round % 2 == 0 { DVec3::new(1.0, 3.0, 7.0) } else { random.point(0.5) };
        let camera = Camera { eye, target: DVec3::ZERO, up: DVec3::Y, vertical_field_of_view: 60.0 };
        let different = compare_with_rays(&mesh, &camera);
        assert!(different < 0.004, "{different}");
    }
}

#[test]
fn a_floor_that_runs_under_the_camera_is_seen_up_to_the_near_plane() {
    let far = 1e4;
    let corners = [(-far, far), (far, far), (far, -far), (-far, -far)];
    let floor = TriMesh::new(corners.map(|(x, z)| DVec3::new(x, -1.0, z)).to_vec(), vec![[0, 1, 2], [0, 2, 3]]);
    let camera = Camera { eye: DVec3::ZERO, target: DVec3::NEG_Z, up: DVec3::Y, vertical_field_of_view: 90.0 };
    let view = camera.view(100, 100).unwrap();
    let drawables = [plain(&floor)];
    let scene = Scene::new(&drawables, &view, 0.0);
    for ([_, y], source, inverse_depth) in visible(&scene, &view, 100, 100) {
        if y > 50.1 {
            assert!(source < 2);
            let expected = (y - 50.0) / 50.0;
            assert!((f64::from(inverse_depth) - expected).abs() < 1e-3 * expected + 1e-3, "{inverse_depth} {expected}");
        } else if y < 49.9 {
            assert_eq!(source, BACKGROUND);
        }
    }
}

#[test]
fn neighbours_leave_no_hole_and_share_no_sample() {
    let mut random = Random::new(5);
    for round in 0..24 {
        // Corners on sample positions are the hard case; a quarter of the rounds has nothing else.
        let step = if round % 4 == 0 { SUBPIXELS / 16 } else { 1 };
        let (cell, cells) = (9 * SUBPIXELS, 11);
        let mut corner = |_| {
            let jitter = i64::from(cell / 2 / step);
            (random.bits() % jitter as u64) as i32 * step
        };
        let jitters: Vec<[i32; 2]> =
            (0..(cells + 1) * (cells + 1)).map(|place| [corner(place), corner(place)]).collect();
        let point = |x: i32, y: i32| {
            let jitter = jitters[(y * (cells + 1) + x) as usize];
            [(x - 1) * cell + jitter[0], (y - 1) * cell + jitter[1]]
        };
        let mut covered = vec![[0; 8]; (TILE * TILE) as usize];
        let mut samples = TileSamples::<8>::new();
        for number in 0..cells * cells {
            let (x, y) = (number % cells, number / cells);
            let [a, b, c, d] = [point(x, y), point(x + 1, y), point(x + 1, y + 1), point(x, y + 1)];
            for corners in if number % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] } {
                samples.clear(0, 0, None::<fn(f64, f64) -> f32>);
                samples.draw(&ProjectedTriangle { corners, inverse_depth: [1.0; 3], source: 0 }, 0, 0);
                for (counts, sources) in covered.iter_mut().zip(&samples.source) {
                    for (count, &source) in counts.iter_mut().zip(sources) {
                        *count += u32::from(source == 0);
                    }
                }
            }
        }
        assert!(covered.iter().flatten().all(|&count| count == 1));
    }
}

#[test]
fn pixels_do_not_depend_on_the_number_of_threads() {
    let (ball, ring, box_) = (sphere(0.7, 40, 20), torus(1.0, 0.3, 200, 60), brick(DVec3::splat(0.4)));
    let mut random = Random::new(1);
    let meshes = [&ball, &ring, &box_];
    let drawables: Vec<Drawable<'_>> = (0..12)
        .map(|number| Drawable {
            mesh: meshes[number % 3],
            pose: random.pose(2.0),
            coloring: Coloring::Uniform(body_color(number as u64)),
        })
        .collect();
    let camera = Camera::framing(Aabb::around(DVec3::ZERO, DVec3::splat(2.5)), 16.0 / 9.0);
    let options = RenderOptions { ground: Some(-2.5), sky_axes: 8, ..small() };
    let images = [1, 2, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| render(&drawables, &camera, &options).unwrap())
    });
    assert!(images[0] == images[1] && images[0] == images[2]);
}

#[test]
fn every_sample_count_draws_the_same_scene() {
    let ball = sphere(1.0, 40, 20);
    let camera = Camera::framing(ball.aabb(), 16.0 / 9.0);
    let draw = |samples| render(&[plain(&ball)], &camera, &RenderOptions { samples, sky_axes: 0, ..small() }).unwrap();
    let reference = draw(16);
    for samples in [1, 2, 4, 8] {
        let pairs = draw(samples).pixels.into_iter().zip(reference.pixels.iter());
        let difference: u32 = pairs.map(|(a, &b)| brightness(a).abs_diff(brightness(b))).sum();
        assert!(difference < 3 * 160 * 90, "{samples}: {difference}");
    }
}

proptest! {
    #[test]
    fn framing_holds_the_box_and_fills_the_picture(
        center in prop::array::uniform3(-100.0..100.0f64),
        half in prop::array::uniform3(0.01..50.0f64),
        aspect in 0.3..3.0f64,
    ) {
        let aabb = Aabb::around(DVec3::from(center), DVec3::from(half));
        let height = 600;
        let width = (f64::from(height) * aspect) as u32;
        let view = Camera::framing(aabb, f64::from(width) / f64::from(height)).view(width, height).unwrap();
        let mut widest = 0.0f64;
        for corner in aabb.corners() {
            let corner = view.point(corner);
            prop_assert!(corner.z > view.near);
            let across = [corner.x / corner.z * view.focal / view.center[0], corner.y / corner.z * view.focal / view.center[1]];
            widest = widest.max(across[0].abs()).max(across[1].abs());
        }
        prop_assert!(widest < 0.9 && widest > 0.8, "{widest}");
    }
}

#[test]
fn a_ball_darkens_the_floor_away_from_the_light() {
    let mut ball = sphere(1.0, 48, 24);
    ball.positions.iter_mut().for_each(|position| position.y += 1.5);
    let camera =
        Camera { eye: DVec3::new(0.0, 9.0, 9.0), target: DVec3::ZERO, up: DVec3::Y, vertical_field_of_view: 45.0 };
    let options = RenderOptions { light_direction: DVec3::new(-1.0, 1.0, 0.0), sky_axes: 0, ..small() };
    let image = render(&[plain(&ball)], &camera, &options).unwrap();
    let view = camera.view(160, 90).unwrap();
    let at = |x: f64| {
        let point = view.point(DVec3::new(x, 0.0, 0.0));
        let place = [point.x, -point.y].map(|across| across / point.z * view.focal);
        let pixel = image.pixel((view.center[0] + place[0]) as u32, (view.center[1] + place[1]) as u32).unwrap();
        brightness(pixel)
    };
    // The shadow's middle is where the ray through the ball's centre lands.
    assert!(f64::from(at(1.8)) < 0.8 * f64::from(at(-1.8)), "{} {}", at(1.8), at(-1.8));
    assert!(at(4.5).abs_diff(at(-4.5)) < 20);
    let without = render(&[plain(&ball)], &camera, &RenderOptions { shadow: false, ..options.clone() }).unwrap();
    assert!(
        without.pixels.iter().map(|&pixel| brightness(pixel)).sum::<u32>()
            > image.pixels.iter().map(|&pixel| brightness(pixel)).sum::<u32>()
    );
}

#[test]
fn a_vast_floor_does_not_blur_the_shadows_on_it() {
    let mut floor = brick(DVec3::new(5000.0, 1.0, 5000.0));
    floor.positions.iter_mut().for_each(|position| position.y -= 1.0);
    let mut box_ = brick(DVec3::splat(0.5));
    box_.positions.iter_mut().for_each(|position| position.y += 0.5);
    let drawables = [plain(&floor), plain(&box_)];
    let view = Camera::framing(box_.aabb(), 1.5).view(300, 200).unwrap();
    let scene = Scene::new(&drawables, &view, 0.0);
    let direction = view.direction(DVec3::new(-1.0, 1.0, 0.0).normalize()).as_vec3();
    let sun = SunMaps::new(&scene, &view, direction, |_| None);
    let lit =
        |x: f64| sun.visibility(view.point(DVec3::new(x, 0.0, 0.0)).as_vec3(), view.direction(DVec3::Y).as_vec3());
    // The shadow ends as far from the foot as the box is high.
    for (x, expected) in [(0.51, 0.0), (1.4, 0.0), (1.6, 1.0), (-0.6, 1.0), (300.0, 1.0)] {
        assert!((lit(x) - expected).abs() < 0.1, "{x}: {}", lit(x));
    }
}

#[test]
fn sunlight_has_neither_acne_nor_a_gap_at_the_foot() {
    let mut ball = sphere(1.0, 128, 64);
    ball.positions.iter_mut().for_each(|position| *position += DVec3::new(-3.0, 2.0, 0.0));
    let mut box_ = brick(DVec3::ONE);
    box_.positions.iter_mut().for_each(|position| *position += DVec3::new(3.0, 1.0, 0.0));
    let drawables = [plain(&ball), plain(&box_)];
    let camera = Camera::framing(Aabb { min: DVec3::new(-5.0, 0.0, -2.0), max: DVec3::new(5.0, 3.0, 2.0) }, 1.5);
    let view = camera.view(300, 200).unwrap();
    let scene = Scene::new(&drawables, &view, 0.0);
    let to_sun = DVec3::new(-0.5, 1.0, 0.2).normalize();
    let ground = Ground::new(&view, 0.0, view.point(DVec3::ZERO), 5.0).unwrap();
    let direction = view.direction(to_sun).as_vec3();
    let sun = SunMaps::new(&scene, &view, direction, |point| ground.shadow(point, direction));
    let lit =
        |point: DVec3, normal: DVec3| sun.visibility(view.point(point).as_vec3(), view.direction(normal).as_vec3());
    let mut random = Random::new(2);
    let mut tested = [0; 2];
    for _ in 0..4000 {
        let normal = random.point(1.0).normalize();
        if normal.dot(to_sun) > 0.15 {
            let free = lit(DVec3::new(-3.0, 2.0, 0.0) + normal, normal);
            assert!(free > 0.97, "{normal}: {free}");
        }
        // On the floor the ball's shadow is known in closed form: by the distance of its centre from the ray.
        let spot = DVec3::new(random.between(-5.0, 1.0), 0.0, random.between(-2.0, 2.0));
        let to_center = DVec3::new(-3.0, 2.0, 0.0) - spot;
        let distance = (to_center - to_center.dot(to_sun) * to_sun).length();
        let free = lit(spot, DVec3::Y);
        if distance < 0.85 {
            tested[0] += 1;
            assert!(free < 0.03, "{spot}: {free}");
        } else if distance > 1.15 {
            tested[1] += 1;
            assert!(free > 0.97, "{spot}: {free}");
        }
    }
    assert!(tested[0] > 100 && tested[1] > 100);
    for step in 0..100 {
        let z = -0.9 + 0.018 * f64::from(step);
        assert!(lit(DVec3::new(4.02, 0.0, z), DVec3::Y) < 0.1);
        assert!(lit(DVec3::new(1.5, 0.0, z), DVec3::Y) > 0.9);
        assert!(lit(DVec3::new(3.0 + z, 2.0, 0.0), DVec3::Y) > 0.97);
    }
}

#[test]
fn a_long_wall_hides_half_of_the_sky_from_its_foot() {
    let wall = brick(DVec3::new(200.0, 200.0, 1.0));
    let drawables = [plain(&wall)];
    let camera = Camera::framing(wall.aabb(), 1.0);
    let view = camera.view(100, 100).unwrap();
    let scene = Scene::new(&drawables, &view, 0.0);
    let around = scene.bounds(|_| true, |point| point).unwrap();
    let up = view.direction(DVec3::Y).as_vec3();
    let sky = SkyMaps::new(&scene, around, up, 64);
    let light =
        |point: DVec3, normal: DVec3| sky.irradiance(view.point(point).as_vec3(), view.direction(normal).as_vec3());
    let [above, below] = light(DVec3::new(0.0, -150.0, 20.0), DVec3::Y);
    assert!((above - 0.5).abs() < 0.08 && below == 0.0, "{above} {below}");
    let [above, _] = light(DVec3::new(0.0, 250.0, 0.0), DVec3::Y);
    assert!((above - 1.0).abs() < 0.02, "{above}");
    // The wall's own face sees all of the half sphere in front of it.
    let [above, below] = light(DVec3::new(30.0, 0.0, 1.0), DVec3::Z);
    assert!((above - 0.5).abs() < 0.05 && (below - 0.5).abs() < 0.05, "{above} {below}");
}

#[test]
fn a_fine_mesh_hides_as_much_of_the_sky_as_a_coarse_one() {
    // The fine one is drawn by its points, the coarse one by its triangles.
    let balls = [sphere(1.0, 60, 30), sphere(1.0, 900, 450)];
    let camera = Camera::framing(balls[0].aabb(), 1.0);
    let view = camera.view(100, 100).unwrap();
    let up = view.direction(DVec3::Y).as_vec3();
    let skies = balls.each_ref().map(|ball| {
        let drawables = [plain(ball)];
        let scene = Scene::new(&drawables, &view, 0.0);
        SkyMaps::new(&scene, scene.bounds(|_| true, |point| point).unwrap(), up, 32)
    });
    let mut random = Random::new(8);
    let (mut worst, mut sum) = (0.0f32, 0.0);
    for round in 0..600 {
        let normal = random.point(1.0).normalize();
        // On the ball, which hides nothing from itself, and on planes beside it.
        let (point, normal) = if round % 2 == 0 { (normal, normal) } else { (normal * 1.3, -normal) };
        let (point, normal) = (view.point(point).as_vec3(), view.direction(normal).as_vec3());
        let [coarse, fine] = skies.each_ref().map(|sky| sky.irradiance(point, normal).iter().sum::<f32>());
        worst = worst.max((coarse - fine).abs());
        sum += coarse - fine;
        if round % 2 == 0 {
            assert!(fine > 0.9, "{fine}");
        } else {
            assert!(fine < 0.6, "{fine}");
        }
    }
    // Points widen an outline by half a texel; at any place that concerns at most two of the 32 directions.
    assert!(worst < 2.0 * 2.0 / 32.0 && (sum / 600.0).abs() < 0.01, "{worst} {sum}");
}

#[test]
fn no_drawables_give_the_background() {
    let options = RenderOptions { ground: None, ..small() };
    let image = render(&[], &Camera::framing(Aabb::EMPTY, 1.0), &options).unwrap();
    let expected = |color: [f32; 3]| brightness(super::color::to_bytes(super::color::to_linear(color)));
    assert!(brightness(image.pixels[0]).abs_diff(expected(options.background.top)) <= 3);
    assert!(brightness(image.pixels[image.pixels.len() - 1]).abs_diff(expected(options.background.bottom)) <= 3);
    assert!(render(&[], &Camera::framing(Aabb::EMPTY, 1.0), &small()).is_ok());
}

#[test]
fn senseless_meshes_do_no_harm() {
    let good = brick(DVec3::ONE);
    let camera = Camera::framing(good.aabb(), 16.0 / 9.0);
    let options = RenderOptions { sky_axes: 4, wireframe: true, ..small() };
    let expected = render(&[plain(&good)], &camera, &options).unwrap();

    let mut wild = good.clone();
    let base = wild.positions.len() as u32;
    let values = [f64::NAN, f64::INFINITY, -1e300, 1e200, 1e16];
    wild.positions.extend(values.map(|value| DVec3::new(value, 0.5, -value)));
    wild.triangles.extend((0..5).map(|number| [0, base + number, 3]));
    wild.triangles.extend([[0, 1, u32::MAX], [0, 0, 1], [5, 5, 5], [base, base + 1, 999]]);
    wild.materials = Some(vec![7]);
    let draw =
        |coloring| render(&[Drawable { mesh: &wild, pose: Pose::IDENTITY, coloring }], &camera, &options).unwrap();
    assert!(draw(Coloring::Uniform([0.7; 3])) == expected);
    draw(Coloring::Material(&[]));
    draw(Coloring::Material(&[[f32::NAN; 3], [9.0, -1.0, 0.5]]));
    wild.colors = Some(vec![[1, 2, 3, 4]]);
    wild.normals = Some(vec![Vec3::NAN, Vec3::ZERO]);
    render(&[Drawable { mesh: &wild, pose: Pose::IDENTITY, coloring: Coloring::Vertex }], &camera, &options).unwrap();

    // Large coordinates that are still drawn, and a light and a ground that make no sense.
    let large = TriMesh::new(vec![DVec3::new(-9e14, 0.0, 0.0), DVec3::new(9e14, 0.0, 1.0), DVec3::Y], vec![[0, 1, 2]]);
    let odd = RenderOptions {
        light_direction: DVec3::NAN,
        ground: Some(f64::NAN),
        crease_angle: f64::NAN,
        ambient: f32::NAN,
        ..options
    };
    render(&[plain(&large), plain(&good)], &camera, &odd).unwrap();
}

#[test]
fn what_cannot_be_drawn_is_an_error() {
    let camera = Camera::framing(Aabb::EMPTY, 1.0);
    for (width, height) in [(0, 10), (10, 0), (16385, 10), (10, u32::MAX)] {
        let error = render(&[], &camera, &RenderOptions { width, height, ..small() });
        assert_eq!(error, Err(RenderError::Size { width, height }));
    }
    assert_eq!(render(&[], &camera, &RenderOptions { samples: 5, ..small() }), Err(RenderError::Samples(5)));
    for bad in [
        Camera { target: camera.eye, ..camera },
        Camera { eye: DVec3::NAN, ..camera },
        Camera { vertical_field_of_view: 180.0, ..camera },
        Camera { vertical_field_of_view: f64::NAN, ..camera },
    ] {
        let error = render(&[], &bad, &small()).unwrap_err();
        assert!(matches!(error, RenderError::Camera { .. }) && !error.to_string().contains('\n'));
    }
    let from_above = Camera { eye: DVec3::Y * 5.0, target: DVec3::ZERO, ..camera };
    assert!(render(&[], &from_above, &small()).is_ok());
}

#[test]
fn colours_come_from_where_they_are_said_to() {
    let mut mesh = brick(DVec3::ONE);
    let camera =
        Camera { eye: DVec3::new(0.0, 0.0, 6.0), target: DVec3::ZERO, up: DVec3::Y, vertical_field_of_view: 30.0 };
    let options = RenderOptions { width: 33, height: 33, ..RenderOptions::default() };
    let middle = |mesh: &TriMesh, coloring: Coloring<'_>| {
        let image = render(&[Drawable { mesh, pose: Pose::IDENTITY, coloring }], &camera, &options).unwrap();
        image.pixel(16, 18).unwrap()
    };
    mesh.colors = Some(vec![[10, 200, 10, 255]; 8]);
    mesh.materials = Some((0..12).map(|triangle| u32::from(triangle >= 10)).collect());
    let [red, green, ..] = middle(&mesh, Coloring::Vertex);
    assert!(green > 2 * red);
    // The face towards the camera is the last, of material 1; a palette of one colour is used again and again.
    let palette = [[0.9, 0.1, 0.1], [0.1, 0.1, 0.9]];
    let [red, _, blue, _] = middle(&mesh, Coloring::Material(&palette));
    assert!(blue > 2 * red);
    let [red, _, blue, _] = middle(&mesh, Coloring::Material(&palette[..1]));
    assert!(red > 2 * blue);
}

#[test]
fn particles_veil_what_is_behind_them_and_nothing_else() {
    use crate::dynamics::Particle;
    let wall = brick(DVec3::new(1.0, 1.0, 0.1));
    let camera = Camera { eye: DVec3::Z * 8.0, target: DVec3::ZERO, up: DVec3::Y, vertical_field_of_view: 40.0 };
    let options = RenderOptions { width: 200, height: 200, shadow: false, sky_axes: 0, ..RenderOptions::default() };
    let dark = Drawable { coloring: Coloring::Uniform([0.05; 3]), ..plain(&wall) };
    let draw = |particles: &[Particle]| render_with_particles(&[dark], particles, &camera, &options).unwrap();
    let at = |z: f32| Particle { position: Vec3::new(0.3, 0.0, z), radius: 0.4, opacity: 0.9 };
    let clear = draw(&[]);
    assert_eq!(clear, render(&[dark], &camera, &options).unwrap());
    assert_eq!(draw(&[at(-1.0), Particle { position: Vec3::splat(f32::NAN), ..at(1.0) }, at(9.0)]), clear);
    let veiled = draw(&[at(1.0)]);
    let pixel = |image: &Image, x: usize, y: usize| brightness(image.pixels[y * 200 + x]);
    // Seven metres off: 39.25 pixels a metre.
    let middle = 100 + (0.3 * 39.25) as usize;
    assert!(pixel(&veiled, middle, 100) > pixel(&clear, middle, 100) + 200);
    let changed = (0..200 * 200).filter(|&place| veiled.pixels[place] != clear.pixels[place]);
    for place in changed {
        let [x, y] = [place % 200, place / 200].map(|at| at as f64);
        assert!(DVec2::new(x - middle as f64, y - 100.0).length() < 0.4 * 39.25 + 1.5);
    }
    // The farther one is drawn first, whatever the order of the list.
    assert_eq!(draw(&[at(1.0), at(0.5)]), draw(&[at(0.5), at(1.0)]));
}
