//! Device code of Fracas.
//!
//! Every function here is ordinary, safe, `no_std` Rust over scalars and slices. The library `fracas` calls them on
//! the CPU; the same source is what the GPU kernels are thin shells over, so the two sides cannot drift apart.

#![no_std]
#![deny(unsafe_code)]

pub mod cells;
pub mod morton;
pub mod node;
pub mod normal;
