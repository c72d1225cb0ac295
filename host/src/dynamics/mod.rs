//! Motion: rigid bodies by Rapier, and dust.

mod dust;
mod particle;
mod rigid;
mod rigid_build;
mod turbulence;

pub use dust::{Dust, DustOptions};
pub use particle::Particle;
pub use rigid::{RigidBodies, RigidHandle, RigidOptions, RigidStep};
//! Motion: rigid bodies by Rapier, and particles.

mod blow;
mod dispatch;
mod particle;
mod plane;
mod rigid;
mod rigid_build;
mod rigid_handle;
mod rigid_shape;

pub use blow::Blow;
pub use particle::{Particle, ParticleSystem};
pub use rigid::{RigidBodies, RigidOptions, RigidStep};
pub use rigid_build::{BuiltBody, RigidProblem};
pub use rigid_handle::{RigidChange, RigidHandle};
pub use rigid_shape::ShapeCache;
