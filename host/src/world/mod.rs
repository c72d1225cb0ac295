//! What an embedder steps: bodies in, [`World::step`], events out.
//!
//! The systems meet here. A body has a [`Representation`], which says how others collide with it, and may have a
//! [`Fracture`] method, which says how it breaks; the world knows neither how the contacts are found nor how the pieces
//! are made. [`narrow_phase`] is the one table that says which method answers for which pair of representations.

mod body;
mod debris;
mod error;
mod event;
mod fracture;
mod grip;
#[cfg(test)]
mod ground_tests;
mod look;
mod population;
mod ray;
mod representation;
mod shatter;
#[cfg(test)]
mod shatter_tests;
mod step;
#[cfg(test)]
pub(crate) mod test_lattice;
#[cfg(test)]
mod tests;
mod trigger;

use std::time::Duration;

use glam::DVec3;

use crate::device::SharedBackend;
use crate::dynamics::{Built, Dust, DustOptions, Particle, ParticleSystem, RigidOptions, ShapeCache, Simulation};
use crate::geometry::{Aabb, Convex, Pose, TriMesh};
use crate::hash::StateHash;
use crate::statistics::StepStatistics;
use crate::svo::VoxelWorldOptions;
use debris::DebrisQueue;
use population::{Forms, Population};
use shatter::NewBody;

pub use body::{Body, BodyDescription, BodyId, Material, Motion, Velocity};
pub use debris::DebrisOptions;
pub use error::WorldError;
pub use event::{BodyContact, Event};
pub use fracture::{BodyPart, Change, ExposedFaces, Fracture, FractureError, Fractured, Impact, Piece, Rest};
pub use grip::Grip;
pub use look::{LazyMesh, Looks};
pub use ray::RayHit;
pub use representation::{ConvexParts, NarrowPhase, Representation, RepresentationKind, narrow_phase};
pub(crate) use step::TIME_STEPS;
pub use trigger::FractureTrigger;

/// Bodies, their motion and their breaking.
///
/// ```
/// use fracas::world::{BodyDescription, Representation, World, WorldOptions};
/// use fracas::geometry::{Pose, shapes};
/// use glam::DVec3;
///
/// let mut world = World::new(&WorldOptions::default());
/// world.add_ground(0.0)?;
/// let size = DVec3::splat(0.2);
/// let brick = world.add(BodyDescription {
///     pose: Pose::at(DVec3::new(0.0, 1.0, 0.0)),
///     ..BodyDescription::new("brick", shapes::cuboid(size), Representation::Cuboid { half_extents: 0.5 * size })
/// })?;
/// for _ in 0..240 {
///     world.step(1.0 / 120.0)?;
/// }
/// assert!((world.pose(brick).unwrap().translation.y - 0.1).abs() < 0.01);
/// # Ok::<(), fracas::world::WorldError>(())
/// ```
pub struct World {
    /// Indexed by [`BodyId`]; a body that is gone leaves a hole, so that a number is never used twice.
    bodies: Vec<Option<Body>>,
    simulation: Simulation,
    events: Vec<Event>,
    statistics: StepStatistics,
    time: f64,
    steps: u64,
    /// What a new body has to have a narrow phase against.
    population: Population,
    /// A body whose motion is no longer finite; the world cannot go on.
    diverged: Option<String>,
    fragments: usize,
    triangles: usize,
    debris_options: DebrisOptions,
    debris: DebrisQueue,
    /// Bodies that can break by themselves; without any, nobody need look for blows.
    triggers: usize,
    breaks_per_step: usize,
    /// Pieces that could not be simulated, since the world began.
    lost: usize,
    /// What bodies of voxels are broken and compared on, if not the CPU.
    backend: Option<SharedBackend>,
    dust: Option<Box<dyn ParticleSystem>>,
    /// Time spent breaking bodies since the last step ended.
    fracture_time: Duration,
}

/// What holds for a whole world.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldOptions {
    /// The acceleration that acts on every moving body, in m/s².
    pub gravity: DVec3,
    /// How rigid bodies are simulated.
    pub rigid: RigidOptions,
    /// How bodies of voxels are simulated; gravity is the world's.
    pub voxels: VoxelWorldOptions,
    /// What becomes of small pieces.
    pub debris: DebrisOptions,
    /// The dust of breaks, if there is any.
    pub dust: Option<DustOptions>,
    /// The most bodies that blows break in one step; of more, those that are hit hardest do.
    pub breaks_per_step: usize,
}

impl Default for WorldOptions {
    fn default() -> WorldOptions {
        WorldOptions {
            gravity: DVec3::new(0.0, -9.81, 0.0),
            rigid: RigidOptions::default(),
            voxels: VoxelWorldOptions::default(),
            debris: DebrisOptions::default(),
            dust: None,
            breaks_per_step: 64,
        }
    }
}

impl World {
    /// A world without bodies.
    pub fn new(options: &WorldOptions) -> World {
        World::with_shapes(options, ShapeCache::default())
    }

    /// A world without bodies that takes collision shapes from a cache, and puts those that it makes there.
    pub fn with_shapes(options: &WorldOptions, shapes: ShapeCache) -> World {
        World {
            bodies: Vec::new(),
            simulation: Simulation::new(options.gravity, &options.rigid, &options.voxels, shapes),
            events: Vec::new(),
            statistics: StepStatistics::default(),
            time: 0.0,
            steps: 0,
            population: Population::default(),
            diverged: None,
            fragments: 0,
            triangles: 0,
            debris_options: options.debris.clone(),
            debris: DebrisQueue::default(),
            triggers: 0,
            breaks_per_step: options.breaks_per_step,
            lost: 0,
            dust: options.dust.as_ref().map(|dust| Box::new(Dust::new(dust)) as Box<dyn ParticleSystem>),
            backend: None,
            fracture_time: Duration::ZERO,
        }
    }

    /// Adds a body and gives it the next number. Convex parts that are too flat or too small for single precision collide
    /// with nothing.
    ///
    /// # Errors
    /// A pair of representations without a narrow phase, a shape without a volume, numbers that are not finite.
    pub fn add(&mut self, description: BodyDescription) -> Result<BodyId, WorldError> {
        let pieces = description.fracture.as_ref().map(|fracture| fracture.piece_kind());
        let forms = Forms::new(description.representation.kind(), description.motion, pieces);
        self.population.check(forms, &description.name)?;
        let built = self.simulation.build(&description);
        let built = built.map_err(|problem| WorldError::Rigid { body: description.name.clone(), problem })?;
        let new = NewBody {
            mass: description.mass_properties(),
            fracture: description.fracture.as_ref().map(|fracture| fracture.duplicate()),
            description,
            parent: None,
            depth: 0,
            is_debris: false,
        };
        Ok(self.insert(new, built))
    }

    fn insert(&mut self, new: NewBody, built: Built) -> BodyId {
        let NewBody { description, mass, fracture, parent, depth, is_debris } = new;
        let id = BodyId(self.bodies.len() as u32);
        let trigger = description.trigger.filter(|trigger| fracture.is_some() && depth < trigger.depth_limit);
        let handle = self.simulation.insert(id, built, trigger.is_some(), parent);
        let body = Body {
            name: description.name,
            triangles: description.looks.values().map(LazyMesh::triangle_count).sum(),
            looks: description.looks,
            representation: description.representation,
            material: description.material,
            motion: description.motion,
            mass,
            trigger,
            fracture,
            parent,
            is_debris,
            depth,
            pieces: 0,
            broke_at: if parent.is_some() { self.time } else { f64::NEG_INFINITY },
            look_version: 0,
            handle,
        };
        self.population.add(body.forms());
        self.fragments += usize::from(parent.is_some());
        self.triangles += body.triangles;
        self.triggers += usize::from(body.trigger.is_some());
        tracing::debug!(%id, name = body.name(), "body added");
        self.bodies.push(Some(body));
        self.events.push(Event::Added { body: id });
        id
    }

    /// Adds a fixed half-space whose surface is the plane y = `height`, without a mesh.
    ///
    /// # Errors
    /// If `height` is not finite.
    pub fn add_ground(&mut self, height: f64) -> Result<BodyId, WorldError> {
        self.add(BodyDescription {
            motion: Motion::Fixed,
            pose: Pose::at(DVec3::new(0.0, height, 0.0)),
            ..BodyDescription::new("ground", TriMesh::default(), Representation::HalfSpace { normal: DVec3::Y })
        })
    }

    /// Takes a body out; others that rested on it wake up.
    ///
    /// # Errors
    /// If there is no such body.
    pub fn remove(&mut self, id: BodyId) -> Result<(), WorldError> {
        self.take(id)?;
        self.events.push(Event::Removed { body: id });
        Ok(())
    }

    fn take(&mut self, id: BodyId) -> Result<Body, WorldError> {
        let body = self.bodies.get_mut(id.0 as usize).and_then(Option::take).ok_or(WorldError::NoBody(id))?;
        self.simulation.remove(id, &body.handle);
        self.population.remove(body.forms());
        self.fragments -= usize::from(body.parent.is_some());
        self.triangles -= body.triangles;
        self.triggers -= usize::from(body.trigger.is_some());
        self.debris.alive -= usize::from(body.is_debris);
        Ok(body)
    }

    /// Breaks bodies of voxels and looks for contacts between them on a backend from now on, or again on the CPU. What
    /// happens in the world is the same, bit by bit.
    pub fn set_backend(&mut self, backend: Option<SharedBackend>) {
        self.simulation.set_backend(backend.clone());
        self.backend = backend;
    }

    /// Gives the world something that makes dust of fresh surface, or takes it away.
    pub fn set_dust(&mut self, dust: Option<Box<dyn ParticleSystem>>) {
        self.dust = dust;
    }

    /// The particles that are in the air.
    pub fn particles(&self) -> &[Particle] {
        self.dust.as_ref().map_or(&[], |dust| dust.particles())
    }

    fn emit_dust(&mut self, faces: &ExposedFaces, pose: Pose, velocity: Velocity, center: DVec3, seed: u64) {
        if let Some(dust) = self.dust.as_mut().filter(|_| !faces.is_empty()) {
            dust.emit(faces, &pose, velocity, center, seed);
        }
    }

    /// A body.
    pub fn body(&self, id: BodyId) -> Option<&Body> {
        self.bodies.get(id.0 as usize)?.as_ref()
    }

    /// All bodies, in the order in which they were added.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        self.bodies.iter().enumerate().filter_map(|(id, body)| Some((BodyId(id as u32), body.as_ref()?)))
    }

    /// The first body of that name.
    pub fn find(&self, name: &str) -> Option<BodyId> {
        self.bodies().find(|(_, body)| body.name() == name).map(|(id, _)| id)
    }

    /// Where a body is.
    pub fn pose(&self, id: BodyId) -> Option<Pose> {
        Some(self.simulation.pose(&self.body(id)?.handle))
    }

    /// The middle of the convex part of a body that is nearest to a point, both in the world's coordinates.
    pub fn nearest_part(&self, id: BodyId, point: DVec3) -> Option<DVec3> {
        let (body, pose) = (self.body(id)?, self.pose(id)?);
        let Representation::Convexes(parts) = body.representation() else { return None };
        let local = pose.inverse().transform_point(point);
        let distance = |convex: &Convex| {
            let Aabb { min, max } = convex.aabb();
            local.distance_squared(local.clamp(min, max))
        };
        let nearest = parts.values().min_by(|one, other| distance(one).total_cmp(&distance(other)))?;
        let middle = nearest.vertices().iter().sum::<DVec3>() / nearest.vertices().len() as f64;
        Some(pose.transform_point(middle))
    }

    /// How a body moves.
    pub fn velocity(&self, id: BodyId) -> Option<Velocity> {
        Some(self.simulation.velocity(&self.body(id)?.handle))
    }

    /// Sets how a body moves.
    ///
    /// # Errors
    /// If there is no such body, or a number is not finite.
    pub fn set_velocity(&mut self, id: BodyId, velocity: Velocity) -> Result<(), WorldError> {
        let body = self.bodies.get(id.0 as usize).and_then(Option::as_ref).ok_or(WorldError::NoBody(id))?;
        if ![velocity.linear, velocity.angular].iter().all(|vector| vector.as_vec3().is_finite()) {
            return Err(WorldError::NonFinite("velocity"));
        }
        self.simulation.set_velocity(&body.handle, velocity);
        Ok(())
    }

    /// Pushes a body at a point of the world, by an impulse in N s.
    ///
    /// # Errors
    /// If there is no such body, or a number is not finite.
    pub fn apply_impulse(&mut self, id: BodyId, impulse: DVec3, point: DVec3) -> Result<(), WorldError> {
        let body = self.bodies.get(id.0 as usize).and_then(Option::as_ref).ok_or(WorldError::NoBody(id))?;
        if ![impulse, point].iter().all(|vector| vector.as_vec3().is_finite()) {
            return Err(WorldError::NonFinite("impulse"));
        }
        self.simulation.apply_impulse(&body.handle, impulse, point);
        Ok(())
    }

    /// Whether a body rests, and is not simulated until something wakes it.
    pub fn is_sleeping(&self, id: BodyId) -> Option<bool> {
        Some(self.simulation.is_sleeping(&self.body(id)?.handle))
    }

    /// Seconds since the first step began.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// How many steps were made.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// What the last step cost and found.
    pub fn statistics(&self) -> &StepStatistics {
        &self.statistics
    }

    /// What happened since [`World::take_events`] was last called.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What happened since the last call; the list starts afresh.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// The contacts that the last step found, in a fixed order.
    pub fn contacts(&self) -> Vec<BodyContact> {
        self.simulation.contacts()
    }

    /// A hash of every body's number, pose and velocity. Equal for equal runs, whatever the number of threads.
    pub fn hash(&self) -> u64 {
        let mut hash = StateHash::new();
        for (id, body) in self.bodies() {
            hash.write(id.0);
            self.simulation.hash(&body.handle, &mut hash);
        }
        hash.finish()
    }
}
