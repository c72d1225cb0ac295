//! The kernels: index, bounds check, call, store.
//!
//! One macro writes them in three forms: `extern "ptx-kernel"` for the stock compiler, `#[cuda_std::kernel]` for rust-cuda,
//! and `NativeKernel` for the host with the feature `native`. On the host those of rust-cuda are only type-checked.
//!
//! Every kernel takes the struct of [`arguments`](crate::arguments) that names it, and goes on in steps of the grid.

#[cfg(not(feature = "native"))]
mod block;
mod build;
#[cfg(feature = "native")]
mod claimed;
mod columns;
mod discretise;
mod extract;
mod fill;
mod inside;
mod islands;
#[cfg(not(feature = "native"))]
mod machine;
mod memory;
mod pieces;
#[cfg(not(feature = "native"))]
mod radix;
#[cfg(not(feature = "native"))]
mod scan;
#[cfg(feature = "native")]
mod serial;
mod touch;
mod traverse;
#[cfg(not(feature = "native"))]
mod warp;

/// Kernels with a thread for each index, `kernel(memory, arguments: Type, index) { body }`, or with a block for each tile,
/// `kernel(memory, arguments: Type, block, tile) { body }`.
macro_rules! kernels {
    ($($name:ident($memory:ident, $arguments:ident: $type:ty, $($place:ident),+) $body:block)*) => { $(
        const _: () = assert!(
            $crate::shells::is_same(stringify!($name), <$type as $crate::arguments::Kernel>::INFO.name),
            "the arguments are those of another kernel"
        );

        // SAFETY: it comes to memory by handles of the arguments alone, each of which `Handles` visits.
        #[cfg(feature = "native")]
        unsafe impl $crate::arguments::NativeKernel for $type {
            const THREADS_OF_A_TURN: usize = 1;
            unsafe fn run(&self, claims: &$crate::native::Claims, turns: core::ops::Range<usize>) {
                // SAFETY: this function's own promise.
                let $memory = unsafe { $crate::shells::native_memory(claims) };
                let $arguments = self;
                kernels!(@native $memory, turns, ($($place),+) $body);
            }
        }

        /// # Safety
        /// The arguments are as their type's documentation says, and their memory stays until the kernel ends.
        #[cfg(all(target_arch = "nvptx64", not(feature = "rust-cuda")))]
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $name($arguments: $type) {
            // SAFETY: this function's own promise.
            let $memory = unsafe { $crate::shells::memory::Memory::of_launch($crate::shells::memory::Turn) };
            kernels!(@turns &$arguments, ($($place),+) $body);
        }

        /// # Safety
        /// The arguments are as their type's documentation says, and their memory stays until the kernel ends.
        #[cfg(all(feature = "rust-cuda", not(feature = "native")))]
        #[cuda_std::kernel]
        pub unsafe fn $name($arguments: $type) {
            // SAFETY: this function's own promise.
            let $memory = unsafe { $crate::shells::memory::Memory::of_launch($crate::shells::memory::Turn) };
            kernels!(@turns &$arguments, ($($place),+) $body);
        }
    )* };
    (@native $memory:ident, $turns:expr, ($index:ident) $body:block) => {
        $turns.map(|turn| (turn, $memory.of_turn(turn))).for_each(|($index, $memory)| $body)
    };
    (@turns $arguments:expr, ($index:ident) $body:block) => {
        $crate::shells::machine::for_each_index($arguments, |$index| $body)
    };
    (@turns $arguments:expr, ($block:ident, $tile:ident) $body:block) => {
        $crate::shells::block::for_each_tile($arguments, |$block, $tile| $body)
    };
}
use kernels;

/// The memory of a launch on the host.
///
/// # Safety
/// The promise of [`NativeKernel::run`](crate::arguments::NativeKernel::run); the claims stay until the call ends.
#[cfg(feature = "native")]
unsafe fn native_memory(claims: &crate::native::Claims) -> memory::Memory {
    // SAFETY: this function's own promise.
    unsafe { memory::Memory::of_launch(claimed::Turn::of_launch(claims)) }
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut place = 0;
    while place < one.len() && place < other.len() && one[place] == other[place] {
        place += 1;
    }
    place == one.len() && place == other.len()
}
