//! What all fragments of one body share: the tetrahedral mesh before anything broke, and what was computed of it once.

use std::sync::Arc;

use glam::DVec3;
use rayon::prelude::*;
use thiserror::Error;

use super::dense_grid::DenseGrid;
use super::locator::Locator;
use super::occupancy::StarCells;
use super::ordering::Ordering;
use super::topology::Topology;
use crate::geometry::{self, Aabb, MeshError, SignedDistance, TetMesh};

/// Why a mesh is no solid that can break.
#[derive(Debug, Error)]
pub enum SolidError {
    /// There is no tetrahedron.
    #[error("the mesh has no tetrahedron; read a tetrahedral mesh, or make one of a closed surface")]
    Empty,
    /// An index or a coordinate is wrong.
    #[error("the tetrahedral mesh is broken: {0}")]
    Mesh(#[from] MeshError),
    /// A tetrahedron is flat or inside out.
    #[error("tetrahedron {0} has no positive volume; orient the mesh, and drop flat tetrahedra")]
    Flat(usize),
    /// A node belongs to no tetrahedron.
    #[error("node {0} belongs to no tetrahedron; drop it")]
    Unused(u32),
    /// The surface is not closed.
    #[error("the surface of the tetrahedra: {0}")]
    Surface(#[from] geometry::SolidError),
}

/// How a solid is prepared.
#[derive(Clone, Debug, PartialEq)]
pub struct SolidOptions {
    /// Cells of the dense grid of distances along the longest side (\[Glondu12\] 4.4).
    pub grid_cells: usize,
}

impl Default for SolidOptions {
    fn default() -> SolidOptions {
        SolidOptions { grid_cells: 48 }
    }
}

/// A tetrahedral mesh that can break, with all that is computed once.
#[derive(Clone, Debug)]
pub struct Solid {
    pub(super) positions: Vec<DVec3>,
    pub(super) topology: Topology,
    pub(super) aabb: Aabb,
    pub(super) locator: Locator,
    pub(super) grid: DenseGrid,
    pub(super) ordering: Ordering,
    pub(super) cells: StarCells,
    /// How far each node is from the surface, and which way it is there.
    pub(super) exact: Vec<NodeField>,
    /// The mean length of an edge.
    pub(super) edge_length: f64,
}

/// The distance field at a node (\[Glondu12\] 4.1); the fragment is known from where it is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct NodeField {
    /// About how far the surface of the fragment is.
    pub(super) distance: f32,
    /// About which way, as a unit vector.
    pub(super) direction: [f32; 3],
}

impl NodeField {
    pub(super) fn new(distance: f64, direction: DVec3) -> NodeField {
        NodeField { distance: distance as f32, direction: direction.as_vec3().to_array() }
    }

    #[inline]
    pub(super) fn direction(&self) -> DVec3 {
        glam::Vec3::from_array(self.direction).as_dvec3()
    }
}

impl Solid {
    /// Prepares a mesh.
    ///
    /// # Errors
    /// If the mesh is not one of tetrahedra with positive volume and a closed surface.
    pub fn new(mesh: &TetMesh, options: &SolidOptions) -> Result<Arc<Solid>, SolidError> {
        mesh.check()?;
        if mesh.tets.is_empty() {
            return Err(SolidError::Empty);
        }
        let is_solid = |tet: usize| mesh.tet_volume(tet) > 0.0 && mesh.tet_volume(tet).is_finite();
        if let Some(flat) = (0..mesh.tets.len()).find(|&tet| !is_solid(tet)) {
            return Err(SolidError::Flat(flat));
        }
        let topology = Topology::new(mesh);
        if let Some(unused) = (0..mesh.positions.len() as u32).find(|&node| topology.node_tets.of(node).is_empty()) {
            return Err(SolidError::Unused(unused));
        }
        let surface = SignedDistance::new(&mesh.surface())?;
        let exact = mesh.positions.par_iter().zip(&topology.is_outer).map(|(&position, &is_outer)| {
            let nearest = surface.nearest(position);
            let way = (nearest.point - position).normalize_or_zero();
            match is_outer || way == DVec3::ZERO {
                true => NodeField::new(0.0, nearest.normal),
                false => NodeField::new(nearest.distance.abs(), way),
            }
        });
        let exact = exact.collect();
        let aabb = mesh.aabb();
        let lengths = (0..mesh.positions.len() as u32).flat_map(|node| {
            let neighbours = topology.neighbours.of(node).iter().filter(move |neighbour| neighbour.node > node);
            neighbours
                .map(move |neighbour| mesh.positions[node as usize].distance(mesh.positions[neighbour.node as usize]))
        });
        let edge_length = lengths.sum::<f64>() / topology.edge_count as f64;
        Ok(Arc::new(Solid {
            locator: Locator::new(&topology, &mesh.positions, aabb, edge_length),
            grid: DenseGrid::new(&surface, aabb, options.grid_cells),
            ordering: Ordering::new(&mesh.positions),
            cells: StarCells::new(&topology, &mesh.positions, aabb, edge_length),
            positions: mesh.positions.clone(),
            topology,
            aabb,
            exact,
            edge_length,
        }))
    }

    /// Where the nodes are.
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.positions.len()
    }

    /// How many tetrahedra there are.
    pub fn tet_count(&self) -> usize {
        self.topology.tets.len()
    }

    /// The mean length of the edges.
    pub fn edge_length(&self) -> f64 {
        self.edge_length
    }

    /// Half the diagonal of the box around the solid.
    pub fn radius(&self) -> f64 {
        0.5 * self.aabb.diagonal()
    }
}
