//! How many blocks fit, by threads and shared memory. Registers are not counted: PTX has as many as it likes.

use super::code::{Code, answer, put};
use super::device::MULTIPROCESSORS;
use super::function::{attributes, find};
use super::state::Handle;
use crate::execute::MAXIMUM_SHARED;
use std::ffi::{c_int, c_uint};

const THREADS: u32 = 2048;
const BLOCKS: u32 = 32;
/// What the system takes of the shared memory for each block.
const RESERVED: u64 = 1024;

fn blocks_that_fit(block_size: u32, shared: u64) -> u32 {
    let threads = block_size.next_multiple_of(32);
    let by_shared = (MAXIMUM_SHARED + RESERVED) / shared.saturating_add(RESERVED);
    (THREADS / threads).min(BLOCKS).min(by_shared as u32)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    blocks: *mut c_int,
    function: Handle,
    block_size: c_int,
    dynamic_shared: usize,
) -> c_int {
    answer(|| {
        let found = attributes(&find(function)?)?;
        let size = u32::try_from(block_size).ok().filter(|size| *size > 0).ok_or(Code::INVALID_VALUE)?;
        let fit = match size <= found.maximum_threads {
            true => blocks_that_fit(size, u64::from(found.shared_bytes).saturating_add(dynamic_shared as u64)),
            false => 0,
        };
        // SAFETY: the caller's pointer to a result.
        unsafe { put(blocks, fit as c_int) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    blocks: *mut c_int,
    function: Handle,
    block_size: c_int,
    dynamic_shared: usize,
    _flags: c_uint,
) -> c_int {
    // SAFETY: the same promise of the caller.
    unsafe { cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, block_size, dynamic_shared) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuOccupancyMaxPotentialBlockSize(
    grid_size: *mut c_int,
    block_size: *mut c_int,
    function: Handle,
    shared_of_block: Option<unsafe extern "C" fn(c_int) -> usize>,
    dynamic_shared: usize,
    block_size_limit: c_int,
) -> c_int {
    answer(|| {
        let found = attributes(&find(function)?)?;
        let limit = match block_size_limit {
            0 => found.maximum_threads,
            limit => found.maximum_threads.min(u32::try_from(limit).map_err(|_| Code::INVALID_VALUE)?),
        };
        let mut best = (0, 0, 0);
        for size in (32..=limit).rev().filter(|size| size % 32 == 0) {
            let dynamic = match shared_of_block {
                // SAFETY: the caller's function of a size of a block.
                Some(shared) => unsafe { shared(size as c_int) },
                None => dynamic_shared,
            };
            let fit = blocks_that_fit(size, u64::from(found.shared_bytes).saturating_add(dynamic as u64));
            // The larger block of two that fill the multiprocessor alike.
            best = best.max((fit * size, size, fit));
        }
        // SAFETY: the caller's pointers to results.
        unsafe {
            put(grid_size, best.2 as c_int * MULTIPROCESSORS)?;
            put(block_size, best.1 as c_int)
        }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn cuOccupancyAvailableDynamicSMemPerBlock(
    size: *mut usize,
    function: Handle,
    blocks: c_int,
    _block_size: c_int,
) -> c_int {
    answer(|| {
        let found = attributes(&find(function)?)?;
        let blocks = u64::try_from(blocks).ok().filter(|blocks| *blocks > 0).ok_or(Code::INVALID_VALUE)?;
        let share = (MAXIMUM_SHARED + RESERVED) / blocks;
        let free = share.saturating_sub(RESERVED + u64::from(found.shared_bytes));
        // SAFETY: the caller's pointer to a result.
        unsafe { put(size, free as usize) }
    })
}
