//! Blows: how hard bodies met in the last step.

use std::collections::BTreeMap;

use glam::DVec3;
use rapier3d::prelude::{
    Collider, ColliderHandle, ContactManifold, PhysicsWorld, Pose as RapierPose, RigidBodyHandle, Vector,
};
use rustc_hash::FxHashMap;

use super::rigid::{RigidBodies, body_id};
use super::rigid_handle::{Place, RigidHandle};
use super::sweep::Sweep;
use crate::world::{BodyId, Velocity};

/// The bit of a collider's user data that says that its body is to be told of blows.
pub(super) const FRAGILE: u128 = 1 << 32;

/// The hardest blow that a body had in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blow {
    /// Who was hit.
    pub body: BodyId,
    /// By whom.
    pub other: BodyId,
    /// Where, in the world.
    pub point: DVec3,
    /// The unit direction in which the other pushed.
    pub direction: DVec3,
    /// How fast the two came together along that direction, in m/s.
    pub speed: f64,
    /// The impulse that stops them, in N s.
    pub impulse: f64,
}

/// The velocities of the bodies that could move when the last step began; all others stood still.
#[derive(Default)]
pub(super) struct Before(FxHashMap<RigidBodyHandle, (Vector, Vector)>);

impl Before {
    /// Keeps the velocities that bodies have before a step.
    pub(super) fn remember(&mut self, physics: &PhysicsWorld, bodies: impl IntoIterator<Item = RigidBodyHandle>) {
        self.0.clear();
        for handle in bodies {
            if let Some(body) = physics.bodies.get(handle) {
                self.0.insert(handle, (body.linvel(), body.angvel()));
            }
        }
    }

    /// The linear and the angular velocity of a body.
    pub(super) fn velocity(&self, body: RigidBodyHandle) -> (Vector, Vector) {
        self.0.get(&body).copied().unwrap_or_default()
    }
}

/// What met in the last step of a world.
pub(super) struct Meetings<'a> {
    pub(super) physics: &'a PhysicsWorld,
    pub(super) before: &'a Before,
    pub(super) sweep: Option<&'a Sweep>,
}

/// A blow, by colliders.
pub(super) struct ColliderBlow<'a> {
    pub(super) handles: [ColliderHandle; 2],
    /// Who was hit, and by whom.
    pub(super) colliders: [&'a Collider; 2],
    pub(super) point: Vector,
    pub(super) direction: Vector,
    pub(super) speed: f32,
    pub(super) impulse: f32,
}

impl RigidBodies {
    /// Keeps the velocities that bodies have before a step.
    pub(super) fn remember_velocities(&mut self, bodies: &[RigidBodyHandle]) {
        self.before.remember(&self.physics, bodies.iter().copied());
    }

    /// How a body moved before the last step, if that step looked for blows.
    pub fn velocity_before(&self, handle: &RigidHandle) -> Velocity {
        let (linear, angular) = match handle.place {
            Place::Moving(body) => self.before.velocity(body),
            Place::Fixed(_) => Default::default(),
        };
        Velocity { linear: linear.as_dvec3(), angular: angular.as_dvec3() }
    }

    /// The hardest blow that each fragile body had in the last step, in the order of the bodies' numbers.
    ///
    /// A contact counts if the solver had to push there. Its strength does not go by that push, which a load causes as
    /// well, but by how fast the bodies came together before the step and by the mass that they turn against each other.
    pub fn blows(&self) -> Vec<Blow> {
        let mut hardest: BTreeMap<BodyId, Blow> = BTreeMap::new();
        let meetings = Meetings { physics: &self.physics, before: &self.before, sweep: self.sweep.as_ref() };
        meetings.visit_blows(
            |collider| collider.user_data & FRAGILE != 0,
            |blow| {
                let [body, other] = blow.colliders.map(body_id);
                let (point, direction) = (blow.point.as_dvec3(), blow.direction.as_dvec3());
                let (speed, impulse) = (f64::from(blow.speed), f64::from(blow.impulse));
                keep_hardest(&mut hardest, Blow { body, other, point, direction, speed, impulse });
            },
        );
        hardest.into_values().collect()
    }
}

impl Meetings<'_> {
    /// Visits the blows that fragile colliders had, one for each place where the solver had to push.
    pub(super) fn visit_blows(&self, is_fragile: impl Fn(&Collider) -> bool, mut visit: impl FnMut(&ColliderBlow<'_>)) {
        for pair in self.physics.narrow_phase.contact_pairs() {
            let handles = [pair.collider1, pair.collider2];
            let [Some(first), Some(second)] = handles.map(|handle| self.physics.colliders.get(handle)) else {
                continue;
            };
            let fragile = [first, second].map(&is_fragile);
            if fragile == [false; 2] {
                continue;
            }
            // Where Rapier made one of several manifolds, only that one knows how hard the solver pushed.
            for manifold in pair.solver_manifolds() {
                let Some(push) = self.push(manifold, first, second) else { continue };
                let (speed, impulse) = self.meeting(first, second, &push);
                // Also false for NaN.
                if !(speed > 0.0 && impulse > 0.0) {
                    continue;
                }
                let sides = [
                    ([first, second], handles, -push.normal),
                    ([second, first], [handles[1], handles[0]], push.normal),
                ];
                for (side, (colliders, handles, direction)) in sides.into_iter().enumerate() {
                    if fragile[side] {
                        let point = push.places[side];
                        visit(&ColliderBlow { handles, colliders, point, direction, speed, impulse });
                    }
                }
            }
        }
    }

    /// How fast two colliders came together where the solver pushed, and the impulse that stops that.
    fn meeting(&self, first: &Collider, second: &Collider, push: &Push) -> (f32, f32) {
        let normal = push.normal;
        let side = |collider: &Collider| {
            let Some(handle) = collider.parent() else { return (0.0, 0.0) };
            let Some(body) = self.physics.bodies.get(handle) else { return (0.0, 0.0) };
            let (linear, angular) = self.before.velocity(handle);
            let mass = body.mass_properties();
            let start = self.sweep.and_then(|sweep| sweep.before(handle));
            let center = start.map_or(mass.world_com, |pose| pose.transform_point(mass.local_mprops.local_com));
            let arm = push.point - center;
            let turned = arm.cross(normal);
            let inverse = mass.effective_inv_mass.x + turned.dot(mass.effective_world_inv_inertia * turned);
            ((linear + angular.cross(arm)).dot(normal), inverse)
        };
        let ((first_speed, first_inverse), (second_speed, second_inverse)) = (side(first), side(second));
        let speed = first_speed - second_speed;
        let inverse = first_inverse + second_inverse;
        (speed, if inverse > 0.0 { speed / inverse } else { 0.0 })
    }

    /// The middle of where the solver pushed, by how hard it did; a flat face that comes down flat is hit in its middle.
    fn push(&self, manifold: &ContactManifold, first: &Collider, second: &Collider) -> Option<Push> {
        let (mut sums, mut weight) = ([Vector::ZERO; 2], 0.0);
        for point in &manifold.points {
            sums[0] += point.data.impulse * point.local_p1;
            sums[1] += point.data.impulse * point.local_p2;
            weight += point.data.impulse;
        }
        let normal = manifold.data.normal;
        let parts = [manifold.subshape_pos1(), manifold.subshape_pos2()];
        let place = |side: usize, pose: RapierPose| {
            parts[side].map_or(pose, |part| pose * *part).transform_point(sums[side] / weight)
        };
        if weight <= 0.0 || weight.is_nan() {
            return None;
        }
        let point = place(0, *first.position());
        let Some(sweep) = self.sweep else { return Some(Push { point, normal, places: [point; 2] }) };
        // What is fast may be far from there after the step.
        let start = |collider: &Collider| {
            let before = collider.parent().and_then(|body| sweep.before(body)).zip(collider.position_wrt_parent());
            before.map_or(*collider.position(), |(body, part)| *body * *part)
        };
        let places = [place(0, *first.position()), place(1, *second.position())];
        Some(Push { point: place(0, start(first)), normal, places })
    }
}

/// Where the solver pushed two colliders apart.
struct Push {
    /// In the world, when it did.
    point: Vector,
    /// From the first to the second.
    normal: Vector,
    /// In the world, where that point of each of them is now.
    places: [Vector; 2],
}

/// Keeps a blow if it is the first or the hardest that its body had.
pub(super) fn keep_hardest(hardest: &mut BTreeMap<BodyId, Blow>, blow: Blow) {
    let kept = hardest.entry(blow.body).or_insert(blow);
    if kept.impulse < blow.impulse {
        *kept = blow;
    }
}
