//! The factor of a shifted stiffness, by faer.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltRegularization;
use faer::sparse::linalg::cholesky::{LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, Mat, MatMut, Par, Side, Spec};

use super::error::ModalError;
use super::stiffness::Stiffness;

/// How many numbers a factor may have: 4 GB of them, which is a mesh of more than 100,000 nodes.
const MOST_VALUES: usize = 1 << 29;

/// The Cholesky factor of `S K S + shift`, where `S` has one over the root of each node's mass on its diagonal.
pub(super) struct Factor {
    symbolic: SymbolicCholesky<usize>,
    /// A matrix of one column rather than a list, because faer aligns it: how sums are split up goes by alignment.
    values: Mat<f64>,
}

impl Factor {
    /// Factors; sequentially, so that the order of sums does not depend on threads.
    pub(super) fn of(stiffness: &Stiffness<'_>, scales: &[f64], shift: f64) -> Result<Factor, ModalError> {
        let (pattern, entries) = lower(stiffness, scales, shift);
        let failed = |error: &dyn std::fmt::Debug| ModalError::Factor(format!("{error:?}"));
        let symbolic =
            factorize_symbolic_cholesky(pattern.as_ref(), Side::Lower, SymmetricOrdering::Amd, Default::default())
                .map_err(|error| failed(&error))?;
        if symbolic.len_val() > MOST_VALUES {
            let gigabytes = |values: usize| 8e-9 * values as f64;
            return Err(ModalError::TooLarge {
                gigabytes: gigabytes(symbolic.len_val()),
                most: gigabytes(MOST_VALUES),
                nodes: scales.len(),
            });
        }
        let mut values = Mat::zeros(symbolic.len_val(), 1);
        let scratch = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Spec::default());
        symbolic
            .factorize_numeric_llt(
                values.col_as_slice_mut(0),
                SparseColMatRef::new(pattern.as_ref(), &entries),
                Side::Lower,
                LltRegularization::default(),
                Par::Seq,
                MemStack::new(&mut MemBuffer::new(scratch)),
                Spec::default(),
            )
            .map_err(|error| failed(&error))?;
        Ok(Factor { symbolic, values })
    }

    /// Replaces right hand sides, one in each column, by their solutions.
    pub(super) fn solve(&self, sides: MatMut<'_, f64>) {
        let scratch = self.symbolic.solve_in_place_scratch::<f64>(sides.ncols(), Par::Seq);
        let mut memory = MemBuffer::new(scratch);
        let factor = LltRef::new(&self.symbolic, self.values.col_as_slice(0));
        factor.solve_in_place_with_conj(Conj::No, sides, Par::Seq, MemStack::new(&mut memory));
    }
}

/// The lower half of the matrix, column by column.
fn lower(stiffness: &Stiffness<'_>, scales: &[f64], shift: f64) -> (SymbolicSparseColMat<usize>, Vec<f64>) {
    let size = 3 * scales.len();
    let (mut starts, mut rows, mut entries) = (vec![0], Vec::new(), Vec::new());
    for node in 0..scales.len() {
        let scale = scales[node];
        for axis in 0..3 {
            let column = stiffness.diagonal[node].col(axis) * (scale * scale);
            for row in axis..3 {
                rows.push(3 * node + row);
                entries.push(column[row] + if row == axis { shift } else { 0.0 });
            }
            for (other, block) in stiffness.row(node as u32).filter(|&(other, _)| other as usize > node) {
                // The matrix is symmetric: the column of a block below the diagonal is the row of that beside it.
                let column = block.row(axis) * (scale * scales[other as usize]);
                for row in 0..3 {
                    rows.push(3 * other as usize + row);
                    entries.push(column[row]);
                }
            }
            starts.push(rows.len());
        }
    }
    (SymbolicSparseColMat::new_checked(size, size, starts, None, rows), entries)
}
