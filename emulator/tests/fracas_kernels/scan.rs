//! Scans by tiles.

use fracas_kernels::arguments::scan as arguments;
use fracas_kernels::arguments::{DeviceSlice, DeviceSliceMut};
use fracas_kernels::block::tiles;
use fracas_kernels::scan::{self, Segmented};

use super::gpu::{Gpu, Random, in_every_way};

/// All launches of a plain scan, as a host would order them.
pub(crate) fn plain(gpu: &Gpu, elements: DeviceSlice<u32>, is_inclusive: bool) -> DeviceSliceMut<u32> {
    let output = gpu.output(elements.length as usize);
    let count = tiles(elements.length as usize);
    let mut scanned_totals = DeviceSlice::empty();
    if count > 1 {
        let totals = gpu.output(count);
        gpu.launch(&arguments::Reduce { elements, totals });
        scanned_totals = plain(gpu, totals.read_only(), true).read_only();
    }
    if is_inclusive {
        gpu.launch(&arguments::Inclusive { elements, scanned_totals, output });
    } else {
        gpu.launch(&arguments::Exclusive { elements, scanned_totals, output });
    }
    output
}

fn segmented(gpu: &Gpu, elements: DeviceSlice<Segmented>, is_inclusive: bool) -> DeviceSliceMut<u32> {
    let output = gpu.output(elements.length as usize);
    let count = tiles(elements.length as usize);
    let mut scanned_totals = DeviceSlice::empty();
    if count > 1 {
        let totals = gpu.output(count);
        gpu.launch(&arguments::ReduceSegments { elements, totals });
        scanned_totals = segmented(gpu, totals.read_only(), true).read_only();
    }
    if is_inclusive {
        gpu.launch(&arguments::InclusiveSegments { elements, scanned_totals, output });
    } else {
        gpu.launch(&arguments::ExclusiveSegments { elements, scanned_totals, output });
    }
    output
}

/// One chunk of the host's own scan.
fn expected(elements: &[Segmented]) -> [Vec<u32>; 2] {
    let mut sums = [vec![0; elements.len()], vec![0; elements.len()]];
    if !elements.is_empty() {
        scan::inclusive(elements, &[], elements.len(), 0, &mut sums[0]);
        scan::exclusive(elements, &[], elements.len(), 0, &mut sums[1]);
    }
    sums
}

#[test]
fn sums_of_plain_and_of_segmented_lists() {
    in_every_way(|gpu| {
        // Around a tile too.
        for size in gpu.sizes().chain([2047, 2048, 2049, 5000]) {
            for heads in [1 << 31, 40] {
                let mut random = Random(size as u64);
                let elements: Vec<Segmented> = (0..size)
                    .map(|_| Segmented { head: u32::from(random.below(heads) == 0), value: random.below(1 << 31) })
                    .collect();
                let [inclusive, exclusive] = expected(&elements);
                gpu.expect(segmented(gpu, gpu.upload(&elements), true), &inclusive);
                gpu.expect(segmented(gpu, gpu.upload(&elements), false), &exclusive);
                let values: Vec<u32> = elements.iter().map(|element| element.value).collect();
                let without: Vec<Segmented> = values.iter().map(|&value| Segmented::value(value)).collect();
                let [inclusive, exclusive] = expected(&without);
                gpu.expect(plain(gpu, gpu.upload(&values), true), &inclusive);
                gpu.expect(plain(gpu, gpu.upload(&values), false), &exclusive);
            }
        }
    });
}

#[test]
fn a_warp_loads_and_stores_neighbours() {
    in_every_way(|gpu| {
        let elements = gpu.upload(&vec![1u32; 1 << 15]);
        let totals = gpu.upload(&(1..=16).map(|tile| tile << 11).collect::<Vec<u32>>());
        let output = gpu.output(1 << 15);
        let profile = gpu.launch(&arguments::Inclusive { elements, scanned_totals: totals, output });
        // 32 numbers of four bytes are four sectors; one number for all, as the total is, is one.
        assert!(profile.sectors_per_request() <= 4.0, "{}", profile.sectors_per_request());
        gpu.expect(output, &(1..=1 << 15).collect::<Vec<u32>>());
    });
}
