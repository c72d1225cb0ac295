//! The state of a warp and of a block.

use super::Launch;
use crate::detect::race::{Accesses, Knowledge, View};
use crate::profile::Profile;
use crate::program::{Function, Lanes, NOWHERE, WARP};

/// Bytes of local memory that a thread can have, as on a device.
pub(crate) const LOCAL_LIMIT: u32 = 512 << 10;
/// Calls that can be nested, and the registers that they may have in all, because those of each call are kept.
pub(crate) const DEPTH_LIMIT: usize = 4096;
pub(crate) const REGISTER_LIMIT: usize = 1 << 19;

/// Lanes that run together, and where they wait for the others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Path {
    pub(crate) next: u32,
    pub(crate) reconverge: u32,
    pub(crate) mask: u32,
}

/// One call of a function by some lanes of a warp.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) function: u32,
    /// The reconvergence stack: the last path runs.
    pub(crate) paths: Vec<Path>,
    pub(crate) registers: usize,
    pub(crate) predicates: usize,
    pub(crate) parameters: usize,
    pub(crate) parameter_bytes: usize,
    pub(crate) local: u32,
    /// The lanes that made the call.
    pub(crate) callers: u32,
}

/// Why a warp does not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Ready,
    /// At this barrier of the block.
    Waiting(usize),
    Finished,
}

/// A warp.
#[derive(Debug)]
pub(crate) struct Warp {
    pub(crate) index: u32,
    pub(crate) status: Status,
    /// Lanes that exist and have not exited.
    pub(crate) live: u32,
    pub(crate) frames: Vec<Frame>,
    pub(crate) registers: Vec<Lanes>,
    pub(crate) predicates: Vec<u32>,
    /// Parameter memory of each call: for each lane its bytes.
    pub(crate) parameters: Vec<u8>,
    /// Local memory in words of 8 bytes, and which bytes of them were written.
    pub(crate) local: Vec<Lanes>,
    pub(crate) local_written: Vec<[u8; WARP]>,
    pub(crate) executed: u64,
    /// The allocation used last.
    pub(crate) hint: usize,
    pub(crate) race: WarpRace,
}

/// What the race detector keeps for a warp.
#[derive(Debug, Default)]
pub(crate) struct WarpRace {
    /// Barriers that the warp has passed, its own and those of the block.
    pub(crate) epoch: u32,
    /// Fences and arrivals at barriers.
    pub(crate) clock: u32,
    /// The fences and barriers of other warps of the block whose effects this one has seen.
    pub(crate) known_warps: Knowledge,
    /// What atomic reads may have learned, before the fence that makes it sure.
    pub(crate) pending: View,
}

/// One of the sixteen barriers of a block.
#[derive(Debug, Clone, Default)]
pub(crate) struct Barrier {
    /// Warps that wait.
    pub(crate) waiting: u32,
    /// Threads that arrived, waiting or not.
    pub(crate) arrived: u32,
    /// How many make it complete; none means all of the block.
    pub(crate) expected: Option<u32>,
    /// The line of the first one, to compare with the others, and whether all must be on it.
    pub(crate) line: u32,
    pub(crate) aligned: bool,
    /// Predicates of a reduction: how many, how many true.
    pub(crate) voters: u32,
    pub(crate) votes: u32,
    /// What those who arrived did and knew, and what their atomic reads may have learned.
    pub(crate) known_warps: Knowledge,
    pub(crate) pending: View,
}

/// What the detector of races keeps for a block.
#[derive(Debug, Default)]
pub(crate) struct BlockRace {
    pub(crate) shared: Accesses,
    /// Fences, counted; and the last of them.
    pub(crate) clock: u32,
    pub(crate) fenced: View,
    /// The fences of other blocks whose effects this one has seen.
    pub(crate) known_blocks: Knowledge,
}

/// The state of a block without its warps.
pub(crate) struct BlockState<'run> {
    pub(crate) launch: &'run Launch<'run>,
    pub(crate) position: [u32; 3],
    pub(crate) number: u32,
    /// Shared memory in words of 8 bytes, and which bytes of them were written.
    pub(crate) shared: Vec<u64>,
    pub(crate) shared_written: Vec<u8>,
    pub(crate) barriers: Vec<Barrier>,
    pub(crate) profile: Profile,
    pub(crate) race: Option<BlockRace>,
    /// Threads that have exited.
    pub(crate) exited: u32,
}

impl Warp {
    pub(crate) fn new(index: u32, launch: &Launch<'_>) -> Self {
        let lanes = (launch.threads - index * WARP as u32).min(WARP as u32);
        let live = if lanes == 32 { u32::MAX } else { (1 << lanes) - 1 };
        let mut warp = Self {
            index,
            status: Status::Ready,
            live,
            frames: Vec::new(),
            registers: Vec::new(),
            predicates: Vec::new(),
            parameters: Vec::new(),
            local: Vec::new(),
            local_written: Vec::new(),
            executed: 0,
            hint: 0,
            race: WarpRace::default(),
        };
        warp.push_frame(launch, launch.kernel, live);
        let bytes = launch.parameters.len();
        for lane in 0..WARP {
            warp.parameters[lane * bytes..(lane + 1) * bytes].copy_from_slice(&launch.parameters);
        }
        warp
    }

    /// Where the local memory of a call begins.
    pub(crate) fn next_local(&self, launch: &Launch<'_>, callee: &Function) -> u32 {
        let end = self
            .frames
            .last()
            .map_or(0, |frame| frame.local + launch.loaded.module.code.functions[frame.function as usize].local_bytes);
        end.next_multiple_of(callee.local_alignment)
    }

    /// Room for a call.
    pub(crate) fn push_frame(&mut self, launch: &Launch<'_>, function: u32, callers: u32) {
        let code = &launch.loaded.module.code.functions[function as usize];
        let local = self.next_local(launch, code);
        let frame = Frame {
            function,
            paths: vec![Path { next: 0, reconverge: NOWHERE, mask: callers }],
            registers: self.registers.len(),
            predicates: self.predicates.len(),
            parameters: self.parameters.len(),
            parameter_bytes: code.parameter_bytes as usize,
            local,
            callers,
        };
        self.registers.resize(frame.registers + code.registers as usize, [0; WARP]);
        self.predicates.resize(frame.predicates + code.predicates as usize, 0);
        self.parameters.resize(frame.parameters + WARP * frame.parameter_bytes, 0);
        let words = (local + code.local_bytes) as usize / 8;
        if self.local.len() < words {
            self.local.resize(words, [0; WARP]);
            self.local_written.resize(words, [0; WARP]);
        }
        // A new call must not see what an earlier one left on the stack, for the lanes that make it.
        for written in &mut self.local_written[local as usize / 8..words] {
            for lane in crate::program::lanes(callers) {
                written[lane] = 0;
            }
        }
        self.frames.push(frame);
    }

    pub(crate) fn pop_frame(&mut self) -> Option<Frame> {
        let frame = self.frames.pop()?;
        self.registers.truncate(frame.registers);
        self.predicates.truncate(frame.predicates);
        self.parameters.truncate(frame.parameters);
        Some(frame)
    }

    /// Removes lanes that exit from every path of every call.
    pub(crate) fn exit(&mut self, lanes: u32) {
        self.live &= !lanes;
        for path in self.frames.iter_mut().flat_map(|frame| &mut frame.paths) {
            path.mask &= !lanes;
        }
        for frame in &mut self.frames {
            frame.callers &= !lanes;
        }
    }
}

impl BlockState<'_> {
    /// `%tid` of a lane.
    pub(crate) fn thread(&self, warp: u32, lane: usize) -> [u32; 3] {
        let [x, y, _] = self.launch.block;
        let linear = warp * WARP as u32 + lane as u32;
        [linear % x, linear / x % y, linear / (x * y)]
    }
}
