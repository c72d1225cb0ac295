//! Fragments that break in a world of Rapier's.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DVec3;
use rapier3d::prelude::{ColliderHandle, PhysicsWorld, Pose as RapierPose, RigidBodyBuilder, RigidBodyHandle, Vector};
use rustc_hash::{FxHashMap, FxHashSet};
use thiserror::Error;

use super::FragmentShape;
use crate::dynamics::blow::{Before, Meetings};
use crate::fragment::{FragmentBody, FragmentBreakage};
use crate::random::Random;
use crate::world::{Fracture, FractureError, FractureTrigger, Impact, Representation};

/// A body that broke, and what it broke into.
#[derive(Clone, Debug, PartialEq)]
pub struct BrokenFragment {
    /// The body. It is not in the world any more.
    pub body: RigidBodyHandle,
    /// Who hit it, if it was hit; that may have broken in the same step and be gone as well.
    pub other: Option<ColliderHandle>,
    /// Where, in the world.
    pub point: DVec3,
    /// How hard, in N s.
    pub impulse: f64,
    /// The bodies that are there instead, each with one collider.
    pub pieces: Vec<RigidBodyHandle>,
}

/// Why a body does not break.
#[derive(Debug, Error)]
pub enum BreakError {
    /// It is not there.
    #[error("there is no body {0:?} in the world")]
    NoBody(RigidBodyHandle),
    /// It is something else, or has other colliders besides.
    #[error("the body {0:?} is not one fragment: give it a single collider, with a FragmentShape")]
    NoFragment(RigidBodyHandle),
    /// The blow means nothing or is too weak.
    #[error(transparent)]
    Fracture(#[from] FractureError),
}

/// Breaks the fragments of a world of Rapier's that are hit hard enough, as [`crate::world::World`] does it in its own.
///
/// A body that is a fragment (one collider with a [`FragmentShape`]) is replaced by bodies that are its pieces: they have its material,
/// its share of the mass, its groups, hooks and user data, and carry its motion on, so that linear and angular momentum stay what they were.
/// Joints of the body are gone with it; what was fixed or kinematic moves, and locked axes are free. Pieces come with new handles, so keep nothing of a body that an event names.
///
/// ```
/// use std::sync::Arc;
/// use fracas::dynamics::rapier::{FragmentBreaker, FragmentDispatcher, FragmentShape};
/// use fracas::fragment::{Fragment, FragmentBreakage, Solid, SolidOptions, cuboid_tets};
/// use fracas::pattern::{SeedPattern, VoronoiPattern};
/// use fracas::world::FractureTrigger;
/// use rapier3d::parry::query::{DefaultQueryDispatcher, QueryDispatcher};
/// use rapier3d::prelude::*;
/// use glam::DVec3;
///
/// let mut world = PhysicsWorld::new();
/// world.narrow_phase.set_query_dispatcher(FragmentDispatcher.chain(DefaultQueryDispatcher));
/// world.insert_collider(ColliderBuilder::cuboid(5.0, 0.5, 5.0).translation(Vector::new(0.0, -0.5, 0.0)), None);
/// let solid = Solid::new(&cuboid_tets(DVec3::splat(0.5), [4; 3])?, &SolidOptions::default())?;
/// let shape = FragmentShape::new(Arc::new(Fragment::whole(&solid)));
/// let block = RigidBodyBuilder::dynamic().translation(Vector::Y).linvel(Vector::new(0.0, -9.0, 0.0));
/// let (block, _) = world.insert(block, ColliderBuilder::new(shape.shared()));
///
/// let seeds = SeedPattern::Voronoi(VoronoiPattern { cells: 20, extent: 0.6, ..VoronoiPattern::default() });
/// let breakage = Arc::new(FragmentBreakage::by_pattern(seeds));
/// let mut breaker = FragmentBreaker::new(breakage, FractureTrigger { threshold: 2.0, ..FractureTrigger::default() });
/// let mut broken = Vec::new();
/// for _ in 0..30 {
///     breaker.before_step(&world);
///     world.step();
///     broken.extend(breaker.after_step(&mut world));
/// }
/// assert!(broken.len() == 1 && broken[0].body == block && broken[0].pieces.len() > 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FragmentBreaker {
    breakage: Arc<FragmentBreakage>,
    trigger: FractureTrigger,
    before: Before,
    /// Of bodies that are pieces, how many times over, and when they were born.
    pieces: FxHashMap<RigidBodyHandle, (u32, f64)>,
    steps: u64,
    time: f64,
}

/// The hardest blow that a body had.
struct Hit {
    body: RigidBodyHandle,
    other: ColliderHandle,
    impact: Impact,
}

impl FragmentBreaker {
    /// Breaks fragments so, when they are hit hard enough.
    pub fn new(breakage: Arc<FragmentBreakage>, trigger: FractureTrigger) -> FragmentBreaker {
        let (before, pieces) = (Before::default(), FxHashMap::default());
        FragmentBreaker { breakage, trigger, before, pieces, steps: 0, time: 0.0 }
    }

    /// Looks at how bodies move before a step, which says how hard they meet in it.
    pub fn before_step(&mut self, world: &PhysicsWorld) {
        // All of them: Rapier does not count those as awake that came or were pushed since its last step.
        self.before.remember(world, world.bodies.iter().map(|(handle, _)| handle));
    }

    /// Breaks what the last step hit hard enough, in the order of the bodies' handles. Of a step that [`FragmentBreaker::before_step`]
    /// has not seen, all bodies seem to have stood still.
    pub fn after_step(&mut self, world: &mut PhysicsWorld) -> Vec<BrokenFragment> {
        self.steps += 1;
        self.time += f64::from(world.integration_parameters.dt);
        self.pieces.retain(|&body, _| world.bodies.contains(body));
        let mut broken = Vec::new();
        // Who got a share of the velocity back; one that is in several blows gets it once.
        let mut eased = FxHashSet::default();
        for Hit { body, other, impact } in self.hits(world) {
            let share = self.trigger.passthrough.clamp(0.0, 1.0) as f32;
            let after = world.bodies.get(body).map(|body| (body.linvel(), body.angvel()));
            if eased.insert(body) {
                self.ease(world, body, share);
            }
            match self.break_body(world, body, &impact) {
                Ok(event) => {
                    let hitter = world.colliders.get(other).and_then(|collider| collider.parent());
                    if let Some(hitter) = hitter.filter(|&hitter| eased.insert(hitter)) {
                        self.ease(world, hitter, share);
                    }
                    broken.push(BrokenFragment { other: Some(other), ..event });
                }
                Err(error) => {
                    // It goes on as the solver had it.
                    if let (Some(body), Some((linear, angular))) = (world.bodies.get_mut(body), after) {
                        body.set_linvel(linear, true);
                        body.set_angvel(angular, true);
                    }
                    tracing::debug!(%error, "a blow broke nothing");
                }
            }
        }
        broken
    }

    /// Breaks a body at a point of the world, however hard it is hit.
    ///
    /// # Errors
    /// If it is not there, is no fragment, or the blow breaks nothing; the world is then as it was.
    pub fn break_body(
        &mut self,
        world: &mut PhysicsWorld,
        body: RigidBodyHandle,
        impact: &Impact,
    ) -> Result<BrokenFragment, BreakError> {
        impact.check()?;
        let whole = world.bodies.get(body).ok_or(BreakError::NoBody(body))?;
        let [collider] = whole.colliders() else { return Err(BreakError::NoFragment(body)) };
        let collider = world.colliders.get(*collider).ok_or(BreakError::NoFragment(body))?;
        let shape = collider.shape().as_shape::<FragmentShape>().ok_or(BreakError::NoFragment(body))?;
        let pose = *whole.position() * collider.position_wrt_parent().copied().unwrap_or_default();
        // Fragments have coordinates of their solid, in which the shape's origin is somewhere.
        let back = pose.inverse();
        let local = Impact {
            point: back.transform_point(impact.point.as_vec3()).as_dvec3() + shape.origin().as_dvec3(),
            direction: (back.rotation * impact.direction.as_vec3()).as_dvec3(),
            ..*impact
        };
        let mut method = FragmentBody::new(shape.fragment().clone(), self.breakage.clone());
        let fractured = method.fracture(&local)?;
        let volume = shape.fragment().mass_properties().volume;
        let mut new = Vec::new();
        for piece in fractured.pieces {
            let Representation::Fragment(fragment) = piece.representation else { continue };
            let share = (fragment.mass_properties().volume / volume) as f32;
            let piece = FragmentShape::new(fragment);
            let place = pose * RapierPose::from_translation(piece.origin() - shape.origin());
            let linear = whole.linvel() + whole.angvel().cross(place.translation - whole.center_of_mass());
            let builder = RigidBodyBuilder::dynamic()
                .pose(place)
                .linvel(linear)
                .angvel(whole.angvel())
                .gravity_scale(whole.gravity_scale())
                .linear_damping(whole.linear_damping())
                .angular_damping(whole.angular_damping())
                .dominance_group(whole.dominance_group())
                .ccd_enabled(whole.is_ccd_enabled())
                .user_data(whole.user_data);
            let mut part = collider.clone();
            part.set_shape(piece.shared());
            part.set_position_wrt_parent(RapierPose::IDENTITY);
            let mass = if collider.mass() > 0.0 { collider.mass() } else { whole.mass() };
            if mass > 0.0 {
                part.set_mass(share * mass);
            }
            new.push((builder, part));
        }
        world.remove_body(body);
        let depth = self.pieces.remove(&body).map_or(0, |(depth, _)| depth) + 1;
        let pieces: Vec<RigidBodyHandle> = new.into_iter().map(|(body, part)| world.insert(body, part).0).collect();
        self.pieces.extend(pieces.iter().map(|&piece| (piece, (depth, self.time))));
        Ok(BrokenFragment { body, other: None, point: impact.point, impulse: impact.impulse, pieces })
    }

    /// What was hit hard enough.
    fn hits(&self, world: &PhysicsWorld) -> Vec<Hit> {
        let mut hardest: BTreeMap<(u32, u32), Hit> = BTreeMap::new();
        let meetings = Meetings { physics: world, before: &self.before, sweep: None };
        meetings.visit_blows(
            |collider| collider.shape().as_shape::<FragmentShape>().is_some(),
            |blow| {
                let Some(body) = blow.colliders[0].parent().filter(|&body| self.may_break(body)) else { return };
                let (speed, impulse) = (f64::from(blow.speed), f64::from(blow.impulse));
                let key = body.into_raw_parts();
                if impulse < self.trigger.threshold
                    || hardest.get(&key).is_some_and(|hit| hit.impact.impulse >= impulse)
                {
                    return;
                }
                let seed = Random::new(u64::from(key.0) << 32 ^ self.steps).next_u64();
                let (direction, radius) = (blow.direction.as_dvec3(), self.trigger.radius);
                let impact = Impact { direction, radius, seed, speed, impulse, ..Impact::at(blow.point.as_dvec3()) };
                hardest.insert(key, Hit { body, other: blow.handles[1], impact });
            },
        );
        hardest.into_values().collect()
    }

    fn may_break(&self, body: RigidBodyHandle) -> bool {
        let (depth, born) = self.pieces.get(&body).copied().unwrap_or((0, f64::NEG_INFINITY));
        depth < self.trigger.depth_limit && self.time - born >= self.trigger.cooldown
    }

    /// Gives a body a share of the velocity back that it had before the step.
    fn ease(&self, world: &mut PhysicsWorld, body: RigidBodyHandle, share: f32) {
        let (linear, angular) = self.before.velocity(body);
        if let Some(body) = world.bodies.get_mut(body).filter(|body| body.is_dynamic()) {
            let between = |after: Vector, before: Vector| after + share * (before - after);
            body.set_linvel(between(body.linvel(), linear), true);
            body.set_angvel(between(body.angvel(), angular), true);
        }
    }
}
