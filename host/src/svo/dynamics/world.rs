//! A world of bodies of voxels.

use std::cell::RefCell;
use std::time::Instant;

use rayon::prelude::*;

use super::body::{BodyError, VoxelBody};
use super::crumb::{ball_below, crumb_in, is_crumb, is_sunk};
use super::options::VoxelWorldOptions;
use super::pairs::{GROUND, pairs};
use super::press::{Press, Rules, press};
use super::respond::respond;
use super::rest::Rests;
use super::sleep::{sleep, wake};
use super::statistics::VoxelStatistics;
use crate::geometry::Plane;
use crate::hash::StateHash;
use crate::svo::collide::{Scratch, intersect_half_space_with, intersect_with};
use crate::svo::{CollideOptions, Intersection};

thread_local! {
    /// What intersections need of memory; large for large octrees, and the same from step to step.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Bodies of voxels that fall, collide and come to rest (\[Domaradzki16\] 5).
#[derive(Clone, Debug, Default)]
pub struct VoxelWorld {
    /// How it works; may be changed between steps.
    pub options: VoxelWorldOptions,
    /// The ground: what is below a plane is solid.
    pub ground: Option<Plane>,
    bodies: Vec<VoxelBody>,
    /// What pairs of pieces shared when they were born, by number.
    rests: Rests,
    next: u32,
    statistics: VoxelStatistics,
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
        self.rests.expect(first..self.next);
        first..self.next
    }

    /// Takes a body out, and wakes what it may have held.
    pub fn remove(&mut self, number: u32) -> Option<VoxelBody> {
        let place = self.place(number)?;
        let body = self.bodies.remove(place);
        let reach = body.aabb().expanded(2.0 * body.lattice.voxel);
        for other in self.bodies.iter_mut().filter(|other| other.aabb().intersects(&reach)) {
            other.is_asleep = false;
            other.still = 0.0;
        }
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
    pub fn set_motion(&mut self, number: u32, velocity: glam::DVec3, spin: glam::DVec3) -> Result<bool, BodyError> {
        let Some(place) = self.place(number) else { return Ok(false) };
        if !self.bodies[place].is_fixed {
            let moved = self.bodies[place].clone().moving(velocity, spin)?;
            self.bodies[place] = VoxelBody { is_asleep: false, still: 0.0, ..moved };
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
        let pairs = pairs(&self.bodies, self.ground.as_ref());
        let found = Instant::now();
        let results: Vec<(Option<Press>, u32, u32)> =
            pairs.par_iter().with_max_len(1).map(|&pair| self.narrow(pair)).collect();
        let mut presses: Vec<Press> = results.iter().filter_map(|result| result.0).collect();
        self.rests.subtract(&mut presses, &self.bodies);
        let met = Instant::now();
        if let Some(options) = &self.options.sleep {
            wake(&mut self.bodies, &presses, options);
        }
        let gravity = self.options.gravity;
        for body in self.bodies.iter_mut().filter(|body| body.is_moving()) {
            body.velocity += dt * gravity;
        }
        respond(&mut self.bodies, &presses, gravity.length(), dt, &self.options.response);
        for body in self.bodies.iter_mut().filter(|body| body.is_moving()) {
            body.advance(dt);
        }
        if let Some(options) = &self.options.sleep {
            sleep(&mut self.bodies, &presses, dt, options);
        }
        self.statistics = VoxelStatistics {
            pairs: pairs.len() as u32,
            touching: presses.len() as u32,
            points: results.iter().map(|result| u64::from(result.1)).sum(),
            unclosed: results.iter().map(|result| u64::from(result.2)).sum(),
            awake: self.bodies.iter().filter(|body| body.is_moving()).count() as u32,
            broad: found - start,
            narrow: met - found,
            response: met.elapsed(),
        };
    }

    fn narrow(&self, pair: [u32; 2]) -> (Option<Press>, u32, u32) {
        let first = &self.bodies[pair[0] as usize];
        let normal = self.ground.filter(|_| pair[1] == GROUND).map(|ground| ground.normal);
        let rules = Rules { pressure: self.options.response.pressure, normal };
        let found = |found: &Intersection, cell: f64| (press(pair, found, cell, &rules), found.points, found.unclosed);
        SCRATCH.with_borrow_mut(|scratch| {
            if pair[1] == GROUND {
                let Some(ground) = &self.ground else { return (None, 0, 0) };
                let options = self.collide_options(first.center);
                let placed = first.placed();
                let cell = placed.cell(options.level);
                let mut result = found(&intersect_half_space_with(&placed, ground, &options, scratch), cell);
                if is_sunk(first, ground) || result.0.is_none() && is_crumb(first, cell) {
                    result.0 = ball_below(first, ground, pair, cell);
                }
                return result;
            }
            let second = &self.bodies[pair[1] as usize];
            let options = self.collide_options(0.5 * (first.center + second.center));
            let [one, other] = [first.placed(), second.placed()];
            let cell = one.cell(options.level).max(other.cell(options.level));
            let mut result = found(&intersect_with(&one, &other, &options, scratch), cell);
            let swapped = [pair[1], pair[0]];
            result.0 = result
                .0
                .or_else(|| crumb_in(first, &other, pair, options.level, cell))
                .or_else(|| crumb_in(second, &one, swapped, options.level, cell).map(Press::swapped));
            result
        })
    }

    fn collide_options(&self, place: glam::DVec3) -> CollideOptions {
        CollideOptions { level: self.options.level.at(place), placement: self.options.placement }
    }

    /// A hash of where all bodies are and how they move: the same for every number of threads.
    pub fn state_hash(&self) -> u64 {
        let mut hash = StateHash::new();
        for body in &self.bodies {
            hash.write(body.number);
            hash.write(u32::from(body.is_asleep));
            let vectors = [body.center, body.velocity, body.angular_momentum].map(|vector| vector.to_array());
            for value in vectors.as_flattened().iter().chain(&body.rotation.to_array()) {
                let bits = (value + 0.0).to_bits();
                hash.write(bits as u32);
                hash.write((bits >> 32) as u32);
            }
        }
        hash.finish()
    }
}
