use std::collections::BTreeSet;
use std::path::Path;

use glam::{DQuat, DVec3};
use proptest::prelude::*;

use super::{HullError, convex_hull};
use crate::geometry::Convex;
use crate::geometry::predicates::orient_3d;

fn random(count: usize, seed: u64) -> Vec<DVec3> {
    let mut random = crate::random::Random::new(seed);
    std::iter::repeat_with(|| random.in_cube()).filter(|point| point.length() <= 1.0).take(count).collect()
}

/// No point outside of any three corners of a face, exactly; every corner one of the points; a closed surface.
fn check_exactly(hull: &Convex, points: &[DVec3]) {
    let surface = hull.surface();
    assert!(surface.is_watertight());
    for face in 0..surface.face_count() {
        let contour: Vec<DVec3> =
            surface.contours(face).flatten().map(|corner| surface.corner_position(corner)).collect();
        for &point in points {
            assert!(orient_3d(contour[0], contour[1], contour[2], point) <= 0.0);
        }
    }
    assert!(surface.positions.iter().all(|corner| points.contains(corner)));
}

type Integers = [i64; 3];

fn sub(a: Integers, b: Integers) -> Integers {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(u: Integers, v: Integers) -> Integers {
    [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
}

fn dot(u: Integers, v: Integers) -> i64 {
    u[0] * v[0] + u[1] * v[1] + u[2] * v[2]
}

/// The planes through three points that have all points on one side, as normal (reduced, outwards) and offset.
fn supporting_planes(points: &[Integers]) -> BTreeSet<(Integers, i64)> {
    let gcd = |mut a: i64, mut b: i64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a.abs()
    };
    let mut planes = BTreeSet::new();
    for (i, &a) in points.iter().enumerate() {
        for (j, &b) in points.iter().enumerate().skip(i + 1) {
            for &c in &points[j + 1..] {
                let normal = cross(sub(b, a), sub(c, a));
                let divisor = normal.iter().fold(0, |d, &n| gcd(d, n));
                if divisor == 0 {
                    continue;
                }
                let normal = normal.map(|n| n / divisor);
                for normal in [normal, normal.map(|n| -n)] {
                    if points.iter().all(|&point| dot(normal, sub(point, a)) <= 0) {
                        planes.insert((normal, dot(normal, a)));
                    }
                }
            }
        }
    }
    planes
}

proptest! {
    #[test]
    fn integer_points_have_the_facets_of_brute_force(
        points in prop::collection::vec(prop::array::uniform3(-3i64..=3), 1..24),
        scale in prop_oneof![Just(1.0), Just(2f64.powi(-600)), Just(2f64.powi(900))],
    ) {
        let real: Vec<DVec3> = points.iter().map(|p| DVec3::from_array(p.map(|c| c as f64)) * scale).collect();
        let planes = supporting_planes(&points);
        let found = convex_hull(&real);
        // Flat points have one plane with both orientations, or none.
        if planes.iter().any(|&(normal, offset)| planes.contains(&(normal.map(|n| -n), -offset))) || planes.is_empty() {
            prop_assert_eq!(found, Err(HullError::Flat));
            return Ok(());
        }
        let hull = found.unwrap();
        let integer = |p: DVec3| (p / scale).to_array().map(|c| c as i64);
        let surface = hull.surface();
        let mut found = BTreeSet::new();
        for face in 0..surface.face_count() {
            let contour: Vec<Integers> =
                surface.contours(face).flatten().map(|corner| integer(surface.corner_position(corner))).collect();
            // Every corner turns, strictly, and lies in the plane.
            let plane = planes.iter().find(|(normal, offset)| contour.iter().all(|&c| dot(*normal, c) == *offset));
            let &(normal, _) = plane.expect("a face lies in a supporting plane");
            for i in 0..contour.len() {
                let [a, b, c] = [0, 1, 2].map(|k| contour[(i + k) % contour.len()]);
                prop_assert!(dot(normal, cross(sub(b, a), sub(c, b))) > 0);
            }
            prop_assert!(found.insert(*plane.unwrap()));
        }
        prop_assert_eq!(found, planes.clone());
        // The vertices are the points in three planes that meet in one point only.
        let is_vertex = |point: Integers| {
            let normals: Vec<Integers> = planes.iter().filter(|p| dot(p.0, point) == p.1).map(|p| p.0).collect();
            normals.iter().any(|&a| normals.iter().any(|&b| normals.iter().any(|&c| dot(a, cross(b, c)) != 0)))
        };
        let expected: BTreeSet<Integers> = points.iter().copied().filter(|&point| is_vertex(point)).collect();
        let vertices: BTreeSet<Integers> = surface.positions.iter().map(|&p| integer(p)).collect();
        prop_assert_eq!(vertices.len(), surface.positions.len());
        prop_assert_eq!(vertices, expected);
        prop_assert!(surface.is_watertight());
    }

    /// Points that are in a plane but for rounding.
    #[test]
    fn a_turned_grid_is_a_box_again(x in 1usize..5, y in 1usize..5, z in 1usize..5, angle in 0.0..6.0f64, offset in -5.0..5.0f64) {
        let rotation = DQuat::from_axis_angle(DVec3::new(0.48, 0.6, 0.64), angle);
        let mut points = Vec::new();
        for i in 0..(x + 1) * (y + 1) * (z + 1) {
            let cell = [i % (x + 1), i / (x + 1) % (y + 1), i / (x + 1) / (y + 1)];
            points.push(rotation * DVec3::from_array(cell.map(|c| c as f64)) + offset);
        }
        let hull = convex_hull(&points).unwrap();
        prop_assert_eq!((hull.planes().len(), hull.vertices().len()), (6, 8));
        prop_assert!((hull.mass_properties().volume - (x * y * z) as f64).abs() < 1e-12);
        for &point in &points {
            prop_assert!(hull.planes().iter().all(|plane| plane.signed_distance(point) <= 1e-14));
        }
        prop_assert!(Convex::new(hull.surface().clone(), 1e-13).is_ok());
    }

    #[test]
    fn scattered_points_are_all_inside(count in 4usize..300, seed in 0u64..1000, flatten in prop_oneof![Just(1.0), Just(1e-9), Just(1e-17)]) {
        let points: Vec<DVec3> = random(count, seed).into_iter().map(|p| DVec3::new(p.x, p.y + p.x, p.z * flatten)).collect();
        match convex_hull(&points) {
            Ok(hull) => if flatten == 1.0 { check_exactly(&hull, &points) } else {
                prop_assert!(hull.surface().is_watertight());
                for &point in &points {
                    prop_assert!(hull.planes().iter().all(|plane| plane.signed_distance(point) <= 1e-14));
                }
            },
            Err(error) => prop_assert_eq!(error, HullError::Flat),
        }
    }
}

#[test]
fn a_ball_of_points_has_the_volume_of_a_ball() {
    let points = random(20_000, 5);
    let hull = convex_hull(&points).unwrap();
    let ball = 4.0 / 3.0 * std::f64::consts::PI;
    let volume = hull.mass_properties().volume;
    assert!(volume < ball && volume > 0.96 * ball, "{volume}");
    assert_eq!(hull.vertices().len() * 2, hull.planes().len() + 4);
    assert!(hull.surface().is_watertight());
    assert!(points.iter().all(|&point| hull.planes().iter().all(|plane| plane.signed_distance(point) < 1e-14)));
}

#[test]
fn points_without_volume_are_named() {
    assert_eq!(convex_hull(&[]), Err(HullError::Flat));
    assert_eq!(convex_hull(&[DVec3::ONE; 9]), Err(HullError::Flat));
    let line: Vec<DVec3> = (0..9).map(|i| DVec3::new(0.1, 0.2, 0.3) * f64::from(i)).collect();
    assert!(
        matches!(convex_hull(&line), Err(HullError::Flat)) || convex_hull(&line).is_ok_and(|h| h.planes().len() >= 4)
    );
    let plane: Vec<DVec3> = (0..25).map(|i| DVec3::new((i % 5) as f64, (i / 5) as f64, (i % 5) as f64)).collect();
    assert_eq!(convex_hull(&plane), Err(HullError::Flat));
    let bad = [DVec3::ZERO, DVec3::X, DVec3::new(0.0, f64::NAN, 0.0)];
    assert_eq!(convex_hull(&bad), Err(HullError::NonFinite { point: 2 }));
    let corner = convex_hull(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]).unwrap();
    assert!((corner.mass_properties().volume - 1.0 / 6.0).abs() < 1e-15);
}

#[test]
fn a_cylinder_keeps_its_round_caps_whole() {
    let mut points = Vec::new();
    for i in 0..200 {
        let angle = std::f64::consts::TAU * f64::from(i) / 200.0;
        for z in [-1.0, 0.0, 1.0] {
            points.push(DVec3::new(angle.cos(), angle.sin(), z));
        }
    }
    let hull = convex_hull(&points).unwrap();
    assert_eq!((hull.planes().len(), hull.vertices().len()), (202, 400));
}

#[test]
fn the_hull_of_a_scanned_bunny() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/models/surface/bunny_7k_igl.off");
    let Ok(text) = std::fs::read_to_string(path) else { return };
    let points: Vec<DVec3> = text
        .lines()
        .skip(2)
        .take(3485)
        .map(|line| DVec3::from_slice(&line.split_whitespace().map(|word| word.parse().unwrap()).collect::<Vec<_>>()))
        .collect();
    let hull = convex_hull(&points).unwrap();
    check_exactly(&hull, &points);
    assert!((300..700).contains(&hull.vertices().len()), "{}", hull.vertices().len());
}
