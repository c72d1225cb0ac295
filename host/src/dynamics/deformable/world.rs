//! Deformable bodies that are stepped together.

use std::time::{Duration, Instant};

use glam::DVec3;
use rayon::prelude::*;

use super::contacts::{ContactRow, Contacts};
use super::elements::Elements;
use super::matrix::StiffnessMatrix;
use super::solver::{Solver, SolverOptions, System};
use super::{DeformableBody, DeformableError, ROWS_PER_TASK};
use crate::geometry::{Plane, TriMesh};
use crate::hash::StateHash;
use crate::raytrace::{ContactForce, DetectionMethod, DetectionStatistics, Detector, Match, ResponseOptions, Surface};

/// What holds for all bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct DeformableOptions {
    /// Metres for each second squared.
    pub gravity: DVec3,
    /// What bodies lie on, if anything: they stay on the side that the normal points to.
    pub ground: Option<Plane>,
    /// How collisions are found.
    pub detection: DetectionMethod,
    /// What collisions do, with the ground too.
    pub response: ResponseOptions,
    /// When a step is solved.
    pub solver: SolverOptions,
}

impl Default for DeformableOptions {
    fn default() -> DeformableOptions {
        DeformableOptions {
            gravity: DVec3::new(0.0, -9.81, 0.0),
            ground: None,
            detection: DetectionMethod::default(),
            response: ResponseOptions::default(),
            solver: SolverOptions::default(),
        }
    }
}

/// What a step cost and found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeformableStatistics {
    /// Finding collisions, octrees included.
    pub detect: Duration,
    /// Forces and matrices of the elements.
    pub assemble: Duration,
    /// Solving for the velocities.
    pub solve: Duration,
    /// Contacts that push, those with the ground included.
    pub contacts: usize,
    /// Iterations of the solver.
    pub iterations: usize,
    /// What detection looked at and found.
    pub detection: DetectionStatistics,
}

impl DeformableStatistics {
    /// The whole step.
    pub fn total(&self) -> Duration {
        self.detect + self.assemble + self.solve
    }
}

/// The nodes of one body within the lists of the world.
#[derive(Clone, Debug)]
struct Placed {
    nodes: std::ops::Range<usize>,
    /// The node of each vertex of the surface, counted from the body's first.
    surface_nodes: Vec<u32>,
    stiffness_damping: f64,
    mass_damping: f64,
    is_free: bool,
}

/// Deformable bodies, stepped by backward Euler: one linear system for all bodies and contacts.
///
/// ```
/// use fracas::dynamics::deformable::{DeformableBody, DeformableOptions, DeformableWorld, ElasticMaterial, torus_tets};
/// use fracas::geometry::{Plane, shapes::Torus};
/// use glam::DVec3;
///
/// let ground = Some(Plane::through(DVec3::NEG_Y * 0.2, DVec3::Y));
/// let mut world = DeformableWorld::new(DeformableOptions { ground, ..DeformableOptions::default() });
/// let torus = Torus { major_segments: 16, minor_segments: 8, ..Torus::default() };
/// let body = world.add(&DeformableBody::new(torus_tets(&torus)?, ElasticMaterial::default()))?;
/// for _ in 0..30 {
///     world.step(0.02)?;
/// }
/// assert!(world.surface(body).aabb().min.y > -0.25);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct DeformableWorld {
    options: DeformableOptions,
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
    masses: Vec<f64>,
    bodies: Vec<Placed>,
    surfaces: Vec<Surface>,
    elements: Elements,
    matrix: Option<StiffnessMatrix>,
    detector: Detector,
    contacts: Contacts,
    solver: Solver,
    forces: Vec<DVec3>,
    elastic: Vec<f64>,
    damped_masses: Vec<f64>,
}

impl DeformableWorld {
    /// A world without bodies.
    pub fn new(options: DeformableOptions) -> DeformableWorld {
        DeformableWorld { options, ..DeformableWorld::default() }
    }

    /// Adds a body; its number is how many there were before.
    ///
    /// # Errors
    /// What [`DeformableBody::check`] says.
    pub fn add(&mut self, body: &DeformableBody) -> Result<usize, DeformableError> {
        body.check()?;
        let (mesh, surface_nodes) = body.surface();
        self.surfaces.push(Surface::new(&mesh)?);
        let first = self.positions.len();
        self.elements.add(body, first as u32);
        self.positions.extend_from_slice(&body.mesh.positions);
        self.velocities.resize(self.positions.len(), body.velocity);
        self.masses.extend(body.masses());
        for &node in &body.fixed {
            self.masses[first + node as usize] = f64::INFINITY;
            self.velocities[first + node as usize] = DVec3::ZERO;
        }
        self.bodies.push(Placed {
            nodes: first..self.positions.len(),
            surface_nodes,
            stiffness_damping: body.material.stiffness_damping,
            mass_damping: body.material.mass_damping,
            is_free: body.fixed.is_empty(),
        });
        self.matrix = None;
        self.solver.resize(self.positions.len());
        self.forces.resize(self.positions.len(), DVec3::ZERO);
        Ok(self.bodies.len() - 1)
    }

    /// What holds for all bodies.
    pub fn options(&self) -> &DeformableOptions {
        &self.options
    }

    /// The same, to change it between steps.
    pub fn options_mut(&mut self) -> &mut DeformableOptions {
        &mut self.options
    }

    /// How many bodies there are.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there is no body.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// The surface of a body, as it stands.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn surface(&self, body: usize) -> &Surface {
        &self.surfaces[body]
    }

    /// The surface of a body as a mesh, as it stands.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn mesh(&self, body: usize) -> TriMesh {
        TriMesh::new(self.surfaces[body].positions().to_vec(), self.surfaces[body].triangles().to_vec())
    }

    /// Where the nodes of a body are.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn positions(&self, body: usize) -> &[DVec3] {
        &self.positions[self.bodies[body].nodes.clone()]
    }

    /// How fast the nodes of a body move.
    ///
    /// # Panics
    /// If there is no such body.
    pub fn velocities(&self, body: usize) -> &[DVec3] {
        &self.velocities[self.bodies[body].nodes.clone()]
    }

    /// The matches that the last step found.
    pub fn matches(&self) -> &[Match] {
        self.detector.matches()
    }

    /// The momentum of all nodes that are not fixed.
    pub fn momentum(&self) -> DVec3 {
        let free = self.velocities.iter().zip(&self.masses).filter(|(_, mass)| mass.is_finite());
        free.fold(DVec3::ZERO, |sum, (&velocity, &mass)| sum + mass * velocity)
    }

    /// The hash of all places and velocities.
    pub fn hash(&self) -> u64 {
        let mut hash = StateHash::new();
        for vector in self.positions.iter().chain(&self.velocities) {
            hash.write_doubles(&vector.to_array());
        }
        hash.finish()
    }

    /// Finds what collides as the bodies stand. A step begins with this.
    pub fn detect(&mut self) -> DetectionStatistics {
        let (positions, bodies) = (&self.positions, &self.bodies);
        self.surfaces.par_iter_mut().zip(bodies).for_each(|(surface, body)| {
            surface.move_to(body.surface_nodes.iter().map(|&node| positions[body.nodes.start + node as usize]));
        });
        self.detector.detect(&mut self.surfaces, &self.options.detection)
    }

    /// Moves all bodies by a time step. The same on any number of threads.
    ///
    /// # Errors
    /// If the step is not a positive number.
    pub fn step(&mut self, seconds: f64) -> Result<DeformableStatistics, DeformableError> {
        if !(seconds > 0.0 && seconds.is_finite()) {
            return Err(DeformableError::Step(seconds));
        }
        let mut statistics = DeformableStatistics::default();
        let start = Instant::now();
        statistics.detection = self.detect();
        statistics.detect = start.elapsed();

        let start = Instant::now();
        self.elements.turn(&self.positions);
        let nodes = self.positions.len();
        let mut matrix = self.matrix.take().unwrap_or_else(|| StiffnessMatrix::new(&self.elements, nodes));
        matrix.assemble(&self.elements, &mut self.forces);
        self.gather_contacts(seconds);
        statistics.contacts = self.contacts.rows.len();
        self.weigh(seconds);
        self.right_side(&matrix, seconds);
        statistics.assemble = start.elapsed();

        let start = Instant::now();
        let (contacts, masses, elastic) = (&mut self.contacts, &self.damped_masses, &self.elastic);
        let mut system = System { matrix: &matrix, contacts, masses, elastic };
        statistics.iterations = self.solver.solve(&mut system, &self.options.solver);
        self.matrix = Some(matrix);
        self.keep_momentum(seconds);
        self.advance(seconds);
        statistics.solve = start.elapsed();
        Ok(statistics)
    }

    /// The matches and the ground as rows of the system.
    fn gather_contacts(&mut self, seconds: f64) {
        let (bodies, velocities, response) = (&self.bodies, &self.velocities, &self.options.response);
        let node = |body: u32, vertex: u32| {
            let body = &bodies[body as usize];
            (body.nodes.start + body.surface_nodes[vertex as usize] as usize) as u32
        };
        let to_row = |found: &Match| {
            let mut row = ContactRow::new(found.normal, 0.0, 0.0, DVec3::ZERO);
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                for (vertex, weight) in found.points[side].iter() {
                    row.push(node(found.bodies[side], vertex), sign * weight);
                }
            }
            let velocity = row.relative(velocities);
            let force = ContactForce::new(found, velocity, seconds, response)?;
            row.along = seconds * seconds * force.normal_stiffness + seconds * force.normal_damping;
            row.across = seconds * force.tangent_damping;
            let ahead = seconds * force.normal_stiffness * velocity.dot(found.normal);
            row.impulse = seconds * (force.force - ahead * found.normal);
            Some(row)
        };
        let rows: Vec<Option<ContactRow>> = self.detector.matches().par_iter().with_min_len(256).map(to_row).collect();
        self.contacts.rows.clear();
        self.contacts.rows.extend(rows.into_iter().flatten());
        if let Some(ground) = self.options.ground {
            self.gather_ground(&ground, seconds);
        }
        self.contacts.index(self.positions.len());
    }

    fn gather_ground(&mut self, ground: &Plane, seconds: f64) {
        let response = &self.options.response;
        for (body, surface) in self.bodies.iter().zip(&self.surfaces) {
            if ground.range_of_box(surface.aabb())[0] >= 0.0 {
                continue;
            }
            for (&node, (&place, &area)) in
                body.surface_nodes.iter().zip(surface.positions().iter().zip(surface.areas()))
            {
                let node = body.nodes.start + node as usize;
                let velocity = self.velocities[node];
                let (depth, speed) = (-ground.signed_distance(place), velocity.dot(ground.normal));
                if depth <= 0.0 {
                    continue;
                }
                let stiffness = response.stiffness * area;
                let across = velocity - speed * ground.normal;
                let friction = response.friction * stiffness * depth / across.length().max(response.friction_speed);
                let along = seconds * (seconds + response.damping) * stiffness;
                let push = stiffness * (depth - (seconds + response.damping) * speed) * ground.normal;
                let impulse = seconds * (push - friction * across);
                let mut row = ContactRow::new(ground.normal, along, seconds * friction, impulse);
                row.push(node as u32, 1.0);
                self.contacts.rows.push(row);
            }
        }
    }

    /// Masses with their damping, and what elasticity counts, node by node.
    fn weigh(&mut self, seconds: f64) {
        self.elastic.clear();
        self.damped_masses.clear();
        for body in &self.bodies {
            let elastic = seconds * (seconds + body.stiffness_damping);
            self.elastic.resize(body.nodes.end, elastic);
            let damped = 1.0 + seconds * body.mass_damping;
            self.damped_masses.extend(self.masses[body.nodes.clone()].iter().map(|mass| mass * damped));
        }
    }

    /// What changes the velocities: forces over the step, less what elasticity has against going on as before.
    fn right_side(&mut self, matrix: &StiffnessMatrix, seconds: f64) {
        let gravity = self.options.gravity;
        let (velocities, masses, damped) = (&self.velocities, &self.masses, &self.damped_masses);
        let (forces, elastic, contacts) = (&self.forces, &self.elastic, &self.contacts);
        let (right, loads) = (&mut self.solver.right, &mut self.solver.loads);
        let tasks = right.par_chunks_mut(ROWS_PER_TASK).zip(loads.par_chunks_mut(ROWS_PER_TASK)).enumerate();
        tasks.for_each(|(chunk, (right, loads))| {
            for offset in 0..right.len() {
                let row = chunk * ROWS_PER_TASK + offset;
                (right[offset], loads[offset]) = (DVec3::ZERO, DVec3::ZERO);
                if masses[row].is_finite() {
                    let (weight, contact) = (masses[row] * gravity, contacts.impulse(row));
                    let damping = (damped[row] - masses[row]) * velocities[row];
                    let onward = elastic[row] * matrix.row(row, velocities);
                    right[offset] = seconds * (forces[row] + weight) - damping - onward + contact;
                    loads[offset] = seconds * (forces[row].abs() + weight.abs()) + onward.abs() + contact.abs();
                }
            }
        });
    }

    /// What the solver left of each free body's momentum goes to all of its nodes alike: elasticity has nothing against
    /// that, and so momentum is as exact as rounding lets it be.
    fn keep_momentum(&mut self, seconds: f64) {
        self.contacts.multiply(&self.solver.solution);
        let (contacts, solver) = (&self.contacts, &mut self.solver);
        for body in self.bodies.iter().filter(|body| body.is_free) {
            // What is inside of a body cancels: weight, contacts and damping are all that moves it as a whole.
            let (mut left, mut mass) = (DVec3::ZERO, 0.0);
            for node in body.nodes.clone() {
                let damping = (self.damped_masses[node] - self.masses[node]) * self.velocities[node];
                left += seconds * self.masses[node] * self.options.gravity + contacts.impulse(node) - damping;
                left -= self.damped_masses[node] * solver.solution[node] + contacts.at(node);
                mass += self.damped_masses[node];
            }
            solver.solution[body.nodes.clone()].iter_mut().for_each(|change| *change += left / mass);
        }
    }

    fn advance(&mut self, seconds: f64) {
        for node in 0..self.positions.len() {
            self.velocities[node] += self.solver.solution[node];
            self.positions[node] += seconds * self.velocities[node];
        }
    }
}
