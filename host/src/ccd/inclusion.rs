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

use std::cell::OnceCell;

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

/// What the sides of the domain say about a part of the step.
struct Within {
    /// Where in it a contact can be, from 0 to 1.
    range: [f64; 2],
    /// The offset is within all sides the whole time.
    always: bool,
    /// It is at the start, and at the end.
    at_ends: [bool; 2],
}

pub(super) struct Search<'a, R> {
    motion: &'a Motion<R>,
    plane: &'a Plane<R>,
    kind: Kind,
    /// How near to its start a contact has to be known.
    tolerance: f64,
    /// Whether what is zero within rounding is a contact.
    touching: bool,
    /// Most searches look along one axis only.
    sides: [OnceCell<Sides<R>>; 3],
}

impl<'a, R: Real> Search<'a, R> {
    /// A search in which what rounding hides is left unclear.
    pub(super) fn new(motion: &'a Motion<R>, plane: &'a Plane<R>, kind: Kind, tolerance: f64) -> Search<'a, R> {
        Search { motion, plane, kind, tolerance, touching: false, sides: [const { OnceCell::new() }; 3] }
    }

    /// A search in which what is zero within rounding is a contact.
    pub(super) fn touching(self) -> Search<'a, R> {
        Search { touching: true, ..self }
    }

    /// Looks for the first contact after `from`. One after `until` need not be found; whatever is found is the same for every
    /// `until`, because the search only ends before it does more.
    pub(super) fn run(&self, from: R, until: f64, budget: &mut u32) -> Found<R> {
        let one = R::exactly(1.0);
        let mut span = Span::new(from, one);
        // Between the end of the part and here there is nothing, and before it neither.
        let mut next = one;
        // How much to look at next if there is nothing in this part.
        let mut stride = span.width();
        // The part has an instant at which the points are in one plane.
        let mut flat = false;
        loop {
            if span.start.below() > until {
                return Found::Nothing;
            }
            if *budget == 0 {
                return Found::OutOfBudget { t: span.start };
            }
            *budget -= 1;
            let width = span.width();
            match self.look(&span, &mut flat) {
                Look::Nothing => {
                    if (one - next).leading() <= 0.0 {
                        return Found::Nothing;
                    }
                    let end = next + R::exactly(stride);
                    span = Span::new(next, if (one - end).leading() > 0.0 { end } else { one });
                    next = span.end;
                    stride *= 2.0;
                    flat = false;
                }
                Look::Contact { t } => return Found::Contact { t },
                Look::Narrowed(narrowed) if narrowed.width() <= R::NARROWEST => {
                    return Found::Unclear { t: narrowed.start };
                }
                Look::Narrowed(narrowed) if narrowed.width() <= 0.5 * width => span = narrowed,
                Look::Narrowed(narrowed) => {
                    stride = 0.5 * narrowed.width();
                    next = narrowed.start + R::exactly(stride);
                    span = Span::new(narrowed.start, next);
                    flat = false;
                }
            }
        }
    }

    /// What there is where the cubic does not have this sign yet, which its later coefficients have: a contact, if the points are in one
    /// plane there. `None` if that takes longer than it may.
    pub(super) fn look_at_start(&self, leaving: i32) -> Option<Look<R>> {
        let turned = self.plane.coefficients.map(|value| f64::from(-leaving) * value.leading());
        let span = Span::new(R::exactly(0.0), R::exactly(1.0));
        let Some(range) = range_above(turned, self.plane.error) else { return Some(Look::Nothing) };
        let narrowed = span.part(range);
        if narrowed.width() > self.tolerance {
            return None;
        }
        Some(match self.within(&narrowed) {
            None => Look::Nothing,
            Some(within) if within.always => Look::Contact { t: narrowed.start },
            Some(_) => Look::Narrowed(narrowed),
        })
    }

    /// What can be said about a part of the step. The plane alone narrows it while it does so fast; then the sides are asked.
    fn look(&self, span: &Span<R>, flat: &mut bool) -> Look<R> {
        let error = self.plane.error;
        let volume = span.cubic(self.plane.coefficients);
        let ranges = [range_above(volume.map(|value| -value), error), range_above(volume, error)];
        let [Some(not_above), Some(not_below)] = ranges else { return Look::Nothing };
        let Some(range) = common(not_above, not_below) else { return Look::Nothing };
        *flat |= sign(&[volume[0]], error) * sign(&[volume[3]], error) == -1;
        let narrowed = span.part(range);
        let width = narrowed.width();
        if width <= 0.5 * span.width() && width > self.tolerance.max(R::NARROWEST) {
            return Look::Narrowed(narrowed);
        }
        let Some(within) = self.within(&narrowed) else { return Look::Nothing };
        let touches = |end: usize| {
            self.touching && within.at_ends[end] && narrowed.cubic(self.plane.coefficients)[3 * end].abs() <= error
        };
        if touches(0) {
            return Look::Contact { t: narrowed.start };
        }
        let contact = (within.always && *flat) || touches(1);
        let rest = narrowed.part(within.range);
        if contact && rest.width() <= self.tolerance {
            return Look::Contact { t: rest.start };
        }
        // What the sides cut off may have been where it is flat.
        *flat &= within.always;
        Look::Narrowed(rest)
    }

    /// What the sides of the domain say about a part of the step; `None` if there is no contact in it.
    fn within(&self, span: &Span<R>) -> Option<Within> {
        let normals = [0, 1, 2].map(|axis| span.quadratic(self.plane.normal[axis].coefficients));
        let mut axes = [0, 1, 2];
        axes.sort_unstable_by(|&a, &b| normals[b][1].abs().total_cmp(&normals[a][1].abs()));
        let mut within = Within { range: [0.0, 1.0], always: false, at_ends: [false; 2] };
        for axis in axes {
            let normal = sign(&normals[axis], self.plane.normal[axis].error);
            let along = || Sides::along(axis, self.motion, &self.plane.normal[axis], self.kind);
            let sides = self.sides[axis].get_or_init(along);
            let mut seen = [([0.0; 3], 0.0); 4];
            let mut signs = Signs::default();
            let mut at_ends = [Signs::default(); 2];
            for (place, side) in seen.iter_mut().zip(sides.iter()) {
                let quadratic = span.quadratic(side.coefficients);
                signs.add(sign(&quadratic, side.error));
                at_ends[0].add(sign(&[quadratic[0]], side.error));
                at_ends[1].add(sign(&[quadratic[2]], side.error));
                *place = (quadratic, side.error);
            }
            within.always |= signs.all_alike();
            within.at_ends = [0, 1].map(|end| within.at_ends[end] || at_ends[end].all_alike());
            signs.add(normal);
            let upright = signs.known()?;
            if upright != 0.0 && !within.always {
                for (quadratic, error) in &seen[..sides.iter().len()] {
                    within.range = common(within.range, range_above(quadratic.map(|value| upright * value), *error)?)?;
                }
            }
            if normal != 0 {
                // Nothing is hidden from this side; the others say the same.
                return Some(within);
            }
        }
        (!self.apart_along_an_axis(span)).then_some(within)
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
            let error =
                roundings * (offset_extent[axis] + first_extent[axis] + second_extent[axis]) + f64::MIN_POSITIVE;
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

/// What came of a part of the step.
pub(super) enum Look<R> {
    Nothing,
    Contact {
        t: R,
    },
    /// There may be a contact in this, and there is none in what was cut off.
    Narrowed(Span<R>),
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
    fn known(self) -> Option<f64> {
        match (self.positive, self.negative) {
            (true, true) => None,
            (true, false) => Some(1.0),
            (false, true) => Some(-1.0),
            (false, false) => Some(0.0),
        }
    }
}

/// What two ranges have in common.
fn common(one: [f64; 2], other: [f64; 2]) -> Option<[f64; 2]> {
    let both = [one[0].max(other[0]), one[1].min(other[1])];
    (both[0] <= both[1]).then_some(both)
}
