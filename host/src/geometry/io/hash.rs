//! A quick hash that a file cannot be made to defeat.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Makes hashers with a seed of this process, so that no file can hold keys that all collide.
///
/// Only lookups depend on the seed: nothing here ever walks a map in its own order, so results do not.
#[derive(Clone)]
pub(super) struct Seeded {
    seed: u64,
}

pub(super) type SeededMap<K, V> = std::collections::HashMap<K, V, Seeded>;

impl Default for Seeded {
    fn default() -> Seeded {
        Seeded { seed: RandomState::new().hash_one(0_u8) | 1 }
    }
}

impl BuildHasher for Seeded {
    type Hasher = FoldingHasher;

    fn build_hasher(&self) -> FoldingHasher {
        FoldingHasher { state: self.seed, seed: self.seed }
    }
}

/// Multiplies to 128 bits and folds the halves together, word by word.
pub(super) struct FoldingHasher {
    state: u64,
    seed: u64,
}

impl Hasher for FoldingHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        let product = u128::from(self.state ^ word) * u128::from(self.seed ^ 0x9e37_79b9_7f4a_7c15);
        self.state = (product as u64) ^ ((product >> 64) as u64);
    }

    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.state
    }
}
