//! The instructions that a warp executes.

use super::{Boolean, CarryFunction, PredicateSource, Source, Target, WarpFunction, WarpTest};
use crate::ptx::types::{ScalarType, Space};

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

/// Which threads an order or a fence reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    Block,
    Device,
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
        scope: Scope,
    },
    Store {
        space: Space,
        kind: ScalarType,
        values: Vec<Source>,
        address: Address,
        order: Order,
        scope: Scope,
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
        scope: Scope,
    },
    Branch {
        target: u32,
        reconverge: u32,
        /// `.uni`: the lanes must not part here.
        uniform: bool,
    },
    BranchIndexed {
        targets: Vec<u32>,
        index: Source,
        reconverge: u32,
        uniform: bool,
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
    /// Hints: `prefetch`, `nanosleep` are not needed to be right.
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
    pub(crate) scope: Scope,
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
