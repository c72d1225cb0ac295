//! Deformable bodies that are stepped together.

use std::time::{Duration, Instant};

use glam::DVec3;
use rayon::prelude::*;

use super::contacts::Contacts;
use super::elements::Elements;
use super::matrix::StiffnessMatrix;
use super::solver::{Solver, SolverOptions, System};
use super::{DeformableBody, DeformableError};
use crate::geometry::{Plane, TriMesh};
use crate::hash::StateHash;
use crate::raytrace::{DetectionMethod, DetectionStatistics, Detector, Match, ResponseOptions, Surface};

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
pub(super) struct Placed {
    pub(super) nodes: std::ops::Range<usize>,
    /// The node of each vertex of the surface, counted from the body's first.
    pub(super) surface_nodes: Vec<u32>,
    pub(super) stiffness_damping: f64,
    pub(super) mass_damping: f64,
    pub(super) is_free: bool,
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
    pub(super) options: DeformableOptions,
    pub(super) positions: Vec<DVec3>,
    pub(super) velocities: Vec<DVec3>,
    pub(super) masses: Vec<f64>,
    pub(super) bodies: Vec<Placed>,
    pub(super) surfaces: Vec<Surface>,
    elements: Elements,
    matrix: Option<StiffnessMatrix>,
    pub(super) detector: Detector,
    pub(super) contacts: Contacts,
    pub(super) solver: Solver,
    pub(super) forces: Vec<DVec3>,
    pub(super) elastic: Vec<f64>,
    pub(super) damped_masses: Vec<f64>,
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

    /// The angular momentum of all nodes that are not fixed, about the origin.
    pub fn angular_momentum(&self) -> DVec3 {
        let nodes = self.positions.iter().zip(&self.velocities).zip(&self.masses);
        let free = nodes.filter(|(_, mass)| mass.is_finite());
        free.fold(DVec3::ZERO, |sum, ((&place, &velocity), &mass)| sum + mass * place.cross(velocity))
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
}
