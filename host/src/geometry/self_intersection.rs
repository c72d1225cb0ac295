//! Triangles of a mesh that pass through each other.

use super::TriMesh;

/// Two triangles of one mesh, the smaller number first.
pub type TrianglePair = [u32; 2];

/// All pairs of triangles that cross.
pub fn self_intersections(mesh: &TriMesh) -> Vec<TrianglePair> {
    let _ = mesh;
    Vec::new()
}
