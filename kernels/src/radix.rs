//! A stable sort of keys with their values, by digits of eight bits, the lowest first.
//!
//! The launches, for each digit that the keys differ in ([`passes`] says how many there are):
//!
//! 1. [`count`] for each tile: how often each digit occurs in it, into a table with all tiles of digit 0 first;
//! 2. the plain exclusive [scan](crate::scan::tile) of the table: where the keys of each digit and tile go;
//! 3. [`scatter`] for each tile, into other lists.
//!
//! How a tile ranks its keys is that of Onesweep (Adinets and Merrill 2022): the lanes of a warp that have the same digit
//! find each other by one instruction, the first of them raises the warp's own counter for all, and the counters of the
//! warps are scanned when all rows are done. Nothing is compared with anything, and no two warps wait for one counter.

#[cfg(any(test, feature = "native"))]
pub mod serial;

use core::sync::atomic::Ordering::Relaxed;

use crate::block::{Block, ROWS, Shared, THREADS, WARPS, tiles};

/// Bits of a digit.
pub const DIGIT_BITS: u32 = 8;

/// How many digits there are. Each thread of a block has one to itself.
pub const DIGITS: usize = 1 << DIGIT_BITS;

const _: () = assert!(DIGITS == THREADS);

/// Words of shared memory that a block of [`count`] needs.
pub const COUNT_SHARED: usize = DIGITS;

/// Words of shared memory that a block of [`scatter`] needs.
pub const SCATTER_SHARED: usize = WARPS * DIGITS;

/// What a thread without a key has for a digit.
const NO_DIGIT: u32 = DIGITS as u32;

/// How many passes keys need whose bits from `bits` on are all zero.
#[inline]
pub const fn passes(bits: u32) -> u32 {
    bits.div_ceil(DIGIT_BITS)
}

/// A key.
pub trait Key: Copy + Default {
    /// The digit that starts at a bit.
    fn digit(self, shift: u32) -> u32;
}

impl Key for u32 {
    #[inline]
    fn digit(self, shift: u32) -> u32 {
        self >> shift & (NO_DIGIT - 1)
    }
}

impl Key for u64 {
    #[inline]
    fn digit(self, shift: u32) -> u32 {
        (self >> shift) as u32 & (NO_DIGIT - 1)
    }
}

/// A block for each tile: calls back with places in the table and how many keys each stands for.
#[inline]
pub fn count<K: Key>(
    block: &impl Block,
    shared: &Shared,
    keys: &[K],
    shift: u32,
    tile: usize,
    mut write: impl FnMut(usize, u32),
) {
    let own = block.thread();
    shared[own].store(0, Relaxed);
    block.barrier();
    for row in 0..ROWS {
        if let Some(key) = keys.get(block.place(tile, row)) {
            shared[key.digit(shift) as usize].fetch_add(1, Relaxed);
        }
    }
    block.barrier();
    write(own * tiles(keys.len()) + tile, shared[own].load(Relaxed));
}

/// A block for each tile: calls back with the place of each key, itself and where it goes. `starts` is the scan of the table that
/// [`count`] filled.
#[inline]
pub fn scatter<K: Key>(
    block: &impl Block,
    shared: &Shared,
    keys: &[K],
    shift: u32,
    starts: &[u32],
    tile: usize,
    mut write: impl FnMut(usize, K, usize),
) {
    let own = block.thread();
    for warp in 0..WARPS {
        shared[warp * DIGITS + own].store(0, Relaxed);
    }
    let mut list = [K::default(); ROWS];
    for (row, key) in list.iter_mut().enumerate() {
        *key = keys.get(block.place(tile, row)).copied().unwrap_or_default();
    }
    block.barrier();

    let counters = &shared[block.warp() * DIGITS..][..DIGITS];
    let mut ranks = [0; ROWS];
    for (row, rank) in ranks.iter_mut().enumerate() {
        let is_key = block.place(tile, row) < keys.len();
        let digit = if is_key { list[row].digit(shift) } else { NO_DIGIT };
        *rank = rank_in_warp(block, counters, digit);
    }
    block.barrier();

    // Where each warp's keys of a digit go: after those of the warps before.
    let mut next = starts[own * tiles(keys.len()) + tile];
    for warp in 0..WARPS {
        let counter = &shared[warp * DIGITS + own];
        let count = counter.load(Relaxed);
        counter.store(next, Relaxed);
        next += count;
    }
    block.barrier();

    for (row, &rank) in ranks.iter().enumerate() {
        let (key, place) = (list[row], block.place(tile, row));
        if place < keys.len() {
            let start = counters[key.digit(shift) as usize].load(Relaxed);
            write(place, key, (start + rank) as usize);
        }
    }
}

/// How many keys with the thread's digit the warp had before, in this row and in those before it.
#[inline]
fn rank_in_warp(block: &impl Block, counters: &Shared, digit: u32) -> u32 {
    let same = block.same(digit);
    let first = same.trailing_zeros() as usize;
    let mut before = 0;
    if block.lane() == first && digit != NO_DIGIT {
        before = counters[digit as usize].fetch_add(same.count_ones(), Relaxed);
    }
    // The next row's first lane may be another, and it has to find this row's sum.
    block.warp_barrier();
    let lanes_before = (1u32 << block.lane()) - 1;
    block.shuffle(before, first) + (same & lanes_before).count_ones()
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::sync::atomic::{AtomicU32, AtomicU64};
    use std::vec;
    use std::vec::Vec;

    use super::*;
    use crate::block::{TILE, host};
    use crate::launch::{ORDERS, Order};

    /// All launches of a sort; the scan is a loop.
    fn sort(keys: &[u64], bits: u32, order: Order) -> Vec<(u64, u32)> {
        let tiles = tiles(keys.len());
        let mut list: Vec<(u64, u32)> = keys.iter().copied().zip(0..).collect();
        for pass in 0..passes(bits) {
            let shift = pass * DIGIT_BITS;
            let keys: Vec<u64> = list.iter().map(|pair| pair.0).collect();
            let table: Vec<AtomicU32> = (0..DIGITS * tiles).map(|_| AtomicU32::new(99)).collect();
            order.launch(tiles, |tile| {
                host::run(COUNT_SHARED, |block, shared| {
                    count(block, shared, &keys, shift, tile, |place, count| table[place].store(count, Relaxed));
                });
            });
            for tile in 0..tiles {
                serial::count(&keys, shift, tile, |place, count| assert_eq!(table[place].load(Relaxed), count));
            }
            let mut sum = 0;
            let mut starts = vec![];
            for count in table {
                starts.push(sum);
                sum += count.into_inner();
            }
            assert_eq!(sum as usize, keys.len());
            let output: Vec<(AtomicU64, AtomicU32)> = keys.iter().map(|_| Default::default()).collect();
            order.launch(tiles, |tile| {
                host::run(SCATTER_SHARED, |block, shared| {
                    scatter(block, shared, &keys, shift, &starts, tile, |from, key, to| {
                        output[to].0.store(key, Relaxed);
                        // A place that is written twice would show: another one is then left.
                        output[to].1.fetch_add(list[from].1, Relaxed);
                    });
                });
            });
            for tile in 0..tiles {
                serial::scatter(&keys, shift, &starts, tile, |from, key, to| {
                    assert_eq!((output[to].0.load(Relaxed), output[to].1.load(Relaxed)), (key, list[from].1));
                });
            }
            list = output.into_iter().map(|(key, value)| (key.into_inner(), value.into_inner())).collect();
        }
        list
    }

    fn check(keys: &[u64], bits: u32, orders: &[Order]) {
        let mut expected: Vec<(u64, u32)> = keys.iter().copied().zip(0..).collect();
        expected.sort_by_key(|pair| pair.0);
        for &order in orders {
            assert_eq!(sort(keys, bits, order), expected, "{} keys, {order:?}", keys.len());
        }
    }

    fn random(length: usize, mask: u64) -> Vec<u64> {
        let mut state = length as u64;
        let next = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state ^ state >> 29) & mask
        };
        (0..length).map(next).collect()
    }

    #[test]
    fn sorts_as_a_stable_sort_does() {
        // A thread of the host for each of the block takes its time, so not all orders of all lengths.
        for length in [0, 1, 33, 257, TILE] {
            check(&random(length, 0xffff), 16, &ORDERS[2..3]);
        }
        // Few digits, and all bits.
        check(&random(2 * TILE + 5, 0x7), 3, &ORDERS);
        check(&random(300, u64::MAX), 64, &ORDERS[3..]);
    }

    #[test]
    fn equal_and_sorted_keys_stay_where_they_are() {
        check(&vec![u64::MAX; TILE + 9], 64, &ORDERS[3..]);
        let mut keys = random(1234, 0xff_ffff);
        keys.sort_unstable();
        check(&keys, 24, &ORDERS[2..3]);
        keys.reverse();
        check(&keys, 24, &ORDERS[2..3]);
    }

    #[test]
    fn passes_cover_the_bits() {
        assert_eq!([0, 1, 8, 9, 31, 64].map(passes), [0, 1, 1, 2, 4, 8]);
        assert_eq!((0x1234u32.digit(8), 0xab00_0000_0000_0000u64.digit(56)), (0x12, 0xab));
    }
}
