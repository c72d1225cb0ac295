//! The lowest elastic modes of a free body.

use std::f64::consts::PI;

use faer::Mat;
use glam::DVec3;

use super::elasticity::{Elasticity, Element};
use super::error::{ModalError, require};
use super::factor::Factor;
use super::graph::Graph;
use super::lanczos::largest;
use super::rigid::rigid_modes;
use super::stiffness::Stiffness;
use crate::geometry::TetMesh;

/// How a body swings: shapes `x` with `K x = w² M x`, without the six motions of each part that deform nothing.
///
/// ```
/// use fracas::fragment::modal::{Elasticity, Modes};
/// use fracas::geometry::TetMesh;
/// use glam::DVec3;
///
/// let corner = TetMesh { positions: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z], tets: vec![[0, 1, 2, 3]] };
/// let modes = Modes::of(&corner, &Elasticity::default(), 30)?;
/// // Twelve coordinates, six of them rigid.
/// assert_eq!(modes.len(), 6);
/// # Ok::<(), fracas::fragment::modal::ModalError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Modes {
    frequencies: Vec<f64>,
    /// The displacement of each node, mode by mode.
    shapes: Vec<DVec3>,
    nodes: usize,
}

/// The most modes that are looked for; more is taken for a slip of the pen.
const MOST_MODES: usize = 1000;
/// The most parts of a mesh: six vectors of its size are kept for each.
const MOST_PARTS: usize = 64;
/// How far above zero the operator is shifted, relative to the square of the frequency at which a bar as long as the
/// body swings along its axis. Small against every wanted eigenvalue, so that the lowest ones stand apart; large
/// against rounding.
const SHIFT: f64 = 1e-3;
/// How well a mode satisfies its equation in the search, and in the end, where all that is stiff weighs more.
const TOLERANCE: f64 = 1e-9;
const RESIDUAL: f64 = 1e-5;
/// What swings slower than this, relative to the shift, does not resist at all: parts that hang together in a point or
/// an edge turn about it.
const LOOSE: f64 = 1e-7;

impl Modes {
    /// The `count` lowest elastic modes, or as many as there are. Mass is lumped to the nodes, and the mass of a mode's
    /// motion is one. Of the coordinates of a mode the one of largest size is positive.
    ///
    /// # Errors
    /// If material or mesh cannot be used or the modes do not converge.
    pub fn of(mesh: &TetMesh, elasticity: &Elasticity, count: usize) -> Result<Modes, ModalError> {
        let (elements, graph) = checked(mesh, elasticity, count)?;
        Modes::with(mesh, &elements, &graph, elasticity, count)
    }

    /// As [`Modes::of`], from what [`checked`] has found.
    pub(super) fn with(
        mesh: &TetMesh,
        elements: &[Element],
        graph: &Graph,
        elasticity: &Elasticity,
        count: usize,
    ) -> Result<Modes, ModalError> {
        let (parts, part_count) = graph.parts();
        if part_count > MOST_PARTS {
            return Err(ModalError::Parts { found: part_count, most: MOST_PARTS });
        }
        let stiffness = Stiffness::of(mesh, elements, elasticity, graph);
        let scales: Vec<f64> = stiffness.masses.iter().map(|mass| 1.0 / mass.sqrt()).collect();
        let shift = SHIFT * (PI / mesh.aabb().size().length()).powi(2) * elasticity.young / elasticity.density;
        let factor = Factor::of(&stiffness, &scales, shift)?;
        let rigid = rigid_modes(&mesh.positions, &stiffness.masses, &parts, part_count);
        let found = largest(|vectors| factor.solve(vectors), rigid.as_ref(), count, TOLERANCE)?;

        let mut modes = Modes { frequencies: Vec::new(), shapes: Vec::new(), nodes: scales.len() };
        for (mode, &value) in found.values.iter().enumerate() {
            let eigenvalue = 1.0 / value - shift;
            let shape = shape(&found.vectors, mode, &scales);
            let residual = residual(&stiffness, &scales, &shape, eigenvalue) / (eigenvalue + shift);
            if residual.is_nan() || residual > RESIDUAL {
                return Err(ModalError::NotConverged { mode, residual });
            }
            if eigenvalue > LOOSE * shift {
                modes.frequencies.push(eigenvalue.sqrt());
                modes.shapes.extend(shape);
            }
        }
        Ok(modes)
    }

    /// How many modes there are.
    pub fn len(&self) -> usize {
        self.frequencies.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.frequencies.is_empty()
    }

    /// The angular frequencies, in rad/s, in rising order.
    pub fn frequencies(&self) -> &[f64] {
        &self.frequencies
    }

    /// The displacement of each node in a mode, in m for a motion of 1 kg m².
    pub fn shape(&self, mode: usize) -> &[DVec3] {
        &self.shapes[mode * self.nodes..(mode + 1) * self.nodes]
    }

    /// The sum of all modes' displacements, each by its amplitude.
    pub fn displacements(&self, amplitudes: &[f64]) -> Vec<DVec3> {
        let mut sum = vec![DVec3::ZERO; self.nodes];
        // Plain numbers, of which a processor adds several at once.
        let totals: &mut [f64] = bytemuck::cast_slice_mut(&mut sum);
        for (shape, &amplitude) in self.shapes.chunks_exact(self.nodes).zip(amplitudes) {
            for (total, &coordinate) in totals.iter_mut().zip(bytemuck::cast_slice::<DVec3, f64>(shape)) {
                *total += amplitude * coordinate;
            }
        }
        sum
    }
}

/// The tetrahedra and the edges of a mesh that can be analysed.
pub(super) fn checked(
    mesh: &TetMesh,
    elasticity: &Elasticity,
    count: usize,
) -> Result<(Vec<Element>, Graph), ModalError> {
    elasticity.check()?;
    let holds = (1..=MOST_MODES).contains(&count);
    require("modes", "count", count as f64, holds, "a count from 1 to 1000")?;
    mesh.check()?;
    if mesh.tets.is_empty() {
        return Err(ModalError::Empty);
    }
    let (elements, graph) = (Element::all(mesh)?, Graph::of(mesh));
    if let Some(vertex) = (0..graph.len()).find(|&node| graph.neighbours(node as u32).is_empty()) {
        return Err(ModalError::Unused { vertex });
    }
    Ok((elements, graph))
}

/// A column as displacements, with the sign of the rule.
fn shape(vectors: &Mat<f64>, mode: usize, scales: &[f64]) -> Vec<DVec3> {
    let column = vectors.col_as_slice(mode);
    let nodes = column.as_chunks::<3>().0.iter().zip(scales);
    let shape: Vec<DVec3> = nodes.map(|(&node, &scale)| scale * DVec3::from_array(node)).collect();
    let coordinates = || shape.iter().flat_map(|displacement| displacement.to_array());
    let largest = coordinates().map(f64::abs).fold(0.0, f64::max);
    // A symmetric body has its largest coordinates in several places, of which rounding would choose one.
    let first = coordinates().find(|coordinate| coordinate.abs() >= 0.999_999 * largest);
    let sign = if first < Some(0.0) { -1.0 } else { 1.0 };
    shape.iter().map(|&displacement| sign * displacement).collect()
}

/// How far a shape is from an eigenvector: the length of `K x - w² M x`, by the inverse of the mass.
fn residual(stiffness: &Stiffness<'_>, scales: &[f64], shape: &[DVec3], eigenvalue: f64) -> f64 {
    let of_node = |node: usize| {
        let inertia = eigenvalue * stiffness.masses[node] * shape[node];
        (scales[node] * (stiffness.force(shape, node as u32) - inertia)).length_squared()
    };
    (0..shape.len()).map(of_node).sum::<f64>().sqrt()
}
