//! Scenes: TOML files that fill a [`World`], or name an animation or deformable bodies, and the runner that steps them.

mod animated;
mod breakage;
mod build;
mod check;
mod deformed;
mod error;
mod file;
mod fragments;
mod played;
mod runner;
mod shape;
mod stepper;
mod voxels;

use std::path::Path;

use crate::dynamics::ShapeCache;
use crate::dynamics::deformable::DeformableScene;
use crate::export::Camera;
use crate::whole_file;
use crate::world::{BodyDescription, Impact, Representation, World, WorldError, WorldOptions};

pub use animated::AnimatedScene;
pub use error::SceneError;
pub use runner::{Progress, RunError, RunOptions, RunSummary, run};
pub use stepper::SceneStepper;

/// A scene, read and checked: everything needed to fill a world and to step it, or to play an animation.
#[derive(Clone)]
pub struct Scene {
    /// The scene's name: what stands in the file, or the file's own name.
    pub name: String,
    /// One line for people.
    pub description: String,
    /// Seconds in a step.
    pub time_step: f64,
    /// Steps between two frames of the recording.
    pub steps_per_frame: u32,
    /// How many frames the scene has.
    pub frames: u32,
    /// Gravity and the methods' parameters.
    pub world: WorldOptions,
    /// The bodies that are there from the start, the ground and walls among them.
    pub bodies: Vec<BodyDescription>,
    /// What happens later, in the order of time.
    pub events: Vec<ScheduledEvent>,
    /// Where to look from.
    pub camera: Option<Camera>,
    /// The height of the ground.
    pub ground: Option<f64>,
    /// Meshes that move by themselves, in place of bodies.
    pub animation: Option<AnimatedScene>,
    /// Deformable bodies, in place of others.
    pub deformable: Option<DeformableScene>,
    /// The collision shapes that the check of the scene made, so that the run need not make them again.
    shapes: ShapeCache,
}

/// How a scene is loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SceneOptions {
    /// The finest level of voxels, those that are compared among them, whatever the scene asks for: each level less is about
    /// a quarter of the work.
    pub most_level: Option<u32>,
}

/// Something that a scene makes happen at a time.
#[derive(Clone)]
pub struct ScheduledEvent {
    /// Seconds after the start.
    pub at: f64,
    /// What happens.
    pub action: Action,
}

/// What a scene can make happen.
#[derive(Clone)]
pub enum Action {
    /// A body appears: it is dropped or thrown.
    Add(Box<BodyDescription>),
    /// A body breaks.
    Fracture {
        /// The name of the body.
        body: String,
        /// Where and how it is hit, in the world's coordinates.
        impact: Impact,
        /// Whether the blow goes to the part of the body that is nearest to that point.
        is_aimed: bool,
    },
}

impl Scene {
    /// Reads and checks a scene file. Mesh files that it names are looked for beside it.
    ///
    /// # Errors
    /// The first mistake, with the file, the line and the column, what was found and what was expected.
    pub fn load(path: &Path) -> Result<Scene, SceneError> {
        Scene::load_with(path, &SceneOptions::default())
    }

    /// As [`Scene::load`], with options.
    ///
    /// # Errors
    /// As [`Scene::load`].
    pub fn load_with(path: &Path, options: &SceneOptions) -> Result<Scene, SceneError> {
        let bytes = whole_file::read(path)?;
        match std::str::from_utf8(&bytes) {
            Ok(text) => build::build(text, path, options),
            Err(error) => {
                let readable = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
                let source = error::Source { path, text: &readable };
                Err(source
                    .mistake(readable.len()..readable.len(), "found a byte that is not UTF-8, expected a text file"))
            }
        }
    }

    /// Reads and checks a scene from memory; `path` is what errors call it and where mesh files are looked for.
    ///
    /// # Errors
    /// As [`Scene::load`].
    pub fn parse(text: &str, path: &Path) -> Result<Scene, SceneError> {
        build::build(text, path, &SceneOptions::default())
    }

    /// A world with the bodies that are there from the start.
    ///
    /// # Errors
    /// What the world says of a body; a scene that was loaded has been checked against that.
    pub fn fill_world(&self) -> Result<World, WorldError> {
        let mut world = World::with_shapes(&self.world, self.shapes.clone());
        for body in &self.bodies {
            world.add(body.clone())?;
        }
        Ok(world)
    }

    /// Whether bodies of voxels are in it, or will be.
    pub fn has_voxels(&self) -> bool {
        let added = self.events.iter().filter_map(|event| match &event.action {
            Action::Add(body) => Some(&**body),
            Action::Fracture { .. } => None,
        });
        self.bodies.iter().chain(added).any(|body| matches!(body.representation, Representation::Voxels(_)))
    }

    /// Seconds between two frames.
    pub fn seconds_per_frame(&self) -> f64 {
        self.time_step * f64::from(self.steps_per_frame)
    }
}

#[cfg(test)]
mod tests;
