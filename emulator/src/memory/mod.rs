//! Device memory: allocations at addresses that are never used again, and what is known of each byte.

mod allocation;
mod device;

pub(crate) use allocation::{Allocation, Kind};
pub(crate) use device::{AccessProblem, MemoryView};
pub use device::{Device, MemoryError};

/// Where the shared memory of a block stands among generic addresses.
pub(crate) const SHARED_WINDOW: u64 = 0x0100_0000_0000;
/// Where the local memory of a thread stands among generic addresses.
pub(crate) const LOCAL_WINDOW: u64 = 0x0110_0000_0000;
/// Where the parameters of a kernel stand among generic addresses.
pub(crate) const PARAMETER_WINDOW: u64 = 0x0120_0000_0000;
/// The addresses of functions, which are not memory.
pub(crate) const FUNCTION_WINDOW: u64 = 0x0130_0000_0000;
/// The first address of device memory.
pub(crate) const DEVICE_WINDOW: u64 = 0x0200_0000_0000;
/// The length of each window below device memory.
pub(crate) const WINDOW_SIZE: u64 = 0x0010_0000_0000;
