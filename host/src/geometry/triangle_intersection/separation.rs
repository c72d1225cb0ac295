//! Planes between triangles, found in plain floating point with a bound of its error.
//!
//! A plane that is found proves the triangles apart; where none is, exact predicates must decide. Any direction will do
//! as a plane's normal, however it was rounded: only which side the corners are on has to be certain.

use glam::DVec3;

/// More than the rounding of a difference and of a product with a direction, relative to the sum of the magnitudes.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Whether triangles certainly share no point.
///
/// Written out, because lists of vectors that are mapped over become copies.
pub(in crate::geometry) fn apart([origin, a1, a2]: [DVec3; 3], [b0, b1, b2]: [DVec3; 3]) -> bool {
    // The first corner of the one is the origin, where every direction is zero.
    let (a1, a2, b0, b1, b2) = (a1 - origin, a2 - origin, b0 - origin, b1 - origin, b2 - origin);
    let reach = a1.abs().max(a2.abs()).max(b0.abs()).max(b1.abs()).max(b2.abs());
    let parts = |direction: DVec3| {
        let (a1, a2) = (direction.dot(a1), direction.dot(a2));
        let (b0, b1, b2) = (direction.dot(b0), direction.dot(b1), direction.dot(b2));
        let (above, below) = (least(b0, b1, b2) - most(0.0, a1, a2), least(0.0, a1, a2) - most(b0, b1, b2));
        larger(above, below) > 2.0 * (ROUNDING * direction.abs().dot(reach) + f64::MIN_POSITIVE)
    };
    let a_normal = a1.cross(a2);
    if parts(a_normal) {
        return true;
    }
    let (b_first, b_second) = (b1 - b0, b2 - b1);
    let b_normal = b_first.cross(b_second);
    parts(b_normal)
        || parts(a1.cross(a_normal))
        || parts((a2 - a1).cross(a_normal))
        || parts(a2.cross(a_normal))
        || parts(b_first.cross(b_normal))
        || parts(b_second.cross(b_normal))
        || parts((b0 - b2).cross(b_normal))
}

/// The larger of two numbers; if one is not a number, the second. A single instruction, which `f64::max` is not.
#[inline(always)]
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[inline(always)]
fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[inline(always)]
fn most(a: f64, b: f64, c: f64) -> f64 {
    larger(larger(a, b), c)
}

#[inline(always)]
fn least(a: f64, b: f64, c: f64) -> f64 {
    smaller(smaller(a, b), c)
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
