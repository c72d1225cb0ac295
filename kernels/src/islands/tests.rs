extern crate std;

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;

use super::neighbours::{enough, step};
use super::*;
use crate::launch::{ORDERS, Order};
use crate::morton::{decode_30, encode_30};

/// Voxels with their lists, as the kernels want them.
#[derive(Debug)]
struct Lists {
    codes: Vec<u32>,
    groups: Vec<u32>,
    starts: Vec<u32>,
}

impl Lists {
    fn new(voxels: impl IntoIterator<Item = (u32, [u32; 3])>) -> Lists {
        let sorted: BTreeSet<(u32, u32)> =
            voxels.into_iter().map(|(group, [x, y, z])| (group, encode_30(x, y, z))).collect();
        let groups: Vec<u32> = sorted.iter().map(|voxel| voxel.0).collect();
        let group_count = groups.last().map_or(0, |last| last + 1);
        let starts = (0..=group_count).map(|group| groups.partition_point(|&other| other < group) as u32).collect();
        Lists { codes: sorted.iter().map(|voxel| voxel.1).collect(), groups, starts }
    }

    fn one_group(voxels: impl IntoIterator<Item = [u32; 3]>) -> Lists {
        Lists::new(voxels.into_iter().map(|voxel| (0, voxel)))
    }

    fn coarser(self, levels: u32) -> Lists {
        Lists { codes: self.codes.iter().map(|&code| ancestor(code, levels)).collect(), ..self }
    }

    fn voxels(&self) -> Voxels<'_> {
        Voxels { codes: &self.codes, groups: &self.groups, starts: &self.starts }
    }

    fn own_indices(&self) -> Vec<AtomicU32> {
        (0..self.codes.len() as u32).map(AtomicU32::new).collect()
    }

    fn bits(&self, order: Order) -> Vec<u16> {
        order.map(self.codes.len(), |index| neighbour_bits(&self.voxels(), index))
    }

    fn by_trees(&self, order: Order) -> Vec<u32> {
        let (parents, bits) = (self.own_indices(), self.bits(order));
        order.launch(parents.len(), |index| label(&self.voxels(), bits[index], &parents, index));
        order.launch(parents.len(), |index| {
            let label = flatten(&parents, index);
            assert_eq!(label, parents[index].load(Relaxed));
        });
        parents.into_iter().map(AtomicU32::into_inner).collect()
    }

    /// The labels, and how many launches it took.
    fn by_propagation(&self, order: Order, flattening: bool) -> (Vec<u32>, usize) {
        let labels = self.own_indices();
        let bits: Vec<Mutex<u16>> = self.bits(order).into_iter().map(Mutex::new).collect();
        for launches in 1.. {
            let changed = AtomicU32::new(0);
            order.launch(labels.len(), |index| {
                if propagate(&self.voxels(), &mut bits[index].lock().unwrap(), &labels, index) {
                    changed.store(1, Relaxed);
                }
            });
            if changed.into_inner() == 0 {
                return (labels.into_iter().map(AtomicU32::into_inner).collect(), launches);
            }
            if flattening {
                order.launch(labels.len(), |index| {
                    flatten(&labels, index);
                });
            }
        }
        unreachable!()
    }

    /// The oracle: from the largest index down, a flood over all 26 neighbours.
    fn by_flood(&self) -> Vec<u32> {
        let mut places: BTreeMap<(u32, [u32; 3]), Vec<usize>> = BTreeMap::new();
        for (index, (&code, &group)) in self.codes.iter().zip(&self.groups).enumerate() {
            places.entry((group, decode_30(code))).or_default().push(index);
        }
        let mut labels = vec![u32::MAX; self.codes.len()];
        for seed in (0..labels.len()).rev() {
            let mut stack = vec![seed];
            while let Some(index) = stack.pop() {
                if labels[index] != u32::MAX {
                    continue;
                }
                labels[index] = seed as u32;
                let cell = decode_30(self.codes[index]);
                for number in 0..27 {
                    let offset = [number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1];
                    let neighbour = [0, 1, 2].map(|axis| cell[axis].wrapping_add_signed(offset[axis]));
                    stack.extend(places.get(&(self.groups[index], neighbour)).into_iter().flatten());
                }
            }
        }
        labels
    }

    fn check(&self) -> Vec<u32> {
        let expected = self.by_flood();
        for order in ORDERS {
            assert_eq!(self.by_trees(order), expected, "trees, {order:?}");
            for flattening in [false, true] {
                assert_eq!(self.by_propagation(order, flattening).0, expected, "propagation, {order:?}, {flattening}");
            }
        }
        expected
    }
}

fn islands(labels: &[u32]) -> usize {
    labels.iter().collect::<BTreeSet<_>>().len()
}

fn block(side: u32) -> impl Iterator<Item = [u32; 3]> {
    (0..side * side * side).map(move |number| [number % side, number / side % side, number / side / side])
}

#[test]
fn the_half_and_its_opposites_are_the_neighbourhood() {
    let both: BTreeSet<[i32; 3]> =
        HALF_NEIGHBOURS.into_iter().flat_map(|offset| [offset, offset.map(|coordinate| -coordinate)]).collect();
    assert_eq!(both.len(), 26);
    assert!(both.iter().flatten().all(|coordinate| coordinate.abs() <= 1));
}

#[test]
fn inside_of_a_block_faces_are_enough() {
    let faces = |bits: u16| -> Vec<[i32; 3]> {
        (0..13).filter(|bit| enough(bits) >> bit & 1 != 0).map(|bit| HALF_NEIGHBOURS[bit]).collect()
    };
    assert_eq!(faces(TWIN - 1), [[0, 0, -1], [0, 1, 0], [-1, 0, 0]]);
    assert_eq!(enough(TWIN | 1), TWIN | 1);
    // All but the faces, and the one below with what is not on its way.
    let without = (TWIN - 1) & !(1 << 4 | 1 << 10 | 1 << 12);
    assert_eq!(enough(without), without);
    assert_eq!(faces(without | 1 << 4), [[0, 0, -1], [-1, 1, 0], [1, 1, 0]]);
}

#[test]
fn all_shapes_in_a_small_box() {
    for shape in 0u32..1 << 12 {
        let cells = (0..12).filter(|bit| shape >> bit & 1 != 0).map(|bit| [3 + bit % 3, 7 + bit / 3 % 2, bit / 6]);
        let lists = Lists::one_group(cells);
        assert_eq!(lists.by_trees(Order::Forward), lists.by_flood(), "{shape:b}");
    }
}

#[test]
fn no_voxels_and_single_voxels() {
    assert!(Lists::one_group([]).check().is_empty());
    assert_eq!(Lists::one_group([[1023, 0, 512]]).check(), [0]);
    assert_eq!(Lists::new([(0, [4, 4, 4]), (1, [4, 4, 4]), (2, [5, 4, 4])]).check(), [0, 1, 2]);
}

#[test]
fn full_blocks_are_one_island() {
    for side in [2, 3, 5, 9, 11] {
        assert_eq!(islands(&Lists::one_group(block(side)).check()), 1);
    }
}

#[test]
fn every_other_voxel_is_alone_and_corners_connect() {
    let far_apart = Lists::one_group(block(5).map(|cell| cell.map(|coordinate| 2 * coordinate)));
    assert_eq!(islands(&far_apart.check()), 125);
    let checkers = Lists::one_group(block(7).filter(|cell| cell.iter().sum::<u32>() % 2 == 0));
    assert_eq!(islands(&checkers.check()), 1);
    assert_eq!(islands(&Lists::one_group((0..1024).map(|step| [step, step, 1023 - step])).check()), 1);
}

#[test]
fn opposite_walls_of_the_grid_do_not_touch() {
    let corners = block(2).map(|cell| cell.map(|coordinate| 1023 * coordinate));
    assert_eq!(islands(&Lists::one_group(corners).check()), 8);
}

#[test]
fn combs_hang_together_by_their_backs() {
    for back in [0, 40] {
        let teeth = (0..31).flat_map(|tooth| (0..41).map(move |height| [2 * tooth, height, 3]));
        let comb = Lists::one_group(teeth.chain((0..61).map(|x| [x, back, 3])));
        assert_eq!(islands(&comb.check()), 1);
    }
    let teeth = Lists::one_group((0..31).flat_map(|tooth| (0..41).map(move |height| [2 * tooth, height, 3])));
    assert_eq!(islands(&teeth.check()), 31);
}

/// A wall that winds inwards, a cell wide, with a cell between its turns.
fn spiral(side: i32) -> Vec<[u32; 3]> {
    let (mut cell, mut direction, mut cells) = ([0, 0], [1, 0], vec![[0, 0]]);
    let (mut length, mut legs) = (side - 1, 0);
    while length > 0 {
        for _ in 0..length {
            cell = [cell[0] + direction[0], cell[1] + direction[1]];
            cells.push(cell);
        }
        direction = [-direction[1], direction[0]];
        legs += 1;
        if legs >= 3 && legs % 2 == 1 {
            length -= 2;
        }
    }
    cells.into_iter().map(|[x, y]: [i32; 2]| [x as u32, y as u32, 7]).collect()
}

#[test]
fn spirals_are_one_island_and_two_when_cut() {
    let wall = spiral(33);
    let whole = Lists::one_group(wall.iter().copied());
    assert_eq!(islands(&whole.check()), 1);
    // In the middle of the second side: at a bend, the diagonal would still connect.
    let cut = 48;
    let halves = wall.iter().enumerate().filter(|&(number, _)| number != cut).map(|(_, &cell)| cell);
    assert_eq!(islands(&Lists::one_group(halves).check()), 2);
    assert!(whole.by_propagation(Order::Forward, true).1 < whole.by_propagation(Order::Forward, false).1);
}

#[test]
fn threads_that_carried_the_maximum_are_done() {
    let lists = Lists::one_group(block(3));
    let labels: Vec<AtomicU32> = lists.own_indices();
    let mut bits = lists.bits(Order::Forward);
    while (0..27).any(|index| propagate(&lists.voxels(), &mut bits[index], &labels, index)) {}
    for (index, own) in bits.iter_mut().enumerate() {
        propagate(&lists.voxels(), own, &labels, index);
    }
    assert_eq!(bits, [0; 27]);
}

#[test]
fn many_voxels_on_many_threads() {
    // Sparse enough that islands are long and thin: about a tenth of a grid percolates at 26 neighbours.
    let cells = block(48).enumerate().filter(|(number, _)| number.wrapping_mul(0x9e37_79b9) >> 7 & 1023 < 105);
    let lists = Lists::new(cells.map(|(_, cell)| (cell[2] / 17, cell)));
    let expected = lists.by_flood();
    for _ in 0..10 {
        assert_eq!(lists.by_trees(Order::Parallel), expected);
    }
    lists.check();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_step_changes_the_coordinates_by_the_offset(cell in prop::array::uniform3(0..1024u32), number in 0..27i32) {
        for cell in [cell, cell.map(|coordinate| coordinate & 1), cell.map(|coordinate| coordinate | 1022)] {
            let offset = [number % 3 - 1, number / 3 % 3 - 1, number / 9 - 1];
            let [x, y, z] = [0, 1, 2].map(|axis| cell[axis].wrapping_add_signed(offset[axis]));
            let expected = (x < 1024 && y < 1024 && z < 1024).then(|| encode_30(x, y, z));
            prop_assert_eq!(step(encode_30(cell[0], cell[1], cell[2]), offset), expected);
        }
    }

    #[test]
    fn random_voxels_have_the_labels_of_a_flood(
        voxels in prop::collection::vec((0..3u32, prop::array::uniform3(0..9u32)), 0..400),
        corner in prop::array::uniform3(0..1015u32),
    ) {
        let moved = |[x, y, z]: [u32; 3]| [x + corner[0], y + corner[1], z + corner[2]];
        Lists::new(voxels.into_iter().map(|(group, cell)| (group, moved(cell)))).check();
    }

    #[test]
    fn coarser_islands_have_the_labels_of_a_flood_over_ancestors(
        voxels in prop::collection::vec((0..3u32, prop::array::uniform3(0..64u32)), 0..300), levels in 0..7u32,
    ) {
        let labels = Lists::new(voxels.clone()).by_flood();
        let coarse = Lists::new(voxels).coarser(levels).check();
        prop_assert!(islands(&coarse) <= islands(&labels));
        prop_assert!(labels.iter().zip(&coarse).all(|(&fine, &coarse)| fine <= coarse));
    }
}

#[test]
fn ancestors_end_at_the_root() {
    assert_eq!(ancestor(encode_30(1023, 5, 700), 3), encode_30(127, 0, 87));
    assert_eq!(ancestor((1 << 30) - 1, 10), 0);
    assert_eq!(ancestor(u32::MAX, 11), 0);
}
