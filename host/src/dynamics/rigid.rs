//! Rigid bodies, simulated by Rapier: where its handles, events and clocks become ours.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use glam::DVec3;
use rapier3d::prelude::{
    Collider, ColliderHandle, ColliderSet, CollisionEvent, ContactPair, EventHandler, PhysicsWorld, RigidBodyHandle,
    RigidBodySet, SoftBodySet, SoftBodyTearEvent,
};

use super::blow::Before;
use super::dispatch::Dispatcher;
use super::plane::Planes;
use super::rigid_build::{BuiltBody, RigidProblem, build, build_debris};
use super::rigid_handle::{Place, RigidHandle};
use super::rigid_shape::ShapeCache;
use super::sweep::Sweep;
use crate::contact::Contact;
use crate::device::DeviceError;
use crate::geometry::{MassProperties, Pose};
use crate::hash::StateHash;
use crate::statistics::{Stage, StageTimes};
use crate::world::{BodyContact, BodyDescription, BodyId, Velocity};

/// How rigid bodies are simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidOptions {
    /// Rounds of the constraint solver in a step; more make stacks stiffer.
    pub solver_iterations: u32,
    /// Sweep fast bodies so that nothing passes through anything, however fast or thin it is.
    pub continuous: bool,
    /// Let bodies that rest fall asleep.
    pub sleeping: bool,
    /// The size of an ordinary body, in metres; tolerances of the solver scale with it.
    pub length_unit: f64,
}

impl Default for RigidOptions {
    fn default() -> RigidOptions {
        RigidOptions { solver_iterations: 4, continuous: false, sleeping: true, length_unit: 1.0 }
    }
}

/// What one step of the rigid bodies cost and found.
#[derive(Debug, Default)]
pub struct RigidStep {
    /// The time spent in each stage.
    pub times: StageTimes,
    /// Contact points that the solver worked on.
    pub contacts: usize,
    /// Contact points with an overlap.
    pub colliding_points: usize,
    /// Pairs of bodies that began to touch, each with the smaller number first, in order.
    pub touched: Vec<[BodyId; 2]>,
    /// A body whose position is no longer finite.
    pub diverged: Option<BodyId>,
    /// Why the backend could not do its part, which the CPU did then.
    pub failure: Option<DeviceError>,
}

/// The rigid bodies of a world.
pub struct RigidBodies {
    pub(super) physics: PhysicsWorld,
    options: RigidOptions,
    shapes: ShapeCache,
    pub(super) planes: Planes,
    pub(super) before: Before,
    /// Bodies that came or were pushed since the last step, which Rapier does not count as awake yet.
    pub(super) stirred: Vec<RigidBodyHandle>,
    /// With `continuous`, what keeps fast bodies from passing through others.
    pub(super) sweep: Option<Sweep>,
}

impl RigidBodies {
    /// No bodies yet; shapes that the cache has need not be made again.
    pub fn new(gravity: DVec3, options: &RigidOptions, shapes: ShapeCache) -> RigidBodies {
        let mut physics = PhysicsWorld::new();
        physics.gravity = gravity.as_vec3();
        physics.integration_parameters.num_solver_iterations = options.solver_iterations.max(1) as usize;
        physics.integration_parameters.length_unit = options.length_unit as f32;
        // Rapier would cap speeds at 400 length units a second, and a body that is meant to be fast would crawl.
        physics.integration_parameters.normalized_max_linear_velocity = f32::MAX;
        physics.narrow_phase.set_query_dispatcher(Dispatcher { corners: options.continuous });
        if options.continuous {
            // Rapier's own sweep would stop bodies before ours looks.
            physics.integration_parameters.max_ccd_substeps = 0;
        }
        RigidBodies {
            physics,
            options: options.clone(),
            shapes,
            planes: Planes::new(options.length_unit),
            before: Before::default(),
            stirred: Vec::new(),
            sweep: options.continuous.then(|| Sweep::new(options.length_unit)),
        }
    }

    /// Makes what is needed to simulate a body, without adding it. Parts that are too flat or too small to collide are
    /// left out, as long as there are others.
    ///
    /// # Errors
    /// What stands against it.
    pub fn build(&self, description: &BodyDescription) -> Result<BuiltBody, RigidProblem> {
        build(description, Some(&self.shapes))
    }

    /// As [`RigidBodies::build`], for a body whose shapes nobody else will have.
    ///
    /// # Errors
    /// What stands against it.
    pub fn build_piece(&self, description: &BodyDescription) -> Result<BuiltBody, RigidProblem> {
        build(description, None)
    }

    /// Makes a small piece that rolls as a ball, and its radius.
    ///
    /// # Errors
    /// What stands against it.
    pub fn build_debris(
        &self,
        description: &BodyDescription,
        mass: &MassProperties,
        angular_damping: f64,
    ) -> Result<(BuiltBody, f64), RigidProblem> {
        build_debris(description, mass, angular_damping)
    }

    pub(super) fn sleeping(&self) -> bool {
        self.options.sleeping
    }

    /// Where a body is.
    pub fn pose(&self, handle: &RigidHandle) -> Pose {
        match handle.place {
            Place::Fixed(pose) => pose,
            Place::Moving(body) => {
                let pose = self.physics.bodies[body].position();
                Pose { rotation: pose.rotation.as_dquat().normalize(), translation: pose.translation.as_dvec3() }
            }
        }
    }

    /// How a body moves.
    pub fn velocity(&self, handle: &RigidHandle) -> Velocity {
        match handle.place {
            Place::Fixed(_) => Velocity::default(),
            Place::Moving(body) => {
                let body = &self.physics.bodies[body];
                Velocity { linear: body.linvel().as_dvec3(), angular: body.angvel().as_dvec3() }
            }
        }
    }

    /// Sets how a body moves, and wakes it; one that is fixed stays where it is.
    pub fn set_velocity(&mut self, handle: &RigidHandle, velocity: Velocity) {
        if let Place::Moving(body) = handle.place {
            self.stirred.push(body);
            let body = &mut self.physics.bodies[body];
            body.set_linvel(velocity.linear.as_vec3(), true);
            body.set_angvel(velocity.angular.as_vec3(), true);
        }
    }

    /// Pushes a body at a point of the world, and wakes it; one that is fixed stays where it is.
    pub fn apply_impulse(&mut self, handle: &RigidHandle, impulse: DVec3, point: DVec3) {
        if let Place::Moving(body) = handle.place {
            self.stirred.push(body);
            self.physics.bodies[body].apply_impulse_at_point(impulse.as_vec3(), point.as_vec3(), true);
        }
    }

    /// Whether a body rests and is not simulated until something wakes it.
    pub fn is_sleeping(&self, handle: &RigidHandle) -> bool {
        matches!(handle.place, Place::Moving(body) if self.physics.bodies[body].is_sleeping())
    }

    /// Takes a body's state into a hash.
    pub fn hash(&self, handle: &RigidHandle, hash: &mut StateHash) {
        let pose = self.pose(handle);
        let velocity = self.velocity(handle);
        hash.write_floats(&pose.rotation.as_quat().to_array());
        for vector in [pose.translation, velocity.linear, velocity.angular] {
            hash.write_floats(&vector.as_vec3().to_array());
        }
    }

    /// Moves the bodies on. With `watch`, [`RigidBodies::blows`] can say afterwards who was hit.
    pub fn step(&mut self, time_step: f64, watch: bool) -> RigidStep {
        self.physics.integration_parameters.dt = time_step as f32;
        if let Some(sweep) = &self.sweep {
            sweep.prepare(&mut self.physics.integration_parameters, time_step);
        }
        let mut awake: Vec<RigidBodyHandle> = self.physics.islands.active_bodies().collect();
        awake.append(&mut self.stirred);
        if watch {
            self.remember_velocities(&awake);
        }
        self.planes.lay_tiles(&mut self.physics, awake.iter().copied(), time_step as f32);
        let touches = Touches::default();
        tracing::debug_span!("rapier").in_scope(|| self.physics.step_with_events(&(), &touches));
        let clock = Instant::now();
        if let Some(sweep) = &mut self.sweep {
            tracing::debug_span!("sweep").in_scope(|| sweep.set_back(&mut self.physics, &self.planes, &awake));
        }
        let mut times = self.stage_times();
        times[Stage::Narrow] += clock.elapsed();
        let touches = touches.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut touched: Vec<[BodyId; 2]> =
            touches.into_iter().filter_map(|[a, b]| self.ordered(a, b).map(|(bodies, _)| bodies)).collect();
        touched.sort_unstable();
        touched.dedup();
        RigidStep {
            times,
            contacts: self.physics.physics_pipeline.counters.solver.ncontacts,
            colliding_points: self.overlapping_points(),
            touched,
            diverged: self.diverged(),
            failure: None,
        }
    }

    fn stage_times(&self) -> StageTimes {
        let counters = &self.physics.physics_pipeline.counters;
        let (detection, stages) = (&counters.cd, &counters.stages);
        let mut times = StageTimes::default();
        let mut add = |stage: Stage, parts: &[Duration]| times[stage] = parts.iter().sum();
        add(Stage::Broad, &[detection.broad_phase_time.time(), detection.final_broad_phase_time.time()]);
        add(Stage::Narrow, &[detection.narrow_phase_time.time()]);
        let islands = [stages.island_construction_time.time(), stages.island_constraints_collection_time.time()];
        add(Stage::Response, &[islands[0], islands[1], stages.solver_time.time(), stages.ccd_time.time()]);
        add(Stage::Update, &[stages.update_time.time(), stages.user_changes.time()]);
        times
    }

    fn overlapping_points(&self) -> usize {
        let points = |pair: &ContactPair| {
            pair.manifolds().iter().flat_map(|manifold| &manifold.points).filter(|point| point.dist <= 0.0).count()
        };
        self.physics.narrow_phase.contact_pairs().map(points).sum()
    }

    /// Rapier disables a body whose state is no longer finite; a body that is still finite but unbelievably far away
    /// would only do so a few steps later, so the quarantine is the whole answer.
    fn diverged(&self) -> Option<BodyId> {
        let quarantined = self.physics.quarantine();
        let id = |&handle: &RigidBodyHandle| BodyId(self.physics.bodies[handle].user_data as u32);
        quarantined.bodies().iter().map(id).min()
    }

    /// All contacts of the last step, ordered by body numbers, then as Rapier keeps them.
    pub fn contacts(&self) -> Vec<BodyContact> {
        let mut contacts = Vec::new();
        for pair in self.physics.narrow_phase.contact_pairs() {
            let Some((bodies, swapped)) = self.ordered(pair.collider1, pair.collider2) else { continue };
            let Some(first) = self.physics.colliders.get(pair.collider1) else { continue };
            for manifold in pair.solver_manifolds() {
                let place = manifold.subshape_pos1().map_or(*first.position(), |pose| *first.position() * *pose);
                // Rapier's normal points from the first to the second; ours pushes the first away.
                let outward = if swapped { manifold.data.normal } else { -manifold.data.normal };
                for point in &manifold.points {
                    let features = [point.fid1.0, point.fid2.0];
                    contacts.push(BodyContact {
                        bodies,
                        impulse: f64::from(point.data.impulse),
                        contact: Contact {
                            point: place.transform_point(point.local_p1).as_dvec3(),
                            normal: outward.as_dvec3(),
                            depth: -f64::from(point.dist),
                            features: if swapped { [features[1], features[0]] } else { features },
                        },
                    });
                }
            }
        }
        contacts.sort_by_key(|contact| contact.bodies);
        contacts
    }

    /// The bodies of two colliders, the smaller number first, and whether that exchanged them.
    fn ordered(&self, first: ColliderHandle, second: ColliderHandle) -> Option<([BodyId; 2], bool)> {
        let id = |collider: ColliderHandle| self.physics.colliders.get(collider).map(body_id);
        let (first, second) = (id(first)?, id(second)?);
        Some(if first <= second { ([first, second], false) } else { ([second, first], true) })
    }
}

/// The body that a collider belongs to; fixed bodies have no body at Rapier's, so the collider itself has to know.
pub(super) fn body_id(collider: &Collider) -> BodyId {
    BodyId(collider.user_data as u32)
}

/// Collects the pairs that began to touch.
#[derive(Default)]
struct Touches(Mutex<Vec<[ColliderHandle; 2]>>);

impl EventHandler for Touches {
    fn handle_collision_event(
        &self,
        _bodies: &RigidBodySet,
        _colliders: &ColliderSet,
        event: CollisionEvent,
        _pair: Option<&ContactPair>,
    ) {
        if let CollisionEvent::Started(first, second, _) = event {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push([first, second]);
        }
    }

    fn handle_contact_force_event(
        &self,
        _time_step: f32,
        _bodies: &RigidBodySet,
        _colliders: &ColliderSet,
        _pair: &ContactPair,
        _force: f32,
    ) {
    }

    fn handle_soft_body_tear_event(&self, _bodies: &SoftBodySet, _event: &SoftBodyTearEvent) {}
}
