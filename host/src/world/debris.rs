//! Debris: pieces too small to be worth their shape.

use std::collections::VecDeque;

use super::shatter::NewBody;
use super::{Body, BodyId, Event, Motion, Representation, World};

/// What becomes of small pieces.
///
/// A piece of debris keeps its look, its mass and its momentum, but it collides as a ball of its volume whose spin is
/// damped, it does not break again, and it is taken out after a while.
#[derive(Clone, Debug, PartialEq)]
pub struct DebrisOptions {
    /// Moving pieces whose box has a longest side below this many metres are debris. Zero: none are, except those that
    /// cannot be simulated otherwise.
    pub smallest: f64,
    /// The most bodies of debris at one time; when there are more, the oldest retire.
    pub budget: usize,
    /// The age in seconds at which debris retires, if it does.
    pub lifetime: Option<f64>,
    /// How fast the spin of a ball dies, in 1/s: without it, grains would roll for ever.
    pub angular_damping: f64,
}

impl Default for DebrisOptions {
    fn default() -> DebrisOptions {
        DebrisOptions { smallest: 0.0, budget: 2000, lifetime: None, angular_damping: 10.0 }
    }
}

/// The debris of a world, oldest first. Bodies that were removed by hand may still be named.
#[derive(Default)]
pub(super) struct DebrisQueue {
    born: VecDeque<(BodyId, f64)>,
    pub(super) alive: usize,
}

impl World {
    /// Adds a piece as debris; `None` if not even that can be simulated.
    pub(super) fn add_debris(&mut self, mut new: NewBody) -> Option<BodyId> {
        let mass = new.mass;
        let damping = self.debris_options.angular_damping;
        let ball = Representation::Ball { radius: (0.75 / std::f64::consts::PI * mass.volume).cbrt() };
        let round = crate::geometry::MassProperties { centroid: mass.centroid, ..ball.mass_properties() };
        let attempt = self.simulation.build_debris(&new.description, &mass, damping);
        // A splinter can weigh enough and still have no inertia about its own axis in single precision.
        let attempt = attempt.map(|built| (built, mass));
        let ((built, radius), mass) = attempt
            .or_else(|_| self.simulation.build_debris(&new.description, &round, damping).map(|built| (built, round)))
            .ok()?;
        new.mass = mass;
        new.is_debris = true;
        new.description.representation = Representation::Ball { radius };
        new.description.motion = Motion::Dynamic;
        new.fracture = None;
        let id = self.insert(new, built);
        self.debris.born.push_back((id, self.time));
        self.debris.alive += 1;
        self.retire_debris();
        Some(id)
    }

    /// Takes out debris that is too old or too much.
    pub(super) fn retire_debris(&mut self) {
        let latest_birth = self.debris_options.lifetime.map_or(f64::NEG_INFINITY, |lifetime| self.time - lifetime);
        while let Some(&(id, born)) = self.debris.born.front() {
            let is_gone = !self.body(id).is_some_and(Body::is_debris);
            if !is_gone && born > latest_birth && self.debris.alive <= self.debris_options.budget {
                break;
            }
            self.debris.born.pop_front();
            if !is_gone && self.take(id).is_ok() {
                self.events.push(Event::Retired { body: id });
            }
        }
    }
}
