//! The device functions of a fracture, launched one index after the other, against what the CPU does its own way.

mod build;
mod extract;
mod inside;
mod islands;

use fracas_kernels::scan::Segmented;
use glam::DVec3;

use super::*;
use crate::geometry::{TriMesh, shapes};
use crate::random::Random;

/// A ball, a torus, which falls apart, and a dragon, which has thin parts.
fn meshes() -> [TriMesh; 3] {
    let ball = shapes::Sphere { radius: 1.0, frequency: 12 };
    let torus = shapes::Torus { major_radius: 1.0, minor_radius: 0.35, major_segments: 40, minor_segments: 20 };
    [ball.mesh(), torus.mesh(), shapes::figure(shapes::Figure::Dragon, 6000)].map(Result::unwrap)
}

fn octree(mesh: &TriMesh, level: u32) -> (Lattice, Tree) {
    voxelise(mesh, &VoxeliseOptions { level, ..VoxeliseOptions::default() }).unwrap()
}

/// The octree of some boxes on a lattice from 0 to 1.
fn boxes(level: u32, boxes: &[[u32; 6]]) -> (Lattice, Tree) {
    let mut voxels = Vec::new();
    for &[x0, y0, z0, x1, y1, z1] in boxes {
        for x in x0.min(x1)..=x0.max(x1) {
            for y in y0.min(y1)..=y0.max(y1) {
                let column = z0.min(z1)..=z0.max(z1);
                voxels.extend(column.map(|z| SolidVoxel { place: [x, y, z], color: [0; 3] }));
            }
        }
    }
    let lattice = Lattice { origin: DVec3::ZERO, voxel: 1.0 / f64::from(1u32 << level), level };
    (lattice, Tree::from_voxels(level, &voxels).expect("voxels are on the lattice"))
}

/// Seeds in and around an octree.
fn points(lattice: &Lattice, count: usize, seed: u64) -> Vec<DVec3> {
    let (mut random, aabb) = (Random::new(seed), lattice.aabb());
    (0..count).map(|_| aabb.center() + 0.6 * aabb.size() * random.in_cube()).collect()
}

/// Few cells of many seeds each, so that cells fall apart.
fn few_cells(lattice: &Lattice, count: usize, seed: u64) -> Seeds {
    Seeds::with_cells(lattice, points(lattice, count, seed).into_iter().zip((0..4).cycle())).unwrap()
}

/// A fracture of all, one near a place, and one into few cells.
fn patterns(lattice: &Lattice, seed: u64) -> [Seeds; 3] {
    let points = points(lattice, 30, seed);
    let local = Seeds::local(lattice, &points, points[0], 0.3 * lattice.aabb().size().x).unwrap();
    [Seeds::new(lattice, &points).unwrap(), local, few_cells(lattice, 30, seed)]
}

fn torus(level: u32) -> (Seeds, Fractured) {
    let (lattice, tree) = octree(&meshes()[1], level);
    let seeds = few_cells(&lattice, 24, 8);
    let fractured = tree.fracture(&seeds, &FractureOptions::default()).unwrap();
    (seeds, fractured)
}

/// Where each of the sorted groups starts, and the number of all.
fn group_starts(groups: &[u32], count: u32) -> Vec<u32> {
    (0..=count).map(|group| groups.partition_point(|&other| other < group) as u32).collect()
}

/// The plain inclusive scan of the launches of a kernel that tells where something begins.
pub(in crate::svo) fn numbers(count: usize, begins: impl Fn(usize) -> Segmented) -> Vec<u32> {
    let add = |sum: &mut u32, index: usize| {
        *sum += begins(index).value;
        Some(*sum)
    };
    (0..count).scan(0, add).collect()
}

/// The exclusive scan of some counts, and their sum.
pub(super) fn starts(counts: impl IntoIterator<Item = u32>) -> Vec<usize> {
    let mut sum = 0;
    let sums = counts.into_iter().map(|count| {
        sum += count as usize;
        sum
    });
    [0].into_iter().chain(sums).collect()
}
