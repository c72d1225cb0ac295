//! Segmented sums in three launches that share nothing but their lists.
//!
//! ```text
//! elements  | a b c d | e f g h | i j      a thread for each chunk
//! totals    |    T    |    U    |  V       1. reduce
//! scanned   |    T    |   T+U   | T+U+V    2. inclusive over the totals, by this same scan or by one thread
//! sums      | a a+b ..| T+e ... | ...      3. inclusive or exclusive
//! ```
//!
//! `+` is [`Segmented::combine`], so a sum starts again at each head. Elements without heads make a plain scan. Sums
//! wrap around at 2^32.
//!
//! Neighbouring threads read elements far from each other here, which a device is slow at; [`tile`] is the same by blocks.

#[cfg(any(test, feature = "native"))]
pub mod serial;
pub mod tile;

use bytemuck::{Pod, Zeroable};

/// A value, and whether a segment starts with it; or what a run of such elements comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Segmented {
    /// Not 0 if a segment starts here, or anywhere in the run.
    pub head: u32,
    /// The value, or the sum of the run's last segment.
    pub value: u32,
}

const _: () = assert!(size_of::<Segmented>() == 8 && align_of::<Segmented>() == 4);

impl Segmented {
    /// An element that continues its segment; all elements of a plain scan are such.
    #[inline]
    pub const fn value(value: u32) -> Segmented {
        Segmented { head: 0, value }
    }

    /// An element that starts a segment.
    #[inline]
    pub const fn head(value: u32) -> Segmented {
        Segmented { head: 1, value }
    }

    /// What this run and the next one come to together. Associative; the default is neutral on either side.
    #[inline]
    pub const fn combine(self, next: Segmented) -> Segmented {
        let before = if next.head != 0 { 0 } else { self.value };
        Segmented { head: self.head | next.head, value: before.wrapping_add(next.value) }
    }
}

/// How many chunks, and threads, so many elements need.
#[inline]
pub const fn chunks(elements: usize, chunk: usize) -> usize {
    elements.div_ceil(chunk)
}

/// One thread for each chunk of `chunk` elements, two or more: what the chunk comes to.
#[inline]
pub fn reduce(elements: &[Segmented], chunk: usize, index: usize) -> Segmented {
    let mut total = Segmented::default();
    for &element in of_chunk(elements, chunk, index) {
        total = total.combine(element);
    }
    total
}

/// One thread for each chunk: the sum of each element's segment up to and with the element, into the chunk's part of the
/// output. `scanned_totals` is the inclusive scan of what [`reduce`] returned.
#[inline]
pub fn inclusive(elements: &[Segmented], scanned_totals: &[u32], chunk: usize, index: usize, output: &mut [u32]) {
    let mut sum = carry(scanned_totals, index);
    for (&element, out) in of_chunk(elements, chunk, index).iter().zip(output) {
        sum = sum.combine(element);
        *out = sum.value;
    }
}

/// One thread for each chunk: the sum of each element's segment up to but without the element, which is 0 for heads.
/// Everything else is as for [`inclusive`].
#[inline]
pub fn exclusive(elements: &[Segmented], scanned_totals: &[u32], chunk: usize, index: usize, output: &mut [u32]) {
    let mut sum = carry(scanned_totals, index);
    for (&element, out) in of_chunk(elements, chunk, index).iter().zip(output) {
        *out = if element.head != 0 { 0 } else { sum.value };
        sum = sum.combine(element);
    }
}

/// The elements of a chunk.
#[inline]
pub(crate) fn of_chunk<T>(elements: &[T], chunk: usize, index: usize) -> &[T] {
    let start = index * chunk;
    &elements[start..elements.len().min(start + chunk)]
}

/// What comes to a chunk from those before it.
#[inline]
fn carry(scanned_totals: &[u32], index: usize) -> Segmented {
    Segmented::value(if index == 0 { 0 } else { scanned_totals[index - 1] })
}

#[cfg(test)]
pub(crate) mod tests {
    extern crate std;

    use std::vec;
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;
    use crate::launch::{ORDERS, Order};

    type Sum = fn(&[Segmented], &[u32], usize, usize, &mut [u32]);

    /// All launches of a scan; the totals are scanned in the same way until one chunk is left.
    fn scan(elements: &[Segmented], chunk: usize, order: Order, sum: Sum) -> Vec<u32> {
        let threads = chunks(elements.len(), chunk);
        let totals = order.map(threads, |index| reduce(elements, chunk, index));
        let scanned_totals = if threads > 1 { scan(&totals, chunk, order, inclusive) } else { vec![] };
        let mut output = vec![u32::MAX; elements.len()];
        let mut parts: Vec<&mut [u32]> = output.chunks_mut(chunk).collect();
        for index in order.indices(threads) {
            sum(elements, &scanned_totals, chunk, index, parts[index]);
        }
        output
    }

    /// What the octree builder and the discretisation number their elements by.
    pub(crate) fn inclusive_scan(elements: &[Segmented], order: Order) -> Vec<u32> {
        scan(elements, 5, order, inclusive)
    }

    pub(crate) fn exclusive_scan(elements: &[Segmented], order: Order) -> Vec<u32> {
        scan(elements, 5, order, exclusive)
    }

    /// The oracle: the loop that a scan replaces.
    pub(crate) fn serial(elements: &[Segmented]) -> (Vec<u32>, Vec<u32>) {
        let mut sum = 0u32;
        let pairs = elements.iter().map(|element| {
            if element.head != 0 {
                sum = 0;
            }
            let before = sum;
            sum = sum.wrapping_add(element.value);
            (sum, before)
        });
        pairs.unzip()
    }

    fn element() -> impl Strategy<Value = Segmented> {
        (prop_oneof![5 => Just(0), 1 => 1..9u32], prop_oneof![9 => 0..100u32, 1 => any::<u32>()])
            .prop_map(|(head, value)| Segmented { head, value })
    }

    fn check(elements: &[Segmented], chunk: usize) {
        let (inclusive_sums, exclusive_sums) = serial(elements);
        for order in ORDERS {
            assert_eq!(scan(elements, chunk, order, inclusive), inclusive_sums);
            assert_eq!(scan(elements, chunk, order, exclusive), exclusive_sums);
        }
    }

    proptest! {
        #[test]
        fn scans_are_the_serial_loop(elements in prop::collection::vec(element(), 0..700), chunk in 2..90usize) {
            check(&elements, chunk);
        }

        #[test]
        fn combining_is_associative(first in element(), second in element(), third in element()) {
            let left = first.combine(second).combine(third);
            let right = first.combine(second.combine(third));
            prop_assert_eq!((left.head != 0, left.value), (right.head != 0, right.value));
            prop_assert_eq!(Segmented::default().combine(first), first);
            prop_assert_eq!(first.combine(Segmented::default()), first);
        }
    }

    #[test]
    fn lengths_around_a_chunk_and_plain_scans() {
        for length in [0, 1, 2, 63, 64, 65, 1234, 4096, 4097] {
            check(&vec![Segmented::value(3); length], 64);
            check(&vec![Segmented::head(3); length], 64);
        }
    }
}
