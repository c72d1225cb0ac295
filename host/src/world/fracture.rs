//! The seam between a world and the systems that break bodies.

use std::sync::Arc;

use glam::DVec3;
use thiserror::Error;

use super::{Motion, Representation};
use crate::geometry::{MassProperties, Pose, TriMesh};

/// A way of breaking a body. Each fracture system implements it for its kind of body.
///
/// A method must be a function of the body and the impact alone, so that runs can be repeated: whatever is random in it
/// is drawn from the impact's seed.
pub trait Fracture: Send + Sync {
    /// The pieces that an impact breaks the body into, all in the body's coordinates, as the impact is.
    ///
    /// # Errors
    /// Why it cannot break there.
    fn fracture(&self, impact: &Impact) -> Result<Vec<Piece>, FractureError>;
}

/// Where and how hard a body is hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// Where; in the world's coordinates for [`World::fracture`](super::World::fracture), in the body's for a method.
    pub point: DVec3,
    /// The direction of the blow, or zero.
    pub direction: DVec3,
    /// How far the damage reaches; everywhere if there is none.
    pub radius: Option<f64>,
    /// What the random part of a pattern is drawn from.
    pub seed: u64,
}

impl Impact {
    /// A blow without direction that damages the whole body.
    pub fn at(point: DVec3) -> Impact {
        Impact { point, direction: DVec3::ZERO, radius: None, seed: 0 }
    }
}

/// A piece of a body that broke.
pub struct Piece {
    /// What is seen of it, in the piece's own coordinates.
    pub mesh: Arc<TriMesh>,
    /// How others collide with it.
    pub representation: Representation,
    /// Where the piece's coordinates are in those of the body that broke.
    pub pose: Pose,
    /// Whether it moves; a piece that is still held by an anchor does not.
    pub motion: Motion,
    /// Volume, centroid and inertia at density one, if they are not those of the representation.
    pub mass: Option<MassProperties>,
    /// How it breaks again, if it can.
    pub fracture: Option<Arc<dyn Fracture>>,
}

/// Why a body did not break.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FractureError {
    /// The impact has a number that is not finite, or a radius that is not positive.
    #[error("the impact's {0} is not a usable number")]
    BadImpact(&'static str),
    /// The method cannot break this body; the text says why and what to do.
    #[error("{0}")]
    Method(String),
}

/// The polygons that a break laid open, in the body's coordinates: where dust and debris come from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExposedFaces {
    /// The corners of all polygons, one polygon after another.
    pub points: Vec<DVec3>,
    /// Where each polygon ends in `points`.
    pub ends: Vec<u32>,
    /// The outer unit normal of each polygon.
    pub normals: Vec<DVec3>,
}
