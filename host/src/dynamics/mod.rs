//! Motion: rigid bodies by Rapier, bodies of voxels, deformable bodies, particles, and dust.

mod blow;
pub mod deformable;
mod dispatch;
mod dust;
mod particle;
mod plane;
pub mod rapier;
mod rigid;
mod rigid_build;
mod rigid_handle;
mod rigid_shape;
mod simulation;
mod sweep;
mod turbulence;
mod voxels;

pub use blow::Blow;
pub use dust::{Dust, DustOptions};
pub use particle::{Particle, ParticleSystem};
pub use rigid::{RigidBodies, RigidOptions, RigidStep};
pub use rigid_build::{BuiltBody, RigidProblem};
pub use rigid_handle::{RigidChange, RigidHandle};
pub use rigid_shape::ShapeCache;
pub use simulation::{Built, Handle, Simulation};
pub use voxels::VoxelBodies;
