//! A software CUDA driver: it parses the PTX that LLVM emits and runs it on the CPU, to test kernels without a GPU.
//!
//! It is an instrument and not a fast machine. Warps of 32 lanes run with an active mask and a reconvergence stack,
//! blocks run in parallel, atomics are real atomics; and every access is checked, so that what a device hides is
//! reported with the kernel, the thread and the line of PTX: accesses out of bounds or misaligned, uses after a free,
//! reads of memory that nothing wrote, barriers that not all threads reach and, on request, data races.
//!
//! The library form is [`Module`], [`Device`] and [`Options`]; the shared library has the functions of `libcuda.so`
//! that the crate cust calls, see the README.
//!
//! ```
//! use fracas_emulator::{Device, Dimensions, Module, Options};
//!
//! let module = Module::parse(
//!     ".version 7.0 .target sm_70 .address_size 64
//!      .visible .entry number(.param .u64 out) {
//!          .reg .b32 %r<2>; .reg .b64 %rd<4>;
//!          ld.param.u64 %rd1, [out];
//!          mov.u32 %r1, %tid.x;
//!          mul.wide.u32 %rd2, %r1, 4;
//!          add.s64 %rd3, %rd1, %rd2;
//!          st.global.u32 [%rd3], %r1;
//!          ret;
//!      }",
//! )?;
//! let device = Device::new();
//! let module = device.load(module)?;
//! let out = device.allocate(64 * 4)?;
//! let profile = device.launch(&module, "number", Dimensions::linear(1, 64), &[out.into()], &Options::default())?;
//! assert_eq!(profile.sectors_per_request(), 4.0);
//! let mut bytes = [0; 64 * 4];
//! device.read(out, &mut bytes)?;
//! assert_eq!(bytes[40], 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod detect;
mod driver;
mod error;
mod execute;
mod flow;
mod lower;
mod memory;
mod module;
mod number;
mod options;
mod profile;
mod program;
mod ptx;

pub use error::{Fault, FaultKind, PtxError, ThreadPosition};
pub use execute::{Argument, Dimensions, KernelAttributes};
pub use memory::{Device, MemoryError};
pub use module::{LoadedModule, Module};
pub use options::Options;
pub use profile::{InstructionCounts, Profile};
pub use program::InstructionClass;
