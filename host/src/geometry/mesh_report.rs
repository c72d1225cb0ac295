//! What is right and wrong with a mesh.

use super::TriMesh;

/// What is right and wrong with a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshReport {}

/// Looks a mesh over.
pub fn mesh_report(mesh: &TriMesh) -> MeshReport {
    let _ = mesh;
    MeshReport {}
}
