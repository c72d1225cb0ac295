//! Whole bodies that cannot meet themselves: those that are seen from a point within.
//!
//! Pieces of what broke are mostly like that, and no contour helps them, because they have none.
//!
//! **Theorem.** Let a surface be closed, so that every edge has two faces that run against each other there. If some point
//! is strictly behind every face (or strictly before every face), and some direction from it leads through one face
//! only, the surface does not meet itself.
//!
//! *Proof.* Project the surface from the point to a sphere around it. No face has the point in its plane, so each is mapped
//! one to one; faces that share an edge are mapped to different sides of it, because they are seen the same way round. So
//! the map covers the sphere evenly but for branches at vertices: nearly all directions are met equally often, and none
//! more often than that, counting a vertex where the faces go around k times as k. One direction is met once, inside of
//! a face, so nearly all are met once, and no vertex branches. The map is one to one, and two points of the surface
//! that meet in space lie in one direction, so they are one point. ∎
//!
//! **Over a step** in which the point moves as well, it is enough that it is behind every face at all times: how often
//! directions are met changes with time continuously, so it does not change, and need be seen once. The next step may start
//! from another point: what is behind every face is convex, so one can move to the other at that moment. Both are behind, or both
//! before, because the volume that a closed surface spans with a point is the same for all points.

use glam::{DVec3, Vec3A, Vec4};
use rayon::prelude::*;

use super::body::{Body, Extent};
use super::four::{FourSides, MovingCorners, NormalControls, Sides};
use super::lanes::Lanes;
use super::swept::Space;
use crate::bvh::build::SERIAL;
use crate::geometry::predicates::orient_3d;

/// What rounding may have done to a sum of volumes, and far more, as a part of the cube of the largest coordinate: at most 18
/// products of three differences each.
const ROUNDING: f64 = 1e-12;

/// How far behind all faces a point has to be that is looked for, as a part of the body's size, and how many rounds that may take.
const BEHIND: f64 = 1e-3;
const ROUNDS: u32 = 8;

/// Coordinates between these have cubes that are numbers, roundings included.
const USUAL: std::ops::Range<f64> = 1e-80..1e80;

impl Body {
    /// Finds out whether the body is seen from a point near its middle in the whole step, unless that is known. Vertices are where the
    /// tree sees them.
    pub(super) fn look_for_star(&mut self, space: &Space) {
        if self.star.is_none() {
            self.star = Some(self.find_star(space));
        }
    }

    /// Keeps what is known of the last step before vertices are moved.
    pub(super) fn end_star(&mut self) {
        self.was_star = self.star.take().unwrap_or(false);
    }

    /// Begins a step, in which the body is seen as often as at the end of the last one.
    pub(super) fn begin_star(&mut self) {
        if self.is_moving {
            self.star = None;
        } else {
            self.end_star();
        }
    }

    fn find_star(&self, space: &Space) -> bool {
        let [Extent { mean: middle, .. }, _] = self.steps();
        if !self.features.is_closed || !middle.is_finite() {
            return false;
        }
        let is_small = self.triangles.len() <= SERIAL;
        let is_seen_from = |point: DVec3| self.is_seen_from(point, space);
        is_seen_from(middle) || (is_small && self.point_within(middle).is_some_and(is_seen_from))
    }

    /// Whether the body is seen from a point that moves along with it.
    fn is_seen_from(&self, before: DVec3, space: &Space) -> bool {
        let Some(first) = self.triangles.first() else { return false };
        let Some(side) = self.sides_of(&[*first], before) else { return false };
        let rough = RoughView::of(before, space);
        // Nearly all faces are told in single precision; those that are not are looked at again.
        let look = |faces: &[[u32; 3]]| -> Option<Vec<[u32; 3]>> {
            let mut unclear = Vec::new();
            for faces in faces.chunks(4) {
                let last = faces.len() - 1;
                let corners = |lane: usize| {
                    let [a, b, c] = faces[lane.min(last)];
                    [self.swept[a as usize].ends(), self.swept[b as usize].ends(), self.swept[c as usize].ends()]
                };
                let [before, behind] = rough.sides(&[corners(0), corners(1), corners(2), corners(3)]);
                let (seen, not_seen) = if side > 0 { (before, behind) } else { (behind, before) };
                if not_seen != 0 {
                    return None;
                }
                if seen != 0b1111 {
                    unclear.extend((0..=last).filter(|lane| seen & 1 << lane == 0).map(|lane| faces[lane]));
                }
            }
            Some(unclear)
        };
        let unclear: Option<Vec<Vec<[u32; 3]>>> = match self.triangles.len() > SERIAL {
            true => self.triangles.par_chunks(SERIAL).map(look).collect(),
            false => look(&self.triangles).map(|unclear| vec![unclear]),
        };
        let Some(unclear) = unclear.map(|parts| parts.concat()) else { return false };
        let is_seen = unclear.is_empty() || self.sides_of(&unclear, before) == Some(side);
        is_seen && (self.was_star || self.is_met_once(before, side.into()))
    }

    /// The side of some faces that a point which moves along with the body is on over the step, 1 or -1; `None` if it is not the same
    /// of all, or cannot be told.
    fn sides_of(&self, faces: &[[u32; 3]], before: DVec3) -> Option<i32> {
        let steps = [self.start(), &self.to];
        let after = before + self.drift;
        let corner = |corner: u32| [steps[0][corner as usize] - before, steps[1][corner as usize] - after];
        let largest = |[start, end]: [DVec3; 2]| start.abs().max(end.abs()).max_element();
        let reach = faces.iter().flatten().map(|&vertex| largest(corner(vertex))).fold(0.0, f64::max);
        let error = ROUNDING * reach * reach * reach;
        let side = |face: &[u32; 3]| {
            let [a, b, c, d] = volumes(face.map(corner));
            let (least, most) = (a.min(b).min(c.min(d)), a.max(b).max(c.max(d)));
            i32::from(least > error) - i32::from(most < -error)
        };
        let first = faces.first().map(side).filter(|&side| side != 0 && USUAL.contains(&reach))?;
        faces.iter().all(|face| side(face) == first).then_some(first)
    }

    /// A point behind all faces at the start of the step, if one is found near the middle: again and again it goes behind the face
    /// that it is farthest before (Agmon 1954, The relaxation method for linear inequalities). What is convex but for
    /// a dent takes one or two rounds.
    fn point_within(&self, middle: DVec3) -> Option<DVec3> {
        let positions = self.start();
        // Six times the volume, whose sign says which way faces look.
        let mut volume = 0.0;
        let planes: Vec<(DVec3, f64)> = (self.triangles.iter())
            .map(|face| {
                let [a, b, c] = face.map(|corner| positions[corner as usize] - middle);
                let normal = (b - a).cross(c - a);
                volume += a.dot(normal);
                let normal = normal.normalize_or_zero();
                (normal, a.dot(normal))
            })
            .collect();
        let side = f64::signum(volume);
        let size = positions.iter().map(|&position| (position - middle).length_squared()).fold(0.0, f64::max).sqrt();
        let mut point = DVec3::ZERO;
        for _ in 0..ROUNDS {
            let before = |&(normal, offset): &(DVec3, f64)| (side * (normal.dot(point) - offset), side * normal);
            let (distance, normal) = planes.iter().map(before).max_by(|a, b| a.0.total_cmp(&b.0))?;
            if distance < -BEHIND * size {
                return Some(middle + point);
            }
            point -= (distance + 4.0 * BEHIND * size) * normal;
        }
        None
    }

    /// Whether the direction from a point to the middle of the first face leads through no other one.
    fn is_met_once(&self, from: DVec3, side: f64) -> bool {
        let positions = self.start();
        let corners = |face: &[u32; 3]| face.map(|corner| positions[corner as usize]);
        let Some([a, b, c]) = self.triangles.first().map(corners) else { return false };
        let ahead = (a + b + c) / 3.0;
        let way = ahead - from;
        let is_met = |face: &&[u32; 3]| {
            let corners = corners(face);
            let seen @ [a, b, c] = corners.map(|corner| corner - from);
            let reach = a.abs().max(b.abs()).max(c.abs().max(way.abs())).max_element();
            let error = if USUAL.contains(&reach) { ROUNDING * reach * reach * reach } else { f64::INFINITY };
            // What cannot be told, because it is too large, counts as met.
            let is_beside = |first: usize| {
                let second = (first + 1) % 3;
                let volume = side * seen[first].cross(seen[second]).dot(way);
                let is_clear = volume.abs() > error;
                if is_clear {
                    volume < 0.0
                } else {
                    side * orient_3d(from, corners[first], corners[second], ahead) < 0.0
                }
            };
            !(0..3).any(is_beside)
        };
        self.triangles.iter().filter(is_met).take(2).count() == 1
    }
}

/// Tells the sides of faces in single precision.
///
/// The volume of a face and the point is the determinant of three vectors: from the point to a corner, of coordinates up to A, and two
/// sides of the face, up to E. In the tree's coordinates, up to R, a vertex and the point are off by 2⁻²⁴ R each, and their differences are
/// rounded again: each vector is off by δ = 2⁻²² R at most. So a determinant is off by 6 δ (E² + 2 A E), all of them taken δ larger,
/// and by 48 roundings of A E²; an inner coefficient is three of them. As A is not above 2 R, all of that is less than
/// δ E (128 E + 64 A).
struct RoughView {
    point: Vec3A,
    error: f32,
}

impl RoughView {
    fn of(point: DVec3, space: &Space) -> RoughView {
        let point: Vec3A = ((point - space.frame.origin) * space.frame.scale).as_vec3().into();
        let reach = space.reach.max(point.abs().max_element());
        RoughView { point, error: reach / (1 << 22) as f32 }
    }

    /// Which of four faces the point is clearly behind and which it is clearly before over the step, as bits.
    #[inline]
    fn sides(&self, &[a, b, c, d]: &[MovingCorners; 4]) -> [u32; 2] {
        let sides = FourSides::of(&[Sides::of(a), Sides::of(b), Sides::of(c), Sides::of(d)]);
        let NormalControls { start, middle, end } = sides.normals();
        // The first corners as seen from the point.
        let point = Vec4::from((self.point, 0.0));
        let from = Lanes::of(a[0].0 - point, b[0].0 - point, c[0].0 - point, d[0].0 - point);
        let to = Lanes::of(a[0].1 - point, b[0].1 - point, c[0].1 - point, d[0].1 - point);
        // The Bernstein coefficients of `volumes`, of four faces at once.
        let first = from.dot(&start);
        let second = to.dot(&start) + from.dot(&middle);
        let third = to.dot(&middle) + from.dot(&end);
        let fourth = to.dot(&end);
        let size = sides.longest() + Vec4::splat(self.error);
        let away = from.longest().max(to.longest()) + Vec4::splat(self.error);
        let error = self.error * size * (128.0 * size + 64.0 * away);
        // Products that underflow are off by less than this.
        let is_clear = error.cmpgt(Vec4::splat(1e3 * f32::MIN_POSITIVE));
        let least = first.min(second).min(third.min(fourth));
        let most = first.max(second).max(third.max(fourth));
        [(is_clear & least.cmpgt(error)).bitmask(), (is_clear & most.cmplt(-error)).bitmask()]
    }
}

/// Six times the volume between three points and the origin is a cubic of time if they go straight from one place to
/// another; these are its Bernstein coefficients, the inner ones threefold. It is not less than the least.
#[inline]
fn volumes([[a, a_after], [b, b_after], [c, c_after]]: [[DVec3; 2]; 3]) -> [f64; 4] {
    let (start, end) = (b.cross(c), b_after.cross(c_after));
    let middle = b.cross(c_after) + b_after.cross(c);
    [a.dot(start), a_after.dot(start) + a.dot(middle), a_after.dot(middle) + a.dot(end), a_after.dot(end)]
}
