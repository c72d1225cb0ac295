//! Polynomials by their Bernstein coefficients: what they are over a part of their range, and where they can be positive.

use super::real::Real;

/// A part of the step, with what is left of the step at both of its ends.
#[derive(Clone, Copy)]
pub(super) struct Span<R> {
    pub(super) start: R,
    pub(super) end: R,
    rest: [R; 2],
}

impl<R: Real> Span<R> {
    pub(super) fn new(start: R, end: R) -> Span<R> {
        let one = R::exactly(1.0);
        Span { start, end, rest: [one - start, one - end] }
    }

    pub(super) fn width(&self) -> f64 {
        (self.end - self.start).leading()
    }

    /// The part of this part from one place in it to another, given from 0 to 1, and a little more for rounding. The width is
    /// rounded to a double, so an end that stays is taken as it is: with more digits than that it would be cut off.
    pub(super) fn part(&self, [low, high]: [f64; 2]) -> Span<R> {
        let margin = R::exactly(4.0 * R::ROUNDING);
        let width = self.width();
        let later = self.start + R::exactly(width * low) - margin;
        let earlier = self.start + R::exactly(width * high) + margin;
        Span::new(
            if low > 0.0 && (later - self.start).leading() > 0.0 { later } else { self.start },
            if high < 1.0 && (self.end - earlier).leading() > 0.0 { earlier } else { self.end },
        )
    }

    /// The coefficients of a line over this part.
    pub(super) fn line(&self, [a, b]: [R; 2]) -> [f64; 2] {
        let [at_start, at_end] = self.rest;
        [a.between(b, self.start, at_start).leading(), a.between(b, self.end, at_end).leading()]
    }

    /// The coefficients of a quadratic over this part.
    pub(super) fn quadratic(&self, coefficients: [R; 3]) -> [f64; 3] {
        let [first, last] = self.lines(coefficients);
        let [at_start, at_end] = self.rest;
        [
            first[0].between(first[1], self.start, at_start).leading(),
            first[0].between(first[1], self.end, at_end).leading(),
            last[0].between(last[1], self.end, at_end).leading(),
        ]
    }

    /// The coefficients of a cubic over this part.
    pub(super) fn cubic(&self, [a, b, c, d]: [R; 4]) -> [f64; 4] {
        let [[ab, bc], [ab_end, bc_end]] = self.lines([a, b, c]);
        let [at_start, at_end] = self.rest;
        let cd = c.between(d, self.start, at_start);
        let cd_end = c.between(d, self.end, at_end);
        let first = [ab.between(bc, self.start, at_start), bc.between(cd, self.start, at_start)];
        let both = [ab.between(bc, self.end, at_end), bc.between(cd, self.end, at_end)];
        let last = [ab_end.between(bc_end, self.end, at_end), bc_end.between(cd_end, self.end, at_end)];
        [
            first[0].between(first[1], self.start, at_start).leading(),
            first[0].between(first[1], self.end, at_end).leading(),
            both[0].between(both[1], self.end, at_end).leading(),
            last[0].between(last[1], self.end, at_end).leading(),
        ]
    }

    /// The first step of de Casteljau's scheme, at the start and at the end.
    fn lines(&self, [a, b, c]: [R; 3]) -> [[R; 2]; 2] {
        let [at_start, at_end] = self.rest;
        [
            [a.between(b, self.start, at_start), b.between(c, self.start, at_start)],
            [a.between(b, self.end, at_end), b.between(c, self.end, at_end)],
        ]
    }
}

/// How far the ends of a range are moved outwards, for the rounding in finding them.
const RANGE_ROUNDING: f64 = 1.0 / (1u64 << 45) as f64;

/// The part of [0, 1] outside of which a polynomial is negative for sure, if its coefficients may be off by `error`: where
/// the hull of its control points reaches zero. `None` if it is negative everywhere.
pub(super) fn range_above<const N: usize>(coefficients: [f64; N], error: f64) -> Option<[f64; 2]> {
    let most = coefficients.map(|coefficient| coefficient + error);
    if most.iter().all(|&value| value < 0.0) {
        return None;
    }
    let mut reversed = most;
    reversed.reverse();
    Some([first_above(&most), 1.0 - first_above(&reversed)])
}

/// Where the hull of control points first reaches zero; one of them does.
fn first_above<const N: usize>(values: &[f64; N]) -> f64 {
    if values[0] >= 0.0 {
        return 0.0;
    }
    let mut first = 1.0_f64;
    for (upper, &above) in values.iter().enumerate().filter(|&(_, &above)| above >= 0.0) {
        first = first.min(upper as f64 / (N - 1) as f64);
        for (lower, &below) in values[..upper].iter().enumerate().filter(|&(_, &below)| below < 0.0) {
            let crossing = lower as f64 + (upper - lower) as f64 * (-below / (above - below));
            first = first.min(crossing / (N - 1) as f64);
        }
    }
    (first - RANGE_ROUNDING).max(0.0)
}

/// 1 if a polynomial is positive for sure, -1 if negative, 0 if neither is.
pub(super) fn sign<const N: usize>(coefficients: &[f64; N], error: f64) -> i32 {
    if coefficients.iter().all(|&coefficient| coefficient > error) {
        1
    } else if coefficients.iter().all(|&coefficient| coefficient < -error) {
        -1
    } else {
        0
    }
}
