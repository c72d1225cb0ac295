//! How the bodies of a scene break.

use std::path::Path;
use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;
use toml::Spanned;

use super::build::{Builder, MOST_COPIES};
use super::error::SceneError;
use super::file::{BodyFile, BreakageFile, PatternFile, RoughnessFile, TriggerFile, TurnFile};
use super::shape::Part as ShapePart;
use crate::geometry::{Aabb, PolyMesh};
use crate::pattern::{LoadedPattern, Pattern, PatternError};
use crate::random::Random;
use crate::scene::{Action, ScheduledEvent};
use crate::vacd::{
    AutoOptions, Breakage, Compound, CompoundBody, CompoundOptions, DecomposeError, DecomposeOptions, Fit,
    FractureOptions, Part, PrepareOptions, Roughness, Turn, decompose, decompose_auto, parts_of,
};
use crate::world::{BodyDescription, FractureTrigger, Impact};

/// More variants of a pattern than this are a slip of the keyboard.
const MOST_VARIANTS: u32 = 1_000;

/// More nodes than this are not placed.
const MOST_NODES: u32 = 4_096;

/// The ways to break.
const METHODS: [&str; 3] = ["vacd", "svo", "tet"];

impl Builder<'_> {
    /// The bodies that a shape is, as compounds that break: one for each of its parts, or one for all.
    pub(super) fn breakable(
        &self,
        file: &BodyFile,
        breakage: &Spanned<BreakageFile>,
        parts: &[ShapePart],
    ) -> Result<Vec<(BodyDescription, DVec3)>, SceneError> {
        let breaks = breakage.get_ref();
        let method = breaks.method.as_ref().map_or("vacd", |method| method.get_ref().as_str());
        if let Some(span) = breaks.method.as_ref().map(Spanned::span).filter(|_| !METHODS.contains(&method)) {
            let message = format!("found the fracture method `{method}`, expected `vacd`, `svo` or `tet`");
            return Err(self.source.mistake(span, message));
        }
        let trigger = breaks.trigger.as_ref().map(|trigger| self.trigger(trigger)).transpose()?;
        let anchors = breaks.anchor.iter().map(|anchor| {
            let region = Aabb { min: anchor.get_ref().min.0.into(), max: anchor.get_ref().max.0.into() };
            if region.is_empty() || !(region.min.is_finite() && region.max.is_finite()) {
                return Err(self.source.mistake(anchor.span(), "found an empty anchor, expected `min` below `max`"));
            }
            Ok(region)
        });
        let anchors: Vec<Aabb> = anchors.collect::<Result<_, _>>()?;
        let keys = [("vacd", breaks.of_convexes()), ("svo", breaks.of_voxels()), ("tet", breaks.of_fragments())];
        for (other, found) in keys {
            if let Some((name, span)) = found.filter(|_| other != method) {
                let message = format!("found `{name}`, which is for `{other}`, expected what `{method}` has");
                return Err(self.source.mistake(span, message));
            }
        }
        match method {
            "svo" => return self.voxel_bodies(file, breakage, parts, anchors, trigger),
            "tet" => {
                if let Some(anchor) = breaks.anchor.first() {
                    let message =
                        "found an anchor, which `tet` does not have; make the body fixed, or use another method";
                    return Err(self.source.mistake(anchor.span(), message));
                }
                return self.fragment_bodies(file, breakage, parts, trigger);
            }
            _ => {}
        }
        let rule = Arc::new(self.rule(breakage)?);
        let options = CompoundOptions { anchors, overlaps: breaks.is_joined() };
        let solids = parts.par_iter().map(|part| self.solid(breaks, part)).collect::<Result<Vec<_>, _>>();
        let refused = |problem: String| {
            self.source.mistake(breakage.span(), format!("body `{}` cannot break: {problem}", file.name))
        };
        let solids: Vec<Vec<Part>> = solids.map_err(|error| refused(error.to_string()))?;
        let groups: Vec<(Vec<Part>, DVec3)> = if breaks.is_joined() {
            let moved = solids.into_iter().zip(parts).flat_map(|(solid, part)| {
                let offset = part.offset;
                solid.into_iter().map(move |part| part.translated(offset))
            });
            vec![(moved.collect(), DVec3::ZERO)]
        } else {
            solids.into_iter().zip(parts).map(|(solid, part)| (solid, part.offset)).collect()
        };
        let count = groups.len();
        groups
            .into_iter()
            .enumerate()
            .map(|(number, (parts, offset))| {
                let compound = Compound::new(parts, &options).map_err(|error| refused(error.to_string()))?;
                let name = if count == 1 { file.name.clone() } else { format!("{}[{number}]", file.name) };
                let body = CompoundBody::new(compound, Arc::clone(&rule)).describe(name);
                Ok((BodyDescription { trigger, ..body }, offset))
            })
            .collect()
    }

    /// The parts of one solid.
    fn solid(&self, file: &BreakageFile, part: &ShapePart) -> Result<Vec<Part>, DecomposeError> {
        let mesh = part.polygons.as_ref().map_or_else(|| PolyMesh::from(&*part.mesh), |mesh| PolyMesh::clone(mesh));
        match (&file.nodes, &file.auto) {
            (Some(nodes), _) => {
                let nodes: Vec<DVec3> = nodes.get_ref().iter().map(|node| node.0.into()).collect();
                decompose(&mesh, &nodes, &DecomposeOptions::default())
            }
            (None, Some(count)) => decompose_auto(&mesh, *count.get_ref() as usize, &AutoOptions::default()),
            (None, None) if file.is_joined() => parts_of(&mesh, &PrepareOptions::overlapping()),
            (None, None) => parts_of(&mesh, &PrepareOptions::default()),
        }
    }

    fn rule(&self, breakage: &Spanned<BreakageFile>) -> Result<Breakage, SceneError> {
        let file = breakage.get_ref();
        let pattern = self.needed_pattern(breakage)?;
        if let (Some(nodes), Some(_)) = (&file.nodes, &file.auto) {
            return Err(self.source.mistake(nodes.span(), "found both `nodes` and `auto`, expected one of them"));
        }
        self.source.count("auto", &file.auto, 1, MOST_NODES)?;
        let variants = self.source.count("variants", &file.variants, 1, MOST_VARIANTS)?;
        let patterns = (0..u64::from(variants))
            .into_par_iter()
            .map(|variant| {
                let pattern = self.pattern(pattern.get_ref(), variant)?;
                match &file.groups {
                    Some(groups) => pattern.colored(*groups.get_ref(), variant),
                    None => Ok(pattern),
                }
            })
            .collect::<Result<Vec<Pattern>, PatternError>>()
            .map_err(|error| self.source.mistake(pattern.span(), error.to_string()))?;
        let fit = match &file.fit {
            None => Fit::default(),
            Some(fit) => fit
                .get_ref()
                .parse()
                .map_err(|error: crate::vacd::FitError| self.source.mistake(fit.span(), error.to_string()))?,
        };
        Ok(Breakage {
            patterns: patterns.into_iter().map(Arc::new).collect(),
            turn: match file.turn.as_ref().map(|turn| *turn.get_ref()).unwrap_or_default() {
                TurnFile::Anyhow => Turn::Anyhow,
                TurnFile::AcrossThinnest => Turn::AcrossThinnest,
                TurnFile::Never => Turn::Never,
            },
            options: FractureOptions { radius: self.optional("radius", &file.radius)?, fit, ..Default::default() },
            roughness: file.roughness.as_ref().map(|roughness| self.roughness(roughness)).transpose()?,
        })
    }

    /// The pattern of a method that cannot do without.
    pub(super) fn needed_pattern<'file>(
        &self,
        breakage: &'file Spanned<BreakageFile>,
    ) -> Result<&'file Spanned<PatternFile>, SceneError> {
        let missing = || self.source.mistake(breakage.span(), "missing field `pattern`");
        breakage.get_ref().pattern.as_ref().ok_or_else(missing)
    }

    fn pattern(&self, file: &PatternFile, variant: u64) -> Result<Pattern, PatternError> {
        match file {
            PatternFile::Voronoi(pattern) => {
                crate::pattern::VoronoiPattern { seed: pattern.seed + variant, ..pattern.clone() }.pattern()
            }
            PatternFile::Web(pattern) => {
                crate::pattern::WebPattern { seed: pattern.seed + variant, ..pattern.clone() }.pattern()
            }
            PatternFile::Spheres(pattern) => {
                crate::pattern::SpherePattern { seed: pattern.seed + variant, ..pattern.clone() }.pattern()
            }
            PatternFile::File(path) => {
                let folder = self.source.path.parent().unwrap_or(Path::new(""));
                LoadedPattern { file: folder.join(path), ..LoadedPattern::default() }.pattern()
            }
        }
    }

    fn roughness(&self, file: &Spanned<RoughnessFile>) -> Result<Roughness, SceneError> {
        let RoughnessFile { amplitude, frequency, seed } = *file.get_ref();
        let is_sensible = amplitude >= 0.0 && amplitude.is_finite() && frequency > 0.0 && frequency.is_finite();
        if !is_sensible {
            let message = "found a roughness that is no number, expected `amplitude` in metres and `frequency` in 1/m";
            return Err(self.source.mistake(file.span(), message));
        }
        Ok(Roughness { amplitude, frequency, seed })
    }

    fn trigger(&self, file: &TriggerFile) -> Result<FractureTrigger, SceneError> {
        let defaults = FractureTrigger::default();
        Ok(FractureTrigger {
            threshold: self.source.positive("threshold", &file.threshold, defaults.threshold)?,
            depth_limit: self.source.count("depth", &file.depth, defaults.depth_limit, u32::MAX)?,
            radius: self.optional("radius", &file.radius)?,
            cooldown: self.source.within("cooldown", &file.cooldown, defaults.cooldown, 0.0..=1e6)?,
            passthrough: self.source.within("passthrough", &file.passthrough, defaults.passthrough, 0.0..=1.0)?,
        })
    }

    pub(super) fn optional(&self, what: &str, value: &Option<Spanned<f64>>) -> Result<Option<f64>, SceneError> {
        match value {
            None => Ok(None),
            value => self.source.positive(what, value, 1.0).map(Some),
        }
    }

    /// The blows that an event stands for.
    pub(super) fn blows(
        &self,
        at: f64,
        body: &str,
        impact: Impact,
        file: &super::file::FractureFile,
    ) -> Result<Vec<ScheduledEvent>, SceneError> {
        let count = self.source.count("count", &file.count, 1, MOST_COPIES as u32)?;
        let span = file.count.as_ref().map_or_else(|| file.body.span(), Spanned::span);
        let scatter = file.scatter.map_or(DVec3::ZERO, |scatter| scatter.0.into());
        if !(file.every >= 0.0 && file.every.is_finite() && scatter.is_finite()) {
            return Err(self.source.mistake(span, "found an `every` or `scatter` that is no number from zero"));
        }
        let mut random = Random::new(file.seed);
        let blow = |number: u32| {
            let impact = Impact { point: impact.point + scatter * random.in_cube(), seed: random.next_u64(), ..impact };
            let impact = if count == 1 { Impact { seed: file.seed, ..impact } } else { impact };
            let is_aimed = file.scatter.is_some();
            let action = Action::Fracture { body: body.to_owned(), impact, is_aimed };
            ScheduledEvent { at: at + f64::from(number) * file.every, action }
        };
        Ok((0..count).map(blow).collect())
    }
}
