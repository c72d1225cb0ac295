//! A query as one linear problem: three vectors that move, and the question when the first is a combination of the others.

use glam::DVec3;

use super::query::{Kind, Query};
use super::real::Real;

/// When does `offset = u first + v second` hold for a (u, v) of the domain?
///
/// The domain of a vertex and a face is the triangle u, v, 1 - u - v >= 0; that of two edges is the square
/// 0 <= u, v <= 1. Each vector is given at the start and at the end of the step. The difference of two doubles is off by
/// one rounding of itself, not of the coordinates: so far from the origin is as good as near to it.
pub(super) struct Motion<R> {
    pub(super) offset: [[R; 3]; 2],
    pub(super) first: [[R; 3]; 2],
    pub(super) second: [[R; 3]; 2],
}

impl<R: Real> Motion<R> {
    #[inline]
    pub(super) fn of(query: &Query) -> Motion<R> {
        let vector = |points: &[DVec3; 4], of: usize, from: usize| {
            let (of, from) = (points[of], points[from]);
            [R::difference(of.x, from.x), R::difference(of.y, from.y), R::difference(of.z, from.z)]
        };
        let difference = |of: usize, from: usize| [vector(&query.start, of, from), vector(&query.end, of, from)];
        match query.kind {
            Kind::VertexFace => Motion { offset: difference(0, 1), first: difference(2, 1), second: difference(3, 1) },
            Kind::EdgeEdge => Motion { offset: difference(2, 0), first: difference(1, 0), second: difference(2, 3) },
        }
    }
}

/// The largest magnitude of a vector's coordinates at either end.
#[inline]
pub(super) fn extent<R: Real>([before, after]: &[[R; 3]; 2]) -> [f64; 3] {
    let larger = |one: R, other: R| one.leading().abs().max(other.leading().abs());
    [larger(before[0], after[0]), larger(before[1], after[1]), larger(before[2], after[2])]
}

/// The dot product.
#[inline]
pub(super) fn dot<R: Real>(a: &[R; 3], b: &[R; 3]) -> R {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
