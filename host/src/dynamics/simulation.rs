//! All bodies of a world, each moved by the system that its representation asks for.

use glam::DVec3;

use super::voxels::VoxelBodies;
use super::{
    Blow, BuiltBody, RigidBodies, RigidChange, RigidHandle, RigidOptions, RigidProblem, RigidStep, ShapeCache,
};
use crate::device::SharedBackend;
use crate::geometry::{MassProperties, Pose};
use crate::hash::StateHash;
use crate::svo::{VoxelBody, VoxelWorldOptions};
use crate::world::{BodyContact, BodyDescription, BodyId, Representation, Velocity};

/// Rigid bodies by Rapier, and bodies of voxels by their own penalty forces. The two do not meet: the narrow-phase table
/// refuses a world with both, except for half-spaces, which both know.
pub struct Simulation {
    rigid: RigidBodies,
    voxels: VoxelBodies,
}

/// A body as one of the systems will take it: checked, but not yet among the others.
pub enum Built {
    /// By Rapier.
    Rigid(Box<BuiltBody>),
    /// As voxels.
    Voxels(Box<VoxelBody>),
}

/// How a system knows a body.
pub enum Handle {
    /// Rapier's.
    Rigid(RigidHandle),
    /// The number of a body of voxels.
    Voxels(u32),
}

impl Handle {
    /// How many of its parts others can collide with.
    pub fn collider_count(&self) -> usize {
        match self {
            Handle::Rigid(handle) => handle.collider_count(),
            Handle::Voxels(_) => 1,
        }
    }
}

impl Simulation {
    /// No bodies yet; shapes that the cache has need not be made again.
    pub fn new(gravity: DVec3, rigid: &RigidOptions, voxels: &VoxelWorldOptions, shapes: ShapeCache) -> Simulation {
        Simulation { rigid: RigidBodies::new(gravity, rigid, shapes), voxels: VoxelBodies::new(gravity, voxels) }
    }

    /// Looks for contacts between voxels on a backend, or on the CPU.
    pub fn set_backend(&mut self, backend: Option<SharedBackend>) {
        self.voxels.set_backend(backend);
    }

    /// Makes what is needed to simulate a body, without adding it.
    ///
    /// # Errors
    /// What stands against it.
    pub fn build(&self, description: &BodyDescription) -> Result<Built, RigidProblem> {
        match &description.representation {
            Representation::Voxels(voxels) => Ok(Built::Voxels(Box::new(VoxelBodies::build(description, voxels)?))),
            _ => self.rigid.build(description).map(|built| Built::Rigid(Box::new(built))),
        }
    }

    /// As [`Simulation::build`], for a body whose shapes nobody else will have.
    ///
    /// # Errors
    /// What stands against it.
    pub fn build_piece(&self, description: &BodyDescription) -> Result<Built, RigidProblem> {
        match &description.representation {
            Representation::Voxels(_) => self.build(description),
            _ => self.rigid.build_piece(description).map(|built| Built::Rigid(Box::new(built))),
        }
    }

    /// Makes a small piece that rolls as a ball, and its radius.
    ///
    /// # Errors
    /// What stands against it; voxels meet no balls.
    pub fn build_debris(
        &self,
        description: &BodyDescription,
        mass: &MassProperties,
        angular_damping: f64,
    ) -> Result<(Built, f64), RigidProblem> {
        if matches!(description.representation, Representation::Voxels(_)) {
            return Err(RigidProblem::Empty);
        }
        let (built, radius) = self.rigid.build_debris(description, mass, angular_damping)?;
        Ok((Built::Rigid(Box::new(built)), radius))
    }

    /// Adds a body that was built, perhaps as a piece of another. Of fragile bodies [`Simulation::blows`] tells who was hit.
    pub fn insert(&mut self, id: BodyId, built: Built, is_fragile: bool, parent: Option<BodyId>) -> Handle {
        match built {
            Built::Rigid(built) => {
                if let Some(normal) = built.plane {
                    self.voxels.add_plane(id, &built.pose, normal);
                }
                Handle::Rigid(self.rigid.insert(id, *built, is_fragile))
            }
            Built::Voxels(body) => Handle::Voxels(self.voxels.insert(id, *body, is_fragile, parent)),
        }
    }

    /// Takes a body out; what touched it wakes up.
    pub fn remove(&mut self, id: BodyId, handle: &Handle) {
        match handle {
            Handle::Rigid(handle) => {
                self.voxels.remove_plane(id);
                self.rigid.remove(handle);
            }
            Handle::Voxels(number) => self.voxels.remove(*number),
        }
    }

    /// Gives a body other parts.
    ///
    /// # Errors
    /// If what is left cannot be simulated. Voxels have no parts.
    pub fn change(&mut self, handle: &mut Handle, change: &RigidChange<'_>) -> Result<usize, RigidProblem> {
        match handle {
            Handle::Rigid(handle) => self.rigid.change(handle, change),
            Handle::Voxels(_) => Err(RigidProblem::Empty),
        }
    }

    /// Where a body is.
    pub fn pose(&self, handle: &Handle) -> Pose {
        match handle {
            Handle::Rigid(handle) => self.rigid.pose(handle),
            Handle::Voxels(number) => self.voxels.pose(*number),
        }
    }

    /// How a body moves.
    pub fn velocity(&self, handle: &Handle) -> Velocity {
        match handle {
            Handle::Rigid(handle) => self.rigid.velocity(handle),
            Handle::Voxels(number) => self.voxels.velocity(*number),
        }
    }

    /// How a body moved before the last step, if that step looked for blows.
    pub fn velocity_before(&self, handle: &Handle) -> Velocity {
        match handle {
            Handle::Rigid(handle) => self.rigid.velocity_before(handle),
            Handle::Voxels(number) => self.voxels.velocity_before(*number),
        }
    }

    /// Sets how a body moves, and wakes it; one that is fixed stays where it is.
    pub fn set_velocity(&mut self, handle: &Handle, velocity: Velocity) {
        match handle {
            Handle::Rigid(handle) => self.rigid.set_velocity(handle, velocity),
            Handle::Voxels(number) => self.voxels.set_velocity(*number, velocity),
        }
    }

    /// Pushes a body at a point of the world, and wakes it; one that is fixed stays where it is.
    pub fn apply_impulse(&mut self, handle: &Handle, impulse: DVec3, point: DVec3) {
        match handle {
            Handle::Rigid(handle) => self.rigid.apply_impulse(handle, impulse, point),
            Handle::Voxels(number) => self.voxels.apply_impulse(*number, impulse, point),
        }
    }

    /// Whether a body rests and is not simulated until something wakes it.
    pub fn is_sleeping(&self, handle: &Handle) -> bool {
        match handle {
            Handle::Rigid(handle) => self.rigid.is_sleeping(handle),
            Handle::Voxels(number) => self.voxels.is_sleeping(*number),
        }
    }

    /// Takes a body's state into a hash.
    pub fn hash(&self, handle: &Handle, hash: &mut StateHash) {
        match handle {
            Handle::Rigid(handle) => self.rigid.hash(handle, hash),
            Handle::Voxels(number) => self.voxels.hash(*number, hash),
        }
    }

    /// Moves the bodies on. With `watch`, [`Simulation::blows`] can say afterwards who was hit.
    pub fn step(&mut self, time_step: f64, watch: bool) -> RigidStep {
        let mut outcome = self.rigid.step(time_step, watch);
        let voxels = self.voxels.step(time_step, watch);
        outcome.times += voxels.times;
        outcome.contacts += voxels.contacts;
        outcome.colliding_points += voxels.colliding_points;
        outcome.touched.extend(voxels.touched);
        outcome.touched.sort_unstable();
        outcome.failure = voxels.failure;
        outcome.diverged = outcome.diverged.into_iter().chain(voxels.diverged).min();
        outcome
    }

    /// All contacts of the last step, ordered by body numbers.
    pub fn contacts(&self) -> Vec<BodyContact> {
        let mut contacts = self.rigid.contacts();
        contacts.extend(self.voxels.contacts());
        contacts.sort_by_key(|contact| contact.bodies);
        contacts
    }

    /// The hardest blow that each fragile body had in the last step, in the order of the bodies' numbers.
    pub fn blows(&self) -> Vec<Blow> {
        let mut blows = self.rigid.blows();
        blows.extend(self.voxels.blows());
        blows.sort_by_key(|blow| blow.body);
        blows
    }
}
