//! The parts of a step: contacts, the right-hand side, and what becomes of the solution.

use glam::{DMat3, DVec3};
use rayon::prelude::*;

use super::contacts::ContactRow;
use super::matrix::StiffnessMatrix;
use super::{DeformableWorld, ROWS_PER_TASK};
use crate::geometry::Plane;
use crate::raytrace::{ContactForce, Match, Push};

impl DeformableWorld {
    /// The matches and the ground as rows of the system.
    pub(super) fn gather_contacts(&mut self, seconds: f64) {
        let (bodies, velocities, response) = (&self.bodies, &self.velocities, &self.options.response);
        let node = |body: u32, vertex: u32| {
            let body = &bodies[body as usize];
            (body.nodes.start + body.surface_nodes[vertex as usize] as usize) as u32
        };
        let to_row = |found: &Match| {
            let mut row = ContactRow {
                normal: found.normal,
                middle: 0.5 * (found.places[0] + found.places[1]),
                ..ContactRow::default()
            };
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                for (vertex, weight) in found.points[side].iter() {
                    row.push(node(found.bodies[side], vertex), sign * weight);
                }
            }
            let velocity = row.relative(|node| velocities[node]);
            let force = ContactForce::new(found, velocity, seconds, response)?;
            row.push_for(seconds, velocity, &force.push);
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
                let depth = -ground.signed_distance(place);
                if depth <= 0.0 {
                    continue;
                }
                let push = Push::new(area, depth, ground.normal, velocity, response);
                let mut row = ContactRow { normal: ground.normal, middle: place, ..ContactRow::default() };
                row.push_for(seconds, velocity, &push);
                row.push(node as u32, 1.0);
                self.contacts.rows.push(row);
            }
        }
    }

    /// Masses with their damping, and what elasticity counts, node by node.
    pub(super) fn weigh(&mut self, seconds: f64) {
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
    pub(super) fn right_side(&mut self, matrix: &StiffnessMatrix, seconds: f64) {
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

    /// What the solver left of each free body's momentum goes to all of its nodes alike, and what is left of its angular momentum
    /// to all of them as one turn. Elasticity has hardly anything against either, and so both are as exact as rounding lets
    /// them be.
    ///
    /// A step moves nodes along their new velocities, so it changes angular momentum by what impulses do at the places where it
    /// starts. Elasticity does nothing there; its linear form, which the solver has, does, by as much as a body is strained.
    /// Two points of a contact are a depth apart: friction counts as if it were between them, so that it cancels too.
    pub(super) fn keep_momentum(&mut self, seconds: f64) {
        let solution = &self.solver.solution;
        self.contacts.multiply(|node| solution[node]);
        let (contacts, masses, damped) = (&self.contacts, &self.masses, &self.damped_masses);
        let (positions, velocities, gravity) = (&self.positions, &self.velocities, self.options.gravity);
        let bodies = self.bodies.par_iter().enumerate().filter(|(_, body)| body.is_free);
        let lefts: Vec<(usize, [DVec3; 3])> = bodies
            .map(|(number, body)| {
                let nodes = body.nodes.clone();
                let mass: f64 = nodes.clone().map(|node| damped[node]).sum();
                let middle = nodes.clone().map(|node| damped[node] * positions[node]).sum::<DVec3>() / mass;
                let (mut left, mut turn, mut inertia) = (DVec3::ZERO, DVec3::ZERO, DMat3::ZERO);
                for node in nodes {
                    let offset = positions[node] - middle;
                    // What is inside of a body cancels: weight, contacts and damping are all that moves it as a whole.
                    let weight = seconds * masses[node] * gravity - (damped[node] - masses[node]) * velocities[node];
                    let own = weight - damped[node] * solution[node];
                    left += own;
                    turn += offset.cross(own);
                    for (impulse, place) in contacts.impulses(node) {
                        left += impulse;
                        turn += (place - middle).cross(impulse);
                    }
                    inertia += damped[node]
                        * (offset.length_squared() * DMat3::IDENTITY
                            - DMat3::from_cols(offset * offset.x, offset * offset.y, offset * offset.z));
                }
                // Nodes in one line turn about it by nothing that is known.
                let turn = inertia.inverse() * turn;
                (number, [left / mass, if turn.is_finite() { turn } else { DVec3::ZERO }, middle])
            })
            .collect();
        for (number, [shift, turn, middle]) in lefts {
            for node in self.bodies[number].nodes.clone() {
                self.solver.solution[node] += shift + turn.cross(positions[node] - middle);
            }
        }
    }

    pub(super) fn advance(&mut self, seconds: f64) {
        for node in 0..self.positions.len() {
            self.velocities[node] += self.solver.solution[node];
            self.positions[node] += seconds * self.velocities[node];
        }
    }
}
