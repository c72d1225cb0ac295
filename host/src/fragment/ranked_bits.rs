//! Subsets of numbered things, and the place of each in its subset.

/// A subset of `0..count` that knows in constant time whether a number is in it, and how many smaller ones are: fragments
/// keep what they know of their nodes in lists as long as the fragment, found by the numbers of the whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RankedBits {
    words: Vec<Word>,
    len: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Word {
    bits: u64,
    /// How many members are in the words before.
    before: u32,
}

impl RankedBits {
    /// A subset of `0..count` from its members, in any order.
    pub(super) fn new(count: usize, members: impl IntoIterator<Item = u32>) -> RankedBits {
        let mut words = vec![Word::default(); count.div_ceil(64)];
        for member in members {
            words[member as usize / 64].bits |= 1 << (member % 64);
        }
        let mut len = 0;
        for word in &mut words {
            word.before = len;
            len += word.bits.count_ones();
        }
        RankedBits { words, len }
    }

    pub(super) fn len(&self) -> usize {
        self.len as usize
    }

    #[inline]
    pub(super) fn contains(&self, number: u32) -> bool {
        self.words[number as usize / 64].bits >> (number % 64) & 1 == 1
    }

    /// The place of a member among all in growing order; `None` for others.
    #[inline]
    pub(super) fn rank(&self, number: u32) -> Option<usize> {
        let word = self.words[number as usize / 64];
        let bit = 1 << (number % 64);
        (word.bits & bit != 0).then(|| (word.before + (word.bits & (bit - 1)).count_ones()) as usize)
    }

    /// The members in growing order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(number, word)| {
            let mut bits = word.bits;
            std::iter::from_fn(move || {
                (bits != 0).then(|| {
                    let bit = bits.trailing_zeros();
                    bits &= bits - 1;
                    number as u32 * 64 + bit
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn members_have_their_place_and_others_none(members in proptest::collection::btree_set(0u32..300, 0..200)) {
            let bits = RankedBits::new(300, members.iter().copied().rev());
            prop_assert_eq!(bits.len(), members.len());
            prop_assert_eq!(bits.iter().collect::<BTreeSet<u32>>(), members.clone());
            for number in 0..300 {
                let expected = members.iter().position(|&member| member == number);
                prop_assert_eq!(bits.rank(number), expected);
                prop_assert_eq!(bits.contains(number), expected.is_some());
            }
        }
    }
}
