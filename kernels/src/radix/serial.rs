//! The work of a block on one thread: the same tables and places as those of [`radix`](super), for the host.

use super::{DIGITS, Key};
use crate::block::{TILE, tiles};
use crate::scan::of_chunk;

/// Calls back with places in the table and how many keys of the tile each stands for.
pub fn count<K: Key>(keys: &[K], shift: u32, tile: usize, mut write: impl FnMut(usize, u32)) {
    let mut counts = [0; DIGITS];
    for key in of_chunk(keys, TILE, tile) {
        counts[key.digit(shift) as usize] += 1;
    }
    for (digit, count) in counts.into_iter().enumerate() {
        write(digit * tiles(keys.len()) + tile, count);
    }
}

/// Calls back with the place of each key of the tile, itself and where it goes.
pub fn scatter<K: Key>(keys: &[K], shift: u32, starts: &[u32], tile: usize, mut write: impl FnMut(usize, K, usize)) {
    let mut next: [u32; DIGITS] = core::array::from_fn(|digit| starts[digit * tiles(keys.len()) + tile]);
    for (place, &key) in (tile * TILE..).zip(of_chunk(keys, TILE, tile)) {
        let next = &mut next[key.digit(shift) as usize];
        write(place, key, *next as usize);
        *next += 1;
    }
}
