//! The shape of a scene file, version 1. README.md in the scenes folder explains it to people.

use std::ops::Range;
use std::path::PathBuf;

use serde::{Deserialize, Deserializer};
use toml::Spanned;

use super::shape::Shape;
use crate::pattern::{SpherePattern, VoronoiPattern, WebPattern};

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
    pub(super) animation: Option<Spanned<AnimationFile>>,
    pub(super) deformable: Option<Spanned<DeformableFile>>,
}

/// `[deformable]`: deformable bodies that come with the library, in place of bodies.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DeformableFile {
    pub(super) name: Spanned<String>,
    /// How many tori are in a pile.
    pub(super) tori: Option<Spanned<u32>>,
    /// How many sides a cylinder has.
    pub(super) sides: Option<Spanned<u32>>,
    #[serde(default)]
    pub(super) detection: DetectionFile,
}

/// How deformable bodies find each other.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum DetectionFile {
    #[default]
    Rays,
    Proximity,
}

/// `[animation]`: meshes that move by themselves, in place of bodies.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AnimationFile {
    pub(super) name: Spanned<String>,
    /// The number of triangles, relative to the paper's.
    pub(super) detail: Option<Spanned<f64>>,
    #[serde(default)]
    pub(super) query: QueryFile,
    #[serde(default)]
    pub(super) culling: CullingFile,
}

/// What is looked for in each frame of an animation.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum QueryFile {
    #[default]
    Continuous,
    Discrete,
    Both,
}

/// What is not searched for contacts with itself.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CullingFile {
    #[default]
    Contours,
    DualCones,
    Off,
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
    pub(super) dust: Option<DustFile>,
    #[serde(default)]
    pub(super) voxels: VoxelsFile,
}

/// `[method.voxels]`: how bodies of voxels are simulated.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VoxelsFile {
    /// The physics level.
    pub(super) level: Option<Spanned<u32>>,
    /// Beyond `distance` from here, the physics level falls by one, and again with each doubling.
    pub(super) camera: Option<Spanned<Three<f64>>>,
    pub(super) distance: Option<Spanned<f64>>,
    pub(super) friction: Option<Spanned<f64>>,
    pub(super) grip: Option<Spanned<f64>>,
    /// How far pairs may move before their voxels are compared again, in voxels.
    pub(super) reuse: Option<Spanned<f64>>,
}

/// `[method.dust]`: breaks make dust.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DustFile {
    /// Particles to a square metre.
    pub(super) density: Option<Spanned<f64>>,
    /// How large particles are, relative to those of a centimetre to five.
    pub(super) size: Option<Spanned<f64>>,
    pub(super) turbulence: Option<Spanned<f64>>,
    pub(super) lifetime: Option<Spanned<f64>>,
    pub(super) budget: Option<Spanned<u32>>,
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
    pub(super) fracture: Option<Spanned<BreakageFile>>,
}

/// `[body.fracture]`: how a body breaks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BreakageFile {
    pub(super) method: Option<Spanned<String>>,
    pub(super) pattern: Option<Spanned<PatternFile>>,
    /// How many patterns there are that differ by their seeds; each blow takes one of them.
    pub(super) variants: Option<Spanned<u32>>,
    /// How many groups of cells stay together.
    pub(super) groups: Option<Spanned<u32>>,
    pub(super) turn: Option<Spanned<TurnFile>>,
    pub(super) radius: Option<Spanned<f64>>,
    pub(super) fit: Option<Spanned<String>>,
    pub(super) nodes: Option<Spanned<Vec<Three<f64>>>>,
    pub(super) auto: Option<Spanned<u32>>,
    /// Whether the parts of the shape are one body, and may overlap.
    pub(super) join: Option<Spanned<bool>>,
    #[serde(default)]
    pub(super) anchor: Vec<Spanned<AnchorFile>>,
    pub(super) roughness: Option<Spanned<RoughnessFile>>,
    pub(super) trigger: Option<TriggerFile>,
    /// With voxels, how often the cube around the shape is halved.
    pub(super) level: Option<Spanned<u32>>,
    /// The finest level that surfaces of voxels are drawn at.
    pub(super) look_level: Option<Spanned<u32>>,
    /// What voxels look like inside.
    pub(super) inside: Option<Spanned<InsideFile>>,
    /// How many levels above the finest islands of voxels are looked for.
    pub(super) coarser_islands: Option<Spanned<u32>>,
    /// For `tet`: the length of the edges of tetrahedra, in metres.
    pub(super) cell: Option<Spanned<f64>>,
    /// For `tet`: how much longer tetrahedra are along each axis.
    pub(super) stretch: Option<Spanned<Three<f64>>>,
    /// For `tet`: cracks by modal analysis instead of a pattern.
    pub(super) modal: Option<Spanned<ModalFile>>,
}

impl BreakageFile {
    pub(super) fn is_joined(&self) -> bool {
        self.join.as_ref().is_some_and(|join| *join.get_ref())
    }

    /// The first key that only convexes have, and where it is.
    pub(super) fn of_convexes(&self) -> Option<(&'static str, Range<usize>)> {
        let keys = [
            ("variants", span_of(&self.variants)),
            ("groups", span_of(&self.groups)),
            ("turn", span_of(&self.turn)),
            ("fit", span_of(&self.fit)),
            ("nodes", span_of(&self.nodes)),
            ("auto", span_of(&self.auto)),
            ("join", span_of(&self.join)),
            ("roughness", span_of(&self.roughness)),
        ];
        keys.into_iter().find_map(|(name, span)| Some((name, span?)))
    }

    /// The first key that only voxels have, and where it is.
    pub(super) fn of_voxels(&self) -> Option<(&'static str, Range<usize>)> {
        let keys = [
            ("level", span_of(&self.level)),
            ("look_level", span_of(&self.look_level)),
            ("inside", span_of(&self.inside)),
            ("coarser_islands", span_of(&self.coarser_islands)),
        ];
        keys.into_iter().find_map(|(name, span)| Some((name, span?)))
    }

    /// The first key that only fragments have.
    pub(super) fn of_fragments(&self) -> Option<(&'static str, Range<usize>)> {
        let keys =
            [("cell", span_of(&self.cell)), ("stretch", span_of(&self.stretch)), ("modal", span_of(&self.modal))];
        keys.into_iter().find_map(|(name, span)| Some((name, span?)))
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModalFile {
    /// How many modes a blow excites.
    pub(super) modes: Option<Spanned<u32>>,
    /// Young's modulus, in Pa.
    pub(super) young: Option<Spanned<f64>>,
    /// Poisson's ratio.
    pub(super) poisson: Option<Spanned<f64>>,
    /// The tension at which a crack starts, in Pa.
    pub(super) strength: Option<Spanned<f64>>,
    /// The part of the strength below which a crack stops.
    pub(super) arrest: Option<Spanned<f64>>,
    /// The energy that a crack takes, in J/m².
    pub(super) toughness: Option<Spanned<f64>>,
    /// How far from a crack no other starts.
    pub(super) relief: Option<Spanned<f64>>,
    pub(super) most_cracks: Option<Spanned<u32>>,
    pub(super) least_nodes: Option<Spanned<u32>>,
}

fn span_of<T>(value: &Option<Spanned<T>>) -> Option<Range<usize>> {
    value.as_ref().map(Spanned::span)
}

/// `inside`: a colour, and what else there is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct InsideFile {
    pub(super) color: Option<Spanned<Three<f32>>>,
    pub(super) grain: Option<Spanned<f64>>,
    pub(super) veins: Option<VeinsFile>,
    pub(super) layers: Option<Spanned<LayersFile>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VeinsFile {
    pub(super) color: Spanned<Three<f32>>,
    pub(super) count: Option<Spanned<f64>>,
    pub(super) width: Option<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LayersFile {
    pub(super) color: Spanned<Three<f32>>,
    pub(super) count: Option<Spanned<f64>>,
    pub(super) direction: Option<Spanned<Three<f64>>>,
}

/// `pattern`: one kind and its parameters, as `pattern.voronoi = { cells = 60 }`.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum PatternFile {
    Voronoi(VoronoiPattern),
    Web(WebPattern),
    Spheres(SpherePattern),
    /// A mesh file of convex cells.
    File(PathBuf),
}

/// How a pattern is turned.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TurnFile {
    #[default]
    Anyhow,
    AcrossThinnest,
    Never,
}

/// A box that is fixed to the world, in the body's coordinates.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AnchorFile {
    pub(super) min: Three<f64>,
    pub(super) max: Three<f64>,
}

/// How rough breaks look.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RoughnessFile {
    pub(super) amplitude: f64,
    pub(super) frequency: f64,
    #[serde(default)]
    pub(super) seed: u64,
}

/// What makes a body break by itself.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TriggerFile {
    pub(super) threshold: Option<Spanned<f64>>,
    pub(super) depth: Option<Spanned<u32>>,
    pub(super) radius: Option<Spanned<f64>>,
    pub(super) cooldown: Option<Spanned<f64>>,
    pub(super) passthrough: Option<Spanned<f64>>,
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
    /// The speed of the farthest piece away from the middle of all, in m/s.
    pub(super) burst: Option<Spanned<f64>>,
    #[serde(default)]
    pub(super) seed: u64,
    /// So many blows, one after another, each with a seed of its own.
    pub(super) count: Option<Spanned<u32>>,
    /// Seconds between them.
    #[serde(default)]
    pub(super) every: f64,
    /// How far from the point they are at most, along each axis, at random; each hits the part of the body that is
    /// nearest.
    pub(super) scatter: Option<Three<f64>>,
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
