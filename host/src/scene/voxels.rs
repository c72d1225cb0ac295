//! Bodies of voxels of a scene.

use std::sync::Arc;

use glam::DVec3;
use toml::Spanned;

use super::SceneOptions;
use super::build::Builder;
use super::error::{SceneError, Source};
use super::file::{BodyFile, BreakageFile, InsideFile, PatternFile, Three, VoxelsFile};
use super::shape::Part as ShapePart;
use crate::geometry::Aabb;
use crate::svo::{
    FractureOptions, Interior, LEAST_LEVEL, MOST_LEVEL, PhysicsLevel, ResponseOptions, SeedPattern, SvoBody, Texture,
    VoxelBreakage, VoxelWorldOptions, VoxeliseOptions, voxelise,
};
use crate::world::{BodyDescription, FractureTrigger};

impl Builder<'_> {
    /// The bodies that a shape is, as octrees that break.
    pub(super) fn voxel_bodies(
        &self,
        file: &BodyFile,
        breakage: &Spanned<BreakageFile>,
        parts: &[ShapePart],
        anchors: Vec<Aabb>,
        trigger: Option<FractureTrigger>,
    ) -> Result<Vec<(BodyDescription, DVec3)>, SceneError> {
        let breaks = breakage.get_ref();
        let levels = |what: &str, value: &Option<Spanned<u32>>, default: u32| {
            level(self.source, what, value, default, self.limits)
        };
        let finest = levels("level", &breaks.level, 8)?;
        let rule = Arc::new(VoxelBreakage {
            radius: self.optional("radius", &breaks.radius)?,
            look_level: levels("look_level", &breaks.look_level, 7)?,
            options: FractureOptions {
                coarser_islands: self.source.count_within("coarser_islands", &breaks.coarser_islands, 0, 0..=3)?,
                interior: interior(self.source, &breaks.inside)?,
            },
            anchors,
            ..VoxelBreakage::new(self.seed_pattern(self.needed_pattern(breakage)?)?)
        });
        let defaults = VoxeliseOptions::default();
        let to_bytes = |color: [f32; 3]| color.map(|channel| (255.0 * channel).round() as u8);
        let color = self.material(file.material.as_ref())?.color.map_or(defaults.color, to_bytes);
        let options = VoxeliseOptions { level: finest, color };
        let body = |(number, part): (usize, &ShapePart)| {
            let refused = |error: crate::svo::SvoError| {
                self.source.mistake(breakage.span(), format!("body `{}` cannot break: {error}", file.name))
            };
            let (lattice, tree) = voxelise(&part.mesh, &options).map_err(refused)?;
            let name = if parts.len() == 1 { file.name.clone() } else { format!("{}[{number}]", file.name) };
            let body = SvoBody::new(tree, lattice, Arc::clone(&rule)).describe(name);
            Ok((BodyDescription { trigger, ..body }, part.offset))
        };
        parts.iter().enumerate().map(body).collect()
    }

    pub(super) fn seed_pattern(&self, file: &Spanned<PatternFile>) -> Result<SeedPattern, SceneError> {
        let wrong = |message: String| self.source.mistake(file.span(), message);
        match file.get_ref() {
            PatternFile::Spheres(pattern) => {
                pattern.check().map_err(|error| wrong(error.to_string()))?;
                Ok(SeedPattern::Spheres(pattern.clone()))
            }
            PatternFile::Voronoi(pattern) => {
                pattern.check().map_err(|error| wrong(error.to_string()))?;
                Ok(SeedPattern::Voronoi(pattern.clone()))
            }
            PatternFile::Web(_) | PatternFile::File(_) => {
                Err(wrong("found a pattern without seeds, expected `spheres` or `voronoi`".to_owned()))
            }
        }
    }
}

/// `inside`.
fn interior(source: &Source<'_>, file: &Option<Spanned<InsideFile>>) -> Result<Interior, SceneError> {
    let defaults = Interior::default();
    let Some(file) = file.as_ref().map(Spanned::get_ref) else { return Ok(defaults) };
    let color = |value: &Spanned<Three<f32>>| -> Result<[u8; 3], SceneError> {
        Ok(source.color(value)?.map(|part| (255.0 * part).round() as u8))
    };
    let count = |value: &Option<Spanned<f64>>| source.within("count", value, 8.0, 0.1..=1000.0);
    let texture = match (&file.veins, &file.layers) {
        (Some(_), Some(layers)) => {
            let message = "found `veins` and `layers`, expected one of them".to_owned();
            return Err(source.mistake(layers.span(), message));
        }
        (Some(veins), None) => Texture::Veins {
            color: color(&veins.color)?,
            count: count(&veins.count)?,
            width: source.within("width", &veins.width, 0.15, 1e-3..=10.0)?,
        },
        (None, Some(layers)) => {
            let layers = layers.get_ref();
            let direction = layers.direction.as_ref().map(|given| match source.vector("direction", given)? {
                DVec3::ZERO => Err(source.mistake(given.span(), "found a `direction` of no length, expected one")),
                direction => Ok(direction),
            });
            Texture::Layers {
                color: color(&layers.color)?,
                count: count(&layers.count)?,
                direction: direction.transpose()?.unwrap_or(DVec3::Y),
            }
        }
        (None, None) => Texture::Even,
    };
    let grain = source.within("grain", &file.grain, f64::from(defaults.grain) / 255.0, 0.0..=1.0)?;
    Ok(Interior {
        color: file.color.as_ref().map(color).transpose()?.unwrap_or(defaults.color),
        grain: (255.0 * grain).round() as u8,
        texture,
    })
}

/// A level of voxels, within the limits.
fn level(
    source: &Source<'_>,
    what: &str,
    value: &Option<Spanned<u32>>,
    default: u32,
    limits: &SceneOptions,
) -> Result<u32, SceneError> {
    let level = source.count_within(what, value, default, LEAST_LEVEL..=MOST_LEVEL)?;
    Ok(limits.most_level.map_or(level, |most| level.min(most.max(LEAST_LEVEL))))
}

/// `[method.voxels]`.
pub(super) fn voxel_options(
    source: &Source<'_>,
    file: &VoxelsFile,
    limits: &SceneOptions,
) -> Result<VoxelWorldOptions, SceneError> {
    let defaults = VoxelWorldOptions::default();
    let response = ResponseOptions::default();
    let level = level(source, "level", &file.level, 8, limits)?;
    if let (Some(distance), None) = (&file.distance, &file.camera) {
        return Err(source.mistake(distance.span(), "found `distance` without `camera`, expected both or none"));
    }
    Ok(VoxelWorldOptions {
        level: match &file.camera {
            None => PhysicsLevel::Fixed(level),
            Some(camera) => PhysicsLevel::ByDistance {
                level,
                camera: source.vector("camera", camera)?,
                distance: source.positive("distance", &file.distance, 10.0)?,
                least: LEAST_LEVEL,
            },
        },
        response: ResponseOptions {
            friction: source.within("friction", &file.friction, response.friction, 0.0..=1e6)?,
            grip: source.within("grip", &file.grip, response.grip, 0.0..=1e3)?,
            ..response
        },
        reuse: source.within("reuse", &file.reuse, defaults.reuse, 0.0..=1.0)?,
        ..defaults
    })
}
