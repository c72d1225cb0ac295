//! Running kernels: warps that step through the register program, blocks of warps, grids of blocks.

mod atomics;
mod barrier;
mod block;
mod call;
mod collective;
mod grid;
mod memory;
mod races;
mod special;
mod state;
mod step;

pub use grid::{Argument, Dimensions, KernelAttributes};
pub(crate) use grid::{MAXIMUM_SHARED, MAXIMUM_THREADS};
pub(crate) use state::LOCAL_LIMIT;

use crate::detect::race::GlobalAccesses;
use crate::error::FaultKind;
use crate::memory::MemoryView;
use crate::module::LoadedModule;
use crate::options::Options;
use std::sync::atomic::AtomicU32;

/// A fault before it has a name and a place: what, and which lane.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) kind: FaultKind,
    pub(crate) message: String,
    pub(crate) lane: Option<usize>,
    /// The line, if it is not that of the current instruction.
    pub(crate) place: Option<(u32, Option<(u32, u32)>)>,
}

impl Problem {
    pub(crate) fn new(kind: FaultKind, lane: Option<usize>, message: impl Into<String>) -> Box<Self> {
        Box::new(Self { kind, message: message.into(), lane, place: None })
    }
}

/// Everything that the blocks of one launch share.
pub(crate) struct Launch<'run> {
    pub(crate) loaded: &'run LoadedModule,
    pub(crate) kernel: u32,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) threads: u32,
    /// The parameter memory of the kernel, with the arguments in it.
    pub(crate) parameters: Vec<u8>,
    /// The place of each shared variable; those that the kernel does not use have none.
    pub(crate) shared_offsets: Vec<u32>,
    pub(crate) dynamic_shared: u32,
    pub(crate) total_shared: u32,
    pub(crate) memory: MemoryView,
    pub(crate) options: &'run Options,
    pub(crate) races: Option<GlobalAccesses>,
    pub(crate) number: u64,
    pub(crate) started: std::time::Instant,
    /// The lowest number of a block that failed: those behind it need not go on.
    pub(crate) failed: AtomicU32,
}
