//! For the kernels of [`pieces`](crate::pieces).

use super::{DeviceSlice, DeviceSliceMut};
use crate::extract::{FractureVoxel, Solid};

super::arguments! {
    /// The cells of voxels, to sort by: a thread for each voxel.
    VoxelCell("fracas_pieces_voxel_cell", |arguments| arguments.keys.length) {
        /// The voxels.
        voxels: DeviceSlice<FractureVoxel>,
        /// The cell of each.
        keys: DeviceSliceMut<u32>,
    }

    /// Voxels in the order of their cells: a thread for each voxel.
    ArrangeVoxels("fracas_pieces_arrange_voxels", |arguments| arguments.output.length) {
        /// The voxels.
        voxels: DeviceSlice<FractureVoxel>,
        /// Their numbers, sorted by cell.
        order: DeviceSlice<u32>,
        /// The voxels in that order.
        output: DeviceSliceMut<FractureVoxel>,
        /// The code of each.
        codes: DeviceSliceMut<u32>,
    }

    /// For [`pieces::solid_key`](crate::pieces::solid_key): a thread for each solid.
    SolidKey("fracas_pieces_solid_key", |arguments| arguments.keys.length) {
        /// The solids.
        solids: DeviceSlice<Solid>,
        /// Levels of the lattice.
        levels: u64,
        /// The key of each.
        keys: DeviceSliceMut<u64>,
    }

    /// Solids in the order of their keys: a thread for each solid.
    ArrangeSolids("fracas_pieces_arrange_solids", |arguments| arguments.output.length) {
        /// The solids.
        solids: DeviceSlice<Solid>,
        /// Their numbers, sorted by key.
        order: DeviceSlice<u32>,
        /// The solids in that order.
        output: DeviceSliceMut<Solid>,
        /// The cell of each.
        cells: DeviceSliceMut<u32>,
    }

    /// For [`pieces::first_of_cell`](crate::pieces::first_of_cell): a thread for each cell, and one more.
    FirstOfCell("fracas_pieces_first_of_cell", |arguments| arguments.firsts.length) {
        /// The cell of each element, in order.
        cells: DeviceSlice<u32>,
        /// The first element of each cell, and the number of all.
        firsts: DeviceSliceMut<u32>,
    }

    /// For [`pieces::begins_piece`](crate::pieces::begins_piece): a thread for each voxel.
    BeginsPiece("fracas_pieces_begins_piece", |arguments| arguments.begins.length) {
        /// The labels, sorted.
        labels: DeviceSlice<u32>,
        /// The elements of a plain scan.
        begins: DeviceSliceMut<u32>,
    }

    /// For [`pieces::leaf_normal`](crate::pieces::leaf_normal), and all else that is known of a leaf: a thread for each.
    MakeLeaf("fracas_pieces_leaf", |arguments| arguments.codes.length) {
        /// The voxels.
        voxels: DeviceSlice<FractureVoxel>,
        /// Their numbers, sorted by label.
        order: DeviceSlice<u32>,
        /// The piece of each: the inclusive scan of what begins a piece.
        pieces: DeviceSlice<u32>,
        /// The packed normals of the octree that broke.
        normals: DeviceSlice<u16>,
        /// The code of each leaf.
        codes: DeviceSliceMut<u32>,
        /// The packed normal of each leaf.
        leaf_normals: DeviceSliceMut<u16>,
        /// The attributes that each leaf had.
        attributes: DeviceSliceMut<u32>,
        /// The cell of each piece.
        cells: DeviceSliceMut<u32>,
    }

    /// Normals in the order of attributes: a thread for each attribute.
    ArrangeNormals("fracas_pieces_arrange_normals", |arguments| arguments.output.length) {
        /// The packed normal of each boundary node.
        normals: DeviceSlice<u16>,
        /// The number of each attribute's boundary node.
        sources: DeviceSlice<u32>,
        /// The packed normal of each attribute.
        output: DeviceSliceMut<u16>,
    }
}
