//! The question and its answers.

use glam::{DVec2, DVec3};

use super::bernstein::sign;
use super::closest::Instant;
use super::filter::apart_along_an_axis;
use super::inclusion::{Found, Look, Search};
use super::motion::{Motion, extent};
use super::options::Options;
use super::polynomials::Plane;
use super::real::{Real, Twofold};
use super::scale::near_one;
use super::separation::{Walked, walk};

/// What is tested against what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A vertex against a face.
    VertexFace,
    /// An edge against an edge.
    EdgeEdge,
}

/// Four points that move in straight lines over a step: a vertex and the corners of a face, or the ends of two edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Query {
    /// What the points are.
    pub kind: Kind,
    /// Where they are at time 0.
    pub start: [DVec3; 4],
    /// Where they are at time 1.
    pub end: [DVec3; 4],
}

/// Where on the two things a contact is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Features {
    /// The weights of the face's corners; they are not negative and add up to one.
    VertexFace([f64; 3]),
    /// How far along each edge, from 0 to 1.
    EdgeEdge([f64; 2]),
}

/// The answer to a query. There is no time in it that is not a number from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// They touch.
    Hit {
        /// When they first do, or up to the tolerance before; never later.
        t: f64,
        /// Where on the two they do.
        features: Features,
        /// The unit direction in which the vertex, or the first edge, has to move to get free.
        normal: DVec3,
    },
    /// They do not touch.
    Miss,
    /// It could not be found out in the iterations that were allowed, or a coordinate is not finite. They do not touch
    /// before `t`; take it for a contact at that time.
    Undecided {
        /// The time up to which all is known.
        t: f64,
    },
}

impl Outcome {
    /// When to stop: the time of a hit, or that up to which an undecided query is known; `None` of a miss.
    pub fn time(&self) -> Option<f64> {
        match *self {
            Outcome::Hit { t, .. } | Outcome::Undecided { t } => Some(t),
            Outcome::Miss => None,
        }
    }
}

/// Between these extents no product of three lengths over- or underflows, nor do the errors of products matter.
const USUAL_EXTENTS: std::ops::RangeInclusive<f64> = 1e-48..=1e33;

impl Query {
    /// A vertex and the three corners of a face, at the start and at the end of the step.
    pub fn vertex_face(start: [DVec3; 4], end: [DVec3; 4]) -> Query {
        Query { kind: Kind::VertexFace, start, end }
    }

    /// The two ends of an edge and those of another, at the start and at the end of the step.
    pub fn edge_edge(start: [DVec3; 4], end: [DVec3; 4]) -> Query {
        Query { kind: Kind::EdgeEdge, start, end }
    }

    /// When the two first touch in the step from time 0 to time 1, touching at either end included.
    ///
    /// Faces and edges may be degenerate; points may stand still, start in contact, or stay in one plane. Coordinates may
    /// have any size; one that is not finite makes the query [`Outcome::Undecided`] at time 0. Gaps below 1e-270 of the
    /// query's extent, or that 30 digits of the polynomials in question do not tell from none, are none.
    ///
    /// ```
    /// use fracas::ccd::{Features, Options, Outcome, Query};
    /// use glam::DVec3;
    ///
    /// let [x, y, z] = DVec3::AXES;
    /// // One edge comes down on another across it.
    /// let query = Query::edge_edge([z - x, z + x, -y, y], [-z - x, x - z, -y, y]);
    /// let Outcome::Hit { features: Features::EdgeEdge(along), normal, .. } = query.first_contact(&Options::default())
    /// else {
    ///     panic!("it passes through")
    /// };
    /// assert_eq!((along, normal), ([0.5, 0.5], z));
    /// ```
    pub fn first_contact(&self, options: &Options) -> Outcome {
        if !self.is_finite() {
            return Outcome::Undecided { t: 0.0 };
        }
        let gap = options.minimum_separation.max(0.0);
        if gap == 0.0 && apart_along_an_axis(self.kind, [&self.start, &self.end], gap) {
            return Outcome::Miss;
        }
        self.first_contact_of_near(options)
    }

    /// As [`Query::first_contact`], of what is finite and was not found to be apart along an axis.
    pub(crate) fn first_contact_of_near(&self, options: &Options) -> Outcome {
        let outcome = self.first_of_the_step(options);
        if outcome.time().is_some_and(|t| t > options.until) { Outcome::Miss } else { outcome }
    }

    /// The first contact; one after the time that is asked about may be a miss already.
    #[inline]
    fn first_of_the_step(&self, options: &Options) -> Outcome {
        if options.minimum_separation > 0.0 {
            return self.first_within(options);
        }
        let motion = Motion::of(self);
        let size = largest_extent(&motion);
        if USUAL_EXTENTS.contains(&size) {
            return self.first_touch(&motion, options);
        }
        let (query, _) = near_one(self);
        query.first_touch(&Motion::of(&query), options)
    }

    fn is_finite(&self) -> bool {
        self.start.iter().chain(&self.end).fold(true, |all, point| all & point.is_finite())
    }

    /// The first instant at which the two share a point.
    fn first_touch(&self, motion: &Motion<f64>, options: &Options) -> Outcome {
        if let Some(at) = self.shared_corner() {
            return self.hit_at(motion, 0.0, at);
        }
        let plane = Plane::of(motion);
        if sign(&plane.coefficients, plane.error) != 0 {
            return Outcome::Miss;
        }
        match self.look_at_start(motion, &plane, options) {
            Some(outcome) => outcome,
            None => self.search(motion, &plane, options),
        }
    }

    /// What comes of points that start in one plane, or next to one, and leave it at once, which is what they do all along the crack
    /// of a thing that has just broken: only the very start is to be looked at, with twice as many digits if need be. `None` if they
    /// do not.
    #[inline]
    fn look_at_start(&self, motion: &Motion<f64>, plane: &Plane<f64>, options: &Options) -> Option<Outcome> {
        let [start, rest @ ..] = plane.coefficients;
        let leaving = sign(&rest, plane.error);
        if leaving == 0 {
            return None;
        }
        let search = Search::new(motion, plane, self.kind, options.tolerance);
        let is_within = match search.look_at_start(leaving)? {
            Look::Nothing => return Some(Outcome::Miss),
            look => matches!(look, Look::Contact { .. }),
        };
        if !is_within {
            // Doubles cannot tell along the sides of the domain, wherever they look.
            return Some(self.search_closer(motion, 0.0, &mut options.iterations.clone(), options));
        }
        let is_beyond = start.abs() <= plane.error && Plane::side_at_start(&Motion::<Twofold>::of(self)) == leaving;
        Some(if is_beyond { Outcome::Miss } else { self.hit(motion, 0.0) })
    }

    #[inline(never)]
    fn search(&self, motion: &Motion<f64>, plane: &Plane<f64>, options: &Options) -> Outcome {
        let mut budget = options.iterations;
        let search = Search::new(motion, plane, self.kind, options.tolerance);
        match search.run(0.0, options.until, &mut budget) {
            Found::Nothing => Outcome::Miss,
            Found::Contact { t } => self.hit(motion, t),
            Found::OutOfBudget { t } => Outcome::Undecided { t },
            Found::Unclear { t } => self.search_closer(motion, t, &mut budget, options),
        }
    }

    /// Where a corner of the one starts at one of the other, if any does: pieces of a thing that has just broken do, at every
    /// vertex of the crack.
    #[inline]
    fn shared_corner(&self) -> Option<DVec2> {
        let [a, b, c, d] = self.start;
        let corners = match self.kind {
            Kind::VertexFace => [(a == b, DVec2::ZERO), (a == c, DVec2::X), (a == d, DVec2::Y), (false, DVec2::ONE)],
            Kind::EdgeEdge => [(a == c, DVec2::ZERO), (b == c, DVec2::X), (a == d, DVec2::Y), (b == d, DVec2::ONE)],
        };
        corners.into_iter().find_map(|(is_shared, at)| is_shared.then_some(at))
    }

    /// The search from `t` on with twice as many digits. What these cannot tell from a contact is one.
    #[cold]
    fn search_closer(&self, rough: &Motion<f64>, t: f64, budget: &mut u32, options: &Options) -> Outcome {
        let motion = Motion::<Twofold>::of(self);
        let plane = Plane::of(&motion);
        let search = Search::new(&motion, &plane, self.kind, options.tolerance).touching();
        match search.run(Twofold::exactly(t), options.until, budget) {
            Found::Nothing => Outcome::Miss,
            Found::Contact { t } | Found::Unclear { t } => self.hit(rough, t.below()),
            Found::OutOfBudget { t } => Outcome::Undecided { t: t.below() },
        }
    }

    /// The first instant at which the two are within the minimum separation.
    fn first_within(&self, options: &Options) -> Outcome {
        let motion = Motion::of(self);
        if USUAL_EXTENTS.contains(&largest_extent(&motion)) {
            return self.walked(&motion, options.minimum_separation, options);
        }
        let (query, factors) = near_one(self);
        let separation = options.minimum_separation * factors[0] * factors[1] + f64::MIN_POSITIVE;
        query.walked(&Motion::of(&query), separation, options)
    }

    fn walked(&self, motion: &Motion<f64>, separation: f64, options: &Options) -> Outcome {
        match walk(motion, self.kind, separation, options) {
            Walked::Apart => Outcome::Miss,
            Walked::Within { t } => self.hit(motion, t),
            Walked::OutOfBudget { t } => Outcome::Undecided { t },
        }
    }

    /// Where on the two they are nearest to each other at a time, and the unit direction in which the vertex, or the first
    /// edge, has to move to get away from there: what a hit at that time would say.
    pub fn nearest(&self, t: f64) -> (Features, DVec3) {
        let motion = Motion::of(self);
        if USUAL_EXTENTS.contains(&largest_extent(&motion)) {
            return self.nearest_in(&motion, t);
        }
        let (query, _) = near_one(self);
        query.nearest_in(&Motion::of(&query), t)
    }

    fn hit(&self, motion: &Motion<f64>, t: f64) -> Outcome {
        let (features, normal) = self.nearest_in(motion, t);
        Outcome::Hit { t, features, normal }
    }

    fn hit_at(&self, motion: &Motion<f64>, t: f64, at: DVec2) -> Outcome {
        let (features, normal) = self.seen_at(motion, &Instant::of(motion, t), at);
        Outcome::Hit { t, features, normal }
    }

    fn nearest_in(&self, motion: &Motion<f64>, t: f64) -> (Features, DVec3) {
        let now = Instant::of(motion, t);
        self.seen_at(motion, &now, now.closest(self.kind))
    }

    /// What a hit at an instant and a point of the domain says.
    fn seen_at(&self, motion: &Motion<f64>, now: &Instant, at: DVec2) -> (Features, DVec3) {
        let features = match self.kind {
            Kind::VertexFace => Features::VertexFace([(1.0 - at.x - at.y).max(0.0), at.x, at.y]),
            Kind::EdgeEdge => Features::EdgeEdge([at.x, at.y]),
        };
        let toward = way_out(motion, now, at);
        // The offset of a face is the vertex; that of edges leads to the second one.
        let normal = if self.kind == Kind::VertexFace { toward } else { -toward };
        (features, normal)
    }
}

/// The unit direction of the gap just before a contact.
fn way_out(motion: &Motion<f64>, now: &Instant, at: DVec2) -> DVec3 {
    let gap = now.gap(at);
    let approach = -Instant::change(motion).gap(at);
    let before = if gap == DVec3::ZERO { approach } else { gap };
    let normal = now.first.cross(now.second);
    let flat = 1e-12 * now.first.length() * now.second.length();
    if normal.length() > flat
        && let Some(normal) = normal.try_normalize()
    {
        let side = if gap.dot(normal) == 0.0 { approach.dot(normal) } else { gap.dot(normal) };
        return if side < 0.0 { -normal } else { normal };
    }
    // A face or edges without area have no normal of their own.
    let line = if now.first.length_squared() > now.second.length_squared() { now.first } else { now.second };
    let across = before.reject_from(line.try_normalize().unwrap_or(DVec3::ZERO));
    across
        .try_normalize()
        .or_else(|| line.try_normalize().map(|line| line.any_orthonormal_vector()))
        .or_else(|| before.try_normalize())
        .unwrap_or(DVec3::Z)
}

fn largest_extent(motion: &Motion<f64>) -> f64 {
    let largest = |vector: &[[f64; 3]; 2]| {
        let [x, y, z] = extent(vector);
        x.max(y).max(z)
    };
    largest(&motion.offset).max(largest(&motion.first)).max(largest(&motion.second))
}
