//! Why there is no tetrahedral mesh.

use thiserror::Error;

use crate::geometry::SolidError;

/// Why there is no tetrahedral mesh.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MesherError {
    /// The surface is not that of a solid.
    #[error(transparent)]
    NotSolid(#[from] SolidError),
    /// A length is not a positive number, or far beyond all that is real.
    #[error("{what} is {value:e}, but must be a positive length from 1e-30 to 1e30")]
    BadLength {
        /// Which length.
        what: &'static str,
        /// What it is.
        value: f64,
    },
    /// An angle is not one.
    #[error("the angle of sharp edges is {value} degrees, but must be above 0 and at most 180")]
    BadAngle {
        /// What it is.
        value: f64,
    },
    /// There are no cells along an axis.
    #[error("a mesh needs at least one cell along each axis")]
    NoCells,
    /// The lattice would not fit into memory.
    #[error("the lattice would have {cells:.3e} cells, more than the {limit} allowed; use larger cells")]
    TooManyCells {
        /// How many it would have.
        cells: f64,
        /// How many it may have.
        limit: usize,
    },
    /// The mesh would not fit into memory.
    #[error("the mesh would have about {tets:.3e} tetrahedra, more than the {limit} allowed; use larger cells")]
    TooManyTets {
        /// About how many it would have.
        tets: f64,
        /// How many it may have.
        limit: usize,
    },
    /// No lattice point is inside.
    #[error("no tetrahedron fits into the mesh with cells of {cell:.3e}; use smaller cells")]
    NothingInside {
        /// The side of a cell.
        cell: f64,
    },
}
