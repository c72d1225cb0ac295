//! Stepping a scene from its first frame to its last.

use std::ops::ControlFlow;
use std::path::PathBuf;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use thiserror::Error;

use super::deformed::Deforming;
use super::played::play;
use super::{Scene, SceneStepper};
use crate::bvh::UpdateError;
use crate::device::SharedBackend;
use crate::dynamics::deformable::DeformableError;
use crate::hash::StateHash;
use crate::recording::{RecordingError, RecordingHeader, RecordingWriter, VERSION};
use crate::statistics::{RunStatistics, StepHistory, StepStatistics};
use crate::world::{World, WorldError};

/// How to run a scene.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Another number of frames than the scene's own.
    pub frames: Option<u32>,
    /// Where to write the recording; none is written without.
    pub recording: Option<PathBuf>,
    /// What bodies of voxels are broken and compared on, if not the CPU.
    pub backend: Option<SharedBackend>,
}

/// How far a run is; handed to the observer after each frame.
pub struct Progress<'a> {
    /// Frames done.
    pub frame: u32,
    /// Frames in all.
    pub frames: u32,
    /// The world as it stands; an animation has none, nor have deformable bodies.
    pub world: Option<&'a World>,
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSummary {
    /// The name of the scene.
    pub scene: String,
    /// A hash over the state of every frame: equal for equal runs.
    pub hash: u64,
    /// Frames done.
    pub frames: u32,
    /// Steps done.
    pub steps: u64,
    /// Whether the observer ended the run early.
    pub interrupted: bool,
    /// What the steps cost and found.
    pub statistics: RunStatistics,
    /// What steps cost and found, in order.
    pub history: StepHistory,
    /// What the kernels ran on.
    pub backend: String,
    /// How many threads there were.
    pub threads: usize,
    /// Where the recording is.
    pub recording: Option<PathBuf>,
    /// Where the report is.
    pub report: Option<PathBuf>,
}

impl RunSummary {
    /// Takes in what one more step cost and found.
    pub(super) fn take_step(&mut self, step: StepStatistics) {
        self.statistics.add(&step);
        self.history.add(&step);
    }

    /// The hash as it is written: sixteen hexadecimal digits.
    pub fn hash_text(&self) -> String {
        format!("{:016x}", self.hash)
    }
}

impl Serialize for RunSummary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let stages: serde_json::Map<_, _> = self
            .statistics
            .rows()
            .map(|(name, milliseconds)| (name.to_owned(), serde_json::json!(milliseconds)))
            .collect();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("scene", &self.scene)?;
        map.serialize_entry("hash", &self.hash_text())?;
        map.serialize_entry("frames", &self.frames)?;
        map.serialize_entry("steps", &self.steps)?;
        map.serialize_entry("interrupted", &self.interrupted)?;
        map.serialize_entry("stages", &stages)?;
        map.serialize_entry("contacts", &self.statistics.contacts)?;
        map.serialize_entry("colliding_points", &self.statistics.colliding_points)?;
        map.serialize_entry("fragments", &self.statistics.fragments)?;
        map.serialize_entry("triangles", &self.statistics.triangles)?;
        map.serialize_entry("debris", &self.statistics.debris)?;
        map.serialize_entry("lost", &self.statistics.lost)?;
        map.serialize_entry("backend", &self.backend)?;
        map.serialize_entry("threads", &self.threads)?;
        map.serialize_entry("recording", &self.recording)?;
        map.serialize_entry("report", &self.report)?;
        map.end()
    }
}

/// Why a run ended before its time.
#[derive(Debug, Error)]
pub enum RunError {
    /// The world could not go on.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The recording could not be written.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// An animation does something that cannot be.
    #[error("the animation cannot go on: {0}")]
    Animation(#[from] UpdateError),
    /// Deformable bodies could not go on.
    #[error(transparent)]
    Deformable(#[from] DeformableError),
}

/// Runs a scene in the calling thread's rayon pool. The first frame is the start, before any step; the observer is
/// called after each frame and may end the run, which keeps the recording.
///
/// ```
/// use std::ops::ControlFlow;
/// use std::path::Path;
/// use fracas::scene::{RunOptions, Scene, run};
///
/// let text = "version = 1\nframes = 10\n[ground]\n\
///             [[body]]\nname = \"box\"\nshape.cuboid = { size = [1, 1, 1] }\nposition = [0, 2, 0]\n";
/// let scene = Scene::parse(text, Path::new("box.toml"))?;
/// let summary = run(&scene, &RunOptions::default(), |_| ControlFlow::Continue(()))?;
/// assert_eq!(summary.frames, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the world or the animation cannot go on, or the recording cannot be written.
pub fn run(
    scene: &Scene,
    options: &RunOptions,
    observe: impl FnMut(Progress<'_>) -> ControlFlow<()>,
) -> Result<RunSummary, RunError> {
    let frames = options.frames.unwrap_or(scene.frames).max(1);
    let mut recording = match &options.recording {
        Some(path) => Some(RecordingWriter::create(path, &header(scene, frames))?),
        None => None,
    };
    let mut summary = RunSummary {
        scene: scene.name.clone(),
        hash: 0,
        frames: 0,
        steps: 0,
        interrupted: false,
        statistics: RunStatistics::default(),
        history: StepHistory::default(),
        backend: kind(options.backend.as_ref()),
        threads: rayon::current_num_threads(),
        recording: options.recording.clone(),
        report: None,
    };
    let animation = scene.animation.and_then(|animation| animation.player());
    let deforming = scene.deformable.as_ref();
    let deforming =
        deforming.map(|bodies| Deforming::of(bodies, scene.time_step, scene.steps_per_frame)).transpose()?;
    match (animation, deforming) {
        (Some(mut played), _) => play(&mut played, frames, recording.as_mut(), &mut summary, observe)?,
        (None, Some(mut played)) => play(&mut played, frames, recording.as_mut(), &mut summary, observe)?,
        (None, None) => step_world(scene, options, frames, recording.as_mut(), &mut summary, observe)?,
    }
    if let Some(recording) = recording {
        recording.finish(&summary)?;
    }
    Ok(summary)
}

/// Fills a world and steps it.
fn step_world(
    scene: &Scene,
    options: &RunOptions,
    frames: u32,
    mut recording: Option<&mut RecordingWriter>,
    summary: &mut RunSummary,
    mut observe: impl FnMut(Progress<'_>) -> ControlFlow<()>,
) -> Result<(), RunError> {
    let mut stepper = SceneStepper::new(scene, options.backend.clone())?;
    let mut hash = StateHash::new();
    for frame in 0..frames {
        for _ in 0..if frame == 0 { 0 } else { scene.steps_per_frame } {
            summary.take_step(stepper.step()?);
        }
        if frame == 0 {
            stepper.perform_due()?;
        }
        let world = &mut stepper.world;
        if let Some(recording) = &mut recording {
            recording.write_frame(world)?;
        }
        world.take_events();
        let state = world.hash();
        hash.write(state as u32);
        hash.write((state >> 32) as u32);
        summary.frames = frame + 1;
        if observe(Progress { frame: frame + 1, frames, world: Some(world) }).is_break() {
            summary.interrupted = frame + 1 < frames;
            break;
        }
    }
    let world = &stepper.world;
    if let Some(at) = stepper.next_event().filter(|_| !summary.interrupted) {
        tracing::warn!(at, end = world.time(), "the scene ends before this event");
    }
    summary.hash = hash.finish();
    summary.steps = world.steps();
    if summary.steps == 0 {
        summary.statistics.triangles = world.bodies().map(|(_, body)| body.triangle_count()).sum();
    }
    Ok(())
}

/// What kind of backend it is, without the name of a device.
fn kind(backend: Option<&SharedBackend>) -> String {
    let name = backend.map_or_else(|| "cpu".to_owned(), |backend| backend.name());
    name.split(':').next().unwrap_or_default().to_owned()
}

fn header(scene: &Scene, frames: u32) -> RecordingHeader {
    RecordingHeader {
        version: VERSION,
        scene: scene.name.clone(),
        seconds_per_frame: scene.seconds_per_frame(),
        frames,
        camera: scene.camera.as_ref().map(|camera| [camera.eye, camera.target, camera.up].map(|v| v.to_array())),
        field_of_view: scene.camera.as_ref().map(|camera| camera.vertical_field_of_view),
        ground: scene.ground,
    }
}
