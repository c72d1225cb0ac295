//! Sets of the 512 voxels of a chunk, a node three levels above the finest.
//!
//! In Morton order, word, byte and bit are the node's children, their children and the voxels, so a tree's last three
//! levels can be read off; in rows, word z has bit 8y + x, so neighbours are a shift away.

/// A set of the voxels of a chunk.
pub(super) type Bits = [u64; 8];

/// No voxel.
pub(super) const NONE: Bits = [0; 8];

/// All voxels.
pub(super) const ALL: Bits = [u64::MAX; 8];

pub(super) fn and(a: &Bits, b: &Bits) -> Bits {
    std::array::from_fn(|word| a[word] & b[word])
}

pub(super) fn and_not(a: &Bits, b: &Bits) -> Bits {
    std::array::from_fn(|word| a[word] & !b[word])
}

pub(super) fn or(a: &Bits, b: &Bits) -> Bits {
    std::array::from_fn(|word| a[word] | b[word])
}

/// Whether two sets are the same, without the call that comparing arrays is.
#[inline]
pub(super) fn is_same(a: &Bits, b: &Bits) -> bool {
    a.iter().zip(b).fold(0, |different, (a, b)| different | a ^ b) == 0
}

pub(super) fn count(bits: &Bits) -> u32 {
    bits.iter().map(|word| word.count_ones()).sum()
}

/// The numbers of the voxels of a word.
pub(super) fn ones(mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(bit)
    })
}

/// Which bytes of a word are not zero.
#[inline]
pub(super) fn bytes_in(word: u64) -> u8 {
    let mut low = word | word >> 4;
    low |= low >> 2;
    low |= low >> 1;
    // The product brings the lowest bit of byte i to bit 56 + i.
    ((low & LEFT).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// The lowest voxel of each row along x.
pub(super) const LEFT: u64 = 0x0101_0101_0101_0101;

/// For -x, +x, -y, +y, -z and +z, the voxels whose neighbour there is in a set, all in rows; `next` is the set in the
/// chunks on those sides.
pub(super) fn covered(set: &Bits, next: &[Bits; 6]) -> [Bits; 6] {
    [
        std::array::from_fn(|z| (set[z] & !(LEFT << 7)) << 1 | next[0][z] >> 7 & LEFT),
        std::array::from_fn(|z| set[z] >> 1 & !(LEFT << 7) | (next[1][z] & LEFT) << 7),
        std::array::from_fn(|z| set[z] << 8 | next[2][z] >> 56),
        std::array::from_fn(|z| set[z] >> 8 | next[3][z] << 56),
        std::array::from_fn(|z| if z > 0 { set[z - 1] } else { next[4][7] }),
        std::array::from_fn(|z| if z < 7 { set[z + 1] } else { next[5][0] }),
    ]
}

/// Where the 2 x 2 x 2 block of each byte begins: slice and shift.
const BLOCKS: [(usize, u32); 64] = {
    let mut blocks = [(0, 0); 64];
    let mut block = 0;
    while block < 64 {
        let x = block & 1 | block >> 2 & 2;
        let y = block >> 1 & 1 | block >> 3 & 2;
        let z = block >> 2 & 1 | block >> 4 & 2;
        blocks[block] = (2 * z, (16 * y + 2 * x) as u32);
        block += 1;
    }
    blocks
};

/// From Morton order to rows.
pub(super) fn to_rows(morton: &Bits) -> Bits {
    let mut rows = NONE;
    for (word, &bits) in morton.iter().enumerate() {
        for byte in ones(u64::from(bytes_in(bits))) {
            let (slice, shift) = BLOCKS[8 * word + byte as usize];
            let block = bits >> (8 * byte);
            rows[slice] |= (block & 3 | (block & 12) << 6) << shift;
            rows[slice + 1] |= (block >> 4 & 3 | (block & 192) << 2) << shift;
        }
    }
    rows
}

/// From rows to Morton order.
pub(super) fn to_morton(rows: &Bits) -> Bits {
    let mut morton = NONE;
    for (block, &(slice, shift)) in BLOCKS.iter().enumerate() {
        let [low, high] = [rows[slice] >> shift, rows[slice + 1] >> shift];
        let byte = low & 3 | low >> 6 & 12 | (high & 3) << 4 | high >> 2 & 192;
        morton[block / 8] |= byte << (8 * (block % 8));
    }
    morton
}

#[cfg(test)]
mod tests {
    use fracas_kernels::morton;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rows_and_morton_order_are_the_same_voxels(morton in prop::array::uniform8(any::<u64>())) {
            let rows = to_rows(&morton);
            for code in 0..512u32 {
                let [x, y, z] = morton::decode_30(code);
                let in_morton = morton[code as usize / 64] >> (code % 64) & 1;
                prop_assert_eq!(in_morton, rows[z as usize] >> (8 * y + x) & 1);
            }
            prop_assert_eq!(to_morton(&rows), morton);
        }

        #[test]
        fn bytes_are_found(word in any::<u64>(), mask in any::<u8>()) {
            let keep: u64 = ones(u64::from(mask)).map(|byte| 0xff << (8 * byte)).sum();
            let word = word & keep;
            let expected: u8 = (0..8).filter(|byte| word >> (8 * byte) & 0xff != 0).map(|byte| 1 << byte).sum();
            prop_assert_eq!(bytes_in(word), expected);
        }
    }
}
