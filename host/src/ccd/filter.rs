//! The cheapest way to see that nothing touches.

use glam::DVec3;

use super::query::Kind;
use crate::geometry::Aabb;

/// Whether the two things are more than a gap apart along an axis all the time.
#[inline]
pub(crate) fn apart_along_an_axis(kind: Kind, [start, end]: [&[DVec3; 4]; 2], gap: f64) -> bool {
    let boxes = |&[a, b, c, d]: &[DVec3; 4]| match kind {
        Kind::VertexFace => [Aabb { min: a, max: a }, Aabb { min: b.min(c).min(d), max: b.max(c).max(d) }],
        Kind::EdgeEdge => [Aabb { min: a.min(b), max: a.max(b) }, Aabb { min: c.min(d), max: c.max(d) }],
    };
    let ([first, second], [first_after, second_after]) = (boxes(start), boxes(end));
    boxes_pass([first, first_after], [second, second_after], gap)
}

/// Whether two boxes, each given at the start and at the end, are more than a gap apart along an axis, on the same side at
/// both, and so all the time: what is in them moves in straight lines. Without a gap nothing rounds that could change the
/// answer.
#[inline]
pub(crate) fn boxes_pass([first, first_after]: [Aabb; 2], [second, second_after]: [Aabb; 2], gap: f64) -> bool {
    let gap = DVec3::splat(gap);
    let below = (second.min - first.max).cmpgt(gap) & (second_after.min - first_after.max).cmpgt(gap);
    let above = (first.min - second.max).cmpgt(gap) & (first_after.min - second_after.max).cmpgt(gap);
    (below | above).any()
}
