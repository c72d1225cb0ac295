//! For the kernels of [`discretise`](crate::discretise).

use bytemuck::{Pod, Zeroable};

use super::{DeviceSlice, DeviceSliceMut};
use crate::discretise::{CollisionPoint, Stand, Sums};
use crate::node::Node;
use crate::touch::Touch;

/// The voxels that were touched, and their octrees: [`discretise::Surfaces`](crate::discretise::Surfaces) and what is
/// asked of them.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Touched {
    /// How the owners stand.
    pub stands: DeviceSlice<Stand>,
    /// The nodes.
    pub nodes: DeviceSlice<Node>,
    /// The packed normals.
    pub normals: DeviceSlice<u16>,
    /// The voxels.
    pub touches: DeviceSlice<Touch>,
}

super::arguments! {
    /// Whether [`discretise::point`](crate::discretise::point) gives a point: a thread for each eighth of each voxel.
    HasPoint("fracas_discretise_has_point", |arguments| arguments.counts.length) {
        /// The voxels.
        touched: Touched,
        /// The elements of a plain scan.
        counts: DeviceSliceMut<u32>,
    }

    /// For [`discretise::point`](crate::discretise::point): a thread for each eighth of each voxel.
    MakePoint("fracas_discretise_point", |arguments| arguments.starts.length) {
        /// The voxels.
        touched: Touched,
        /// The exclusive scan of what has a point.
        starts: DeviceSlice<u32>,
        /// The points that there are.
        points: DeviceSliceMut<CollisionPoint>,
    }

    /// For [`discretise::first_of_sight`](crate::discretise::first_of_sight): a thread for each sight, and one more.
    FirstOfSight("fracas_discretise_first_of_sight", |arguments| arguments.firsts.length) {
        /// The points.
        points: DeviceSlice<CollisionPoint>,
        /// The first of each sight.
        firsts: DeviceSliceMut<u32>,
    }

    /// For [`discretise::key`](crate::discretise::key): a thread for each point.
    PointKey("fracas_discretise_key", |arguments| arguments.keys.length) {
        /// The points.
        points: DeviceSlice<CollisionPoint>,
        /// The key of each.
        keys: DeviceSliceMut<u64>,
    }

    /// Points in the order of their keys: a thread for each point.
    Arrange("fracas_discretise_arrange", |arguments| arguments.output.length) {
        /// The points.
        points: DeviceSlice<CollisionPoint>,
        /// Their numbers, sorted by key.
        order: DeviceSlice<u32>,
        /// The points in that order.
        output: DeviceSliceMut<CollisionPoint>,
    }

    /// For [`discretise::begins_cell`](crate::discretise::begins_cell): a thread for each point.
    BeginsCell("fracas_discretise_begins_cell", |arguments| arguments.begins.length) {
        /// The keys, sorted.
        keys: DeviceSlice<u64>,
        /// The elements of a plain scan.
        begins: DeviceSliceMut<u32>,
    }

    /// For [`discretise::accumulate`](crate::discretise::accumulate): a thread for each point.
    Accumulate("fracas_discretise_accumulate", |arguments| arguments.points.length) {
        /// The points, sorted by key.
        points: DeviceSlice<CollisionPoint>,
        /// The inclusive scan of what begins a cell.
        segments: DeviceSlice<u32>,
        /// The sums of each cell, which start as zeros.
        sums: DeviceSlice<Sums>,
    }
}
