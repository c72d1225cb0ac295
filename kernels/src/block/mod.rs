//! What the threads of a block do together.
//!
//! Most kernels are threads on their own. [Tiles of a scan](crate::scan::tile) and the [radix sort](crate::radix) are not:
//! their functions are called by all threads of a block at once and meet at barriers, so they are written over a [`Block`],
//! which is the device in a kernel and, in the tests, a thread of the host for each thread of the block.

use core::sync::atomic::AtomicU32;

#[cfg(test)]
pub(crate) mod host;

/// Threads of a block.
pub const THREADS: usize = 256;

/// Threads of a warp.
pub const LANES: usize = 32;

/// Warps of a block.
pub const WARPS: usize = THREADS / LANES;

/// Elements that each thread of a block has of a tile.
pub const ROWS: usize = 8;

/// Elements of a tile, which is what a block takes at a time.
pub const TILE: usize = THREADS * ROWS;

/// How many tiles, and blocks, so many elements need.
#[inline]
pub const fn tiles(elements: usize) -> usize {
    elements.div_ceil(TILE)
}

/// A thread's view of its block. Every method but [`thread`](Block::thread) has to be called by all threads of the block,
/// those on warps at least by all of the warp, at the same place of the program.
pub trait Block {
    /// The thread's number in the block.
    fn thread(&self) -> usize;

    /// Waits for the block. What a thread wrote before, all see after.
    fn barrier(&self);

    /// Waits for the warp. What a thread wrote before, all of the warp see after.
    fn warp_barrier(&self);

    /// The value that a lane of the warp has.
    fn shuffle(&self, value: u32, lane: usize) -> u32;

    /// The value of the lane so many before; the own one if there is none.
    fn shuffle_up(&self, value: u32, lanes: usize) -> u32;

    /// The lanes whose value is the same as the own one, as bits.
    fn same(&self, value: u32) -> u32;

    /// The thread's number in the warp.
    #[inline]
    fn lane(&self) -> usize {
        self.thread() % LANES
    }

    /// The warp's number in the block.
    #[inline]
    fn warp(&self) -> usize {
        self.thread() / LANES
    }

    /// Where the thread's element of a row is. A warp has a run of the tile to itself, so that its rows follow each other;
    /// the lanes of a row stand side by side, so that a warp loads it at once.
    #[inline]
    fn place(&self, tile: usize, row: usize) -> usize {
        tile * TILE + self.warp() * ROWS * LANES + row * LANES + self.lane()
    }
}

/// Memory that the threads of a block share.
pub type Shared = [AtomicU32];
