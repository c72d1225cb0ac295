//! What a thread asks the device.

use crate::arguments::Kernel;

#[cfg(not(feature = "rust-cuda"))]
pub(super) mod registers {
    use core::arch::nvptx;

    /// A special register, which every thread may read.
    macro_rules! register {
        ($name:ident, $intrinsic:ident) => {
            #[inline]
            pub(in crate::shells) fn $name() -> u32 {
                // SAFETY: the intrinsic only reads a register.
                unsafe { nvptx::$intrinsic() as u32 }
            }
        };
    }

    register!(thread_idx_x, _thread_idx_x);
    register!(block_idx_x, _block_idx_x);
    register!(block_dim_x, _block_dim_x);
    register!(grid_dim_x, _grid_dim_x);
}

#[cfg(feature = "rust-cuda")]
pub(super) use cuda_std::thread as registers;

/// Calls the body with the thread's index and, in steps of the grid, with every further one that there is work for.
#[inline]
pub(super) fn for_each_index(arguments: &impl Kernel, mut body: impl FnMut(usize)) {
    let count = arguments.threads();
    let block = u64::from(registers::block_dim_x());
    let step = block * u64::from(registers::grid_dim_x());
    let mut index = u64::from(registers::block_idx_x()) * block + u64::from(registers::thread_idx_x());
    while index < count {
        body(index as usize);
        index += step;
    }
}

/// A failed check stops the launch. What it would have said is not worth the code that formats it.
#[cfg(all(target_arch = "nvptx64", not(feature = "rust-cuda")))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: ends the launch.
    unsafe { core::arch::nvptx::trap() }
}
