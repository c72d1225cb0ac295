//! Scans, sorts and islands.

use std::collections::HashMap;

use fracas::device::{Backend, Cpu, Scan};
use fracas::random::Random;
use fracas_kernels::morton;
use fracas_kernels::scan::Segmented;

use super::Effort;

/// Around a warp, a block and a tile, and what is no multiple of anything.
const SIZES: [usize; 14] = [0, 1, 31, 32, 33, 255, 256, 257, 1234, 2047, 2048, 2049, 20_000, 200_000];

/// The ways in which lists of a size are made: of large ones, an emulated device is asked the first alone.
fn ways<T>(all: &[T], size: usize, effort: Effort) -> &[T] {
    if effort == Effort::Short && size > 5000 { &all[..1] } else { all }
}

const KINDS: [Scan; 2] = [Scan::Inclusive, Scan::Exclusive];

pub(crate) fn scans(device: &impl Backend, effort: Effort) {
    for size in SIZES {
        let mut random = Random::new(size as u64);
        let elements: Vec<u32> = (0..size).map(|_| random.next_u64() as u32).collect();
        for &kind in ways(&KINDS, size, effort) {
            assert!(device.scan(&elements, kind) == Cpu.scan(&elements, kind), "{size} {kind:?}");
        }
    }
}

pub(crate) fn segmented_scans(device: &impl Backend, effort: Effort) {
    for size in SIZES {
        // Many segments of one or two elements, one giant one, segments of all lengths, and single elements.
        for &heads in ways(&[2, u64::MAX, 100, 1], size, effort) {
            let mut random = Random::new(size as u64);
            let mut element = || Segmented {
                head: u32::from(random.next_u64().is_multiple_of(heads)),
                value: random.next_u64() as u32,
            };
            let elements: Vec<Segmented> = (0..size).map(|_| element()).collect();
            for kind in KINDS {
                let expected = Cpu.scan_segments(&elements, kind);
                assert!(device.scan_segments(&elements, kind) == expected, "{size} {heads} {kind:?}");
            }
        }
    }
}

pub(crate) fn sorts(device: &impl Backend, effort: Effort) {
    for size in SIZES {
        // Some bits, all of them, few, and all keys the same.
        for &bits in ways(&[20, 64, 3, 0], size, effort) {
            let mut random = Random::new(size as u64);
            let mask = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
            let keys: Vec<u64> = (0..size).map(|_| random.next_u64() & mask).collect();
            assert!(device.sort(&keys) == Cpu.sort(&keys), "{size} keys of {bits} bits");
        }
    }
}

/// Voxels of some groups, now and then two with the same code; the second group is empty.
fn voxels(size: usize, spread: u64) -> (Vec<u32>, Vec<u32>) {
    let mut random = Random::new(size as u64);
    let mut coordinate = || (random.next_u64() % spread) as u32;
    let mut pairs: Vec<(u32, u32)> = (0..size)
        .map(|number| (2 * (number as u32 % 3), morton::encode_30(coordinate(), coordinate(), coordinate())))
        .collect();
    pairs.sort_unstable();
    let (groups, codes) = pairs.into_iter().unzip();
    (codes, groups)
}

pub(crate) fn islands(device: &impl Backend, effort: Effort) {
    for size in SIZES {
        let side = (size as f64).cbrt();
        // Many islands, one, and as many as there are voxels.
        for &spread in ways(&[1.4 * side, 0.7 * side, 4.0 * side], size, effort) {
            let (codes, groups) = voxels(size, (spread as u64).clamp(1, 1024));
            assert!(device.islands(&codes, &groups) == Cpu.islands(&codes, &groups), "{size} {spread}");
        }
    }
}

#[test]
fn the_cpu_scans_and_sorts_as_a_loop_does() {
    let mut random = Random::new(3);
    let elements: Vec<Segmented> = (0..1234)
        .map(|_| Segmented { head: u32::from(random.next_u64().is_multiple_of(9)), value: random.next_u64() as u32 })
        .collect();
    let (mut sum, mut inclusive, mut exclusive) = (0u32, Vec::new(), Vec::new());
    for element in &elements {
        sum = if element.head != 0 { 0 } else { sum };
        exclusive.push(sum);
        sum = sum.wrapping_add(element.value);
        inclusive.push(sum);
    }
    assert_eq!(Cpu.scan_segments(&elements, Scan::Inclusive).unwrap(), inclusive);
    assert_eq!(Cpu.scan_segments(&elements, Scan::Exclusive).unwrap(), exclusive);
    assert_eq!(Cpu.scan(&[3, 4, u32::MAX], Scan::Inclusive).unwrap(), [3, 7, 6]);
    assert_eq!(Cpu.scan(&[3, 4, 5], Scan::Exclusive).unwrap(), [0, 3, 7]);
    assert_eq!(Cpu.sort(&[7, 1, 7, 0]).unwrap(), (vec![0, 1, 7, 7], vec![3, 1, 0, 2]));
}

#[test]
fn the_cpu_finds_islands_as_a_flood_does() {
    let (codes, groups) = voxels(700, 12);
    let mut by_place: HashMap<(u32, [i32; 3]), Vec<usize>> = HashMap::new();
    let place = |voxel: usize| morton::decode_30(codes[voxel]).map(|coordinate| coordinate as i32);
    for (voxel, &group) in groups.iter().enumerate() {
        by_place.entry((group, place(voxel))).or_default().push(voxel);
    }
    let mut labels = vec![u32::MAX; codes.len()];
    // From the last voxel down, so that the first to come to an island is its largest.
    for start in (0..codes.len()).rev() {
        let mut reached = if labels[start] == u32::MAX { vec![start] } else { Vec::new() };
        while let Some(voxel) = reached.pop() {
            if labels[voxel] != u32::MAX {
                continue;
            }
            labels[voxel] = start as u32;
            let [x, y, z] = place(voxel);
            for step in 0..27 {
                let beside = [x + step % 3 - 1, y + step / 3 % 3 - 1, z + step / 9 - 1];
                reached.extend(by_place.get(&(groups[voxel], beside)).into_iter().flatten());
            }
        }
    }
    assert_eq!(Cpu.islands(&codes, &groups).unwrap(), labels);
}
