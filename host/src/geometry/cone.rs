//! Cones of directions, for culling by surface normals (\[Heo10\] section 4).

use std::f64::consts::PI;

use glam::{DQuat, DVec3};

/// The unit directions within an angle of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// The unit vector in the middle.
    pub axis: DVec3,
    /// The largest angle of a member to the axis, from 0 (one direction) to π (every direction); negative for the cone
    /// that holds none.
    pub half_angle: f64,
}

impl Cone {
    /// The cone that holds no direction: the neutral element of [`Cone::union`].
    pub const EMPTY: Cone = Cone { axis: DVec3::X, half_angle: -1.0 };

    /// The cone that holds every direction.
    pub const FULL: Cone = Cone { axis: DVec3::X, half_angle: PI };

    /// The cone of one direction.
    pub fn of_direction(direction: DVec3) -> Cone {
        Cone { axis: direction, half_angle: 0.0 }
    }

    /// Whether no direction is a member.
    pub fn is_empty(&self) -> bool {
        self.half_angle < 0.0
    }

    /// Whether a unit direction is a member; `slack` is an angle that absorbs rounding.
    pub fn contains(&self, direction: DVec3, slack: f64) -> bool {
        !self.is_empty() && angle(self.axis, direction) <= self.half_angle + slack
    }

    /// The smallest cone around both.
    #[must_use]
    pub fn union(self, other: Cone) -> Cone {
        if self.is_empty() {
            return other;
        }
        if other.is_empty() {
            return self;
        }
        let (wide, narrow) = if self.half_angle >= other.half_angle { (self, other) } else { (other, self) };
        let between = angle(wide.axis, narrow.axis);
        if between + narrow.half_angle <= wide.half_angle {
            return wide;
        }
        // Rounded up, so that what was a member of either still is one.
        let half_angle = 0.5 * (wide.half_angle + between + narrow.half_angle) + 4.0 * f64::EPSILON;
        let turn = wide.axis.cross(narrow.axis).try_normalize();
        match turn {
            _ if half_angle >= PI => Cone { half_angle: PI, ..wide },
            Some(turn) => {
                Cone { axis: DQuat::from_axis_angle(turn, half_angle - wide.half_angle) * wide.axis, half_angle }
            }
            // The axes are opposite (or equal, which the containment above has answered): every turn is as good.
            None => {
                let turn = wide.axis.any_orthonormal_vector();
                Cone { axis: DQuat::from_axis_angle(turn, half_angle - wide.half_angle) * wide.axis, half_angle }
            }
        }
    }
}

/// The angle between two unit vectors; unlike the arc cosine, precise for small angles too.
fn angle(a: DVec3, b: DVec3) -> f64 {
    a.cross(b).length().atan2(a.dot(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn direction() -> impl Strategy<Value = DVec3> {
        (-1.0..1.0f64, 0.0..2.0 * PI).prop_map(|(z, angle)| {
            let radius = (1.0 - z * z).max(0.0).sqrt();
            DVec3::new(radius * angle.cos(), radius * angle.sin(), z).normalize()
        })
    }

    fn cone() -> impl Strategy<Value = Cone> {
        (direction(), 0.0..PI).prop_map(|(axis, half_angle)| Cone { axis, half_angle })
    }

    proptest! {
        #[test]
        fn a_union_holds_what_either_holds(a in cone(), b in cone(), member in direction()) {
            let union = a.union(b);
            prop_assert!((union.axis.length() - 1.0).abs() < 1e-9);
            if a.contains(member, 0.0) || b.contains(member, 0.0) {
                prop_assert!(union.contains(member, 1e-7));
            }
            prop_assert!(union.half_angle + 1e-12 >= a.half_angle.max(b.half_angle));
        }

        #[test]
        fn a_union_of_directions_is_as_narrow_as_they_allow(a in direction(), b in direction()) {
            let union = Cone::of_direction(a).union(Cone::of_direction(b));
            prop_assert!((union.half_angle - 0.5 * a.angle_between(b)).abs() < 1e-9);
        }
    }

    #[test]
    fn directions_that_hardly_differ_are_not_taken_for_one() {
        let tilted = DVec3::new(1e-10, 0.0, 1.0).normalize();
        let union = Cone::of_direction(DVec3::Z).union(Cone::of_direction(tilted));
        assert!((union.half_angle - 0.5e-10).abs() < 1e-14);
    }

    #[test]
    fn opposite_directions_need_a_half_space() {
        let union = Cone::of_direction(DVec3::Z).union(Cone::of_direction(-DVec3::Z));
        assert!((union.half_angle - PI / 2.0).abs() < 1e-12);
        assert!(union.contains(DVec3::Z, 1e-9) && union.contains(-DVec3::Z, 1e-9));
        assert_eq!(Cone::EMPTY.union(union), union);
        assert!(!Cone::EMPTY.contains(DVec3::X, 0.0));
    }
}
