//! When two solids that move have to stop so that they do not pass through each other.

use glam::DVec3;

use super::path::Path;
use super::solid::Solid;
use crate::geometry::Pose;

/// How deep a step may take two solids into each other, as a part of how thick the thinner one is. What is deeper is
/// pushed out on the wrong side by the solver, or a splinter goes into the seam of two parts.
const DEPTH: f64 = 0.125;

/// Solids that were deeper in each other than this when the step began, as a part of how thick the thinner one is, are the
/// solver's alone.
const DEEPEST: f64 = 0.25;

/// How much deeper a step may take solids that are as deep as they may get, as a part of what is left half-way to `DEEPEST`.
const SLACK: f64 = 1.0 / 64.0;

/// How near to each other solids are stopped at most, as a part of how thick the thinner one is; and in length units,
/// where it is well within the distance from which on the solver knows of a contact.
const GAP: [f64; 2] = [1.0 / 32.0, 1e-3];

/// A step is gone along in no more strides than this; what has not got to its end by then stops.
const MOST_STRIDES: usize = 1024;

/// After so many strides all directions are tried for a longer one.
const FEW_STRIDES: usize = 32;

/// How often the end of a stride is looked for between what is kept and twice of it, which is not.
const REFINEMENTS: usize = 3;

/// Pairs of edges whose directions are crossed, at most.
const MOST_CROSSES: usize = 4096;

/// The distances that matter to a pair.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// What is nearer than this touches.
    pub(super) gap: f64,
    /// A step takes nothing deeper than this.
    pub(super) depth: f64,
    /// What is deeper than this already is left to the solver.
    pub(super) deepest: f64,
    /// Less than this is no motion: what a pose is rounded to.
    pub(super) rounding: f64,
}

impl Limits {
    /// Of a pair whose thinner side has a thickness, at places with coordinates up to `farthest`.
    pub(super) fn new(thickness: f64, farthest: f64, length_unit: f64) -> Limits {
        let rounding = f64::from(f32::EPSILON) * farthest;
        // Where bodies are put is rounded to single precision: after that they shall still be apart, as a rule.
        let gap = (GAP[0] * thickness).min(GAP[1] * length_unit).max(8.0 * rounding);
        Limits { gap, depth: (DEPTH * thickness).max(gap), deepest: (DEEPEST * thickness).max(2.0 * gap), rounding }
    }
}

/// One of two solids that may meet.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) path: &'a Path,
    pub(super) solid: &'a Solid<'a>,
}

/// Two solids that may meet.
pub(super) struct Meeting<'a> {
    pub(super) sides: [Side<'a>; 2],
    pub(super) limits: Limits,
}

/// A direction from the first solid to the second, by what it turns with.
#[derive(Clone, Copy, Debug)]
enum Sight {
    /// It does not turn.
    Fixed(DVec3),
    /// With one of the two, in the coordinates of its body.
    With(usize, DVec3),
    /// Across a line of each, in the coordinates of their bodies.
    Across([DVec3; 2]),
}

/// Where the two are at a time.
struct Moment {
    t: f64,
    poses: [Pose; 2],
}

/// How far apart the two are along a direction; less than zero if they overlap there.
#[derive(Clone, Copy)]
struct View {
    sight: Sight,
    apart: f64,
}

/// A part of a step that is gone along while the two are apart by `least`, or less by no more than `fine` in between.
struct Walk {
    from: f64,
    to: f64,
    least: f64,
    fine: f64,
}

impl Meeting<'_> {
    /// When the two have to stop between two times, if they have to; neither stops by itself in between.
    pub(super) fn stop(&self, from: f64, to: f64) -> Option<f64> {
        let Limits { gap, depth, deepest, .. } = self.limits;
        let view = self.view(from);
        if view.apart < -deepest && self.plane().is_none() {
            return None;
        }
        // What is as deep as a step may take it still has to slide, and rounding must not hold it up: it gets a part of what
        // is left to a depth that it never reaches.
        let slide = |from: f64, view: View| {
            let left = (0.5 * (depth + deepest) + view.apart).max(0.0);
            let least = (view.apart - SLACK * left).min(-depth);
            self.walk(&Walk { from, to, least, fine: depth / 16.0 }, view.sight)
        };
        if view.apart <= gap {
            let end = slide(from, view);
            return (end < to).then_some(end);
        }
        let contact = self.walk(&Walk { from, to, least: 0.5 * gap, fine: 0.125 * gap }, view.sight);
        // What only grazes need not stop.
        (contact < to && slide(contact, self.view(contact)) < to).then_some(contact)
    }

    /// How long the two stay apart by `least`. They do at the start, by the direction that is given.
    ///
    /// It is gone along in strides, each with a direction of its own. When none gets on by more than what changes
    /// nothing, or there were too many, the walk ends; so a bad direction ends it early and never late.
    fn walk(&self, walk: &Walk, sight: Sight) -> f64 {
        let mut now = self.moment(walk.from);
        if self.apart(sight, &now) < walk.least {
            return walk.from;
        }
        // In less time nothing changes by more than `fine`.
        let shortest = walk.fine * (walk.to - walk.from) / self.farthest(walk.from, walk.to);
        let mut sight = sight;
        for stride in 1..MOST_STRIDES {
            let mut best = (now.t + shortest, None);
            let is_there = self.lengthen(walk, &now, [sight], &mut best)
                || self.lengthen(walk, &now, self.guesses(&now).into_iter().flatten(), &mut best);
            if !is_there && (best.1.is_none() || stride % FEW_STRIDES == 0) {
                self.lengthen(walk, &now, self.all_sights(), &mut best);
            }
            let (end, Some(found)) = best else { return now.t };
            if end >= walk.to {
                return walk.to;
            }
            (now, sight) = (self.moment(end), found);
        }
        now.t
    }

    /// Looks for a longer stride than the best one so far; whether it got to the end.
    fn lengthen(
        &self,
        walk: &Walk,
        now: &Moment,
        sights: impl IntoIterator<Item = Sight>,
        best: &mut (f64, Option<Sight>),
    ) -> bool {
        sights.into_iter().any(|sight| {
            if let Some(end) = self.stride(walk, now, sight, best.0) {
                *best = (end, Some(sight));
            }
            best.0 >= walk.to
        })
    }

    /// Until when the two stay apart along a direction, if that is later than `least_end`.
    ///
    /// From time to time corners go straight, up to `stray`, and so does the direction: from one unit vector to another, so
    /// that it gets no longer, and, if these are at a right angle at most, shorter by no more than a factor of 0.7. How far
    /// a corner of one is from a corner of the other along it is then a quadratic of time, which stays above the least of
    /// its three Bernstein coefficients. The first and the last are the distances at the ends. A direction that turns with
    /// a face or with two edges that touch loses little to the one in the middle, which a fixed one would.
    fn stride(&self, walk: &Walk, now: &Moment, sight: Sight, least_end: f64) -> Option<f64> {
        let axis = self.direction(sight, now)?;
        let at_start = self.apart_along(axis, now);
        if at_start < walk.least {
            return None;
        }
        let is_kept = |end: f64| {
            let then = self.moment(end);
            let Some(end_axis) = self.direction(sight, &then) else { return false };
            let at_end = self.apart_along(end_axis, &then);
            if at_end < walk.least || axis.dot(end_axis) < 0.0 {
                return false;
            }
            // Each direction with where the corners are at the other end.
            let crossed = |side: usize, sign: f64| {
                let sights = [(&then.poses[side], 0.5 * sign * axis), (&now.poses[side], 0.5 * sign * end_axis)];
                self.sides[side].solid.reach(sights)
            };
            let middle = -crossed(0, 1.0) - crossed(1, -1.0);
            at_start.min(middle).min(at_end) - self.stray(now.t, end) >= walk.least - walk.fine
        };
        let mut width = walk.to - now.t;
        if is_kept(walk.to) {
            return Some(walk.to);
        }
        loop {
            width *= 0.5;
            if now.t + 2.0 * width <= least_end {
                return None;
            }
            if is_kept(now.t + width) {
                break;
            }
        }
        let (mut kept, mut lost) = (width, 2.0 * width);
        for _ in 0..REFINEMENTS {
            let middle = 0.5 * (kept + lost);
            if is_kept(now.t + middle) {
                kept = middle;
            } else {
                lost = middle;
            }
        }
        Some(now.t + kept).filter(|end| *end > least_end)
    }

    fn moment(&self, t: f64) -> Moment {
        Moment { t, poses: self.sides.map(|side| side.path.at(t)) }
    }

    fn stray(&self, from: f64, to: f64) -> f64 {
        self.sides.iter().map(|side| side.path.stray(from, to)).sum()
    }

    /// How far a point of the one can move against the other between two times.
    fn farthest(&self, from: f64, to: f64) -> f64 {
        let [one, other] = self.sides.map(|side| side.path);
        let turned = |path: &Path| path.reach * path.turn(from, to);
        (one.way(from, to) - other.way(from, to)).length() + turned(one) + turned(other)
    }

    /// How far apart the two are at a time, and along which direction. If a guess shows that they are not deep in each
    /// other, no other direction is tried.
    fn view(&self, t: f64) -> View {
        let now = self.moment(t);
        let mut best = View { sight: Sight::Fixed(DVec3::X), apart: f64::NEG_INFINITY };
        let mut is_enough = |sight: Sight| {
            let apart = self.apart(sight, &now);
            if apart > best.apart {
                best = View { sight, apart };
            }
            best.apart >= -0.5 * self.limits.depth
        };
        if !self.guesses(&now).into_iter().flatten().any(&mut is_enough) {
            self.all_sights().any(is_enough);
        }
        best
    }

    /// How far apart the two are along a direction; minus infinity if there is none.
    fn apart(&self, sight: Sight, now: &Moment) -> f64 {
        self.direction(sight, now).map_or(f64::NEG_INFINITY, |axis| self.apart_along(axis, now))
    }

    fn apart_along(&self, axis: DVec3, now: &Moment) -> f64 {
        let [one, other] = self.sides.map(|side| side.solid);
        -one.reach([(&now.poses[0], axis)]) - other.reach([(&now.poses[1], -axis)])
    }

    fn direction(&self, sight: Sight, now: &Moment) -> Option<DVec3> {
        let turned = |side: usize, vector: DVec3| now.poses[side].rotation * vector;
        match sight {
            Sight::Fixed(axis) => Some(axis),
            Sight::With(side, axis) => Some(turned(side, axis)),
            Sight::Across([line, other]) => {
                let cross = turned(0, line).cross(turned(1, other));
                // Of nearly parallel lines it is noise.
                Some(cross).filter(|cross| cross.length_squared() > 1e-12).map(DVec3::normalize)
            }
        }
    }

    /// The direction of a half-space, along which alone it is met.
    fn plane(&self) -> Option<DVec3> {
        self.sides[1].solid.plane
    }

    /// What Rapier's own test tells, turning in each way.
    fn guesses(&self, now: &Moment) -> [Option<Sight>; 3] {
        if let Some(normal) = self.plane() {
            return [Some(Sight::Fixed(-normal)), None, None];
        }
        let [one, other] = self.sides.map(|side| side.solid);
        let axis = one.guess(&now.poses[0], other, &now.poses[1]);
        let turning = |side: usize| axis.map(|axis| Sight::With(side, now.poses[side].rotation.inverse() * axis));
        [axis.map(Sight::Fixed), turning(0), turning(1)]
    }

    /// Polytopes that are apart are so across a face of one of them or along the cross product of two edges, and if they
    /// overlap, they overlap least along one of these. A half-space is only met along its normal.
    fn all_sights(&self) -> impl Iterator<Item = Sight> {
        let lines = self.sides.map(|side| side.solid.lines());
        let count = if self.plane().is_none() { 2 } else { 0 };
        let faces = (0..count).flat_map(move |side| lines[side].normals.iter().map(move |&axis| (side, axis)));
        let faces = faces.flat_map(|(side, axis)| [axis, -axis].map(|axis| Sight::With(side, axis)));
        let is_many = lines[0].edges.len() * lines[1].edges.len() > MOST_CROSSES;
        let ones = if is_many { &[] } else { lines[0].edges.as_slice() };
        let edges = ones.iter().flat_map(move |&one| lines[1].edges.iter().map(move |&other| (one, other)));
        faces.chain(edges.flat_map(|(one, other)| [other, -other].map(|other| Sight::Across([one, other]))))
    }
}
