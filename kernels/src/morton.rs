//! Morton codes: the position of a cell on the Z-order curve, by interleaving the bits of its coordinates.
//!
//! Sorting cells by code puts the children of every octree node side by side, which is what the octree builder, the
//! hierarchy builder and the island detector all rest on. Bit 0 of a code is x's lowest bit, bit 1 y's, bit 2 z's.

/// Bits per axis of a [`encode_30`] code: a grid of 1024 cells on a side.
pub const BITS_30: u32 = 10;

/// Bits per axis of a [`encode_63`] code: a grid of 2,097,152 cells on a side.
pub const BITS_63: u32 = 21;

/// The code of a cell whose coordinates have ten bits; higher bits are ignored.
#[inline]
pub const fn encode_30(x: u32, y: u32, z: u32) -> u32 {
    spread_10(x) | spread_10(y) << 1 | spread_10(z) << 2
}

/// The cell that [`encode_30`] made a code of.
#[inline]
pub const fn decode_30(code: u32) -> [u32; 3] {
    [gather_10(code), gather_10(code >> 1), gather_10(code >> 2)]
}

/// The code of a cell whose coordinates have 21 bits; higher bits are ignored.
#[inline]
pub const fn encode_63(x: u32, y: u32, z: u32) -> u64 {
    spread_21(x) | spread_21(y) << 1 | spread_21(z) << 2
}

/// The cell that [`encode_63`] made a code of.
#[inline]
pub const fn decode_63(code: u64) -> [u32; 3] {
    [gather_21(code), gather_21(code >> 1), gather_21(code >> 2)]
}

/// Moves bit i to bit 3i. Each line halves the groups that still stand together.
#[inline]
const fn spread_10(value: u32) -> u32 {
    let mut bits = value & 0x3ff; //          ---- ---- ---- ---- ---- --98 7654 3210
    bits = (bits | bits << 16) & 0x0300_00ff; // ---- --98 ---- ---- ---- ---- 7654 3210
    bits = (bits | bits << 8) & 0x0300_f00f; //  ---- --98 ---- ---- 7654 ---- ---- 3210
    bits = (bits | bits << 4) & 0x030c_30c3; //  ---- --98 ---- 76-- --54 ---- 32-- --10
    (bits | bits << 2) & 0x0924_9249 //          ---- 9--8 --7- -6-- 5--4 --3- -2-- 1--0
}

#[inline]
const fn gather_10(code: u32) -> u32 {
    let mut bits = code & 0x0924_9249;
    bits = (bits | bits >> 2) & 0x030c_30c3;
    bits = (bits | bits >> 4) & 0x0300_f00f;
    bits = (bits | bits >> 8) & 0x0300_00ff;
    (bits | bits >> 16) & 0x3ff
}

/// Moves bit i to bit 3i, as [`spread_10`] does, for 21 bits.
#[inline]
const fn spread_21(value: u32) -> u64 {
    let mut bits = value as u64 & 0x1f_ffff;
    bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
    bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
    bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
    bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
    (bits | bits << 2) & 0x1249_2492_4924_9249
}

#[inline]
const fn gather_21(code: u64) -> u32 {
    let mut bits = code & 0x1249_2492_4924_9249;
    bits = (bits | bits >> 2) & 0x10c3_0c30_c30c_30c3;
    bits = (bits | bits >> 4) & 0x100f_00f0_0f00_f00f;
    bits = (bits | bits >> 8) & 0x001f_0000_ff00_00ff;
    bits = (bits | bits >> 16) & 0x001f_0000_0000_ffff;
    ((bits | bits >> 32) & 0x1f_ffff) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition itself, a bit at a time.
    fn interleave(cell: [u32; 3], bits: u32) -> u64 {
        let mut code = 0;
        for bit in 0..bits {
            for (axis, coordinate) in cell.into_iter().enumerate() {
                code |= u64::from(coordinate >> bit & 1) << (3 * bit + axis as u32);
            }
        }
        code
    }

    proptest! {
        #[test]
        fn codes_interleave_the_bits_and_decode_again(x in 0..1u32 << 21, y in 0..1u32 << 21, z in 0..1u32 << 21) {
            prop_assert_eq!(encode_63(x, y, z), interleave([x, y, z], BITS_63));
            prop_assert_eq!(decode_63(encode_63(x, y, z)), [x, y, z]);
            let low = [x & 0x3ff, y & 0x3ff, z & 0x3ff];
            prop_assert_eq!(u64::from(encode_30(x, y, z)), interleave(low, BITS_30));
            prop_assert_eq!(decode_30(encode_30(x, y, z)), low);
        }
    }

    #[test]
    fn the_corners_of_the_grid_are_the_ends_of_the_curve() {
        assert_eq!(encode_30(0, 0, 0), 0);
        assert_eq!(encode_30(1023, 1023, 1023), (1 << 30) - 1);
        assert_eq!(encode_63(0x1f_ffff, 0x1f_ffff, 0x1f_ffff), (1 << 63) - 1);
    }
}
