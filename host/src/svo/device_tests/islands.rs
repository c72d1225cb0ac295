//! What hangs together.

use std::sync::atomic::AtomicU32;

use fracas_kernels::islands::{Voxels, flatten, label, neighbour_bits};

use super::*;

/// The label of each voxel; they are sorted by cell and code.
pub(super) fn labels(codes: &[u32], cells: &[u32], cell_count: u32) -> Vec<u32> {
    let voxels = Voxels { codes, groups: cells, starts: &group_starts(cells, cell_count) };
    let labels: Vec<AtomicU32> = (0..codes.len() as u32).map(AtomicU32::new).collect();
    for index in 0..codes.len() {
        label(&voxels, neighbour_bits(&voxels, index), &labels, index);
    }
    (0..codes.len()).map(|index| flatten(&labels, index)).collect()
}

#[test]
fn labels_on_the_device_divide_cells_as_the_pieces_do() {
    // No cavities: there, voxels alone tell what hangs together.
    let (seeds, fractured) = torus(6);
    assert!(fractured.pieces.len() > seeds.cells as usize, "some cell has several islands");
    let mut voxels: Vec<(u32, u32, u32)> = Vec::new();
    for (piece, (tree, &cell)) in (0..).zip(fractured.pieces.iter().zip(&fractured.cells)) {
        voxels.extend(tree.boundary_codes().into_iter().map(|code| (cell, code, piece)));
    }
    voxels.sort_unstable();
    let codes: Vec<u32> = voxels.iter().map(|&(_, code, _)| code).collect();
    let cells: Vec<u32> = voxels.iter().map(|&(cell, _, _)| cell).collect();
    let labels = labels(&codes, &cells, seeds.cells);
    // A label is an island's last voxel, and pieces stand in the order of these.
    let mut islands = labels.clone();
    islands.sort_unstable();
    islands.dedup();
    for (&(_, _, piece), label) in voxels.iter().zip(&labels) {
        assert_eq!(islands.binary_search(label), Ok(piece as usize));
    }
}
