use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::random::Random;

const UNIT: Aabb = Aabb { min: DVec3::ZERO, max: DVec3::ONE };

fn random_points(count: usize, seed: u64) -> Vec<DVec3> {
    let mut random = Random::new(seed);
    (0..count).map(|_| 0.5 * (random.in_cube() + 1.0)).collect()
}

fn area(cell: &VoronoiCell<'_>, corners: &[u32]) -> f64 {
    let point = |corner: usize| cell.vertices()[corners[corner] as usize] - cell.vertices()[corners[0] as usize];
    0.5 * (1..corners.len() - 1).map(|corner| point(corner).cross(point(corner + 1))).sum::<DVec3>().length()
}

/// Holds a diagram to everything that is promised of it.
#[track_caller]
fn assert_partition(diagram: &Voronoi) {
    let bounds = diagram.bounds();
    let scale = bounds.min.abs().max(bounds.max.abs()).length();
    let total: f64 = diagram.iter().map(|cell| cell.volume()).sum();
    assert!((total / bounds.volume() - 1.0).abs() < 1e-12, "volumes sum to {total} of {}", bounds.volume());
    let mut shared = BTreeSet::new();
    for cell in diagram.iter() {
        let seed = diagram.seeds()[cell.seed() as usize];
        let convex = cell.convex();
        let surface = convex.surface();
        assert!(surface.is_watertight(), "cell {} leaks", cell.seed());
        assert_eq!(surface.check(), Ok(()));
        let edges = surface.edges().len() as i64 / 2;
        assert_eq!(surface.positions.len() as i64 - edges + surface.face_count() as i64, 2, "Euler, {}", cell.seed());
        assert!(convex.contains(seed), "cell {} does not hold its seed", cell.seed());
        for plane in convex.planes() {
            for &vertex in convex.vertices() {
                assert!(plane.signed_distance(vertex) < 1e-13 * scale, "{} outside", plane.signed_distance(vertex));
            }
        }
        let volume = convex.mass_properties().volume;
        assert!((volume - cell.volume()).abs() < 1e-12 * bounds.volume(), "{volume} {}", cell.volume());
        for face in cell.faces() {
            for &corner in face.corners {
                let distance = cell.plane(face.side).signed_distance(cell.vertices()[corner as usize]);
                assert!(distance.abs() < 1e-13 * scale, "cell {}: corner {distance} off its plane", cell.seed());
            }
            if let Side::Cell(other) = face.side
                && area(&cell, face.corners) > 1e-10 * scale * scale
            {
                shared.insert((cell.seed(), other));
                assert_eq!(cell.plane(face.side), diagram.plane(other, Side::Cell(cell.seed())).flipped());
            }
        }
    }
    for &(one, other) in &shared {
        let back = diagram.cell(other as usize).faces().any(|face| face.side == Side::Cell(one));
        assert!(back, "{one} has {other} as a neighbour, but not the other way round");
    }
}

/// Random points are in the cell of their nearest seed, found by asking all, and in no other.
#[track_caller]
fn assert_nearest(diagram: &Voronoi, samples: usize) {
    let mut random = Random::new(99);
    let bounds = diagram.bounds();
    for _ in 0..samples {
        let point = bounds.min + 0.5 * (random.in_cube() + 1.0) * bounds.size();
        let distance = |seed: &usize| diagram.seeds()[*seed].distance_squared(point);
        let nearest = (0..diagram.len()).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap();
        for cell in diagram.iter() {
            let outside =
                cell.faces().map(|face| cell.plane(face.side).signed_distance(point)).fold(f64::NEG_INFINITY, f64::max);
            let is_inside = outside <= 1e-12;
            let is_outside = outside >= -1e-12;
            assert!(if cell.seed() as usize == nearest { is_inside } else { is_outside }, "{point} {}", cell.seed());
        }
    }
}

#[test]
fn one_seed_has_the_box_and_two_share_it() {
    let one = voronoi(&[DVec3::splat(0.3)], UNIT).unwrap();
    assert_partition(&one);
    assert_eq!((one.cell(0).vertices().len(), one.cell(0).faces().len()), (8, 6));
    assert_eq!(one.cell(0).volume(), 1.0);
    let two = voronoi(&[DVec3::splat(0.25), DVec3::splat(0.75)], UNIT).unwrap();
    assert_partition(&two);
    // Halfway is the plane x + y + z = 3/2, which cuts the cube in a hexagon.
    assert_eq!((two.cell(0).vertices().len(), two.cell(0).faces().len()), (10, 7));
    assert!((two.cell(1).volume() - 0.5).abs() < 1e-15);
}

#[test]
fn random_cells_are_those_of_the_nearest_seeds() {
    let diagram = voronoi(&random_points(400, 1), UNIT).unwrap();
    assert_partition(&diagram);
    assert_nearest(&diagram, 500);
}

#[test]
fn ten_thousand_cells_fill_the_box() {
    let diagram = voronoi(&random_points(10_000, 2), UNIT).unwrap();
    assert_partition(&diagram);
    let faces: usize = diagram.iter().map(|cell| cell.faces().len()).sum();
    // A cell of random points has 15.54 faces in the mean; those at the walls have fewer.
    assert!((14.5..15.54).contains(&(faces as f64 / 1e4)), "{faces}");
}

/// Lattices have up to eight cells at a point, and their coordinates are rounded.
#[test]
fn lattices_have_the_cells_of_the_textbook() {
    let count = 6;
    let step = 1.0 / f64::from(count);
    let mut cubic = Vec::new();
    let (mut body_centred, mut face_centred) = (Vec::new(), Vec::new());
    for number in 0..count * count * count {
        let corner =
            DVec3::new(f64::from(number % count), f64::from(number / count % count), f64::from(number / count / count));
        let at = |x: f64, y: f64, z: f64| (corner + DVec3::new(x, y, z)) * step;
        cubic.push(at(0.5, 0.5, 0.5));
        body_centred.extend([at(0.25, 0.25, 0.25), at(0.75, 0.75, 0.75)]);
        face_centred.extend([at(0.25, 0.25, 0.25), at(0.75, 0.75, 0.25), at(0.75, 0.25, 0.75), at(0.25, 0.75, 0.75)]);
    }
    let inner = |diagram: &Voronoi| -> BTreeSet<(usize, usize)> {
        let cells = diagram.iter().filter(|cell| {
            let seed = diagram.seeds()[cell.seed() as usize];
            seed.min_element() > 1.5 * step && seed.max_element() < 1.0 - 1.5 * step
        });
        cells.map(|cell| (cell.vertices().len(), cell.faces().len())).collect()
    };
    for (seeds, vertices, faces) in [(cubic, 8, 6), (body_centred, 24, 14), (face_centred, 14, 12)] {
        let diagram = voronoi(&seeds, UNIT).unwrap();
        assert_partition(&diagram);
        assert_eq!(inner(&diagram), BTreeSet::from([(vertices, faces)]));
    }
}

#[test]
fn seeds_in_lines_planes_and_on_walls_are_like_others() {
    let line: Vec<DVec3> = (0..50).map(|i| DVec3::splat((f64::from(i) + 0.5) / 50.0)).collect();
    assert_partition(&voronoi(&line, UNIT).unwrap());
    let plane: Vec<DVec3> = random_points(300, 3).into_iter().map(|point| point.with_z(0.1)).collect();
    assert_partition(&voronoi(&plane, UNIT).unwrap());
    let mut walls: Vec<DVec3> = random_points(300, 4).into_iter().map(|point| point.with_x(1.0)).collect();
    walls.extend(UNIT.corners());
    let diagram = voronoi(&walls, UNIT).unwrap();
    assert_partition(&diagram);
    assert_nearest(&diagram, 50);
}

#[test]
fn seeds_on_one_sphere_meet_in_one_point() {
    let sphere: Vec<DVec3> = random_points(2000, 5)
        .into_iter()
        .map(|point| (2.0 * point - 1.0).normalize_or(DVec3::X) * 0.4 + 0.5)
        .collect();
    let diagram = voronoi(&sphere, UNIT).unwrap();
    assert_partition(&diagram);
    assert_nearest(&diagram, 20);
}

/// The cells of a cluster are a millionth of the box; their shape must not suffer.
#[test]
fn clusters_are_as_precise_as_their_size() {
    let far = random_points(100, 6);
    let near = random_points(500, 7).into_iter().map(|point| DVec3::splat(0.3) + 1e-6 * (point - 0.5));
    let seeds: Vec<DVec3> = far.into_iter().chain(near).collect();
    let diagram = voronoi(&seeds, UNIT).unwrap();
    assert_partition(&diagram);
    for cell in diagram.iter().skip(100) {
        for face in cell.faces() {
            if let Side::Cell(other) = face.side
                && other >= 100
                && area(&cell, face.corners) > 1e-17
            {
                let back = diagram.cell(other as usize);
                let twin = back.faces().find(|face| face.side == Side::Cell(cell.seed())).unwrap();
                let ratio = area(&cell, face.corners) / area(&back, twin.corners);
                assert!((ratio - 1.0).abs() < 1e-6, "{ratio}");
            }
        }
    }
}

#[test]
fn boxes_far_away_and_out_of_scale_work() {
    for (shift, size) in [(1e3, 1.0), (0.0, 1e-20), (0.0, 1e20), (-1e5, 10.0)] {
        let bounds = Aabb { min: DVec3::splat(shift), max: DVec3::splat(shift + size) };
        let seeds: Vec<DVec3> = random_points(200, 8)
            .into_iter()
            .map(|point| (shift + size * point).clamp(bounds.min, bounds.max))
            .collect();
        let diagram = voronoi(&seeds, bounds).unwrap();
        let total: f64 = diagram.iter().map(|cell| cell.volume()).sum();
        assert!((total / bounds.volume() - 1.0).abs() < 1e-12, "{shift} {size}: {total}");
    }
}

#[test]
fn bad_input_is_one_clear_line() {
    let inside = DVec3::splat(0.5);
    let message = |seeds: &[DVec3], bounds: Aabb| voronoi(seeds, bounds).unwrap_err().to_string();
    assert!(message(&[], UNIT).starts_with("there are no seeds"));
    assert_eq!(
        message(&[inside, DVec3::X * 1.5], UNIT),
        "seed 1 at [1.5, 0, 0] is not in the box from [0, 0, 0] to [1, 1, 1]"
    );
    assert!(message(&[inside, DVec3::NAN], UNIT).starts_with("seed 1 at"));
    let flat = Aabb { min: DVec3::ZERO, max: DVec3::new(1.0, 1.0, 0.0) };
    assert!(message(&[inside], flat).starts_with("the box"));
    assert!(message(&[inside], Aabb::EMPTY).starts_with("the box"));
    assert!(message(&[inside], Aabb { max: DVec3::INFINITY, ..UNIT }).starts_with("the box"));
    let mut many = random_points(1000, 9);
    many[700] = many[20];
    many[900] = many[30];
    assert!(message(&many, UNIT).starts_with("seeds 20 and 700 are in the same place"));
    assert!(message(&vec![inside; 20_000], UNIT).starts_with("seeds 0 and 1 are"));
}

#[test]
fn cells_are_the_same_on_any_number_of_threads() {
    let seeds = random_points(3000, 10);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| voronoi(&seeds, UNIT).unwrap())
    };
    let one = with(1);
    assert!(one == with(2) && one == with(5));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Seeds on a coarse grid: co-planar, co-linear and co-spherical in every way.
    #[test]
    fn seeds_on_a_coarse_grid_have_cells(cells in prop::collection::btree_set((0i32..5, 0i32..5, 0i32..5), 1..60),
                                         step in prop::sample::select(vec![0.25, 0.1, 1.0 / 7.0])) {
        let seeds: Vec<DVec3> =
            cells.into_iter().map(|(x, y, z)| DVec3::new(f64::from(x), f64::from(y), f64::from(z)) * step).collect();
        let diagram = voronoi(&seeds, UNIT).unwrap();
        assert_partition(&diagram);
        assert_nearest(&diagram, 20);
    }

    /// A lattice with noise of the size of the tolerances: every decision is close.
    #[test]
    fn almost_degenerate_seeds_have_cells(seed in any::<u64>(), noise in -17i32..-6) {
        let mut random = Random::new(seed);
        let noise = 10f64.powi(noise);
        let seeds: Vec<DVec3> = (0..125)
            .map(|i| 0.2 * DVec3::new(f64::from(i % 5), f64::from(i / 5 % 5), f64::from(i / 25)) + 0.1)
            .map(|point| point + noise * random.in_cube())
            .collect();
        assert_partition(&voronoi(&seeds, UNIT).unwrap());
    }
}
