//! The shape of a scene file, version 1. README.md in the scenes folder explains it to people.

use std::path::PathBuf;

use serde::Deserialize;
use toml::Spanned;

use super::shape::Shape;

/// A whole scene file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SceneFile {
    pub(super) version: Spanned<u32>,
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) description: String,
    pub(super) time_step: Option<Spanned<f64>>,
    pub(super) steps_per_frame: Option<Spanned<u32>>,
    pub(super) frames: Option<Spanned<u32>>,
    pub(super) gravity: Option<Spanned<[f64; 3]>>,
    pub(super) ground: Option<GroundFile>,
    #[serde(default)]
    pub(super) wall: Vec<WallFile>,
    pub(super) camera: Option<CameraFile>,
    #[serde(default)]
    pub(super) method: MethodFile,
    #[serde(default)]
    pub(super) material: Vec<MaterialFile>,
    #[serde(default)]
    pub(super) body: Vec<Spanned<BodyFile>>,
    #[serde(default)]
    pub(super) event: Vec<Spanned<EventFile>>,
}

/// `[ground]`: a level floor.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GroundFile {
    #[serde(default)]
    pub(super) height: f64,
    pub(super) material: Option<Spanned<String>>,
}

/// `[[wall]]`: a plane that nothing passes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WallFile {
    pub(super) point: [f64; 3],
    pub(super) normal: Spanned<[f64; 3]>,
    pub(super) material: Option<Spanned<String>>,
}

/// `[camera]`: where to look from.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CameraFile {
    pub(super) eye: Spanned<[f64; 3]>,
    pub(super) target: [f64; 3],
    pub(super) up: Option<[f64; 3]>,
    pub(super) field_of_view: Option<Spanned<f64>>,
}

/// `[method]`: the parameters of each method, in a table of the method's name.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MethodFile {
    #[serde(default)]
    pub(super) rigid: RigidFile,
}

/// `[method.rigid]`.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RigidFile {
    pub(super) solver_iterations: Option<Spanned<u32>>,
    pub(super) continuous: Option<bool>,
    pub(super) sleeping: Option<bool>,
    pub(super) length_unit: Option<Spanned<f64>>,
}

/// `[[material]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MaterialFile {
    pub(super) name: Spanned<String>,
    pub(super) density: Option<Spanned<f64>>,
    pub(super) friction: Option<Spanned<f64>>,
    pub(super) restitution: Option<Spanned<f64>>,
    pub(super) color: Option<Spanned<[f32; 3]>>,
}

/// `[[body]]`, and what an event drops or throws.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BodyFile {
    pub(super) name: String,
    pub(super) shape: Option<Spanned<Shape>>,
    pub(super) mesh: Option<Spanned<PathBuf>>,
    /// The longest side of the shape's box, in metres; the shape is scaled to it.
    pub(super) size: Option<Spanned<f64>>,
    pub(super) material: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) representation: Option<Spanned<RepresentationFile>>,
    #[serde(default)]
    pub(super) fixed: bool,
    #[serde(default)]
    pub(super) position: [f64; 3],
    /// Degrees about x, then y, then z.
    #[serde(default)]
    pub(super) rotation: [f64; 3],
    #[serde(default)]
    pub(super) velocity: [f64; 3],
    #[serde(default)]
    pub(super) angular_velocity: [f64; 3],
    pub(super) copies: Option<Spanned<CopiesFile>>,
}

/// How a body collides.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RepresentationFile {
    Ball,
    Box,
    Hull,
    Surface,
}

/// `copies`: the body many times, in rows.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CopiesFile {
    pub(super) count: [u32; 3],
    pub(super) spacing: [f64; 3],
    /// How far each copy is moved at random to each side, in metres.
    #[serde(default)]
    pub(super) jitter: f64,
    /// How far each copy is turned at random about each axis, in degrees.
    #[serde(default)]
    pub(super) turn: f64,
    #[serde(default)]
    pub(super) seed: u32,
}

/// `[[event]]`: a time and exactly one thing that happens.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventFile {
    pub(super) at: Spanned<f64>,
    pub(super) drop: Option<Spanned<BodyFile>>,
    pub(super) throw: Option<Spanned<BodyFile>>,
    pub(super) fracture: Option<FractureFile>,
}

/// `fracture`: a body, and where it is hit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FractureFile {
    pub(super) body: Spanned<String>,
    pub(super) point: Spanned<[f64; 3]>,
    #[serde(default)]
    pub(super) direction: [f64; 3],
    pub(super) radius: Option<Spanned<f64>>,
    #[serde(default)]
    pub(super) seed: u64,
}
