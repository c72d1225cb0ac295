//! Queries whose coordinates are so large or so small that products of three of them would not be numbers.

use glam::DVec3;

use super::query::Query;
use crate::geometry::predicates::scale_to_one;

/// The same query with coordinates near to one, and what a length was multiplied with, as two factors.
///
/// Points that agree along an axis at one end of the step are moved to zero there: what is far away along that axis
/// must not decide about the scale of the others. The multiplication is exact but for what becomes as small as the
/// smallest doubles, and that is within every bound on rounding.
pub(super) fn near_one(query: &Query) -> (Query, [f64; 2]) {
    let centered = |points: [DVec3; 4]| {
        let [a, b, c, d] = points;
        let agree = a.cmpeq(b) & a.cmpeq(c) & a.cmpeq(d);
        points.map(|point| DVec3::select(agree, DVec3::ZERO, point))
    };
    let (start, end) = (centered(query.start), centered(query.end));
    let all = [start[0], start[1], start[2], start[3], end[0], end[1], end[2], end[3]];
    let factors = scale_to_one(&all).unwrap_or([1.0; 2]);
    let scaled = |points: [DVec3; 4]| points.map(|point| point * factors[0] * factors[1]);
    (Query { kind: query.kind, start: scaled(start), end: scaled(end) }, factors)
}
