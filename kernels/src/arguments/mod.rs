//! What each kernel is told: one `repr(C)` struct by value, the same on both sides of the launch.
//!
//! A struct is numbers of 64 bits and handles of device memory, so it has no gaps and its bytes are the kernel's parameter.
//! Its [`Kernel`] implementation says which kernel it is for and how many threads have something to do, which the host
//! makes the grid from and the kernel checks its index against.
//!
//! What a handle names has to stay alive until the kernel has ended. Two handles of a launch may name the same memory only
//! if the kernel writes neither, unless a field says otherwise.

mod handles;
mod slice;

pub mod build;
pub mod columns;
pub mod discretise;
pub mod extract;
pub mod fill;
pub mod inside;
pub mod islands;
pub mod pieces;
pub mod radix;
pub mod scan;
pub mod touch;
pub mod traverse;

pub use handles::{Access, Element, Handle, Handles};
pub use slice::{DeviceSlice, DeviceSliceMut};

use bytemuck::Pod;

/// The threads of a block, of all kernels.
pub const BLOCK: u32 = 256;

/// The arguments of a kernel.
pub trait Kernel: Pod + Handles {
    /// The kernel.
    const INFO: KernelInfo;

    /// How many threads have something to do. A grid may have fewer threads, which then do several threads' work.
    fn threads(&self) -> u64;
}

/// A kernel that also runs on the host, where device memory is plain memory.
///
/// # Safety
/// The kernel, here and on a device, comes to memory by those handles of its arguments alone that [`Handles`] visits, within
/// their bounds. On the host it writes only what it claims first.
#[cfg(feature = "native")]
#[allow(unsafe_code)]
pub unsafe trait NativeKernel: Kernel + Sync {
    /// Threads of the device whose work one turn does: the kernels of blocks do that of a block.
    const THREADS_OF_A_TURN: usize;

    /// Does the work of some turns, of which there are as many as [`threads`](Kernel::threads) are needed for. Several
    /// calls may run at once. To run a launch without a promise there is [`NativeMemory`](crate::native::NativeMemory).
    ///
    /// # Safety
    /// Each handle names memory of this process that is aligned for its elements, has a value in each byte, was exposed to
    /// casts from integers and stays until the call ends. Until then all that is done with it is done by this launch. A list
    /// that is written overlaps no other, and one of atomics none but those of atomics. The claims are those of this
    /// launch, and no turn of it is done twice.
    unsafe fn run(&self, claims: &crate::native::Claims, turns: core::ops::Range<usize>);
}

/// What there is to know of a kernel without a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// Its name in the PTX.
    pub name: &'static str,
    /// Threads of a block.
    pub block: u32,
    /// Bytes of shared memory of a block, all of it static.
    pub shared: u32,
    /// Bytes of the parameter.
    pub parameter: usize,
}

/// Every kernel.
pub const KERNELS: &[KernelInfo] = &joined::<KERNEL_COUNT>();

const TABLES: [&[KernelInfo]; 12] = [
    &build::KERNELS,
    &columns::KERNELS,
    &discretise::KERNELS,
    &extract::KERNELS,
    &fill::KERNELS,
    &inside::KERNELS,
    &islands::KERNELS,
    &pieces::KERNELS,
    &radix::KERNELS,
    &scan::KERNELS,
    &touch::KERNELS,
    &traverse::KERNELS,
];

const KERNEL_COUNT: usize = {
    let (mut count, mut table) = (0, 0);
    while table < TABLES.len() {
        count += TABLES[table].len();
        table += 1;
    }
    count
};

const fn joined<const COUNT: usize>() -> [KernelInfo; COUNT] {
    let mut kernels = [TABLES[0][0]; COUNT];
    let (mut next, mut table) = (0, 0);
    while table < TABLES.len() {
        let mut row = 0;
        while row < TABLES[table].len() {
            kernels[next] = TABLES[table][row];
            next += 1;
            row += 1;
        }
        table += 1;
    }
    kernels
}

/// Argument structs of a module, and the table of their kernels:
/// `Name("kernel", |arguments| threads) { fields }`, with the bytes of shared memory after the name if there is any.
macro_rules! arguments {
    ($($(#[$meta:meta])* $name:ident($kernel:literal $(, shared $shared:expr)?, |$me:ident| $threads:expr) {
        $($(#[$field_meta:meta])* $field:ident: $type:ty,)*
    })*) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Copy, Debug, ::bytemuck::Pod, ::bytemuck::Zeroable)]
            #[repr(C)]
            pub struct $name {
                $($(#[$field_meta])* pub $field: $type,)*
            }

            impl $crate::arguments::Kernel for $name {
                const INFO: $crate::arguments::KernelInfo = $crate::arguments::KernelInfo {
                    name: $kernel,
                    block: $crate::arguments::BLOCK,
                    shared: 0 $(+ $shared as u32)?,
                    parameter: size_of::<$name>(),
                };

                #[inline]
                fn threads(&self) -> u64 {
                    let $me = self;
                    $threads
                }
            }

            $crate::arguments::handles::visit!($name { $($field),* });
        )*

        /// The kernels of this module.
        pub const KERNELS: [$crate::arguments::KernelInfo; [$($kernel),*].len()] =
            [$(<$name as $crate::arguments::Kernel>::INFO),*];
    };
}
use arguments;
