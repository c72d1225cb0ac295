extern crate std;

use std::vec;
use std::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::cells::{fracture_normal, of_voxel};
use crate::launch::{ORDERS, Order};
use crate::node::NO_ATTRIBUTES;
use crate::scan::Segmented;
use crate::scan::tests::exclusive_scan;
use crate::testing::{Octree, Voxel, octree};

/// Where each element's part of an output starts, and the length of all.
fn starts(counts: Vec<u32>, order: Order) -> (Vec<u32>, usize) {
    let elements: Vec<Segmented> = counts.iter().map(|&count| Segmented::value(count)).collect();
    (exclusive_scan(&elements, order), counts.iter().map(|&count| count as usize).sum())
}

/// All launches, in the order that the module's documentation gives.
fn launches(octree: &Octree, seeds: &[Seed], order: Order) -> (Vec<FractureVoxel>, Vec<Solid>) {
    let root = Place { node: octree.nodes[0], code: 0, first_seed: 0, seeds: seeds.len() as u32 };
    let (mut places, mut seeds, mut solids) = (vec![root], seeds.to_vec(), vec![]);
    for height in (1..octree.level).rev() {
        let level = Level { nodes: &octree.nodes, places: &places, seeds: &seeds, height };
        let counts = order.map(8 * places.len(), |index| count_child(&level, index));
        let column = |number: fn(&ChildCount) -> u32| starts(counts.iter().map(number).collect(), order);
        let (place_starts, place_count) = column(|count| count.places);
        let (seed_starts, seed_count) = column(|count| count.seeds);
        let (solid_starts, solid_count) = column(|count| count.solids);
        let mut next_places = vec![None; place_count];
        let mut next_seeds = vec![Seed { position: [0; 3], cell: u32::MAX }; seed_count];
        let mut next_solids = vec![None; solid_count];
        for index in order.indices(counts.len()) {
            let first_seed = seed_starts[index];
            let part = first_seed as usize..(first_seed + counts[index].seeds) as usize;
            match child(&level, first_seed, index, &mut next_seeds[part]) {
                Child::Nothing => {}
                Child::Solid(solid) => next_solids[solid_starts[index] as usize] = Some(solid),
                Child::Place(place) => next_places[place_starts[index] as usize] = Some(place),
            }
        }
        places = next_places.into_iter().map(|place| place.expect("each place is written")).collect();
        solids.extend(next_solids.into_iter().map(|solid| solid.expect("each solid is written")));
        seeds = next_seeds;
    }
    let level = Level { nodes: &octree.nodes, places: &places, seeds: &seeds, height: 0 };
    let counts = order.map(8 * places.len(), |index| count_copies(&level, index));
    let (voxel_starts, voxel_count) = starts(counts.iter().map(|count| count.voxels).collect(), order);
    let mut voxels = vec![FractureVoxel::default(); voxel_count];
    let mut last = vec![None; counts.len()];
    for index in order.indices(counts.len()) {
        let start = voxel_starts[index] as usize;
        last[index] = copies(&level, index, &mut voxels[start..start + counts[index].voxels as usize]);
        assert_eq!(u32::from(last[index].is_some()), counts[index].solids);
    }
    solids.extend(last.into_iter().flatten());
    (voxels, solids)
}

/// The oracle: every voxel, every seed. Copies by code and cell, and voxels inside of cells.
fn naive(octree: &Octree, seeds: &[Seed]) -> (Vec<FractureVoxel>, Vec<(u32, u32)>) {
    let (mut voxels, mut solids) = (vec![], vec![]);
    for (code, &voxel) in (0..).zip(&octree.voxels) {
        let nearest = of_voxel(seeds, morton::decode_30(code));
        let mut cells = nearest.map(|number| seeds[number as usize].cell).to_vec();
        cells.sort_unstable();
        cells.dedup();
        match voxel {
            Voxel::Outside => {}
            Voxel::Inside if cells.len() == 1 => solids.push((cells[0], code)),
            Voxel::Inside => voxels.extend(cells.iter().map(|&cell| {
                let normal = u32::from(fracture_normal(seeds, &nearest, cell));
                FractureVoxel { code, cell, attributes: NO_ATTRIBUTES, normal }
            })),
            Voxel::Boundary => voxels.extend(cells.iter().map(|&cell| {
                let attributes = octree.node_at(code, octree.level).attributes;
                FractureVoxel { code, cell, attributes, normal: 0 }
            })),
        }
    }
    solids.sort_unstable();
    (voxels, solids)
}

fn check(octree: &Octree, seeds: &[Seed]) -> (Vec<FractureVoxel>, Vec<Solid>) {
    let (expected, expected_solids) = naive(octree, seeds);
    for order in ORDERS {
        let (mut voxels, solids) = launches(octree, seeds, order);
        assert!(voxels.is_sorted_by_key(|voxel| voxel.code), "a stable sort by cell is enough");
        voxels.sort_by_key(|voxel| (voxel.code, voxel.cell));
        assert_eq!(voxels, expected, "{order:?}");
        let mut inside: Vec<(u32, u32)> = solids
            .iter()
            .flat_map(|solid| (solid.code..solid.code + (1 << (3 * solid.height))).map(|code| (solid.cell, code)))
            .collect();
        inside.sort_unstable();
        assert_eq!(inside, expected_solids, "{order:?}");
    }
    launches(octree, seeds, Order::Forward)
}

fn seed(position: [i32; 3], cell: u32) -> Seed {
    Seed { position, cell }
}

#[test]
fn nothing_stays_nothing_and_one_cell_has_all() {
    let [empty, block] = [false, true].map(|is_solid| Octree::new(4, |_| is_solid));
    let (first, other) = (seed([100, 200, 300], 0), seed([700, 300, 500], 0));
    assert_eq!(check(&empty, &[first]), (vec![], vec![]));
    let (voxels, solids) = check(&block, &[first, other]);
    assert_eq!(voxels.len(), 16 * 16 * 16 - 14 * 14 * 14);
    assert!(solids.iter().any(|solid| solid.height == 2), "what is inside stays in large nodes");
}

#[test]
fn a_cell_that_comes_in_through_a_face_is_found() {
    // The second seed is nearest in a small ball in the middle of a face of the root's child, and at no node's corner.
    let block = Octree::new(5, |_| true);
    let around = [[-300, 0, 0], [300, 0, 0], [0, -300, 0], [0, 300, 0], [0, 0, -300], [0, 0, 300]];
    let middle = [1024, 520, 520];
    let mut seeds = vec![seed(middle, 1)];
    seeds.extend(around.map(|way| seed([0, 1, 2].map(|axis| middle[axis] + way[axis]), 0)));
    let (voxels, _) = check(&block, &seeds);
    assert!(voxels.iter().any(|voxel| voxel.cell == 1));
}

#[test]
fn trees_of_one_level_have_no_places_between() {
    check(&Octree::new(1, |place| place[0] == 0), &[seed([0, 0, 0], 1), seed([100, 128, 100], 0)]);
}

proptest! {
    #[test]
    fn copies_are_those_of_every_voxel(
        octree in octree(4),
        seeds in prop::collection::vec((prop::array::uniform3(-300..1400i32), 0..5u32), 1..20),
        step in prop::sample::select(vec![1, 32, 128]),
    ) {
        // In large steps, many seeds are as far from a corner as others.
        let place = |position: [i32; 3]| position.map(|coordinate| coordinate / step * step);
        let seeds: Vec<Seed> = seeds.into_iter().map(|(position, cell)| seed(place(position), cell)).collect();
        check(&octree, &seeds);
    }
}
