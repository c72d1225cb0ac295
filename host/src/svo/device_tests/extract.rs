//! The fracture boundary set.

use fracas_kernels::cells::Seed;
use fracas_kernels::extract::{self, Child, ChildCount, Copies, FractureVoxel, Level, Place, Solid};
use fracas_kernels::node::NO_ATTRIBUTES;
use proptest::prelude::*;

use super::super::build::voxels;
use super::super::extract::{Shard, extract as extract_on_host};
use super::*;

/// The launches: copies of voxels in Morton order, and what is inside of cells.
pub(super) fn on_device(tree: &Tree, seeds: &[Seed]) -> (Vec<FractureVoxel>, Vec<Solid>) {
    let nodes = tree.nodes();
    let root = Place { node: tree.root(), code: 0, first_seed: 0, seeds: seeds.len() as u32 };
    let (mut places, mut seeds, mut solids) = (vec![root], seeds.to_vec(), Vec::new());
    for height in (1..tree.level()).rev() {
        let level = Level { nodes, places: &places, seeds: &seeds, height };
        let counts: Vec<ChildCount> = (0..8 * places.len()).map(|index| extract::count_child(&level, index)).collect();
        let seed_starts = starts(counts.iter().map(|count| count.seeds));
        let mut next_seeds = vec![seeds[0]; seed_starts[counts.len()]];
        let mut next_places = Vec::new();
        for index in 0..counts.len() {
            let (start, end) = (seed_starts[index], seed_starts[index + 1]);
            match extract::child(&level, start as u32, index, &mut next_seeds[start..end]) {
                Child::Nothing => {}
                Child::Solid(solid) => solids.push(solid),
                Child::Place(place) => next_places.push(place),
            }
        }
        (places, seeds) = (next_places, next_seeds);
    }
    let level = Level { nodes, places: &places, seeds: &seeds, height: 0 };
    let counts: Vec<Copies> = (0..8 * places.len()).map(|index| extract::count_copies(&level, index)).collect();
    let starts = starts(counts.iter().map(|count| count.voxels));
    let mut copies = vec![FractureVoxel::default(); starts[counts.len()]];
    for index in 0..counts.len() {
        solids.extend(extract::copies(&level, index, &mut copies[starts[index]..starts[index + 1]]));
    }
    (copies, solids)
}

/// The voxels of a shard, one by one.
fn expanded(shard: &Shard) -> Vec<FractureVoxel> {
    let (mut before, mut laid_open) = (shard.first_attribute, 0);
    let is_in = |bits: &bits::Bits, voxel: u32| bits[voxel as usize / 64] >> (voxel % 64) & 1 != 0;
    let mut copies = Vec::new();
    for voxel in 0..512 {
        let is_original = is_in(&shard.original, voxel);
        if is_in(&shard.chunk.boundary, voxel) {
            let attributes = if is_original { before } else { NO_ATTRIBUTES };
            let normal = if is_original { 0 } else { u32::from(shard.normals.get(laid_open)) };
            laid_open += usize::from(!is_original);
            copies.push(FractureVoxel { code: shard.chunk.code << 9 | voxel, cell: shard.cell, attributes, normal });
        }
        before += u32::from(is_original);
    }
    copies
}

/// Holds copies and what is inside to the host's. Returns how many copies there are, and how many of them were laid open.
fn check(tree: &Tree, seeds: &Seeds) -> [usize; 2] {
    let (mut copies, solids) = on_device(tree, &seeds.seeds);
    assert!(copies.is_sorted_by_key(|copy| copy.code));
    let found = extract_on_host(tree, &seeds.seeds);
    let mut expected: Vec<FractureVoxel> = found.iter().flat_map(|part| &part.shards).flat_map(expanded).collect();
    copies.sort_by_key(|copy| copy.cell);
    expected.sort_unstable_by_key(|copy| (copy.cell, copy.code));
    assert_eq!(copies, expected);

    let mut inside: Vec<(u32, u32)> = Vec::new();
    for solid in &solids {
        inside.extend((solid.code..solid.code + (1 << (3 * solid.height))).map(|code| (solid.cell, code)));
    }
    let mut expected: Vec<(u32, u32)> = Vec::new();
    for part in &found {
        for shard in &part.shards {
            expected.extend(voxels(&shard.chunk.solid).map(|voxel| (shard.cell, shard.chunk.code << 9 | voxel)));
        }
        for solid in &part.solids {
            expected.extend((0..512 << (3 * solid.height)).map(|voxel| (solid.cell, (solid.code << 9) + voxel)));
        }
    }
    inside.sort_unstable();
    expected.sort_unstable();
    assert_eq!(inside, expected);
    [copies.len(), copies.iter().filter(|copy| copy.attributes == NO_ATTRIBUTES).count()]
}

#[test]
fn the_fracture_boundary_set_is_that_of_the_host() {
    let mut sum = [0; 2];
    for mesh in meshes() {
        for level in 3..=6 {
            let (lattice, tree) = octree(&mesh, level);
            for seeds in patterns(&lattice, 5) {
                let [copies, laid_open] = check(&tree, &seeds);
                sum = [sum[0] + copies, sum[1] + laid_open];
            }
        }
    }
    assert!(sum[0] > 100_000 && sum[1] > 20_000, "{sum:?}");
}

#[test]
fn a_piece_breaks_again_alike() {
    let (lattice, tree) = octree(&meshes()[2], 5);
    let [seeds, local, few] = patterns(&lattice, 5);
    let pieces = tree.fracture(&few, &FractureOptions::default()).unwrap().pieces;
    let again = tree.fracture(&local, &FractureOptions::default()).unwrap().pieces;
    for piece in pieces.iter().chain(&again) {
        check(piece, &seeds);
        check(piece, &local);
    }
}

#[test]
fn one_seed_and_many_seeds_in_a_voxel() {
    let (lattice, tree) = octree(&meshes()[0], 4);
    let center = lattice.aabb().center();
    check(&tree, &Seeds::new(&lattice, &[center]).unwrap());
    check(&tree, &Seeds::new(&lattice, &[center; 3]).unwrap());
    let crowd: Vec<DVec3> = points(&lattice, 300, 3).iter().map(|point| center + 0.02 * (*point - center)).collect();
    check(&tree, &Seeds::new(&lattice, &crowd).unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_voxels_and_seeds(
        corners in prop::collection::vec(prop::array::uniform6(0u32..16), 1..5),
        seeds in prop::collection::vec((prop::array::uniform3(-0.2..1.2f64), 0u32..6), 1..40),
    ) {
        let (lattice, tree) = boxes(4, &corners);
        let seeds = seeds.into_iter().map(|(place, cell)| (DVec3::from_array(place), cell));
        check(&tree, &Seeds::with_cells(&lattice, seeds).unwrap());
    }
}
