//! The functions of the CUDA driver that the crate cust calls, under the names that it links.
//!
//! Everything is done at once: a copy or a launch on a stream has ended when its function returns, which the rules of
//! streams allow. A fault of a kernel is printed and stays: every later call answers with its error until the context
//! is reset, as on a device.

mod code;
mod context;
mod device;
mod event;
mod function;
mod launch;
mod memory;
mod module;
mod occupancy;
mod settings;
mod state;
mod stream;
mod unsupported;
