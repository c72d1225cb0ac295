//! The tolerances of the library, in one place.
//!
//! Topology never asks a tolerance: sides and orientations are decided by exact predicates
//! ([`crate::geometry::predicates`]). What stands here is for questions that only have an approximate answer, and each
//! is relative to a length of the thing asked about, so that a model in millimetres behaves as one in metres.

/// Two vertices closer than this, relative to the diagonal of the mesh's box, are one vertex when a mesh is welded.
///
/// Large enough for coordinates that went through single-precision text and back (about 1e-7), small enough that no
/// feature of a scanned model of ten million triangles disappears.
pub const WELD: f64 = 1e-6;

/// A unit vector read from a file may be this far from unit length before it is normalised again.
pub const UNIT_LENGTH: f64 = 1e-3;
