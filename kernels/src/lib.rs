//! Device code of Fracas.
//!
//! Every function here is ordinary, safe, `no_std` Rust over scalars and slices. The library `fracas` calls them on
//! the CPU; the same source is what the GPU kernels are thin shells over, so the two sides cannot drift apart.
//!
//! The body of a kernel does the work of one thread, whose number is its argument `index`. What that thread alone
//! writes, it returns or has as `&mut`; what threads share is atomic. So a kernel is index, bounds check, call, store,
//! and on the CPU a parallel iterator does the same without unsafe code.

#![no_std]
#![deny(unsafe_code)]

pub mod build;
pub mod cells;
pub mod columns;
pub mod discretise;
pub mod extract;
pub mod inside;
pub mod islands;
pub mod morton;
pub mod node;
pub mod normal;
pub mod scan;
pub mod touch;
pub mod traverse;

#[cfg(test)]
mod launch;
#[cfg(test)]
mod testing;
