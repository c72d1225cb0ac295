//! The hash that a run is validated by.

/// A 64-bit FNV-1a hash over 32-bit words: the same on every machine, for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateHash(u64);

impl StateHash {
    /// The hash of nothing.
    pub fn new() -> StateHash {
        StateHash(0xcbf2_9ce4_8422_2325)
    }

    /// Takes in a word.
    pub fn write(&mut self, word: u32) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Takes in the bits of numbers; the two zeros count as one.
    pub fn write_floats(&mut self, values: &[f32]) {
        for &value in values {
            self.write((value + 0.0).to_bits());
        }
    }

    /// Takes in the bits of doubles, the lower half first; the two zeros count as one.
    pub fn write_doubles(&mut self, values: &[f64]) {
        for &value in values {
            let bits = (value + 0.0).to_bits();
            self.write(bits as u32);
            self.write((bits >> 32) as u32);
        }
    }

    /// The hash of all that was taken in.
    pub fn finish(self) -> u64 {
        self.0
    }
}

impl Default for StateHash {
    fn default() -> StateHash {
        StateHash::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        let mut hash = StateHash::new();
        hash.write(u32::from_le_bytes(*b"foob"));
        // As the reference implementation gives it for the bytes of "foob".
        assert_eq!(hash.finish(), 0xdd12_0e79_0c25_12af);
        let (mut plus, mut minus) = (hash, hash);
        plus.write_floats(&[0.0]);
        minus.write_floats(&[-0.0]);
        assert_eq!(plus, minus);
    }
}
