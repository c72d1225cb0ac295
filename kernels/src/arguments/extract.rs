//! For the kernels of [`extract`](crate::extract). Counts stand in a list for each kind, because each is scanned alone.

use bytemuck::{Pod, Zeroable};

use super::{DeviceSlice, DeviceSliceMut};
use crate::cells::Seed;
use crate::extract::{FractureVoxel, Place, Solid};
use crate::node::Node;

/// [`extract::Level`](crate::extract::Level).
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Level {
    /// All nodes of the octree.
    pub nodes: DeviceSlice<Node>,
    /// The places.
    pub places: DeviceSlice<Place>,
    /// The seeds of all places.
    pub seeds: DeviceSlice<Seed>,
    /// The level of the children above the finest.
    pub height: u64,
}

super::arguments! {
    /// For [`extract::count_child`](crate::extract::count_child): a thread for each of eight children of each place.
    CountChild("fracas_extract_count_child", |arguments| 8 * arguments.level.places.length) {
        /// The places.
        level: Level,
        /// Places that each child adds.
        places: DeviceSliceMut<u32>,
        /// Seeds that it adds.
        seeds: DeviceSliceMut<u32>,
        /// Solids that it adds.
        solids: DeviceSliceMut<u32>,
    }

    /// For [`extract::child`](crate::extract::child): a thread for each of eight children of each place.
    MakeChild("fracas_extract_child", |arguments| 8 * arguments.level.places.length) {
        /// The places.
        level: Level,
        /// The exclusive scan of each child's places.
        place_starts: DeviceSlice<u32>,
        /// The exclusive scan of each child's seeds.
        seed_starts: DeviceSlice<u32>,
        /// The exclusive scan of each child's solids.
        solid_starts: DeviceSlice<u32>,
        /// The places of the next level.
        places: DeviceSliceMut<Place>,
        /// The seeds of the next level.
        seeds: DeviceSliceMut<Seed>,
        /// The solids of this one.
        solids: DeviceSliceMut<Solid>,
    }

    /// For [`extract::count_copies`](crate::extract::count_copies): a thread for each of eight children of each place.
    CountCopies("fracas_extract_count_copies", |arguments| 8 * arguments.level.places.length) {
        /// The places.
        level: Level,
        /// Copies that each voxel adds.
        voxels: DeviceSliceMut<u32>,
        /// Solids that it adds.
        solids: DeviceSliceMut<u32>,
    }

    /// For [`extract::copies`](crate::extract::copies): a thread for each of eight children of each place.
    MakeCopies("fracas_extract_copies", |arguments| 8 * arguments.level.places.length) {
        /// The places.
        level: Level,
        /// The exclusive scan of each voxel's copies.
        voxel_starts: DeviceSlice<u32>,
        /// The exclusive scan of each voxel's solids.
        solid_starts: DeviceSlice<u32>,
        /// The copies.
        voxels: DeviceSliceMut<FractureVoxel>,
        /// The solids of the finest level.
        solids: DeviceSliceMut<Solid>,
    }
}
