//! Shapes and what can be asked of them: meshes, solids, boxes, planes and cones; predicates; mass; reports and
//! repairs; readers and writers; procedural shapes.

pub mod io;
pub mod predicates;
pub mod shapes;

mod aabb;
mod clip;
mod cone;
mod convex;
mod convex_hull;
mod disjoint_sets;
mod edge_sides;
mod identical;
mod mass;
mod mesh_report;
mod noise;
mod numerals;
mod plane;
mod poly_mesh;
mod pose;
mod repair;
mod self_intersection;
mod sharp_edges;
mod signed_distance;
mod tet_mesh;
mod tri_mesh;
mod triangle_intersection;
mod triangulate;
mod voronoi;

pub use aabb::Aabb;
pub use clip::{CAP, Clipped, Clipper, ConvexClipper};
pub use cone::Cone;
pub use convex::{Convex, ConvexError};
pub(crate) use convex_hull::farthest;
pub use convex_hull::{HullError, convex_hull};
pub(crate) use disjoint_sets::DisjointSets;
pub(crate) use identical::merged_identical;
pub use mass::MassProperties;
pub(crate) use mass::MomentSum;
pub use mesh_report::{MeshReport, ReportOptions, SelfIntersections, mesh_report};
pub(crate) use noise::{fractal_noise, lattice_bits};
pub use plane::Plane;
pub use poly_mesh::{CornerEdge, FRACTURE, PolyMesh, is_fracture};
pub use pose::Pose;
pub use repair::{Repair, RepairOptions, Repaired, repair};
pub use self_intersection::{TrianglePair, self_intersections};
pub(crate) use sharp_edges::{SharpEdges, sharp_edges};
pub use signed_distance::{Nearest, SignedDistance, SolidError, closest_point_on_triangle};
pub use tet_mesh::TetMesh;
pub(crate) use tet_mesh::outer_faces;
pub use tri_mesh::{MeshError, TriMesh};
pub use triangle_intersection::{segment_meets_triangle, triangles_intersect};
pub use triangulate::triangulate_face;
pub(crate) use voronoi::{CellClipper, Cut, HalfSpace};

pub use voronoi::{Side, Voronoi, VoronoiCell, VoronoiError, VoronoiFace, voronoi};
