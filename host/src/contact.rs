//! The one contact type of every method.

use glam::DVec3;

/// A place where two things touch or overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Where, in the space of whoever asked.
    pub point: DVec3,
    /// The unit direction in which the first thing has to move to get free of the second.
    pub normal: DVec3,
    /// How deep they overlap along the normal; negative for a gap.
    pub depth: f64,
    /// What touches, one number for each side: a vertex, edge, face, voxel or sample, as the method numbers them.
    pub features: [u32; 2],
}
