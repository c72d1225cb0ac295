//! Dust of a break (\[Mueller13\] 5).
//!
//! As in the paper, dust comes from the faces that a break laid open, sampled uniformly, and every particle has an
//! orientation that shows the small swirls (after Pfaff and others 2010). Where the paper has a grid of fluid, the air here
//! is still but for the swirls.

use glam::{DVec3, Quat, Vec3};
use rayon::prelude::*;

use super::turbulence::Turbulence;
use super::{Particle, ParticleSystem};
use crate::geometry::Pose;
use crate::random::Random;
use crate::world::{ExposedFaces, Velocity};

/// How many particles one task moves.
const PARTICLES_PER_TASK: usize = 2048;

/// Where dust comes from and how it moves. Numbers that make no sense (negative, or not a number) count as zero.
#[derive(Clone, Debug, PartialEq)]
pub struct DustOptions {
    /// Samples to a square metre of the faces that a break lays open.
    pub density: f64,
    /// How many of the samples become dust, from 0 to 1; the rest is left to debris.
    pub ratio: f64,
    /// The smallest and the largest radius, in m.
    pub radius: [f64; 2],
    /// How fast particles take on the velocity of the air, in 1/s.
    pub drag: f64,
    /// How fast particles leave their face at most, beyond the velocity of the body, in m/s.
    pub throw: f64,
    /// The speed of the swirls (the root of the mean square), in m/s.
    pub turbulence: f64,
    /// The size of the swirls, in m.
    pub turbulence_scale: f64,
    /// How fast dust sinks in still air, in m/s; negative for dust that rises.
    pub settling: f64,
    /// How long particles live at most, in s; the shortest life is half of that.
    pub lifetime: f64,
    /// How many particles there are at most; the oldest go first.
    pub budget: usize,
    /// The height of the ground, which dust does not sink below.
    pub ground: Option<f64>,
}

impl Default for DustOptions {
    fn default() -> DustOptions {
        DustOptions {
            density: 400.0,
            ratio: 0.8,
            radius: [0.01, 0.05],
            drag: 3.0,
            throw: 0.6,
            turbulence: 0.25,
            turbulence_scale: 0.4,
            settling: 0.12,
            lifetime: 4.0,
            budget: 100_000,
            ground: None,
        }
    }
}

/// Particles of dust in the air.
///
/// ```
/// use fracas::dynamics::{Dust, DustOptions};
/// use fracas::geometry::Pose;
/// use fracas::world::{ExposedFaces, Velocity};
/// use glam::DVec3;
///
/// let faces = ExposedFaces {
///     points: vec![DVec3::ZERO, DVec3::Z, DVec3::X],
///     ends: vec![3],
///     normals: vec![DVec3::Y],
/// };
/// let mut dust = Dust::new(&DustOptions::default());
/// dust.emit(&faces, &Pose::IDENTITY, Velocity::default(), DVec3::ZERO, 1);
/// assert!((159..=161).contains(&dust.particles().len()));
/// dust.step(1.0 / 60.0);
/// ```
#[derive(Clone, Debug)]
pub struct Dust {
    options: DustOptions,
    /// From old to young, as are the other lists.
    particles: Vec<Particle>,
    orientations: Vec<Quat>,
    grains: Vec<Grain>,
    time: f64,
}

/// What a particle has that nobody draws.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Grain {
    velocity: Vec3,
    spin: Vec3,
    age: f32,
    lifetime: f32,
}

impl Dust {
    /// Air without dust.
    pub fn new(options: &DustOptions) -> Dust {
        let mut options = options.clone();
        let [smallest, largest] = options.radius.map(not_negative);
        options.radius = [smallest.min(largest), smallest.max(largest)];
        let numbers = [&mut options.density, &mut options.drag, &mut options.throw, &mut options.lifetime];
        for number in numbers {
            *number = not_negative(*number);
        }
        options.ratio = not_negative(options.ratio).min(1.0);
        options.settling = if options.settling.is_finite() { options.settling } else { 0.0 };
        options.ground = options.ground.filter(|ground| ground.is_finite());
        Dust { options, particles: Vec::new(), orientations: Vec::new(), grains: Vec::new(), time: 0.0 }
    }

    /// What this dust was made with; numbers that made no sense are zero.
    pub fn options(&self) -> &DustOptions {
        &self.options
    }

    /// The particles, from old to young.
    pub fn particles(&self) -> &[Particle] {
        &self.particles
    }

    /// How each particle is turned. The swirls turn it, so that a sprite that turns with it shows swirls smaller than the
    /// distance between particles.
    pub fn orientations(&self) -> &[Quat] {
        &self.orientations
    }

    /// Adds the dust of faces that a break laid open.
    ///
    /// The faces are convex polygons in the coordinates of a body, which is at `pose` and moves with `velocity` about
    /// `center`, a point of the world. Particles begin with the velocity of the body where they are, and leave along the
    /// normal.
    pub fn emit(&mut self, faces: &ExposedFaces, pose: &Pose, velocity: Velocity, center: DVec3, seed: u64) {
        let fan = Fan::of(faces);
        let mut random = Random::new(seed ^ 0xd057_d057_d057_d057);
        let expected = fan.area() * self.options.density * self.options.ratio;
        // Faces too small for a particle still give one now and then. More than the budget would only push out each other.
        let count = (expected + random.unit()).min(self.options.budget as f64) as usize;
        let [smallest, largest] = self.options.radius;
        let shortest = 0.5 * self.options.lifetime;
        for _ in 0..count {
            let (point, normal) = fan.sample(faces, [random.unit(), random.unit(), random.unit()]);
            let normal = pose.transform_vector(normal);
            let at = pose.transform_point(point);
            let push = self.options.throw * random.unit() * (normal + 0.3 * random.in_cube());
            let moving = velocity.linear + velocity.angular.cross(at - center) + push;
            // Many small ones and few large ones, as dust has.
            let radius = smallest + (largest - smallest) * random.unit().powi(2);
            let lifetime = shortest + shortest * random.unit();
            let orientation = random_rotation(&mut random);
            let (position, moving) = (at.as_vec3(), moving.as_vec3());
            if !position.is_finite() || lifetime <= 0.0 {
                continue;
            }
            self.particles.push(Particle { position, radius: radius as f32, opacity: 1.0 });
            self.orientations.push(orientation);
            self.grains.push(Grain {
                velocity: if moving.is_finite() { moving } else { Vec3::ZERO },
                spin: Vec3::ZERO,
                age: 0.0,
                lifetime: lifetime as f32,
            });
        }
        let surplus = self.particles.len().saturating_sub(self.options.budget);
        self.particles.drain(..surplus);
        self.orientations.drain(..surplus);
        self.grains.drain(..surplus);
    }

    /// Moves the dust on. Exact for air that blows evenly, however long the step; zero and what is not a time does nothing.
    pub fn step(&mut self, dt: f64) {
        if !(dt > 0.0 && dt.is_finite()) {
            return;
        }
        let motion = Motion::new(&self.options, self.time, dt);
        self.time += dt;
        (
            self.particles.par_chunks_mut(PARTICLES_PER_TASK),
            self.orientations.par_chunks_mut(PARTICLES_PER_TASK),
            self.grains.par_chunks_mut(PARTICLES_PER_TASK),
        )
            .into_par_iter()
            .for_each(|(particles, orientations, grains)| {
                for ((particle, orientation), grain) in particles.iter_mut().zip(orientations).zip(grains) {
                    motion.advance(particle, orientation, grain);
                }
            });
        self.retire();
    }

    /// Drops those whose life is over, or that were blown out of the range of numbers; the others stay in order.
    fn retire(&mut self) {
        let mut kept = 0;
        for number in 0..self.grains.len() {
            let Grain { age, lifetime, .. } = self.grains[number];
            if age < lifetime && self.particles[number].position.is_finite() {
                if kept != number {
                    self.particles[kept] = self.particles[number];
                    self.orientations[kept] = self.orientations[number];
                    self.grains[kept] = self.grains[number];
                }
                kept += 1;
            }
        }
        self.particles.truncate(kept);
        self.orientations.truncate(kept);
        self.grains.truncate(kept);
    }
}

/// What one step does to every particle.
struct Motion {
    turbulence: Turbulence,
    settling: Vec3,
    dt: f32,
    /// What is left of the difference to the air after the step.
    left: f32,
    /// How long the difference would have to last whole for what it moves a particle by.
    carried: f32,
    ground: f32,
}

impl Motion {
    fn new(options: &DustOptions, time: f64, dt: f64) -> Motion {
        let decay = -(-options.drag * dt).exp_m1();
        Motion {
            turbulence: Turbulence::new(options.turbulence_scale, options.turbulence, time),
            settling: Vec3::new(0.0, -options.settling as f32, 0.0),
            dt: dt as f32,
            left: (1.0 - decay) as f32,
            carried: if options.drag > 0.0 { decay / options.drag } else { dt } as f32,
            ground: options.ground.map_or(f32::NEG_INFINITY, |ground| ground as f32),
        }
    }

    #[inline]
    fn advance(&self, particle: &mut Particle, orientation: &mut Quat, grain: &mut Grain) {
        let air = self.turbulence.at(particle.position);
        let target = air.velocity + self.settling;
        let difference = grain.velocity - target;
        particle.position += target * self.dt + difference * self.carried;
        grain.velocity = target + difference * self.left;
        if particle.position.y < self.ground {
            particle.position.y = self.ground;
            grain.velocity.y = grain.velocity.y.max(0.0);
        }
        grain.spin = air.spin + (grain.spin - air.spin) * self.left;
        // Half a turn at most, whatever the spin: stable for any step.
        let half = 0.5 * self.dt * grain.spin;
        let turn = Quat::from_xyzw(half.x, half.y, half.z, 1.0);
        *orientation = (turn * *orientation).normalize();
        grain.age += self.dt;
        let rest = (1.0 - grain.age / grain.lifetime).max(0.0);
        particle.opacity = rest * rest;
    }
}

/// Triangles of convex polygons, each fanned from its first corner, with their areas summed up.
struct Fan {
    /// The corner after the first of each triangle, and its polygon.
    triangles: Vec<(u32, u32)>,
    /// The area of all triangles up to and with each.
    sums: Vec<f64>,
}

impl Fan {
    fn of(faces: &ExposedFaces) -> Fan {
        let mut fan = Fan { triangles: Vec::new(), sums: Vec::new() };
        let mut total = 0.0;
        for polygon in 0..faces.ends.len().min(faces.normals.len()) {
            let start = first_corner(faces, polygon);
            let end = (faces.ends[polygon] as usize).min(faces.points.len());
            for corner in start + 1..end.saturating_sub(1).max(start + 1) {
                let [a, b, c] = [start, corner, corner + 1].map(|corner| faces.points[corner]);
                let area = 0.5 * (b - a).cross(c - a).length();
                if area > 0.0 && area.is_finite() {
                    total += area;
                    fan.triangles.push((corner as u32, polygon as u32));
                    fan.sums.push(total);
                }
            }
        }
        fan
    }

    fn area(&self) -> f64 {
        self.sums.last().copied().unwrap_or(0.0)
    }

    /// A point and its normal; uniform over the area if the three numbers are over the unit cube. There must be area.
    fn sample(&self, faces: &ExposedFaces, [place, u, v]: [f64; 3]) -> (DVec3, DVec3) {
        let wanted = place * self.area();
        let triangle = self.sums.partition_point(|&sum| sum <= wanted).min(self.triangles.len() - 1);
        let (corner, polygon) = self.triangles[triangle];
        let first = faces.points[first_corner(faces, polygon as usize)];
        let [second, third] = [corner as usize, corner as usize + 1].map(|corner| faces.points[corner]);
        // Folding the unit square onto a triangle keeps areas.
        let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
        (first + u * (second - first) + v * (third - first), faces.normals[polygon as usize])
    }
}

fn first_corner(faces: &ExposedFaces, polygon: usize) -> usize {
    if polygon == 0 { 0 } else { faces.ends[polygon - 1] as usize }
}

fn not_negative(number: f64) -> f64 {
    if number.is_finite() { number.max(0.0) } else { 0.0 }
}

fn random_rotation(random: &mut Random) -> Quat {
    let [x, y, z, w] = std::array::from_fn(|_| 2.0 * random.unit() - 1.0);
    let rotation = Quat::from_xyzw(x as f32, y as f32, z as f32, w as f32);
    if rotation.length_squared() > 1e-6 { rotation.normalize() } else { Quat::IDENTITY }
}

impl ParticleSystem for Dust {
    fn emit(&mut self, faces: &ExposedFaces, pose: &Pose, velocity: Velocity, center: DVec3, seed: u64) {
        Dust::emit(self, faces, pose, velocity, center, seed);
    }

    fn step(&mut self, time_step: f64) {
        Dust::step(self, time_step);
    }

    fn particles(&self) -> &[Particle] {
        Dust::particles(self)
    }
}

#[cfg(test)]
#[path = "dust_tests.rs"]
mod tests;
