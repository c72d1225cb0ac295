//! The largest eigenvalues of an operator, by the block Lanczos method.
//!
//! Every new vector is made orthogonal to all before it, twice, so no eigenvalue is found more than once and rounding
//! does not have to be watched; blocks, because a factor is read from memory once for all vectors of a block, and
//! because eigenvalues that a body has several times, as symmetric ones do, are found at once.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par, Spec};

use super::error::ModalError;
use crate::random::Random;

/// How many vectors are worked on at once.
const BLOCK: usize = 8;
/// What is left of a vector that lies in the space of others, relative to its length.
const DEPENDENT: f64 = 1e-10;

/// Eigenvalues in falling order, and their unit vectors in the columns of a matrix.
pub(super) struct Eigenpairs {
    pub(super) values: Vec<f64>,
    pub(super) vectors: Mat<f64>,
}

/// The `count` largest eigenvalues of a symmetric operator among the vectors orthogonal to `locked`, which has known
/// eigenvectors in its columns. Each satisfies its equation up to `tolerance` times its value.
///
/// # Errors
/// Those of the decomposition; and if the space that was searched has grown to many times the count.
pub(super) fn largest(
    operator: impl Fn(MatMut<'_, f64>),
    locked: MatRef<'_, f64>,
    count: usize,
    tolerance: f64,
) -> Result<Eigenpairs, ModalError> {
    let (size, known) = (locked.nrows(), locked.ncols());
    let count = count.min(size - known);
    let most = (size - known).min(8 * count + 160);
    let mut basis = widened(locked, known + most.min(4 * count + 5 * BLOCK));
    let mut projected = Mat::<f64>::zeros(most, most);
    let mut random = Random::new(0x6d6f_6461);

    let mut next = Mat::from_fn(size, BLOCK.min(most), |_, _| 2.0 * random.unit() - 1.0);
    orthogonal_to(basis.as_ref().subcols(0, known), &mut next);
    orthonormal(basis.as_ref().subcols(0, known), &mut next, &mut random);
    let mut done = 0;
    let mut worst = (0, f64::INFINITY);
    while next.ncols() > 0 {
        let width = next.ncols();
        if basis.ncols() < known + done + width {
            basis = widened(basis.as_ref(), known + most.min(2 * basis.ncols()));
        }
        basis.as_mut().subcols_mut(known + done, width).copy_from(&next);
        operator(next.as_mut());
        let coefficients = orthogonal_to(basis.as_ref().subcols(0, known + done + width), &mut next);
        let inner = coefficients.as_ref().subrows(known, done + width);
        projected.as_mut().submatrix_mut(0, done, done + width, width).copy_from(inner);
        let left = most - done - width;
        let coupling = orthonormal(basis.as_ref().subcols(0, known + done + width), &mut next, &mut random);
        done += width;
        if done >= count {
            let (values, turns) = eigenpairs(projected.as_ref().submatrix(0, 0, done, done))?;
            // The last block alone leads out of the space; if that is the whole space, nothing does.
            let mut outside = Mat::<f64>::zeros(width, done);
            if done < size - known {
                let last = turns.as_ref().subrows(done - width, width);
                matmul(outside.as_mut(), Accum::Replace, coupling.as_ref(), last, 1.0, Par::Seq);
            }
            let residual = |k: usize| outside.col(k).norm_l2() / values[k].abs();
            worst = (0..count).map(|k| (k, residual(k))).fold((0, 0.0), |a, b| if b.1 > a.1 { b } else { a });
            if worst.1 <= tolerance {
                let mut vectors = Mat::zeros(size, count);
                let space = basis.as_ref().subcols(known, done);
                matmul(vectors.as_mut(), Accum::Replace, space, turns.as_ref().subcols(0, count), 1.0, Par::Seq);
                return Ok(Eigenpairs { values: values[..count].to_vec(), vectors });
            }
        }
        if left < next.ncols() {
            next = next.as_ref().subcols(0, left).to_owned();
        }
    }
    Err(ModalError::NotConverged { mode: worst.0, residual: worst.1 })
}

/// A matrix with more columns, which are zero.
fn widened(matrix: MatRef<'_, f64>, columns: usize) -> Mat<f64> {
    let mut wide = Mat::zeros(matrix.nrows(), columns);
    wide.as_mut().subcols_mut(0, matrix.ncols()).copy_from(matrix);
    wide
}

/// Takes out of vectors what lies in the space of orthonormal ones; returns how much of each that was.
fn orthogonal_to(space: MatRef<'_, f64>, vectors: &mut Mat<f64>) -> Mat<f64> {
    let mut total = Mat::<f64>::zeros(space.ncols(), vectors.ncols());
    // Once leaves rounding relative to what was taken out, twice relative to what is left.
    for _ in 0..2 {
        let mut part = Mat::zeros(space.ncols(), vectors.ncols());
        matmul(part.as_mut(), Accum::Replace, space.transpose(), vectors.as_ref(), 1.0, Par::Seq);
        matmul(vectors.as_mut(), Accum::Add, space, part.as_ref(), -1.0, Par::Seq);
        total += part;
    }
    total
}

/// Makes vectors that are orthogonal to a space orthonormal; returns the triangle that makes the old ones of the new.
/// One that lies in the space of those before it is replaced by a random one, which no old one is made of.
fn orthonormal(space: MatRef<'_, f64>, vectors: &mut Mat<f64>, random: &mut Random) -> Mat<f64> {
    let (size, width) = (vectors.nrows(), vectors.ncols());
    let mut triangle = Mat::<f64>::zeros(width, width);
    for column in 0..width {
        let before = vectors.col(column).norm_l2();
        let mut one = vectors.as_ref().subcols(column, 1).to_owned();
        let part = orthogonal_to(vectors.as_ref().subcols(0, column), &mut one);
        triangle.as_mut().submatrix_mut(0, column, column, 1).copy_from(&part);
        let mut length = one.norm_l2();
        if length > DEPENDENT * before {
            triangle[(column, column)] = length;
        } else {
            one = Mat::from_fn(size, 1, |_, _| 2.0 * random.unit() - 1.0);
            orthogonal_to(space, &mut one);
            orthogonal_to(vectors.as_ref().subcols(0, column), &mut one);
            length = one.norm_l2();
        }
        // In an exhausted space nothing is left; the caller takes no vectors then.
        one *= faer::Scale(if length > 0.0 { 1.0 / length } else { 0.0 });
        vectors.as_mut().subcols_mut(column, 1).copy_from(&one);
    }
    triangle
}

/// All eigenvalues of a small matrix whose upper half is given, the largest first.
fn eigenpairs(matrix: MatRef<'_, f64>) -> Result<(Vec<f64>, Mat<f64>), ModalError> {
    let size = matrix.nrows();
    let (mut values, mut vectors) = (Diag::<f64>::zeros(size), Mat::<f64>::zeros(size, size));
    let scratch = self_adjoint_evd_scratch::<f64>(size, ComputeEigenvectors::Yes, Par::Seq, Spec::default());
    // The decomposition takes numbers far below one for zero: with values of 1e-11 vectors had seven digits.
    let largest = matrix.norm_max();
    let scaled = Mat::from_fn(size, size, |row, column| matrix[(row.min(column), row.max(column))] / largest);
    self_adjoint_evd(
        scaled.as_ref(),
        values.as_mut(),
        Some(vectors.as_mut()),
        Par::Seq,
        MemStack::new(&mut MemBuffer::new(scratch)),
        Spec::default(),
    )
    .map_err(|error| ModalError::Factor(format!("{error:?}")))?;
    let falling = (0..size).rev().map(|k| values[k] * largest).collect();
    Ok((falling, Mat::from_fn(size, size, |row, column| vectors[(row, size - 1 - column)])))
}
