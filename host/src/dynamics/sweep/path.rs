//! How a body moves over a step.

use glam::{DQuat, DVec3};
use rapier3d::prelude::{Pose as RapierPose, Vector};

use crate::geometry::Pose;

/// A body's motion from where it was before a step to where it is after it: the centre of mass goes straight, and the body
/// turns about one axis, both evenly. From `stop` on it stands still.
pub(super) struct Path {
    center: DVec3,
    way: DVec3,
    rotation: DQuat,
    axis: DVec3,
    angle: f64,
    /// The centre of mass in the body.
    local_center: DVec3,
    /// No point of the body is farther from the centre of mass.
    pub(super) reach: f64,
    /// When the body stops, from 0 to 1.
    pub(super) stop: f64,
}

impl Path {
    /// Of what stands where the world's origin is.
    pub(super) fn still() -> Path {
        Path::between(&RapierPose::IDENTITY, &RapierPose::IDENTITY, Vector::ZERO, 0.0)
    }

    /// The shortest way between two poses; Rapier lets nothing turn by more than an eighth of a turn in a step.
    pub(super) fn between(before: &RapierPose, after: &RapierPose, local_center: Vector, reach: f32) -> Path {
        let (before, after) = (double(before), double(after));
        let local_center = local_center.as_dvec3();
        let center = before.transform_point(local_center);
        let turn = after.rotation * before.rotation.inverse();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let sine = turn.xyz().length();
        Path {
            center,
            way: after.transform_point(local_center) - center,
            rotation: before.rotation,
            axis: turn.xyz().try_normalize().unwrap_or(DVec3::X),
            angle: 2.0 * sine.atan2(turn.w),
            local_center,
            // A little more, for it comes in single precision.
            reach: f64::from(reach) * (1.0 + 1e-5),
            stop: 1.0,
        }
    }

    /// Where the body's origin is at a time from 0 to 1.
    pub(super) fn at(&self, t: f64) -> Pose {
        let t = t.min(self.stop);
        let rotation = DQuat::from_axis_angle(self.axis, t * self.angle) * self.rotation;
        Pose { rotation, translation: self.center + t * self.way - rotation * self.local_center }
    }

    /// How far the centre of mass goes from a time on, and how far any point does at most because the body turns.
    pub(super) fn rest(&self, from: f64) -> (DVec3, f64) {
        let share = (self.stop - from).max(0.0);
        (share * self.way, share * self.angle * self.reach)
    }

    /// How far the centre of mass goes from one time to another.
    pub(super) fn way(&self, from: f64, to: f64) -> DVec3 {
        (to.min(self.stop) - from.min(self.stop)) * self.way
    }

    /// By how much the body turns from one time to another.
    pub(super) fn turn(&self, from: f64, to: f64) -> f64 {
        (to.min(self.stop) - from.min(self.stop)) * self.angle
    }

    /// How far a point of the body is at most from the straight line that leads from where it is at one time to where it is
    /// at another, at the same share of both. The body must not stop in between.
    ///
    /// Seen from the centre of mass the point is on an arc, and from there the chord is farthest in the middle: by
    /// r (1 - cos(angle / 2)) if both are gone through by the angle. The point of the chord at the same share of time is
    /// not the nearest one; but an arc and a chord that are gone through evenly are at most r angle² / 8 apart, because the
    /// arc's acceleration is r angle².
    pub(super) fn stray(&self, from: f64, to: f64) -> f64 {
        0.125 * self.reach * self.turn(from, to).powi(2)
    }

    /// Where the centre of mass is at a time.
    pub(super) fn center(&self, t: f64) -> DVec3 {
        self.center + t.min(self.stop) * self.way
    }

    /// How far a point of the body is from the centre of mass.
    pub(super) fn arm(&self, point: DVec3) -> f64 {
        point.distance(self.local_center)
    }

    /// The largest coordinate of the body when the step began, about.
    pub(super) fn farthest(&self) -> f64 {
        self.center.abs().max_element() + self.reach
    }
}

/// A pose in double precision, its rotation of unit length there too.
pub(super) fn double(pose: &RapierPose) -> Pose {
    Pose { rotation: pose.rotation.as_dquat().normalize(), translation: pose.translation.as_dvec3() }
}
