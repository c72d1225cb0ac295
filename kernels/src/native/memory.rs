//! Memory that kernels come to by its address.

use core::ptr::NonNull;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::vec::Vec;

use super::{Blocks, HandleError, Launch};
use crate::arguments::NativeKernel;

/// What blocks are aligned to: a cache line, which is more than any element asks for.
const ALIGNMENT: usize = 64;

/// The memory of this process as that of a device. All of it stays until this goes.
#[derive(Debug, Default)]
pub struct NativeMemory {
    allocations: Vec<Allocation>,
    blocks: Blocks,
}

/// A piece of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block(usize);

/// Bytes, all of which have a value.
#[derive(Debug)]
struct Allocation {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: plain bytes, which belong to no thread.
unsafe impl Send for Allocation {}

impl Allocation {
    /// Where some bytes are.
    fn part(&self, first: usize, bytes: usize) -> NonNull<u8> {
        assert!(first <= self.layout.size() && bytes <= self.layout.size() - first, "a copy beyond the end of a block");
        // SAFETY: within the allocation, as was checked.
        unsafe { self.start.add(first) }
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and nothing else frees it.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

impl NativeMemory {
    /// A new block, of zeros; nothing if there is no memory for it.
    pub fn allocate(&mut self, bytes: usize) -> Option<Block> {
        let layout = Layout::from_size_align(bytes.max(1), ALIGNMENT).ok()?;
        // SAFETY: the layout has at least one byte.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        self.blocks.add(start.as_ptr().expose_provenance() as u64, layout.size() as u64);
        self.allocations.push(Allocation { start, layout });
        Some(Block(self.allocations.len() - 1))
    }

    /// Where a kernel finds a block.
    pub fn address(&self, block: Block) -> u64 {
        self.allocations[block.0].start.as_ptr().addr() as u64
    }

    /// Copies bytes to the start of a block.
    ///
    /// # Panics
    /// If it is smaller.
    pub fn write(&mut self, block: Block, bytes: &[u8]) {
        let start = self.allocations[block.0].part(0, bytes.len());
        // SAFETY: both have so many bytes; nobody has a reference to what is in a block while no launch exists.
        unsafe { start.as_ptr().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) }
    }

    /// Copies bytes of a block, from the first one asked for.
    ///
    /// # Panics
    /// If it has not so many.
    pub fn read(&self, block: Block, first: usize, bytes: &mut [u8]) {
        let start = self.allocations[block.0].part(first, bytes.len());
        // SAFETY: both have so many bytes, all of which were set when the block was made.
        unsafe { start.as_ptr().copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) }
    }

    /// Copies so many bytes from the start of a block to a place of another.
    ///
    /// # Panics
    /// If one of them has not so many.
    pub fn copy(&mut self, from: Block, to: Block, first: usize, bytes: usize) {
        let (from, to) = (self.allocations[from.0].part(0, bytes), self.allocations[to.0].part(first, bytes));
        // SAFETY: both have so many bytes; `copy_to` lets them be the same.
        unsafe { from.as_ptr().copy_to(to.as_ptr(), bytes) }
    }

    /// A launch, which then has the memory until it goes.
    ///
    /// # Errors
    /// If a handle is not of this memory, or names what another one writes.
    pub fn launch<'a, K: NativeKernel>(&'a mut self, arguments: &'a K) -> Result<Launch<'a, K>, HandleError> {
        let lists = self.blocks.check(arguments)?;
        // SAFETY: the handles were checked; their blocks are aligned, were set and exposed, and stay and are used by nobody else
        // as long as the launch borrows all of them.
        Ok(unsafe { Launch::new(arguments, &lists) })
    }
}
