//! A world of bodies of voxels.

use std::collections::BTreeMap;
use std::time::Instant;

use glam::DVec3;
use rayon::prelude::*;
use tracing::debug_span;

use super::body::{BodyError, VoxelBody};
use super::cache::Found;
use super::narrow::numbers_of;
use super::options::VoxelWorldOptions;
use super::pairs::{pairs, plane_of};
use super::press::Press;
use super::respond::{Solved, Step, pressure_of, respond};
use super::rest::Rests;
use super::sleep::{sleep, wake, wake_unheld};
use super::statistics::VoxelStatistics;
use super::sweep::{advance, shares};
use crate::device::{DeviceError, SharedBackend};
use crate::geometry::Plane;
use crate::hash::StateHash;

/// Bodies of voxels that fall, collide and come to rest (\[Domaradzki16\] 5).
#[derive(Clone, Debug, Default)]
pub struct VoxelWorld {
    /// How it works; may be changed between steps.
    pub options: VoxelWorldOptions,
    /// The ground and walls: what is below a plane is solid.
    pub planes: Vec<Plane>,
    pub(super) bodies: Vec<VoxelBody>,
    /// What pairs of pieces shared when they were born, by number.
    pub(super) rests: Rests,
    /// The intersections of pairs, by number.
    pub(super) found: BTreeMap<[u32; 2], Found>,
    /// What pairs were pressed by in the last step, by number.
    solved: BTreeMap<[u32; 2], Vec<Solved>>,
    next: u32,
    /// Where the pairs of a step are compared, all at once; on the CPU each is where it is looked at.
    pub(super) backend: Option<SharedBackend>,
    failure: Option<DeviceError>,
    statistics: VoxelStatistics,
    touches: Vec<VoxelTouch>,
}

/// One of two that touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// A body, by number.
    Body(u32),
    /// A plane, by its place in the list.
    Plane(usize),
}

/// Two bodies, or a body and a plane, that share some volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoxelTouch {
    /// Who they are.
    pub sides: [Side; 2],
    /// The middle of where they press each other.
    pub point: DVec3,
    /// The direction that pushes the first away, or zero where one is around the other.
    pub normal: DVec3,
    /// How deep they are in each other.
    pub depth: f64,
    /// How hard the last step pushed them apart.
    pub impulse: f64,
}

impl VoxelWorld {
    /// An empty world.
    pub fn new(options: VoxelWorldOptions) -> VoxelWorld {
        VoxelWorld { options, ..VoxelWorld::default() }
    }

    /// Adds a body. Returns its number, which no other body will have.
    pub fn add(&mut self, mut body: VoxelBody) -> u32 {
        body.number = self.next;
        self.next += 1;
        self.bodies.push(body);
        self.next - 1
    }

    /// Adds the pieces that something broke into. They may overlap as they are, by what the voxels that a cut went through
    /// make of them, and are not driven apart by that: only by what they overlap more.
    pub fn add_pieces(&mut self, pieces: impl IntoIterator<Item = VoxelBody>) -> std::ops::Range<u32> {
        let first = self.next;
        for piece in pieces {
            self.add(piece);
        }
        self.expect_pieces(first..self.next);
        first..self.next
    }

    /// Says that bodies, by number, are the pieces of one thing, as [`VoxelWorld::add_pieces`] does.
    pub fn expect_pieces(&mut self, numbers: std::ops::Range<u32>) {
        // What their voxels are looked up in is made now, all at once, and not in the step in which they first meet.
        let pieces: Vec<&VoxelBody> = self.bodies.iter().filter(|body| numbers.contains(&body.number)).collect();
        pieces.par_iter().for_each(|body| body.placed().prepare(self.options.level.at(body.center)));
        self.rests.expect(numbers);
    }

    /// Takes a plane out, by its place in the list, and wakes all bodies.
    pub fn remove_plane(&mut self, plane: usize) {
        if plane < self.planes.len() {
            // What was found with planes is known by their places, which are others now.
            self.found.retain(|pair, _| plane_of(pair[1], self.planes.len()).is_none());
            self.solved.retain(|pair, _| plane_of(pair[1], self.planes.len()).is_none());
            self.planes.remove(plane);
            self.bodies.iter_mut().for_each(VoxelBody::wake);
        }
    }

    /// Takes a body out, and wakes what it may have held.
    pub fn remove(&mut self, number: u32) -> Option<VoxelBody> {
        let place = self.place(number)?;
        let body = self.bodies.remove(place);
        let reach = body.aabb().expanded(2.0 * body.lattice.voxel);
        self.bodies.iter_mut().filter(|other| other.aabb().intersects(&reach)).for_each(VoxelBody::wake);
        Some(body)
    }

    /// All bodies, by number.
    pub fn bodies(&self) -> &[VoxelBody] {
        &self.bodies
    }

    /// A body.
    pub fn body(&self, number: u32) -> Option<&VoxelBody> {
        self.place(number).map(|place| &self.bodies[place])
    }

    /// Gives a body another motion, and wakes it. Returns whether there is such a body; a fixed one stays where it is.
    ///
    /// # Errors
    /// If the motion is not finite.
    pub fn set_motion(&mut self, number: u32, velocity: DVec3, spin: DVec3) -> Result<bool, BodyError> {
        let Some(place) = self.place(number) else { return Ok(false) };
        if !self.bodies[place].is_fixed {
            self.bodies[place] = self.bodies[place].clone().moving(velocity, spin)?;
            self.bodies[place].wake();
        }
        Ok(true)
    }

    fn place(&self, number: u32) -> Option<usize> {
        self.bodies.binary_search_by_key(&number, |body| body.number).ok()
    }

    /// What the last step was about.
    pub fn statistics(&self) -> &VoxelStatistics {
        &self.statistics
    }

    /// Moves the world on by some time; the paper's steps are of 0.01 seconds. A time that is not positive and finite is none.
    pub fn step(&mut self, dt: f64) {
        if !(dt > 0.0 && dt.is_finite()) {
            return;
        }
        let start = Instant::now();
        let pairs = debug_span!("broad").in_scope(|| pairs(&self.bodies, &self.planes));
        let paired = Instant::now();
        let stage = debug_span!("narrow").entered();
        let numbers = |pair: &[u32; 2]| numbers_of(&self.bodies, *pair);
        let (results, failure) = self.narrow_all(&pairs);
        let found = pairs.iter().zip(&results).filter_map(|(pair, result)| Some((numbers(pair), result.found?)));
        // What is asleep is in no pair, and is as it was when it wakes.
        let is_still = |number: u32| match self.place(number) {
            Some(place) => !self.bodies[place].is_moving(),
            None => plane_of(number, self.planes.len()).is_some(),
        };
        let asleep = self.found.iter().filter(|(pair, _)| pair.iter().all(|&number| is_still(number)));
        self.found = asleep.map(|(&pair, &found)| (pair, found)).chain(found).collect();
        self.failure = failure;
        let mut presses: Vec<Press> = results.iter().filter_map(|result| result.press).collect();
        let births = pairs.iter().zip(&results).filter_map(|(pair, result)| Some((numbers(pair), result.birth?)));
        self.rests.subtract(&mut presses, births, &self.bodies);
        drop(stage);
        let met = Instant::now();
        let _stage = debug_span!("response").entered();
        let numbers: Vec<[u32; 2]> = presses.iter().map(|press| numbers_of(&self.bodies, press.bodies)).collect();
        if let Some(options) = &self.options.sleep {
            wake(&mut self.bodies, &presses, options);
            let up = -self.options.gravity.normalize_or_zero();
            wake_unheld(&mut self.bodies, &self.touches, &numbers, up, options);
        }
        let gravity = self.options.gravity;
        for body in self.bodies.iter_mut().filter(|body| body.is_moving()) {
            body.velocity += dt * gravity;
        }
        let before: Vec<&[Solved]> =
            numbers.iter().map(|pair| self.solved.get(pair).map_or(&[][..], |all| all)).collect();
        let step = Step { gravity: gravity.length(), dt, options: &self.options.response };
        let solved = respond(&mut self.bodies, &presses, &before, &step);
        let touch = |(press, solved): (&Press, &Vec<Solved>)| self.touch(press, pressure_of(solved));
        self.touches = presses.iter().zip(&solved).map(touch).collect();
        self.solved = numbers.into_iter().zip(solved).collect();
        let shares = shares(&self.bodies, &presses, dt, |one, other| self.overlap(one, other));
        for (body, share) in self.bodies.iter_mut().zip(shares).filter(|(body, _)| body.is_moving()) {
            advance(body, &self.planes, share * dt);
        }
        if let Some(options) = &self.options.sleep {
            sleep(&mut self.bodies, &presses, dt, &self.options.level, options);
        }
        self.statistics = VoxelStatistics {
            pairs: pairs.len() as u32,
            touching: presses.len() as u32,
            points: results.iter().map(|result| u64::from(result.points)).sum(),
            unclosed: results.iter().map(|result| u64::from(result.unclosed)).sum(),
            awake: self.bodies.iter().filter(|body| body.is_moving()).count() as u32,
            broad: paired - start,
            narrow: met - paired,
            response: met.elapsed(),
        };
    }

    /// Compares the voxels of pairs on a backend, or again on the CPU; what comes of it is the same.
    pub fn set_backend(&mut self, backend: Option<SharedBackend>) {
        self.backend = backend;
    }

    /// Why the backend did not compare the pairs of the last step, which the CPU did then.
    pub fn take_failure(&mut self) -> Option<DeviceError> {
        self.failure.take()
    }

    fn sides(&self, press: &Press) -> [Side; 2] {
        press.bodies.map(|body| match plane_of(body, self.planes.len()) {
            Some(plane) => Side::Plane(plane),
            None => Side::Body(self.bodies[body as usize].number),
        })
    }

    fn touch(&self, press: &Press, impulse: f64) -> VoxelTouch {
        VoxelTouch {
            sides: self.sides(press),
            point: press.center,
            normal: -press.gradient.normalize_or_zero(),
            depth: press.depth(),
            impulse,
        }
    }

    /// Who pressed whom in the last step.
    pub fn touches(&self) -> &[VoxelTouch] {
        &self.touches
    }

    /// Pushes a body at a point, and wakes it. Returns whether there is such a body; a fixed one stays where it is.
    pub fn apply_impulse(&mut self, number: u32, impulse: DVec3, point: DVec3) -> bool {
        let Some(place) = self.place(number) else { return false };
        let body = &mut self.bodies[place];
        if !body.is_fixed {
            body.velocity += impulse / body.mass;
            body.angular_momentum += (point - body.center).cross(impulse);
            body.wake();
        }
        true
    }

    /// A hash of where all bodies are and how they move: the same for every number of threads.
    pub fn state_hash(&self) -> u64 {
        let mut hash = StateHash::new();
        for body in &self.bodies {
            hash.write(body.number);
            hash.write(u32::from(body.is_asleep));
            for vector in [body.center, body.velocity, body.angular_momentum] {
                hash.write_doubles(&vector.to_array());
            }
            hash.write_doubles(&body.rotation.to_array());
        }
        hash.finish()
    }
}
