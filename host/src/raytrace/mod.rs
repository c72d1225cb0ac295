//! Ray-traced collision detection for deformable bodies, after Hermann, Faure and Raffin 2008.
//!
//! A ray goes from each surface vertex of a body inwards. If the first surface that it meets is another body's, and it meets
//! that from the inside, then the vertex is inside of the other body, and the two points are pushed towards each other.

mod cells;
mod cylinder_plane;
mod detector;
mod edges;
mod escape;
mod keys;
mod matches;
mod octree;
mod options;
mod pairs;
mod proximity;
mod ray;
mod response;
mod rim;
mod self_collision;
mod surface;
mod traverse;

#[cfg(test)]
mod match_tests;
#[cfg(test)]
mod octree_tests;

pub use cylinder_plane::{CylinderPlane, TangentialForce};
pub use detector::Detector;
pub use matches::{DetectionStatistics, Match, MatchKind, SurfacePoint};
pub use octree::Octree;
pub use options::{DetectionMethod, ProximityOptions, RayOptions};
pub use pairs::match_pair;
pub use proximity::{ProximityIndex, match_near};
pub use ray::{Hit, Ray};
pub use response::{ContactForce, Push, ResponseOptions};
pub use self_collision::match_itself;
pub use surface::{Edge, Surface};
