//! Contacts as parts of the system: each couples the vertices of two points, of one body or of two, or one with the ground.

use glam::{DMat3, DVec3};
use rayon::prelude::*;

use super::matrix::range;
use crate::raytrace::Push;

/// Contacts that one task looks at.
const CONTACTS_PER_TASK: usize = 512;

/// One contact, ready for the solver.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ContactRow {
    /// The nodes, those of the first point first; what is beyond `count` is not used.
    pub(super) nodes: [u32; 6],
    /// How much each moves the points apart: weights, those of the second point negative.
    pub(super) weights: [f64; 6],
    pub(super) count: u8,
    pub(super) normal: DVec3,
    /// Between the two points: where torques are told from.
    pub(super) middle: DVec3,
    /// What the matrix has along the normal, and across it.
    pub(super) along: f64,
    pub(super) across: f64,
    /// What the right-hand side has for the first point.
    pub(super) impulse: DVec3,
}

impl ContactRow {
    /// Takes in what acts over a step, as it is at the end of it: `velocity` is that of the first point relative to the second
    /// at the start.
    pub(super) fn push_for(&mut self, seconds: f64, velocity: DVec3, push: &Push) {
        self.along = seconds * (seconds * push.normal_stiffness + push.normal_damping);
        self.across = seconds * push.tangent_damping;
        let ahead = seconds * push.normal_stiffness * velocity.dot(self.normal);
        self.impulse = seconds * (push.force - ahead * self.normal);
    }

    pub(super) fn push(&mut self, node: u32, weight: f64) {
        let place = usize::from(self.count);
        if place < 6 {
            self.nodes[place] = node;
            self.weights[place] = weight;
            self.count += 1;
        }
    }

    fn iter(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        self.nodes.into_iter().zip(self.weights).take(usize::from(self.count))
    }

    /// The velocity of the first point relative to the second.
    #[inline(always)]
    pub(super) fn relative(&self, velocity: impl Fn(usize) -> DVec3) -> DVec3 {
        self.iter().fold(DVec3::ZERO, |sum, (node, weight)| sum + weight * velocity(node as usize))
    }

    fn resist(&self, motion: DVec3) -> DVec3 {
        self.across * motion + (self.along - self.across) * motion.dot(self.normal) * self.normal
    }
}

/// All contacts of a step, and which of them each node has, in a fixed order.
#[derive(Clone, Debug, Default)]
pub(super) struct Contacts {
    pub(super) rows: Vec<ContactRow>,
    ends: Vec<u32>,
    incident: Vec<(u32, f64)>,
    products: Vec<DVec3>,
}

impl Contacts {
    /// Sorts the contacts by nodes.
    pub(super) fn index(&mut self, nodes: usize) {
        self.ends.clear();
        self.ends.resize(nodes, 0);
        for (node, _) in self.rows.iter().flat_map(ContactRow::iter) {
            self.ends[node as usize] += 1;
        }
        let mut sum = 0;
        for end in &mut self.ends {
            // For now where the part begins; filling it moves that to its end.
            sum += std::mem::replace(end, sum);
        }
        self.incident.clear();
        self.incident.resize(sum as usize, (0, 0.0));
        for (row, number) in self.rows.iter().zip(0..) {
            for (node, weight) in row.iter() {
                let place = &mut self.ends[node as usize];
                self.incident[*place as usize] = (number, weight);
                *place += 1;
            }
        }
        self.products.clear();
        self.products.resize(self.rows.len(), DVec3::ZERO);
    }

    /// What each contact has against a motion of the nodes; [`Contacts::at`] spreads it.
    pub(super) fn multiply(&mut self, motion: impl Fn(usize) -> DVec3 + Sync) {
        let tasks = self.products.par_chunks_mut(CONTACTS_PER_TASK).zip(self.rows.par_chunks(CONTACTS_PER_TASK));
        tasks.for_each(|(products, rows)| {
            for (product, row) in products.iter_mut().zip(rows) {
                *product = row.resist(row.relative(&motion));
            }
        });
    }

    /// The part of a node in the last product.
    #[inline(always)]
    pub(super) fn at(&self, node: usize) -> DVec3 {
        let incident = &self.incident[range(&self.ends, node)];
        incident.iter().fold(DVec3::ZERO, |sum, &(row, weight)| sum + weight * self.products[row as usize])
    }

    /// What contacts give a node over the step by the last product, and the places that their torques are told from.
    pub(super) fn impulses(&self, node: usize) -> impl Iterator<Item = (DVec3, DVec3)> + '_ {
        self.incident[range(&self.ends, node)].iter().map(|&(row, weight)| {
            let contact = &self.rows[row as usize];
            (weight * (contact.impulse - self.products[row as usize]), contact.middle)
        })
    }

    /// The part of a node in the right-hand side.
    pub(super) fn impulse(&self, node: usize) -> DVec3 {
        let incident = &self.incident[range(&self.ends, node)];
        incident.iter().fold(DVec3::ZERO, |sum, &(row, weight)| sum + weight * self.rows[row as usize].impulse)
    }

    /// The part of a node in its block on the diagonal.
    pub(super) fn diagonal(&self, node: usize) -> DMat3 {
        let mut sum = DMat3::ZERO;
        for &(row, weight) in &self.incident[range(&self.ends, node)] {
            let row = &self.rows[row as usize];
            let normal = row.normal;
            let outer = DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
            sum += weight * weight * (row.across * DMat3::IDENTITY + (row.along - row.across) * outer);
        }
        sum
    }
}
