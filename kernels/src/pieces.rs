//! From the fracture boundary set to the leaves of the pieces: what stands between [`extract`](crate::extract),
//! [`islands`](crate::islands) and [`build`](crate::build).
//!
//! The launches, around those of the others:
//!
//! 1. a sort of the voxels' numbers by cell, the voxels in that order, and [`first_of_cell`] for each cell; the same for
//!    the solids by [`solid_key`], because within a cell they come by size;
//! 2. when the islands are known, a sort of the voxels' numbers by label, [`begins_piece`] for each and a plain inclusive
//!    [scan](crate::scan) for the number of its piece; then [`leaf_normal`] for each.

use crate::extract::{FractureVoxel, Solid};
use crate::node::NO_ATTRIBUTES;
use crate::scan::Segmented;

/// One thread for each cell, and one more: the first element of the cell, or the number of all. `cells` is the cell of
/// each element, in order.
#[inline]
pub fn first_of_cell(cells: &[u32], index: usize) -> u32 {
    cells.partition_point(|&cell| (cell as usize) < index) as u32
}

/// One thread for each solid: what they are sorted by, the cell and then the code, on a lattice of so many levels.
#[inline]
pub const fn solid_key(solid: &Solid, levels: u32) -> u64 {
    (solid.cell as u64) << (3 * levels) | solid.code as u64
}

/// One thread for each voxel, sorted by label: 1 if its piece is another than that of the one before. The inclusive scan of
/// this is the number of each one's piece, and the last of it is one less than the number of pieces.
#[inline]
pub fn begins_piece(labels: &[u32], index: usize) -> Segmented {
    Segmented::value(u32::from(index > 0 && labels[index - 1] != labels[index]))
}

/// One thread for each leaf: its packed normal, which is that of the octree that broke where the surface was there before.
#[inline]
pub fn leaf_normal(voxel: &FractureVoxel, normals: &[u16]) -> u16 {
    match voxel.attributes {
        NO_ATTRIBUTES => voxel.normal as u16,
        attributes => normals[attributes as usize],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_without_elements_start_where_the_next_one_does() {
        let cells = [1, 1, 4];
        assert_eq!([0, 1, 2, 3, 4, 5].map(|index| first_of_cell(&cells, index)), [0, 0, 2, 2, 2, 3]);
        assert_eq!([0, 1].map(|index| first_of_cell(&[], index)), [0, 0]);
    }

    #[test]
    fn solids_are_sorted_by_cell_first() {
        let solid = |cell, code| Solid { cell, code, height: 0 };
        assert!(solid_key(&solid(1, 0), 10) > solid_key(&solid(0, (1 << 30) - 1), 10));
        assert!(solid_key(&solid(u32::MAX, 8), 10) > solid_key(&solid(u32::MAX, 7), 10));
    }

    #[test]
    fn pieces_begin_where_the_label_changes() {
        assert_eq!([0, 1, 2, 3].map(|index| begins_piece(&[5, 5, 7, 9], index).value), [0, 0, 1, 1]);
    }

    #[test]
    fn what_was_surface_keeps_its_normal() {
        let voxel = FractureVoxel { attributes: 1, ..FractureVoxel::default() };
        assert_eq!(leaf_normal(&voxel, &[3, 4]), 4);
        assert_eq!(leaf_normal(&FractureVoxel { attributes: NO_ATTRIBUTES, normal: 9, ..voxel }, &[]), 9);
    }
}
