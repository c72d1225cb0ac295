use std::collections::BTreeMap;

use glam::{DQuat, Vec2, Vec3};
use proptest::prelude::*;

use super::*;
use crate::geometry::{Aabb, Clipped, Clipper, Convex, FRACTURE, Plane, shapes};
use crate::random::Random;

const ROUGH: Roughness = Roughness { amplitude: 0.05, frequency: 8.0, seed: 7 };

fn clip(mesh: &PolyMesh, plane: &Plane) -> PolyMesh {
    let mut part = PolyMesh::default();
    match Clipper::new().clip(mesh, plane, FRACTURE | 3, &mut part) {
        Clipped::Whole => mesh.clone(),
        Clipped::Nothing => PolyMesh::default(),
        Clipped::Part => part,
    }
}

fn halves(mesh: &PolyMesh, plane: &Plane) -> [PolyMesh; 2] {
    [clip(mesh, plane), clip(mesh, &plane.flipped())]
}

fn key(position: DVec3) -> [u64; 3] {
    position.to_array().map(|coordinate| (coordinate + 0.0).to_bits())
}

/// Whether the surface has no border once equal positions are one vertex.
fn is_watertight(mesh: &TriMesh) -> bool {
    let mut numbers = BTreeMap::new();
    let mut welded = PolyMesh::default();
    for triangle in &mesh.triangles {
        let corners = triangle.map(|vertex| {
            let next = numbers.len() as u32;
            *numbers.entry(key(mesh.positions[vertex as usize])).or_insert(next)
        });
        welded.push_face(&[&corners], 0);
    }
    welded.is_watertight()
}

/// The vertices of the faces of a break that are not in its plane, sorted.
fn raised(mesh: &TriMesh, plane: &Plane, origin: DVec3) -> Vec<[f64; 3]> {
    let materials = mesh.materials.as_ref().unwrap();
    let mut points: Vec<[f64; 3]> = Vec::new();
    for (triangle, &material) in mesh.triangles.iter().zip(materials) {
        if is_fracture(material) {
            let positions = triangle.map(|vertex| mesh.positions[vertex as usize] + origin);
            points.extend(positions.iter().filter(|&&p| plane.signed_distance(p).abs() > 1e-9).map(|p| p.to_array()));
        }
    }
    points.sort_by(|a, b| a.partial_cmp(b).unwrap());
    points.dedup();
    points
}

#[track_caller]
fn assert_fit(whole: &PolyMesh, plane: &Plane, least: usize) {
    let flat = halves(whole, plane);
    let rough = flat.each_ref().map(|half| roughen(half, DVec3::ZERO, &ROUGH));
    let changes: Vec<f64> =
        flat.iter().zip(&rough).map(|(flat, rough)| rough.volume() - flat.mass_properties().volume).collect();
    let scale = whole.mass_properties().volume.abs();
    assert!((changes[0] + changes[1]).abs() < 1e-12 * scale, "{changes:?}");
    for (flat, rough) in flat.iter().zip(&rough) {
        assert_eq!(rough.check(), Ok(()));
        assert!(is_watertight(rough));
        for position in &rough.positions {
            assert!(plane.signed_distance(*position) < 0.05 + 1e-9 || flat.positions.contains(position));
        }
    }
    let points = rough.each_ref().map(|rough| raised(rough, plane, DVec3::ZERO));
    assert_eq!(points[0], points[1]);
    assert!(points[0].len() >= least, "{} points", points[0].len());
    if least > 0 {
        assert!(changes[0].abs() > 1e-9);
    }
}

fn cube() -> PolyMesh {
    Convex::cuboid(Aabb { min: DVec3::ZERO, max: DVec3::splat(2.0) }).surface().clone()
}

fn tilted() -> Plane {
    Plane::through(DVec3::new(1.1, 0.9, 1.0), DVec3::new(0.3, 1.0, -0.2).normalize())
}

#[test]
fn no_amplitude_is_no_change() {
    let half = clip(&cube(), &tilted());
    let flat = half.to_tri_mesh();
    for (amplitude, frequency) in [(0.0, 5.0), (-1.0, 5.0), (f64::NAN, 5.0), (0.1, 0.0), (0.1, f64::INFINITY)] {
        assert_eq!(roughen(&half, DVec3::ZERO, &Roughness { amplitude, frequency, seed: 0 }), flat);
    }
    // Nothing of a whole body is a break.
    assert_eq!(roughen(&cube(), DVec3::ZERO, &ROUGH), cube().to_tri_mesh());
}

#[test]
fn the_sides_of_a_cut_fit() {
    assert_fit(&cube(), &tilted(), 500);
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        assert_fit(&cube(), &Plane::through(DVec3::splat(0.7), axis), 500);
    }
    let torus = PolyMesh::from(&shapes::Torus::default().mesh().unwrap());
    assert_fit(&torus, &Plane::through(DVec3::ZERO, DVec3::new(0.1, 0.0, 1.0).normalize()), 0);
}

/// The order in which a face has its corners says nothing about where its points are.
#[test]
fn turned_and_rotated_contours_make_the_same_points() {
    let half = clip(&cube(), &tilted());
    let expected = raised(&roughen(&half, DVec3::ZERO, &ROUGH), &tilted(), DVec3::ZERO);
    let cap = half.face_count() - 1;
    let corners: Vec<u32> = half.contours(cap).next().unwrap().map(|corner| half.corners[corner]).collect();
    for turn in 0..corners.len() {
        for reverse in [false, true] {
            let mut turned = corners.clone();
            turned.rotate_left(turn);
            if reverse {
                turned.reverse();
            }
            let mut face = PolyMesh { positions: half.positions.clone(), ..PolyMesh::default() };
            face.push_face(&[&turned], FRACTURE);
            assert_eq!(raised(&roughen(&face, DVec3::ZERO, &ROUGH), &tilted(), DVec3::ZERO), expected);
        }
    }
}

/// A plate with a square hole through it, cut across the hole.
#[test]
fn faces_with_holes_stay_closed_and_fit() {
    let mut tube = PolyMesh::default();
    for z in [0.0, 1.0] {
        for half in [1.0, 0.4] {
            for (x, y) in [(-half, -half), (half, -half), (half, half), (-half, half)] {
                tube.positions.push(DVec3::new(x, y, z));
            }
        }
    }
    tube.push_face(&[&[8, 9, 10, 11], &[15, 14, 13, 12]], 0);
    tube.push_face(&[&[3, 2, 1, 0], &[4, 5, 6, 7]], 0);
    for side in 0..4 {
        let next = (side + 1) % 4;
        tube.push_face(&[&[side, next, 8 + next, 8 + side]], 1);
        tube.push_face(&[&[4 + next, 4 + side, 12 + side, 12 + next]], 1);
    }
    let plane = Plane::through(DVec3::new(0.0, 0.0, 0.5), DVec3::new(0.1, 0.2, 1.0).normalize());
    let half = clip(&tube, &plane);
    assert_eq!(half.contours(half.face_count() - 1).len(), 2);
    assert_fit(&tube, &plane, 300);
    for point in raised(&roughen(&half, DVec3::ZERO, &ROUGH), &plane, DVec3::ZERO) {
        assert!(point[0].abs() > 0.4 || point[1].abs() > 0.4);
    }
}

/// One side is cut once more: what is not near to the new cut stays where it was. And each piece has its own origin.
#[test]
fn pieces_that_break_again_fit_away_from_the_new_break() {
    let plane = tilted();
    let [one, other] = halves(&cube(), &plane);
    let again = Plane::through(DVec3::new(1.2, 1.0, 1.0), DVec3::new(1.0, 0.2, 0.3).normalize());
    let mut piece = clip(&one, &again);
    let origin = DVec3::new(0.31, -0.77, 0.123);
    piece.positions.iter_mut().for_each(|position| *position -= origin);
    let fit = raised(&roughen(&piece, origin, &ROUGH), &plane, origin);
    let whole = raised(&roughen(&other, DVec3::ZERO, &ROUGH), &plane, DVec3::ZERO);
    let mut compared = 0;
    for point in whole.into_iter().map(DVec3::from_array) {
        if again.signed_distance(point) < -2.0 / ROUGH.frequency {
            let nearest = fit.iter().map(|other| DVec3::from_array(*other).distance(point)).fold(f64::MAX, f64::min);
            assert!(nearest < 1e-12, "{nearest}");
            compared += 1;
        }
    }
    assert!(compared > 200, "{compared}");
}

#[test]
fn attributes_follow_the_plane_and_normals_the_bumps() {
    let mut block = cube();
    block.corner_normals = Some(vec![Vec3::X; block.corners.len()]);
    block.corner_uvs = Some(vec![Vec2::ZERO; block.corners.len()]);
    block.corner_colors = Some(vec![[10, 20, 30, 40]; block.corners.len()]);
    let mut half = clip(&block, &tilted());
    // Any affine map of the place; new vertices are off the plane, so it is one across the normal.
    let (u, v) = tilted().axes();
    let map = |point: DVec3| Vec2::new(u.dot(point) as f32, v.dot(point) as f32);
    half.corner_uvs = Some(half.corners.iter().map(|&vertex| map(half.positions[vertex as usize])).collect());
    let rough = roughen(&half, DVec3::ZERO, &ROUGH);
    assert_eq!(rough.check(), Ok(()));
    assert!(is_watertight(&rough));
    let (uvs, normals) = (rough.uvs.as_ref().unwrap(), rough.normals.as_ref().unwrap());
    let (mut steepest, mut flattest) = (1.0f64, 0.0f64);
    for (triangle, &material) in rough.triangles.iter().zip(rough.materials.as_ref().unwrap()) {
        for vertex in triangle.map(|vertex| vertex as usize) {
            assert!((uvs[vertex] - map(rough.positions[vertex])).length() < 1e-5);
            if is_fracture(material) {
                assert_eq!(material, FRACTURE | 3);
                let cosine = normals[vertex].as_dvec3().dot(tilted().normal);
                (steepest, flattest) = (steepest.min(cosine), flattest.max(cosine));
            } else {
                assert_eq!(normals[vertex], Vec3::X);
            }
        }
    }
    assert!((0.3..0.98).contains(&steepest) && flattest > 0.999, "{steepest} {flattest}");
    let colors = rough.colors.as_ref().unwrap();
    assert!(colors[half.corners.len()..].iter().all(|color| *color == [255; 4]), "a cap is white");
}

#[test]
fn many_points_are_not_too_many() {
    let half = clip(&cube(), &tilted());
    for frequency in [1e3, 1e9, 1e300] {
        let rough = roughen(&half, DVec3::ZERO, &Roughness { amplitude: 0.01, frequency, seed: 1 });
        assert!(rough.triangles.len() < 5000 && is_watertight(&rough), "{frequency}");
    }
    let needle = Convex::cuboid(Aabb { min: DVec3::ZERO, max: DVec3::new(1e6, 1.0, 1e-3) }).surface().clone();
    let half = clip(&needle, &Plane::through(DVec3::splat(5e-4), DVec3::Z));
    assert!(is_watertight(&roughen(&half, DVec3::ZERO, &ROUGH)));
}

#[test]
fn faces_that_are_no_polygons_stay_flat() {
    let mut bow = PolyMesh { positions: vec![DVec3::ZERO, DVec3::ONE, DVec3::X, DVec3::Y], ..PolyMesh::default() };
    bow.push_face(&[&[0, 1, 2, 3]], FRACTURE);
    assert_eq!(roughen(&bow, DVec3::ZERO, &ROUGH), bow.to_tri_mesh());
    let mut line = PolyMesh { positions: vec![DVec3::ZERO, DVec3::X, 2.0 * DVec3::X], ..PolyMesh::default() };
    line.push_face(&[&[0, 1, 2]], FRACTURE);
    assert_eq!(roughen(&line, DVec3::ZERO, &ROUGH), line.to_tri_mesh());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Concave solids, any plane, cut again: every piece is closed, and together they are the whole.
    #[test]
    fn pieces_stay_closed(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let solids = [
            PolyMesh::from(&shapes::Torus::default().mesh().unwrap()),
            PolyMesh::from(&shapes::Sphere { radius: 0.7, frequency: 4 }.mesh().unwrap()),
            cube(),
        ];
        let solid = &solids[(seed % 3) as usize];
        let plane = |random: &mut Random| {
            let turn = DQuat::from_rotation_x(7.0 * random.unit()) * DQuat::from_rotation_z(7.0 * random.unit());
            Plane::through(solid.aabb().center() + 0.2 * random.in_cube() * solid.aabb().size(), turn * DVec3::Y)
        };
        let (first, second) = (plane(&mut random), plane(&mut random));
        let rough = Roughness { amplitude: 0.03, frequency: 10.0, seed };
        let mut volume = 0.0;
        for half in halves(solid, &first) {
            for piece in halves(&half, &second) {
                if piece.face_count() > 0 {
                    let mesh = roughen(&piece, DVec3::ZERO, &rough);
                    prop_assert!(is_watertight(&mesh));
                    volume += mesh.volume();
                }
            }
        }
        // The second cut goes through both halves in one plane, each with its own part of it: all four fit.
        let whole = solid.mass_properties().volume;
        prop_assert!((volume - whole).abs() < 1e-10 * whole, "{} {}", volume, whole);
    }
}

/// Prints what roughening takes: `cargo test --release -p fracas --lib rough_speed -- --ignored --nocapture`.
#[test]
#[ignore = "measures"]
fn rough_speed() {
    let half = clip(&cube(), &tilted());
    for frequency in [2.0, 5.0, 10.0] {
        let rough = Roughness { frequency, ..ROUGH };
        let mut triangles = 0;
        let mut times: Vec<_> = (0..20)
            .map(|_| {
                let begin = std::time::Instant::now();
                triangles = roughen(&half, DVec3::ZERO, &rough).triangles.len();
                begin.elapsed()
            })
            .collect();
        times.sort();
        println!("frequency {frequency}: {triangles} triangles, median {:?}, least {:?}", times[10], times[0]);
    }
}
