//! What an embedder steps: bodies in, [`World::step`], events out.
//!
//! The systems meet here. A body has a [`Representation`], which says how others collide with it, and may have a
//! [`Fracture`] method, which says how it breaks; the world knows neither how the contacts are found nor how the pieces
//! are made. [`narrow_phase`] is the one table that says which method answers for which pair of representations.

mod body;
mod event;
mod fracture;
mod representation;
mod step;
#[cfg(test)]
mod tests;

use glam::DVec3;
use thiserror::Error;

use crate::dynamics::{BuiltBody, RigidBodies, RigidOptions, RigidProblem};
use crate::geometry::{Pose, TriMesh};
use crate::hash::StateHash;
use crate::statistics::StepStatistics;

pub use body::{Body, BodyDescription, BodyId, Material, Motion, Velocity};
pub use event::{BodyContact, Event};
pub use fracture::{ExposedFaces, Fracture, FractureError, Impact, Piece};
pub use representation::{NarrowPhase, Representation, RepresentationKind, narrow_phase};
pub(crate) use step::TIME_STEPS;

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
    rigid: RigidBodies,
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
    /// Time spent breaking bodies since the last step ended.
    fracture_time: std::time::Duration,
}

/// How many bodies there are of each kind, moving and fixed.
type Population = [[usize; 2]; RepresentationKind::ALL.len()];

/// What holds for a whole world.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldOptions {
    /// The acceleration that acts on every moving body, in m/s².
    pub gravity: DVec3,
    /// How rigid bodies are simulated.
    pub rigid: RigidOptions,
}

impl Default for WorldOptions {
    fn default() -> WorldOptions {
        WorldOptions { gravity: DVec3::new(0.0, -9.81, 0.0), rigid: RigidOptions::default() }
    }
}

/// Why the world did not do what it was asked.
#[derive(Debug, Error)]
pub enum WorldError {
    /// Nothing answers for a pair of representations.
    #[error(
        "body '{body}' is a {kind}, and the world already has a {other} that it can meet: nothing finds contacts between \
         the two; give one of them another representation, or make both fixed"
    )]
    NoNarrowPhase {
        /// The body that cannot be added.
        body: String,
        /// How it is represented.
        kind: RepresentationKind,
        /// What it would have to be tested against.
        other: RepresentationKind,
    },
    /// The rigid-body side cannot take a body.
    #[error("body '{body}': {problem}")]
    Rigid {
        /// The body.
        body: String,
        /// What is wrong with it.
        problem: RigidProblem,
    },
    /// There is no such body, or no longer.
    #[error("there is no body number {0}; it may have been removed or broken")]
    NoBody(BodyId),
    /// A body without a fracture method was asked to break.
    #[error("body '{0}' has no fracture method, so it cannot break")]
    Unbreakable(String),
    /// The fracture method failed.
    #[error("body '{body}' did not break: {source}")]
    Fracture {
        /// The body.
        body: String,
        /// What the method says.
        source: FractureError,
    },
    /// A time step that is no number, or so long or short that single precision loses the motion.
    #[error("a time step of {0:e} s was asked for; it must be from 1e-6 to 0.1 s")]
    TimeStep(f64),
    /// A motion that is not finite was asked for.
    #[error("the {0} that was asked for is not a finite number that single precision can hold")]
    NonFinite(&'static str),
    /// Numbers left the range in which motion means something.
    #[error(
        "body '{body}' flew apart in step {step}: its position is no longer finite; use a smaller time step, or smaller forces"
    )]
    Diverged {
        /// The body.
        body: String,
        /// The step, counted from one.
        step: u64,
    },
}

impl World {
    /// A world without bodies.
    pub fn new(options: &WorldOptions) -> World {
        World {
            bodies: Vec::new(),
            rigid: RigidBodies::new(options.gravity, &options.rigid),
            events: Vec::new(),
            statistics: StepStatistics::default(),
            time: 0.0,
            steps: 0,
            population: Population::default(),
            diverged: None,
            fragments: 0,
            triangles: 0,
            fracture_time: std::time::Duration::ZERO,
        }
    }

    /// Adds a body and gives it the next number.
    ///
    /// # Errors
    /// A pair of representations without a narrow phase, a shape without a volume, numbers that are not finite.
    pub fn add(&mut self, description: BodyDescription) -> Result<BodyId, WorldError> {
        self.add_part(description, None)
    }

    fn add_part(&mut self, description: BodyDescription, parent: Option<BodyId>) -> Result<BodyId, WorldError> {
        check_pairs(&self.population, &description)?;
        let built = self.build(&description)?;
        Ok(self.insert(description, built, parent))
    }

    fn build(&self, description: &BodyDescription) -> Result<BuiltBody, WorldError> {
        self.rigid.build(description).map_err(|problem| WorldError::Rigid { body: description.name.clone(), problem })
    }

    fn insert(&mut self, description: BodyDescription, built: BuiltBody, parent: Option<BodyId>) -> BodyId {
        let id = BodyId(self.bodies.len() as u32);
        let handle = self.rigid.insert(id, built);
        self.population[description.representation.kind() as usize][description.motion as usize] += 1;
        self.fragments += usize::from(parent.is_some());
        self.triangles += description.mesh.triangles.len();
        let body = Body::new(description, handle, parent);
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
        self.rigid.remove(body.handle);
        self.population[body.representation().kind() as usize][body.motion() as usize] -= 1;
        self.fragments -= usize::from(body.parent().is_some());
        self.triangles -= body.mesh().triangles.len();
        Ok(body)
    }

    /// Breaks a body at a point. The pieces take its place and carry its motion on: linear and angular momentum stay
    /// what they were.
    ///
    /// # Errors
    /// If there is no such body, if it has no fracture method, or if the method fails; the body is then as it was.
    pub fn fracture(&mut self, id: BodyId, impact: &Impact) -> Result<Vec<BodyId>, WorldError> {
        let clock = std::time::Instant::now();
        let body = self.body(id).ok_or(WorldError::NoBody(id))?;
        let method = body.fracture().ok_or_else(|| WorldError::Unbreakable(body.name().to_owned()))?;
        let pose = self.rigid.pose(body.handle);
        let to_body = pose.inverse();
        let local = Impact {
            point: to_body.transform_point(impact.point),
            direction: to_body.transform_vector(impact.direction),
            ..*impact
        };
        let pieces =
            method.fracture(&local).map_err(|source| WorldError::Fracture { body: body.name().to_owned(), source })?;
        let descriptions: Vec<BodyDescription> = pieces
            .into_iter()
            .enumerate()
            .map(|(number, piece)| self.describe_piece(body, &pose, number, piece))
            .collect();
        // Everything that can fail comes before the whole is taken out: the pieces meet each other and the rest, but
        // no longer the whole.
        let mut population = self.population;
        population[body.representation().kind() as usize][body.motion() as usize] -= 1;
        let mut built = Vec::with_capacity(descriptions.len());
        for description in &descriptions {
            check_pairs(&population, description)?;
            population[description.representation.kind() as usize][description.motion as usize] += 1;
            built.push(self.build(description)?);
        }
        self.take(id)?;
        let pieces: Vec<BodyId> = descriptions
            .into_iter()
            .zip(built)
            .map(|(description, built)| self.insert(description, built, Some(id)))
            .collect();
        self.events.push(Event::Broke { body: id, pieces: pieces.clone() });
        self.fracture_time += clock.elapsed();
        Ok(pieces)
    }

    /// A piece as a body: where the whole was, moving as its material moved.
    fn describe_piece(&self, whole: &Body, pose: &Pose, number: usize, piece: Piece) -> BodyDescription {
        let velocity = self.rigid.velocity(whole.handle);
        let pose = *pose * piece.pose;
        let mut description = BodyDescription {
            name: format!("{}.{number}", whole.name()),
            mesh: piece.mesh,
            representation: piece.representation,
            material: whole.material().clone(),
            pose,
            velocity: Velocity::default(),
            motion: piece.motion,
            mass: piece.mass,
            fracture: piece.fracture,
        };
        if description.motion == Motion::Dynamic {
            let center = pose.transform_point(description.mass_properties().centroid);
            let arm = center - self.rigid.center_of_mass(whole.handle);
            description.velocity =
                Velocity { linear: velocity.linear + velocity.angular.cross(arm), angular: velocity.angular };
        }
        description
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
        Some(self.rigid.pose(self.body(id)?.handle))
    }

    /// How a body moves.
    pub fn velocity(&self, id: BodyId) -> Option<Velocity> {
        Some(self.rigid.velocity(self.body(id)?.handle))
    }

    /// Sets how a body moves.
    ///
    /// # Errors
    /// If there is no such body, or a number is not finite.
    pub fn set_velocity(&mut self, id: BodyId, velocity: Velocity) -> Result<(), WorldError> {
        let handle = self.body(id).ok_or(WorldError::NoBody(id))?.handle;
        if ![velocity.linear, velocity.angular].iter().all(|vector| vector.as_vec3().is_finite()) {
            return Err(WorldError::NonFinite("velocity"));
        }
        self.rigid.set_velocity(handle, velocity);
        Ok(())
    }

    /// Pushes a body at a point of the world, by an impulse in N s.
    ///
    /// # Errors
    /// If there is no such body, or a number is not finite.
    pub fn apply_impulse(&mut self, id: BodyId, impulse: DVec3, point: DVec3) -> Result<(), WorldError> {
        let handle = self.body(id).ok_or(WorldError::NoBody(id))?.handle;
        if ![impulse, point].iter().all(|vector| vector.as_vec3().is_finite()) {
            return Err(WorldError::NonFinite("impulse"));
        }
        self.rigid.apply_impulse(handle, impulse, point);
        Ok(())
    }

    /// Whether a body rests, and is not simulated until something wakes it.
    pub fn is_sleeping(&self, id: BodyId) -> Option<bool> {
        Some(self.rigid.is_sleeping(self.body(id)?.handle))
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
        self.rigid.contacts()
    }

    /// A hash of every body's number, pose and velocity. Equal for equal runs, whatever the number of threads.
    pub fn hash(&self) -> u64 {
        let mut hash = StateHash::new();
        for (id, body) in self.bodies() {
            hash.write(id.0);
            self.rigid.hash(body.handle, &mut hash);
        }
        hash.finish()
    }
}

/// Every pair that can meet must have a narrow phase: a pair that the table lacks is an error now, not a body that falls
/// through the floor later.
fn check_pairs(population: &Population, description: &BodyDescription) -> Result<(), WorldError> {
    let kind = description.representation.kind();
    for other in RepresentationKind::ALL {
        let [moving, fixed] =
            [Motion::Dynamic, Motion::Fixed].map(|motion| population[other as usize][motion as usize]);
        let can_meet = moving > 0 || fixed > 0 && description.motion == Motion::Dynamic;
        if can_meet && narrow_phase(kind, other).is_none() {
            return Err(WorldError::NoNarrowPhase { body: description.name.clone(), kind, other });
        }
    }
    Ok(())
}
