//! The seam between a world and the systems that break bodies.

use std::sync::Arc;

use glam::DVec3;
use thiserror::Error;

use super::{LazyMesh, Looks, Motion, Representation, RepresentationKind};
use crate::device::SharedBackend;
use crate::geometry::{Convex, MassProperties, Pose};
use crate::pattern::ImpactPattern;

/// A way of breaking a body. Each fracture system implements it for its kind of body.
///
/// The method knows the body's parts by the keys that the [`Representation`] and the [`Looks`] give them. An impact
/// costs time in proportion to what it breaks if the method answers with [`Rest::Changed`]: what it does not mention
/// is not looked at.
///
/// A method must be a function of the body and the impact alone, so that runs can be repeated: whatever is random in it
/// is drawn from the impact's seed.
pub trait Fracture: Send + Sync {
    /// How the pieces will be represented. It is checked against the narrow-phase table when the body is added, so that
    /// nothing can be refused when it breaks.
    fn piece_kind(&self) -> RepresentationKind;

    /// A copy for another body.
    fn duplicate(&self) -> Box<dyn Fracture>;

    /// A copy that breaks by another pattern.
    ///
    /// # Errors
    /// Why it cannot. A method may have no use for patterns.
    fn by_pattern(&self, _pattern: &ImpactPattern) -> Result<Box<dyn Fracture>, FractureError> {
        Err(FractureError::Method("its breaks do not follow a pattern".into()))
    }

    /// What an impact does to the body, all in the body's coordinates, as the impact is.
    ///
    /// # Errors
    /// Why it cannot break there; nothing has changed then.
    fn fracture(&mut self, impact: &Impact) -> Result<Fractured, FractureError>;

    /// The same on a backend. Methods that have nothing for it to do leave it aside.
    ///
    /// # Errors
    /// As [`Fracture::fracture`], and if the backend fails.
    fn fracture_on(&mut self, _backend: &SharedBackend, impact: &Impact) -> Result<Fractured, FractureError> {
        self.fracture(impact)
    }
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
    /// How fast what hit came on along the direction, in m/s; zero where nobody knows.
    pub speed: f64,
    /// How hard it hit, in N s; zero where nobody knows.
    pub impulse: f64,
    /// How fast the farthest piece flies off from the middle of all pieces, in m/s, others in proportion to their
    /// distance: a burst, which changes neither momentum nor angular momentum.
    pub burst: f64,
}

impl Impact {
    /// A blow without direction that damages the whole body.
    pub fn at(point: DVec3) -> Impact {
        Impact { point, direction: DVec3::ZERO, radius: None, seed: 0, speed: 0.0, impulse: 0.0, burst: 0.0 }
    }

    /// Whether the numbers mean something.
    ///
    /// # Errors
    /// The number that does not.
    pub fn check(&self) -> Result<(), FractureError> {
        let usable = [
            ("point", self.point.is_finite()),
            ("direction", self.direction.is_finite()),
            ("radius", self.radius.is_none_or(|radius| radius > 0.0 && radius.is_finite())),
            ("speed", self.speed.is_finite()),
            ("impulse", self.impulse.is_finite()),
            ("burst", self.burst.is_finite()),
        ];
        usable.iter().find(|(_, usable)| !usable).map_or(Ok(()), |(what, _)| Err(FractureError::BadImpact(what)))
    }
}

/// What an impact did to a body.
#[derive(Default)]
pub struct Fractured {
    /// What came off.
    pub pieces: Vec<Piece>,
    /// What became of the body itself.
    pub rest: Rest,
    /// The surface that the break laid open.
    pub exposed: ExposedFaces,
    /// What is in neither the pieces nor the rest, in m³.
    pub lost_volume: f64,
}

/// What becomes of a body that broke.
#[derive(Default)]
pub enum Rest {
    /// Everything is in the pieces.
    #[default]
    Gone,
    /// The body lives on with other parts.
    Changed(Change),
}

/// How a body that lives on has changed.
#[derive(Default)]
pub struct Change {
    /// The keys of the parts that are no longer there as they were.
    pub removed: Vec<u32>,
    /// Parts that are there now. A key that was removed may come back, with another look for example.
    pub added: Vec<BodyPart>,
    /// Whether the rest moves: it no longer does stay where it is if its last anchor broke off.
    pub motion: Motion,
    /// Volume, centroid and inertia at density one of what is left. Without them they are summed up over all parts
    /// of a rest that moves, which takes time in proportion to the rest; one that stays fixed keeps those it had.
    pub mass: Option<MassProperties>,
}

/// A part of a body.
#[derive(Clone, Debug)]
pub struct BodyPart {
    /// What the part is called in this body.
    pub key: u32,
    /// How others collide with it; with nothing if there is none.
    pub convex: Option<Arc<Convex>>,
    /// What is seen of it.
    pub look: Option<LazyMesh>,
}

/// Polygons of surface that a break laid open, in the coordinates of the body that broke: where dust comes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExposedFaces {
    /// The corners of all polygons, one polygon after the other.
    pub points: Vec<DVec3>,
    /// Where in `points` each polygon ends.
    pub ends: Vec<u32>,
    /// The unit normal of each polygon, pointing out of the matter.
    pub normals: Vec<DVec3>,
}

impl ExposedFaces {
    /// Adds a polygon.
    pub fn push(&mut self, corners: impl IntoIterator<Item = DVec3>, normal: DVec3) {
        self.points.extend(corners);
        self.ends.push(self.points.len() as u32);
        self.normals.push(normal);
    }

    /// The corners and the normal of each polygon.
    pub fn faces(&self) -> impl Iterator<Item = (&[DVec3], DVec3)> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let ranges = starts.zip(&self.ends).map(|(start, &end)| start as usize..end as usize);
        ranges.zip(&self.normals).filter_map(|(range, &normal)| Some((self.points.get(range)?, normal)))
    }

    /// Whether nothing was laid open.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// A piece of a body that broke.
pub struct Piece {
    /// What is seen of it, in the piece's own coordinates.
    pub looks: Looks,
    /// How others collide with it.
    pub representation: Representation,
    /// Where the piece's coordinates are in those of the body that broke.
    pub pose: Pose,
    /// Whether it moves; a piece that is still held by an anchor does not.
    pub motion: Motion,
    /// Volume, centroid and inertia at density one, if they are not those of the representation.
    pub mass: Option<MassProperties>,
    /// How it breaks again, if it can.
    pub fracture: Option<Box<dyn Fracture>>,
    /// The longest side of its box, in metres; small pieces become [debris](super::DebrisOptions).
    pub size: f64,
}

/// Why a body did not break.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FractureError {
    /// The impact has a number that is not finite, or a radius that is not positive.
    #[error("the impact's {0} is not a usable number")]
    BadImpact(&'static str),
    /// The impact misses the body, or leaves all of it in one piece.
    #[error("the impact breaks nothing off")]
    Unbroken,
    /// The method cannot break this body; the text says why and what to do.
    #[error("{0}")]
    Method(String),
}
