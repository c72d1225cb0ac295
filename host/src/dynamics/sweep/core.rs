//! When a ball has to stop so that it does not get through a surface.
//!
//! How far the middle of the ball is from a surface changes no faster than the two move against each other. So from a distance
//! that is too large by `x` a time of `x` over their speed is safe, whatever lies ahead, and from there the distance is asked again.
//! It is asked where the two truly are, so turning needs no allowance.

use glam::DVec3;
use rapier3d::parry::query::PointQuery;

use super::meeting::Limits;
use super::path::Path;
use super::settle::Part;

/// How much deeper a step may take a ball that is as deep as it may get, as a part of what is left half-way to too deep.
const SLACK: f64 = 0.125;

/// A distance is asked no more often than this; what has not got to the end of the step by then stops.
const MOST_STRIDES: usize = 512;

/// Distances are in single precision.
const ROUNDING: f64 = 1e-6;

/// A ball in the coordinates of its body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Core {
    pub(super) center: DVec3,
    pub(super) radius: f64,
    /// Whether it must not get through anything; others only tell when corners touch.
    pub(super) is_large: bool,
}

/// A ball and what it may meet.
pub(super) struct CoreMeeting<'a> {
    pub(super) core: Core,
    pub(super) path: &'a Path,
    pub(super) other: &'a Part<'a>,
    pub(super) other_path: &'a Path,
    pub(super) limits: Limits,
}

impl CoreMeeting<'_> {
    /// When the two have to stop between two times, if they have to; neither stops by itself in between.
    pub(super) fn stop(&self, from: f64, to: f64) -> Option<f64> {
        let Limits { gap, depth, deepest, .. } = self.limits;
        let radius = self.core.radius;
        let start = self.start(from, to)?;
        if start < radius - deepest || self.other.has_inside(self.place(from)) {
            return None;
        }
        // What is as deep as a step may take it still has to slide: it gets a part of what is left to a depth that it never
        // reaches.
        let left = 0.5 * (depth + deepest) - (radius - start);
        if left <= 0.0 {
            // Steps that nobody looked at, or who put it there, have taken it deeper; from there it may only come out.
            let comes_out = self.distance(to, f64::MAX).is_some_and(|end| end >= start);
            return if comes_out { None } else { Some(from) };
        }
        let least = (radius - depth).min(start - SLACK * left);
        let fine = (0.25 * (start - least)).min(depth / 16.0);
        if start <= radius + gap {
            return self.walk(from, to, least, fine);
        }
        let contact = self.walk(from, to, radius + 0.5 * gap, 0.25 * gap)?;
        // What only grazes need not stop.
        self.walk(contact, to, least, fine).map(|_| contact)
    }

    /// When two that are apart first touch between two times, if they do.
    pub(super) fn contact(&self, from: f64, to: f64) -> Option<f64> {
        let touch = self.core.radius + self.limits.gap;
        if from >= to || self.start(from, to)? <= touch {
            return None;
        }
        self.walk(from, to, self.core.radius + 0.5 * self.limits.gap, 0.25 * self.limits.gap)
    }

    /// The distance at a time, if it is so small that the two may touch until another.
    fn start(&self, from: f64, to: f64) -> Option<f64> {
        self.distance(from, self.core.radius + self.limits.gap + self.farthest(from, to))
    }

    /// When the distance is `least` or less than `fine` above; nothing if it does not get there. It is more at the start.
    fn walk(&self, from: f64, to: f64, least: f64, fine: f64) -> Option<f64> {
        let way = self.farthest(from, to);
        let rate = way / (to - from);
        let mut now = from;
        for _ in 0..MOST_STRIDES {
            // Nothing that is farther matters any more.
            let reach = least + rate * (to - now);
            let distance = self.distance(now, reach).filter(|distance| *distance < reach)?;
            if distance - least <= fine {
                return Some(now);
            }
            now += (distance - least) / rate;
            if now >= to {
                return None;
            }
        }
        Some(now)
    }

    /// Where the middle of the ball is, in the coordinates of the other's body.
    fn place(&self, t: f64) -> DVec3 {
        self.other_path.at(t).inverse().transform_point(self.path.at(t).transform_point(self.core.center))
    }

    /// How far the middle of the ball is from the surface at a time, less than zero within a convex; nothing if it is farther
    /// than `reach`.
    fn distance(&self, t: f64, reach: f64) -> Option<f64> {
        let place = self.place(t);
        let Some((mesh, local)) = self.other.surface else { return self.other.solid.distance(place) };
        let place = local.inverse().transform_point(place);
        let asked = place.as_vec3();
        let projection = mesh.project_local_point_with_max_dist(asked, false, reach as f32)?;
        Some(f64::from(projection.point.distance(asked)) - ROUNDING * place.abs().max_element())
    }

    /// How far the middle of the ball can get as the other sees it between two times, which bounds its speed throughout.
    ///
    /// To the other, a point at a distance from its centre of mass goes around by that distance times its turn.
    fn farthest(&self, from: f64, to: f64) -> f64 {
        let [own, other] = [self.path, self.other_path];
        let moved = (own.way(from, to) - other.way(from, to)).length() + own.turn(from, to) * own.arm(self.core.center);
        let away = own.at(from).transform_point(self.core.center).distance(other.center(from));
        moved + other.turn(from, to) * (away + moved)
    }
}
