//! What a world refuses.

use thiserror::Error;

use super::{BodyId, FractureError, RepresentationKind};
use crate::device::DeviceError;
use crate::dynamics::RigidProblem;

/// Why the world did not do what it was asked.
#[derive(Debug, Error)]
pub enum WorldError {
    /// Nothing answers for a pair of representations.
    #[error(
        "body '{body}' is a {kind}, or breaks into one, and can meet a {other}: nothing finds contacts between the two; \
         give one of them another representation, or make both fixed"
    )]
    NoNarrowPhase {
        /// The body that cannot be added.
        body: String,
        /// How it is represented.
        kind: RepresentationKind,
        /// What it would have to be tested against.
        other: RepresentationKind,
    },
    /// The rigid-body side cannot take a body.
    #[error("body '{body}': {problem}")]
    Rigid {
        /// The body.
        body: String,
        /// What is wrong with it.
        problem: RigidProblem,
    },
    /// There is no such body, or no longer.
    #[error("there is no body number {0}; it may have been removed or broken")]
    NoBody(BodyId),
    /// A body without a fracture method was asked to break.
    #[error("body '{0}' has no fracture method, so it cannot break")]
    Unbreakable(String),
    /// A body that is fixed was to be pulled.
    #[error("body '{0}' is fixed, so it cannot be pulled")]
    Immovable(String),
    /// The fracture method failed.
    #[error("body '{body}' did not break: {source}")]
    Fracture {
        /// The body.
        body: String,
        /// What the method says.
        source: FractureError,
    },
    /// A time step that is no number, or so long or short that single precision loses the motion.
    #[error("a time step of {0:e} s was asked for; it must be from 1e-6 to 0.1 s")]
    TimeStep(f64),
    /// A motion that is not finite was asked for.
    #[error("the {0} that was asked for is not a finite number that single precision can hold")]
    NonFinite(&'static str),
    /// The backend that looks for contacts failed. The step was done all the same, on the CPU.
    #[error("step {step} was done on the CPU, because the device could not: {source}")]
    Device {
        /// The step, counted from one.
        step: u64,
        /// What the device says.
        source: DeviceError,
    },
    /// Numbers left the range in which motion means something.
    #[error(
        "body '{body}' flew apart in step {step}: its position is no longer finite; use a smaller time step, or smaller forces"
    )]
    Diverged {
        /// The body.
        body: String,
        /// The step, counted from one.
        step: u64,
    },
}
