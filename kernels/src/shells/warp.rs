//! Instructions by which threads meet, in the two compilers' ways.

#[cfg(not(feature = "rust-cuda"))]
pub(super) use intrinsics::*;
#[cfg(feature = "rust-cuda")]
pub(super) use rust_cuda::*;

/// Intrinsics and no assembly: LLVM knows of them that all lanes have to come to the same one, and so does not make two of
/// them on two ways. The compiler has no word to say that of assembly.
#[cfg(not(feature = "rust-cuda"))]
mod intrinsics {
    pub(in crate::shells) use core::arch::nvptx::_syncthreads as barrier;

    unsafe extern "C" {
        #[link_name = "llvm.nvvm.bar.warp.sync"]
        pub(in crate::shells) fn warp_barrier(mask: u32);
        #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
        pub(in crate::shells) fn shuffle(mask: u32, value: u32, lane: u32, last: u32) -> u32;
        #[link_name = "llvm.nvvm.shfl.sync.up.i32"]
        pub(in crate::shells) fn shuffle_up(mask: u32, value: u32, lanes: u32, first: u32) -> u32;
        #[link_name = "llvm.nvvm.match.any.sync.i32"]
        pub(in crate::shells) fn same(mask: u32, value: u32) -> u32;
    }
}

/// What the published cuda_std lacks is assembly, as in that project itself. On the host nothing of it runs.
#[cfg(feature = "rust-cuda")]
#[cfg_attr(not(target_arch = "nvptx64"), allow(unused_variables, unreachable_code))]
mod rust_cuda {
    pub(in crate::shells) use cuda_std::warp::sync_warp as warp_barrier;

    pub(in crate::shells) unsafe fn barrier() {
        cuda_std::thread::sync_threads();
    }

    macro_rules! instruction {
        ($($code:tt)*) => {{
            #[cfg(target_arch = "nvptx64")]
            // SAFETY: the caller's promise that all lanes of the mask come here.
            unsafe {
                core::arch::asm!($($code)*)
            };
            #[cfg(not(target_arch = "nvptx64"))]
            unimplemented!("only on a device")
        }};
    }

    #[inline]
    pub(in crate::shells) unsafe fn shuffle(mask: u32, value: u32, lane: u32, last: u32) -> u32 {
        let result: u32;
        instruction!("shfl.sync.idx.b32 {}, {}, {}, {}, {};",
            out(reg32) result, in(reg32) value, in(reg32) lane, in(reg32) last, in(reg32) mask);
        result
    }

    #[inline]
    pub(in crate::shells) unsafe fn shuffle_up(mask: u32, value: u32, lanes: u32, first: u32) -> u32 {
        let result: u32;
        instruction!("shfl.sync.up.b32 {}, {}, {}, {}, {};",
            out(reg32) result, in(reg32) value, in(reg32) lanes, in(reg32) first, in(reg32) mask);
        result
    }

    #[inline]
    pub(in crate::shells) unsafe fn same(mask: u32, value: u32) -> u32 {
        let result: u32;
        instruction!("match.any.sync.b32 {}, {}, {};", out(reg32) result, in(reg32) value, in(reg32) mask);
        result
    }
}
