use glam::{DAffine3, DVec2, DVec3};
use proptest::prelude::*;

use super::{SignedDistance, SolidError, closest_point_on_triangle};
use crate::geometry::shapes::{self, Figure, Shelf, Sphere, Torus, figure};
use crate::geometry::{MeshError, TriMesh};
use crate::random::Random;

/// The sum of the solid angles that the triangles fill, seen from a point, over that of a sphere: one inside, zero outside.
fn winding_number(mesh: &TriMesh, point: DVec3) -> f64 {
    let solid_angle = |[a, b, c]: [DVec3; 3]| {
        // Van Oosterom and Strackee 1983.
        let [a, b, c] = [a - point, b - point, c - point];
        let [p, q, r] = [a.length(), b.length(), c.length()];
        2.0 * a.dot(b.cross(c)).atan2(p * q * r + a.dot(b) * r + b.dot(c) * p + c.dot(a) * q)
    };
    mesh.iter_corners().map(solid_angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

/// Holds the field to brute force at points in and around a mesh, on its surface and at its vertices.
fn assert_field(mesh: &TriMesh, points: usize) {
    let field = SignedDistance::new(mesh).unwrap();
    let bounds = mesh.aabb();
    let size = bounds.diagonal();
    let mut random = Random::new(5);
    for number in 0..points {
        let triangle = (random.next_u64() % mesh.triangles.len() as u64) as usize;
        let [a, b, c] = mesh.corners(triangle);
        let point = match number % 3 {
            0 => bounds.center() + 0.7 * bounds.size() * random.in_cube(),
            1 => a.lerp(b, random.unit()).lerp(c, random.unit()) + 1e-3 * size * random.in_cube(),
            _ => a + 0.1 * size * random.in_cube(),
        };
        let nearest = field.nearest(point);
        let expected = mesh
            .iter_corners()
            .map(|corners| closest_point_on_triangle(point, corners).0.distance(point))
            .fold(f64::INFINITY, f64::min);
        assert!((nearest.distance.abs() - expected).abs() <= 1e-12 * size);
        assert!((nearest.point.distance(point) - expected).abs() <= 1e-12 * size);
        let on_triangle = closest_point_on_triangle(point, mesh.corners(nearest.triangle as usize)).0;
        assert!(on_triangle.distance(nearest.point) <= 1e-12 * size);
        if expected > 1e-9 * size {
            let winding = winding_number(mesh, point);
            assert!((winding - winding.round()).abs() < 1e-6, "{winding}");
            assert_eq!(field.is_inside(point), winding > 0.5, "{point} at {}", nearest.distance);
            assert!((point - nearest.point).dot(nearest.normal) * nearest.distance > 0.0);
        }
        assert_eq!(field.nearest_from(point, triangle as u32), nearest);
    }
}

#[test]
fn shapes_have_the_field_of_brute_force() {
    let turn = DAffine3::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
    assert_field(&shapes::cuboid(DVec3::new(1.0, 2.0, 0.1)), 3000);
    assert_field(&shapes::cuboid(DVec3::new(1.0, 2.0, 0.1)).transformed(&turn), 3000);
    assert_field(&Torus { major_segments: 16, minor_segments: 8, ..Torus::default() }.mesh().unwrap(), 3000);
    assert_field(&Shelf::default().mesh().unwrap(), 300);
    assert_field(&figure(Figure::Rabbit, 2000).unwrap(), 1000);
}

#[test]
fn a_sphere_and_a_box_have_their_closed_forms() {
    let sphere = SignedDistance::new(&Sphere { radius: 2.0, frequency: 40 }.mesh().unwrap()).unwrap();
    let cuboid = SignedDistance::new(&shapes::cuboid(DVec3::new(2.0, 4.0, 6.0))).unwrap();
    let mut random = Random::new(1);
    for _ in 0..1000 {
        let point = 4.0 * random.in_cube();
        // The sagitta of an edge of the sphere.
        assert!((sphere.at(point) - (point.length() - 2.0)).abs() < 1.2e-3);
        let beyond = point.abs() - DVec3::new(1.0, 2.0, 3.0);
        let expected = beyond.max(DVec3::ZERO).length() + beyond.max_element().min(0.0);
        assert!((cuboid.at(point) - expected).abs() < 1e-14);
    }
}

#[test]
fn a_torus_has_its_closed_form() {
    let torus = Torus { major_segments: 200, minor_segments: 100, ..Torus::default() };
    let mesh = torus.mesh().unwrap();
    let half = 0.5 * mesh.aabb().size();
    let axis = (0..3).min_by(|&a, &b| half[a].total_cmp(&half[b])).unwrap();
    let minor = half[axis];
    let major = half.max_element() - minor;
    let field = SignedDistance::new(&mesh).unwrap();
    let mut random = Random::new(2);
    for _ in 0..1000 {
        let point = 1.5 * half.max_element() * random.in_cube();
        let across = DVec2::new(point[(axis + 1) % 3], point[(axis + 2) % 3]).length();
        let expected = DVec2::new(across - major, point[axis]).length() - minor;
        assert!((field.at(point) - expected).abs() < 2e-3 * major);
    }
}

#[test]
fn a_surface_turned_inside_out_is_turned_back() {
    let mesh = shapes::cuboid(DVec3::ONE);
    let mut turned = mesh.clone();
    turned.triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
    let [field, turned] = [mesh, turned].map(|mesh| SignedDistance::new(&mesh).unwrap());
    for point in [DVec3::ZERO, DVec3::splat(0.4), DVec3::splat(0.6), DVec3::new(0.5, 0.2, 0.9)] {
        assert_eq!(field.at(point), turned.at(point));
    }
}

#[test]
fn vertices_split_at_seams_and_any_size_and_place_make_no_difference() {
    let mesh = shapes::cuboid(DVec3::ONE);
    let soup = TriMesh::new(
        mesh.iter_corners().flatten().collect(),
        (0..mesh.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(),
    );
    assert_eq!(SignedDistance::new(&soup).unwrap().at(DVec3::ZERO), -0.5);
    for scale in [1e-200, 1e-40, 1e40, 1e200] {
        let field = SignedDistance::new(&mesh.clone().transformed(&DAffine3::from_scale(DVec3::splat(scale)))).unwrap();
        assert!((field.at(DVec3::ZERO) / scale + 0.5).abs() < 1e-12);
        assert!((field.nearest(DVec3::splat(scale)).point / scale).distance(DVec3::splat(0.5)) < 1e-12);
    }
    let far = DVec3::splat(1e6);
    let field = SignedDistance::new(&mesh.transformed(&DAffine3::from_translation(far))).unwrap();
    assert_eq!(field.at(far), -0.5);
}

/// Two solids that share an edge, and two that share a corner: nearest features with more than one fan.
#[test]
fn solids_that_touch_in_an_edge_or_a_corner_have_a_field() {
    for shift in [DVec3::new(1.0, 1.0, 0.0), DVec3::ONE] {
        let mut mesh = shapes::cuboid(DVec3::ONE);
        mesh.append(&shapes::cuboid(DVec3::ONE).transformed(&DAffine3::from_translation(shift)));
        assert_field(&mesh, 2000);
    }
}

#[test]
fn what_is_no_solid_is_refused_with_what_is_wrong() {
    let refused = |mesh: &TriMesh| SignedDistance::new(mesh).unwrap_err().to_string();
    assert_eq!(refused(&TriMesh::default()), "the mesh has no triangles");
    let mut open = shapes::cuboid(DVec3::ONE);
    open.triangles.pop();
    let message = refused(&open);
    assert!(message.starts_with("the surface is open (3 border edges in 1 border loop); a repair can"), "{message}");
    assert!(message.ends_with("(try `fracas mesh --repair`)"), "{message}");
    let mut turned = shapes::cuboid(DVec3::ONE);
    turned.triangles[0].swap(0, 1);
    assert!(refused(&turned).starts_with("neighbouring triangles disagree"));
    let mut flat = shapes::cuboid(DVec3::ONE);
    flat.positions.iter_mut().for_each(|position| position.y = 0.0);
    assert!(refused(&flat).starts_with("the surface encloses nothing"));
    let mut broken = shapes::cuboid(DVec3::ONE);
    broken.positions[3].z = f64::NAN;
    let error = SignedDistance::new(&broken).unwrap_err();
    assert_eq!(error, SolidError::Mesh(MeshError::NonFiniteVertex { vertex: 3 }));
}

#[test]
fn a_point_that_is_not_a_number_has_no_distance() {
    let field = SignedDistance::new(&shapes::cuboid(DVec3::ONE)).unwrap();
    assert!(field.at(DVec3::new(f64::NAN, 0.0, 0.0)).is_nan());
    assert!(!field.is_inside(DVec3::NAN));
    assert!(field.at(DVec3::INFINITY).is_nan() || field.at(DVec3::INFINITY) == f64::INFINITY);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Tetrahedra of every shape, with corners of every angle.
    #[test]
    fn tetrahedra_have_the_field_of_brute_force(corners in prop::array::uniform4(prop::array::uniform3(-1.0..1.0f64))) {
        let positions = corners.map(DVec3::from_array).to_vec();
        let mesh = TriMesh::new(positions, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]);
        prop_assume!(mesh.volume().abs() > 1e-3);
        let mesh = if mesh.volume() > 0.0 { mesh } else { TriMesh::new(mesh.positions, vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [0, 2, 3]]) };
        assert_field(&mesh, 60);
    }
}
