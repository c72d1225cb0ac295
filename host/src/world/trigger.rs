//! Bodies that break by themselves when they are hit.

use std::collections::BTreeSet;
use std::time::Instant;

use super::{Body, BodyId, Impact, Velocity, World};
use crate::dynamics::Blow;
use crate::random::Random;

/// What makes a body break by itself: a blow.
///
/// The strength of a blow is the impulse, in N s, that would stop the two bodies from coming nearer at the point where
/// they meet: the speed at which they approached before the step, along the contact's normal, times the mass that the
/// two bodies turn against each other there. Unlike the solver's impulses it does not depend on the time step, and a
/// body that rests has none, whatever load it carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FractureTrigger {
    /// The weakest blow that breaks the body, in N s.
    pub threshold: f64,
    /// How many times over pieces break: with 1, the body breaks but its pieces do not. A body that remains with other
    /// parts counts as the same body.
    pub depth_limit: u32,
    /// How far the damage of a blow reaches; everywhere if there is none.
    pub radius: Option<f64>,
    /// Seconds that must pass before the body, or a piece of it, breaks again.
    pub cooldown: f64,
    /// The share of the speed that is given back to both bodies when one breaks, from 0 to 1: with 0 a wall stops what
    /// breaks it, with 1 it might as well not have been there.
    pub passthrough: f64,
}

impl Default for FractureTrigger {
    fn default() -> FractureTrigger {
        FractureTrigger { threshold: 100.0, depth_limit: 1, radius: None, cooldown: 0.0, passthrough: 0.5 }
    }
}

impl World {
    /// Breaks the bodies that the last step hit hard enough, in the order of their numbers.
    pub(super) fn break_what_was_hit(&mut self) {
        let clock = Instant::now();
        let mut blows = self.simulation.blows();
        blows.retain(|blow| self.body(blow.body).is_some_and(|body| self.is_enough(body, blow)));
        self.fracture_time += clock.elapsed();
        if blows.len() > self.breaks_per_step {
            let spared = blows.len() - self.breaks_per_step;
            tracing::debug!(spared, "more bodies were hit than may break in one step");
            blows.sort_by(|a, b| b.impulse.total_cmp(&a.impulse).then(a.body.cmp(&b.body)));
            blows.truncate(self.breaks_per_step);
            blows.sort_by_key(|blow| blow.body);
        }
        let mut eased = BTreeSet::new();
        for blow in blows {
            self.break_by(&blow, &mut eased);
        }
    }

    fn is_enough(&self, body: &Body, blow: &Blow) -> bool {
        body.trigger
            .is_some_and(|trigger| blow.impulse >= trigger.threshold && self.time - body.broke_at >= trigger.cooldown)
    }

    /// Breaks a body and gives both sides of the blow a share of their speed back; `eased` are those that got theirs.
    fn break_by(&mut self, blow: &Blow, eased: &mut BTreeSet<BodyId>) {
        let Some((trigger, after)) =
            self.body(blow.body).and_then(|body| Some((body.trigger?, self.velocity(blow.body)?)))
        else {
            return;
        };
        let share = trigger.passthrough.clamp(0.0, 1.0);
        if eased.insert(blow.body) {
            self.ease(blow.body, share);
        }
        let seed = Random::new(u64::from(blow.body.0) << 32 ^ self.steps).next_u64();
        let impact = Impact {
            direction: blow.direction,
            radius: trigger.radius,
            seed,
            speed: blow.speed,
            impulse: blow.impulse,
            ..Impact::at(blow.point)
        };
        match self.fracture(blow.body, &impact) {
            Ok(_) => {
                if eased.insert(blow.other) {
                    self.ease(blow.other, share);
                }
            }
            Err(error) => {
                tracing::debug!(%error, "a blow broke nothing");
                // It did not give way after all.
                let _ = self.set_velocity(blow.body, after);
            }
        }
    }

    /// Takes a body's velocity back towards the one that it had before the step. Both sides of a blow are taken back by
    /// the same share, so that what they have exchanged stays balanced.
    fn ease(&mut self, id: BodyId, share: f64) {
        let Some(body) = self.body(id) else { return };
        let (before, after) = (self.simulation.velocity_before(&body.handle), self.simulation.velocity(&body.handle));
        let velocity = Velocity {
            linear: after.linear.lerp(before.linear, share),
            angular: after.angular.lerp(before.angular, share),
        };
        let _ = self.set_velocity(id, velocity);
    }
}
