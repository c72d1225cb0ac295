//! Fast bodies: a step takes nothing through anything else.
//!
//! Rapier moves the bodies, and what it does between the poses before and after a step nobody sees; so here the motion of a
//! body over a step is that its centre of mass goes straight and that it turns evenly about one axis. All that move fast
//! are looked at over the same step, moving against moving too. Where two meet, they stop, and move on in the next step;
//! they keep their speed, which is the solver's to take.
//!
//! # Why nothing passes
//!
//! A collider is a convex solid, a triangle of a surface, a half-space, or a fragment, of which `fragment` tells. The sweep keeps up, for every two of them, that
//! they never get deeper into each other than an eighth of how thick the thinner one is, if they were not deeper than a
//! quarter before. So no solid gets to the other side of another one, for half-way it would be deeper than that; nor
//! between two that touch, because there it would be half its own thickness deep in one of them.
//!
//! - Where two begin a step is safe. From there they are gone along in strides, and each is proven by one direction along
//!   which the two stay apart, or overlap by no more than that depth, from its one end to the other (see `Meeting::stride`).
//!   Where no direction proves another stride, they stop: a direction that was missed, or a search that was given up, stops
//!   them early and never late. Directions are guessed by Rapier's tests and proven in double precision.
//! - Corners that turn do not go straight; over a part of a step they are off a straight line by no more than r angle² / 8
//!   (see `Path::stray`), and each stride allows for it.
//! - Two that are apart stop where they come within a small gap, unless they only graze. Two that touch may go on until they
//!   are as deep as a step may take them. Things that rest, slide, roll, graze and separate are held up by nothing.
//! - Two that move by less than that depth against each other are not looked at, unless they are half as deep already.
//! - A body that stops is looked at again as one that stands from then on, by all that are near, from that time on. Pairs
//!   are settled in the order of time, all of those at once that nothing earlier can change; stops only get earlier.
//!
//! What is left: a pose is stored in single precision; two bodies that were put into each other, deeper than a quarter of
//! their thickness, are the solver's alone, and so are two surfaces; a tip that comes down on a seam of a surface may get
//! deeper, until it is as wide there as the depth. Bodies that are stopped at every step get on by one contact a step: they
//! lose time, not energy. Those that do not get on at all are slowed down (see `Sweep::calm`).

mod core;
mod fragment;
mod gather;
mod meeting;
mod path;
mod settle;
mod solid;
mod surface;
#[cfg(test)]
mod tests;

use rapier3d::prelude::{
    Collider, ColliderHandle, IntegrationParameters, PhysicsWorld, Pose as RapierPose, RigidBody, RigidBodyHandle,
};
use rayon::prelude::*;

use super::plane::Planes;
use super::rapier::FragmentShape;
use super::rigid_build::rapier_pose;
use super::rigid_shape::PartShape;
pub(super) use fragment::FragmentForm;
use gather::{gather, order, rests_with_fragment};
use path::Path;
use settle::{Held, Stop, settle};

/// How thick a collider is said to be at least, in length units; below, single precision tells nothing.
const THINNEST: f32 = 1e-5;

/// How thick a surface counts as when it comes down on a half-space, as a part of its size.
const SURFACE_THICKNESS: f32 = 1.0 / 16.0;

/// The bits of a collider's user data that say how thick it is.
const THICKNESS: u32 = 64;

/// A body that moves by less than this part of the thinnest collider is not fast: two of them move by no more than the depth
/// that a step may take them into each other.
const SLOW: f64 = 1.0 / 16.0;

/// What stuck bodies keep of their velocity, with each step that they are stuck for.
const KEPT: f32 = 0.5;

/// How thick a collider is, as a part of its user data.
pub(super) fn thickness_data(thickness: f32) -> u128 {
    u128::from(thickness.to_bits()) << THICKNESS
}

/// How thick a collider is at least: no slit that is narrower takes it. Zero of a surface.
fn thickness(collider: &Collider) -> f32 {
    f32::from_bits((collider.user_data >> THICKNESS) as u32)
}

/// What the sweep has to know from step to step.
pub(super) struct Sweep {
    /// Where bodies were when the last step began and ended, by the index of their handles. Those that did not move in it
    /// have not been written since.
    places: Vec<[RapierPose; 2]>,
    /// The least thickness that a collider had so far.
    thinnest: f32,
    /// Whether anything but fragments moves.
    moves_others: bool,
    /// Fragments that were stopped, and what at, for as long as they touch. The solver may take them through each other
    /// little by little, so they are looked at however slow they are.
    held: Vec<Held>,
    /// Bodies that were stopped in the last step before they moved, and for how many steps running.
    stuck: Vec<(RigidBodyHandle, i32)>,
    length_unit: f32,
}

impl Sweep {
    pub(super) fn new(length_unit: f64) -> Sweep {
        let length_unit = length_unit as f32;
        Sweep {
            places: Vec::new(),
            thinnest: f32::INFINITY,
            moves_others: false,
            held: Vec::new(),
            stuck: Vec::new(),
            length_unit,
        }
    }

    /// Makes the solver fit for thin bodies, in a step of so many seconds.
    pub(super) fn prepare(&self, parameters: &mut IntegrationParameters, time_step: f64) {
        // To Rapier contacts are springs, and under a load that makes bodies of a metre sag by a hair, thin ones sag through
        // each other. These are as stiff as it can bear.
        let frequency = (time_step as f32).recip();
        for softness in [&mut parameters.contact_softness, &mut parameters.static_contact_softness] {
            softness.natural_frequency = softness.natural_frequency.max(frequency);
        }
        // It keeps what it knows of a pair that has hardly moved. That must be little beside how thick bodies are, and beside
        // the distance from which on it knows of a contact, so that what was stopped at one is seen.
        let hardly =
            (SLOW as f32 * self.thinnest / self.length_unit).min(0.25 * parameters.normalized_prediction_distance);
        // Fragments look at other points each time that they are asked, and would never come to rest.
        if self.moves_others {
            parameters.normalized_contact_recycle_distance = hardly;
        }
    }

    /// Notes where a new body is.
    pub(super) fn note_body(&mut self, handle: RigidBodyHandle, body: &RigidBody) {
        let index = handle.into_raw_parts().0 as usize;
        if self.places.len() <= index {
            self.places.resize(index + 1, [RapierPose::IDENTITY; 2]);
        }
        self.places[index] = [*body.position(); 2];
    }

    /// Notes how thick a new collider is.
    pub(super) fn note_part(&mut self, part: &PartShape, is_moving: bool) {
        self.moves_others |= is_moving && part.shape.as_shape::<FragmentShape>().is_none();
        // A surface has no thickness of its own, and counts by its size where it meets a half-space.
        let thickness = if part.thickness > 0.0 { part.thickness } else { SURFACE_THICKNESS * part.radius };
        // A fragment that moves by less than its distance field is exact to is the field's: a splinter of a fracture would
        // make everything else fast.
        let least = part.shape.as_shape::<FragmentShape>().map_or(0.0, FragmentShape::tolerance) / SLOW as f32;
        let thickness = thickness.max(least);
        self.thinnest = self.thinnest.min(thickness.max(THINNEST * self.length_unit));
    }

    /// Notes that something moves that is no fragment.
    pub(super) fn note_others(&mut self) {
        self.moves_others = true;
    }

    /// Where a body was when the last step began.
    pub(super) fn before(&self, handle: RigidBodyHandle) -> Option<&RapierPose> {
        self.places.get(handle.into_raw_parts().0 as usize).map(|[before, _]| before)
    }

    fn path(&self, handle: RigidBodyHandle, body: &RigidBody) -> Path {
        let mass = body.mass_properties();
        let place = self.places.get(handle.into_raw_parts().0 as usize).map_or(body.position(), |[_, now]| now);
        Path::between(place, body.position(), mass.local_mprops.local_com, mass.max_extent())
    }

    /// Sets bodies back that the step took into or through others. `awake` are those that were to move when it began.
    pub(super) fn set_back(&mut self, physics: &mut PhysicsWorld, planes: &Planes, awake: &[RigidBodyHandle]) {
        let mut moved: Vec<RigidBodyHandle> = awake.to_vec();
        moved.extend(physics.islands.active_bodies());
        moved.sort_unstable_by_key(|handle| handle.into_raw_parts());
        moved.dedup();
        moved.retain(|&handle| physics.bodies.contains(handle));
        let is_fast = |handle: &&RigidBodyHandle| !self.is_slow(&self.path(**handle, &physics.bodies[**handle]));
        let fast: Vec<RigidBodyHandle> = moved.par_iter().with_min_len(256).filter(is_fast).copied().collect();
        let (stopped, held) = settle(gather(self, physics, planes, &fast));
        self.hold(physics, held);
        self.stop(physics, &stopped);
        self.calm(physics, &stopped);
        for &handle in &moved {
            let [before, now] = &mut self.places[handle.into_raw_parts().0 as usize];
            (*before, *now) = (*now, *physics.bodies[handle].position());
        }
    }

    /// Takes on pairs that were stopped, and lets go of those that no longer touch or have come to rest.
    fn hold(&mut self, physics: &PhysicsWorld, held: Vec<Held>) {
        let touches = |&[one, other]: &Held| {
            let colliders = [one, other].map(|handle| physics.colliders.get(handle));
            let [Some(first), Some(second)] = colliders else { return false };
            let pair = physics.narrow_phase.contact_pair(one, other);
            let has_points =
                pair.is_some_and(|pair| pair.manifolds().iter().any(|manifold| !manifold.points.is_empty()));
            has_points && !rests_with_fragment(physics, first, second)
        };
        self.held.retain(touches);
        // What was only just stopped may not be known to touch yet.
        self.held.extend(held);
        self.held.sort_unstable_by_key(order);
        self.held.dedup();
    }

    /// Whether a body moves so little that two like it get no deeper into each other than a step may take them.
    fn is_slow(&self, path: &Path) -> bool {
        let (way, turned) = path.rest(0.0);
        way.length() + turned <= SLOW * f64::from(self.thinnest)
    }

    /// Slows down what was stopped before it moved, two times running, and more the longer it is stuck.
    ///
    /// The solver goes by the contacts that a step begins with. To bodies that go many times their own size in a step it may
    /// give velocities that are as bad as the ones before, however often it is asked; at lower speeds it finds a way out. Where there
    /// is none, it gives the same velocity in every step to what does not move, which must not keep a heap awake.
    fn calm(&mut self, physics: &mut PhysicsWorld, stopped: &[Stop]) {
        let mut stuck = Vec::new();
        for &(handle, ..) in stopped {
            if !self.is_slow(&self.path(handle, &physics.bodies[handle])) {
                continue;
            }
            let known = self.stuck.iter().find(|(known, _)| *known == handle);
            let steps = known.map_or(0, |&(_, steps)| steps + 1);
            if steps > 0 {
                let (body, kept) = (&mut physics.bodies[handle], KEPT.powi(steps));
                body.set_linvel(kept * body.linvel(), false);
                body.set_angvel(kept * body.angvel(), false);
            }
            stuck.push((handle, steps));
        }
        self.stuck = stuck;
    }

    /// Puts bodies where they stop.
    fn stop(&self, physics: &mut PhysicsWorld, stopped: &[Stop]) {
        for (handle, share, pose) in stopped {
            let start = self.places[handle.into_raw_parts().0 as usize][1];
            // What does not move at all keeps its pose to the bit.
            let pose = if *share > 0.0 { rapier_pose(pose).unwrap_or(start) } else { start };
            physics.bodies[*handle].set_position(pose, false);
        }
        if !stopped.is_empty() {
            physics.bodies.propagate_modified_body_positions_to_colliders(&mut physics.colliders);
        }
    }
}

/// The colliders of a body with their handles.
fn colliders<'a>(
    physics: &'a PhysicsWorld,
    body: &'a RigidBody,
) -> impl Iterator<Item = (ColliderHandle, &'a Collider)> {
    body.colliders().iter().filter_map(|&handle| Some((handle, physics.colliders.get(handle)?)))
}
