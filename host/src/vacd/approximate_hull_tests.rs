use std::path::Path;

use glam::{DQuat, DVec3};
use proptest::prelude::*;

use super::*;
use crate::geometry::io::read_tri_mesh;
use crate::geometry::shapes::{Figure, figure};
use crate::geometry::{Aabb, Convex, HullError, Plane, convex_hull};
use crate::random::Random;

pub(super) fn volume(convex: &Convex) -> f64 {
    convex.mass_properties().volume
}

pub(super) fn cloud(count: usize, seed: u64) -> Vec<DVec3> {
    let mut random = Random::new(seed);
    (0..count).map(|_| random.in_cube()).collect()
}

/// The sign of `normal · point - offset` in arithmetic of twice the precision, which is far below the margin of a plane.
pub(super) fn is_inside(plane: &Plane, point: DVec3) -> bool {
    let mut high = -plane.offset;
    let mut low = 0.0;
    for axis in 0..3 {
        let product = plane.normal[axis] * point[axis];
        low += plane.normal[axis].mul_add(point[axis], -product);
        let sum = high + product;
        let other = sum - high;
        low += (high - (sum - other)) + (product - other);
        high = sum;
    }
    high + low <= 0.0
}

fn assert_encloses(convex: &Convex, points: &[DVec3]) {
    for (number, &point) in points.iter().enumerate() {
        assert!(convex.contains(point), "point {number} is outside");
        assert!(convex.planes().iter().all(|plane| is_inside(plane, point)), "point {number} is outside by rounding");
    }
}

fn assert_solid(convex: &Convex) {
    let size = convex.aabb().diagonal();
    assert!(convex.surface().is_watertight());
    for plane in convex.planes() {
        assert!(convex.vertices().iter().all(|&vertex| plane.signed_distance(vertex) <= 1e-11 * size));
    }
}

/// Encloses, is never smaller than the true hull, and is the true hull in the end; the volumes relative to it.
fn check_curve(points: &[DVec3], counts: &[usize]) -> Vec<f64> {
    let hull = convex_hull(points).unwrap();
    let mut ratios = Vec::new();
    for vertices in counts.iter().copied().chain([hull.vertices().len(), points.len()]) {
        let approximate = approximate_hull(points, vertices, None).unwrap();
        assert_encloses(&approximate, points);
        assert_solid(&approximate);
        let ratio = volume(&approximate) / volume(&hull);
        assert!(ratio >= 1.0 - 1e-9, "{vertices} vertices: {ratio}");
        ratios.push(ratio);
    }
    for &ratio in &ratios[counts.len()..] {
        assert!((ratio - 1.0).abs() < 1e-6, "all vertices: {ratio}");
    }
    ratios
}

/// The claims of [Mueller13] Figure 13.
fn check_figure_13(points: &[DVec3]) {
    let start = Convex::cuboid(Aabb::of_points(points.iter().copied()));
    let hull = volume(&convex_hull(points).unwrap());
    let ratio = |vertices| volume(&approximate_hull(points, vertices, None).unwrap()) / hull;
    let [dop14, dop26] = [Fit::Dop14, Fit::Dop26].map(|way| volume(&fit(&start, points, &way)) / hull);
    let [four, six, twenty] = [4, 6, 20].map(ratio);
    assert!(four <= dop14, "4 vertices {four}, 14-dop {dop14}");
    assert!(six <= dop26, "6 vertices {six}, 26-dop {dop26}");
    assert!(twenty <= 1.04, "20 vertices {twenty}");
}

#[test]
fn the_rabbit_has_the_tightness_of_figure_13() {
    check_figure_13(&figure(Figure::Rabbit, 11_000).unwrap().positions);
}

#[test]
fn the_scanned_bunny_has_the_tightness_of_figure_13() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/models/surface/bunny_7k_igl.off");
    if !path.exists() {
        return;
    }
    let points = read_tri_mesh(&path).unwrap().positions;
    check_figure_13(&points);
    check_curve(&points, &[4, 20, 65, 100]);
}

#[test]
fn figures_are_enclosed_ever_more_tightly() {
    for name in Figure::ALL {
        let points = figure(name, 1_500).unwrap().positions;
        let ratios = check_curve(&points, &[4, 8, 16, 32, 64, 65, 128]);
        // Each doubling of the vertices is worth something, though not each vertex is.
        assert!(ratios.windows(2).all(|pair| pair[1] <= 1.02 * pair[0]), "{name:?} {ratios:?}");
        assert!(ratios[3] < 1.03, "{name:?} {ratios:?}");
    }
}

#[test]
fn the_next_point_adds_the_most_volume() {
    let points = cloud(300, 3);
    // By brute force: the hull of five points is the largest that one more point than the first four can make.
    let normals = |vertices| volume_maximising_normals(&points, vertices).unwrap();
    let inner = |vertices: usize| {
        let mut chosen: Vec<DVec3> = Vec::new();
        let first = points.iter().copied().max_by(|a, b| a.x.total_cmp(&b.x)).unwrap();
        let second = points.iter().copied().max_by(|a, b| a.distance(first).total_cmp(&b.distance(first))).unwrap();
        let area = |p: DVec3| (second - first).cross(p - first).length();
        let third = points.iter().copied().max_by(|a, b| area(*a).total_cmp(&area(*b))).unwrap();
        let height = |p: DVec3| (second - first).cross(third - first).dot(p - first).abs();
        let fourth = points.iter().copied().max_by(|a, b| height(*a).total_cmp(&height(*b))).unwrap();
        chosen.extend([first, second, third, fourth]);
        while chosen.len() < vertices {
            let with = |point: DVec3| volume(&convex_hull(&[chosen.as_slice(), &[point]].concat()).unwrap());
            let best = points.iter().copied().max_by(|a, b| with(*a).total_cmp(&with(*b))).unwrap();
            chosen.push(best);
        }
        convex_hull(&chosen).unwrap()
    };
    for vertices in [4, 5, 6, 9] {
        let expected: Vec<DVec3> = inner(vertices).planes().iter().map(|plane| plane.normal).collect();
        let found = normals(vertices);
        assert_eq!(found.len(), expected.len());
        for normal in found {
            assert!(expected.iter().any(|other| other.distance(normal) < 1e-9), "{vertices} vertices: {normal}");
        }
    }
}

#[test]
fn points_without_volume_are_refused() {
    let flat = Err(ApproximateHullError::Points(HullError::Flat));
    let turn = DQuat::from_axis_angle(DVec3::new(0.48, 0.6, 0.64), 0.7);
    let sheet: Vec<DVec3> = (0..100).map(|i| DVec3::new(f64::from(i % 10), f64::from(i / 10), 0.0)).collect();
    let turned: Vec<DVec3> = sheet.iter().map(|&point| turn * point + 3.0).collect();
    let line: Vec<DVec3> = (0..100).map(|i| DVec3::new(0.1, 0.2, 0.3) * f64::from(i)).collect();
    for vertices in [0, 4, 20, 90] {
        for points in [&sheet, &turned, &line, &vec![DVec3::ONE; 70], &vec![DVec3::ONE], &vec![]] {
            assert_eq!(approximate_hull(points, vertices, None), flat);
        }
        let bad = [DVec3::ZERO, DVec3::X, DVec3::new(0.0, f64::INFINITY, 0.0)];
        let error = approximate_hull(&bad, vertices, None).unwrap_err();
        assert_eq!(error.to_string(), "point 2 has a coordinate that is not finite");
    }
    let far = Convex::cuboid(Aabb { min: DVec3::splat(10.0), max: DVec3::splat(11.0) });
    assert_eq!(approximate_hull(&cloud(50, 1), 8, Some(&far)), Err(ApproximateHullError::Apart));
}

#[test]
fn a_grid_of_points_is_its_box() {
    let turn = DQuat::from_axis_angle(DVec3::new(0.48, 0.6, 0.64), 0.7);
    let grid: Vec<DVec3> =
        (0..1000).map(|i| DVec3::new(f64::from(i % 10), f64::from(i / 10 % 10), f64::from(i / 100))).collect();
    let turned: Vec<DVec3> = grid.iter().flat_map(|&point| [turn * point; 2]).collect();
    for vertices in [4, 8, 20, 2000] {
        let straight = approximate_hull(&grid, vertices, None).unwrap();
        assert_eq!((straight.planes().len(), volume(&straight)), (6, 729.0));
        let approximate = approximate_hull(&turned, vertices.max(8), None).unwrap();
        assert_encloses(&approximate, &turned);
        assert_eq!((approximate.planes().len(), approximate.vertices().len()), (6, 8));
        assert!((volume(&approximate) - 729.0).abs() < 1e-6);
    }
}

#[test]
fn a_given_convex_is_only_ever_cut() {
    let points: Vec<DVec3> = cloud(500, 8).into_iter().map(|point| 0.5 * point).collect();
    let start = convex_hull(&cloud(400, 9)).unwrap();
    let fitted = approximate_hull(&points, 12, Some(&start)).unwrap();
    assert_solid(&fitted);
    let inside = |point: DVec3| start.planes().iter().all(|plane| plane.signed_distance(point) < 1e-12);
    assert!(fitted.vertices().iter().all(|&vertex| inside(vertex)));
    assert!(points.iter().all(|&point| fitted.contains(point)));
}

#[test]
fn the_thread_count_changes_no_hull() {
    let points = cloud(60_000, 4);
    let runs = [1, 2, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let start = Convex::cuboid(Aabb::around(DVec3::ZERO, DVec3::splat(2.0)));
        pool.install(|| (approximate_hull(&points, 24, None).unwrap(), fit(&start, &points, &Fit::Dop26)))
    });
    assert!(runs[0] == runs[1] && runs[0] == runs[2]);
}

#[test]
fn sizes_far_from_one_change_nothing() {
    let points = cloud(200, 6);
    let ratio = |points: &[DVec3]| {
        let approximate = approximate_hull(points, 10, None).unwrap();
        assert_encloses(&approximate, points);
        volume(&approximate) / volume(&convex_hull(points).unwrap())
    };
    let expected = ratio(&points);
    // Powers of two round nothing, so the very same planes turn to the very same points.
    for power in [-200, 200] {
        let scaled: Vec<DVec3> = points.iter().map(|&point| 2f64.powi(power) * point).collect();
        assert!((ratio(&scaled) - expected).abs() < 1e-9, "{power}");
    }
    let huge: Vec<DVec3> = points.iter().map(|&point| 1e300 * point).collect();
    assert!(approximate_hull(&huge, 10, None).is_ok());
    let moved: Vec<DVec3> = points.iter().map(|&point| point + 1e6).collect();
    assert!((ratio(&moved) - expected).abs() < 0.1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Small integers: many points in one plane, in line, or at one place.
    #[test]
    fn integer_points_are_enclosed(points in prop::collection::vec(prop::array::uniform3(-3i32..=3), 1..120),
                                   vertices in 0usize..80) {
        let points: Vec<DVec3> = points.into_iter().map(|p| DVec3::from_array(p.map(f64::from))).collect();
        match (approximate_hull(&points, vertices, None), convex_hull(&points)) {
            (Ok(approximate), Ok(hull)) => {
                assert_encloses(&approximate, &points);
                assert_solid(&approximate);
                prop_assert!(volume(&approximate) >= volume(&hull) * (1.0 - 1e-9));
                if vertices >= points.len() {
                    prop_assert!(volume(&approximate) <= volume(&hull) * (1.0 + 1e-6));
                }
            }
            (Err(error), Err(HullError::Flat)) => {
                prop_assert_eq!(error, ApproximateHullError::Points(HullError::Flat));
            }
            (approximate, hull) => prop_assert!(false, "{:?} {:?}", approximate, hull),
        }
    }

    #[test]
    fn scattered_points_are_enclosed(count in 4usize..200, seed in 0u64..1000, vertices in 4usize..90,
                                     flatten in prop_oneof![Just(1.0), Just(1e-3), Just(1e-7)]) {
        let points: Vec<DVec3> =
            cloud(count, seed).into_iter().map(|p| DVec3::new(p.x, p.y + p.x, p.z * flatten + 0.3 * p.x)).collect();
        let hull = convex_hull(&points).unwrap();
        if let Ok(approximate) = approximate_hull(&points, vertices, None) {
            assert_encloses(&approximate, &points);
            assert_solid(&approximate);
            // The volume of a sliver is a small difference of products as large as its box.
            let rounding = 1e-13 * Aabb::of_points(points.iter().copied()).size().length().powi(3);
            prop_assert!(volume(&approximate) >= volume(&hull) * (1.0 - 1e-6) - rounding);
            if vertices >= count && flatten == 1.0 {
                prop_assert!(volume(&approximate) <= volume(&hull) * (1.0 + 1e-6));
            }
        } else {
            prop_assert!(count < 8 || flatten < 1e-6, "flat");
        }
    }
}
