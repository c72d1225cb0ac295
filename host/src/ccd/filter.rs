//! The cheapest way to see that nothing touches.

use glam::DVec3;

use super::query::Kind;

/// Whether the two things are more than a gap apart along an axis, on the same side at the start and at the end, and so all
/// the time: their points move in straight lines. Without a gap nothing rounds that could change the answer.
#[inline]
pub(crate) fn apart_along_an_axis(kind: Kind, [start, end]: [&[DVec3; 4]; 2], gap: f64) -> bool {
    let spans = |&[a, b, c, d]: &[DVec3; 4]| match kind {
        Kind::VertexFace => [(a, a), (b.min(c).min(d), b.max(c).max(d))],
        Kind::EdgeEdge => [(a.min(b), a.max(b)), (c.min(d), c.max(d))],
    };
    let ([first, second], [first_after, second_after]) = (spans(start), spans(end));
    let gap = DVec3::splat(gap);
    let below = (second.0 - first.1).cmpgt(gap) & (second_after.0 - first_after.1).cmpgt(gap);
    let above = (first.0 - second.1).cmpgt(gap) & (first_after.0 - second_after.1).cmpgt(gap);
    (below | above).any()
}
