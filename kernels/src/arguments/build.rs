//! For the kernels of [`build`](crate::build).

use bytemuck::{Pod, Zeroable};

use super::{DeviceSlice, DeviceSliceMut};
use crate::build::{Branch, Run};
use crate::node::Node;

/// [`build::Row`](crate::build::Row).
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Row {
    /// The code of each node.
    pub codes: DeviceSlice<u32>,
    /// The piece of each node.
    pub pieces: DeviceSlice<u32>,
    /// The number of the first node.
    pub first: u64,
}

/// [`build::Rows`](crate::build::Rows).
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Rows {
    /// Levels below the roots.
    pub levels: u64,
    /// How many pieces there are.
    pub pieces: u64,
    /// The first boundary node of each height and piece, and the number of all.
    pub firsts: DeviceSlice<u32>,
}

/// [`build::Forest`](crate::build::Forest).
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Forest {
    /// Levels below the roots.
    pub levels: u64,
    /// How many pieces there are.
    pub pieces: u64,
    /// How many leaves there are.
    pub leaves: u64,
    /// For each height and piece.
    pub runs: DeviceSlice<Run>,
    /// For each boundary node above the leaves.
    pub branches: DeviceSlice<Branch>,
    /// Where each piece's nodes start.
    pub node_starts: DeviceSlice<u32>,
    /// Where each piece's attributes start.
    pub attribute_starts: DeviceSlice<u32>,
}

super::arguments! {
    /// For [`build::begins_parent`](crate::build::begins_parent): a thread for each node of the row.
    BeginsParent("fracas_build_begins_parent", |arguments| arguments.begins.length) {
        /// The row.
        row: Row,
        /// The elements of a plain scan.
        begins: DeviceSliceMut<u32>,
    }

    /// For [`build::parent`](crate::build::parent): a thread for each node of the row.
    Parent("fracas_build_parent", |arguments| arguments.places.length) {
        /// The row.
        row: Row,
        /// The inclusive scan of what begins a parent.
        places: DeviceSlice<u32>,
        /// The codes of the next row.
        codes: DeviceSliceMut<u32>,
        /// The pieces of the next row.
        pieces: DeviceSliceMut<u32>,
        /// The branches of the next row.
        branches: DeviceSliceMut<Branch>,
    }

    /// For [`build::first_of_run`](crate::build::first_of_run): a thread for each height and piece, and one more.
    FirstOfRun("fracas_build_first_of_run", |arguments| arguments.firsts.length) {
        /// The piece of each boundary node of all rows.
        pieces: DeviceSlice<u32>,
        /// Where each row starts, and the number of all.
        rows: DeviceSlice<u32>,
        /// How many pieces there are.
        piece_count: u64,
        /// The first boundary node of each.
        firsts: DeviceSliceMut<u32>,
    }

    /// For [`build::run`](crate::build::run): a thread for each height and piece.
    MakeRun("fracas_build_run", |arguments| arguments.runs.length) {
        /// The rows.
        rows: Rows,
        /// The run of each.
        runs: DeviceSliceMut<Run>,
    }

    /// For [`build::node_count`](crate::build::node_count): a thread for each piece.
    NodeCount("fracas_build_node_count", |arguments| arguments.counts.length) {
        /// The rows.
        rows: Rows,
        /// The elements of a plain scan.
        counts: DeviceSliceMut<u32>,
    }

    /// For [`build::attribute_count`](crate::build::attribute_count): a thread for each piece.
    AttributeCount("fracas_build_attribute_count", |arguments| arguments.counts.length) {
        /// The rows.
        rows: Rows,
        /// The elements of a plain scan.
        counts: DeviceSliceMut<u32>,
    }

    /// For [`build::node`](crate::build::node): a thread for each node of the pool.
    MakeNode("fracas_build_node", |arguments| arguments.nodes.length) {
        /// What the nodes are made from.
        forest: Forest,
        /// The pool.
        nodes: DeviceSliceMut<Node>,
    }

    /// For [`build::attribute_source`](crate::build::attribute_source): a thread for each attribute.
    AttributeSource("fracas_build_attribute_source", |arguments| arguments.sources.length) {
        /// What the nodes are made from.
        forest: Forest,
        /// The number of each attribute's boundary node.
        sources: DeviceSliceMut<u32>,
    }

    /// For [`build::parent_normal`](crate::build::parent_normal): a thread for each node of a row above the leaves.
    ParentNormal("fracas_build_parent_normal", |arguments| arguments.output.length) {
        /// The branches of the row.
        branches: DeviceSlice<Branch>,
        /// The normals of all boundary nodes in the rows below.
        normals: DeviceSlice<u16>,
        /// The normals of the row, which follow those in the same list.
        output: DeviceSliceMut<u16>,
    }
}
