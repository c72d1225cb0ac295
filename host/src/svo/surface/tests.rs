use std::collections::BTreeMap;

use glam::{DVec3, Vec3};

use super::*;
use crate::geometry::{Aabb, TriMesh, is_fracture, shapes};
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
            assert_closed(&mesh);
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
            assert_closed(&surface);
            assert!(surface.volume() > 0.0, "level {level}: {}", surface.volume());
        }
        assert!(smooth_surface(&tree, &lattice, 5).normals.unwrap().iter().all(|normal| *normal != Vec3::ZERO));
    }
}
