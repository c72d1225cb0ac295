//! The parts of a step: contacts, the right-hand side, and what becomes of the solution.

use glam::DVec3;
use rayon::prelude::*;

use super::contacts::ContactRow;
use super::matrix::StiffnessMatrix;
use super::{DeformableWorld, ROWS_PER_TASK};
use crate::geometry::Plane;
use crate::raytrace::{ContactForce, Match};

impl DeformableWorld {
    /// The matches and the ground as rows of the system.
    pub(super) fn gather_contacts(&mut self, seconds: f64) {
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

    /// What the solver left of each free body's momentum goes to all of its nodes alike: elasticity has nothing against
    /// that, and so momentum is as exact as rounding lets it be.
    pub(super) fn keep_momentum(&mut self, seconds: f64) {
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

    pub(super) fn advance(&mut self, seconds: f64) {
        for node in 0..self.positions.len() {
            self.velocities[node] += self.solver.solution[node];
            self.positions[node] += seconds * self.velocities[node];
        }
    }
}
