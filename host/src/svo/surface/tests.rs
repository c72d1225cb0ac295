use std::collections::{BTreeMap, BTreeSet};

use fracas_kernels::{morton, normal};
use glam::{DAffine3, DQuat, DVec3, Vec3};

use super::*;
use crate::geometry::{Aabb, TriMesh, is_fracture, self_intersections, shapes};
use crate::random::Random;
use crate::svo::bits::NONE;
use crate::svo::build::{Chunk, build};
use crate::svo::tree::ORIGINAL;
use crate::svo::{FractureOptions, Fractured, Lattice, Seeds, Tree, VoxeliseOptions, tight_box, voxelise};

fn octree(mesh: &TriMesh, level: u32) -> (Lattice, Tree) {
    voxelise(mesh, &VoxeliseOptions { level, ..Default::default() }).unwrap()
}

fn ball(level: u32) -> (Lattice, Tree) {
    octree(&shapes::Sphere { radius: 1.0, frequency: 64 }.mesh().unwrap(), level)
}

fn broken(level: u32) -> (Lattice, Fractured) {
    let (lattice, tree) = ball(level);
    let points: Vec<DVec3> =
        (0..20).map(f64::from).map(|i| 0.7 * DVec3::new((3.1 * i).sin(), (i * i).cos(), (1.7 * i).cos())).collect();
    let seeds = Seeds::new(&lattice, &points).unwrap();
    (lattice, tree.fracture(&seeds, &FractureOptions::default()).unwrap())
}

/// Every directed edge as often as its reverse; vertices at the same place are one.
fn assert_closed(mesh: &TriMesh) {
    mesh.check().unwrap();
    assert!(!mesh.triangles.is_empty());
    let key = |vertex: u32| mesh.positions[vertex as usize].to_array().map(f64::to_bits);
    let mut edges: BTreeMap<_, i32> = BTreeMap::new();
    for triangle in &mesh.triangles {
        for corner in 0..3 {
            let [a, b] = [corner, (corner + 1) % 3].map(|corner| key(triangle[corner]));
            *edges.entry((a.min(b), a.max(b))).or_default() += if a < b { 1 } else { -1 };
        }
    }
    assert!(edges.values().all(|&sum| sum == 0));
}

/// Two triangles at each edge, one each way, and one fan at each vertex; no two vertices at one place.
fn assert_manifold(mesh: &TriMesh) {
    mesh.check().unwrap();
    let places: BTreeSet<_> = mesh.positions.iter().map(|place| place.to_array().map(f64::to_bits)).collect();
    assert_eq!(places.len(), mesh.positions.len());
    // At each vertex, the next one around it for each of its neighbours.
    let mut around: BTreeMap<u32, BTreeMap<u32, u32>> = BTreeMap::new();
    for &[a, b, c] in &mesh.triangles {
        for [at, from, to] in [[a, b, c], [b, c, a], [c, a, b]] {
            assert_eq!(around.entry(at).or_default().insert(from, to), None, "an edge is walked twice");
        }
    }
    assert_eq!(around.len(), mesh.positions.len());
    for next in around.values() {
        let (&first, mut here) = next.first_key_value().unwrap();
        let mut count = 1;
        loop {
            here = next.get(here).expect("an edge is walked one way only");
            count += 1;
            if *here == first {
                break;
            }
        }
        assert_eq!(count, next.len(), "several fans meet at a vertex");
    }
}

fn assert_same_box(a: Aabb, b: Aabb) {
    assert!((a.min - b.min).length() + (a.max - b.max).length() < 1e-9, "{a:?} {b:?}");
}

#[test]
fn faces_enclose_the_boundary_voxels_at_every_level() {
    let (lattice, fractured) = broken(6);
    for tree in &fractured.pieces {
        for level in 0..=tree.level() {
            let mesh = voxel_faces(tree, &lattice, level);
            assert_closed(&mesh);
            assert!(mesh.volume() > 0.0);
        }
        assert_same_box(voxel_faces(tree, &lattice, 99).aabb(), tight_box(tree, &lattice));
        let counts = tree.counts();
        let volume = (counts.boundary + counts.internal) as f64 * lattice.voxel.powi(3);
        let mesh = voxel_faces(tree, &lattice, tree.level());
        assert!((mesh.volume() / volume - 1.0).abs() < 1e-9);
    }
}

#[test]
fn smooth_surfaces_are_closed_at_every_level() {
    let (lattice, fractured) = broken(6);
    for tree in &fractured.pieces {
        for level in 0..=tree.level() {
            let mesh = smooth_surface(tree, &lattice, level);
            assert_manifold(&mesh);
            assert!(mesh.volume() > 0.0, "level {level}: {}", mesh.volume());
            assert!(mesh.normals.unwrap().iter().all(|normal| (normal.length() - 1.0).abs() < 1e-3));
        }
    }
}

#[test]
fn a_ball_comes_out_round() {
    for level in [5, 6, 7] {
        let (lattice, tree) = ball(level);
        let mesh = smooth_surface(&tree, &lattice, level);
        let (mut farthest, mut most_turned, mut tilted) = (0.0f64, 1.0f64, 0.0f64);
        for (position, normal) in mesh.positions.iter().zip(mesh.normals.as_ref().unwrap()) {
            farthest = farthest.max((position.length() - 1.0).abs() / lattice.voxel);
            most_turned = most_turned.min(position.normalize().dot(normal.as_dvec3()));
        }
        for [a, b, c] in mesh.iter_corners() {
            let normal = (b - a).cross(c - a);
            if normal.dot((a + b + c).normalize()) < 30f64.to_radians().cos() * normal.length() {
                tilted += 0.5 * normal.length() / mesh.area();
            }
        }
        let volume = mesh.volume() / (4.0 / 3.0 * std::f64::consts::PI);
        let degrees = |cosine: f64| cosine.min(1.0).acos().to_degrees();
        assert!(farthest < 0.6);
        assert!(tilted < 0.002);
        assert!(degrees(most_turned) < 5.0);
        assert!(level < 7 || (volume - 1.0).abs() < 0.02);
    }
}

#[test]
fn a_box_has_flat_sides() {
    let size = DVec3::new(2.0, 1.3, 0.9);
    let (lattice, tree) = octree(&shapes::cuboid(size), 6);
    let mesh = smooth_surface(&tree, &lattice, 6);
    let aabb = mesh.aabb();
    assert!((aabb.size() - size).abs().max_element() < lattice.voxel, "{:?}", aabb.size());
    assert!((mesh.volume() / (size.x * size.y * size.z) - 1.0).abs() < 0.05, "{}", mesh.volume());
    let inward = |position: &DVec3| (position - aabb.min).min(aabb.max - position).min_element() / lattice.voxel;
    let off: Vec<f64> = mesh.positions.iter().map(inward).filter(|&inward| inward > 0.2).collect();
    // Corners of the box are a little round.
    assert!(off.len() <= 8 && off.iter().all(|&inward| inward < 0.5), "{off:?}");
}

#[test]
fn fracture_faces_are_flat_and_marked() {
    let (lattice, tree) = ball(7);
    let direction = DVec3::new(0.3, 0.5, -0.8).normalize();
    let seeds = Seeds::new(&lattice, &[0.4 * direction, -0.4 * direction]).unwrap();
    let pieces = tree.fracture(&seeds, &FractureOptions::default()).unwrap().pieces;
    assert_eq!(pieces.len(), 2);
    for tree in &pieces {
        let mesh = smooth_surface(tree, &lattice, 7);
        assert_closed(&mesh);
        let mut farthest = 0.0f64;
        for (triangle, &material) in mesh.triangles.iter().zip(mesh.materials.as_ref().unwrap()) {
            for &vertex in triangle.iter().filter(|_| is_fracture(material)) {
                let position = mesh.positions[vertex as usize];
                // The rim is round.
                if position.length() < 0.9 {
                    farthest = farthest.max(position.dot(direction).abs() / lattice.voxel);
                }
            }
        }
        assert!(farthest > 0.0 && farthest < 0.15);
    }
}

#[test]
fn single_voxels_and_thin_plates_have_a_surface() {
    let plate = shapes::cuboid(DVec3::new(1.0, 1.0, 0.001));
    let needle = shapes::cuboid(DVec3::new(1.0, 0.001, 0.001));
    for mesh in [plate, needle] {
        let (lattice, tree) = octree(&mesh, 5);
        for level in 0..=5 {
            let surface = smooth_surface(&tree, &lattice, level);
            assert_manifold(&surface);
            assert!(surface.volume() > 0.0, "level {level}: {}", surface.volume());
        }
        assert!(smooth_surface(&tree, &lattice, 5).normals.unwrap().iter().all(|normal| *normal != Vec3::ZERO));
    }
}

/// A set of voxels with any normals.
fn random_voxels(level: u32, share: f64) -> Tree {
    let mut random = Random::new(5);
    voxels_where(level, |_| random.unit() < share)
}

/// A set of boundary voxels with any normals.
fn voxels_where(level: u32, mut is_there: impl FnMut([u32; 3]) -> bool) -> Tree {
    let mut random = Random::new(6);
    let chunks: Vec<Chunk> = (0..1 << (3 * (level - 3)))
        .map(|code| {
            let mut chunk = Chunk { code, boundary: NONE, solid: NONE };
            for voxel in 0..512 {
                chunk.boundary[voxel / 64] |=
                    u64::from(is_there(morton::decode_30(code << 9 | voxel as u32)) || voxel == 0) << (voxel % 64);
            }
            chunk
        })
        .collect();
    let directions: Vec<u16> =
        (0..97).map(|_| normal::pack((1000.0 * random.in_cube()).as_ivec3().to_array())).collect();
    let paint = |chunk: usize, normals: &mut [u16], colors: &mut [Color]| {
        for (number, normal) in normals.iter_mut().enumerate() {
            *normal = directions[(31 * chunk + number) % directions.len()];
        }
        colors.fill([9, 9, 9, ORIGINAL]);
    };
    build(level, &chunks.iter().collect::<Vec<_>>(), &[], &paint).unwrap()
}

/// Triangles look to the side of the face that they come from.
fn assert_upright(tree: &Tree, lattice: &Lattice) {
    for level in 0..=tree.level() {
        let mesh = smooth_surface(tree, lattice, level);
        assert_manifold(&mesh);
        let sides = voxel_faces(tree, lattice, level).normals.unwrap();
        for (number, [a, b, c]) in mesh.iter_corners().enumerate() {
            let side = sides[4 * (number / 2)].as_dvec3();
            assert!((b - a).cross(c - a).dot(side) > 0.0, "level {level}, triangle {number}");
        }
    }
}

fn tilted_plate(thickness: f64) -> TriMesh {
    let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.3, 0.5, 0.7);
    shapes::cuboid(DVec3::new(1.0, 0.8, thickness)).transformed(&DAffine3::from_quat(turn))
}

#[test]
fn no_triangle_looks_against_the_side_of_its_voxel() {
    let plates = [0.001, 0.03, 0.06].map(tilted_plate);
    let boxes = [shapes::cuboid(DVec3::new(2.0, 1.3, 0.9)), shapes::cuboid(DVec3::new(1.0, 1.0, 0.001))];
    for mesh in plates.iter().chain(&boxes) {
        let (lattice, tree) = octree(mesh, 6);
        assert_upright(&tree, &lattice);
    }
    let (lattice, tree) = ball(6);
    assert_upright(&tree, &lattice);
    for level in [5, 6] {
        let (lattice, fractured) = broken(level);
        fractured.pieces.iter().for_each(|piece| assert_upright(piece, &lattice));
    }
    for share in [0.05, 0.3, 0.6, 0.9] {
        assert_upright(&random_voxels(4, share), &lattice);
    }
}

#[test]
fn voxels_that_touch_at_edges_and_corners_have_manifold_surfaces() {
    let (lattice, _) = ball(4);
    let at = |tree: &Tree| assert_manifold(&smooth_surface(tree, &lattice, tree.level()));
    // Checkerboards of cubes, of columns, and of columns between two plates, which hang together at both ends.
    at(&voxels_where(4, |[x, y, z]| (x + y + z) % 2 == 0));
    at(&voxels_where(4, |[x, y, _]| (x + y) % 2 == 0));
    at(&voxels_where(4, |[x, y, z]| (x + y) % 2 == 0 || z % 3 == 0));
    at(&voxels_where(4, |[x, y, z]| (x + y) % 2 == 0 || z % 2 == 0));
    for share in [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8] {
        at(&random_voxels(5, share));
    }
    // Any eight voxels, alone, and within others that are all there.
    for around in [false, true] {
        for solid in 1..256u32 {
            let is_there = |voxel: [u32; 3]| match voxel.map(|coordinate| coordinate.wrapping_sub(3)) {
                [x, y, z] if x.max(y).max(z) < 2 => solid >> (4 * z + 2 * y + x) & 1 != 0,
                [x, y, z] => around && x.wrapping_add(1).max(y.wrapping_add(1)).max(z.wrapping_add(1)) < 4,
            };
            at(&voxels_where(3, is_there));
        }
    }
}

#[test]
fn surfaces_do_not_pass_through_themselves() {
    let assert_clean = |tree: &Tree, lattice: &Lattice| {
        let mesh = smooth_surface(tree, lattice, tree.level());
        assert_eq!(self_intersections(&mesh), [[0; 2]; 0]);
    };
    for thickness in [0.001, 0.02, 0.03, 0.06] {
        let (lattice, tree) = octree(&tilted_plate(thickness), 6);
        assert_clean(&tree, &lattice);
    }
    for level in [5, 6] {
        let (lattice, fractured) = broken(level);
        fractured.pieces.iter().for_each(|piece| assert_clean(piece, &lattice));
    }
}
