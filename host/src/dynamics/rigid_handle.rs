//! Bodies among Rapier's: adding, removing and changing them part by part.

use std::collections::BTreeMap;

use rapier3d::prelude::{
    ActiveEvents, Collider, ColliderBuilder, ColliderHandle, Pose as RapierPose, RigidBodyBuilder, RigidBodyHandle,
    Vector,
};

use super::blow::FRAGILE;
use super::rigid::RigidBodies;
use super::rigid_build::{BuiltBody, RigidProblem, Surface, rapier_mass, rapier_pose, surface};
use super::rigid_shape::{PartShape, convex_shape};
use super::sweep::thickness_data;
use crate::geometry::{Convex, MassProperties, Pose};
use crate::world::{BodyId, Material, Motion, Velocity};

/// A body as the rigid-body side knows it.
pub struct RigidHandle {
    pub(super) place: Place,
    id: BodyId,
    /// Whether it is to be told of blows.
    is_fragile: bool,
    is_plane: bool,
    /// What collides, by the keys of the body's parts.
    colliders: BTreeMap<u32, PartCollider>,
}

/// Where a body is.
///
/// A fixed body is only colliders to Rapier: when a collider of a body comes or goes, Rapier looks at all colliders of
/// that body, and a building of thirty thousand parts would pay for each stone that falls off it.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Fixed(Pose),
    Moving(RigidBodyHandle),
}

#[derive(Clone, Copy)]
struct PartCollider {
    handle: ColliderHandle,
    offset: Vector,
}

impl RigidHandle {
    /// How many parts collide.
    pub fn collider_count(&self) -> usize {
        self.colliders.len()
    }
}

/// How a body's parts and its motion change.
pub struct RigidChange<'a> {
    /// Keys of the parts that go.
    pub removed: &'a [u32],
    /// Parts that come.
    pub added: &'a [(u32, &'a Convex)],
    /// Whether it moves from now on.
    pub motion: Motion,
    /// How it moves.
    pub velocity: Velocity,
    /// Volume, centroid and inertia at density one of what it is from now on.
    pub mass: &'a MassProperties,
    /// What it is made of.
    pub material: &'a Material,
}

impl RigidBodies {
    /// Adds a body that was built. Of fragile bodies [`RigidBodies::blows`] tells who was hit.
    pub fn insert(&mut self, id: BodyId, built: BuiltBody, is_fragile: bool) -> RigidHandle {
        let place = match (built.motion, built.mass) {
            (Motion::Dynamic, Some(mass)) => {
                let pose = rapier_pose(&built.pose).unwrap_or(RapierPose::IDENTITY);
                let body = RigidBodyBuilder::dynamic()
                    .pose(pose)
                    .linvel(built.velocity.linear.as_vec3())
                    .angvel(built.velocity.angular.as_vec3())
                    .angular_damping(built.angular_damping)
                    .additional_mass_properties(mass)
                    .can_sleep(self.sleeping())
                    .user_data(u128::from(id.0));
                let body = self.insert_body(body);
                Place::Moving(body)
            }
            _ => Place::Fixed(built.pose),
        };
        let is_plane = built.plane.is_some();
        let mut handle = RigidHandle { place, id, is_fragile, is_plane, colliders: BTreeMap::new() };
        if let Some(normal) = built.plane {
            self.planes.add(id, &built.pose, normal, built.surface);
            self.stirred.extend(self.physics.bodies.iter().map(|(body, _)| body));
        }
        for (key, part) in built.parts {
            self.insert_part(&mut handle, key, part, built.surface);
        }
        self.refresh_mass(&handle);
        handle
    }

    fn insert_body(&mut self, body: RigidBodyBuilder) -> RigidBodyHandle {
        let handle = self.physics.insert_body(body);
        self.stirred.push(handle);
        if let Some(sweep) = &mut self.sweep {
            sweep.note_body(handle, &self.physics.bodies[handle]);
        }
        handle
    }

    fn insert_part(&mut self, handle: &mut RigidHandle, key: u32, part: PartShape, surface: Surface) {
        let offset = part.offset;
        let fragile = if handle.is_fragile { FRAGILE } else { 0 };
        if let Some(sweep) = &mut self.sweep {
            sweep.note_part(&part, matches!(handle.place, Place::Moving(_)));
        }
        // The mass is the description's, not the sum of the colliders'.
        let user_data = u128::from(handle.id.0) | fragile | thickness_data(part.thickness);
        let collider = ColliderBuilder::new(part.shape)
            .density(0.0)
            .friction(surface.friction)
            .restitution(surface.restitution)
            .collision_groups(self.planes.groups(part.radius))
            .active_events(ActiveEvents::COLLISION_EVENTS)
            .user_data(user_data)
            .build();
        let inserted = self.insert_collider(&handle.place, collider, offset);
        if let Some(old) = handle.colliders.insert(key, PartCollider { handle: inserted, offset }) {
            self.physics.remove_collider(old.handle);
        }
    }

    fn insert_collider(&mut self, place: &Place, mut collider: Collider, offset: Vector) -> ColliderHandle {
        match place {
            Place::Fixed(pose) => {
                // In double precision, so that parts that touch in the body touch in the world.
                let part = *pose * Pose::at(offset.as_dvec3());
                collider.set_position(rapier_pose(&part).unwrap_or(RapierPose::IDENTITY));
                self.physics.insert_collider(collider, None)
            }
            Place::Moving(body) => {
                collider.set_position(RapierPose::from_translation(offset));
                self.physics.insert_collider(collider, Some(*body))
            }
        }
    }

    /// Takes a body out; what touched it wakes up.
    pub fn remove(&mut self, handle: &RigidHandle) {
        match handle.place {
            Place::Moving(body) => {
                self.physics.remove_body(body);
            }
            Place::Fixed(_) => {
                for part in handle.colliders.values() {
                    self.physics.remove_collider(part.handle);
                }
                if handle.is_plane {
                    self.planes.remove(handle.id, &mut self.physics);
                }
            }
        }
    }

    /// Changes a body that lives on, in time proportional to the parts that go and come; one that begins or ceases to
    /// move, and one that moves, in time proportional to all of its parts. Gives the number of parts that are too flat
    /// or too small to collide.
    ///
    /// # Errors
    /// A mass that cannot move; nothing has changed then.
    pub fn change(&mut self, handle: &mut RigidHandle, change: &RigidChange<'_>) -> Result<usize, RigidProblem> {
        let mass = match change.motion {
            Motion::Fixed => None,
            Motion::Dynamic => Some(rapier_mass(change.mass, change.material.density)?),
        };
        let surface = surface(change.material)?;
        for key in change.removed {
            if let Some(part) = handle.colliders.remove(key) {
                self.physics.remove_collider(part.handle);
            }
        }
        match (handle.place, change.motion, mass) {
            (Place::Fixed(pose), Motion::Dynamic, Some(mass)) => {
                let body = RigidBodyBuilder::dynamic()
                    .pose(rapier_pose(&pose).unwrap_or(RapierPose::IDENTITY))
                    .additional_mass_properties(mass)
                    .can_sleep(self.sleeping())
                    .user_data(u128::from(handle.id.0));
                let body = self.insert_body(body);
                self.replace(handle, Place::Moving(body));
            }
            (Place::Moving(body), Motion::Fixed, _) => {
                let pose = self.pose(handle);
                self.replace(handle, Place::Fixed(pose));
                self.physics.remove_body(body);
            }
            (Place::Moving(body), Motion::Dynamic, Some(mass)) => {
                self.physics.bodies[body].set_additional_mass_properties(mass, true);
            }
            _ => {}
        }
        let mut flat = 0;
        for &(key, convex) in change.added {
            match convex_shape(convex) {
                Some(part) => self.insert_part(handle, key, part, surface),
                None => flat += 1,
            }
        }
        self.refresh_mass(handle);
        self.set_velocity(handle, change.velocity);
        Ok(flat)
    }

    /// Moves all colliders to where the body is from now on.
    fn replace(&mut self, handle: &mut RigidHandle, place: Place) {
        handle.place = place;
        if let (Some(sweep), Place::Moving(_)) = (&mut self.sweep, place) {
            sweep.note_others();
        }
        for part in handle.colliders.values_mut() {
            let offset = part.offset;
            if let Some(old) = self.physics.remove_collider(part.handle) {
                let copy = ColliderBuilder::new(old.shared_shape().clone())
                    .density(0.0)
                    .friction(old.friction())
                    .restitution(old.restitution())
                    .collision_groups(old.collision_groups())
                    .active_events(old.active_events())
                    .user_data(old.user_data)
                    .build();
                part.handle = self.insert_collider(&place, copy, offset);
            }
        }
    }

    /// Rapier would only learn of new mass properties in the next step, and a push before that would go by the old ones.
    fn refresh_mass(&mut self, handle: &RigidHandle) {
        if let Place::Moving(body) = handle.place {
            self.physics.bodies[body].recompute_mass_properties_from_colliders(&self.physics.colliders);
        }
    }
}
