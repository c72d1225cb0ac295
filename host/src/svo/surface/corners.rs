//! The corners of faces, each once: a set of bits for the corners of every chunk, whose ranks are their numbers.

use glam::Vec3;

use super::cells::{CORNERS, Cells, Face};
use crate::svo::bits::{Bits, NONE, ones};

/// A face by the numbers of its corners.
#[derive(Clone, Copy)]
pub(super) struct Quad {
    pub(super) corners: [u32; 4],
    /// The number of its voxel.
    pub(super) voxel: u32,
    pub(super) side: u16,
    /// Whether the opposite side of the voxel is a face too.
    pub(super) is_thin: bool,
}

/// All faces of a level, and the places of their corners in voxels of the level.
pub(super) struct Quads {
    pub(super) quads: Vec<Quad>,
    pub(super) corners: Vec<Vec3>,
}

/// The corners with the lowest of their eight voxels in one chunk.
struct Block {
    used: Bits,
    /// The number of the first corner of each word.
    first: [u32; 8],
}

/// No block.
const NOWHERE: u32 = u32::MAX;

impl Quads {
    pub(super) fn new(cells: &Cells) -> Quads {
        let size = cells.size.map(|edge| edge + 1);
        let mut grid = vec![NOWHERE; size.iter().map(|&edge| edge as usize).product()];
        let slot = |[x, y, z]: [u32; 3]| ((z * size[1] + y) * size[0] + x) as usize;
        let mut blocks: Vec<(Block, [u32; 3])> = Vec::with_capacity(2 * cells.cells.len());
        // The blocks that corners of each chunk are in; bit by bit those farther along x, y and z.
        let mut near: Vec<[u32; 8]> = Vec::with_capacity(cells.cells.len());
        let mut faces = 0;
        for cell in &cells.cells {
            let mut own = [NOWHERE; 8];
            cells.faces(cell, |face| {
                faces += 1;
                for corner in &CORNERS[face.side] {
                    let (which, word, bit) = place(&face, corner);
                    if own[which] == NOWHERE {
                        let place = std::array::from_fn(|axis| cell.place[axis] + (which >> axis & 1) as u32);
                        let slot = slot(place);
                        if grid[slot] == NOWHERE {
                            grid[slot] = blocks.len() as u32;
                            blocks.push((Block { used: NONE, first: [0; 8] }, place));
                        }
                        own[which] = grid[slot];
                    }
                    blocks[own[which] as usize].0.used[word] |= 1 << bit;
                }
            });
            near.push(own);
        }
        let mut corners = Vec::new();
        for (block, place) in &mut blocks {
            let origin: [u32; 3] = std::array::from_fn(|axis| cells.low[axis] + 8 * place[axis]);
            for (z, &word) in (0u32..).zip(&block.used) {
                block.first[z as usize] = corners.len() as u32;
                corners.extend(ones(word).map(|bit| {
                    let [x, y, z] = [origin[0] + bit % 8, origin[1] + bit / 8, origin[2] + z];
                    Vec3::new(x as f32, y as f32, z as f32)
                }));
            }
        }
        let mut quads = Vec::with_capacity(faces);
        for (cell, own) in cells.cells.iter().zip(&near) {
            cells.faces(cell, |face| {
                let number = |corner: &[u32; 3]| {
                    let (which, word, bit) = place(&face, corner);
                    let block = &blocks[own[which] as usize].0;
                    block.first[word] + (block.used[word] & ((1 << bit) - 1)).count_ones()
                };
                let [a, b, c, d] = &CORNERS[face.side];
                let corners = [number(a), number(b), number(c), number(d)];
                quads.push(Quad { corners, voxel: face.number, side: face.side as u16, is_thin: face.is_thin });
            });
        }
        Quads { quads, corners }
    }
}

/// Where a corner of a face is: which of eight blocks, word and bit.
#[inline]
fn place(face: &Face, corner: &[u32; 3]) -> (usize, usize, u32) {
    let [x, y, z]: [u32; 3] = std::array::from_fn(|axis| face.voxel[axis] + corner[axis]);
    let which = (x >> 3 | (y >> 3) << 1 | (z >> 3) << 2) as usize;
    (which, (z & 7) as usize, 8 * (y & 7) + (x & 7))
}
