//! The register program that PTX is lowered to: decoded once, run by every warp.

mod operation;

pub(crate) use operation::{
    Address, Argument, Atomic, AtomicOperation, BarrierForm, BarrierReduction, Callee, Combine, Formal, Operation,
    Order, Reduction, Scope, Shuffle, ShuffleForm, Special, Vote, VoteTarget,
};

use serde::Serialize;

/// Threads of a warp.
pub(crate) const WARP: usize = 32;

/// One register of all the threads of a warp.
pub(crate) type Lanes = [u64; WARP];

/// What an instruction computes, for the lanes of a mask.
pub(crate) type WarpFunction = Box<dyn Fn(&mut Lanes, &Lanes, &Lanes, &Lanes, u32) + Send + Sync>;

/// A test of two registers, for the lanes of a mask.
pub(crate) type WarpTest = Box<dyn Fn(&Lanes, &Lanes, u32) -> u32 + Send + Sync>;

/// An instruction with a carry: result and carry out of three operands and the carry in.
pub(crate) type CarryFunction = Box<dyn Fn(u64, u64, u64, bool) -> (u64, bool) + Send + Sync>;

/// Makes one function of a warp out of one of a thread, so that the loop over the lanes is compiled with it.
pub(crate) fn lift<F>(function: F) -> WarpFunction
where
    F: Fn(u64, u64, u64) -> u64 + Send + Sync + 'static,
{
    Box::new(move |out, first, second, third, mask| {
        if mask == u32::MAX {
            for lane in 0..WARP {
                out[lane] = function(first[lane], second[lane], third[lane]);
            }
        } else {
            for lane in lanes(mask) {
                out[lane] = function(first[lane], second[lane], third[lane]);
            }
        }
    })
}

/// The same for a test.
pub(crate) fn lift_test<F>(function: F) -> WarpTest
where
    F: Fn(u64, u64) -> bool + Send + Sync + 'static,
{
    Box::new(move |first, second, mask| {
        lanes(mask).fold(0, |found, lane| found | u32::from(function(first[lane], second[lane])) << lane)
    })
}

/// The set bits of a mask, from the lowest.
pub(crate) fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let lane = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            lane
        })
    })
}

/// Where an operand comes from.
pub(crate) enum Source {
    Register(u32),
    Immediate(Box<Lanes>),
    /// A module variable in global or constant memory: its address is known when the module is loaded.
    Symbol(u32, i64),
    /// A shared variable: its address is known when a kernel is launched.
    Shared(u32, i64),
    /// A place in the local memory of the current call.
    Local(i64),
}

impl Source {
    pub(crate) fn immediate(value: u64) -> Self {
        Self::Immediate(Box::new([value; WARP]))
    }
}

/// A predicate operand.
#[derive(Debug, Clone, Copy)]
pub(crate) enum PredicateSource {
    Register { slot: u32, negated: bool },
    Constant(bool),
}

/// A register to write.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    pub(crate) slot: u32,
    pub(crate) bits: u32,
}

/// How predicates are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Boolean {
    And,
    Or,
    Xor,
    /// The first operand alone.
    First,
}

/// What kind of work an instruction is, for the counts of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum InstructionClass {
    /// Integer arithmetic.
    Integer,
    /// Logic, shifts and bit fields.
    Bits,
    /// Single-precision arithmetic.
    Float32,
    /// Double-precision arithmetic.
    Float64,
    /// Division, roots and approximate functions.
    SpecialFunction,
    /// `cvt`, `cvta`
    Conversion,
    /// Comparisons, predicates and selections.
    Comparison,
    /// Moves and special registers.
    Move,
    /// Loads of global or generic memory.
    LoadGlobal,
    /// Stores to global or generic memory.
    StoreGlobal,
    /// Loads of shared memory.
    LoadShared,
    /// Stores to shared memory.
    StoreShared,
    /// Local memory: the stack and spilled registers.
    Local,
    /// Parameters and constants.
    Constant,
    /// `atom` and `red`
    Atomic,
    /// Shuffles, votes and other exchanges of a warp.
    Warp,
    /// Barriers and fences.
    Synchronisation,
    /// Branches, calls, returns.
    Control,
}

/// An instruction with what the reports and the profile need.
pub(crate) struct Instruction {
    pub(crate) operation: Operation,
    pub(crate) guard: Option<(u32, bool)>,
    pub(crate) line: u32,
    pub(crate) location: Option<(u32, u32)>,
    pub(crate) class: InstructionClass,
}

/// No instruction: lanes that go there have all left.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// A lowered function.
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) kernel: bool,
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) registers: u32,
    pub(crate) predicates: u32,
    pub(crate) parameters: Vec<Formal>,
    pub(crate) results: Vec<Formal>,
    /// Bytes of parameter memory of one call, for each thread.
    pub(crate) parameter_bytes: u32,
    /// Bytes of local memory of one call, for each thread.
    pub(crate) local_bytes: u32,
    /// What the start of that memory is a multiple of.
    pub(crate) local_alignment: u32,
    pub(crate) shared: Vec<u32>,
    pub(crate) calls: Vec<u32>,
    pub(crate) calls_indirectly: bool,
    pub(crate) required_threads: Option<[u32; 3]>,
    pub(crate) maximum_threads: Option<[u32; 3]>,
}
