//! What is seen of dust and debris.

use glam::Vec3;

/// A particle, as something that draws it needs it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Particle {
    /// Where it is in the world.
    pub position: Vec3,
    /// Its radius.
    pub radius: f32,
    /// From 0, not to be seen, to 1.
    pub opacity: f32,
}
