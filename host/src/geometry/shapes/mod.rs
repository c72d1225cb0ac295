//! Procedural shapes.

use glam::DVec3;

use super::{Aabb, Convex, TriMesh};

/// A box of the given size around the origin.
pub fn cuboid(size: DVec3) -> TriMesh {
    Convex::cuboid(Aabb::around(DVec3::ZERO, 0.5 * size)).to_tri_mesh()
}
