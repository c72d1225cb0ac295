use glam::DVec3;
use proptest::prelude::*;

use super::approximate_hull_tests::{cloud, volume};
use super::*;
use crate::geometry::{Aabb, Convex, Plane, convex_hull};

const WAYS: [Fit; 5] = [Fit::Aabb, Fit::Dop14, Fit::Dop26, Fit::Hull(6), Fit::Hull(100)];

#[test]
fn names_are_read_and_written() {
    for (name, way) in [
        ("aabb", Fit::Aabb),
        ("dop14", Fit::Dop14),
        ("dop26", Fit::Dop26),
        ("hull:20", Fit::Hull(20)),
        ("hull:4", Fit::Hull(4)),
    ] {
        assert_eq!(name.parse(), Ok(way));
        assert_eq!(way.to_string(), name);
        let json = serde_json::to_string(&way).unwrap();
        assert_eq!(json, format!("\"{name}\""));
        assert_eq!(serde_json::from_str::<Fit>(&json).unwrap(), way);
    }
    for bad in ["hull", "hull:", "hull:3", "hull:-5", "hull:many", "hull:99999999999", "box", "", "dop18"] {
        let error = bad.parse::<Fit>().unwrap_err().to_string();
        assert!(error.contains("hull:20") && error.contains(bad), "{error}");
        assert!(serde_json::from_str::<Fit>(&format!("\"{bad}\"")).unwrap_err().to_string().contains("hull:20"));
    }
}

#[test]
fn each_way_has_its_number_of_directions() {
    // A fine ball in a large box: every direction makes a face.
    let ball: Vec<DVec3> = cloud(40_000, 2).into_iter().filter_map(DVec3::try_normalize).collect();
    let start = Convex::cuboid(Aabb::around(DVec3::ZERO, DVec3::splat(2.0)));
    for (way, faces) in [(Fit::Aabb, 6), (Fit::Dop14, 14), (Fit::Dop26, 26)] {
        let fitted = fit(&start, &ball, &way);
        assert_eq!(fitted.planes().len(), faces);
        assert!(ball.iter().all(|&point| fitted.contains(point)));
        for plane in fitted.planes() {
            let reach = ball.iter().map(|&point| plane.signed_distance(point)).fold(f64::NEG_INFINITY, f64::max);
            assert!((-1e-14..=0.0).contains(&reach), "{way} is {reach} loose");
        }
    }
}

#[test]
fn faces_that_are_touched_stay_to_the_bit() {
    // Two halves of a hull on either side of an oblique cut, each with points on the cut that rounding moved.
    let cut = Plane::through(DVec3::new(0.01, -0.02, 0.03), DVec3::new(0.3, 0.5, -0.7).normalize());
    let whole = convex_hull(&cloud(200, 5)).unwrap();
    for plane in [cut, cut.flipped()] {
        let cell = whole.clipped(&plane).unwrap();
        let mut points: Vec<DVec3> = cloud(3000, 6).into_iter().map(|point| 0.4 * point).collect();
        points.retain(|&point| plane.signed_distance(point) < 0.0);
        let onto: Vec<DVec3> = points.iter().map(|&point| plane.project(point)).collect();
        points.extend(onto);
        for way in WAYS {
            let fitted = fit(&cell, &points, &way);
            assert!(volume(&fitted) < 0.8 * volume(&cell), "{way}");
            assert_eq!(fitted.planes().iter().filter(|&&other| other == plane).count(), 1, "{way}");
            let alike = fitted.planes().iter().filter(|other| other.normal.distance(plane.normal) < 1e-6).count();
            assert_eq!(alike, 1, "{way} doubles the face");
        }
    }
}

#[test]
fn what_fits_already_is_left_alone() {
    let aabb = Aabb { min: DVec3::new(0.1, 0.2, 0.3), max: DVec3::new(1.1, 0.9, 0.7) };
    let cell = Convex::cuboid(aabb);
    for way in WAYS {
        assert_eq!(fit(&cell, &aabb.corners(), &way), cell, "{way}");
        assert_eq!(fit(&cell, &[], &way), cell, "{way}");
        assert_eq!(fit(&cell, &[DVec3::NAN; 9], &way), cell, "{way}");
        // Points outside of the cell are the cell's business: it never grows.
        assert_eq!(fit(&cell, &aabb.expanded(1.0).corners(), &way), cell, "{way}");
    }
    let tetrahedron = convex_hull(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]).unwrap();
    assert_eq!(fit(&tetrahedron, tetrahedron.vertices(), &Fit::Hull(4)), tetrahedron);
}

#[test]
fn flat_points_leave_a_solid() {
    let cell = Convex::cuboid(Aabb::around(DVec3::ZERO, DVec3::ONE));
    let sheet: Vec<DVec3> = cloud(100, 1).into_iter().map(|p| DVec3::new(0.5 * p.x, 0.5 * p.y, 0.1)).collect();
    let line: Vec<DVec3> = (0..9).map(|i| DVec3::splat(0.1) * f64::from(i)).collect();
    for points in [sheet, line, vec![DVec3::splat(0.2); 5]] {
        for way in WAYS {
            let fitted = fit(&cell, &points, &way);
            assert!(fitted.surface().is_watertight() && volume(&fitted) > 1e-12, "{way}: {}", volume(&fitted));
            assert!(points.iter().all(|&point| fitted.contains(point)), "{way}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_fit_never_grows_and_loses_no_point(seed in 0u64..1000, count in 1usize..80, scale in 0.05..1.5f64,
                                            shift in prop::array::uniform3(-0.5..0.5f64), way in 0usize..5) {
        let cell = convex_hull(&cloud(60, seed)).unwrap();
        let mut points: Vec<DVec3> =
            cloud(count, seed + 1).into_iter().map(|point| scale * point + DVec3::from_array(shift)).collect();
        points.retain(|&point| cell.contains(point));
        let fitted = fit(&cell, &points, &WAYS[way]);
        prop_assert!(fitted.surface().is_watertight());
        prop_assert!(points.iter().all(|&point| fitted.contains(point)));
        prop_assert!(volume(&fitted) <= volume(&cell) * (1.0 + 1e-12));
        for &vertex in fitted.vertices() {
            prop_assert!(cell.planes().iter().all(|plane| plane.signed_distance(vertex) < 1e-11));
        }
        for plane in fitted.planes() {
            let original = cell.planes().contains(plane);
            let reach = points.iter().map(|&p| plane.signed_distance(p)).fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(original || reach > -1e-12, "a new face touches no point: {}", reach);
        }
    }
}
