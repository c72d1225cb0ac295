//! Why a body cannot be simulated.

use thiserror::Error;

use crate::geometry::MeshError;

/// Why a body or a step is refused.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum DeformableError {
    /// The mesh is not one.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The mesh has no tetrahedra.
    #[error("the mesh has no tetrahedra")]
    Empty,
    /// A tetrahedron has no volume, or is inside out.
    #[error("tetrahedron {tet} has the volume {volume}, which is not positive")]
    NoVolume {
        /// Which, counted from zero.
        tet: usize,
        /// Its signed volume.
        volume: f64,
    },
    /// A vertex belongs to no tetrahedron, so it has no mass.
    #[error("vertex {vertex} belongs to no tetrahedron")]
    LooseVertex {
        /// Which, counted from zero.
        vertex: usize,
    },
    /// A number of the material makes no sense.
    #[error("the material's {name} is {value}, where {expected} is needed")]
    Material {
        /// Which number.
        name: &'static str,
        /// What it is.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
    /// A node that is to be fixed is not there.
    #[error("node {node} is to be fixed, but the body has {nodes}")]
    NoSuchNode {
        /// Which, counted from zero.
        node: u32,
        /// How many there are.
        nodes: usize,
    },
    /// The time step is not a positive number.
    #[error("a step of {0} seconds is not possible")]
    Step(f64),
}
