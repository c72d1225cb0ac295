//! The register program that PTX is lowered to: decoded once, run by every warp.

use crate::ptx::types::{ScalarType, Space};
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

/// The special registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Special {
    Thread(usize),
    ThreadCount(usize),
    Block(usize),
    BlockCount(usize),
    Lane,
    Warp,
    WarpCount,
    Multiprocessor,
    MultiprocessorCount,
    Grid,
    LaneMaskEqual,
    LaneMaskLess,
    LaneMaskLessOrEqual,
    LaneMaskGreater,
    LaneMaskGreaterOrEqual,
    Clock,
    ClockHigh,
    Clock64,
    GlobalTimer,
    DynamicSharedSize,
    TotalSharedSize,
}

/// An address operand.
pub(crate) struct Address {
    pub(crate) base: Source,
    pub(crate) offset: i64,
}

/// How an access is ordered with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// A plain access: two of them may race.
    Weak,
    /// `.volatile` and `.relaxed`
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
}

impl Order {
    pub(crate) fn acquires(self) -> bool {
        matches!(self, Self::Acquire | Self::AcquireRelease)
    }

    pub(crate) fn releases(self) -> bool {
        matches!(self, Self::Release | Self::AcquireRelease)
    }
}

/// The read-modify-write operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtomicOperation {
    Add,
    Minimum,
    Maximum,
    And,
    Or,
    Xor,
    Exchange,
    CompareAndSwap,
    Increment,
    Decrement,
}

/// The modes of `shfl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shuffle {
    Up,
    Down,
    Butterfly,
    Index,
}

/// The modes of `vote`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vote {
    All,
    Any,
    Uniform,
    Ballot,
}

/// The reductions of `redux`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reduction {
    Add,
    Minimum,
    Maximum,
    And,
    Or,
    Xor,
}

/// The reductions of `bar.red`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum BarrierReduction {
    Count(Target),
    And(u32),
    Or(u32),
}

/// A call's argument or result.
pub(crate) enum Argument {
    /// Bytes of the caller's parameter memory.
    Memory {
        offset: u32,
        size: u32,
    },
    Value(Source),
}

/// Where a formal parameter of a function lies.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Formal {
    Memory { offset: u32, size: u32 },
    Register { slot: u32, bits: u32 },
}

/// What is called.
pub(crate) enum Callee {
    Function(u32),
    Indirect(Source),
}

/// One decoded instruction.
pub(crate) enum Operation {
    Compute {
        function: WarpFunction,
        target: Target,
        sources: [Source; 3],
    },
    Carry {
        function: CarryFunction,
        target: Target,
        sources: [Source; 3],
        writes: bool,
    },
    Compare {
        test: WarpTest,
        first: Option<u32>,
        second: Option<u32>,
        sources: [Source; 2],
        combine: Combine,
    },
    SetValue {
        test: WarpTest,
        target: Target,
        sources: [Source; 2],
        combine: Combine,
        yes: u64,
    },
    Predicate {
        operator: Boolean,
        target: u32,
        left: PredicateSource,
        right: PredicateSource,
    },
    /// `lop3` with a predicate: the value is not zero, combined with another predicate.
    Logic3 {
        function: WarpFunction,
        target: Option<Target>,
        sources: [Source; 3],
        predicate: u32,
        combine: Combine,
    },
    Select {
        target: Target,
        sources: [Source; 2],
        predicate: PredicateSource,
    },
    Special {
        target: Target,
        register: Special,
    },
    Pack {
        target: Target,
        parts: Vec<Source>,
        part_bits: u32,
    },
    Unpack {
        targets: Vec<Option<Target>>,
        source: Source,
        part_bits: u32,
    },
    /// `cvta`, to or from the generic window of a space.
    ConvertAddress {
        target: Target,
        source: Source,
        space: Space,
        to_space: bool,
    },
    IsSpace {
        target: u32,
        source: Source,
        space: Space,
    },
    Load {
        space: Space,
        kind: ScalarType,
        targets: Vec<Option<Target>>,
        address: Address,
        order: Order,
    },
    Store {
        space: Space,
        kind: ScalarType,
        values: Vec<Source>,
        address: Address,
        order: Order,
    },
    Atomic(Box<Atomic>),
    Shuffle(Box<ShuffleForm>),
    Vote {
        mode: Vote,
        target: VoteTarget,
        source: PredicateSource,
        members: Option<Source>,
    },
    Match {
        all: bool,
        target: Option<Target>,
        predicate: Option<u32>,
        value: Source,
        bits: u32,
        members: Source,
    },
    Reduce {
        reduction: Reduction,
        signed: bool,
        target: Target,
        value: Source,
        members: Source,
    },
    ActiveMask {
        target: Target,
    },
    Barrier(Box<BarrierForm>),
    WarpBarrier {
        members: Source,
    },
    Fence {
        device: bool,
    },
    Branch {
        target: u32,
        reconverge: u32,
    },
    BranchIndexed {
        targets: Vec<u32>,
        index: Source,
        reconverge: u32,
    },
    Call {
        callee: Callee,
        arguments: Vec<Argument>,
        results: Vec<Argument>,
    },
    Return,
    Exit,
    Trap,
    Breakpoint,
    /// Hints: `prefetch`, `nanosleep`, `discard` are not needed to be right.
    Nothing,
}

/// `BoolOp` of `setp`: with which predicate the test is combined.
pub(crate) struct Combine {
    pub(crate) operator: Boolean,
    pub(crate) with: PredicateSource,
}

/// An atomic instruction.
pub(crate) struct Atomic {
    pub(crate) operation: AtomicOperation,
    pub(crate) space: Space,
    pub(crate) kind: ScalarType,
    /// None for `red`.
    pub(crate) target: Option<Target>,
    pub(crate) address: Address,
    pub(crate) operand: Source,
    /// The new value of a compare-and-swap.
    pub(crate) replacement: Option<Source>,
    pub(crate) order: Order,
}

/// A shuffle instruction.
pub(crate) struct ShuffleForm {
    pub(crate) mode: Shuffle,
    pub(crate) target: Option<Target>,
    pub(crate) predicate: Option<u32>,
    pub(crate) value: Source,
    pub(crate) lane: Source,
    pub(crate) clamp: Source,
    /// None for the form without `.sync`.
    pub(crate) members: Option<Source>,
}

/// Where a vote goes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum VoteTarget {
    Predicate(u32),
    Register(Target),
}

/// A barrier of the block.
pub(crate) struct BarrierForm {
    pub(crate) wait: bool,
    pub(crate) aligned: bool,
    pub(crate) barrier: Source,
    pub(crate) count: Option<Source>,
    pub(crate) reduction: Option<(BarrierReduction, PredicateSource)>,
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
    pub(crate) shared: Vec<u32>,
    pub(crate) calls: Vec<u32>,
    pub(crate) calls_indirectly: bool,
    pub(crate) required_threads: Option<[u32; 3]>,
    pub(crate) maximum_threads: Option<[u32; 3]>,
}
