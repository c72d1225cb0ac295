//! Blocks of tetrahedra to test with, and parts of them.

use glam::{DVec3, UVec3};

use crate::geometry::TetMesh;

/// A block around the origin, of so many cells, each of six tetrahedra around its diagonal.
pub(super) fn block(cells: UVec3, size: DVec3) -> TetMesh {
    let number = |at: UVec3| at.x + (cells.x + 1) * (at.y + (cells.y + 1) * at.z);
    let mut mesh = TetMesh::default();
    for z in 0..=cells.z {
        for y in 0..=cells.y {
            for x in 0..=cells.x {
                mesh.positions.push(size * (UVec3::new(x, y, z).as_dvec3() / cells.as_dvec3() - 0.5));
            }
        }
    }
    for cell in
        (0..cells.element_product()).map(|k| UVec3::new(k % cells.x, k / cells.x % cells.y, k / (cells.x * cells.y)))
    {
        for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 0, 2], [0, 2, 1], [2, 1, 0]] {
            let axes = order.map(|axis| [UVec3::X, UVec3::Y, UVec3::Z][axis]);
            let corners = [cell, cell + axes[0], cell + axes[0] + axes[1], cell + UVec3::ONE];
            mesh.tets.push(corners.map(number));
        }
    }
    mesh.orient();
    mesh
}

/// A bar along x, twelve times as long as thick.
pub(super) fn bar() -> TetMesh {
    block(UVec3::new(36, 3, 3), DVec3::new(0.24, 0.02, 0.02))
}

/// What is left of a mesh when the tetrahedra with their middle in some region are taken out.
pub(super) fn without(mesh: &TetMesh, is_out: impl Fn(DVec3) -> bool) -> TetMesh {
    let stays = |&tet: &usize| !is_out(mesh.corners(tet).iter().sum::<DVec3>() / 4.0);
    let mut tets: Vec<[u32; 4]> = (0..mesh.tets.len()).filter(stays).map(|tet| mesh.tets[tet]).collect();
    let mut used: Vec<u32> = tets.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    tets.iter_mut().flatten().for_each(|node| *node = used.binary_search(node).unwrap() as u32);
    TetMesh { positions: used.iter().map(|&node| mesh.positions[node as usize]).collect(), tets }
}
