//! Collision points and their averages in the cells of a lattice (\[Domaradzki16\] 5.1.2).
//!
//! A voxel of the boundary says that the surface passes through it, not where; so it stands for points that are spread
//! evenly over it: the middles of four of its children, no two side by side, or, above the finest level, of all those that
//! the surface comes to. Along each axis, the four are seen where all eight would be. Spread points leave no column of the
//! other lattice empty that the surface crosses, however the two are turned.

use fracas_kernels::discretise::{self, CollisionPoint, UNITS};
use fracas_kernels::touch::Touch;
use fracas_kernels::{morton, normal};
use glam::{DMat3, DVec3, IVec3};

use super::comparison::ways;
use super::placed::Relative;
use super::{CollideOptions, Placement};
use crate::svo::Tree;

/// What the points of one cell and owner add up to: [`discretise::Sums`] without the atomics, and how many of them are
/// deep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cell {
    /// As [`discretise::cell_key`] gives it.
    pub(super) key: u32,
    pub(super) place: [u16; 3],
    pub(super) owner: u16,
    /// Positions relative to the cell's corner.
    pub(super) position: [i32; 3],
    pub(super) normal: [i32; 3],
    pub(super) count: i32,
    /// How many come from voxels whose middle is inside of the other octree.
    pub(super) deep: i32,
}

impl Cell {
    fn add(&mut self, point: &CollisionPoint) {
        for axis in 0..3 {
            self.position[axis] += point.position[axis] - UNITS * i32::from(self.place[axis]);
            self.normal[axis] += point.normal[axis];
        }
        self.count += 1;
        self.deep += point.deep as i32;
    }
}

/// The cells of a pair, by hashing of keys. Sums are of integers, so any order gives the same.
#[derive(Debug, Default)]
pub(super) struct Cells {
    pub(super) list: Vec<Cell>,
    /// Numbers in the list, one higher; zero is free. A power of two of them.
    slots: Vec<u32>,
}

impl Cells {
    fn clear(&mut self, expected: usize) {
        self.list.clear();
        let slots = (2 * expected).next_power_of_two().max(64);
        if self.slots.len() < slots {
            self.slots.resize(slots, 0);
        }
        // All of what a small pair would not use stays free.
        self.slots.truncate(slots);
        self.slots.fill(0);
    }

    /// Adds the cell that a voxel of the first octree is, with a point for each of some children. Returns how many these are.
    fn push(&mut self, touch: &Touch, children: u32, normal: u16) -> u32 {
        let count = children.count_ones() as i32;
        let direction = normal::unpack(normal);
        // The middles of children are a quarter and three quarters along each axis.
        let upper = |axis: usize| (children & UPPER[axis]).count_ones() as i32;
        self.list.push(Cell {
            key: touch.code,
            place: morton::decode_30(touch.code).map(|coordinate| coordinate as u16),
            owner: 0,
            position: std::array::from_fn(|axis| UNITS / 4 * (count + 2 * upper(axis))),
            normal: direction.map(|coordinate| count * coordinate),
            count,
            deep: count * touch.deep as i32,
        });
        count as u32
    }

    /// The number of the cell of some key.
    #[inline]
    fn find(&mut self, key: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = hash(key) & mask;
        loop {
            match self.slots[slot] {
                0 => break,
                number if self.list[number as usize - 1].key == key => return number as usize - 1,
                _ => slot = (slot + 1) & mask,
            }
        }
        let place = morton::decode_30(key).map(|coordinate| coordinate as u16);
        let owner = (key >> discretise::OWNER_BIT & 1) as u16;
        self.list.push(Cell { key, place, owner, ..Cell::default() });
        self.slots[slot] = self.list.len() as u32;
        if 4 * self.list.len() > 3 * self.slots.len() {
            self.grow();
        }
        self.list.len() - 1
    }

    fn grow(&mut self) {
        let mask = 2 * self.slots.len() - 1;
        self.slots.clear();
        self.slots.resize(mask + 1, 0);
        for (number, cell) in (1..).zip(&self.list) {
            let mut slot = hash(cell.key) & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = number;
        }
    }
}

/// By axis: the children in the upper half.
const UPPER: [u32; 3] = [0xaa, 0xcc, 0xf0];

#[inline]
fn hash(key: u32) -> usize {
    (key.wrapping_mul(0x9e37_79b9) >> 7) as usize
}

/// How many points there were of each owner, and of how many voxels.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) points: [u32; 2],
    pub(crate) voxels: [u32; 2],
}

/// Sums up the collision points of voxels that were touched in the cells of the first lattice.
pub(super) fn discretise(
    trees: [&Tree; 2],
    relative: &Relative,
    touched: &[Vec<Touch>; 2],
    options: &CollideOptions,
    cells: &mut Cells,
) -> Counts {
    cells.clear(touched[0].len() + 2 * touched[1].len());
    let mut counts = Counts { voxels: [0, 1].map(|side| touched[side].len() as u32), ..Counts::default() };
    let size = UNITS << relative.levels[0];
    // Points in the middle parts of the first octree's voxels stay in these, which are the cells.
    let own = options.placement == Placement::Middle;
    if own {
        let (eighths, normals) = (eighths(trees[0], relative.levels[0]), trees[0].normals());
        let push = |touch: &Touch| cells.push(touch, eighths(touch), normals[touch.attributes as usize]);
        counts.points[0] = touched[0].iter().map(push).sum();
    }
    // Points of a voxel come one after the other, and many of them fall into the same cell.
    let (mut corner, mut owner, mut number) = ([i32::MAX; 3], 0, 0);
    collision_points(trees, relative, touched, options, usize::from(own), |point| {
        if !point.position.iter().all(|&coordinate| (0..size).contains(&coordinate)) {
            return;
        }
        let here = point.position.map(|coordinate| coordinate & -UNITS);
        if here != corner || owner != point.owner {
            number = cells.find(discretise::cell_key(&point));
            (corner, owner) = (here, point.owner);
        }
        cells.list[number].add(&point);
        counts.points[owner as usize] += 1;
    });
    counts
}

/// Calls back with every collision point of the owners from one on; those beyond the lattice, where the first octree never
/// is, included.
fn collision_points(
    trees: [&Tree; 2],
    relative: &Relative,
    touched: &[Vec<Touch>; 2],
    options: &CollideOptions,
    first_owner: usize,
    mut emit: impl FnMut(CollisionPoint),
) {
    let units = f64::from(UNITS);
    // Normals are turned in integers of four times the scale, so that turning costs no precision.
    let turn = relative.turn * (1.0 / relative.edge);
    for (owner, relative_turn) in [(0, DMat3::IDENTITY), (1, turn)].into_iter().skip(first_owner) {
        let (turn, corner) = if owner == 0 { (DMat3::IDENTITY, DVec3::ZERO) } else { (relative.turn, relative.corner) };
        let ways = ways(&turn);
        let eighths = eighths(trees[owner], relative.levels[owner]);
        for touch in &touched[owner] {
            let [x, y, z] = morton::decode_30(touch.code).map(f64::from);
            let packed = trees[owner].normals()[touch.attributes as usize];
            let direction = DVec3::from_array(normal::unpack(packed).map(f64::from));
            let mut middle = DVec3::new(x, y, z) + 0.5;
            if options.placement == Placement::Face && touch.deep == 0 {
                middle += direction * (0.5 / direction.abs().max_element());
            }
            let middle = rounded((turn * middle + corner) * units);
            let normal = rounded(relative_turn * direction).to_array();
            let children = eighths(touch);
            for (child, &way) in ways.iter().enumerate() {
                if children >> child & 1 != 0 {
                    let position = (middle + way).to_array();
                    emit(CollisionPoint { position, normal, owner: owner as u32, deep: touch.deep });
                }
            }
        }
    }
}

/// The nearest integers, halves upwards. A conversion cuts off, so it is done where all is positive; rounding itself is a
/// call of a function on processors without the instruction.
#[inline]
fn rounded(vector: DVec3) -> IVec3 {
    const OFFSET: i32 = 1 << 28;
    (vector + (f64::from(OFFSET) + 0.5)).as_ivec3() - OFFSET
}

/// Tells which eighths of a voxel the surface comes to.
fn eighths(tree: &Tree, level: u32) -> impl Fn(&Touch) -> u32 {
    let children = tree.children_with_surface(level);
    move |touch| children(touch.attributes).unwrap_or(0b0110_1001)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use fracas_kernels::discretise::{Sums, accumulate, begins_cell, key};
    use glam::DQuat;

    use super::super::Scratch;
    use super::super::comparison::Comparison;
    use super::super::tests::{ball, turned};
    use super::*;
    use crate::svo::device_tests::numbers;

    #[test]
    fn cells_are_those_of_the_kernel() {
        let (lattice, tree) = ball(0.5, 6);
        for (level, placement) in [(6, Placement::Middle), (5, Placement::Middle), (6, Placement::Face)] {
            let options = CollideOptions { level, placement };
            let pose = turned(DQuat::from_scaled_axis(DVec3::new(0.3, 0.7, -0.2)), DVec3::new(0.6, 0.1, 0.2));
            let first = turned(DQuat::IDENTITY, DVec3::ZERO).of(&tree, &lattice);
            let comparison = Comparison::new(&first, &pose.of(&tree, &lattice), &options).unwrap();
            let relative = &comparison.relative;
            let (mut scratch, mut cells) = (Scratch::default(), Cells::default());
            scratch.touch(&comparison);
            let touched = scratch.touched;
            let counts = discretise([&tree, &tree], relative, &touched, &options, &mut cells);

            let mut points = Vec::new();
            let size = UNITS << level;
            collision_points([&tree, &tree], relative, &touched, &options, 0, |point| {
                if point.position.iter().all(|&coordinate| (0..size).contains(&coordinate)) {
                    points.push(point);
                }
            });
            assert_eq!(points.len() as u32, counts.points.iter().sum::<u32>());
            points.sort_unstable_by_key(key);
            let keys: Vec<u64> = points.iter().map(key).collect();
            let segments = numbers(keys.len(), |index| begins_cell(&keys, index));
            let segment = segments.last().copied().unwrap_or(0);
            let sums: Vec<Sums> = (0..=segment).map(|_| Sums::default()).collect();
            (0..points.len()).for_each(|index| accumulate(&points, &segments, &sums, index));

            let mut list = cells.list.clone();
            list.sort_unstable_by_key(|cell| cell.key);
            assert_eq!(list.len(), sums.len());
            for (index, cell) in list.iter().enumerate() {
                assert_eq!(cell.key, sums[index].key.load(Relaxed));
                assert_eq!(cell.count as u32, sums[index].count.load(Relaxed));
                assert_eq!(cell.deep as u32, sums[index].deep.load(Relaxed));
                for axis in 0..3 {
                    assert_eq!(cell.position[axis], sums[index].position[axis].load(Relaxed));
                    assert_eq!(cell.normal[axis], sums[index].normal[axis].load(Relaxed));
                }
            }
        }
    }
}
