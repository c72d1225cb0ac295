extern crate std;

use std::collections::BTreeSet;
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::launch::{ORDERS, Order};
use crate::morton;
use crate::scan::Segmented;
use crate::scan::tests::exclusive_scan;
use crate::testing::{Octree, octree};

/// By how much boxes have to overlap.
const LEAST_OVERLAP: f32 = 0.125;

/// Where the second octree is. Turns are by right angles and all lengths are multiples of a sixteenth of a voxel, so that
/// single precision is exact and brute force cannot differ by rounding. They are odd multiples, so that no middle lies on
/// a face between nodes, where one thread may say that it is inside and another that it is not.
#[derive(Clone, Copy, Debug)]
struct Stand {
    /// Where the second one's axes point: the first one's axis, and the direction.
    axes: [(usize, f32); 3],
    corner: [f32; 3],
    /// The edge of its finest voxels.
    edge: f32,
    /// Physics levels.
    levels: [u32; 2],
}

impl Stand {
    fn turn(&self, vector: [f32; 3]) -> [f32; 3] {
        let mut turned = [0.0; 3];
        for (coordinate, (axis, direction)) in vector.into_iter().zip(self.axes) {
            turned[axis] = direction * coordinate;
        }
        turned
    }

    fn meeting(&self, octrees: [&Octree; 2]) -> Meeting {
        let size = self.edge * (1 << octrees[1].level) as f32;
        let side = |child: usize, axis: usize| if child >> axis & 1 == 0 { -0.25 * size } else { 0.25 * size };
        let middle = self.turn([0.5 * size; 3]);
        let first = octrees[0].voxels_of(self.levels[0]).len() as u32;
        Meeting {
            nodes: [0, octrees[0].nodes.len() as u32],
            levels: self.levels,
            attributes: [0, 1].map(|side| octrees[side].attributes[self.levels[side] as usize]),
            marks: [0, first],
            middles: [
                [0.5 * (1 << self.levels[0]) as f32; 3],
                [0, 1, 2].map(|axis: usize| self.corner[axis] + middle[axis]),
            ],
            reach: core::array::from_fn(|level| [0.5 * size / (1 << level) as f32 - LEAST_OVERLAP; 3]),
            children: core::array::from_fn(|child| self.turn([side(child, 0), side(child, 1), side(child, 2)])),
            half: 0.5,
        }
    }
}

/// A node where a walk ends.
struct Leaf {
    is_internal: bool,
    code: u32,
    middle: [f32; 3],
    half: f32,
}

impl Octree {
    /// Boundary nodes of a level.
    fn voxels_of(&self, level: u32) -> Vec<u32> {
        let mut codes = vec![];
        self.visit(|node, at, code| codes.extend((at == level && node.is_boundary()).then_some(code)));
        codes
    }

    /// What is not outside, in voxels of an edge.
    fn leaves(&self, level: u32, edge: f32) -> Vec<Leaf> {
        let mut leaves = vec![];
        self.visit(|node, at, code| {
            let is_end = at == level && node.is_boundary() || at <= level && node.is_internal();
            if is_end {
                let half = 0.5 * edge * (1 << (level - at)) as f32;
                let middle = morton::decode_30(code).map(|coordinate| (2 * coordinate + 1) as f32 * half);
                leaves.push(Leaf { is_internal: node.is_internal(), code, middle, half });
            }
        });
        leaves
    }
}

/// All pairs of what is not outside: boundary nodes of either octree that something of the other comes to, by code.
fn brute_force(octrees: [&Octree; 2], stand: &Stand) -> [BTreeSet<u32>; 2] {
    let mut found: [BTreeSet<u32>; 2] = Default::default();
    let coarser = (1 << (octrees[1].level - stand.levels[1])) as f32;
    let others = octrees[1].leaves(stand.levels[1], stand.edge * coarser);
    for own in octrees[0].leaves(stand.levels[0], 1.0) {
        for other in &others {
            let middle = stand.turn(other.middle);
            let away = (0..3).map(|axis| (own.middle[axis] - middle[axis] - stand.corner[axis]).abs());
            let away = away.fold(0.0, f32::max);
            if away > own.half + other.half - LEAST_OVERLAP {
                continue;
            }
            for (side, one) in [&own, other].into_iter().enumerate() {
                found[side].extend((!one.is_internal).then_some(one.code));
            }
        }
    }
    found
}

/// All launches, for the same two octrees in several meetings at once.
fn launches(octrees: [&Octree; 2], stands: &[Stand], order: Order) -> Vec<[BTreeSet<u32>; 2]> {
    let nodes = [octrees[0].nodes.clone(), octrees[1].nodes.clone()].concat();
    let mut next_mark = 0;
    let meetings: Vec<Meeting> = stands
        .iter()
        .map(|stand| {
            let mut meeting = stand.meeting(octrees);
            let marks = meeting.marks;
            meeting.marks = marks.map(|mark| mark + next_mark);
            next_mark += marks[1] + octrees[1].voxels_of(stand.levels[1]).len() as u32;
            meeting
        })
        .collect();
    let walk = Walk { nodes: &nodes, meetings: &meetings };
    let marks: Vec<AtomicU32> = (0..next_mark).map(|_| AtomicU32::new(0)).collect();
    let mut pairs: Vec<Pair> = order.map(meetings.len(), |index| root(&walk, index)).into_iter().flatten().collect();
    let mut rounds = 0;
    while !pairs.is_empty() {
        let counts = order.map(pairs.len(), |index| Segmented::value(child_count(&walk, &pairs, index)));
        let starts = exclusive_scan(&counts, order);
        let mut next = vec![Pair::zeroed(); counts.iter().map(|count| count.value as usize).sum()];
        for index in order.indices(pairs.len()) {
            let start = starts[index] as usize;
            descend(&walk, &pairs, &marks, index, &mut next[start..start + counts[index].value as usize]);
        }
        // Threads share marks and nothing else, and marking twice is marking once.
        order.launch(pairs.len(), |index| reached::mark(&walk, &pairs[index], &marks));
        pairs = next;
        rounds += 1;
    }
    assert!(rounds <= octrees[0].level + octrees[1].level + 1, "{rounds} rounds");
    (0..meetings.len()).map(|number| reached_of(octrees, &meetings, number, &marks)).collect()
}

fn reached_of(octrees: [&Octree; 2], meetings: &[Meeting], number: usize, marks: &[AtomicU32]) -> [BTreeSet<u32>; 2] {
    let meeting = &meetings[number];
    [0, 1].map(|side| {
        let mut codes = octrees[side].voxels_of(meeting.levels[side]);
        codes.sort_unstable();
        let start = meeting.marks[side] as usize;
        let sight = (2 * number + side) as u32;
        let found = (0..codes.len()).filter_map(|index| {
            let found = reached(meetings, marks, start + index);
            assert_eq!(is_reached(marks, start + index).value, u32::from(found.is_some()));
            let expected = Reached { number: index as u32, code: codes[index], sight };
            assert!(found.is_none_or(|found| found == expected));
            Some(found?.code)
        });
        found.collect()
    })
}

fn check(octrees: [&Octree; 2], stands: &[Stand]) {
    let expected: Vec<_> = stands.iter().map(|stand| brute_force(octrees, stand)).collect();
    for order in ORDERS {
        assert_eq!(launches(octrees, stands, order), expected, "{order:?}");
    }
}

const UPRIGHT: Stand = Stand { axes: [(0, 1.0), (1, 1.0), (2, 1.0)], corner: [0.0; 3], edge: 1.0, levels: [4, 4] };

#[test]
fn nothing_meets_nothing() {
    let [empty, block] = [false, true].map(|is_solid| Octree::new(4, |_| is_solid));
    check([&block, &empty], &[UPRIGHT]);
    check([&empty, &block], &[UPRIGHT]);
    check([&block, &block], &[]);
    let far = Stand { corner: [1e6, 0.0, 0.0], ..UPRIGHT };
    assert_eq!(launches([&block, &block], &[far], Order::Forward), [<[BTreeSet<u32>; 2]>::default()]);
}

#[test]
fn a_small_block_within_a_large_one_is_reached_all_over() {
    let large = Octree::new(4, |place| place.iter().all(|coordinate| (1..15).contains(coordinate)));
    let small = Octree::new(2, |_| true);
    for offset in 0..9 {
        let stand = Stand { corner: [4.0625, 5.0625, 6.0625 + offset as f32 / 8.0], levels: [4, 2], ..UPRIGHT };
        let [own, others] = &launches([&large, &small], &[stand], Order::Forward)[0];
        assert_eq!((own.len(), others.len()), (0, 56));
        check([&large, &small], &[stand]);
    }
}

fn stand() -> impl Strategy<Value = Stand> {
    let axes = prop::sample::select(vec![[0, 1, 2], [1, 2, 0], [2, 1, 0]]);
    let directions = prop::array::uniform3(any::<bool>());
    let edge = prop::sample::select(vec![0.5, 1.0, 2.0]);
    (axes, directions, prop::array::uniform3(-96..160i32), edge, prop::array::uniform2(2..=4u32)).prop_map(
        |(axes, directions, corner, edge, levels)| Stand {
            axes: [0, 1, 2].map(|axis| (axes[axis], if directions[axis] { 1.0 } else { -1.0 })),
            corner: corner.map(|steps| steps as f32 / 8.0 + 0.0625),
            edge,
            levels,
        },
    )
}

proptest! {
    #[test]
    fn marks_are_those_of_all_pairs(
        first in octree(4),
        second in octree(4),
        stands in prop::collection::vec(stand(), 1..4),
    ) {
        check([&first, &second], &stands);
    }
}
