//! Values over the frames of a recording.

use std::ops::Range;

/// Values that hold from a frame on, as keys between which one goes straight from value to value: before a change that
/// comes after a pause the old value stands once more. So every frame has exactly the value that it had.
pub(super) fn keys<T: Clone>(held: &[(u32, T)]) -> Vec<(u32, T)> {
    let mut keys: Vec<(u32, T)> = Vec::with_capacity(held.len());
    for (frame, value) in held {
        if let Some((last, before)) = keys.last().filter(|(last, _)| last + 1 < *frame) {
            let (_, before) = (last, before.clone());
            keys.push((frame - 1, before));
        }
        keys.push((*frame, value.clone()));
    }
    keys
}

/// Whether something is seen, from each frame on in which that changes; nothing if it is there from `all`'s start to its end.
pub(super) fn visibility(seen: &Range<u32>, all: &Range<u32>) -> Vec<(u32, bool)> {
    let mut changes = Vec::new();
    if seen.start > all.start {
        changes.extend([(0, false), (seen.start, true)]);
    }
    if seen.end < all.end {
        if changes.is_empty() {
            changes.push((0, true));
        }
        changes.push((seen.end, false));
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_takes_two_keys() {
        assert_eq!(keys(&[(2, 'a'), (3, 'b'), (9, 'c')]), [(2, 'a'), (3, 'b'), (8, 'b'), (9, 'c')]);
        assert_eq!(keys(&[(0, 'a'), (2, 'b')]), [(0, 'a'), (1, 'a'), (2, 'b')]);
        assert!(keys::<u8>(&[]).is_empty());
    }

    #[test]
    fn what_is_always_there_needs_no_keys() {
        assert!(visibility(&(0..10), &(0..10)).is_empty());
        assert_eq!(visibility(&(3..10), &(0..10)), [(0, false), (3, true)]);
        assert_eq!(visibility(&(0..4), &(0..10)), [(0, true), (4, false)]);
        assert_eq!(visibility(&(3..4), &(0..10)), [(0, false), (3, true), (4, false)]);
        assert!(visibility(&(3..8), &(3..8)).is_empty());
    }
}
