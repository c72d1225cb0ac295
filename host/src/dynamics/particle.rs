//! Particles: what is too small to be a body.

use glam::{DVec3, Vec3};

use crate::geometry::Pose;
use crate::world::{ExposedFaces, Velocity};

/// A grain or a puff of dust, for the eye only. It is in the world's coordinates and touches nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Particle {
    /// Where it is.
    pub position: Vec3,
    /// How far it reaches, in metres.
    pub radius: f32,
    /// How much of what is behind its middle it hides, from 0 to 1.
    pub opacity: f32,
}

/// What makes particles when bodies break, and moves them.
pub trait ParticleSystem: Send + Sync {
    /// Makes particles on surface that a break laid open. The faces are in the coordinates of the body that broke, which
    /// was at `pose` and moved with `velocity` about `center`, its centre of mass in the world; whatever is random is drawn from the seed.
    fn emit(&mut self, faces: &ExposedFaces, pose: &Pose, velocity: Velocity, center: DVec3, seed: u64);

    /// Moves the particles on by so many seconds.
    fn step(&mut self, time_step: f64);

    /// The particles that are there.
    fn particles(&self) -> &[Particle];
}
