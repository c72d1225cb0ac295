//! Collision points and what they add up to.

use std::sync::atomic::AtomicI32;

use fracas_kernels::arguments::discretise as arguments;
use fracas_kernels::columns::Cell;
use fracas_kernels::discretise::{self, CollisionPoint, Stand, Sums, Surfaces, UNITS};
use fracas_kernels::normal;
use fracas_kernels::touch::Touch;

use super::gpu::{Random, exclusive, in_every_way, inclusive, map};
use super::octree::{Octree, Voxel};
use super::radix::sort_64;

/// Points of a cube with about as many cells, so that some are averaged with others, or of one that is so many times wider.
pub(crate) fn random_points(size: usize, wider: i32) -> Vec<CollisionPoint> {
    let mut random = Random(size as u64);
    let reach = wider * ((size as f64).cbrt() as i32 + 2) * UNITS;
    let point = |_| CollisionPoint {
        // Some lie beyond the lattice.
        position: [0; 3].map(|_: u8| random.between(-300, reach)),
        normal: normal::unpack((random.below(255) | random.below(255) << 8) as u16),
        owner: random.below(5),
        deep: random.below(2),
    };
    (0..size).map(point).collect()
}

/// Points sorted by key, the number of each one's cell, and what each cell adds up to.
pub(crate) fn cells(points: &[CollisionPoint]) -> (Vec<CollisionPoint>, Vec<u32>, Vec<Cell>) {
    let mut sorted = points.to_vec();
    sorted.sort_by_key(discretise::key);
    let keys: Vec<u64> = sorted.iter().map(discretise::key).collect();
    let segments = inclusive(&map(keys.len(), |index| discretise::begins_cell(&keys, index).value));
    let sums: Vec<Sums> = (0..segments.last().map_or(0, |last| last + 1)).map(|_| Sums::default()).collect();
    (0..sorted.len()).for_each(|index| discretise::accumulate(&sorted, &segments, &sums, index));
    let cell = |sums: Sums| Cell {
        position: sums.position.map(AtomicI32::into_inner),
        normal: sums.normal.map(AtomicI32::into_inner),
        count: sums.count.into_inner(),
        deep: sums.deep.into_inner(),
        key: sums.key.into_inner(),
        meeting: sums.meeting.into_inner(),
    };
    (sorted, segments, sums.into_iter().map(cell).collect())
}

#[test]
fn points_are_summed_up_in_their_cells() {
    in_every_way(|gpu| {
        for size in gpu.sizes() {
            let points = random_points(size, 1);
            let on_device = gpu.upload(&points);
            let keys = gpu.output(size);
            gpu.launch(&arguments::PointKey { points: on_device, keys });
            let expected: Vec<u64> = points.iter().map(discretise::key).collect();
            gpu.expect(keys, &expected);

            // The sort of the device is the one that the next kernels get.
            let (sorted_keys, order) = sort_64(gpu, &expected, 33);
            let (sorted, segments, cells) = cells(&points);
            let output = gpu.output(size);
            gpu.launch(&arguments::Arrange { points: on_device, order: gpu.upload(&order), output });
            gpu.expect(output, &sorted);
            let begins = gpu.output(size);
            gpu.launch(&arguments::BeginsCell { keys: gpu.upload(&sorted_keys), begins });
            gpu.expect(begins, &map(size, |index| discretise::begins_cell(&sorted_keys, index).value));

            let sums = gpu.upload_mut(&vec![Cell::default(); cells.len()]);
            let segments = gpu.upload(&segments);
            gpu.launch(&arguments::Accumulate { points: output.read_only(), segments, sums: sums.shared_as() });
            gpu.expect(sums, &cells);
        }
    });
}

#[test]
fn points_of_touched_voxels() {
    in_every_way(|gpu| {
        let octree = Octree::ball(5, 14.0, 4.0);
        let normals = octree.normals();
        let boundary = (0..).zip(&octree.voxels).filter(|(_, voxel)| **voxel == Voxel::Boundary);
        let touch =
            |(attributes, (code, _)): (u32, (u32, _))| Touch { attributes, code, deep: attributes % 3 / 2, sight: 1 };
        let fine: Vec<Touch> = (0..).zip(boundary).map(touch).collect();
        let turn = [[0.6, 0.8, 0.01], [-0.8, 0.6, 0.02], [0.011, -0.019, 0.97]];
        for (level, to_face) in [(5, 0), (5, 1), (4, 1)] {
            let stand = Stand {
                turn,
                corner: [18.3, -4.7, 0.9],
                rotation: turn,
                ways: std::array::from_fn(|eighth| [0, 1, 2].map(|axis| (eighth as i32 >> axis & 1) * 128 - 64)),
                size: 30 * UNITS,
                level,
                to_face,
                nodes: 0,
                normals: 0,
                padding: 0,
            };
            let stands = [stand; 2];
            let surfaces = Surfaces { stands: &stands, nodes: &octree.nodes, normals: &normals };
            for count in [0, 1, 4, 33, fine.len()] {
                // A level up, several voxels become the same, which the kernel does not mind.
                let touches: Vec<Touch> = fine[..count]
                    .iter()
                    .map(|touch| Touch { code: touch.code >> (3 * (5 - level)), ..*touch })
                    .collect();
                let touched = arguments::Touched {
                    stands: gpu.upload(&stands),
                    nodes: gpu.upload(&octree.nodes),
                    normals: gpu.upload(&normals),
                    touches: gpu.upload(&touches),
                };
                let points = map(8 * count, |index| discretise::point(&surfaces, &touches, index));
                let has_point: Vec<u32> = points.iter().map(|point| u32::from(point.is_some())).collect();
                let counts = gpu.output(8 * count);
                gpu.launch(&arguments::HasPoint { touched, counts });
                gpu.expect(counts, &has_point);
                let (starts, total) = exclusive(&has_point);
                let output = gpu.output(total);
                gpu.launch(&arguments::MakePoint { touched, starts: gpu.upload(&starts), points: output });
                let points: Vec<CollisionPoint> = points.into_iter().flatten().collect();
                gpu.expect(output, &points);
                let firsts = gpu.output(3);
                gpu.launch(&arguments::FirstOfSight { points: output.read_only(), firsts });
                gpu.expect(firsts, &map(3, |index| discretise::first_of_sight(&points, index)));
            }
        }
    });
}
