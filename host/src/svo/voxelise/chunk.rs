//! The voxels of one chunk, from the triangles that come to it.

use fracas_kernels::normal;

use super::triangle::{CHUNK, Triangle};
use crate::svo::bits::{Bits, NONE};
use crate::svo::tree::Color;

/// Sums over the triangles that come to a voxel.
#[derive(Clone, Copy, Default)]
struct Sum {
    normal: [i32; 3],
    color: [u32; 3],
    count: u32,
}

/// Where chunks are made, one after the other along a row.
pub(super) struct Workshop {
    sums: Box<[Sum; 512]>,
    boundary: Bits,
    /// For each voxel along x: the rows whose winding number changes before its centre, and by how much.
    steps: [Vec<(u8, i32)>; 9],
    /// The winding number behind what was made so far, for each of the 64 rows.
    pub(super) winding: [i32; 64],
}

impl Workshop {
    pub(super) fn new() -> Workshop {
        Workshop {
            sums: Box::new([Sum::default(); 512]),
            boundary: NONE,
            steps: std::array::from_fn(|_| Vec::new()),
            winding: [0; 64],
        }
    }

    /// Adds a triangle, whose colour, if it has one, is asked for at voxels of the chunk.
    pub(super) fn add(&mut self, triangle: &Triangle, chunk: [i64; 3], color: impl Fn(usize) -> Option<Color>) {
        let direction = direction(triangle.normal);
        let (sums, boundary, steps) = (&mut self.sums, &mut self.boundary, &mut self.steps);
        triangle.voxels(chunk, |voxel| {
            boundary[voxel / 64] |= 1 << (voxel % 64);
            let sum = &mut sums[voxel];
            for (sum, step) in sum.normal.iter_mut().zip(direction) {
                *sum += step;
            }
            for (sum, channel) in sum.color.iter_mut().zip(color(voxel).into_iter().flatten()) {
                *sum += u32::from(channel);
            }
            sum.count += 1;
        });
        triangle.crossings(chunk, |[y, z], behind, step| steps[behind as usize].push(((8 * z + y) as u8, step)));
    }

    /// The boundary voxels and those inside, both in rows, of what was added; and the winding numbers behind it.
    pub(super) fn finish(&mut self) -> (Bits, Bits) {
        let mut inside: u64 = 0;
        for (row, winding) in self.winding.iter().enumerate() {
            inside |= u64::from(*winding != 0) << row;
        }
        // Bit 8z + y of word x.
        let mut slices = NONE;
        for (x, steps) in self.steps.iter_mut().enumerate() {
            for (row, step) in steps.drain(..) {
                let winding = &mut self.winding[usize::from(row)];
                *winding += step;
                inside = inside & !(1 << row) | u64::from(*winding != 0) << row;
            }
            if x < CHUNK as usize {
                slices[x] = inside;
            }
        }
        let boundary = std::mem::replace(&mut self.boundary, NONE);
        let rows = turned(&slices);
        (boundary, std::array::from_fn(|z| rows[z] & !boundary[z]))
    }

    /// The normal and, with `is_colored`, the colour of a boundary voxel, which are forgotten.
    pub(super) fn take(&mut self, voxel: usize, is_colored: bool) -> (u16, Option<[u8; 3]>) {
        let sum = std::mem::take(&mut self.sums[voxel]);
        // A thousand triangles in a voxel are more than a packed normal can take.
        let normal =
            if sum.count < 1024 { sum.normal } else { sum.normal.map(|step| step / (1 + sum.count as i32 / 1024)) };
        let color = || sum.color.map(|channel| ((channel + sum.count / 2) / sum.count.max(1)) as u8);
        (normal::pack(normal), is_colored.then(color))
    }
}

/// A normal of any length, with absolute coordinates that sum to about 1,024.
fn direction(normal: [i64; 3]) -> [i32; 3] {
    let length: i64 = normal.iter().map(|step| step.abs()).sum();
    if length == 0 { [0; 3] } else { normal.map(|step| (1024 * step / length) as i32) }
}

/// Bit 8z + y of word x becomes bit 8y + x of word z.
fn turned(slices: &Bits) -> Bits {
    std::array::from_fn(|z| {
        let bytes = std::array::from_fn(|x| (slices[x] >> (8 * z)) as u8);
        transposed(u64::from_le_bytes(bytes))
    })
}

/// An 8 x 8 matrix of bits with rows and columns exchanged: blocks of 1, 2 and 4 change places.
fn transposed(mut bits: u64) -> u64 {
    for (shift, mask) in [(7, 0x00aa_00aa_00aa_00aa), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)] {
        let changed = (bits ^ bits >> shift) & mask;
        bits ^= changed ^ changed << shift;
    }
    bits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn slices_turn_into_rows(slices in prop::array::uniform8(any::<u64>())) {
            let rows = turned(&slices);
            for bit in 0..512 {
                let [x, y, z] = [bit % 8, bit / 8 % 8, bit / 64];
                prop_assert_eq!(slices[x] >> (8 * z + y) & 1, rows[z] >> (8 * y + x) & 1);
            }
        }
    }
}
