//! Half-spaces that fragments are in, which is all that must be known of most pairs: pieces along a crack are parted by a plane, and
//! so are most that only lie side by side.
//!
//! A fragment does not change, so a half-space that it is in stays one, however the two move; it only becomes less useful.
//! What is found with it is what is found without.

use glam::{DVec3, Vec3};
use rapier3d::parry::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use rapier3d::parry::shape::SupportMap;
use rapier3d::prelude::{Pose as RapierPose, Vector};

use super::fragment::Fragment;
use crate::geometry::Pose;

/// Bodies are made this much smaller to find a plane between them, so that those that touch have one.
const SHRUNK: f32 = 0.97;

/// A query that looks at more points than this is worth a search for a plane.
const WORTH: usize = 24;

/// A search starts from some points of each body, and adds those that are in the way so many times.
const ROUNDS: usize = 4;

/// After a search that was of no use, the next comes after at most so many queries.
const LONGEST_WAIT: u32 = 16;

/// All points that are no higher than a plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HalfSpace {
    pub(super) normal: DVec3,
    offset: f64,
}

/// A little more than single precision is off by, in which positions are told from the middle of the solid.
fn rounding(fragment: &Fragment) -> f64 {
    4.0 * f64::from(f32::EPSILON) * fragment.solid.aabb.diagonal()
}

impl Default for HalfSpace {
    /// All there is.
    fn default() -> HalfSpace {
        HalfSpace { normal: DVec3::ZERO, offset: f64::INFINITY }
    }
}

impl HalfSpace {
    /// That of a fragment whose farthest point in a direction is this, both in the coordinates of its tree.
    fn under(fragment: &Fragment, direction: Vec3, farthest: Vec3) -> HalfSpace {
        let normal = direction.as_dvec3().normalize_or_zero();
        HalfSpace { normal, offset: normal.dot(fragment.tree.origin + farthest.as_dvec3()) + rounding(fragment) }
    }

    /// What is under a plane through the origin.
    pub(super) fn under_plane(normal: DVec3) -> HalfSpace {
        HalfSpace { normal, offset: 0.0 }
    }

    /// Which way is down in the coordinates of a fragment, and how far down the plane is from where its tree has its origin; nothing
    /// if there is no plane. `pose` takes the fragment's coordinates to those of the half-space.
    fn seen_from(&self, fragment: &Fragment, pose: &Pose) -> Option<(Vec3, f64)> {
        let down = pose.inverse().transform_vector(-self.normal).try_normalize()?;
        Some((down.as_vec3(), self.height(pose.transform_point(fragment.tree.origin))))
    }

    /// How high over the plane the lowest point of a fragment is; nothing if there is no plane.
    pub(super) fn lowest_of(&self, fragment: &Fragment, pose: &Pose) -> Option<f64> {
        let (down, origin) = self.seen_from(fragment, pose)?;
        Some(origin - f64::from(fragment.tree.reach(down)))
    }

    /// The points of a fragment that are no higher than this over the plane, rounded so that none is missed, by their levels.
    pub(super) fn points_below<'a>(
        &self,
        fragment: &'a Fragment,
        pose: &Pose,
        height: f64,
    ) -> impl Iterator<Item = u32> + use<'a> {
        let (down, origin) = self.seen_from(fragment, pose).unwrap_or((Vec3::ZERO, f64::INFINITY));
        fragment.tree.beyond(down, (origin - height - rounding(fragment)) as f32)
    }

    /// How high over the plane a point is.
    #[inline]
    pub(super) fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }
}

/// What a pair knows of half-spaces, and when to look for others.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Parting {
    /// What each of the two is in, in its own coordinates.
    pub(super) half_spaces: [HalfSpace; 2],
    /// From the first to the second where the last search ended, in the coordinates of the first.
    direction: Vec3,
    /// Queries until the next search; none is wanted before they become long.
    wait: Option<u32>,
    /// How many were waited for before the last.
    waited: u32,
}

impl Parting {
    /// Asks about a pair, with half-spaces that were looked for if there are none yet, or the query before was long. `ask` tells how
    /// many points it looked at.
    pub(super) fn with(&mut self, search: impl FnOnce(&mut Parting), ask: impl FnOnce([HalfSpace; 2]) -> usize) {
        let is_due = self.wait == Some(0) || self.direction == Vec3::ZERO;
        if is_due {
            search(self);
        }
        if ask(self.half_spaces) <= WORTH {
            (self.wait, self.waited) = (None, 0);
            return;
        }
        if is_due {
            // What was just looked for did not help.
            self.waited = (2 * self.waited).clamp(1, LONGEST_WAIT);
            self.wait = Some(self.waited);
        } else {
            self.wait = Some(self.wait.map_or(0, |wait| wait - 1));
        }
    }

    /// Looks for a plane between two bodies; `pose` takes the coordinates of the second to those of the first.
    pub(super) fn search(&mut self, bodies: [&Fragment; 2], pose: &Pose) {
        let trees = bodies.map(|body| &body.tree);
        let centers = bodies.map(|body| (body.aabb.center() - body.tree.origin).as_vec3());
        let translation = pose.transform_point(trees[1].origin) - trees[0].origin;
        let second = RapierPose::from_parts(translation.as_vec3(), pose.rotation.as_quat());
        let mut clouds = [0, 1].map(|side| Cloud { points: trees[side].sample.clone(), center: centers[side] });
        if self.direction == Vec3::ZERO {
            self.direction = (second.transform_point(centers[1]) - centers[0]).try_normalize().unwrap_or(Vec3::Y);
        }
        let mut best = f32::NEG_INFINITY;
        let mut direction = self.direction;
        for _ in 0..ROUNDS {
            let other = second.rotation.inverse() * -direction;
            let farthest = [trees[0].farthest(direction), trees[1].farthest(other)];
            let gap = direction.dot(second.transform_point(farthest[1]) - farthest[0]);
            if gap > best {
                best = gap;
                self.direction = direction;
                self.half_spaces =
                    [0, 1].map(|side| HalfSpace::under(bodies[side], [direction, other][side], farthest[side]));
            }
            if gap > 0.0 {
                return;
            }
            clouds.iter_mut().zip(farthest).for_each(|(cloud, point)| cloud.points.push(point));
            let mut simplex = VoronoiSimplex::new();
            simplex.reset(CsoPoint::from_shapes(&second, &clouds[0], &clouds[1], direction));
            match gjk::closest_points(&second, &clouds[0], &clouds[1], f32::MAX, true, &mut simplex) {
                GJKResult::ClosestPoints(_, _, found) | GJKResult::NoIntersection(found) => {
                    let Some(found) = found.try_normalize() else { return };
                    direction = found;
                }
                // Bodies that grip into each other have none.
                GJKResult::Intersection | GJKResult::Proximity(_) => return,
            }
        }
    }
}

/// Some points of a body, made smaller.
struct Cloud {
    points: Vec<Vec3>,
    center: Vec3,
}

impl SupportMap for Cloud {
    fn local_support_point(&self, direction: Vector) -> Vector {
        let mut best = (f32::NEG_INFINITY, self.center);
        for &point in &self.points {
            let height = direction.dot(point);
            if height > best.0 {
                best = (height, point);
            }
        }
        self.center + SHRUNK * (best.1 - self.center)
    }
}
