//! The tetrahedron that a hull grows from.

use glam::DVec3;

use crate::geometry::predicates::orient_3d;
use crate::geometry::triangle_intersection::is_degenerate;

/// Four points that are not in one plane, the fourth inside of the plane of the first three; `None` if there are none.
///
/// They are far apart where that is cheap to find. That none lies in the plane of the others is certain.
pub(super) fn find(points: &[DVec3]) -> Option<[u32; 4]> {
    let first = (0..points.len()).min_by(|&a, &b| points[a].x.total_cmp(&points[b].x))?;
    let a = points[first];
    let second = farthest(points, |point| point.distance_squared(a))?;
    let b = points[second];
    if a == b {
        return None;
    }
    let is_third = |point: DVec3| !is_degenerate([a, b, point]);
    let third = farthest(points, |point| (b - a).cross(point - a).length_squared())
        .filter(|&third| is_third(points[third]))
        .or_else(|| points.iter().position(|&point| is_third(point)))?;
    let c = points[third];
    let side = |point: DVec3| orient_3d(a, b, c, point);
    let fourth = farthest(points, |point| side(point).abs())
        .filter(|&fourth| side(points[fourth]) != 0.0)
        .or_else(|| points.iter().position(|&point| side(point) != 0.0))?;
    let corners = if side(points[fourth]) < 0.0 { [first, second, third] } else { [first, third, second] };
    Some([corners[0] as u32, corners[1] as u32, corners[2] as u32, fourth as u32])
}

/// The point with the largest measure, the first of them.
pub(crate) fn farthest(points: &[DVec3], measure: impl Fn(DVec3) -> f64) -> Option<usize> {
    let mut best = None;
    let mut most = f64::NEG_INFINITY;
    for (number, &point) in points.iter().enumerate() {
        let value = measure(point);
        if value > most {
            (best, most) = (Some(number), value);
        }
    }
    best
}
