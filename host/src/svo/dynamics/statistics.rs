//! What a step was about.

use std::time::Duration;

/// Counts and times of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VoxelStatistics {
    /// Pairs of bodies whose boxes overlap, and bodies whose box comes to the ground; of those that can move.
    pub pairs: u32,
    /// Those of them that share some volume.
    pub touching: u32,
    /// Collision points of all pairs.
    pub points: u64,
    /// Stretches of columns without an end.
    pub unclosed: u64,
    /// Bodies that are neither fixed nor asleep.
    pub awake: u32,
    /// Finding pairs.
    pub broad: Duration,
    /// Intersections.
    pub narrow: Duration,
    /// Response and motion.
    pub response: Duration,
}

impl VoxelStatistics {
    /// The whole step.
    pub fn total(&self) -> Duration {
        self.broad + self.narrow + self.response
    }
}
