//! The polynomials whose signs decide about a contact, with bounds on their rounding.

use super::bernstein::sign;
use super::motion::{Motion, dot, extent};
use super::query::Kind;
use super::real::Real;

/// What products that underflow may add, with much to spare: queries are scaled so that their extent is above 2⁻¹⁰⁰.
const UNDERFLOW: f64 = f64::MIN_POSITIVE * (1u64 << 60) as f64 * (1u64 << 60) as f64;

/// How many roundings a coefficient of the cubic can be off, relative to the largest sum of its terms' magnitudes: one for
/// each difference (3), two for a product of three, two for the sum in a cross product and of two of them, three for the
/// sums of dot products, two for the third: 12; then three for each of the three steps of de Casteljau's scheme: 21.
const CUBIC_ROUNDINGS: f64 = 32.0;

/// The same for a quadratic: two differences, one product, two sums, six for de Casteljau's scheme, and two for the sums
/// of quadratics that are tested too: 13.
const QUADRATIC_ROUNDINGS: f64 = 20.0;

/// What a coefficient may be off.
fn rounded(extent: f64, roundings: f64) -> f64 {
    roundings * extent + UNDERFLOW
}

/// Zero where the four points are in one plane: `offset · (first × second)`.
pub(super) struct Plane<R> {
    pub(super) coefficients: [R; 4],
    pub(super) error: f64,
    /// `first × second`, by axis.
    pub(super) normal: [Quadratic<R>; 3],
}

impl<R: Real> Plane<R> {
    // Most queries end with the sign of this, so it is written out: what is mapped over is not always unrolled.
    #[inline]
    pub(super) fn of(motion: &Motion<R>) -> Plane<R> {
        let Motion { first, second, .. } = motion;
        let turns = cross_extents(extent(first), extent(second));
        let [x, y, z] = [
            Quadratic::cross([1, 2], first, second, turns[0]),
            Quadratic::cross([2, 0], first, second, turns[1]),
            Quadratic::cross([0, 1], first, second, turns[2]),
        ];
        let at = |i: usize| [x.coefficients[i], y.coefficients[i], z.coefficients[i]];
        let [start, middle, end] = [at(0), at(1), at(2)];
        let [before, after] = &motion.offset;
        let twice = |value: R| value + value;
        let coefficients = [
            dot(before, &start),
            (dot(after, &start) + twice(dot(before, &middle))) * R::THIRD,
            (twice(dot(after, &middle)) + dot(before, &end)) * R::THIRD,
            dot(after, &end),
        ];
        let offset = extent(&motion.offset);
        let largest = offset[0] * turns[0] + offset[1] * turns[1] + offset[2] * turns[2];
        Plane { coefficients, error: rounded(largest, CUBIC_ROUNDINGS * R::ROUNDING), normal: [x, y, z] }
    }

    /// The sign of the cubic at the start of the step, zero if it cannot be told from that.
    pub(super) fn side_at_start(motion: &Motion<R>) -> i32 {
        let Motion { offset: [offset, _], first: [first, _], second: [second, _] } = motion;
        let turn = |i: usize, j: usize| first[i] * second[j] - first[j] * second[i];
        let volume = dot(offset, &[turn(1, 2), turn(2, 0), turn(0, 1)]);
        let size = |vector: &[R; 3]| vector.map(|coordinate| coordinate.leading().abs());
        let (offset, turns) = (size(offset), cross_extents(size(first), size(second)));
        let largest = offset[0] * turns[0] + offset[1] * turns[1] + offset[2] * turns[2];
        sign(&[volume.leading()], rounded(largest, CUBIC_ROUNDINGS * R::ROUNDING))
    }
}

/// A quadratic with what it may be off.
#[derive(Clone, Copy)]
pub(super) struct Quadratic<R> {
    pub(super) coefficients: [R; 3],
    pub(super) error: f64,
}

impl<R: Real> Quadratic<R> {
    /// A coordinate of the cross product of two vectors that move, from the two others of these.
    #[inline(always)]
    fn cross([i, j]: [usize; 2], a: &[[R; 3]; 2], b: &[[R; 3]; 2], largest: f64) -> Quadratic<R> {
        let cross = |a: &[R; 3], b: &[R; 3]| a[i] * b[j] - a[j] * b[i];
        let middle = (cross(&a[0], &b[1]) + cross(&a[1], &b[0])).half();
        Quadratic {
            coefficients: [cross(&a[0], &b[0]), middle, cross(&a[1], &b[1])],
            error: rounded(largest, QUADRATIC_ROUNDINGS * R::ROUNDING),
        }
    }

    fn less(&self, other: &Quadratic<R>) -> Quadratic<R> {
        let ([a, b, c], [other_a, other_b, other_c]) = (self.coefficients, other.coefficients);
        Quadratic { coefficients: [a - other_a, b - other_b, c - other_c], error: self.error + other.error }
    }
}

/// The largest that the terms of each coordinate of a cross product can be.
#[inline]
fn cross_extents(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] + a[2] * b[1], a[2] * b[0] + a[0] * b[2], a[0] * b[1] + a[1] * b[0]]
}

/// The sides of the domain, seen along an axis: what is not negative in it, times the normal.
pub(super) struct Sides<R> {
    sides: [Quadratic<R>; 4],
    count: usize,
}

impl<R: Real> Sides<R> {
    /// u, v and 1 - u - v for a vertex and a face; u, v, 1 - u and 1 - v for two edges.
    pub(super) fn along(axis: usize, motion: &Motion<R>, normal: &Quadratic<R>, kind: Kind) -> Sides<R> {
        let others = [(axis + 1) % 3, (axis + 2) % 3];
        let cross = |a: &[[R; 3]; 2], b: &[[R; 3]; 2]| {
            Quadratic::cross(others, a, b, cross_extents(extent(a), extent(b))[axis])
        };
        let first = cross(&motion.offset, &motion.second);
        let second = cross(&motion.first, &motion.offset);
        let without_first = normal.less(&first);
        match kind {
            Kind::VertexFace => Sides { sides: [first, second, without_first.less(&second), *normal], count: 3 },
            Kind::EdgeEdge => Sides { sides: [first, second, without_first, normal.less(&second)], count: 4 },
        }
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, Quadratic<R>> {
        self.sides[..self.count].iter()
    }
}
