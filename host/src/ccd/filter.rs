//! The cheapest way to see that nothing touches.

use glam::DVec3;

use super::query::{Kind, Query};

/// Whether the two things are apart along an axis, on the same side at the start and at the end, and so all the time: their
/// points move in straight lines. Comparisons of coordinates do not round.
pub(super) fn apart_along_an_axis(query: &Query) -> bool {
    let spans = |points: &[DVec3; 4]| {
        let [a, b, c, d] = *points;
        match query.kind {
            Kind::VertexFace => [(a, a), (b.min(c).min(d), b.max(c).max(d))],
            Kind::EdgeEdge => [(a.min(b), a.max(b)), (c.min(d), c.max(d))],
        }
    };
    let [[first, second], [first_after, second_after]] = [spans(&query.start), spans(&query.end)];
    let below = first.1.cmplt(second.0) & first_after.1.cmplt(second_after.0);
    let above = first.0.cmpgt(second.1) & first_after.0.cmpgt(second_after.1);
    (below | above).any()
}
