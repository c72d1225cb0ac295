//! Motion: rigid bodies by Rapier, and dust.

mod dust;
mod particle;
mod rigid;
mod rigid_build;
mod turbulence;

pub use dust::{Dust, DustOptions};
pub use particle::Particle;
pub use rigid::{RigidBodies, RigidHandle, RigidOptions, RigidStep};
pub use rigid_build::{BuiltBody, RigidProblem};
