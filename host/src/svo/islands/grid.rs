//! Where the chunks and the nodes inside of a cell are.

use fracas_kernels::morton;

use super::ChunkPlace;
use crate::svo::extract::Solid;

/// What stands in a cell of the grid of chunks.
#[derive(Clone, Copy)]
pub(super) enum Content {
    /// The number of a chunk.
    Chunk(u32),
    /// The element of a node inside.
    Solid(u32),
}

/// The chunks of a cell on a grid, so that neighbours are found without a search.
pub(super) struct Grid {
    low: [u32; 3],
    pub(super) size: [u32; 3],
    /// Zero for nothing; chunks from one on, then solids.
    numbers: Vec<u32>,
    chunks: u32,
    first_solid: u32,
}

impl Grid {
    pub(super) fn new(chunks: &[ChunkPlace], solids: &[Solid], first_solid: u32) -> Grid {
        let boxes = || {
            let solid = solids.iter().map(|solid| (morton::decode_30(solid.code), 1 << solid.height));
            chunks.iter().map(|&(place, ..)| (place, 1)).chain(solid)
        };
        let low = boxes().fold([u32::MAX; 3], |low, (place, _)| std::array::from_fn(|axis| low[axis].min(place[axis])));
        let high = boxes().fold([0; 3], |high: [u32; 3], (place, edge)| {
            std::array::from_fn(|axis| high[axis].max(place[axis] + edge))
        });
        let size: [u32; 3] = std::array::from_fn(|axis| high[axis].saturating_sub(low[axis]));
        let numbers = bytemuck::allocation::zeroed_vec(size.iter().map(|&side| side as usize).product());
        let mut grid = Grid { low, size, numbers, chunks: chunks.len() as u32, first_solid };
        for (number, &(place, ..)) in (1..).zip(chunks) {
            let index = grid.index(place);
            grid.numbers[index] = number;
        }
        for (number, solid) in (grid.chunks + 1..).zip(solids) {
            let [x, y, z] = morton::decode_30(solid.code);
            let edge = 1 << solid.height;
            for (y, z) in (z..z + edge).flat_map(|z| (y..y + edge).map(move |y| (y, z))) {
                let first = grid.index([x, y, z]);
                grid.numbers[first..first + edge as usize].fill(number);
            }
        }
        grid
    }

    fn index(&self, place: [u32; 3]) -> usize {
        let [x, y, z] = std::array::from_fn(|axis| (place[axis] - self.low[axis]) as usize);
        (z * self.size[1] as usize + y) * self.size[0] as usize + x
    }

    /// What stands in a direction from a place of the grid.
    #[inline]
    pub(super) fn beside(&self, place: [u32; 3], direction: [i32; 3]) -> Option<Content> {
        let [x, y, z]: [u32; 3] =
            std::array::from_fn(|axis| (place[axis].wrapping_sub(self.low[axis])).wrapping_add_signed(direction[axis]));
        if x >= self.size[0] || y >= self.size[1] || z >= self.size[2] {
            return None;
        }
        let index = (z as usize * self.size[1] as usize + y as usize) * self.size[0] as usize + x as usize;
        match self.numbers[index] {
            0 => None,
            number if number <= self.chunks => Some(Content::Chunk(number - 1)),
            number => Some(Content::Solid(self.first_solid + number - self.chunks - 1)),
        }
    }

    /// The places of a slice, of which there are `size[2]`.
    pub(super) fn places(&self, slice: u32) -> impl Iterator<Item = [u32; 3]> + use<> {
        let (low, size) = (self.low, self.size);
        (0..size[1]).flat_map(move |y| (0..size[0]).map(move |x| [low[0] + x, low[1] + y, low[2] + slice]))
    }
}
