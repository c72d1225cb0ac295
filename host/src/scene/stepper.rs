//! A scene's world, step by step, with what the scene makes happen.

use std::borrow::Borrow;

use super::{Action, Scene};
use crate::device::SharedBackend;
use crate::statistics::StepStatistics;
use crate::world::{BodyDescription, FractureError, Impact, World, WorldError};

/// A world that was filled by a scene, and the scene's events that are still to come. Whoever steps it may do other things to
/// the world in between.
///
/// ```
/// use std::path::Path;
/// use fracas::scene::{Scene, SceneStepper};
///
/// let text = "version = 1\n[ground]\n[[body]]\nname = \"box\"\nshape.cuboid = { size = [1, 1, 1] }\nposition = [0, 2, 0]\n";
/// let scene = Scene::parse(text, Path::new("box.toml"))?;
/// let mut stepper = SceneStepper::new(&scene, None)?;
/// stepper.step()?;
/// assert_eq!(stepper.world.steps(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SceneStepper<S> {
    /// The world as it stands.
    pub world: World,
    scene: S,
    /// How many of the scene's events have happened.
    performed: usize,
}

impl<S: Borrow<Scene>> SceneStepper<S> {
    /// Fills a world. What is due at the start has not happened yet.
    ///
    /// # Errors
    /// What the world says of a body; a scene that was loaded has been checked against that.
    pub fn new(scene: S, backend: Option<SharedBackend>) -> Result<SceneStepper<S>, WorldError> {
        let mut world = scene.borrow().fill_world()?;
        world.set_backend(backend);
        Ok(SceneStepper { world, scene, performed: 0 })
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        self.scene.borrow()
    }

    /// Moves the world on by one of the scene's steps, and makes happen what is due then. Gives what the step cost and found.
    ///
    /// # Errors
    /// If the world cannot go on.
    pub fn step(&mut self) -> Result<StepStatistics, WorldError> {
        let statistics = *self.world.step(self.scene.borrow().time_step)?;
        self.perform_due()?;
        Ok(statistics)
    }

    /// Performs the events of the moment that the world has reached; half a step absorbs rounding.
    ///
    /// # Errors
    /// If one of them cannot happen.
    pub fn perform_due(&mut self) -> Result<(), WorldError> {
        let scene = self.scene.borrow();
        let now = self.world.time() + 0.5 * scene.time_step;
        while let Some(event) = scene.events.get(self.performed).filter(|event| event.at < now) {
            self.performed += 1;
            perform(&mut self.world, &event.action)?;
        }
        Ok(())
    }

    /// When the next event is due, if there is one.
    pub fn next_event(&self) -> Option<f64> {
        self.scene.borrow().events.get(self.performed).map(|event| event.at)
    }
}

fn perform(world: &mut World, action: &Action) -> Result<(), WorldError> {
    match action {
        Action::Add(description) => world.add(BodyDescription::clone(description)).map(|_| ()),
        Action::Fracture { body, impact, is_aimed } => match world.find(body) {
            Some(id) => {
                let point = world.nearest_part(id, impact.point).filter(|_| *is_aimed).unwrap_or(impact.point);
                match world.fracture(id, &Impact { point, ..*impact }) {
                    Err(WorldError::Fracture { source: FractureError::Unbroken, .. }) => {
                        tracing::info!(body, %point, "a blow broke nothing");
                        Ok(())
                    }
                    outcome => outcome.map(|_| ()),
                }
            }
            // It has broken already: the blow goes through the air where it was.
            None => Ok(()),
        },
    }
}
