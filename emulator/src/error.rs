//! What can go wrong: a text that cannot be run, and a run that finds a fault.

use std::fmt;

/// Why a PTX text was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("PTX line {line}: {message}")]
pub struct PtxError {
    /// The line of the text, from 1.
    pub line: u32,
    /// What is wrong there.
    pub message: String,
}

impl PtxError {
    pub(crate) fn new(line: u32, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// Which thread of a launch: the indices that the kernel itself sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadPosition {
    /// `%ctaid`
    pub block: [u32; 3],
    /// `%tid`
    pub thread: [u32; 3],
}

impl fmt::Display for ThreadPosition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([bx, by, bz], [tx, ty, tz]) = (self.block, self.thread);
        write!(formatter, "block ({bx}, {by}, {bz}) thread ({tx}, {ty}, {tz})")
    }
}

/// The kinds of faults that a run reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// An access outside of every allocation.
    OutOfBounds,
    /// An access to an allocation that was freed.
    UseAfterFree,
    /// An address that is no multiple of the size of the access.
    Misaligned,
    /// A read of memory that nothing wrote.
    Uninitialised,
    /// A barrier that not every thread of the block (or of the warp) reaches.
    BarrierDivergence,
    /// Two threads touch the same bytes with nothing that orders them, and one of them writes.
    Race,
    /// A store to memory that kernels only read.
    ReadOnly,
    /// `trap` or `brkpt` was executed.
    Trap,
    /// More instructions than the options allow: a loop without end, or threads that wait for each other.
    Timeout,
    /// An operand with a value that the instruction does not accept.
    InvalidOperand,
    /// Calls nested deeper than the stack of a thread.
    StackOverflow,
    /// The launch itself is not valid: an unknown kernel, a block that is too large, the wrong arguments.
    InvalidLaunch,
}

/// What a run found, with the kernel, the thread and the line that did it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What kind of fault.
    pub kind: FaultKind,
    /// The kernel that was launched.
    pub kernel: String,
    /// The thread, if one thread did it.
    pub thread: Option<ThreadPosition>,
    /// The line of the PTX text, from 1; 0 if no instruction did it.
    pub line: u32,
    /// The source position that the PTX names for that line (`.loc`), as `file:line`.
    pub source: Option<String>,
    /// What happened, in words.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?} in kernel '{}'", self.kind, self.kernel)?;
        if let Some(thread) = &self.thread {
            write!(formatter, ", {thread}")?;
        }
        if self.line != 0 {
            write!(formatter, ", PTX line {}", self.line)?;
        }
        if let Some(source) = &self.source {
            write!(formatter, " ({source})")?;
        }
        write!(formatter, ": {}", self.message)
    }
}

impl std::error::Error for Fault {}
