//! A scene that goes on while people do things to it; one thread has it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::command::{Command, Ray};
use super::snapshot::{Eye, Snapshot};
use super::tools::{self, choices, remake, usual_size};
use crate::device::SharedBackend;
use crate::export::stream::{Choices, Status};
use crate::random::Random;
use crate::scene::{Action, Scene, SceneStepper};
use crate::world::{BodyId, FractureError, Grip, Impact, RayHit, World, WorldError};

/// Of more thrown balls the oldest go.
pub(super) const MOST_BALLS: usize = 64;

/// Things that are held at once; who takes hold of more has lost his hands.
const MOST_GRIPS: usize = 32;

/// How fast a blow that somebody points at is, for methods that ask how hard it is: m/s of the whole body.
const BLOW_SPEED: f64 = 10.0;

/// A scene that is played.
pub struct Session {
    scene: Arc<Scene>,
    stepper: SceneStepper<Arc<Scene>>,
    backend: Option<SharedBackend>,
    choices: Choices,
    /// What each page holds, by its number and the drag's.
    grips: BTreeMap<(u64, u32), Grip>,
    balls: VecDeque<BodyId>,
    /// Breaks so far, so that each is another.
    breaks: u64,
    eye: Eye,
    epoch: u32,
    /// Snapshots taken since it began anew.
    number: u32,
    /// Whether it waits.
    pub is_paused: bool,
    /// Whether it waits only because it cannot go on.
    is_stopped: bool,
    /// Seconds of the simulation for a second of the clock.
    pub slow_motion: f64,
}

impl Session {
    /// Fills a world.
    ///
    /// # Errors
    /// What the world says of a body.
    pub fn new(scene: Arc<Scene>, backend: Option<SharedBackend>) -> Result<Session, WorldError> {
        let added = scene.events.iter().filter_map(|event| match &event.action {
            Action::Add(body) => Some(&**body),
            Action::Fracture { .. } => None,
        });
        let choices = choices(usual_size(scene.bodies.iter().chain(added)), scene.has_voxels());
        let mut stepper = SceneStepper::new(Arc::clone(&scene), backend.clone())?;
        stepper.perform_due()?;
        Ok(Session {
            scene,
            stepper,
            backend,
            choices,
            grips: BTreeMap::new(),
            balls: VecDeque::new(),
            breaks: 0,
            eye: Eye::default(),
            epoch: 0,
            number: 0,
            is_paused: false,
            is_stopped: false,
            slow_motion: 1.0,
        })
    }

    /// What can be chosen.
    pub fn choices(&self) -> &Choices {
        &self.choices
    }

    /// The world as it stands.
    pub fn world(&self) -> &World {
        &self.stepper.world
    }

    /// Seconds of a step.
    pub fn time_step(&self) -> f64 {
        self.scene.time_step
    }

    /// Moves the world on by a step; what is held is pulled.
    ///
    /// # Errors
    /// If the world cannot go on.
    pub fn step(&mut self) -> Result<(), WorldError> {
        let time_step = self.time_step();
        let world = &mut self.stepper.world;
        // What broke, or can no longer move, has slipped out of the hand.
        self.grips.retain(|_, grip| world.pull(grip, time_step).is_ok());
        let outcome = self.stepper.step();
        self.stepper.world.take_events();
        match outcome {
            // The step was done all the same.
            Ok(_) | Err(WorldError::Device { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Does what a page wants done; the steps that it asks for are the caller's to do. A line for the person may come of it.
    ///
    /// # Errors
    /// Why it cannot be done, as a line for the person.
    pub fn perform(&mut self, page: u64, command: &Command) -> Result<Option<String>, String> {
        match *command {
            Command::Watch { .. } | Command::Step(_) => Ok(None),
            Command::Throw { ray, speed, radius } => self.throw(ray, speed, radius).map(|()| None),
            Command::Break { ray, radius, pattern, method, piece } => match self.find(ray, piece) {
                Some(hit) => self.break_at(hit, ray, radius, [pattern, method]),
                None => Ok(Some("There is nothing there to break.".to_owned())),
            },
            Command::DragStart { drag, ray, piece } => match self.find(ray, piece) {
                Some(hit) => self.take_hold(page, drag, hit).map(|()| None),
                None => Ok(Some("There is nothing there to take hold of.".to_owned())),
            },
            Command::DragMove { drag, target } => {
                if let Some(grip) = self.grips.get_mut(&(page, drag)) {
                    grip.target = target;
                }
                Ok(None)
            }
            Command::DragEnd { drag } => {
                self.grips.remove(&(page, drag));
                Ok(None)
            }
            Command::Reset => self.reset().map(|()| None).map_err(|error| error.to_string()),
            Command::Pause(is_paused) => {
                (self.is_paused, self.is_stopped) = (is_paused, false);
                Ok(None)
            }
            Command::SlowMotion(factor) => {
                self.slow_motion = factor;
                Ok(None)
            }
        }
    }

    /// Waits, since it cannot go on; begun anew it goes on, unless somebody paused it.
    pub(super) fn stop(&mut self) {
        self.is_stopped |= !self.is_paused;
        self.is_paused = true;
    }

    /// Whoever left holds nothing any more.
    pub fn leave(&mut self, page: u64) {
        self.grips.retain(|&(holder, _), _| holder != page);
    }

    /// The world as it stands, for pages to be told of.
    pub fn snapshot(&mut self, steps_per_second: f32, pages: u32) -> Snapshot {
        let status =
            Status { is_paused: self.is_paused, slow_motion: self.slow_motion as f32, steps_per_second, pages };
        self.number += 1;
        self.eye.look(&self.stepper.world, [self.epoch, self.number], status)
    }

    fn reset(&mut self) -> Result<(), WorldError> {
        let fresh = Session::new(Arc::clone(&self.scene), self.backend.clone())?;
        let is_paused = self.is_paused && !self.is_stopped;
        *self = Session { epoch: self.epoch + 1, is_paused, slow_motion: self.slow_motion, ..fresh };
        Ok(())
    }

    fn throw(&mut self, ray: Ray, speed: f64, radius: f64) -> Result<(), String> {
        let within = |value: f64, slider: &crate::export::stream::Slider| {
            value.clamp(f64::from(slider.least), f64::from(slider.most))
        };
        let speed = within(speed, &self.choices.ball_speed);
        let radius = within(radius, &self.choices.ball_radius);
        let world = &mut self.stepper.world;
        // It starts before the eye, not around it.
        let ball = tools::throw(world, ray.origin + 1.5 * radius * ray.direction, speed * ray.direction, radius)?;
        self.balls.push_back(ball);
        if self.balls.len() > MOST_BALLS {
            // It may have gone by itself.
            let _ = self.balls.pop_front().map(|oldest| world.remove(oldest));
        }
        Ok(())
    }

    /// What a ray meets: the piece that the page saw there, also if that has moved on a little since, or whatever is there.
    fn find(&self, ray: Ray, piece: Option<u32>) -> Option<RayHit> {
        let world = &self.stepper.world;
        let seen = piece.map(BodyId);
        let met = seen.and_then(|piece| world.cast_ray(ray.origin, ray.direction, Some(piece)));
        let near = || seen.and_then(|piece| tools::beside_ray(world, piece, ray));
        met.or_else(near).or_else(|| world.cast_ray(ray.origin, ray.direction, None))
    }

    fn take_hold(&mut self, page: u64, drag: u32, hit: RayHit) -> Result<(), String> {
        if self.grips.len() >= MOST_GRIPS && !self.grips.contains_key(&(page, drag)) {
            return Err("Too much is held already.".to_owned());
        }
        let grip = self.stepper.world.grip(hit.body, hit.point).map_err(|error| error.to_string())?;
        self.grips.insert((page, drag), grip);
        Ok(())
    }

    fn break_at(&mut self, hit: RayHit, ray: Ray, radius: f64, chosen: [u32; 2]) -> Result<Option<String>, String> {
        let [pattern, method] = chosen.map(|place| place as usize);
        let named = |names: &[String], place: usize| names.get(place).cloned().ok_or("That cannot be chosen.");
        let (pattern, method) = (named(&self.choices.patterns, pattern)?, named(&self.choices.methods, method)?);
        let (least, most) = (f64::from(self.choices.radius.least), f64::from(self.choices.radius.most));
        let radius = radius.clamp(least, most);
        let world = &mut self.stepper.world;
        let mut body = hit.body;
        let pattern = if pattern == tools::PATTERNS[0] {
            None
        } else {
            let bounds = tools::whole_look(world, body).aabb();
            let point = world.pose(body).map(|pose| pose.inverse().transform_point(hit.point)).unwrap_or_default();
            tools::pattern(&pattern, &bounds, point, radius)
        };
        if method != tools::METHODS[0] {
            body = remake(world, body, &method, pattern.as_ref())?;
        } else if let Some(pattern) = &pattern {
            world.set_pattern(body, pattern).map_err(|error| error.to_string())?;
        }
        self.breaks += 1;
        let impact = Impact {
            direction: ray.direction,
            radius: Some(radius),
            seed: Random::new(self.breaks).next_u64(),
            speed: BLOW_SPEED,
            impulse: world.body(body).map_or(0.0, |body| body.mass() * BLOW_SPEED),
            ..Impact::at(hit.point)
        };
        match world.fracture(body, &impact) {
            Ok(_) => Ok(None),
            Err(WorldError::Fracture { source: FractureError::Unbroken, .. }) => {
                Ok(Some("The blow breaks nothing off; try a larger radius.".to_owned()))
            }
            Err(error) => Err(error.to_string()),
        }
    }
}
