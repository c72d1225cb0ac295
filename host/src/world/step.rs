//! One step of a world.

use std::time::Duration;

use super::{Event, World, WorldError};
use crate::statistics::{Stage, StepStatistics};

impl World {
    /// Moves the world on by `time_step` seconds.
    ///
    /// # Errors
    /// A time step that is not positive, or a body whose motion is no longer finite.
    pub fn step(&mut self, time_step: f64) -> Result<&StepStatistics, WorldError> {
        if !(time_step > 0.0 && time_step.is_finite()) {
            return Err(WorldError::TimeStep(time_step));
        }
        let outcome = self.rigid.step(time_step);
        self.time += time_step;
        self.steps += 1;
        if let Some(id) = outcome.diverged {
            let body = self.body(id).map_or_else(|| id.to_string(), |body| body.name().to_owned());
            return Err(WorldError::Diverged { body, step: self.steps });
        }
        self.events.extend(outcome.touched.into_iter().map(|bodies| Event::Touched { bodies }));
        let mut times = outcome.times;
        times[Stage::Fracture] += std::mem::replace(&mut self.fracture_time, Duration::ZERO);
        self.statistics = StepStatistics {
            times,
            contacts: outcome.contacts,
            colliding_points: outcome.colliding_points,
            fragments: self.fragments,
            triangles: self.triangles,
        };
        Ok(&self.statistics)
    }
}
