//! Joining corners that stand at the same place, for formats that number no vertices.

use glam::DVec3;
use rayon::prelude::*;

use super::hash::Seeded;
use std::hash::BuildHasher;

/// The corners are dealt into this many heaps by their hash, each small enough for a cache.
const HEAPS: usize = 64;

/// The distinct places of the corners, in the order in which they come up, and the number of each corner's place.
///
/// Places are the same when their coordinates are equal; nothing is joined across a distance.
pub(super) fn join_equal(corners: &[DVec3]) -> (Vec<DVec3>, Vec<u32>) {
    let seeded = Seeded::default();
    // Adding zero turns the negative zero into the positive one, which is equal to it.
    let key = |corner: u32| corners[corner as usize].to_array().map(|coordinate| (coordinate + 0.0).to_bits());
    let hashes: Vec<u64> =
        (0..corners.len() as u32).into_par_iter().map(|corner| seeded.hash_one(key(corner))).collect();
    let heap_of = |hash: u64| (hash >> 58) as usize;
    let mut starts = [0_usize; HEAPS + 1];
    for &hash in &hashes {
        starts[heap_of(hash) + 1] += 1;
    }
    for heap in 0..HEAPS {
        starts[heap + 1] += starts[heap];
    }
    let mut dealt = vec![0_u32; corners.len()];
    let mut next = starts;
    for (corner, &hash) in hashes.iter().enumerate() {
        dealt[next[heap_of(hash)]] = corner as u32;
        next[heap_of(hash)] += 1;
    }
    // In each heap, corners stand in ascending order, so that the first at a place is the first of all.
    let mut firsts = vec![0_u32; corners.len()];
    let mut dealt_heaps = Vec::with_capacity(HEAPS);
    let mut rest = firsts.as_mut_slice();
    for heap in 0..HEAPS {
        let (part, after) = rest.split_at_mut(starts[heap + 1] - starts[heap]);
        dealt_heaps.push((&dealt[starts[heap]..starts[heap + 1]], part));
        rest = after;
    }
    dealt_heaps.into_par_iter().for_each(|(heap, firsts)| {
        const FREE: u32 = u32::MAX;
        let slots = (2 * heap.len()).next_power_of_two();
        let mut table = vec![FREE; slots];
        for (&corner, first) in heap.iter().zip(firsts) {
            let mut slot = hashes[corner as usize] as usize & (slots - 1);
            while table[slot] != FREE && key(table[slot]) != key(corner) {
                slot = (slot + 1) & (slots - 1);
            }
            if table[slot] == FREE {
                table[slot] = corner;
            }
            *first = table[slot];
        }
    });
    let mut first_of = vec![0_u32; corners.len()];
    for (&corner, &first) in dealt.iter().zip(&firsts) {
        first_of[corner as usize] = first;
    }
    let mut places = Vec::new();
    for corner in 0..corners.len() {
        let first = first_of[corner] as usize;
        first_of[corner] = if first == corner {
            places.push(corners[corner]);
            places.len() as u32 - 1
        } else {
            first_of[first]
        };
    }
    (places, first_of)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn equal_places_get_one_number_in_order(parts in proptest::collection::vec((-2_i8..3, -1_i8..2, 0_i8..2), 0..300)) {
            let corners: Vec<DVec3> =
                parts.iter().map(|&(x, y, z)| DVec3::new(f64::from(x) * 0.1, f64::from(y) * -0.0, f64::from(z))).collect();
            let (places, numbers) = join_equal(&corners);
            let mut expected: Vec<DVec3> = Vec::new();
            for (corner, &number) in corners.iter().zip(&numbers) {
                let place = expected.iter().position(|place| place == corner).unwrap_or_else(|| {
                    expected.push(*corner);
                    expected.len() - 1
                });
                prop_assert_eq!(place as u32, number);
            }
            prop_assert_eq!(places, expected);
        }
    }
}
