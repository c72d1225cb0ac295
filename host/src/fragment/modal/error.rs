//! What is wrong with a model, and the checks that find it.

use thiserror::Error;

use crate::geometry::MeshError;

/// Why a modal model cannot be made or asked.
#[derive(Debug, Error)]
pub enum ModalError {
    /// A parameter is out of its range.
    #[error("{of}: {what} is {found}, expected {expected}")]
    Parameter {
        /// What has the parameter.
        of: &'static str,
        /// The parameter.
        what: &'static str,
        /// Its value.
        found: f64,
        /// What it may be.
        expected: &'static str,
    },
    /// The mesh cannot be used at all.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// There is nothing to analyse.
    #[error("the mesh has no tetrahedra")]
    Empty,
    /// A tetrahedron is flat or inside out.
    #[error(
        "tetrahedron {tet} has a volume of {volume:e}, which is too small for its edges or not positive; orient the \
         tetrahedra or mesh again"
    )]
    Flat {
        /// Which tetrahedron, counted from zero.
        tet: usize,
        /// Its signed volume.
        volume: f64,
    },
    /// A vertex belongs to no tetrahedron.
    #[error("vertex {vertex} is in no tetrahedron; take unused vertices out of the mesh")]
    Unused {
        /// Which vertex, counted from zero.
        vertex: usize,
    },
    /// The mesh is many meshes.
    #[error("the mesh falls into {found} parts, at most {most} are analysed together; make each a model of its own")]
    Parts {
        /// How many parts hang together within themselves only.
        found: usize,
        /// How many may be.
        most: usize,
    },
    /// The factor of the stiffness does not fit into memory.
    #[error(
        "the mesh is too fine for modal analysis: the factor of its stiffness would take {gigabytes:.1} GB, at most \
         {most:.1} GB are allowed; use fewer than {nodes} vertices"
    )]
    TooLarge {
        /// How much memory the factor takes.
        gigabytes: f64,
        /// How much it may take.
        most: f64,
        /// How many vertices the mesh has.
        nodes: usize,
    },
    /// The stiffness cannot be factored.
    #[error(
        "the stiffness of the mesh cannot be factored ({0}); its tetrahedra may be too flat or differ too much in size"
    )]
    Factor(String),
    /// The modes did not settle.
    #[error(
        "mode {mode} did not converge: its residual is {residual:e}; its tetrahedra may be too flat, or ask for fewer modes"
    )]
    NotConverged {
        /// Which mode, counted from zero.
        mode: usize,
        /// What is left of its equation, relative to its eigenvalue.
        residual: f64,
    },
}

/// Checks that a parameter is a positive, finite number.
pub(super) fn positive(of: &'static str, what: &'static str, found: f64) -> Result<(), ModalError> {
    require(of, what, found, found > 0.0 && found.is_finite(), "a positive number")
}

/// Checks that a parameter is what is expected.
pub(super) fn require(
    of: &'static str,
    what: &'static str,
    found: f64,
    holds: bool,
    expected: &'static str,
) -> Result<(), ModalError> {
    if holds { Ok(()) } else { Err(ModalError::Parameter { of, what, found, expected }) }
}
