//! The kernels as functions of this process.

#![allow(unsafe_code)]

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

use fracas_kernels::arguments::NativeKernel;
use rayon::prelude::*;

use super::machine::Machine;
use super::{Device, DeviceError};

/// This process as a device: kernels are functions, on as many threads as there are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Native(());

impl Device<Native> {
    /// This process as a device.
    pub fn native() -> Device<Native> {
        Device::new(Native(()))
    }
}

/// Memory that kernels come to by its address.
#[derive(Debug)]
pub struct NativeBlock {
    start: NonNull<u8>,
    layout: Layout,
}

/// What blocks are aligned to: that of a cache line.
const ALIGNMENT: usize = 64;

/// Turns that a thread takes at a time, if each is that of one thread of a device.
const TURNS: usize = 4096;

impl NativeBlock {
    /// Where some bytes are.
    fn part(&self, first: usize, bytes: usize) -> NonNull<u8> {
        assert!(first <= self.layout.size() && bytes <= self.layout.size() - first, "a copy beyond the end of a block");
        // SAFETY: within the allocation, as was checked.
        unsafe { self.start.add(first) }
    }
}

impl Drop for NativeBlock {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and nothing else frees it.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

impl Machine for Native {
    type Block = NativeBlock;

    fn name(&self) -> String {
        format!("native: {} threads", rayon::current_num_threads())
    }

    fn allocate(&self, bytes: usize) -> Result<NativeBlock, DeviceError> {
        let layout = Layout::from_size_align(bytes.max(1), ALIGNMENT)
            .map_err(|error| DeviceError::Memory { bytes, reason: error.to_string() })?;
        // SAFETY: the layout has at least one byte.
        let start = unsafe { alloc_zeroed(layout) };
        Ok(NativeBlock { start: NonNull::new(start).unwrap_or_else(|| handle_alloc_error(layout)), layout })
    }

    fn address(&self, block: &NativeBlock) -> u64 {
        block.start.as_ptr().expose_provenance() as u64
    }

    fn write(&self, block: &NativeBlock, bytes: &[u8]) -> Result<(), DeviceError> {
        let start = block.part(0, bytes.len());
        // SAFETY: both have so many bytes; no kernel runs, and nobody has a reference to what is in a block.
        unsafe { start.as_ptr().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) }
        Ok(())
    }

    fn read(&self, block: &NativeBlock, first: usize, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let start = block.part(first, bytes.len());
        // SAFETY: both have so many bytes, all of which were set when the block was made.
        unsafe { start.as_ptr().copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) }
        Ok(())
    }

    fn copy(&self, from: &NativeBlock, to: &NativeBlock, first: usize, bytes: usize) -> Result<(), DeviceError> {
        let (from, to) = (from.part(0, bytes), to.part(first, bytes));
        // SAFETY: both have so many bytes; `copy_to` lets them be the same.
        unsafe { from.as_ptr().copy_to(to.as_ptr(), bytes) }
        Ok(())
    }

    unsafe fn launch<K: NativeKernel>(&self, arguments: &K) -> Result<(), DeviceError> {
        let turns = arguments.threads() as usize / K::THREADS_OF_A_TURN;
        let run = TURNS.div_ceil(K::THREADS_OF_A_TURN * 8);
        (0..turns.div_ceil(run)).into_par_iter().for_each(|number| {
            let first = number * run;
            // SAFETY: this function's own promise; blocks are aligned and exposed, and no two runs have a turn in common.
            unsafe { arguments.run(first..turns.min(first + run)) }
        });
        Ok(())
    }
}
