//! What the readers of tetrahedral meshes have in common: vertices by tag, and a right way round.

use glam::DVec3;

use super::error::Fault;
use super::hash::SeededMap;
use crate::geometry::TetMesh;

/// Collects vertices under the tags that a file gives them, and the tetrahedra that name them.
#[derive(Default)]
pub(super) struct TetBuilder {
    mesh: TetMesh,
    numbers: SeededMap<u64, u32>,
    /// Cells of other kinds: points, lines, triangles, bricks, curved tetrahedra.
    skipped: usize,
}

impl TetBuilder {
    pub(super) fn reserve_vertices(&mut self, count: usize) {
        self.mesh.positions.reserve(count);
        self.numbers.reserve(count);
    }

    pub(super) fn vertex_count(&self) -> usize {
        self.mesh.positions.len()
    }

    pub(super) fn push_vertex(&mut self, tag: u64, position: DVec3) -> Result<(), String> {
        if !position.is_finite() {
            return Err(format!("node {tag} has a coordinate that is not finite"));
        }
        let number =
            u32::try_from(self.mesh.positions.len()).map_err(|_| "has more nodes than can be numbered".to_owned())?;
        if self.numbers.insert(tag, number).is_some() {
            return Err(format!("node {tag} is defined twice"));
        }
        self.mesh.positions.push(position);
        Ok(())
    }

    pub(super) fn push_tet(&mut self, tags: [u64; 4]) -> Result<(), String> {
        let mut tet = [0; 4];
        for (corner, tag) in tet.iter_mut().zip(tags) {
            let count = self.mesh.positions.len();
            *corner = *self.numbers.get(&tag).ok_or_else(|| {
                format!("a tetrahedron names node {tag}, which is none of the {count} that are defined")
            })?;
        }
        self.mesh.tets.push(tet);
        Ok(())
    }

    pub(super) fn skip_cells(&mut self, count: usize) {
        self.skipped = self.skipped.saturating_add(count);
    }

    /// The mesh, each tetrahedron turned so that its volume is not negative.
    pub(super) fn finish(mut self) -> Result<TetMesh, Fault> {
        if self.mesh.tets.is_empty() {
            return Err(Fault::file(format!(
                "has no tetrahedra with four nodes ({} cells of other kinds were passed over)",
                self.skipped
            )));
        }
        let turned = self.mesh.orient();
        if self.skipped > 0 || turned > 0 {
            tracing::info!(skipped = self.skipped, turned, "cells passed over and tetrahedra turned while reading");
        }
        Ok(self.mesh)
    }
}
