//! Device code of Fracas.
//!
//! Every function here is ordinary, safe, `no_std` Rust over scalars and slices. The library `fracas` calls them on
//! the CPU; the same source is what the GPU kernels are thin shells over, so the two sides cannot drift apart.
//!
//! The body of a kernel does the work of one thread, whose number is its argument `index`. What that thread alone
//! writes, it returns or has as `&mut`; what threads share is atomic. So a kernel is index, bounds check, call, store,
//! and on the CPU a parallel iterator does the same without unsafe code.
//!
//! Those shells are `shells`; [`arguments`] is what a launch hands them. Their PTX is committed in `ptx/fracas.ptx` and made
//! again by `cargo xtask ptx`. With the feature `native` they also run on the host, for tests and for finding faults.

#![no_std]
#![deny(unsafe_code)]
#![cfg_attr(
    all(target_arch = "nvptx64", not(feature = "rust-cuda")),
    feature(abi_ptx, asm_experimental_arch, link_llvm_intrinsics, stdarch_nvptx),
    allow(internal_features, reason = "shuffles have no other name in the stock compiler")
)]
#![cfg_attr(
    feature = "rust-cuda",
    allow(unexpected_cfgs, reason = "cuda_std::kernel asks for a target that is no more")
)]

#[cfg(feature = "native")]
extern crate std;

pub mod arguments;
pub mod block;
pub mod build;
pub mod cells;
pub mod columns;
pub mod discretise;
pub mod extract;
pub mod inside;
pub mod islands;
pub mod morton;
#[cfg(feature = "native")]
pub mod native;
pub mod node;
pub mod normal;
pub mod pieces;
pub mod radix;
pub mod scan;
pub mod touch;
pub mod traverse;

#[cfg(any(target_arch = "nvptx64", feature = "rust-cuda", feature = "native"))]
#[allow(unsafe_code)]
#[allow(
    missing_docs,
    unreachable_pub,
    reason = "kernels are found by name; their documentation is that of the arguments"
)]
mod shells;

#[cfg(test)]
mod launch;
#[cfg(test)]
mod testing;
