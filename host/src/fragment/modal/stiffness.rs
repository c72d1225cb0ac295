//! Stiffness and mass of a whole mesh.

use glam::{DMat3, DVec3};

use super::elasticity::{Elasticity, Element};
use super::graph::Graph;
use crate::geometry::TetMesh;

/// The stiffness matrix in blocks of a node and a neighbour, and the mass matrix.
///
/// Mass is lumped: each corner has a quarter of its tetrahedron. The matrix is diagonal then, so the eigenvalue problem
/// of two matrices is one of a single symmetric matrix; frequencies come out a little too low where a consistent mass
/// has them too high, and both go to the true ones as the mesh gets finer.
pub(super) struct Stiffness<'a> {
    pub(super) graph: &'a Graph,
    /// The block of each node with itself.
    pub(super) diagonal: Vec<DMat3>,
    /// The blocks of each node with its neighbours, in their order, node by node.
    blocks: Vec<DMat3>,
    /// Where the blocks of each node begin.
    starts: Vec<usize>,
    /// The mass of each node.
    pub(super) masses: Vec<f64>,
}

impl Stiffness<'_> {
    /// Adds the tetrahedra up, in their order.
    pub(super) fn of<'a>(
        mesh: &TetMesh,
        elements: &[Element],
        elasticity: &Elasticity,
        graph: &'a Graph,
    ) -> Stiffness<'a> {
        let mut starts = vec![0];
        for node in 0..graph.len() as u32 {
            starts.push(starts[node as usize] + graph.neighbours(node).len());
        }
        let mut diagonal = vec![DMat3::ZERO; graph.len()];
        let mut blocks = vec![DMat3::ZERO; starts[graph.len()]];
        let mut masses = vec![0.0; graph.len()];
        let lame = elasticity.lame();
        for (tet, element) in mesh.tets.iter().zip(elements) {
            for (row, &a) in tet.iter().enumerate() {
                masses[a as usize] += 0.25 * elasticity.density * element.volume;
                diagonal[a as usize] += element.stiffness(lame, row, row);
                for (column, &b) in tet.iter().enumerate().filter(|&(column, _)| column != row) {
                    let place = graph.neighbours(a).binary_search(&b).expect("corners of a tetrahedron are neighbours");
                    blocks[starts[a as usize] + place] += element.stiffness(lame, row, column);
                }
            }
        }
        Stiffness { graph, diagonal, blocks, starts, masses }
    }

    /// The neighbours of a node and the blocks with them.
    pub(super) fn row(&self, node: u32) -> impl Iterator<Item = (u32, &DMat3)> {
        let blocks = &self.blocks[self.starts[node as usize]..self.starts[node as usize + 1]];
        self.graph.neighbours(node).iter().copied().zip(blocks)
    }

    /// The forces that displacements cause at one node.
    pub(super) fn force(&self, displacements: &[DVec3], node: u32) -> DVec3 {
        let own = self.diagonal[node as usize] * displacements[node as usize];
        self.row(node).fold(own, |sum, (other, block)| sum + *block * displacements[other as usize])
    }
}
