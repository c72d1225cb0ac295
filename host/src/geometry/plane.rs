//! Oriented planes.

use glam::DVec3;

use super::{Aabb, Pose};

/// The points p with `normal · p = offset`. The normal points to the outside (the positive side).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// The unit normal.
    pub normal: DVec3,
    /// The signed distance of the plane from the origin, along the normal.
    pub offset: f64,
}

impl Plane {
    /// The plane through a point, across a unit normal.
    pub fn through(point: DVec3, normal: DVec3) -> Plane {
        Plane { normal, offset: normal.dot(point) }
    }

    /// The plane of a triangle, its normal by the right-hand rule; `None` if the corners are in line.
    pub fn of_triangle(a: DVec3, b: DVec3, c: DVec3) -> Option<Plane> {
        let normal = (b - a).cross(c - a).try_normalize()?;
        Some(Plane::through(a, normal))
    }

    /// How far a point lies on the outside; negative inside.
    pub fn signed_distance(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    /// The lowest and the highest signed distance of points; of none, from infinity to minus infinity.
    pub fn range(&self, points: &[DVec3]) -> [f64; 2] {
        points.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &point| {
            let distance = self.signed_distance(point);
            [if distance < low { distance } else { low }, if distance > high { distance } else { high }]
        })
    }

    /// The lowest and the highest signed distance of the points of a box.
    pub fn range_of_box(&self, aabb: &Aabb) -> [f64; 2] {
        let (middle, reach) = (self.signed_distance(aabb.center()), 0.5 * self.normal.abs().dot(aabb.size()));
        [middle - reach, middle + reach]
    }

    /// The point of the plane nearest to a point.
    pub fn project(&self, point: DVec3) -> DVec3 {
        point - self.signed_distance(point) * self.normal
    }

    /// The same points with inside and outside exchanged.
    #[must_use]
    pub fn flipped(&self) -> Plane {
        Plane { normal: -self.normal, offset: -self.offset }
    }

    /// The plane moved with a rigid motion.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Plane {
        let normal = pose.rotation * self.normal;
        Plane { normal, offset: self.offset + normal.dot(pose.translation) }
    }

    /// Two unit vectors that span the plane, so that `(u, v, normal)` is right-handed.
    pub fn axes(&self) -> (DVec3, DVec3) {
        self.normal.any_orthonormal_pair()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    #[test]
    fn the_normal_follows_the_right_hand_rule() {
        let plane = Plane::of_triangle(DVec3::Z, DVec3::Z + DVec3::X, DVec3::Z + DVec3::Y).unwrap();
        assert_eq!(plane, Plane { normal: DVec3::Z, offset: 1.0 });
        assert_eq!(plane.signed_distance(DVec3::new(7.0, 8.0, 3.0)), 2.0);
        assert_eq!(plane.flipped().signed_distance(DVec3::ZERO), 1.0);
        assert!(Plane::of_triangle(DVec3::ZERO, DVec3::X, 2.0 * DVec3::X).is_none());
    }

    #[test]
    fn a_moved_plane_holds_the_moved_points() {
        let plane = Plane::through(DVec3::new(1.0, 2.0, 3.0), DVec3::new(1.0, -2.0, 0.5).normalize());
        let pose = Pose::new(DQuat::from_rotation_y(1.1), DVec3::new(4.0, 5.0, -6.0));
        let point = DVec3::new(-3.0, 0.3, 9.0);
        let moved = plane.transformed(&pose).signed_distance(pose.transform_point(point));
        assert!((moved - plane.signed_distance(point)).abs() < 1e-12);
        let (u, v) = plane.axes();
        assert!((u.cross(v) - plane.normal).length() < 1e-12);
    }
}
