//! Blows: how hard bodies met in the last step.

use std::collections::BTreeMap;

use glam::DVec3;
use rapier3d::prelude::{Collider, ContactManifold, Pose as RapierPose, RigidBodyHandle, Vector};
use rustc_hash::FxHashMap;

use super::rigid::{RigidBodies, body_id};
use super::rigid_handle::{Place, RigidHandle};
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

/// The velocities of the bodies that were awake when the last step began; all others stood still.
#[derive(Default)]
pub(super) struct Before(FxHashMap<RigidBodyHandle, (Vector, Vector)>);

impl RigidBodies {
    /// Keeps the velocities that bodies have before a step.
    pub(super) fn remember_velocities(&mut self, bodies: &[RigidBodyHandle]) {
        self.before.0.clear();
        for &handle in bodies {
            if let Some(body) = self.physics.bodies.get(handle) {
                self.before.0.insert(handle, (body.linvel(), body.angvel()));
            }
        }
    }

    /// How a body moved before the last step, if that step looked for blows.
    pub fn velocity_before(&self, handle: &RigidHandle) -> Velocity {
        let (linear, angular) = match handle.place {
            Place::Moving(body) => self.before.0.get(&body).copied().unwrap_or_default(),
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
        for pair in self.physics.narrow_phase.contact_pairs() {
            let colliders = [pair.collider1, pair.collider2].map(|handle| self.physics.colliders.get(handle));
            let [Some(first), Some(second)] = colliders else { continue };
            if (first.user_data | second.user_data) & FRAGILE == 0 {
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
                let sides = [(first, second, -push.normal), (second, first, push.normal)];
                for ((body, other, direction), place) in sides.into_iter().zip(push.places) {
                    if body.user_data & FRAGILE == 0 {
                        continue;
                    }
                    let blow = Blow {
                        body: body_id(body),
                        other: body_id(other),
                        point: place.as_dvec3(),
                        direction: direction.as_dvec3(),
                        speed: f64::from(speed),
                        impulse: f64::from(impulse),
                    };
                    keep_hardest(&mut hardest, blow);
                }
            }
        }
        hardest.into_values().collect()
    }

    /// How fast two colliders came together where the solver pushed, and the impulse that stops that.
    fn meeting(&self, first: &Collider, second: &Collider, push: &Push) -> (f32, f32) {
        let normal = push.normal;
        let side = |collider: &Collider| {
            let Some(handle) = collider.parent() else { return (0.0, 0.0) };
            let Some(body) = self.physics.bodies.get(handle) else { return (0.0, 0.0) };
            let (linear, angular) = self.before.0.get(&handle).copied().unwrap_or_default();
            let mass = body.mass_properties();
            let start = self.sweep.as_ref().and_then(|sweep| sweep.before(handle));
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
        let Some(sweep) = &self.sweep else { return Some(Push { point, normal, places: [point; 2] }) };
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
