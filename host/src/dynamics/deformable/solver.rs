//! Conjugate gradients, preconditioned by the blocks on the diagonal.
//!
//! Sums go over pieces of a fixed size and then over the pieces in order, so that the answer does not depend on how many
//! threads there are.

use glam::{DMat3, DVec3};
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
    residual: Vec<DVec3>,
    direction: Vec<DVec3>,
    product: Vec<DVec3>,
    conditioned: Vec<DVec3>,
    inverse: Vec<DMat3>,
    partial: Vec<[f64; 2]>,
}

impl Solver {
    pub(super) fn resize(&mut self, nodes: usize) {
        for list in [
            &mut self.right,
            &mut self.loads,
            &mut self.solution,
            &mut self.residual,
            &mut self.direction,
            &mut self.product,
            &mut self.conditioned,
        ] {
            list.resize(nodes, DVec3::ZERO);
        }
        self.inverse.resize(nodes, DMat3::ZERO);
    }

    /// Solves for `right`; says how many iterations it took.
    pub(super) fn solve(&mut self, system: &mut System<'_>, options: &SolverOptions) -> usize {
        self.precondition(system);
        self.residual_of_solution(system);
        let Solver { loads, residual, conditioned, direction, inverse, partial, .. } = self;
        // The start: the residual, conditioned, and its size beside that of the loads.
        let rows = conditioned.par_chunks_mut(ROWS_PER_TASK).enumerate();
        rows.map(|(chunk, conditioned)| {
            let mut sums = [0.0; 2];
            for (offset, conditioned) in conditioned.iter_mut().enumerate() {
                let row = chunk * ROWS_PER_TASK + offset;
                *conditioned = inverse[row] * residual[row];
                sums[0] += conditioned.dot(residual[row]);
                sums[1] += (inverse[row] * loads[row]).dot(loads[row]);
            }
            sums
        })
        .collect_into_vec(partial);
        let [mut size, whole] = total(partial);
        let enough = options.tolerance * options.tolerance * whole;
        direction.copy_from_slice(conditioned);
        let mut iterations = 0;
        while size > enough && iterations < options.iterations {
            iterations += 1;
            let Some(next) = self.iterate(system, size) else { break };
            size = next;
        }
        iterations
    }

    /// One step along the direction; the next size of the residual, or nothing if there is no way on.
    fn iterate(&mut self, system: &mut System<'_>, size: f64) -> Option<f64> {
        let curvature = multiply::<true>(system, &self.direction, &mut self.product, &mut self.partial);
        if !(curvature > 0.0 && curvature.is_finite()) {
            return None;
        }
        let step = size / curvature;
        let Solver { solution, residual, conditioned, direction, product, inverse, partial, .. } = self;
        let rows = solution
            .par_chunks_mut(ROWS_PER_TASK)
            .zip(residual.par_chunks_mut(ROWS_PER_TASK))
            .zip(conditioned.par_chunks_mut(ROWS_PER_TASK))
            .enumerate();
        rows.map(|(chunk, ((solution, residual), conditioned))| {
            let mut sum = 0.0;
            for offset in 0..solution.len() {
                let row = chunk * ROWS_PER_TASK + offset;
                solution[offset] += step * direction[row];
                residual[offset] -= step * product[row];
                conditioned[offset] = inverse[row] * residual[offset];
                sum += conditioned[offset].dot(residual[offset]);
            }
            [sum, 0.0]
        })
        .collect_into_vec(partial);
        let [next, _] = total(partial);
        let keep = next / size;
        let rows = direction.par_chunks_mut(ROWS_PER_TASK).zip(conditioned.par_chunks(ROWS_PER_TASK));
        rows.for_each(|(direction, conditioned)| {
            direction.iter_mut().zip(conditioned).for_each(|(direction, &new)| *direction = new + keep * *direction);
        });
        Some(next)
    }

    /// The inverse blocks of the diagonal; nothing of nodes that are fixed.
    fn precondition(&mut self, system: &System<'_>) {
        self.inverse.par_chunks_mut(ROWS_PER_TASK).enumerate().for_each(|(chunk, inverse)| {
            for (offset, inverse) in inverse.iter_mut().enumerate() {
                let row = chunk * ROWS_PER_TASK + offset;
                *inverse = if system.masses[row].is_finite() {
                    let stiffness = system.elastic[row] * system.matrix.diagonal(row) + system.contacts.diagonal(row);
                    (stiffness + DMat3::from_diagonal(DVec3::splat(system.masses[row]))).inverse()
                } else {
                    DMat3::ZERO
                };
            }
        });
    }

    /// What the solution that is the start leaves of the right-hand side.
    fn residual_of_solution(&mut self, system: &mut System<'_>) {
        let Solver { solution, product, residual, right, partial, .. } = self;
        for (solution, mass) in solution.iter_mut().zip(system.masses) {
            if mass.is_infinite() {
                *solution = DVec3::ZERO;
            }
        }
        multiply::<false>(system, solution, product, partial);
        for row in 0..residual.len() {
            residual[row] = if system.masses[row].is_finite() { right[row] - product[row] } else { DVec3::ZERO };
        }
    }
}

/// The product of the matrix and a vector; also that of both with the vector again.
fn multiply<const FAST: bool>(
    system: &mut System<'_>,
    vector: &[DVec3],
    product: &mut [DVec3],
    partial: &mut Vec<[f64; 2]>,
) -> f64 {
    system.contacts.multiply(vector);
    let system = &*system;
    let rows = product.par_chunks_mut(ROWS_PER_TASK).enumerate();
    rows.map(|(chunk, product)| {
        let mut sum = 0.0;
        for (offset, product) in product.iter_mut().enumerate() {
            let row = chunk * ROWS_PER_TASK + offset;
            *product = if system.masses[row].is_finite() {
                let elastic = if FAST { system.matrix.fast_row(row, vector) } else { system.matrix.row(row, vector) };
                system.masses[row] * vector[row] + system.elastic[row] * elastic + system.contacts.at(row)
            } else {
                DVec3::ZERO
            };
            sum += product.dot(vector[row]);
        }
        [sum, 0.0]
    })
    .collect_into_vec(partial);
    total(partial)[0]
}

fn total(partial: &[[f64; 2]]) -> [f64; 2] {
    partial.iter().fold([0.0; 2], |sum, part| [sum[0] + part[0], sum[1] + part[1]])
}
