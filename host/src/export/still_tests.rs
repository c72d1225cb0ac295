//! Tests of what colours and cuts show.

use std::borrow::Cow;
use std::sync::Arc;

use glam::DVec3;

use super::fields::{Neighbourhood, below_surface, deepest, fields_of};
use super::measured::{contact_color, depth_color};
use super::still::Thing;
use super::*;
use crate::geometry::{Aabb, Plane, Pose, SignedDistance, TriMesh, shapes};

fn thing(mesh: &TriMesh, at: DVec3) -> Thing<'_> {
    let bounds = mesh.aabb();
    let bounds = Aabb { min: bounds.min + at, max: bounds.max + at };
    Thing { number: 0, color: [0.5; 3], meshes: vec![Cow::Borrowed(mesh)], pose: Pose::at(at), bounds, is_piece: true }
}

#[test]
fn contacts_are_as_deep_as_boxes_overlap() {
    let cube = shapes::cuboid(DVec3::ONE);
    // The second reaches 0.01 into the first, and 0.005 into the ground; the third is far from both.
    let things = [
        thing(&cube, DVec3::new(0.0, 0.5, 0.0)),
        thing(&cube, DVec3::new(0.99, 0.495, 0.0)),
        thing(&cube, DVec3::new(9.0, 5.0, 0.0)),
    ];
    let fields = fields_of(&things);
    let near = Neighbourhood::new(&things, &fields, Some(0.0));
    let scale = 0.02 * 3f64.sqrt();
    let color = |one: usize, point: DVec3| (near.contact(one).0)(point);
    let close = |found: [f32; 3], expected: [f32; 3]| found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5);
    // In the coordinates of each.
    assert!(close(color(0, DVec3::new(0.5, 0.0, 0.0)), contact_color(0.01 / scale)));
    assert!(close(color(1, DVec3::new(-0.5, 0.0, 0.0)), contact_color(0.01 / scale)));
    assert!(close(color(1, DVec3::new(0.5, -0.5, 0.0)), contact_color(0.005 / scale)));
    assert!(close(color(0, DVec3::new(0.48, 0.0, 0.0)), contact_color(-0.01 / scale)));
    assert!(close(color(2, DVec3::new(0.5, 0.0, 0.0)), contact_color(-1.0)));
}

#[test]
fn distance_is_that_to_the_surface_and_deepest_in_the_middle() {
    let cube = shapes::cuboid(DVec3::splat(2.0));
    let field = SignedDistance::new(&cube).unwrap();
    let most = deepest(&field, cube.aabb());
    assert!((0.95..=1.0).contains(&most), "{most}");
    let color = below_surface(&field, most, Pose::at(DVec3::X));
    for depth in [0.0, 0.13, 0.51, 0.77] {
        // The pose takes the point to where the solid is.
        assert_eq!((color.0)(DVec3::new(-depth, 0.0, 0.0)), depth_color(depth / most));
    }
}

#[test]
fn islands_are_joined_where_vertices_are_and_not_where_they_are_not() {
    let cube = shapes::cuboid(DVec3::ONE);
    let mut split = cube.clone();
    split.append(&shapes::cuboid(DVec3::ONE).transformed(&Pose::at(DVec3::X).to_affine()));
    // They share a face, though no vertex.
    assert_eq!((split.components().len(), split.islands().len()), (2, 1));
    split.append(&shapes::cuboid(DVec3::ONE).transformed(&Pose::at(3.0 * DVec3::X).to_affine()));
    assert_eq!((split.components().len(), split.islands().len()), (3, 2));
}

#[test]
fn what_a_picture_tells_does_not_depend_on_the_number_of_threads() {
    let (ball, ring) = (shapes::Sphere::default().mesh().unwrap(), shapes::Torus::default().mesh().unwrap());
    // A piece of two islands, and another one.
    let mut pieces = [ball.clone(), ball.clone().transformed(&Pose::at(2.0 * DVec3::X).to_affine())];
    pieces[0].append(&ring);
    let original = Some(Arc::new(SignedDistance::new(&ball).unwrap()));
    let cuts = vec![Plane::through(DVec3::ZERO, DVec3::new(0.3, 0.2, 1.0).normalize())];
    let mut pictures = Vec::new();
    for (color, original) in [
        (ColorBy::Body, None),
        (ColorBy::Island, None),
        (ColorBy::Distance, None),
        (ColorBy::Distance, original),
        (ColorBy::ContactDepth, None),
    ] {
        let picture = Picture { width: 96, height: 64, color, original, cuts: cuts.clone(), ..Picture::default() };
        let images = [1, 2, 5].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| draw_meshes(&pieces, &picture).unwrap())
        });
        assert!(images[0] == images[1] && images[0] == images[2], "{color:?}");
        assert!(!pictures.contains(&images[0]), "{color:?} looks like another");
        pictures.push(images[0].clone());
    }
    let stress = Picture { color: ColorBy::Stress, ..Picture::default() };
    assert!(matches!(draw_meshes(&pieces, &stress), Err(RenderError::NotHeld(_))));
    let open = [TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])];
    let distance = Picture { color: ColorBy::Distance, ..Picture::default() };
    assert!(draw_meshes(&open, &distance).unwrap_err().to_string().contains("closed surface"));
    let nothing =
        Picture { cuts: vec![Plane { normal: DVec3::Y, offset: -9.0 }], width: 64, height: 36, ..Picture::default() };
    assert!(draw_meshes(&pieces, &nothing).is_ok());
}
