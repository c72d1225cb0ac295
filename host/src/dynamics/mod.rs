//! Motion: rigid bodies by Rapier.

mod rigid;
mod rigid_build;

pub use rigid::{RigidBodies, RigidHandle, RigidOptions, RigidStep};
pub use rigid_build::{BuiltBody, RigidProblem};
