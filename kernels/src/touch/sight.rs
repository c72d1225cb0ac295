//! Many grids in two lists, and who looks at which.

use bytemuck::{Pod, Zeroable};

use super::{Chunk, Grid, View};

/// The grids of all octrees, one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Grids<'a> {
    /// The numbers of all.
    pub numbers: &'a [u32],
    /// The chunks of all.
    pub chunks: &'a [Chunk],
}

/// Which of them a grid is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct GridPlace {
    /// [`Grid::low`].
    pub low: [u32; 3],
    /// [`Grid::size`].
    pub size: [u32; 3],
    /// Where its numbers start.
    pub numbers: u32,
    /// Where its chunks start.
    pub chunks: u32,
}

const _: () = assert!(size_of::<GridPlace>() == 32 && align_of::<GridPlace>() == 4);

impl<'a> Grids<'a> {
    /// One of them.
    #[inline]
    pub fn at(&self, place: &GridPlace) -> Grid<'a> {
        Grid {
            low: place.low,
            size: place.size,
            numbers: &self.numbers[place.numbers as usize..],
            chunks: &self.chunks[place.chunks as usize..],
        }
    }
}

/// One octree of a meeting, as the grid of the other sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Sight {
    /// How its voxels lie in the grid of the other.
    pub view: View,
    /// Its own grid.
    pub own: GridPlace,
    /// That of the other.
    pub other: GridPlace,
}

const _: () = assert!(size_of::<Sight>() == 192 && align_of::<Sight>() == 8);
