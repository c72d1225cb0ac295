//! Conjugate gradients, preconditioned by the blocks on the diagonal.
//!
//! What the start leaves of the right-hand side is found in double precision, and what corrects it in single precision, which
//! is far more than the tolerance asks for. In the form of Chronopoulos and Gear 1989 an iteration is two rounds over the
//! nodes: one for all vectors, one for the product with the matrix. Sums go over pieces of a fixed size and then over the pieces
//! in order, so that the answer does not depend on how many threads there are.

use glam::{DMat3, DVec3, Mat3A, Vec3A};
use rayon::prelude::*;

use super::ROWS_PER_TASK;
use super::contacts::Contacts;
use super::matrix::StiffnessMatrix;

/// When a solution is good enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverOptions {
    /// What may be left of the residual, relative to all that acts on the nodes (not to what is left of that when it cancels,
    /// which for things at rest is nothing), both in the norm of the preconditioner.
    pub tolerance: f64,
    /// Iterations at most.
    pub iterations: usize,
}

impl Default for SolverOptions {
    fn default() -> SolverOptions {
        SolverOptions { tolerance: 1e-3, iterations: 200 }
    }
}

/// The matrix of a step: masses, elasticity and contacts.
pub(super) struct System<'a> {
    pub(super) matrix: &'a StiffnessMatrix,
    pub(super) contacts: &'a mut Contacts,
    /// The mass of each node with its damping; infinite for one that is fixed.
    pub(super) masses: &'a [f64],
    /// What elasticity counts at each node.
    pub(super) elastic: &'a [f64],
}

/// The vectors of the solver, kept from step to step.
#[derive(Clone, Debug, Default)]
pub(super) struct Solver {
    pub(super) right: Vec<DVec3>,
    /// How much acts on each node, axis by axis, whichever way.
    pub(super) loads: Vec<DVec3>,
    /// The start, and then the answer.
    pub(super) solution: Vec<DVec3>,
    nodes: Vec<Node>,
    /// The residual, preconditioned, and its product with the matrix.
    conditioned: Vec<Vec3A>,
    product: Vec<Vec3A>,
    partial: Vec<[f64; 2]>,
}

/// What only the node itself is asked for.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    /// The inverse of the block on the diagonal; nothing if the node is fixed.
    inverse: Mat3A,
    residual: Vec3A,
    direction: Vec3A,
    /// The product of the direction with the matrix.
    image: Vec3A,
    change: Vec3A,
    /// Mass, and what elasticity counts.
    weights: [f32; 2],
}

impl Solver {
    pub(super) fn resize(&mut self, nodes: usize) {
        self.right.resize(nodes, DVec3::ZERO);
        self.loads.resize(nodes, DVec3::ZERO);
        self.solution.resize(nodes, DVec3::ZERO);
        self.nodes.resize(nodes, Node::default());
        self.conditioned.resize(nodes, Vec3A::ZERO);
        self.product.resize(nodes, Vec3A::ZERO);
    }

    /// Solves for `right`; says how many iterations it took.
    pub(super) fn solve(&mut self, system: &mut System<'_>, options: &SolverOptions) -> usize {
        let [mut size, whole] = self.start(system);
        let enough = options.tolerance * options.tolerance * whole;
        let (mut step, mut keep) = (0.0, 0.0);
        let mut iterations = 0;
        while size > enough && iterations < options.iterations {
            let curvature = self.multiply(system);
            step = size / (curvature - if keep > 0.0 { keep * size / step } else { 0.0 });
            if !(step > 0.0 && step.is_finite()) {
                break;
            }
            iterations += 1;
            let next = self.go(step as f32, keep as f32);
            keep = next / size;
            size = next;
        }
        self.solution.iter_mut().zip(&self.nodes).for_each(|(solution, node)| *solution += node.change.as_dvec3());
        iterations
    }

    /// Inverts the blocks of the diagonal and finds what the solution that is the start leaves of the right-hand side; its size
    /// and that of the loads.
    fn start(&mut self, system: &mut System<'_>) -> [f64; 2] {
        for (solution, mass) in self.solution.iter_mut().zip(system.masses) {
            if mass.is_infinite() {
                *solution = DVec3::ZERO;
            }
        }
        let Solver { right, loads, solution, nodes, conditioned, partial, .. } = self;
        system.contacts.multiply(|node| solution[node]);
        let system = &*system;
        let rows = nodes.par_chunks_mut(ROWS_PER_TASK).zip(conditioned.par_chunks_mut(ROWS_PER_TASK)).enumerate();
        rows.map(|(chunk, (nodes, conditioned))| {
            let mut sums = [0.0; 2];
            for (offset, (node, conditioned)) in nodes.iter_mut().zip(conditioned).enumerate() {
                let row = chunk * ROWS_PER_TASK + offset;
                let (mass, elastic) = (system.masses[row], system.elastic[row]);
                *node = Node { weights: [mass as f32, elastic as f32], ..Node::default() };
                *conditioned = Vec3A::ZERO;
                if mass.is_infinite() {
                    continue;
                }
                let stiffness = elastic * system.matrix.diagonal(row) + system.contacts.diagonal(row);
                let inverse = (stiffness + DMat3::from_diagonal(DVec3::splat(mass))).inverse();
                let held = mass * solution[row] + elastic * system.matrix.row(row, solution) + system.contacts.at(row);
                let residual = right[row] - held;
                node.inverse =
                    Mat3A::from_cols(inverse.x_axis.as_vec3a(), inverse.y_axis.as_vec3a(), inverse.z_axis.as_vec3a());
                node.residual = residual.as_vec3a();
                *conditioned = node.inverse * node.residual;
                sums[0] += f64::from(conditioned.dot(node.residual));
                sums[1] += (inverse * loads[row]).dot(loads[row]);
            }
            sums
        })
        .collect_into_vec(partial);
        total(partial)
    }

    /// The product of the matrix and the conditioned residual; also that of both with each other.
    fn multiply(&mut self, system: &mut System<'_>) -> f64 {
        let Solver { nodes, conditioned, product, partial, .. } = self;
        system.contacts.multiply(|node| conditioned[node].as_dvec3());
        let system = &*system;
        let rows = product.par_chunks_mut(ROWS_PER_TASK).enumerate();
        rows.map(|(chunk, product)| {
            let mut sum = 0.0;
            for (offset, product) in product.iter_mut().enumerate() {
                let row = chunk * ROWS_PER_TASK + offset;
                let [mass, elastic] = nodes[row].weights;
                if mass.is_infinite() {
                    *product = Vec3A::ZERO;
                    continue;
                }
                let own = conditioned[row];
                let contact = system.contacts.at(row).as_vec3a();
                *product = mass * own + elastic * system.matrix.fast_row(row, conditioned) + contact;
                sum += f64::from(product.dot(own));
            }
            [sum, 0.0]
        })
        .collect_into_vec(partial);
        total(partial)[0]
    }

    /// A step along the next direction, which keeps some of the last; the next size of the residual.
    fn go(&mut self, step: f32, keep: f32) -> f64 {
        let Solver { nodes, conditioned, product, partial, .. } = self;
        let rows = nodes.par_chunks_mut(ROWS_PER_TASK).zip(conditioned.par_chunks_mut(ROWS_PER_TASK)).enumerate();
        rows.map(|(chunk, (nodes, conditioned))| {
            let mut sum = 0.0;
            let product = &product[chunk * ROWS_PER_TASK..];
            for ((node, conditioned), &product) in nodes.iter_mut().zip(conditioned).zip(product) {
                node.direction = *conditioned + keep * node.direction;
                node.image = product + keep * node.image;
                node.change += step * node.direction;
                node.residual -= step * node.image;
                *conditioned = node.inverse * node.residual;
                sum += f64::from(conditioned.dot(node.residual));
            }
            [sum, 0.0]
        })
        .collect_into_vec(partial);
        total(partial)[0]
    }
}

fn total(partial: &[[f64; 2]]) -> [f64; 2] {
    partial.iter().fold([0.0; 2], |sum, part| [sum[0] + part[0], sum[1] + part[1]])
}
