//! The radix sort.

use fracas_kernels::arguments::radix as arguments;
use fracas_kernels::block::tiles;
use fracas_kernels::radix::{DIGIT_BITS, DIGITS, passes};

use super::gpu::{Gpu, Random, in_every_way};
use super::scan::plain;

/// All launches of a sort, as a host would order them.
macro_rules! sort {
    ($name:ident, $key:ty, $count:ident, $scatter:ident) => {
        pub(crate) fn $name(gpu: &Gpu, keys: &[$key], bits: u32) -> (Vec<$key>, Vec<u32>) {
            let (mut keys, values) = (gpu.upload_mut(keys), gpu.output(keys.len()));
            gpu.launch(&arguments::Sequence { values });
            let mut values = values;
            for pass in 0..passes(bits) {
                let shift = u64::from(pass * DIGIT_BITS);
                let table = gpu.output(DIGITS * tiles(keys.length as usize));
                gpu.launch(&arguments::$count { keys: keys.read_only(), shift, table });
                let next = arguments::$scatter {
                    keys: keys.read_only(),
                    values: values.read_only(),
                    shift,
                    starts: plain(gpu, table.read_only(), false).read_only(),
                    sorted_keys: gpu.output(keys.length as usize),
                    sorted_values: gpu.output(keys.length as usize),
                };
                gpu.launch(&next);
                (keys, values) = (next.sorted_keys, next.sorted_values);
            }
            (gpu.download(keys), gpu.download(values))
        }
    };
}

sort!(sort_32, u32, Count32, Scatter32);
sort!(sort_64, u64, Count64, Scatter64);

/// The host's stable sort.
fn expected<K: Ord + Copy>(keys: &[K]) -> (Vec<K>, Vec<u32>) {
    let mut pairs: Vec<(K, u32)> = keys.iter().copied().zip(0..).collect();
    pairs.sort_by_key(|pair| pair.0);
    pairs.into_iter().unzip()
}

#[test]
fn sorts_as_the_stable_sort_of_the_host_does() {
    in_every_way(|gpu| {
        for size in gpu.sizes().chain([2048, 2049]) {
            let mut random = Random(size as u64);
            let bits = if size < 1000 { 64 } else { 22 };
            let mut next = || u64::from(random.below(1 << 31)) << 33 | u64::from(random.below(1 << 31)) << 2;
            let keys: Vec<u64> = (0..size).map(|_| next() >> (64 - bits)).collect();
            assert!(sort_64(gpu, &keys, bits) == expected(&keys), "{size}");
            let keys: Vec<u32> = keys.iter().map(|&key| key as u32 & 0x3ffff).collect();
            assert!(sort_32(gpu, &keys, 18) == expected(&keys), "{size}");
        }
    });
}

#[test]
fn equal_keys_stay_in_their_order() {
    in_every_way(|gpu| {
        for keys in [vec![7u64; 3000], (0..3000).map(|index| index % 3).collect()] {
            assert!(sort_64(gpu, &keys, 3) == expected(&keys));
        }
    });
}
