//! One step of a world.

use std::ops::RangeInclusive;

use tracing::debug_span;

use super::{Event, World, WorldError};
use crate::statistics::{Stage, StepStatistics};

/// Shorter steps vanish in single precision, and in longer ones bodies rest before they have begun to fall.
pub(crate) const TIME_STEPS: RangeInclusive<f64> = 1e-6..=0.1;

impl World {
    /// Moves the world on by `time_step` seconds.
    ///
    /// # Errors
    /// A time step out of range, or a body whose motion is no longer finite, after which the world cannot go on.
    /// If a backend fails, the step has been done on the CPU all the same.
    pub fn step(&mut self, time_step: f64) -> Result<&StepStatistics, WorldError> {
        if !TIME_STEPS.contains(&time_step) {
            return Err(WorldError::TimeStep(time_step));
        }
        if let Some(body) = &self.diverged {
            return Err(WorldError::Diverged { body: body.clone(), step: self.steps });
        }
        let _span = debug_span!("step", number = self.steps).entered();
        let outcome = self.simulation.step(time_step, self.triggers > 0);
        self.time += time_step;
        self.steps += 1;
        self.events.extend(outcome.touched.into_iter().map(|bodies| Event::Touched { bodies }));
        if let Some(id) = outcome.diverged {
            let body = self.body(id).map_or_else(|| id.to_string(), |body| body.name().to_owned());
            self.diverged = Some(body.clone());
            return Err(WorldError::Diverged { body, step: self.steps });
        }
        if self.triggers > 0 {
            self.break_what_was_hit();
        }
        let mut times = outcome.times;
        times[Stage::Fracture] += self.take_fracture_time();
        self.retire_debris();
        self.dust.iter_mut().for_each(|dust| dust.step(time_step));
        self.statistics = StepStatistics {
            times,
            contacts: outcome.contacts,
            colliding_points: outcome.colliding_points,
            fragments: self.fragments,
            triangles: self.triangles,
            debris: self.debris.alive,
            lost: self.lost,
        };
        match outcome.failure {
            Some(source) => Err(WorldError::Device { step: self.steps, source }),
            None => Ok(&self.statistics),
        }
    }
}
