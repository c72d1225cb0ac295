//! One deformable body, as it is handed to a world.

use glam::{DMat3, DVec3};

use super::{DeformableError, ElasticMaterial};
use crate::geometry::{TetMesh, TriMesh, outer_faces};

/// A tetrahedral mesh that is elastic. Its vertices are the nodes that move.
#[derive(Clone, Debug, PartialEq)]
pub struct DeformableBody {
    /// The mesh, undeformed, where the body starts.
    pub mesh: TetMesh,
    /// What it is made of.
    pub material: ElasticMaterial,
    /// The velocity that it starts with.
    pub velocity: DVec3,
    /// Nodes that never move.
    pub fixed: Vec<u32>,
}

impl DeformableBody {
    /// A body at rest.
    pub fn new(mesh: TetMesh, material: ElasticMaterial) -> DeformableBody {
        DeformableBody { mesh, material, velocity: DVec3::ZERO, fixed: Vec::new() }
    }

    /// The same body with those nodes fixed that a question says yes to.
    #[must_use]
    pub fn fixed_where(mut self, is_fixed: impl Fn(DVec3) -> bool) -> DeformableBody {
        let nodes = self.mesh.positions.iter().zip(0..);
        self.fixed = nodes.filter(|(position, _)| is_fixed(**position)).map(|(_, node)| node).collect();
        self
    }

    /// The surface, and which node each of its vertices is.
    pub fn surface(&self) -> (TriMesh, Vec<u32>) {
        let mut is_used = vec![false; self.mesh.positions.len()];
        for (tet, opposite) in outer_faces(&self.mesh.tets) {
            for (corner, node) in self.mesh.tets[tet as usize].into_iter().enumerate() {
                is_used[node as usize] |= corner != opposite as usize;
            }
        }
        let nodes = (0..is_used.len() as u32).filter(|&node| is_used[node as usize]).collect();
        (self.mesh.surface(), nodes)
    }

    /// Whether the body can be simulated.
    ///
    /// # Errors
    /// The first reason why not.
    pub fn check(&self) -> Result<(), DeformableError> {
        self.mesh.check()?;
        self.material.check()?;
        if self.mesh.tets.is_empty() {
            return Err(DeformableError::Empty);
        }
        let nodes = self.mesh.positions.len();
        if let Some(&node) = self.fixed.iter().find(|&&node| node as usize >= nodes) {
            return Err(DeformableError::NoSuchNode { node, nodes });
        }
        // Below this share of its longest side cubed, a tetrahedron has no gradients worth the name.
        let is_flat = |tet: usize| {
            let [a, b, c, d] = self.mesh.corners(tet);
            let longest = [b - a, c - a, d - a, c - b, d - b, d - c].into_iter().map(DVec3::length).fold(0.0, f64::max);
            let volume = self.mesh.tet_volume(tet);
            (volume <= 1e-9 * longest.powi(3)).then_some(DeformableError::NoVolume { tet, volume })
        };
        if let Some(problem) = (0..self.mesh.tets.len()).find_map(is_flat) {
            return Err(problem);
        }
        let mut is_used = vec![false; nodes];
        self.mesh.tets.iter().flatten().for_each(|&node| is_used[node as usize] = true);
        match is_used.iter().position(|is_used| !is_used) {
            Some(vertex) => Err(DeformableError::LooseVertex { vertex }),
            None => Ok(()),
        }
    }

    /// A quarter of each tetrahedron's mass at each of its corners.
    pub(super) fn masses(&self) -> Vec<f64> {
        let mut masses = vec![0.0; self.mesh.positions.len()];
        for (tet, corners) in self.mesh.tets.iter().enumerate() {
            let share = 0.25 * self.material.density * self.mesh.tet_volume(tet);
            corners.iter().for_each(|&node| masses[node as usize] += share);
        }
        masses
    }

    /// The inverse of the matrix of the edges from a tetrahedron's first corner.
    pub(super) fn inverse_edges(&self, tet: usize) -> DMat3 {
        let [a, b, c, d] = self.mesh.corners(tet);
        DMat3::from_cols(b - a, c - a, d - a).inverse()
    }
}
