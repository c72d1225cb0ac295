//! The kernels: index, bounds check, call, store.
//!
//! One macro writes them in two forms: `extern "ptx-kernel"` for the stock compiler, `#[cuda_std::kernel]` for rust-cuda.
//! On the host they exist only with the feature `rust-cuda`, and only to be type-checked.
//!
//! Every kernel takes the struct of [`arguments`](crate::arguments) that names it. Its loop goes over the indices in steps
//! of the grid, so that any grid does all of the work.

mod block;
mod build;
mod columns;
mod discretise;
mod extract;
mod inside;
mod islands;
mod machine;
mod memory;
mod radix;
mod scan;
mod touch;
mod traverse;
mod warp;

/// Kernels with a thread for each index, `kernel(memory, arguments: Type, index) { body }`, or with a block for each tile,
/// `kernel(memory, arguments: Type, block, tile) { body }`.
macro_rules! kernels {
    ($($name:ident($memory:ident, $arguments:ident: $type:ty, $($place:ident),+) $body:block)*) => { $(
        const _: () = assert!(
            $crate::shells::is_same(stringify!($name), <$type as $crate::arguments::Kernel>::INFO.name),
            "the arguments are those of another kernel"
        );

        /// # Safety
        /// The arguments are as their type's documentation says, and their memory stays until the kernel ends.
        #[cfg(not(feature = "rust-cuda"))]
        #[unsafe(no_mangle)]
        pub unsafe extern "ptx-kernel" fn $name($arguments: $type) {
            // SAFETY: this function's own promise.
            let $memory = unsafe { $crate::shells::memory::Memory::of_launch() };
            kernels!(@turns &$arguments, ($($place),+) $body);
        }

        /// # Safety
        /// The arguments are as their type's documentation says, and their memory stays until the kernel ends.
        #[cfg(feature = "rust-cuda")]
        #[cuda_std::kernel]
        pub unsafe fn $name($arguments: $type) {
            // SAFETY: this function's own promise.
            let $memory = unsafe { $crate::shells::memory::Memory::of_launch() };
            kernels!(@turns &$arguments, ($($place),+) $body);
        }
    )* };
    (@turns $arguments:expr, ($index:ident) $body:block) => {
        $crate::shells::machine::for_each_index($arguments, |$index| $body)
    };
    (@turns $arguments:expr, ($block:ident, $tile:ident) $body:block) => {
        $crate::shells::block::for_each_tile($arguments, |$block, $tile| $body)
    };
}
use kernels;

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut place = 0;
    while place < one.len() && place < other.len() && one[place] == other[place] {
        place += 1;
    }
    place == one.len() && place == other.len()
}
