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
    let line = TriMesh { positions: vec![DVec3::ZERO, DVec3::X, 2.0 * DVec3::X], ..point.clone() };
    assert_eq!(voxelise(&line, &VoxeliseOptions::default()).unwrap_err(), SvoError::NoArea { triangles: 1 });
}

/// Whether a triangle comes to a cube: no axis separates them, in integers that cannot overflow.
fn meets(corners: &[[i64; 3]; 3], low: [i64; 3], edge: i64) -> bool {
    let wide = |vector: [i64; 3]| vector.map(i128::from);
    let minus = |a: [i128; 3], b: [i128; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let cross =
        |a: [i128; 3], b: [i128; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let corners = corners.map(wide);
    let edges = [0, 1, 2].map(|corner| minus(corners[(corner + 1) % 3], corners[corner]));
    let units = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    let mut axes = units.to_vec();
    axes.push(cross(edges[0], edges[1]));
    axes.extend(units.iter().flat_map(|&unit| edges.map(|edge| cross(unit, edge))));
    axes.into_iter().all(|axis| {
        let along = |point: [i128; 3]| axis[0] * point[0] + axis[1] * point[1] + axis[2] * point[2];
        let triangle = corners.map(along);
        let cube: Vec<i128> = (0..8)
            .map(|corner| along(std::array::from_fn(|axis| i128::from(low[axis] + edge * (corner >> axis & 1)))))
            .collect();
        triangle.iter().min() <= cube.iter().max() && cube.iter().min() <= triangle.iter().max()
    })
}

fn corner(size: i64) -> impl Strategy<Value = [i64; 3]> {
    // On planes between voxels as often as not.
    let coordinate = prop_oneof![0..size, (0..size / STEPS).prop_map(|voxel| voxel * STEPS)];
    [coordinate.clone(), coordinate.clone(), coordinate]
}

fn check_triangle(corners: [[i64; 3]; 3]) {
    let triangle = Triangle::new(corners);
    let edge = STEPS * CHUNK;
    let mut chunks = Vec::new();
    triangle.chunks(|chunk| chunks.push(chunk));
    let [low, high]: [[i64; 3]; 2] = [i64::min, i64::max].map(|pick: fn(i64, i64) -> i64| {
        std::array::from_fn(|axis| corners.iter().map(|corner| corner[axis]).reduce(pick).unwrap() / edge)
    });
    let mut expected = Vec::new();
    for z in low[2]..=high[2] {
        for y in low[1]..=high[1] {
            expected.extend((low[0]..=high[0]).map(|x| [x, y, z]));
        }
    }
    expected.retain(|chunk| meets(&corners, chunk.map(|coordinate| coordinate * edge), edge));
    chunks.sort_unstable_by_key(|&[x, y, z]| [z, y, x]);
    assert_eq!(chunks, expected, "{corners:?}");
    for chunk in chunks.iter().step_by(1 + chunks.len() / 50) {
        let mut voxels = Vec::new();
        triangle.voxels(*chunk, |voxel| voxels.push(voxel));
        voxels.sort_unstable();
        let place = |voxel: usize| {
            let within = [voxel % 8, voxel / 8 % 8, voxel / 64];
            std::array::from_fn(|axis| (chunk[axis] * CHUNK + within[axis] as i64) * STEPS)
        };
        // What lies on a face between two voxels is in the upper one, as corners are.
        let is_in_box = |low: [i64; 3]| {
            let on = |is: &dyn Fn(i64) -> bool, axis: usize| corners.iter().any(|corner| is(corner[axis]));
            (0..3).all(|axis| on(&|at| at >= low[axis], axis) && on(&|at| at < low[axis] + STEPS, axis))
        };
        let comes = |&voxel: &usize| is_in_box(place(voxel)) && meets(&corners, place(voxel), STEPS);
        assert_eq!(voxels, (0..512).filter(comes).collect::<Vec<_>>(), "{corners:?} in {chunk:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn triangles_come_to_what_no_axis_separates(corners in [corner(1 << 12), corner(1 << 12), corner(1 << 12)]) {
        check_triangle(corners);
    }

    #[test]
    fn small_triangles_come_to_what_no_axis_separates(corners in [corner(512), corner(512), corner(512)]) {
        check_triangle(corners);
    }
}

#[test]
fn triangles_without_area_and_across_the_lattice_come_to_what_no_axis_separates() {
    let far = (1 << 16) - 1;
    check_triangle([[5, 70, 300]; 3]);
    check_triangle([[5, 70, 300], [900, 70, 300], [2000, 70, 300]]);
    check_triangle([[5, 70, 300], [905, 1070, 1300], [1805, 2070, 2300]]);
    check_triangle([[0, 0, 0], [far, far, 0], [0, far, 1]]);
    check_triangle([[0, 17, 0], [far, 17, 1], [0, 18, far]]);
}
