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
    /// Those of a step of which this is one part and `next` the next: how many there were at most, and all of the work.
    pub(super) fn and(&self, next: &VoxelStatistics) -> VoxelStatistics {
        VoxelStatistics {
            pairs: self.pairs.max(next.pairs),
            touching: self.touching.max(next.touching),
            points: self.points + next.points,
            unclosed: self.unclosed + next.unclosed,
            awake: next.awake,
            broad: self.broad + next.broad,
            narrow: self.narrow + next.narrow,
            response: self.response + next.response,
        }
    }

    /// The whole step.
    pub fn total(&self) -> Duration {
        self.broad + self.narrow + self.response
    }
}
