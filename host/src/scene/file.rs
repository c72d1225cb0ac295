//! The shape of a scene file, version 1. README.md in the scenes folder explains it to people.

use std::path::PathBuf;

use serde::{Deserialize, Deserializer};
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
    pub(super) gravity: Option<Spanned<Three<f64>>>,
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
    pub(super) height: Option<Spanned<f64>>,
    pub(super) material: Option<Spanned<String>>,
}

/// `[[wall]]`: a plane that nothing passes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WallFile {
    pub(super) point: Three<f64>,
    pub(super) normal: Spanned<Three<f64>>,
    pub(super) material: Option<Spanned<String>>,
}

/// `[camera]`: where to look from.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CameraFile {
    pub(super) eye: Spanned<Three<f64>>,
    pub(super) target: Three<f64>,
    pub(super) up: Option<Three<f64>>,
    pub(super) field_of_view: Option<Spanned<f64>>,
}

/// `[method]`: the parameters of each method, in a table of the method's name.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MethodFile {
    #[serde(default)]
    pub(super) rigid: RigidFile,
    #[serde(default)]
    pub(super) debris: DebrisFile,
}

/// `[method.debris]`: what becomes of small pieces.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DebrisFile {
    pub(super) smallest: Option<Spanned<f64>>,
    pub(super) budget: Option<u32>,
    pub(super) lifetime: Option<Spanned<f64>>,
    pub(super) angular_damping: Option<Spanned<f64>>,
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
    pub(super) color: Option<Spanned<Three<f32>>>,
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
    pub(super) position: Three<f64>,
    /// Degrees about x, then y, then z.
    #[serde(default)]
    pub(super) rotation: Three<f64>,
    #[serde(default)]
    pub(super) velocity: Three<f64>,
    #[serde(default)]
    pub(super) angular_velocity: Three<f64>,
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
    pub(super) count: Three<u32>,
    pub(super) spacing: Three<f64>,
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
    pub(super) point: Spanned<Three<f64>>,
    #[serde(default)]
    pub(super) direction: Three<f64>,
    pub(super) radius: Option<Spanned<f64>>,
    #[serde(default)]
    pub(super) seed: u64,
}

/// Exactly three numbers; an array of the language would be filled from the first three of more.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Three<T>(pub(super) [T; 3]);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Three<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Three<T>, D::Error> {
        let numbers = Vec::<T>::deserialize(deserializer)?;
        let found = numbers.len();
        let wrong = |_| serde::de::Error::custom(format!("found {found} numbers, expected three, as [1, 2, 3]"));
        numbers.try_into().map(Three).map_err(wrong)
    }
}
