//! What of an octree each cell of a pattern has, and what is inside of the pieces.

use fracas_kernels::arguments::extract as arguments;
use fracas_kernels::arguments::inside::Inside;
use fracas_kernels::cells::{SUBVOXEL, Seed};
use fracas_kernels::extract::{self, Child, FractureVoxel, Level, Place, Solid};
use fracas_kernels::inside::{self, Pieces, Solids};

use super::build::Built;
use super::gpu::{Gpu, Random, exclusive, in_every_way, map};
use super::octree::Octree;

/// The lists of a level, on the host.
struct Owned<'a> {
    octree: &'a Octree,
    places: Vec<Place>,
    seeds: Vec<Seed>,
    height: u32,
}

impl Owned<'_> {
    fn level(&self) -> Level<'_> {
        Level { nodes: &self.octree.nodes, places: &self.places, seeds: &self.seeds, height: self.height }
    }

    fn upload(&self, gpu: &Gpu) -> arguments::Level {
        arguments::Level {
            nodes: gpu.upload(&self.octree.nodes),
            places: gpu.upload(&self.places),
            seeds: gpu.upload(&self.seeds),
            height: u64::from(self.height),
        }
    }

    /// The places and solids of the next level, on both sides.
    fn expand(&self, gpu: &Gpu) -> (Vec<Place>, Vec<Seed>, Vec<Solid>) {
        let (level, count) = (self.upload(gpu), 8 * self.places.len());
        let counted = arguments::CountChild {
            level,
            places: gpu.output(count),
            seeds: gpu.output(count),
            solids: gpu.output(count),
        };
        gpu.launch(&counted);
        let counts = map(count, |index| extract::count_child(&self.level(), index));
        let column = |number: fn(&extract::ChildCount) -> u32| counts.iter().map(number).collect::<Vec<u32>>();
        let [places, seeds, solids] =
            [column(|count| count.places), column(|count| count.seeds), column(|count| count.solids)];
        gpu.expect(counted.places, &places);
        gpu.expect(counted.seeds, &seeds);
        gpu.expect(counted.solids, &solids);

        let [(place_starts, places), (seed_starts, seeds), (solid_starts, solids)] =
            [places, seeds, solids].map(|list| exclusive(&list));
        let made = arguments::MakeChild {
            level,
            place_starts: gpu.upload(&place_starts),
            seed_starts: gpu.upload(&seed_starts),
            solid_starts: gpu.upload(&solid_starts),
            places: gpu.output(places),
            seeds: gpu.output(seeds),
            solids: gpu.output(solids),
        };
        gpu.launch(&made);
        let mut seeds = vec![Seed { position: [0; 3], cell: 0 }; seeds];
        let (mut places, mut solids) = (vec![], vec![]);
        for index in 0..count {
            let part = &mut seeds[seed_starts[index] as usize..];
            let part = &mut part[..counts[index].seeds as usize];
            match extract::child(&self.level(), seed_starts[index], index, part) {
                Child::Nothing => {}
                Child::Solid(solid) => solids.push(solid),
                Child::Place(place) => places.push(place),
            }
        }
        gpu.expect(made.places, &places);
        gpu.expect(made.seeds, &seeds);
        gpu.expect(made.solids, &solids);
        (places, seeds, solids)
    }

    /// The copies of the finest voxels, on both sides.
    fn copy(&self, gpu: &Gpu) -> (Vec<FractureVoxel>, Vec<Solid>) {
        let (level, count) = (self.upload(gpu), 8 * self.places.len());
        let counted = arguments::CountCopies { level, voxels: gpu.output(count), solids: gpu.output(count) };
        gpu.launch(&counted);
        let counts = map(count, |index| extract::count_copies(&self.level(), index));
        let voxels: Vec<u32> = counts.iter().map(|count| count.voxels).collect();
        let solids: Vec<u32> = counts.iter().map(|count| count.solids).collect();
        gpu.expect(counted.voxels, &voxels);
        gpu.expect(counted.solids, &solids);

        let [(voxel_starts, voxels), (solid_starts, solids)] = [voxels, solids].map(|list| exclusive(&list));
        let made = arguments::MakeCopies {
            level,
            voxel_starts: gpu.upload(&voxel_starts),
            solid_starts: gpu.upload(&solid_starts),
            voxels: gpu.output(voxels),
            solids: gpu.output(solids),
        };
        gpu.launch(&made);
        let mut voxels = vec![FractureVoxel::default(); voxels];
        let mut solids = vec![];
        for index in 0..count {
            let part = &mut voxels[voxel_starts[index] as usize..];
            solids.extend(extract::copies(&self.level(), index, &mut part[..counts[index].voxels as usize]));
        }
        gpu.expect(made.voxels, &voxels);
        gpu.expect(made.solids, &solids);
        (voxels, solids)
    }
}

pub(crate) fn seeds(count: usize, level: u32) -> Vec<Seed> {
    let mut random = Random(5);
    let mut position = || [0; 3].map(|_: u8| random.between(0, SUBVOXEL << level));
    // Some seeds share a cell.
    map(count, |number| number as u32 * 2 / 3).into_iter().map(|cell| Seed { position: position(), cell }).collect()
}

/// All launches of a fracture, each compared with the host.
pub(crate) fn fracture(gpu: &Gpu, octree: &Octree, seeds: Vec<Seed>) -> (Vec<FractureVoxel>, Vec<Solid>) {
    let root = Place { node: octree.nodes[0], code: 0, first_seed: 0, seeds: seeds.len() as u32 };
    let mut level = Owned { octree, places: vec![root], seeds, height: octree.level - 1 };
    let mut solids = vec![];
    while level.height > 0 {
        let next = level.expand(gpu);
        (level.places, level.seeds) = (next.0, next.1);
        solids.extend(next.2);
        level.height -= 1;
    }
    let (voxels, last) = level.copy(gpu);
    solids.extend(last);
    // Few and uneven numbers of places too.
    for count in [33, 4, 1, 0] {
        level.places.truncate(count);
        level.copy(gpu);
    }
    (voxels, solids)
}

#[test]
fn fractures_and_their_insides() {
    in_every_way(|gpu| {
        let octree = Octree::ball(4, 7.3, 2.0);
        let (mut voxels, mut solids) = fracture(gpu, &octree, seeds(20, 4));
        assert!(voxels.len() > 500 && solids.len() > 50);

        // Each cell is a piece here; that it may be two islands is not for these kernels to know.
        voxels.sort_by_key(|voxel| (voxel.cell, voxel.code));
        solids.sort_by_key(|solid| (solid.cell, solid.code));
        let mut cells: Vec<u32> = voxels.iter().map(|voxel| voxel.cell).collect();
        cells.dedup();
        let piece = |cell: u32| cells.binary_search(&cell).unwrap() as u32;
        let leaves: Vec<(u32, u32)> = voxels.iter().map(|voxel| (piece(voxel.cell), voxel.code)).collect();
        let normals = voxels.iter().map(|voxel| voxel.normal as u16).collect();
        let built = Built::new(octree.level as usize, &leaves, normals);
        let solid_starts: Vec<u32> =
            (0..22).map(|cell| solids.partition_point(|solid| solid.cell < cell) as u32).collect();

        let pieces = Pieces {
            forest: built.forest(),
            nodes: &built.nodes,
            codes: &built.codes,
            normals: &built.normals,
            cells: &cells,
            solids: Solids { list: &solids, starts: &solid_starts },
        };
        let expected = map(built.nodes.len(), |index| inside::node(&pieces, index));
        assert!(expected.iter().any(|node| node.is_internal()));
        let output = gpu.output(built.nodes.len());
        gpu.launch(&Inside {
            forest: built.upload(gpu),
            nodes: gpu.upload(&built.nodes),
            codes: gpu.upload(&built.codes),
            normals: gpu.upload(&built.normals),
            cells: gpu.upload(&cells),
            solids: gpu.upload(&solids),
            solid_starts: gpu.upload(&solid_starts),
            output,
        });
        gpu.expect(output, &expected);
    });
}
