//! Bodies and what describes them.

use std::fmt;
use std::sync::Arc;

use glam::DVec3;

use super::{Fracture, Representation};
use crate::dynamics::RigidHandle;
use crate::geometry::{MassProperties, Pose, TriMesh};

/// The number of a body, in the order in which bodies were added. A number is never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId(pub u32);

impl fmt::Display for BodyId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Whether a body moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    /// It falls, is pushed, and pushes.
    #[default]
    Dynamic,
    /// It stays where it is.
    Fixed,
}

/// Linear velocity of the centre of mass and angular velocity, in m/s and rad/s, in the world's axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Velocity {
    /// Of the centre of mass.
    pub linear: DVec3,
    /// About the centre of mass.
    pub angular: DVec3,
}

/// What a body is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// kg/m³.
    pub density: f64,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// The share of the approach speed that a bounce gives back.
    pub restitution: f64,
    /// Red, green and blue from 0 to 1 (sRGB); chosen by the body's number where there is none.
    pub color: Option<[f32; 3]>,
}

impl Default for Material {
    /// Something like fired clay.
    fn default() -> Material {
        Material { density: 2000.0, friction: 0.6, restitution: 0.1, color: None }
    }
}

/// Everything needed to add a body. Start from [`BodyDescription::new`] and change what differs.
#[derive(Clone)]
pub struct BodyDescription {
    /// For people, logs and scene files; need not be unique.
    pub name: String,
    /// What is seen of it, in the body's own coordinates.
    pub mesh: Arc<TriMesh>,
    /// How others collide with it.
    pub representation: Representation,
    /// What it is made of.
    pub material: Material,
    /// Where it starts.
    pub pose: Pose,
    /// How it starts to move.
    pub velocity: Velocity,
    /// Whether it moves at all.
    pub motion: Motion,
    /// Volume, centroid and inertia at density one, if they are not those of the representation.
    pub mass: Option<MassProperties>,
    /// How it breaks, if it can.
    pub fracture: Option<Arc<dyn Fracture>>,
}

impl BodyDescription {
    /// A moving body of the default material at the origin.
    pub fn new(name: impl Into<String>, mesh: impl Into<Arc<TriMesh>>, representation: Representation) -> Self {
        BodyDescription {
            name: name.into(),
            mesh: mesh.into(),
            representation,
            material: Material::default(),
            pose: Pose::IDENTITY,
            velocity: Velocity::default(),
            motion: Motion::Dynamic,
            mass: None,
            fracture: None,
        }
    }

    /// Volume, centroid and inertia at density one.
    pub fn mass_properties(&self) -> MassProperties {
        self.mass.unwrap_or_else(|| self.representation.mass_properties())
    }
}

/// A body in a world.
pub struct Body {
    name: String,
    mesh: Arc<TriMesh>,
    representation: Representation,
    material: Material,
    motion: Motion,
    mass: MassProperties,
    fracture: Option<Arc<dyn Fracture>>,
    parent: Option<super::BodyId>,
    pub(super) handle: RigidHandle,
}

impl Body {
    pub(super) fn new(description: BodyDescription, handle: RigidHandle, parent: Option<super::BodyId>) -> Body {
        Body {
            mass: description.mass_properties(),
            name: description.name,
            mesh: description.mesh,
            representation: description.representation,
            material: description.material,
            motion: description.motion,
            fracture: description.fracture,
            parent,
            handle,
        }
    }

    /// For people, logs and scene files.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is seen of it, in the body's own coordinates.
    pub fn mesh(&self) -> &Arc<TriMesh> {
        &self.mesh
    }

    /// How others collide with it.
    pub fn representation(&self) -> &Representation {
        &self.representation
    }

    /// What it is made of.
    pub fn material(&self) -> &Material {
        &self.material
    }

    /// Whether it moves.
    pub fn motion(&self) -> Motion {
        self.motion
    }

    /// Its mass, in kg.
    pub fn mass(&self) -> f64 {
        self.mass.volume * self.material.density
    }

    /// Volume, centroid and inertia at density one.
    pub fn mass_properties(&self) -> &MassProperties {
        &self.mass
    }

    /// How it breaks, if it can.
    pub fn fracture(&self) -> Option<&Arc<dyn Fracture>> {
        self.fracture.as_ref()
    }

    /// The body that it is a piece of.
    pub fn parent(&self) -> Option<super::BodyId> {
        self.parent
    }
}
