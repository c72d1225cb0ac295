//! From the fracture boundary set to the leaves of the pieces.

use std::sync::atomic::AtomicU32;

use fracas_kernels::arguments::{islands as island_arguments, pieces as arguments};
use fracas_kernels::extract::{FractureVoxel, Solid};
use fracas_kernels::inside::Solids;
use fracas_kernels::islands::{self, Voxels};
use fracas_kernels::node::NO_ATTRIBUTES;
use fracas_kernels::pieces;

use super::extract::{fracture, seeds};
use super::gpu::{Random, in_every_way, inclusive, map};
use super::octree::Octree;

fn random_voxels(size: usize) -> Vec<FractureVoxel> {
    let mut random = Random(size as u64);
    let voxel = |_| FractureVoxel {
        code: random.below(1 << 30),
        cell: random.below(9),
        attributes: if random.below(2) == 0 { NO_ATTRIBUTES } else { random.below(100) },
        normal: random.below(1 << 16),
    };
    (0..size).map(voxel).collect()
}

#[test]
fn voxels_by_cell_and_leaves_by_piece() {
    in_every_way(|gpu| {
        for size in gpu.sizes() {
            let mut random = Random(size as u64 + 1);
            let voxels = random_voxels(size);
            let on_device = gpu.upload(&voxels);
            let keys = gpu.output(size);
            gpu.launch(&arguments::VoxelCell { voxels: on_device, keys });
            gpu.expect(keys, &map(size, |index| voxels[index].cell));

            let mut order: Vec<u32> = (0..size as u32).collect();
            order.sort_by_key(|&number| voxels[number as usize].cell);
            let arranged = arguments::ArrangeVoxels {
                voxels: on_device,
                order: gpu.upload(&order),
                output: gpu.output(size),
                codes: gpu.output(size),
            };
            gpu.launch(&arranged);
            let expected = map(size, |index| voxels[order[index] as usize]);
            gpu.expect(arranged.output, &expected);
            gpu.expect(arranged.codes, &map(size, |index| expected[index].code));

            let cells: Vec<u32> = expected.iter().map(|voxel| voxel.cell).collect();
            let firsts = gpu.output(10);
            gpu.launch(&arguments::FirstOfCell { cells: gpu.upload(&cells), firsts });
            gpu.expect(firsts, &map(10, |index| pieces::first_of_cell(&cells, index)));

            // Any labels that grow will do.
            let labels = inclusive(&map(size, |_| 0).iter().map(|_: &u32| random.below(2)).collect::<Vec<u32>>());
            let begins = gpu.output(size);
            gpu.launch(&arguments::BeginsPiece { labels: gpu.upload(&labels), begins });
            let expected_begins = map(size, |index| pieces::begins_piece(&labels, index).value);
            gpu.expect(begins, &expected_begins);

            let numbers = inclusive(&expected_begins);
            let normals: Vec<u16> = (0..100).map(|number| number * 7).collect();
            let count = numbers.last().map_or(0, |last| *last as usize + 1);
            let made = arguments::MakeLeaf {
                voxels: on_device,
                order: gpu.upload(&order),
                pieces: gpu.upload(&numbers),
                normals: gpu.upload(&normals),
                codes: gpu.output(size),
                leaf_normals: gpu.output(size),
                attributes: gpu.output(size),
                cells: gpu.output(count),
            };
            gpu.launch(&made);
            gpu.expect(made.codes, &map(size, |index| expected[index].code));
            let leaf_normals = map(size, |index| pieces::leaf_normal(&expected[index], &normals));
            gpu.expect(made.leaf_normals, &leaf_normals);
            gpu.expect(made.attributes, &map(size, |index| expected[index].attributes));
            let first_of = |piece: usize| numbers.partition_point(|&number| (number as usize) < piece);
            gpu.expect(made.cells, &map(count, |piece| expected[first_of(piece)].cell));

            let output = gpu.output(size);
            gpu.launch(&arguments::ArrangeNormals {
                normals: gpu.upload(&leaf_normals),
                sources: gpu.upload(&order),
                output,
            });
            gpu.expect(output, &map(size, |index| leaf_normals[order[index] as usize]));
        }
    });
}

#[test]
fn solids_by_cell_and_what_hangs_together_by_them() {
    in_every_way(|gpu| {
        // A cavity: its wall hangs together with the surface by what is between them.
        let octree = Octree::ball(4, 7.3, 3.2);
        for count in [1, 6] {
            let (mut voxels, solids) = fracture(gpu, &octree, seeds(count, 4));
            let cells = 1 + voxels.iter().map(|voxel| voxel.cell as usize).max().unwrap();
            let on_device = gpu.upload(&solids);
            let keys = gpu.output(solids.len());
            gpu.launch(&arguments::SolidKey { solids: on_device, levels: 4, keys });
            let expected = map(solids.len(), |index| pieces::solid_key(&solids[index], 4));
            gpu.expect(keys, &expected);
            let mut order: Vec<u32> = (0..solids.len() as u32).collect();
            order.sort_by_key(|&number| expected[number as usize]);
            let arranged = arguments::ArrangeSolids {
                solids: on_device,
                order: gpu.upload(&order),
                output: gpu.output(solids.len()),
                cells: gpu.output(solids.len()),
            };
            gpu.launch(&arranged);
            let solids: Vec<Solid> = order.iter().map(|&number| solids[number as usize]).collect();
            gpu.expect(arranged.output, &solids);
            gpu.expect(arranged.cells, &map(solids.len(), |index| solids[index].cell));

            voxels.sort_by_key(|voxel| (voxel.cell, voxel.code));
            let codes: Vec<u32> = voxels.iter().map(|voxel| voxel.code).collect();
            let groups: Vec<u32> = voxels.iter().map(|voxel| voxel.cell).collect();
            let starts = map(cells + 1, |cell| pieces::first_of_cell(&groups, cell));
            let solid_cells: Vec<u32> = solids.iter().map(|solid| solid.cell).collect();
            let solid_starts = map(cells + 1, |cell| pieces::first_of_cell(&solid_cells, cell));
            let host = Voxels { codes: &codes, groups: &groups, starts: &starts };
            let labels: Vec<AtomicU32> = (0..codes.len() as u32).map(AtomicU32::new).collect();
            for index in 0..codes.len() {
                islands::label(&host, islands::neighbour_bits(&host, index), &labels, index);
            }
            let labels = map(codes.len(), |index| islands::flatten(&labels, index));

            let parents = gpu.output::<u32>(solids.len() + labels.len());
            gpu.launch(&island_arguments::LinkSolids { labels: gpu.upload(&labels), parents });
            let first = solids.len() as u32;
            let linked: Vec<u32> = (0..first).chain(labels.iter().map(|label| first + label)).collect();
            gpu.expect(parents, &linked);
            gpu.launch(&island_arguments::JoinSolids {
                voxels: island_arguments::Voxels {
                    codes: gpu.upload(&codes),
                    groups: gpu.upload(&groups),
                    starts: gpu.upload(&starts),
                },
                solids: arranged.output.read_only(),
                solid_starts: gpu.upload(&solid_starts),
                levels: 4,
                parents: parents.shared(),
            });
            gpu.launch(&island_arguments::Flatten { labels: parents.shared() });
            let joined: Vec<AtomicU32> = linked.into_iter().map(AtomicU32::new).collect();
            let inside = Solids { list: &solids, starts: &solid_starts };
            (0..joined.len()).for_each(|index| islands::join_solids(&host, &inside, 4, &joined, index));
            let joined = map(joined.len(), |index| islands::flatten(&joined, index));
            gpu.expect(parents, &joined);
            let output = gpu.output(labels.len());
            gpu.launch(&island_arguments::UnlinkSolids { parents: parents.read_only(), labels: output });
            let joined: Vec<u32> = joined[solids.len()..].iter().map(|label| label - first).collect();
            gpu.expect(output, &joined);

            let islands =
                |labels: &[u32]| (0..).zip(labels).filter(|&(index, &label): &(u32, _)| index == label).count();
            assert!(count > 1 || (islands(&labels), islands(&joined)) == (2, 1));
        }
    });
}
