//! A query as one linear problem: three vectors that move, and the question when the first is a combination of the others.

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
    pub(super) fn of(query: &Query) -> Motion<R> {
        let difference = |of: usize, from: usize| {
            [query.start, query.end].map(|points| {
                let (of, from) = (points[of].to_array(), points[from].to_array());
                [R::difference(of[0], from[0]), R::difference(of[1], from[1]), R::difference(of[2], from[2])]
            })
        };
        match query.kind {
            Kind::VertexFace => Motion { offset: difference(0, 1), first: difference(2, 1), second: difference(3, 1) },
            Kind::EdgeEdge => Motion { offset: difference(2, 0), first: difference(1, 0), second: difference(2, 3) },
        }
    }
}

/// The largest magnitude of a vector's coordinates at either end.
pub(super) fn extent<R: Real>(vector: &[[R; 3]; 2]) -> [f64; 3] {
    [0, 1, 2].map(|axis| vector[0][axis].leading().abs().max(vector[1][axis].leading().abs()))
}

/// The dot product.
pub(super) fn dot<R: Real>(a: &[R; 3], b: &[R; 3]) -> R {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
