//! Taking hold of a body and pulling it about.

use glam::{DMat3, DVec3};

use super::{BodyId, Motion, Velocity, World, WorldError};

/// A hold on a point of a body, which [`World::pull`] draws to a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// The body.
    pub body: BodyId,
    /// The point, in the body's coordinates.
    pub point: DVec3,
    /// Where it is to go, in the world's.
    pub target: DVec3,
}

/// The share of the way to the target that is left behind in a second, at most: 1/s.
const EAGERNESS: f64 = 12.0;

/// No hand is faster, in m/s.
const FASTEST: f64 = 25.0;

/// How hard it pulls at most, in m/s² of the whole body: a hand that cannot follow does not tear through walls.
const STRONGEST: f64 = 250.0;

/// How fast a body that is held stops to turn: 1/s.
const CALMING: f64 = 3.0;

impl World {
    /// Takes hold of a body at a point of the world.
    ///
    /// # Errors
    /// If there is no such body, if it does not move, or if the point is not finite.
    pub fn grip(&self, id: BodyId, point: DVec3) -> Result<Grip, WorldError> {
        let body = self.body(id).ok_or(WorldError::NoBody(id))?;
        let pose = self.pose(id).ok_or(WorldError::NoBody(id))?;
        if body.motion() == Motion::Fixed {
            return Err(WorldError::Immovable(body.name().to_owned()));
        }
        if !point.as_vec3().is_finite() {
            return Err(WorldError::NonFinite("point"));
        }
        Ok(Grip { body: id, point: pose.inverse().transform_point(point), target: point })
    }

    /// Pulls what is held towards its target; to be called before each step of so many seconds.
    ///
    /// The impulse is the one after which the point moves to the target as fast as a hand would: the point's share of the
    /// body's inertia is taken into account, so that light and heavy bodies follow alike.
    ///
    /// # Errors
    /// If the body is gone or fixed by now, or the target is not finite.
    pub fn pull(&mut self, grip: &Grip, time_step: f64) -> Result<(), WorldError> {
        let id = grip.body;
        let gone = WorldError::NoBody(id);
        let (Some(body), Some(pose), Some(velocity)) = (self.body(id), self.pose(id), self.velocity(id)) else {
            return Err(gone);
        };
        if body.motion() == Motion::Fixed {
            return Err(WorldError::Immovable(body.name().to_owned()));
        }
        let (mass, solid) = (body.mass(), *body.mass_properties());
        let density = body.material().density;
        let point = pose.transform_point(grip.point);
        let arm = point - pose.transform_point(solid.centroid);
        let moves = velocity.linear + velocity.angular.cross(arm);
        let rate = EAGERNESS.min(0.3 / time_step);
        let wanted = (rate * (grip.target - point)).clamp_length_max(FASTEST);
        let rotation = DMat3::from_quat(pose.rotation);
        let inertia = rotation * (density * solid.inertia) * rotation.transpose();
        // How a point of a body gives way to an impulse.
        let cross = DMat3::from_cols(DVec3::X.cross(arm), DVec3::Y.cross(arm), DVec3::Z.cross(arm));
        let yielding = DMat3::from_diagonal(DVec3::splat(1.0 / mass)) + cross.transpose() * inertia.inverse() * cross;
        let impulse = (yielding.inverse() * (wanted - moves)).clamp_length_max(mass * STRONGEST * time_step);
        if !impulse.as_vec3().is_finite() {
            return Err(WorldError::NonFinite("pull"));
        }
        let calm = Velocity { angular: velocity.angular * (-CALMING * time_step).exp(), ..velocity };
        self.set_velocity(id, calm)?;
        self.apply_impulse(id, impulse, point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Pose, shapes};
    use crate::world::{BodyDescription, Representation, WorldOptions};

    fn bar(density: f64) -> (World, BodyId) {
        let mut world = World::new(&WorldOptions::default());
        world.add_ground(0.0).unwrap();
        let size = DVec3::new(0.6, 0.1, 0.2);
        let mut description =
            BodyDescription::new("bar", shapes::cuboid(size), Representation::Cuboid { half_extents: 0.5 * size });
        description.material.density = density;
        description.pose = Pose::at(DVec3::new(0.0, 0.05, 0.0));
        let bar = world.add(description).unwrap();
        (world, bar)
    }

    #[test]
    fn what_is_held_at_its_end_hangs_from_the_hand_whatever_it_weighs() {
        for density in [20.0, 2000.0, 20_000.0] {
            let (mut world, bar) = bar(density);
            let mut grip = world.grip(bar, DVec3::new(0.3, 0.05, 0.0)).unwrap();
            grip.target = DVec3::new(0.5, 1.2, 0.3);
            for _ in 0..600 {
                world.pull(&grip, 1.0 / 120.0).unwrap();
                world.step(1.0 / 120.0).unwrap();
            }
            let pose = world.pose(bar).unwrap();
            let held = pose.transform_point(grip.point);
            // A hand gives way a little under the weight: g over its eagerness, a step long.
            assert!(held.distance(grip.target) < 0.02, "{density}: {held}");
            assert!((pose.translation - held).normalize().y < -0.95, "{density}: it does not hang: {pose:?}");
        }
    }

    #[test]
    fn what_cannot_be_pulled_says_why() {
        let (mut world, bar) = bar(1000.0);
        let ground = world.find("ground").unwrap();
        assert!(matches!(world.grip(ground, DVec3::ZERO), Err(WorldError::Immovable(name)) if name == "ground"));
        assert!(matches!(world.grip(bar, DVec3::NAN), Err(WorldError::NonFinite(_))));
        assert!(matches!(world.grip(BodyId(77), DVec3::ZERO), Err(WorldError::NoBody(_))));
        let grip = world.grip(bar, DVec3::ZERO).unwrap();
        let wild = Grip { target: DVec3::new(f64::NAN, 0.0, 0.0), ..grip };
        assert!(world.pull(&wild, 0.01).is_err());
        let far = Grip { target: DVec3::splat(1e30), ..grip };
        world.pull(&far, 0.01).unwrap();
        assert!(world.velocity(bar).unwrap().linear.length() < 2.6);
        world.remove(bar).unwrap();
        assert!(matches!(world.pull(&grip, 0.01), Err(WorldError::NoBody(_))));
    }
}
