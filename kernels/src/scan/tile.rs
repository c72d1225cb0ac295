//! Scans by blocks, the form for devices: the launches are those of [`scan`](crate::scan), with a block for each tile
//! instead of a thread for each chunk.
//!
//! ```text
//! tile       warp 0: rows of 32 | warp 1: rows of 32 | ...   loaded and stored row by row, a lane for each element
//! row        each lane gets the sum of the lanes up to it by five shuffles; the last lane's goes into the next row
//! block      the sums of the warps, in shared memory; each warp adds those before it
//! ```
//!
//! The launches: [`reduce`] for each tile; the inclusive scan of what it returned, by this same scan; [`inclusive`] or
//! [`exclusive`] for each tile. A list of one tile needs the last launch only.

use core::sync::atomic::Ordering::Relaxed;

use super::Segmented;
use crate::block::{Block, LANES, ROWS, Shared, WARPS};

/// Words of shared memory that a block needs.
pub const SHARED: usize = 2 * WARPS;

/// What can be scanned: plain numbers, or [`Segmented`] ones.
pub trait Element: Copy + Default {
    /// What two runs come to together.
    fn combine(self, next: Self) -> Self;

    /// The sum of the last segment.
    fn sum(self) -> u32;

    /// Whether a segment starts here, so that nothing comes from before.
    fn is_head(self) -> bool;

    /// A run that ends with a sum.
    fn carried(sum: u32) -> Self;

    /// The two words of an element.
    fn words(self) -> [u32; 2];

    /// The element of two words.
    fn from_words(words: [u32; 2]) -> Self;

    /// Both words by way of a function; only those that mean something.
    fn map(self, each: impl Fn(u32) -> u32) -> Self;
}

impl Element for u32 {
    #[inline]
    fn combine(self, next: u32) -> u32 {
        self.wrapping_add(next)
    }

    #[inline]
    fn sum(self) -> u32 {
        self
    }

    #[inline]
    fn is_head(self) -> bool {
        false
    }

    #[inline]
    fn carried(sum: u32) -> u32 {
        sum
    }

    #[inline]
    fn words(self) -> [u32; 2] {
        [0, self]
    }

    #[inline]
    fn from_words(words: [u32; 2]) -> u32 {
        words[1]
    }

    #[inline]
    fn map(self, each: impl Fn(u32) -> u32) -> u32 {
        each(self)
    }
}

impl Element for Segmented {
    #[inline]
    fn combine(self, next: Segmented) -> Segmented {
        Segmented::combine(self, next)
    }

    #[inline]
    fn sum(self) -> u32 {
        self.value
    }

    #[inline]
    fn is_head(self) -> bool {
        self.head != 0
    }

    #[inline]
    fn carried(sum: u32) -> Segmented {
        Segmented::value(sum)
    }

    #[inline]
    fn words(self) -> [u32; 2] {
        [self.head, self.value]
    }

    #[inline]
    fn from_words([head, value]: [u32; 2]) -> Segmented {
        Segmented { head, value }
    }

    #[inline]
    fn map(self, each: impl Fn(u32) -> u32) -> Segmented {
        Segmented { head: each(self.head), value: each(self.value) }
    }
}

/// A block for each tile: what the tile comes to, to each thread of it.
#[inline]
pub fn reduce<E: Element>(block: &impl Block, shared: &Shared, elements: &[E], tile: usize) -> E {
    let rows = of_warp(block, elements, tile);
    share(block, shared, rows[ROWS - 1]);
    before(shared, WARPS)
}

/// A block for each tile: calls back with each element's place and the sum of its segment up to and with the element.
/// `scanned_totals` is the inclusive scan of what [`reduce`] returned for all tiles.
#[inline]
pub fn inclusive<E: Element>(
    block: &impl Block,
    shared: &Shared,
    elements: &[E],
    scanned_totals: &[u32],
    tile: usize,
    mut write: impl FnMut(usize, u32),
) {
    let rows = of_warp(block, elements, tile);
    share(block, shared, rows[ROWS - 1]);
    let carry = carry::<E>(scanned_totals, tile).combine(before(shared, block.warp()));
    for (row, &sum) in rows.iter().enumerate() {
        let place = block.place(tile, row);
        if place < elements.len() {
            write(place, carry.combine(sum).sum());
        }
    }
}

/// A block for each tile: the sum of each element's segment up to but without the element, which is 0 for heads.
/// Everything else is as for [`inclusive`].
#[inline]
pub fn exclusive<E: Element>(
    block: &impl Block,
    shared: &Shared,
    elements: &[E],
    scanned_totals: &[u32],
    tile: usize,
    mut write: impl FnMut(usize, u32),
) {
    let rows = of_warp(block, elements, tile);
    share(block, shared, rows[ROWS - 1]);
    let carry = carry::<E>(scanned_totals, tile).combine(before(shared, block.warp()));
    let mut last = E::default();
    for (row, &sum) in rows.iter().enumerate() {
        let place = block.place(tile, row);
        // The lane before has it; for the first lane, the last one of the row before.
        let shifted = sum.map(|word| block.shuffle_up(word, 1));
        let sum_before = if block.lane() == 0 { last } else { shifted };
        last = sum.map(|word| block.shuffle(word, LANES - 1));
        if let Some(element) = elements.get(place) {
            write(place, if element.is_head() { 0 } else { carry.combine(sum_before).sum() });
        }
    }
}

/// For each row, the sum of the warp's elements up to the thread's.
#[inline]
fn of_warp<E: Element>(block: &impl Block, elements: &[E], tile: usize) -> [E; ROWS] {
    let mut rows = [E::default(); ROWS];
    // All loads first: they do not wait for each other.
    for (row, element) in rows.iter_mut().enumerate() {
        *element = elements.get(block.place(tile, row)).copied().unwrap_or_default();
    }
    let mut last = E::default();
    for row in &mut rows {
        let mut sum = *row;
        let mut lanes = 1;
        while lanes < LANES {
            let other = sum.map(|word| block.shuffle_up(word, lanes));
            if block.lane() >= lanes {
                sum = other.combine(sum);
            }
            lanes *= 2;
        }
        *row = last.combine(sum);
        last = row.map(|word| block.shuffle(word, LANES - 1));
    }
    rows
}

/// Lets the block know what each warp comes to.
#[inline]
fn share<E: Element>(block: &impl Block, shared: &Shared, sum: E) {
    if block.lane() == LANES - 1 {
        let [head, value] = sum.words();
        shared[2 * block.warp()].store(head, Relaxed);
        shared[2 * block.warp() + 1].store(value, Relaxed);
    }
    block.barrier();
}

/// What the first so many warps come to.
#[inline]
fn before<E: Element>(shared: &Shared, warps: usize) -> E {
    let mut sum = E::default();
    for warp in 0..warps {
        sum = sum.combine(E::from_words([shared[2 * warp].load(Relaxed), shared[2 * warp + 1].load(Relaxed)]));
    }
    sum
}

/// What comes to a tile from those before it.
#[inline]
pub(super) fn carry<E: Element>(scanned_totals: &[u32], tile: usize) -> E {
    if tile == 0 { E::default() } else { E::carried(scanned_totals[tile - 1]) }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::sync::atomic::AtomicU32;
    use std::vec::Vec;

    use super::*;
    use crate::block::{TILE, host, tiles};
    use crate::launch::{ORDERS, Order};
    use crate::scan::serial as alone;
    use crate::scan::tests::serial;

    type Kind<E> = fn(&host::HostThread<'_>, &Shared, &[E], &[u32], usize, &mut dyn FnMut(usize, u32));

    fn scan<E: Element + Sync>(elements: &[E], order: Order, kind: Kind<E>) -> Vec<u32> {
        let count = tiles(elements.len());
        let totals: Vec<[AtomicU32; 2]> = (0..count).map(|_| Default::default()).collect();
        order.launch(count, |tile| {
            host::run(SHARED, |block, shared| {
                let total = reduce(block, shared, elements, tile).words();
                (0..2).for_each(|word| totals[tile][word].store(total[word], Relaxed));
            });
        });
        let mut carry = E::default();
        let scanned = totals.iter().map(|total| {
            carry = carry.combine(E::from_words([total[0].load(Relaxed), total[1].load(Relaxed)]));
            carry.sum()
        });
        let scanned: Vec<u32> = scanned.collect();
        let output: Vec<AtomicU32> = elements.iter().map(|_| AtomicU32::new(77)).collect();
        order.launch(count, |tile| {
            host::run(SHARED, |block, shared| {
                kind(block, shared, elements, &scanned, tile, &mut |place, sum| output[place].store(sum, Relaxed));
            });
        });
        output.into_iter().map(AtomicU32::into_inner).collect()
    }

    fn elements(length: usize, heads: u32) -> Vec<Segmented> {
        let mut state = 1u32;
        let mut next = |limit: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % limit
        };
        (0..length).map(|_| Segmented { head: u32::from(next(heads) == 0), value: next(1 << 24) * 256 }).collect()
    }

    fn check(length: usize, heads: u32, orders: &[Order]) {
        let elements = elements(length, heads);
        let plain: Vec<u32> = elements.iter().map(|element| element.value).collect();
        let without: Vec<Segmented> = plain.iter().map(|&value| Segmented::value(value)).collect();
        let (inclusive_sums, exclusive_sums) = serial(&elements);
        for &order in orders {
            let found = scan(&elements, order, |block, shared, list, totals, tile, write| {
                inclusive(block, shared, list, totals, tile, write);
            });
            assert_eq!(found, inclusive_sums, "{length} {order:?}");
            let found = scan(&elements, order, |block, shared, list, totals, tile, write| {
                exclusive(block, shared, list, totals, tile, write);
            });
            assert_eq!(found, exclusive_sums, "{length} {order:?}");
            let found = scan(&plain, order, |block, shared, list, totals, tile, write| {
                exclusive(block, shared, list, totals, tile, write);
            });
            assert_eq!(found, serial(&without).1, "{length} {order:?}");
        }
        check_one_thread(&elements, &inclusive_sums, &exclusive_sums);
    }

    /// One thread for each tile, as the host has it.
    fn check_one_thread(elements: &[Segmented], inclusive_sums: &[u32], exclusive_sums: &[u32]) {
        let mut carry = Segmented::default();
        let mut totals: Vec<u32> = Vec::new();
        for tile in 0..tiles(elements.len()) {
            alone::inclusive(elements, &totals, tile, |place, sum| assert_eq!(sum, inclusive_sums[place]));
            alone::exclusive(elements, &totals, tile, |place, sum| assert_eq!(sum, exclusive_sums[place]));
            carry = carry.combine(alone::reduce(elements, tile));
            totals.push(carry.value);
        }
    }

    #[test]
    fn tiles_give_the_sums_of_a_loop() {
        // A thread of the host for each of the block takes its time, so not all orders of all lengths.
        for length in [0, 1, 33, TILE] {
            check(length, 100, &ORDERS[2..3]);
        }
        check(TILE + 77, 100, &ORDERS);
        // Heads everywhere, and hardly any.
        check(300, 2, &ORDERS[1..2]);
        check(TILE + 1, 5000, &ORDERS[1..2]);
    }
}
