//! Particles: what is too small to be a body.

use glam::Vec3;

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
