//! Rigid motions.

use std::ops::Mul;

use glam::{DAffine3, DQuat, DVec3};

/// A rotation followed by a translation: where a body is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// The orientation, a unit quaternion.
    pub rotation: DQuat,
    /// The position of the body's origin.
    pub translation: DVec3,
}

impl Pose {
    /// No motion.
    pub const IDENTITY: Pose = Pose { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };

    /// The motion that rotates, then translates.
    pub fn new(rotation: DQuat, translation: DVec3) -> Pose {
        Pose { rotation, translation }
    }

    /// A translation only.
    pub fn at(translation: DVec3) -> Pose {
        Pose { translation, ..Pose::IDENTITY }
    }

    /// Where a point of the body is in the world.
    pub fn transform_point(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// How a direction of the body points in the world.
    pub fn transform_vector(&self, vector: DVec3) -> DVec3 {
        self.rotation * vector
    }

    /// The motion that undoes this one.
    #[must_use]
    pub fn inverse(&self) -> Pose {
        let rotation = self.rotation.inverse();
        Pose { rotation, translation: -(rotation * self.translation) }
    }

    /// The same motion as an affine matrix.
    pub fn to_affine(&self) -> DAffine3 {
        DAffine3::from_rotation_translation(self.rotation, self.translation)
    }
}

impl Default for Pose {
    fn default() -> Pose {
        Pose::IDENTITY
    }
}

impl Mul for Pose {
    type Output = Pose;

    /// First the right motion, then the left one.
    fn mul(self, right: Pose) -> Pose {
        Pose { rotation: self.rotation * right.rotation, translation: self.transform_point(right.translation) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_motion_and_its_inverse_cancel() {
        let pose = Pose::new(DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 2.0), DVec3::new(1.0, -2.0, 3.0));
        let point = DVec3::new(0.3, 0.7, -5.0);
        assert!(((pose * pose.inverse()).transform_point(point) - point).length() < 1e-14);
        assert!((pose.inverse().transform_point(pose.transform_point(point)) - point).length() < 1e-14);
        assert!((pose.to_affine().transform_point3(point) - pose.transform_point(point)).length() < 1e-14);
    }
}
