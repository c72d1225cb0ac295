//! For the kernel of [`inside`](crate::inside).

use super::build::Forest;
use super::{DeviceSlice, DeviceSliceMut};
use crate::extract::Solid;
use crate::node::Node;

super::arguments! {
    /// For [`inside::node`](crate::inside::node): a thread for each node of the pool.
    Inside("fracas_inside_node", |arguments| arguments.output.length) {
        /// Where all nodes are.
        forest: Forest,
        /// The nodes.
        nodes: DeviceSlice<Node>,
        /// The code of each boundary node.
        codes: DeviceSlice<u32>,
        /// The packed normal of each boundary node.
        normals: DeviceSlice<u16>,
        /// The cell of each piece.
        cells: DeviceSlice<u32>,
        /// What is inside of the cells.
        solids: DeviceSlice<Solid>,
        /// The first solid of each cell, and the number of all.
        solid_starts: DeviceSlice<u32>,
        /// Another pool.
        output: DeviceSliceMut<Node>,
    }
}
