//! Approximate convex hulls (\[Mueller13\] section 4.2): few faces, in the directions that matter most.

use glam::DVec3;
use thiserror::Error;

use super::growing_hull::{GrownHull, grow, is_flat};
use super::turn::clip_by_turned;
use crate::geometry::{Aabb, Convex, HullError, convex_hull};

/// So many vertices are worth finding the true hull first: the point that adds most volume is always one of its vertices,
/// because the volume added is a convex function of the place.
const MANY_VERTICES: usize = 64;

/// Why there is no approximate hull.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ApproximateHullError {
    /// The points have no hull.
    #[error(transparent)]
    Points(#[from] HullError),
    /// The convex to start from does not hold the points.
    #[error("the convex to start from holds none of the points; start from one that encloses them, or from none")]
    Apart,
}

/// The directions in which some points are worth bounding: the unit normals of the triangles of a hull that grew to so
/// many vertices (at least four), the point that adds most volume always next (\[Mueller13\] Algorithm 1).
///
/// The hull stops growing where the rest of the points add no volume. A result has the same bits for any number of
/// threads.
///
/// # Errors
/// If the points are flat to within [`crate::tolerance::FIT`] or not all finite.
pub fn volume_maximising_normals(points: &[DVec3], vertices: usize) -> Result<Vec<DVec3>, HullError> {
    check(points)?;
    directions(points, vertices).map(|grown| grown.normals)
}

/// A convex solid with few faces that encloses all points tightly.
///
/// The box around the points, or the convex to start from (which should enclose them), is clipped by planes across the
/// [`volume_maximising_normals`] that are moved in from outside until they touch a point, and then turned about it as
/// long as that makes the solid smaller. Every point is on the inside of
/// each of these planes, exactly: a plane stands off by more than rounding can do. With more vertices the solid comes
/// nearer to the true hull, from above.
///
/// # Errors
/// If the points are flat to within [`crate::tolerance::FIT`], are not all finite, or lie outside of the convex to start
/// from.
///
/// ```
/// use fracas::geometry::{convex_hull, shapes::{Figure, figure}};
/// use fracas::vacd::approximate_hull;
///
/// let rabbit = figure(Figure::Rabbit, 2_000)?;
/// let hull = convex_hull(&rabbit.positions)?.mass_properties().volume;
/// let approximate = approximate_hull(&rabbit.positions, 20, None)?;
/// assert!(approximate.planes().len() <= 6 + 36);
/// assert!(approximate.mass_properties().volume < 1.05 * hull);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn approximate_hull(
    points: &[DVec3],
    vertices: usize,
    start: Option<&Convex>,
) -> Result<Convex, ApproximateHullError> {
    check(points)?;
    let grown = directions(points, vertices)?;
    let fitted = match start {
        Some(convex) => clip_by_turned(convex, &grown),
        None => clip_by_turned(&Convex::cuboid(Aabb::of_points(points.iter().copied())), &grown),
    };
    fitted.ok_or(ApproximateHullError::Apart)
}

fn check(points: &[DVec3]) -> Result<(), HullError> {
    if let Some(point) = points.iter().position(|point| !point.is_finite()) {
        return Err(HullError::NonFinite { point });
    }
    if points.len() >= u32::MAX as usize {
        return Err(HullError::TooMany { points: points.len() });
    }
    Ok(())
}

/// The directions, and the points that decide how far the planes may move in; of finite points.
pub(super) fn directions(points: &[DVec3], vertices: usize) -> Result<GrownHull, HullError> {
    if vertices <= MANY_VERTICES || points.len() <= MANY_VERTICES {
        return grow(points, vertices);
    }
    if is_flat(points) {
        return Err(HullError::Flat);
    }
    let hull = convex_hull(points)?;
    if hull.vertices().len() > vertices {
        return grow(hull.vertices(), vertices);
    }
    let normals = hull.planes().iter().map(|plane| plane.normal).collect();
    let outermost = hull.vertices().to_vec();
    Ok(GrownHull { normals, sketch: Vec::new(), outermost, is_whole: true })
}
