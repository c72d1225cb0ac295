//! Bodies and what describes them.

use std::fmt;
use std::sync::Arc;

use glam::DVec3;

use super::population::Forms;
use super::{Fracture, FractureTrigger, LazyMesh, Looks, Representation};
use crate::dynamics::Handle;
use crate::geometry::{MassProperties, Pose};

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
    pub looks: Looks,
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
    /// How it breaks, if it can. Each body that is added gets a copy of its own.
    pub fracture: Option<Arc<dyn Fracture>>,
    /// What makes it break by itself; without, it breaks only when it is told to.
    pub trigger: Option<FractureTrigger>,
}

impl BodyDescription {
    /// A moving body of the default material at the origin, seen as one mesh.
    pub fn new(name: impl Into<String>, mesh: impl Into<LazyMesh>, representation: Representation) -> Self {
        BodyDescription {
            name: name.into(),
            looks: Looks::from([(0, mesh.into())]),
            representation,
            material: Material::default(),
            pose: Pose::IDENTITY,
            velocity: Velocity::default(),
            motion: Motion::Dynamic,
            mass: None,
            fracture: None,
            trigger: None,
        }
    }

    /// Volume, centroid and inertia at density one.
    pub fn mass_properties(&self) -> MassProperties {
        self.mass.unwrap_or_else(|| self.representation.mass_properties())
    }
}

/// A body in a world.
pub struct Body {
    pub(super) name: String,
    pub(super) looks: Looks,
    pub(super) representation: Representation,
    pub(super) material: Material,
    pub(super) motion: Motion,
    pub(super) mass: MassProperties,
    pub(super) fracture: Option<Box<dyn Fracture>>,
    pub(super) trigger: Option<FractureTrigger>,
    pub(super) parent: Option<BodyId>,
    pub(super) is_debris: bool,
    /// How many breaks lie between it and a body that was added.
    pub(super) depth: u32,
    /// How many pieces came off it, so that their names differ.
    pub(super) pieces: usize,
    /// When it last broke, or the body that it is a piece of did.
    pub(super) broke_at: f64,
    /// Raised whenever the looks change.
    pub(super) look_version: u32,
    pub(super) triangles: usize,
    pub(super) handle: Handle,
}

impl Body {
    /// What it is and can become.
    pub(super) fn forms(&self) -> Forms {
        let pieces = self.fracture.as_ref().map(|fracture| fracture.piece_kind());
        Forms::new(self.representation.kind(), self.motion, pieces)
    }

    /// For people, logs and scene files.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is seen of it, in the body's own coordinates.
    pub fn looks(&self) -> &Looks {
        &self.looks
    }

    /// How often the looks have changed since the body was added.
    pub fn look_version(&self) -> u32 {
        self.look_version
    }

    /// How many triangles all looks have.
    pub fn triangle_count(&self) -> usize {
        self.triangles
    }

    /// How others collide with it. Debris collides as a ball around its centre of mass, wherever its origin is.
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

    /// Whether it can break.
    pub fn is_breakable(&self) -> bool {
        self.fracture.is_some()
    }

    /// What makes it break by itself.
    pub fn trigger(&self) -> Option<&FractureTrigger> {
        self.trigger.as_ref()
    }

    /// The body that it is a piece of.
    pub fn parent(&self) -> Option<BodyId> {
        self.parent
    }

    /// How many breaks lie between it and a body that was added: 0 for that body, 1 for its pieces.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Whether it is a small piece that only rolls about for a while.
    pub fn is_debris(&self) -> bool {
        self.is_debris
    }

    /// How many of its parts others can collide with; parts that are too flat or too small for that do not count.
    pub fn collider_count(&self) -> usize {
        self.handle.collider_count()
    }
}
