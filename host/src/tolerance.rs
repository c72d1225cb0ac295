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

/// A vertex that stands less than this outside of a plane, relative to the greatest distance of the solid from the origin,
/// is not cut off by it.
///
/// Sixteen roundings of a coordinate: a vertex comes from a handful of operations on coordinates of that size. Lattices of
/// seeds rely on it to have one vertex where eight cells meet.
pub const CELL_PLANE: f64 = 16.0 * f64::EPSILON;

/// Two seeds of Voronoi cells closer than this, relative to the greatest distance of their box from the origin, are in the
/// same place.
///
/// Well above [`CELL_PLANE`], so that every seed stands clearly on its own side of the planes around it.
pub const SAME_SEED: f64 = 1e-13;

/// A vertex this near to a plane that cuts its mesh is on the plane, relative to the largest coordinate of the mesh and
/// the plane's distance from the origin.
///
/// Well above the rounding of a signed distance (a few 1e-16), so that a vertex that a cut made is on that cut's plane
/// again whenever it is asked; small enough that a thousand cuts move less than 1e-9 of a volume from piece to piece.
pub const ON_PLANE: f64 = 1e-12;

/// What a fit would cut off a convex is left on if it is thinner than this, relative to the diagonal of its box; and
/// points that are flatter than this have no approximate hull.
///
/// Large enough that a face whose points were rounded when they were cut stays where it is, bit for bit, and so stays in
/// one plane with the neighbour's; small enough that nobody sees it.
pub const FIT: f64 = 1e-9;

/// Two faces are in one plane if every corner of one is this near to the plane of the other, relative to the greatest
/// distance of their compound from the origin.
///
/// Faces that one cut made have the same plane to the bit; this is for compounds that came from files, whose coordinates
/// may have been single precision divided by a scale.
pub const COPLANAR: f64 = 1e-9;

/// Two faces in one plane touch if they share more than this of the smaller one's area; less is two edges side by side.
pub const TOUCHING: f64 = 1e-6;

/// A face is hidden if others cover all of it but this share.
pub const HIDDEN: f64 = 1e-6;

/// A cell is full if what is in it has its volume up to this share. A thousand times the rounding of a sum of volumes,
/// and a hundred times less than what a fracture may lose.
pub const FULL: f64 = 1e-11;

/// What is left of a part in a cell is dropped, and counted, if it has less than this share of the part's volume: nothing
/// is left of it but rounding.
pub const SLIVER: f64 = 1e-15;
