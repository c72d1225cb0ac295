//! Islands of voxels.

use std::sync::atomic::AtomicU32;

use fracas_kernels::arguments::islands as arguments;
use fracas_kernels::islands::{self, Voxels};

use super::gpu::{Gpu, Random, in_every_way, map};

/// Voxels of some groups, now and then two with the same code.
struct Owned {
    codes: Vec<u32>,
    groups: Vec<u32>,
    starts: Vec<u32>,
}

impl Owned {
    fn new(size: usize) -> Owned {
        const GROUPS: u32 = 5;
        let mut random = Random(size as u64);
        let mut voxels = map(size, |_| (0, 0));
        // Sparse enough for many islands, and the middle group is empty.
        voxels.iter_mut().for_each(|voxel| *voxel = (2 * random.below(3), random.below(2 * size as u32)));
        voxels.sort_unstable();
        let starts = (0..=GROUPS).map(|group| voxels.partition_point(|voxel| voxel.0 < group) as u32).collect();
        let (groups, codes) = voxels.into_iter().unzip();
        Owned { codes, groups, starts }
    }

    fn voxels(&self) -> Voxels<'_> {
        Voxels { codes: &self.codes, groups: &self.groups, starts: &self.starts }
    }

    fn upload(&self, gpu: &Gpu) -> arguments::Voxels {
        arguments::Voxels {
            codes: gpu.upload(&self.codes),
            groups: gpu.upload(&self.groups),
            starts: gpu.upload(&self.starts),
        }
    }

    fn bits(&self) -> Vec<u16> {
        map(self.codes.len(), |index| islands::neighbour_bits(&self.voxels(), index))
    }

    fn labels(&self, bits: &[u16]) -> Vec<u32> {
        let labels: Vec<AtomicU32> = (0..self.codes.len() as u32).map(AtomicU32::new).collect();
        (0..labels.len()).for_each(|index| islands::label(&self.voxels(), bits[index], &labels, index));
        map(labels.len(), |index| islands::flatten(&labels, index))
    }
}

#[test]
fn both_ways_to_the_labels() {
    in_every_way(|gpu| {
        for size in gpu.sizes() {
            let owned = Owned::new(size);
            let (voxels, expected_bits) = (owned.upload(gpu), owned.bits());
            let expected = owned.labels(&expected_bits);
            let bits = gpu.output(size);
            gpu.launch(&arguments::NeighbourBits { voxels, bits });
            gpu.expect(bits, &expected_bits);

            let labels = gpu.output::<u32>(size);
            gpu.launch(&arguments::Start { labels });
            gpu.expect(labels, &map(size, |index| index as u32));
            gpu.launch(&arguments::Label { voxels, bits: bits.read_only(), parents: labels.shared() });
            gpu.launch(&arguments::Flatten { labels: labels.shared() });
            gpu.expect(labels, &expected);

            // As many rounds as the longest island is long: too many for the largest size here.
            if size > 2500 {
                continue;
            }
            gpu.launch(&arguments::Start { labels });
            loop {
                let changed = gpu.upload_mut(&[0u32]);
                gpu.launch(&arguments::Propagate { voxels, bits, labels: labels.shared(), changed: changed.shared() });
                gpu.launch(&arguments::Flatten { labels: labels.shared() });
                if gpu.download(changed) == [0] {
                    break;
                }
            }
            gpu.expect(labels, &expected);
        }
    });
}

#[test]
fn ancestors() {
    in_every_way(|gpu| {
        for size in gpu.sizes() {
            let mut random = Random(3);
            let codes: Vec<u32> = (0..size).map(|_| random.below(1 << 30)).collect();
            for levels in [0, 1, 10, 11] {
                let output = gpu.output(size);
                gpu.launch(&arguments::Ancestor { codes: gpu.upload(&codes), levels, output });
                gpu.expect(output, &map(size, |index| islands::ancestor(codes[index], levels as u32)));
            }
        }
    });
}
