//! A block of the device.

use super::machine::registers;
use super::warp;
use crate::arguments::{BLOCK, Kernel};
use crate::block::{Block, THREADS};

const _: () = assert!(BLOCK as usize == THREADS);

/// The lanes of a full warp.
const ALL: u32 = u32::MAX;

/// Where a shuffle from a given lane ends.
const LAST_LANE: u32 = 31;

/// Where a shuffle from lanes before ends.
const FIRST_LANE: u32 = 0;

/// A thread of a block, on the device.
pub(super) struct DeviceBlock {
    thread: usize,
}

/// Calls the body with every tile that is the block's turn. All threads of the block go the same way, and none is in the
/// next tile while another still reads the shared memory of this one.
#[inline]
pub(super) fn for_each_tile(arguments: &impl Kernel, mut body: impl FnMut(&DeviceBlock, usize)) {
    let tiles = arguments.threads() as usize / THREADS;
    let block = DeviceBlock { thread: registers::thread_idx_x() as usize };
    let mut tile = registers::block_idx_x() as usize;
    while tile < tiles {
        body(&block, tile);
        block.barrier();
        tile += registers::grid_dim_x() as usize;
    }
}

/// `shared!(function, "name", words)` is a function that returns so many words of shared memory. Nothing is in them at
/// first.
macro_rules! shared {
    ($function:ident, $name:literal, $words:expr) => {
        #[cfg(not(feature = "rust-cuda"))]
        core::arch::global_asm!(concat!(".shared .align 16 .b8 ", $name, "[{}];"), const 4 * $words);

        #[inline]
        fn $function<'a>() -> &'a $crate::block::Shared {
            #[cfg(not(feature = "rust-cuda"))]
            let address = {
                let address: u64;
                // SAFETY: the name is that of the line above.
                unsafe {
                    core::arch::asm!(
                        concat!("mov.u64 {0}, ", $name, ";"),
                        "cvta.shared.u64 {0}, {0};",
                        out(reg64) address,
                        options(pure, nomem, nostack)
                    );
                }
                address as *const core::sync::atomic::AtomicU32
            };
            #[cfg(feature = "rust-cuda")]
            let address = cuda_std::shared_array![u32; $words] as *const core::sync::atomic::AtomicU32;
            // SAFETY: so many words, which threads only use as atomics, for as long as the block lives.
            unsafe { core::slice::from_raw_parts(address, $words) }
        }
    };
}
pub(super) use shared;

impl Block for DeviceBlock {
    #[inline]
    fn thread(&self) -> usize {
        self.thread
    }

    #[inline]
    fn barrier(&self) {
        // SAFETY: all threads of the block come here, as the trait asks.
        unsafe { warp::barrier() }
    }

    #[inline]
    fn warp_barrier(&self) {
        // SAFETY: all lanes of the warp come here, as the trait asks.
        unsafe { warp::warp_barrier(ALL) }
    }

    #[inline]
    fn shuffle(&self, value: u32, lane: usize) -> u32 {
        // SAFETY: all lanes of the warp come here, as the trait asks.
        unsafe { warp::shuffle(ALL, value, lane as u32, LAST_LANE) }
    }

    #[inline]
    fn shuffle_up(&self, value: u32, lanes: usize) -> u32 {
        // SAFETY: all lanes of the warp come here, as the trait asks.
        unsafe { warp::shuffle_up(ALL, value, lanes as u32, FIRST_LANE) }
    }

    #[inline]
    fn same(&self, value: u32) -> u32 {
        // SAFETY: all lanes of the warp come here, as the trait asks.
        unsafe { warp::same(ALL, value) }
    }
}
