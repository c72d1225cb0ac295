//! Planes between triangles, found in plain floating point with a bound of its error.
//!
//! A plane that is found proves the triangles apart; where none is, exact predicates must decide. Any direction will do
//! as a plane's normal, however it was rounded: only which side the corners are on has to be certain.

use glam::DVec3;

/// More than the rounding of a difference and of a product with a direction, relative to the sum of the magnitudes.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Whether triangles certainly share no point.
pub(in crate::geometry) fn apart(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    let origin = a[0];
    let (a, b) = (a.map(|corner| corner - origin), b.map(|corner| corner - origin));
    let reach = a[1].abs().max(a[2].abs()).max(b[0].abs()).max(b[1].abs()).max(b[2].abs());
    let parts = |direction: DVec3| {
        let [a0, a1, a2] = a.map(|corner| direction.dot(corner));
        let [b0, b1, b2] = b.map(|corner| direction.dot(corner));
        let gap = (b0.min(b1).min(b2) - a0.max(a1).max(a2)).max(a0.min(a1).min(a2) - b0.max(b1).max(b2));
        gap > 2.0 * (ROUNDING * direction.abs().dot(reach) + f64::MIN_POSITIVE)
    };
    let sides = |[p, q, r]: [DVec3; 3]| [q - p, r - q, p - r];
    let (a_sides, b_sides) = (sides(a), sides(b));
    let (a_normal, b_normal) = (a_sides[0].cross(a_sides[1]), b_sides[0].cross(b_sides[1]));
    parts(a_normal)
        || parts(b_normal)
        || a_sides.into_iter().any(|side| parts(side.cross(a_normal)))
        || b_sides.into_iter().any(|side| parts(side.cross(b_normal)))
}

/// Whether triangles with a common corner certainly share no other point; each is given by its two other corners.
#[inline]
pub(in crate::geometry) fn apart_but_for(apex: DVec3, a: [DVec3; 2], b: [DVec3; 2]) -> bool {
    // A plane across an axis through the corner: what is strictly on one side meets the other side nowhere but there.
    // Rounding keeps the sign of a difference, so this needs no bound.
    let (a, b) = (a.map(|end| end - apex), b.map(|end| end - apex));
    let (a_low, a_high) = (a[0].min(a[1]), a[0].max(a[1]));
    let (b_low, b_high) = (b[0].min(b[1]), b[0].max(b[1]));
    let zero = DVec3::ZERO;
    let below = (a_high.cmplt(zero) & b_low.cmpge(zero)) | (a_high.cmple(zero) & b_low.cmpgt(zero));
    let above = (b_high.cmplt(zero) & a_low.cmpge(zero)) | (b_high.cmple(zero) & a_low.cmpgt(zero));
    if (below | above).any() {
        return true;
    }
    // The plane halfway between the middles of both.
    let (a_middle, b_middle) = (a[0] + a[1], b[0] + b[1]);
    let direction = a_middle * b_middle.length() - b_middle * a_middle.length();
    let magnitude = direction.abs();
    let side = |end: DVec3| {
        let height = direction.dot(end);
        if height.abs() > ROUNDING * magnitude.dot(end.abs()) + f64::MIN_POSITIVE { height } else { 0.0 }
    };
    side(a[0]) > 0.0 && side(a[1]) > 0.0 && side(b[0]) < 0.0 && side(b[1]) < 0.0
}
