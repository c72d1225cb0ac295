extern crate std;

use std::vec;
use std::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::launch::ORDERS;
use crate::testing::{Octree, Voxel, octree};

/// The grid of an octree's finest voxels, all of its chunks.
struct Owned {
    size: u32,
    numbers: Vec<u32>,
    chunks: Vec<Chunk>,
}

impl Owned {
    fn new(octree: &Octree) -> Owned {
        let size = 1 << (octree.level - 3);
        let constant = |solid: u64| Chunk { boundary: [0; 8], solid: [solid; 8], attributes: 0, padding: 0 };
        let mut chunks = vec![constant(0), constant(u64::MAX)];
        let mut numbers = vec![OUTSIDE; (size * size * size) as usize];
        let mut attributes = octree.attributes[octree.level as usize];
        for (code, voxels) in (0..).zip(octree.voxels.chunks(512)) {
            let word = |word: usize, is: fn(Voxel) -> bool| {
                let bits = voxels[64 * word..].iter().take(64).enumerate();
                bits.fold(0, |bits, (bit, voxel)| bits | u64::from(is(*voxel)) << bit)
            };
            let boundary = core::array::from_fn(|number| word(number, |voxel| voxel == Voxel::Boundary));
            let solid = core::array::from_fn(|number| word(number, |voxel| voxel != Voxel::Outside));
            let [x, y, z] = morton::decode_30(code);
            numbers[((z * size + y) * size + x) as usize] = match (boundary == [0; 8], solid == [0; 8]) {
                (true, true) => OUTSIDE,
                (true, false) => INSIDE,
                _ => {
                    chunks.push(Chunk { boundary, solid, attributes, padding: 0 });
                    attributes += boundary.iter().map(|word: &u64| word.count_ones()).sum::<u32>();
                    chunks.len() as u32 - 1
                }
            };
        }
        Owned { size, numbers, chunks }
    }

    /// Where it is, behind others.
    fn place(&self, before: &[&Owned]) -> GridPlace {
        let sum = |length: fn(&Owned) -> usize| before.iter().map(|other| length(other)).sum::<usize>() as u32;
        GridPlace {
            low: [0; 3],
            size: [self.size; 3],
            numbers: sum(|other| other.numbers.len()),
            chunks: sum(|other| other.chunks.len()),
        }
    }

    /// All chunks with boundary voxels.
    fn reached(&self, sight: u32) -> Vec<Reached> {
        let code = |number: u32| {
            let place = self.numbers.iter().position(|&other| other == number).expect("it is somewhere") as u32;
            morton::encode_30(place % self.size, place / self.size % self.size, place / self.size / self.size)
        };
        (BEFORE..self.chunks.len() as u32)
            .map(|number| Reached { number: number - BEFORE, code: code(number), sight })
            .collect()
    }
}

/// A view along the axes, in sixteenths of a voxel: the corner's middle, the edge of the voxels that are looked at.
fn view(corner: [i64; 3], edge: i64) -> View {
    let unit = 1 << (FRACTION - 4);
    let step = |axis: usize| [0, 1, 2].map(|other| if other == axis { edge * unit } else { 0 });
    View {
        corner: corner.map(|coordinate| coordinate * unit),
        steps: [step(0), step(1), step(2)],
        reach: [edge * unit / 2; 3],
        least: 2 * unit,
    }
}

/// Every voxel of one against every voxel of the other.
fn brute_force(own: &Octree, other: &Octree, corner: [i64; 3], edge: i64, sight: u32) -> Vec<Touch> {
    let mut touches = vec![];
    let boundary = (0..).zip(&own.voxels).filter(|(_, voxel)| **voxel == Voxel::Boundary);
    for (attributes, (code, _)) in (own.attributes[own.level as usize]..).zip(boundary) {
        let [x, y, z] = morton::decode_30(code).map(i64::from);
        let middle = [corner[0] + x * edge, corner[1] + y * edge, corner[2] + z * edge];
        let (mut is_touched, mut deep) = (false, 0);
        for (code, voxel) in (0..).zip(&other.voxels).filter(|(_, voxel)| **voxel != Voxel::Outside) {
            let low = morton::decode_30(code).map(|coordinate| 16 * i64::from(coordinate));
            // The ends of the box less the overlap that is asked for; it reaches the upper end and not the lower.
            let reach = edge / 2 - 2;
            let overlaps =
                (0..3).all(|axis| low[axis] <= middle[axis] + reach && middle[axis] - reach <= low[axis] + 16);
            let holds = (0..3).all(|axis| (low[axis]..low[axis] + 16).contains(&middle[axis]));
            is_touched |= overlaps || holds;
            deep |= u32::from(holds && *voxel == Voxel::Inside);
        }
        if is_touched {
            touches.push(Touch { attributes, code, deep, sight });
        }
    }
    touches
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn touched_voxels_are_those_of_all_pairs(
        own in octree(4),
        other in octree(4),
        corners in prop::array::uniform3(prop::array::uniform3(-200..260i64)),
        edge in prop::sample::select(vec![2i64, 8, 16, 22, 30]),
    ) {
        // Three sights at once: one of each octree, and one more of the first; sight 2 belongs to nobody.
        let octrees = [(&own, &other), (&other, &own), (&own, &other)];
        let numbers = [0, 1, 3];
        let expected: Vec<Vec<Touch>> = (0..3)
            .map(|which| brute_force(octrees[which].0, octrees[which].1, corners[which], edge, numbers[which]))
            .collect();
        let (own, other) = (Owned::new(&own), Owned::new(&other));
        let grids = [own.place(&[]), other.place(&[&own])];
        let (all_numbers, all_chunks) = ([&own.numbers[..], &other.numbers].concat(), [&own.chunks[..], &other.chunks].concat());
        let sight = |corner, own: usize| Sight { view: view(corner, edge), own: grids[own], other: grids[1 - own] };
        let sights = [sight(corners[0], 0), sight(corners[1], 1), sight(corners[1], 0), sight(corners[2], 0)];
        let chunks = [own.reached(0), other.reached(1), own.reached(3)].concat();
        for order in ORDERS {
            let ways = order.map(64 * sights.len(), |index| way(&sights, index));
            for (sight, ways) in sights.iter().zip(ways.chunks(64)) {
                prop_assert_eq!(&sight.view.ways()[..], ways);
            }
            let grids = Grids { numbers: &all_numbers, chunks: &all_chunks };
            let query = Query { sights: &sights, ways: &ways, grids, chunks: &chunks };
            let words = order.map(8 * chunks.len(), |index| word(&query, index));
            let found = order.map(64 * words.len(), |index| touch(&query, &words, index));
            for (word, voxels) in words.iter().zip(found.chunks(64)) {
                let places: Vec<u32> = voxels.iter().flatten().map(|(place, _)| *place).collect();
                prop_assert_eq!(places, (0..word.count()).collect::<Vec<u32>>());
            }
            let found: Vec<Touch> = found.into_iter().flatten().map(|(_, touch)| touch).collect();
            prop_assert_eq!(&found, &expected.concat(), "{:?}", order);
            let firsts = order.map(sights.len() + 1, |index| first_of_sight(&found, index) as usize);
            let ends = [0, expected[0].len(), expected[0].len() + expected[1].len()];
            prop_assert_eq!(firsts, vec![ends[0], ends[1], ends[2], ends[2], found.len()]);
            let firsts = order.map(sights.len() + 1, |index| first_of_sight(&found, index));
            // Far enough that something is near whatever it is, and not at all.
            for (distance, is_near) in [(1i64 << (FRACTION + 10), 1), (-(1i64 << (FRACTION + 10)), 0)] {
                let marks = [AtomicU32::new(0), AtomicU32::new(0)];
                order.launch(8 * chunks.len(), |index| mark_near(&query, &firsts, distance, &marks, index));
                for (meeting, mark) in marks.iter().enumerate() {
                    let is_touched = firsts[2 * meeting] != firsts[2 * meeting + 2];
                    let has_any = chunks.iter().any(|chunk| chunk.sight as usize / 2 == meeting);
                    let solid = [&other, &own].iter().all(|grid| grid.chunks.len() > BEFORE as usize);
                    let expected = if is_touched || !has_any || !solid { 0 } else { is_near };
                    prop_assert_eq!(mark.load(Relaxed), expected);
                }
            }
        }
    }
}
