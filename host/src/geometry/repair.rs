//! Repairs that a user can ask for.

use super::TriMesh;

/// Which repairs to make.
#[derive(Clone, Debug, Default)]
pub struct RepairOptions {}

/// What one repair changed.
#[derive(Clone, Debug, PartialEq)]
pub enum Repair {}

/// A repaired mesh and what was changed.
#[derive(Clone, Debug)]
pub struct Repaired {
    /// The mesh.
    pub mesh: TriMesh,
    /// What was changed, in order.
    pub changes: Vec<Repair>,
}

/// Repairs a mesh.
pub fn repair(mesh: TriMesh, options: &RepairOptions) -> Repaired {
    let _ = options;
    Repaired { mesh, changes: Vec::new() }
}
