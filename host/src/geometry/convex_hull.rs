//! Convex hulls.

use glam::DVec3;
use thiserror::Error;

use super::Convex;

/// Why points have no hull with a volume.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum HullError {
    /// All points lie in one plane (or there are fewer than four).
    #[error("the points lie in one plane, so they enclose no volume")]
    Flat,
    /// A coordinate is infinite or not a number.
    #[error("point {point} has a coordinate that is not finite")]
    NonFinite {
        /// The point, counted from zero.
        point: usize,
    },
}

/// The smallest convex solid around some points.
pub fn convex_hull(points: &[DVec3]) -> Result<Convex, HullError> {
    let _ = points;
    Err(HullError::Flat)
}
