//! For the kernels of [`islands`](crate::islands).

use core::sync::atomic::AtomicU32;

use bytemuck::{Pod, Zeroable};

use super::{DeviceSlice, DeviceSliceMut};
use crate::extract::Solid;

/// [`islands::Voxels`](crate::islands::Voxels).
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Voxels {
    /// The code of each voxel.
    pub codes: DeviceSlice<u32>,
    /// The group of each voxel.
    pub groups: DeviceSlice<u32>,
    /// The first voxel of each group, and the number of all.
    pub starts: DeviceSlice<u32>,
}

super::arguments! {
    /// For [`islands::ancestor`](crate::islands::ancestor): a thread for each voxel.
    Ancestor("fracas_islands_ancestor", |arguments| arguments.output.length) {
        /// The code of each voxel.
        codes: DeviceSlice<u32>,
        /// How many levels up.
        levels: u64,
        /// The code of the cell that each voxel is in.
        output: DeviceSliceMut<u32>,
    }

    /// For [`islands::neighbour_bits`](crate::islands::neighbour_bits): a thread for each voxel.
    NeighbourBits("fracas_islands_neighbour_bits", |arguments| arguments.bits.length) {
        /// The voxels.
        voxels: Voxels,
        /// Which neighbours each voxel has.
        bits: DeviceSliceMut<u16>,
    }

    /// Labels before the first launch, each voxel's own index: a thread for each voxel.
    Start("fracas_islands_start", |arguments| arguments.labels.length) {
        /// The labels.
        labels: DeviceSliceMut<u32>,
    }

    /// For [`islands::label`](crate::islands::label): a thread for each voxel.
    Label("fracas_islands_label", |arguments| arguments.bits.length) {
        /// The voxels.
        voxels: Voxels,
        /// Which neighbours each voxel has.
        bits: DeviceSlice<u16>,
        /// The voxels' parents, which start as their own indices.
        parents: DeviceSlice<AtomicU32>,
    }

    /// For [`islands::flatten`](crate::islands::flatten): a thread for each voxel.
    Flatten("fracas_islands_flatten", |arguments| arguments.labels.length) {
        /// The voxels' parents, which become their labels.
        labels: DeviceSlice<AtomicU32>,
    }

    /// For [`islands::propagate`](crate::islands::propagate): a thread for each voxel.
    Propagate("fracas_islands_propagate", |arguments| arguments.bits.length) {
        /// The voxels.
        voxels: Voxels,
        /// Which neighbours each voxel has; none when nothing is left to do.
        bits: DeviceSliceMut<u16>,
        /// The labels, which start as the voxels' own indices.
        labels: DeviceSlice<AtomicU32>,
        /// One number, which becomes 1 if a label changed.
        changed: DeviceSlice<AtomicU32>,
    }

    /// Parents for [`islands::join_solids`](crate::islands::join_solids): a thread for each solid and then each voxel.
    LinkSolids("fracas_islands_link_solids", |arguments| arguments.parents.length) {
        /// The label of each voxel.
        labels: DeviceSlice<u32>,
        /// The parents of the solids and then of the voxels.
        parents: DeviceSliceMut<u32>,
    }

    /// For [`islands::join_solids`](crate::islands::join_solids): a thread for each solid and then each voxel.
    JoinSolids("fracas_islands_join_solids", |arguments| arguments.parents.length) {
        /// The voxels.
        voxels: Voxels,
        /// What is inside of the cells.
        solids: DeviceSlice<Solid>,
        /// The first solid of each cell, and the number of all.
        solid_starts: DeviceSlice<u32>,
        /// Levels of the lattice.
        levels: u64,
        /// The parents of the solids and then of the voxels.
        parents: DeviceSlice<AtomicU32>,
    }

    /// Labels of the voxels alone again: a thread for each voxel.
    UnlinkSolids("fracas_islands_unlink_solids", |arguments| arguments.labels.length) {
        /// The labels of the solids and then of the voxels.
        parents: DeviceSlice<u32>,
        /// The labels of the voxels.
        labels: DeviceSliceMut<u32>,
    }
}
