//! The voxels of a level as bits, found by where they are.
//!
//! Walking down an octree to a voxel is a chain of loads, each waiting for the one before. Which voxels meet is asked for
//! every voxel that may, so chunks of 512 voxels stand in a plain grid: two loads, whatever the level.

use bytemuck::{Pod, Zeroable};

/// 8 x 8 x 8 voxels in eight words, in Morton order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Chunk {
    /// Voxels that the surface comes to.
    pub boundary: [u64; 8],
    /// Those and the ones inside.
    pub solid: [u64; 8],
    /// The attributes of the first boundary voxel.
    pub attributes: u32,
    /// Nothing.
    pub padding: u32,
}

const _: () = assert!(size_of::<Chunk>() == 136 && align_of::<Chunk>() == 8);

/// The number of a chunk that is all outside.
pub const OUTSIDE: u32 = 0;

/// The number of a chunk that is all inside.
pub const INSIDE: u32 = 1;

/// The number of the first chunk with boundary voxels.
pub const BEFORE: u32 = 2;

/// The chunks of a level of an octree. Voxels are counted from the corner of the lowest chunk.
#[derive(Clone, Copy, Debug)]
pub struct Grid<'a> {
    /// The lowest chunk on each axis.
    pub low: [u32; 3],
    /// How many there are on each axis.
    pub size: [u32; 3],
    /// By place, x first, the number of a chunk.
    pub numbers: &'a [u32],
    /// [`OUTSIDE`], [`INSIDE`], then those that the surface comes to, in Morton order.
    pub chunks: &'a [Chunk],
}

impl<'a> Grid<'a> {
    /// Where the number of a chunk is.
    #[inline]
    pub fn index(&self, [x, y, z]: [i32; 3]) -> usize {
        (z as usize * self.size[1] as usize + y as usize) * self.size[0] as usize + x as usize
    }

    /// A chunk with boundary voxels, by its number among those of its level.
    #[inline]
    pub fn boundary_chunk(&self, number: u32) -> &'a Chunk {
        &self.chunks[(number + BEFORE) as usize]
    }

    /// Whether a voxel is inside, if it is boundary or inside.
    #[inline]
    pub fn is_inside(&self, voxel: [i32; 3]) -> Option<bool> {
        let chunk = voxel.map(|coordinate| coordinate >> 3);
        if !(0..3).all(|axis| (chunk[axis] as u32) < self.size[axis]) {
            return None;
        }
        let chunk = &self.chunks[self.numbers[self.index(chunk)] as usize];
        let [x, y, z] = voxel;
        let word = (x >> 2 & 1 | y >> 1 & 2 | z & 4) as usize;
        let bit = BITS[0][(x & 3) as usize] | BITS[1][(y & 3) as usize] | BITS[2][(z & 3) as usize];
        (chunk.solid[word] >> bit & 1 != 0).then_some(chunk.boundary[word] >> bit & 1 == 0)
    }

    /// Whether a voxel that is boundary or inside lies from one place to another.
    #[inline]
    pub fn is_any(&self, low: [i32; 3], high: [i32; 3]) -> bool {
        let low = low.map(|coordinate| coordinate.max(0));
        let high = [0, 1, 2].map(|axis: usize| high[axis].min(8 * self.size[axis] as i32 - 1));
        let range = |axis: usize, word: i32| {
            let [first, last] = [(low[axis] - 4 * word).max(0), (high[axis] - 4 * word).min(3)];
            RANGES[axis][first as usize & 3][last as usize & 3]
        };
        for z in low[2] >> 2..=high[2] >> 2 {
            let slice = range(2, z);
            for y in low[1] >> 2..=high[1] >> 2 {
                let row = slice & range(1, y);
                for x in low[0] >> 2..=high[0] >> 2 {
                    let chunk = &self.chunks[self.numbers[self.index([x >> 1, y >> 1, z >> 1])] as usize];
                    if chunk.solid[(x & 1 | (y & 1) << 1 | (z & 1) << 2) as usize] & row & range(0, x) != 0 {
                        return true;
                    }
                }
            }
        }
        false
    }
}

/// What the bits of a coordinate within a word are in the voxel's number.
const BITS: [[u32; 4]; 3] = [[0, 1, 8, 9], [0, 2, 16, 18], [0, 4, 32, 36]];

/// By axis: the voxels of a word from one coordinate to another.
const RANGES: [[[u64; 4]; 4]; 3] = {
    let mut ranges = [[[0; 4]; 4]; 3];
    let mut bit = 0;
    while bit < 64 {
        let mut axis = 0;
        while axis < 3 {
            let at = bit >> axis & 1 | (bit >> (axis + 3) & 1) << 1;
            let mut range = 0;
            while range < 16 {
                if range / 4 <= at && at <= range % 4 {
                    ranges[axis][range / 4][range % 4] |= 1u64 << bit;
                }
                range += 1;
            }
            axis += 1;
        }
        bit += 1;
    }
    ranges
};
