//! Vertices that stand at the very same place.
//!
//! Formats that keep attributes per vertex (glTF) or know no vertices (STL) split a vertex where faces meet; what is
//! connected to what is then a question of positions.

use glam::DVec3;
use rustc_hash::FxHashMap;

use super::PolyMesh;

/// For each vertex the first one at the same position, bit for bit (but the two zeros are one).
pub(super) fn first_of_identical(positions: &[DVec3]) -> Vec<u32> {
    let mut first = FxHashMap::with_capacity_and_hasher(positions.len(), Default::default());
    positions
        .iter()
        .enumerate()
        .map(|(vertex, position)| {
            let key = position.to_array().map(|coordinate| (coordinate + 0.0).to_bits());
            *first.entry(key).or_insert(vertex as u32)
        })
        .collect()
}

/// A mesh in which vertices at the same position are one; corners keep their attributes.
pub(crate) fn merged_identical(mesh: &PolyMesh) -> PolyMesh {
    let same = first_of_identical(&mesh.positions);
    let mut mesh = mesh.clone();
    mesh.corners.iter_mut().for_each(|vertex| *vertex = same[*vertex as usize]);
    mesh
}
