//! The kernels: index, bounds check, call, store.
//!
//! One macro writes them in two forms: `extern "ptx-kernel"` for the stock compiler, `#[cuda_std::kernel]` for rust-cuda.
//! On the host they exist only with the feature `rust-cuda`, and only to be type-checked.
//!
//! Every kernel takes the struct of [`arguments`](crate::arguments) that names it. Its loop goes over the indices in steps
//! of the grid, so that any grid does all of the work.

mod build;
mod columns;
mod discretise;
mod extract;
mod inside;
mod islands;
mod machine;
mod memory;
mod touch;
mod traverse;

/// Kernels with a thread for each index: `kernel(memory, arguments: Type, index) { body }`.
macro_rules! kernels {
    ($($name:ident($memory:ident, $arguments:ident: $type:ty, $index:ident) $body:block)*) => { $(
        const _: () = assert!(
            $crate::shells::is_same(stringify!($name), <$type as $crate::arguments::Kernel>::INFO.name),
            "the arguments are those of another kernel"
        );

        /// # Safety
        /// The arguments are as their type's documentation says, and their memory stays until the kernel ends.
        #[cfg(feature = "rust-cuda")]
        #[cuda_std::kernel]
        pub unsafe fn $name($arguments: $type) {
            // SAFETY: this function's own promise.
            let $memory = unsafe { $crate::shells::memory::Memory::of_launch() };
            $crate::shells::machine::for_each_index($crate::arguments::Kernel::threads(&$arguments), |$index| $body);
        }

        /// # Safety
        /// The arguments are as their type's documentation says, and their memory stays until the kernel ends.
        #[unsafe(no_mangle)]
        #[cfg(not(feature = "rust-cuda"))]
        pub unsafe extern "ptx-kernel" fn $name($arguments: $type) {
            // SAFETY: this function's own promise.
            let $memory = unsafe { $crate::shells::memory::Memory::of_launch() };
            $crate::shells::machine::for_each_index($crate::arguments::Kernel::threads(&$arguments), |$index| $body);
        }
    )* };
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
