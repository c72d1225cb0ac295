//! Mass properties of octrees, from their internal nodes (\[Domaradzki16\] 3.1) in full and their boundary voxels half.

use fracas_kernels::{morton, node::Node};
use glam::{DMat3, DVec3};
use rayon::prelude::*;

use super::levels::Level;
use super::{Lattice, Tree};
use crate::geometry::{Aabb, MassProperties};

/// Moments of cubes of one size, in halves of their edge, so that all are integers and their sum knows no order. Second
/// moments are three times what they are, because a cube's own is a third of the square of half its edge.
///
/// At level 10 they stay below 2^55.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Moments {
    count: u64,
    first: [u64; 3],
    squares: [u64; 3],
    /// xy, yz and zx.
    products: [u64; 3],
}

/// The siblings that lie high along each axis.
const HIGH: [u32; 3] = [0b1010_1010, 0b1100_1100, 0b1111_0000];

impl Moments {
    /// Some of the eight children of a node.
    fn of(mask: u32, parent: [u32; 3]) -> Moments {
        let count = |mask: u32| u64::from(mask.count_ones());
        let all = count(mask);
        // The centre of the lowest child; the others are two halves farther.
        let low = parent.map(|coordinate| u64::from(4 * coordinate + 1));
        let high = HIGH.map(|high| count(mask & high));
        let product = |a: usize, b: usize| {
            3 * (all * low[a] * low[b]
                + 2 * (low[a] * high[b] + low[b] * high[a])
                + 4 * count(mask & HIGH[a] & HIGH[b]))
        };
        Moments {
            count: all,
            first: std::array::from_fn(|axis| all * low[axis] + 2 * high[axis]),
            squares: std::array::from_fn(|axis| product(axis, axis) + all),
            products: [product(0, 1), product(1, 2), product(2, 0)],
        }
    }

    /// Of cubes whose edge is `edge` times as long and whose matter weighs `weight`.
    fn scaled(&self, edge: u64, weight: u64) -> Moments {
        let zeroth = weight * edge.pow(3);
        Moments {
            count: self.count * zeroth,
            first: self.first.map(|sum| sum * zeroth * edge),
            squares: self.squares.map(|sum| sum * zeroth * edge * edge),
            products: self.products.map(|sum| sum * zeroth * edge * edge),
        }
    }
}

impl std::ops::Add for Moments {
    type Output = Moments;

    fn add(self, other: Moments) -> Moments {
        let sum = |a: [u64; 3], b: [u64; 3]| std::array::from_fn(|axis| a[axis] + b[axis]);
        Moments {
            count: self.count + other.count,
            first: sum(self.first, other.first),
            squares: sum(self.squares, other.squares),
            products: sum(self.products, other.products),
        }
    }
}

/// Blocks of eight nodes that one thread sums at a time.
const RUN: usize = 4096;

fn moments(level: &Level<'_>, is: impl Fn(Node) -> bool + Sync) -> Moments {
    let runs = level.nodes.par_chunks(8 * RUN).zip(level.parents.par_chunks(RUN));
    let sum = |(nodes, parents): (&[Node], &[u32])| {
        nodes.chunks_exact(8).zip(parents).fold(Moments::default(), |sum, (block, &parent)| {
            match Level::mask(block, &is) {
                0 => sum,
                mask => sum + Moments::of(mask, morton::decode_30(parent)),
            }
        })
    };
    runs.map(sum).reduce(Moments::default, std::ops::Add::add)
}

/// Volume, centroid and inertia of an octree's solid at density one. A boundary voxel, of which the surface cuts off some
/// part, counts half.
///
/// Sums are of integers, so the result is the same whatever order they are made in.
pub fn mass_properties(tree: &Tree, lattice: &Lattice) -> MassProperties {
    let mut sum = Moments::default();
    for level in tree.levels() {
        let edge = 1u64 << (tree.level() - level.level);
        sum = sum + moments(&level, Node::is_internal).scaled(edge, 2);
        if level.level == tree.level() {
            sum = sum + moments(&level, Node::is_boundary);
        }
    }
    if sum.count == 0 {
        return MassProperties { volume: 0.0, centroid: lattice.aabb().center(), inertia: DMat3::ZERO };
    }
    let mass = sum.count as f64;
    let half = 0.5 * lattice.voxel;
    // Three times the second moment about the centroid, times the mass: the difference of large numbers, so in integers.
    let about = |second: u64, a: usize, b: usize| {
        let exact =
            i128::from(sum.count) * i128::from(second) - 3 * i128::from(sum.first[a]) * i128::from(sum.first[b]);
        exact as f64 / (3.0 * mass)
    };
    let [xx, yy, zz]: [f64; 3] = std::array::from_fn(|axis| about(sum.squares[axis], axis, axis));
    let [xy, yz, zx] = [about(sum.products[0], 0, 1), about(sum.products[1], 1, 2), about(sum.products[2], 2, 0)];
    let inertia =
        DMat3::from_cols(DVec3::new(yy + zz, -xy, -zx), DVec3::new(-xy, zz + xx, -yz), DVec3::new(-zx, -yz, xx + yy));
    // A mass of two is a whole voxel.
    let volume = 0.5 * lattice.voxel.powi(3);
    let centroid = DVec3::from_array(sum.first.map(|first| first as f64 / mass));
    MassProperties {
        volume: volume * mass,
        centroid: lattice.origin + half * centroid,
        inertia: inertia * (volume * half * half),
    }
}

/// The smallest box around an octree's boundary voxels, so around all of its solid; [`Aabb::EMPTY`] if it has none.
pub fn tight_box(tree: &Tree, lattice: &Lattice) -> Aabb {
    let Some(finest) = tree.levels().last() else { return Aabb::EMPTY };
    let (mut low, mut high) = ([u32::MAX; 3], [0; 3]);
    for (block, parent) in finest.blocks() {
        let mask = Level::mask(block, Node::is_boundary);
        for axis in 0..3 {
            if mask & !HIGH[axis] != 0 {
                low[axis] = low[axis].min(2 * parent[axis]);
                high[axis] = high[axis].max(2 * parent[axis] + 1);
            }
            if mask & HIGH[axis] != 0 {
                low[axis] = low[axis].min(2 * parent[axis] + 1);
                high[axis] = high[axis].max(2 * parent[axis] + 2);
            }
        }
    }
    if low[0] == u32::MAX {
        return Aabb::EMPTY;
    }
    let point = |corner: [u32; 3]| lattice.outward(DVec3::from_array(corner.map(f64::from)));
    Aabb { min: point(low), max: point(high) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shapes;
    use crate::svo::{FractureOptions, Seeds, VoxeliseOptions, voxelise};

    fn ball(level: u32) -> (Lattice, Tree) {
        let mesh = shapes::Sphere { radius: 1.0, frequency: 40 }.mesh().unwrap();
        voxelise(&mesh, &VoxeliseOptions { level, ..Default::default() }).unwrap()
    }

    /// Over every voxel of the cube.
    fn brute_force(tree: &Tree, lattice: &Lattice) -> (MassProperties, Aabb) {
        let cube = DMat3::from_diagonal(DVec3::splat(lattice.voxel.powi(5) / 6.0));
        let (mut parts, mut aabb) = (Vec::new(), Aabb::EMPTY);
        let size = lattice.size();
        for number in 0..size.pow(3) {
            let voxel = [number % size, number / size % size, number / size / size];
            let node = tree.node_at(voxel, tree.level());
            let weight = if node.is_internal() { 1.0 } else { 0.5 };
            if node.is_boundary() || node.is_internal() {
                let low = DVec3::from_array(voxel.map(f64::from));
                let [min, max] = [low, low + 1.0].map(|corner| lattice.outward(corner));
                if node.is_boundary() {
                    aabb = aabb.union(Aabb { min, max });
                }
                let centroid = 0.5 * (min + max);
                parts.push(MassProperties { volume: weight * lattice.voxel.powi(3), centroid, inertia: weight * cube });
            }
        }
        (MassProperties::combined(parts), aabb)
    }

    fn assert_near(mass: &MassProperties, expected: &MassProperties, tolerance: f64) {
        assert!((mass.volume / expected.volume - 1.0).abs() < tolerance, "{} {}", mass.volume, expected.volume);
        let scale = expected.volume.cbrt();
        assert!((mass.centroid - expected.centroid).length() < tolerance * scale);
        let largest = expected.inertia.to_cols_array().into_iter().fold(0.0, |most: f64, entry| most.max(entry.abs()));
        let difference = (mass.inertia - expected.inertia).to_cols_array();
        assert!(difference.into_iter().all(|entry| entry.abs() < tolerance * largest), "{mass:?} {expected:?}");
    }

    #[test]
    fn sums_by_level_are_sums_over_voxels() {
        let (lattice, tree) = ball(5);
        let points: Vec<DVec3> =
            (0..6).map(|i| 0.6 * DVec3::new(f64::from(i).sin(), f64::from(i * i).cos(), 0.3)).collect();
        let seeds = Seeds::new(&lattice, &points).unwrap();
        let pieces = tree.fracture(&seeds, &FractureOptions::default()).unwrap().pieces;
        for tree in pieces.iter().chain([&tree]) {
            let (expected, aabb) = brute_force(tree, &lattice);
            assert_near(&mass_properties(tree, &lattice), &expected, 1e-12);
            let tight = tight_box(tree, &lattice);
            assert!((tight.min - aabb.min).length() + (tight.max - aabb.max).length() < 1e-12);
        }
    }

    #[test]
    fn a_ball_and_a_box_have_nearly_the_closed_forms() {
        let (lattice, tree) = ball(8);
        let volume = 4.0 / 3.0 * std::f64::consts::PI;
        let inertia = DMat3::from_diagonal(DVec3::splat(0.4 * volume));
        let expected = MassProperties { volume, centroid: DVec3::ZERO, inertia };
        assert_near(&mass_properties(&tree, &lattice), &expected, 0.01);

        let size = DVec3::new(3.0, 2.0, 1.0);
        let (lattice, tree) = voxelise(&shapes::cuboid(size), &VoxeliseOptions::default()).unwrap();
        let squares = size * size;
        let inertia = DVec3::new(squares.y + squares.z, squares.z + squares.x, squares.x + squares.y) * 0.5;
        let expected = MassProperties { volume: 6.0, centroid: DVec3::ZERO, inertia: DMat3::from_diagonal(inertia) };
        let center = shapes::cuboid(size).mass_properties().centroid;
        let expected = MassProperties { centroid: center, ..expected };
        assert_near(&mass_properties(&tree, &lattice), &expected, 0.02);
    }
}
