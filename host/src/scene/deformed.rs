//! Scenes of deformable bodies: those of \[Hermann08\], by name.

use toml::Spanned;

use super::build::unknown;
use super::error::{SceneError, Source};
use super::file::{DeformableFile, DetectionFile, SceneFile};
use super::played::Played;
use super::runner::RunError;
use crate::animation::Change;
use crate::dynamics::deformable::{
    DeformableScene, DeformableWorld, chain, cylinder_plane, tori_drop, tori_interpenetrating, tori_pile,
};
use crate::hash::StateHash;
use crate::statistics::{Stage, StepStatistics};

const NAMES: [&str; 5] = ["chain", "cylinder_plane", "tori_drop", "tori_interpenetrating", "tori_pile"];

/// Steps that are longer show nothing.
pub(super) const TIME_STEPS: std::ops::RangeInclusive<f64> = 1e-6..=1.0;

/// How many tori a pile may have.
const TORI: std::ops::RangeInclusive<u32> = 2..=64;

/// How many sides a cylinder may have: those of the paper's figure 8.
const SIDES: std::ops::RangeInclusive<u32> = 10..=150;

/// Reads and checks the table.
pub(super) fn deformable(
    source: &Source<'_>,
    spanned: &Spanned<DeformableFile>,
    scene: &SceneFile,
) -> Result<DeformableScene, SceneError> {
    source.alone("deformable", scene)?;
    let file = spanned.get_ref();
    let tori = source.count_within("tori", &file.tori, 16, TORI)?;
    let sides = source.count_within("sides", &file.sides, 30, SIDES)?;
    let made = match file.name.get_ref().as_str() {
        "chain" => chain(),
        "cylinder_plane" => cylinder_plane(sides),
        "tori_drop" => tori_drop(),
        "tori_interpenetrating" => tori_interpenetrating(),
        "tori_pile" => tori_pile(tori),
        found => return Err(source.mistake(file.name.span(), unknown("deformable scene", found, &NAMES))),
    };
    let made = made.map_err(|error| source.mistake(file.name.span(), error.to_string()))?;
    Ok(match file.detection {
        DetectionFile::Rays => made,
        DetectionFile::Proximity => made.with_proximity(),
    })
}

/// Deformable bodies that are stepped and looked at.
pub(super) struct Deforming {
    world: DeformableWorld,
    seconds: f64,
    steps_per_frame: u32,
    changes: Vec<Change>,
}

impl Deforming {
    pub(super) fn of(scene: &DeformableScene, seconds: f64, steps_per_frame: u32) -> Result<Deforming, RunError> {
        Ok(Deforming { world: scene.world()?, seconds, steps_per_frame, changes: Vec::new() })
    }
}

impl Played for Deforming {
    fn advance(&mut self, steps: &mut Vec<StepStatistics>, hash: &mut StateHash) -> Result<(), RunError> {
        let is_first = self.changes.is_empty();
        self.changes.clear();
        let bodies = 0..self.world.len();
        let triangles = bodies.clone().map(|body| self.world.surface(body).triangles().len()).sum();
        for _ in 0..if is_first { 0 } else { self.steps_per_frame } {
            let step = self.world.step(self.seconds)?;
            let mut statistics = StepStatistics { contacts: step.contacts, triangles, ..StepStatistics::default() };
            statistics.colliding_points = step.detection.matches();
            statistics.times[Stage::Narrow] = step.detect;
            statistics.times[Stage::Response] = step.assemble + step.solve;
            steps.push(statistics);
        }
        if is_first {
            steps.push(StepStatistics { triangles, ..StepStatistics::default() });
        }
        let state = self.world.hash();
        hash.write(state as u32);
        hash.write((state >> 32) as u32);
        self.changes.extend(bodies.map(|body| {
            let (key, mesh) = (body as u32, self.world.mesh(body));
            if is_first { Change::Add { key, mesh } } else { Change::Move { key, positions: mesh.positions } }
        }));
        Ok(())
    }

    fn changes(&self) -> &[Change] {
        &self.changes
    }
}
