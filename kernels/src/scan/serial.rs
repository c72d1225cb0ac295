//! The work of a block on one thread: the same sums as those of [`tile`](super::tile), for the host.

use super::of_chunk;
use super::tile::{Element, carry};
use crate::block::TILE;

/// What the tile comes to.
pub fn reduce<E: Element>(elements: &[E], tile: usize) -> E {
    of_chunk(elements, TILE, tile).iter().fold(E::default(), |sum, &element| sum.combine(element))
}

/// Calls back with each element's place and the sum of its segment up to and with the element.
pub fn inclusive<E: Element>(elements: &[E], scanned_totals: &[u32], tile: usize, mut write: impl FnMut(usize, u32)) {
    let mut sum: E = carry(scanned_totals, tile);
    for (place, &element) in (tile * TILE..).zip(of_chunk(elements, TILE, tile)) {
        sum = sum.combine(element);
        write(place, sum.sum());
    }
}

/// Calls back with each element's place and the sum of its segment up to but without the element, which is 0 for heads.
pub fn exclusive<E: Element>(elements: &[E], scanned_totals: &[u32], tile: usize, mut write: impl FnMut(usize, u32)) {
    let mut sum: E = carry(scanned_totals, tile);
    for (place, &element) in (tile * TILE..).zip(of_chunk(elements, TILE, tile)) {
        write(place, if element.is_head() { 0 } else { sum.sum() });
        sum = sum.combine(element);
    }
}
