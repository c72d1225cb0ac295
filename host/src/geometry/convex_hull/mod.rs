//! Convex hulls.

mod faces;
mod quickhull;
mod simplex;

pub(crate) use simplex::farthest;

use glam::DVec3;
use thiserror::Error;

use super::Convex;
use super::predicates::scale_to_one;
use quickhull::Quickhull;

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
    /// More points than 32-bit indices can name.
    #[error("{points} points are more than the 4,294,967,294 that can be numbered")]
    TooMany {
        /// How many there are.
        points: usize,
    },
}

/// The smallest convex solid around some points.
///
/// Which point is outside of which facet is decided exactly, so the hull is one for any input, however close to a plane
/// or a line the points are. Facets in one plane become one polygon, and so do those that differ from a plane by no more
/// than the rounding of the coordinates, such as the sides of a box that was turned; points within such a face or on its
/// edges are no vertices.
///
/// # Errors
/// If the points enclose no volume or are not all finite.
///
/// ```
/// use fracas::geometry::convex_hull;
/// use glam::DVec3;
///
/// let grid: Vec<DVec3> = (0..27).map(|i| DVec3::new((i % 3) as f64, (i / 3 % 3) as f64, (i / 9) as f64)).collect();
/// let hull = convex_hull(&grid)?;
/// assert_eq!((hull.vertices().len(), hull.planes().len()), (8, 6));
/// # Ok::<(), fracas::geometry::HullError>(())
/// ```
pub fn convex_hull(points: &[DVec3]) -> Result<Convex, HullError> {
    if let Some(point) = points.iter().position(|point| !point.is_finite()) {
        return Err(HullError::NonFinite { point });
    }
    if points.len() >= u32::MAX as usize {
        return Err(HullError::TooMany { points: points.len() });
    }
    let scaled = scaled(points);
    let corners = simplex::find(&scaled).ok_or(HullError::Flat)?;
    let mut hull = Quickhull::new(&scaled, corners);
    hull.run();
    faces::assemble(points, &scaled, &hull).ok_or(HullError::Flat)
}

/// The points brought near to one.
fn scaled(points: &[DVec3]) -> Vec<DVec3> {
    match scale_to_one(points) {
        None => points.to_vec(),
        Some([half, rest]) => points.iter().map(|&point| point * half * rest).collect(),
    }
}

#[cfg(test)]
mod tests;
