//! Puts what is near in space near in memory.

use fracas_kernels::morton::{BITS_63, encode_63};
use glam::DVec3;
use rayon::prelude::*;

use crate::geometry::{Aabb, TetMesh};

/// The mesh with its vertices and its tetrahedra in order along the Z-order curve, without vertices that none names; and for
/// each vertex, which it was.
pub(super) fn along_curve(mesh: &TetMesh) -> (TetMesh, Vec<u32>) {
    let mut is_used = vec![false; mesh.positions.len()];
    mesh.tets.iter().flatten().for_each(|&vertex| is_used[vertex as usize] = true);
    let bounds = mesh.aabb();
    let mut vertices: Vec<(u64, u32)> = (0..mesh.positions.len() as u32)
        .filter(|&vertex| is_used[vertex as usize])
        .map(|vertex| (code(&bounds, mesh.positions[vertex as usize]), vertex))
        .collect();
    vertices.par_sort_unstable();
    let mut numbers = vec![u32::MAX; mesh.positions.len()];
    for (number, &(_, vertex)) in vertices.iter().enumerate() {
        numbers[vertex as usize] = number as u32;
    }
    let middle = |tet: usize| 0.25 * mesh.corners(tet).into_iter().sum::<DVec3>();
    let mut tets: Vec<(u64, u32)> =
        (0..mesh.tets.len()).into_par_iter().map(|tet| (code(&bounds, middle(tet)), tet as u32)).collect();
    tets.par_sort_unstable();
    let positions = vertices.iter().map(|&(_, vertex)| mesh.positions[vertex as usize]).collect();
    let renumbered = |&(_, tet): &(u64, u32)| mesh.tets[tet as usize].map(|vertex| numbers[vertex as usize]);
    let tets = tets.iter().map(renumbered).collect();
    (TetMesh { positions, tets }, vertices.into_iter().map(|(_, vertex)| vertex).collect())
}

fn code(bounds: &Aabb, point: DVec3) -> u64 {
    let cells = f64::from((1u32 << BITS_63) - 1);
    let place = (point - bounds.min) / bounds.size().max_element().max(f64::MIN_POSITIVE) * cells;
    let [x, y, z] = place.to_array().map(|coordinate| coordinate as u32);
    encode_63(x, y, z)
}
