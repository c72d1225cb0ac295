//! The search for the first contact: the step is narrowed from its start on, and what is passed over has no contact for
//! sure.
//!
//! Contact of `offset = u first + v second` asks for signs only. With N = first × second: the cubic offset · N is zero; and,
//! seen along any axis k, the quadratics (offset × second)·k = u N·k, (first × offset)·k = v N·k and what is left to the
//! other sides of the domain all have the sign of N·k, or are zero. So a part of the step has no contact if the cubic's
//! Bernstein coefficients over it have one sign, or if two of the quadratics' have opposite ones; and if two of them must
//! have the same, the hull of the control points says where they can. Where all of that is zero everything is in line, and
//! then the axes along which things lie apart tell. At an instant without contact one of these is strict, so it is in a
//! part around the instant too; hence the search in time alone ends, and (u, v) are never divided.

use super::bernstein::{Span, range_above, sign};
use super::motion::{Motion, extent};
use super::polynomials::{Plane, Sides};
use super::query::Kind;
use super::real::Real;

/// What a search came to. The step has no contact before `t`.
pub(super) enum Found<R> {
    Nothing,
    Contact {
        t: R,
    },
    /// The arithmetic cannot tell whether there is a contact right after `t`.
    Unclear {
        t: R,
    },
    OutOfBudget {
        t: R,
    },
}

/// What is known about a part of the step.
struct Part {
    /// Where in it a contact can be, from 0 to 1.
    range: [f64; 2],
    /// There is a contact in it.
    contact: bool,
    /// There is a contact at its start.
    at_start: bool,
}

pub(super) struct Search<'a, R> {
    pub(super) motion: &'a Motion<R>,
    pub(super) plane: &'a Plane<R>,
    pub(super) sides: &'a Sides<R>,
    pub(super) kind: Kind,
    /// How near to its start a contact has to be known.
    pub(super) tolerance: f64,
    /// Whether what is zero within rounding is a contact.
    pub(super) touching: bool,
}

impl<R: Real> Search<'_, R> {
    /// Looks for the first contact after `from`.
    pub(super) fn run(&self, from: R, budget: &mut u32) -> Found<R> {
        let margin = R::exactly(4.0 * R::ROUNDING);
        let one = R::exactly(1.0);
        let mut span = Span::new(from, one);
        // Between the end of the part and here there is nothing, and before it neither.
        let mut next = one;
        // How much to look at next if there is nothing in this part.
        let mut stride = span.width();
        let mut contact = false;
        loop {
            if *budget == 0 {
                return Found::OutOfBudget { t: span.start };
            }
            *budget -= 1;
            let width = span.width();
            let Some(part) = self.look(&span) else {
                if (one - next).leading() <= 0.0 {
                    return Found::Nothing;
                }
                let end = next + R::exactly(stride);
                span = Span::new(next, if (one - end).leading() > 0.0 { end } else { one });
                next = span.end;
                stride *= 2.0;
                contact = false;
                continue;
            };
            contact |= part.contact;
            if part.at_start {
                return Found::Contact { t: span.start };
            }
            let [low, high] = part.range;
            let [mut start, mut end] = [span.start, span.end];
            let later = start + R::exactly(width * low) - margin;
            let earlier = start + R::exactly(width * high) + margin;
            if (later - start).leading() > 0.0 {
                start = later;
            }
            if (end - earlier).leading() > 0.0 {
                end = earlier;
            }
            let narrowed = (end - start).leading();
            if contact && narrowed <= self.tolerance {
                return Found::Contact { t: start };
            }
            if narrowed <= R::NARROWEST {
                return Found::Unclear { t: start };
            }
            if narrowed > 0.5 * width {
                stride = 0.5 * narrowed;
                end = start + R::exactly(stride);
                next = end;
                contact = false;
            }
            span = Span::new(start, end);
        }
    }

    /// What can be said about a part of the step; `None` if there is no contact in it.
    fn look(&self, span: &Span<R>) -> Option<Part> {
        let error = self.plane.error;
        let volume = span.cubic(self.plane.coefficients);
        let not_above = range_above(volume.map(|value| -value), error)?;
        let not_below = range_above(volume, error)?;
        let mut range = common(not_above, not_below)?;
        if self.apart_along_an_axis(span) {
            return None;
        }
        let normals = [0, 1, 2].map(|axis| span.quadratic(self.plane.normal.coefficients[axis]));
        let mut axes = [0, 1, 2];
        axes.sort_unstable_by(|&a, &b| normals[b][1].abs().total_cmp(&normals[a][1].abs()));
        let mut inside = false;
        let mut inside_at = [false; 2];
        for axis in axes {
            let normal = sign(&normals[axis], self.plane.normal.errors[axis]);
            let mut signs = Signs::default();
            let mut ends = [Signs::default(); 2];
            let mut seen = [([0.0; 3], 0.0); 4];
            let mut count = 0;
            for side in self.sides.iter() {
                let (quadratic, error) = (span.quadratic(side.coefficients[axis]), side.errors[axis]);
                signs.add(sign(&quadratic, error));
                ends[0].add(sign(&[quadratic[0]], error));
                ends[1].add(sign(&[quadratic[2]], error));
                seen[count] = (quadratic, error);
                count += 1;
            }
            inside |= signs.all_alike();
            inside_at = [0, 1].map(|end| inside_at[end] || ends[end].all_alike());
            signs.add(normal);
            let common_sign = signs.known()?;
            if common_sign != 0 {
                for &(quadratic, error) in &seen[..count] {
                    let upright = if common_sign < 0 { quadratic.map(|value| -value) } else { quadratic };
                    range = common(range, range_above(upright, error)?)?;
                }
            }
            if normal != 0 {
                // Nothing is hidden from this side; the others say the same.
                break;
            }
        }
        let crosses = sign(&[volume[0]], error) * sign(&[volume[3]], error) == -1;
        let touches = |end: usize| self.touching && inside_at[end] && volume[3 * end].abs() <= error;
        Some(Part { range, contact: (inside && crosses) || touches(1), at_start: touches(0) })
    }

    /// Whether the offset lies beyond the whole domain along an axis, at both ends and so in between.
    fn apart_along_an_axis(&self, span: &Span<R>) -> bool {
        let Motion { offset, first, second } = self.motion;
        let [offset_extent, first_extent, second_extent] = [extent(offset), extent(first), extent(second)];
        (0..3).any(|axis| {
            let line = |vector: &[[R; 3]; 2]| [vector[0][axis], vector[1][axis]];
            let [p, a, b] = [line(offset), line(first), line(second)];
            // A corner of the domain less the offset: three differences, three sums, three for the point in between.
            let roundings = 12.0 * R::ROUNDING;
            let error = roundings * (offset_extent[axis] + first_extent[axis] + second_extent[axis]);
            let gap = |corner: [R; 2]| sign(&span.line([corner[0] - p[0], corner[1] - p[1]]), error);
            let zero = R::exactly(0.0);
            let near = gap([zero, zero]);
            near != 0
                && near == gap(a)
                && near == gap(b)
                && (self.kind == Kind::VertexFace || near == gap([a[0] + b[0], a[1] + b[1]]))
        })
    }
}

/// Which signs there are among some polynomials.
#[derive(Clone, Copy, Default)]
struct Signs {
    positive: bool,
    negative: bool,
    neither: bool,
}

impl Signs {
    fn add(&mut self, sign: i32) {
        self.positive |= sign > 0;
        self.negative |= sign < 0;
        self.neither |= sign == 0;
    }

    /// Whether all are strictly positive, or all negative.
    fn all_alike(self) -> bool {
        !self.neither && self.positive != self.negative
    }

    /// The sign that all must have, 0 if it is not known; `None` if they cannot have the same.
    fn known(self) -> Option<i32> {
        match (self.positive, self.negative) {
            (true, true) => None,
            (true, false) => Some(1),
            (false, true) => Some(-1),
            (false, false) => Some(0),
        }
    }
}

/// What two ranges have in common.
fn common(one: [f64; 2], other: [f64; 2]) -> Option<[f64; 2]> {
    let both = [one[0].max(other[0]), one[1].min(other[1])];
    (both[0] <= both[1]).then_some(both)
}
