//! Voxels of meshes, held to sampling, clipping and solid angles.

use glam::DVec3;
use proptest::prelude::*;

use super::triangle::{STEPS, rounded};
use super::*;
use crate::geometry::{Aabb, shapes};
use crate::random::Random;
use crate::svo::dense::{Dense, Voxel};

fn voxels(mesh: &TriMesh, level: u32) -> (Lattice, Tree) {
    voxelise(mesh, &VoxeliseOptions { level, ..VoxeliseOptions::default() }).unwrap()
}

/// The mesh with its corners where the voxeliser has them, in voxels.
fn in_voxels(mesh: &TriMesh, lattice: &Lattice) -> TriMesh {
    let mut mesh = mesh.clone();
    for point in &mut mesh.positions {
        let [x, y, z] = rounded(lattice, *point).map(|coordinate| coordinate as f64 / STEPS as f64);
        *point = DVec3::new(x, y, z);
    }
    mesh
}

/// The winding number of a point by solid angles (Van Oosterom and Strackee).
fn winding(mesh: &TriMesh, point: DVec3) -> f64 {
    let angle = |corners: [DVec3; 3]| {
        let [a, b, c] = corners.map(|corner| corner - point);
        let [la, lb, lc] = [a, b, c].map(|way| way.length());
        2.0 * a.dot(b.cross(c)).atan2(la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
    };
    mesh.iter_corners().map(angle).sum::<f64>() / (4.0 * std::f64::consts::PI)
}

/// Whether a triangle comes to a box, by clipping it with the box's planes.
fn comes_to(corners: [DVec3; 3], cube: &Aabb) -> bool {
    let mut polygon = corners.to_vec();
    for axis in 0..3 {
        for (limit, sign) in [(cube.min[axis], 1.0), (cube.max[axis], -1.0)] {
            let depth = |point: DVec3| sign * (point[axis] - limit);
            let mut kept = Vec::new();
            for (number, &here) in polygon.iter().enumerate() {
                let next = polygon[(number + 1) % polygon.len()];
                if depth(here) >= 0.0 {
                    kept.push(here);
                }
                if depth(here) * depth(next) < 0.0 {
                    kept.push(here.lerp(next, depth(here) / (depth(here) - depth(next))));
                }
            }
            polygon = kept;
        }
    }
    !polygon.is_empty()
}

fn check(mesh: &TriMesh, level: u32) {
    let (lattice, tree) = voxels(mesh, level);
    tree.check();
    assert_eq!(surface_voxels(mesh, level).unwrap(), (lattice, tree.boundary_codes()));
    let dense = Dense::new(&tree);
    dense.check_separated();
    let mesh = in_voxels(mesh, &lattice);
    let mut random = Random::new(1);
    for [a, b, c] in mesh.iter_corners() {
        for _ in 0..50 {
            let [mut u, mut v] = [random.unit(), random.unit()];
            if u + v > 1.0 {
                [u, v] = [1.0 - u, 1.0 - v];
            }
            let point = a + u * (b - a) + v * (c - a);
            // On a face between voxels, either will do.
            let near = [-1e-9, 1e-9].map(|hair| (point + hair).floor().as_ivec3().to_array());
            assert!(near.iter().any(|&voxel| dense.get(voxel) == Voxel::Boundary), "{point} is in no boundary voxel");
        }
    }
    for voxel in dense.all() {
        let low = DVec3::new(f64::from(voxel[0]), f64::from(voxel[1]), f64::from(voxel[2]));
        if dense.get(voxel) == Voxel::Boundary {
            let cube = Aabb { min: low, max: low + 1.0 }.expanded(1e-9);
            assert!(mesh.iter_corners().any(|corners| comes_to(corners, &cube)), "nothing comes to {voxel:?}");
        } else {
            let is_inside = winding(&mesh, low + 0.5).abs() > 0.5;
            assert_eq!(dense.get(voxel) == Voxel::Inside, is_inside, "{voxel:?}");
        }
    }
}

#[test]
fn shapes_are_voxelised_as_they_are() {
    check(&shapes::cuboid(DVec3::new(1.0, 0.7, 0.3)), 4);
    check(&shapes::Sphere { radius: 1.0, frequency: 4 }.mesh().unwrap(), 5);
    check(
        &shapes::Torus { major_radius: 1.0, minor_radius: 0.3, major_segments: 24, minor_segments: 12 }.mesh().unwrap(),
        5,
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn tetrahedra_are_voxelised_as_they_are(points in prop::array::uniform4(prop::array::uniform3(-1.0f64..1.0)), level in 3u32..6) {
        let points = points.map(DVec3::from_array);
        let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let mesh = TriMesh::new(points.to_vec(), triangles);
        prop_assume!(mesh.volume().abs() > 1e-3);
        check(&mesh, level);
    }
}

#[test]
fn volumes_come_near() {
    let mesh = shapes::Sphere { radius: 1.0, frequency: 40 }.mesh().unwrap();
    for (level, tolerance) in [(5, 0.02), (7, 0.002), (9, 0.0005)] {
        let (lattice, tree) = voxels(&mesh, level);
        let counts = tree.counts();
        let volume = (counts.internal as f64 + 0.5 * counts.boundary as f64) * lattice.voxel.powi(3);
        assert!((volume / mesh.volume() - 1.0).abs() < tolerance, "level {level}: {volume}");
        let bytes = tree.bytes() as f64 / counts.boundary as f64;
        assert!(bytes < 32.0, "{bytes} bytes a voxel");
    }
}

#[test]
fn colors_come_from_the_corners() {
    let mut mesh = shapes::cuboid(DVec3::ONE);
    let shade = |point: &DVec3| if point.x < 0.0 { [10, 20, 30, 255] } else { [210, 20, 30, 255] };
    mesh.colors = Some(mesh.positions.iter().map(shade).collect());
    let (_, tree) = voxels(&mesh, 5);
    for (code, color) in tree.boundary_codes().into_iter().zip(tree.colors()) {
        let [x, _, _] = morton::decode_30(code);
        let expected = 10.0 + 200.0 * (f64::from(x) - 0.5) / 30.0;
        assert!((f64::from(color[0]) - expected).abs() < 16.0, "{color:?} at {x}");
        assert_eq!(color[1..], [20, 30, ORIGINAL]);
    }
}

#[test]
fn levels_and_meshes_that_cannot_be_are_errors() {
    let cube = shapes::cuboid(DVec3::ONE);
    for level in [0, 2, 11] {
        let options = VoxeliseOptions { level, ..VoxeliseOptions::default() };
        assert_eq!(voxelise(&cube, &options).unwrap_err(), SvoError::Level { level });
    }
    let point = TriMesh::new(vec![DVec3::ONE; 3], vec![[0, 1, 2]]);
    assert_eq!(voxelise(&point, &VoxeliseOptions::default()).unwrap_err(), SvoError::NoExtent { extent: 0.0 });
}
