use std::collections::BTreeSet;

use glam::{DMat3, DQuat};
use proptest::prelude::*;

use super::*;
use crate::geometry::TriMesh;
use crate::random::Random;

/// Holds a pattern to what is promised of it; `volume` is that of what the cells fill.
#[track_caller]
fn assert_partition(pattern: &Pattern, volume: f64) {
    let bounds = pattern.bounds();
    let tolerance = 1e-12 * bounds.diagonal();
    assert!((pattern.volume() / volume - 1.0).abs() < 1e-12, "{} of {volume}", pattern.volume());
    let mut sides: Vec<[BTreeSet<u32>; 2]> = vec![Default::default(); pattern.planes().len()];
    for (number, cell) in pattern.cells().iter().enumerate() {
        let surface = cell.convex().surface();
        assert!(surface.is_watertight(), "cell {number} leaks");
        let own = cell.convex().mass_properties().volume;
        assert!(own > 0.0 && (own - cell.volume()).abs() < 1e-12 * volume, "cell {number}: {own} {}", cell.volume());
        assert_eq!(cell.faces().len(), surface.face_count());
        for (face, plane) in cell.convex().planes().iter().enumerate() {
            assert_eq!(*plane, cell.faces()[face].of(pattern.planes()));
            assert!((plane.normal.length() - 1.0).abs() < 1e-14);
            for &vertex in cell.convex().vertices() {
                assert!(plane.signed_distance(vertex) < tolerance, "cell {number} is not convex");
            }
            for corner in surface.contours(face).flatten() {
                let distance = plane.signed_distance(surface.corner_position(corner));
                assert!(distance.abs() < tolerance, "cell {number}: a corner is {distance} off its plane");
            }
            let used = &mut sides[cell.faces()[face].plane as usize];
            used[usize::from(cell.faces()[face].is_flipped)].insert(number as u32);
        }
    }
    for cell in 0..pattern.cells().len() as u32 {
        let around: BTreeSet<u32> = pattern.neighbours(cell).iter().copied().collect();
        assert_eq!(around.len(), pattern.neighbours(cell).len());
        for &neighbour in &around {
            assert!(neighbour != cell && pattern.neighbours(neighbour).contains(&cell), "{cell} and {neighbour}");
            let shared = sides.iter().any(|[one, other]| {
                one.contains(&cell) && other.contains(&neighbour) || one.contains(&neighbour) && other.contains(&cell)
            });
            assert!(shared, "{cell} and {neighbour} have no plane between them");
        }
    }
}

/// Points of the box are in exactly one cell, up to its border; and the search finds it.
#[track_caller]
fn assert_one_cell_each(pattern: &Pattern, half: DVec3) {
    let mut random = Random::new(5);
    for _ in 0..300 {
        let point = random.in_cube() * half;
        let depth = |cell: &PatternCell| {
            let planes = cell.convex().planes();
            planes.iter().map(|plane| plane.signed_distance(point)).fold(f64::NEG_INFINITY, f64::max)
        };
        let depths: Vec<f64> = pattern.cells().iter().map(depth).collect();
        let inside = depths.iter().filter(|&&depth| depth < -1e-9).count();
        let near = depths.iter().filter(|&&depth| depth < 1e-9).count();
        assert!(inside <= 1 && near >= 1, "{point} is in {inside} cells, near {near}");
        let found = pattern.locate(point).unwrap();
        assert!(depths[found as usize] < 1e-9);
    }
}

fn patterns() -> Vec<(Pattern, DVec3)> {
    let mut patterns = Vec::new();
    for falloff in [0.0, 1.5, 2.5] {
        let options = VoronoiPattern { falloff, extent: 4.0, cells: 150, seed: 3 };
        patterns.push((options.pattern().unwrap(), DVec3::splat(4.0)));
    }
    patterns.push((SpherePattern::default().pattern().unwrap(), DVec3::splat(10.0)));
    for (rings, spokes, jitter) in [(7, 14, 0.7), (1, 3, 1.0), (3, 8, 0.0), (12, 31, 1.0), (2, 4, 0.0), (5, 3, 0.0)] {
        let options = WebPattern { rings, spokes, jitter, depth: 0.3, extent: 5.0, ..WebPattern::default() };
        patterns.push((options.pattern().unwrap(), DVec3::new(5.0, 5.0, 0.3)));
    }
    patterns
}

#[test]
fn cells_partition_the_box() {
    for (pattern, half) in patterns() {
        assert_eq!(pattern.bounds(), Aabb::around(DVec3::ZERO, half));
        assert_partition(&pattern, 8.0 * half.element_product());
        assert_one_cell_each(&pattern, half);
    }
}

#[test]
fn seeds_crowd_around_the_impact() {
    let median_distance = |falloff: f64| {
        let pattern = VoronoiPattern { falloff, cells: 400, ..VoronoiPattern::default() }.pattern().unwrap();
        let mut distances: Vec<f64> =
            pattern.cells().iter().map(|cell| cell.convex().mass_properties().centroid.length()).collect();
        distances.sort_by(f64::total_cmp);
        distances[200]
    };
    assert!(median_distance(2.5) < 0.7 * median_distance(1.5) && median_distance(1.5) < 0.9 * median_distance(0.0));
}

#[test]
fn the_same_options_give_the_same_pattern_on_any_number_of_threads() {
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| VoronoiPattern { cells: 700, ..VoronoiPattern::default() }.pattern().unwrap())
    };
    let one = with(1);
    assert!(one == with(3));
    let other = VoronoiPattern { cells: 700, seed: 2, ..VoronoiPattern::default() }.pattern().unwrap();
    assert!(one != other);
}

#[test]
fn colours_are_connected_and_all_there() {
    for (pattern, _) in patterns() {
        let groups = (pattern.cells().len() as u32).min(9);
        let pattern = pattern.colored(groups, 4).unwrap();
        assert_eq!(pattern.color_count(), groups as usize);
        for color in 0..groups {
            let members: Vec<u32> =
                (0..pattern.cells().len() as u32).filter(|&cell| pattern.color(cell) == color).collect();
            let mut reached = BTreeSet::from([members[0]]);
            let mut stack = vec![members[0]];
            while let Some(cell) = stack.pop() {
                for &next in pattern.neighbours(cell) {
                    if pattern.color(next) == color && reached.insert(next) {
                        stack.push(next);
                    }
                }
            }
            assert_eq!(reached.len(), members.len(), "colour {color} is in pieces");
        }
    }
    let pattern = VoronoiPattern { cells: 5, ..VoronoiPattern::default() }.pattern().unwrap();
    for groups in [0, 6] {
        let line = pattern.clone().colored(groups, 1).unwrap_err().to_string();
        assert_eq!(line, format!("coloured pattern: groups is {groups}, expected a count from 1 to 5"));
    }
}

#[test]
fn bad_options_are_one_clear_line() {
    let line = |result: Result<Pattern, PatternError>| result.unwrap_err().to_string();
    assert_eq!(
        line(VoronoiPattern { cells: 0, ..VoronoiPattern::default() }.pattern()),
        "voronoi pattern: cells is 0, expected a count from 1 to 1000000"
    );
    assert_eq!(
        line(VoronoiPattern { falloff: f64::NAN, ..VoronoiPattern::default() }.pattern()),
        "voronoi pattern: falloff is NaN, expected a number from 0 to 2.5"
    );
    assert!(line(SpherePattern { radius: 11.0, ..SpherePattern::default() }.pattern()).contains("radius is 11"));
    assert!(line(WebPattern { spokes: 2, ..WebPattern::default() }.pattern()).contains("spokes is 2"));
    assert!(line(WebPattern { rings: 400, growth: 10.0, ..WebPattern::default() }.pattern()).contains("thinnest ring"));
    assert!(line(LoadedPattern { file: "none.obj".into(), ..LoadedPattern::default() }.pattern()).contains("none.obj"));
    let pattern = VoronoiPattern { cells: 5, ..VoronoiPattern::default() }.pattern().unwrap();
    let flat = DAffine3::from_scale(DVec3::new(1.0, 0.0, 1.0));
    assert!(line(pattern.transformed(&flat)).starts_with("the map flattens"));
    assert!(line(pattern.transformed(&DAffine3::from_translation(DVec3::X))).contains("must not translate"));
    assert!(pattern.aligned(DAffine3::from_scale(DVec3::splat(f64::NAN))).is_err());
}

#[test]
fn options_come_from_text_with_defaults() {
    let options: WebPattern = toml::from_str("rings = 3").unwrap();
    assert_eq!(options, WebPattern { rings: 3, ..WebPattern::default() });
    assert!(toml::from_str::<VoronoiPattern>("cell = 3").is_err());
}

fn mesh_of(pattern: &Pattern) -> TriMesh {
    let mut mesh = TriMesh::default();
    pattern.cells().iter().for_each(|cell| mesh.append(&cell.convex().to_tri_mesh()));
    mesh
}

#[test]
fn a_pattern_that_was_written_is_read_again() {
    for (pattern, half) in [
        (VoronoiPattern { cells: 60, ..VoronoiPattern::default() }.pattern().unwrap(), DVec3::splat(10.0)),
        (WebPattern { rings: 3, spokes: 7, ..WebPattern::default() }.pattern().unwrap(), DVec3::new(10.0, 10.0, 1.0)),
    ] {
        let loaded = LoadedPattern::from_mesh(&mesh_of(&pattern)).unwrap();
        assert_eq!(loaded.cells().len(), pattern.cells().len());
        assert_partition(&loaded, 8.0 * half.element_product());
        assert_one_cell_each(&loaded, half);
        for cell in 0..pattern.cells().len() as u32 {
            let missing = pattern.neighbours(cell).iter().filter(|other| !loaded.neighbours(cell).contains(other));
            assert!(missing.count() <= 1, "cell {cell} lost neighbours");
        }
    }
}

#[test]
fn a_bad_mesh_is_named_by_its_part() {
    let pattern = VoronoiPattern { cells: 4, ..VoronoiPattern::default() }.pattern().unwrap();
    let good = mesh_of(&pattern);
    let line = |mesh: &TriMesh| LoadedPattern::from_mesh(mesh).unwrap_err().to_string();
    assert!(line(&TriMesh::default()).contains("no cells"));
    let mut open = good.clone();
    open.triangles.pop();
    open.materials = None;
    assert!(line(&open).starts_with("cell 3 of the pattern"), "{}", line(&open));
    assert!(line(&open).ends_with("is not closed"));
    let mut dented = good.clone();
    let first = pattern.cells()[0].convex();
    dented.positions[0] = first.mass_properties().centroid;
    assert!(line(&dented).starts_with("cell 0 of") && line(&dented).contains("not convex"), "{}", line(&dented));
    let mut twice = good.clone();
    let moved = pattern.cells()[2].convex().to_tri_mesh();
    twice.append(&moved.transformed(&DAffine3::from_translation(DVec3::splat(0.1))));
    assert!(line(&twice).contains("overlap"), "{}", line(&twice));
    let aside = good.transformed(&DAffine3::from_translation(DVec3::X * 100.0));
    assert!(line(&aside).contains("not around the origin"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn affine_maps_keep_patterns(entries in prop::array::uniform9(-1.0f64..1.0), which in 0usize..10) {
        let matrix = DMat3::from_cols_array(&entries);
        prop_assume!(matrix.determinant().abs() > 0.05);
        let (pattern, half) = patterns().swap_remove(which);
        let map = DAffine3::from_mat3(matrix);
        let deformed = pattern.transformed(&map).unwrap();
        let volume = 8.0 * half.element_product() * matrix.determinant().abs();
        assert_partition(&deformed, volume);
        let mut random = Random::new(1);
        for _ in 0..50 {
            let point = random.in_cube() * half;
            let (before, after) = (pattern.locate(point).unwrap(), deformed.locate(matrix * point).unwrap());
            let depth = |cell: u32| pattern.cells()[cell as usize].convex().planes().iter()
                .map(|plane| plane.signed_distance(point)).fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(before == after || (depth(before) - depth(after)).abs() < 1e-9);
        }
    }

    /// Seen through a map, everything is where it is in a copy that was really moved.
    #[test]
    fn an_aligned_pattern_is_the_moved_one(angle in 0.0f64..6.0, x in -5.0f64..5.0, stretch in 0.3f64..3.0, mirror in any::<bool>()) {
        let pattern = WebPattern { depth: 2.0, ..WebPattern::default() }.pattern().unwrap();
        let scale = DVec3::new(if mirror { -stretch } else { stretch }, 1.0, 1.2);
        let linear = DMat3::from_quat(DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), angle)) * DMat3::from_diagonal(scale);
        let impact = DVec3::new(x, 1.0, -x);
        let aligned = pattern.aligned(DAffine3::from_mat3_translation(linear, impact)).unwrap();
        prop_assert_eq!(aligned.impact(), impact);
        let copy = pattern.transformed(&DAffine3::from_mat3(linear)).unwrap();
        for cell in 0..pattern.cells().len() as u32 {
            let moved = &copy.cells()[cell as usize];
            prop_assert!((aligned.volume(cell) - moved.volume()).abs() < 1e-12 * aligned.volume(cell));
            let convex = aligned.convex(cell);
            prop_assert!(convex.surface().is_watertight());
            prop_assert!((convex.mass_properties().volume / moved.volume() - 1.0).abs() < 1e-9);
            for ((face, plane), own) in aligned.planes(cell).zip(moved.convex().planes()) {
                prop_assert!((plane.normal - own.normal).length() < 1e-12);
                prop_assert!((plane.offset - own.offset - own.normal.dot(impact)).abs() < 1e-12 * 40.0);
                let shared = aligned.plane(face.plane);
                prop_assert_eq!(plane, if face.is_flipped { shared.flipped() } else { shared });
            }
            let mut found = false;
            aligned.overlapping(&convex.aabb(), |other| found |= other == cell);
            prop_assert!(found);
            let centroid = convex.mass_properties().centroid;
            prop_assert_eq!(aligned.locate(centroid), Some(cell));
        }
    }
}
