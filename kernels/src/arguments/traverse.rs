//! For the kernels of [`traverse`](crate::traverse).

use core::sync::atomic::AtomicU32;

use bytemuck::{Pod, Zeroable};

use super::{DeviceSlice, DeviceSliceMut};
use crate::node::Node;
use crate::traverse::{Meeting, Pair, Reached};

/// [`traverse::Walk`](crate::traverse::Walk).
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Walk {
    /// The nodes of all octrees.
    pub nodes: DeviceSlice<Node>,
    /// Which octrees meet.
    pub meetings: DeviceSlice<Meeting>,
}

super::arguments! {
    /// Whether [`traverse::root`](crate::traverse::root) gives a pair: a thread for each meeting.
    HasRoot("fracas_traverse_has_root", |arguments| arguments.counts.length) {
        /// The octrees.
        walk: Walk,
        /// The elements of a plain scan.
        counts: DeviceSliceMut<u32>,
    }

    /// For [`traverse::root`](crate::traverse::root): a thread for each meeting.
    Root("fracas_traverse_root", |arguments| arguments.starts.length) {
        /// The octrees.
        walk: Walk,
        /// The exclusive scan of what has a root.
        starts: DeviceSlice<u32>,
        /// The pairs that there are.
        pairs: DeviceSliceMut<Pair>,
    }

    /// For [`traverse::child_count`](crate::traverse::child_count): a thread for each pair.
    ChildCount("fracas_traverse_child_count", |arguments| arguments.counts.length) {
        /// The octrees.
        walk: Walk,
        /// The pairs.
        pairs: DeviceSlice<Pair>,
        /// The elements of a plain scan.
        counts: DeviceSliceMut<u32>,
    }

    /// For [`traverse::descend`](crate::traverse::descend): a thread for each pair.
    Descend("fracas_traverse_descend", |arguments| arguments.starts.length) {
        /// The octrees.
        walk: Walk,
        /// The pairs.
        pairs: DeviceSlice<Pair>,
        /// The exclusive scan of the pairs that each becomes.
        starts: DeviceSlice<u32>,
        /// The marks of all meetings.
        marks: DeviceSlice<AtomicU32>,
        /// The pairs of the next round.
        output: DeviceSliceMut<Pair>,
    }

    /// For [`traverse::is_reached`](crate::traverse::is_reached): a thread for each mark.
    IsReached("fracas_traverse_is_reached", |arguments| arguments.counts.length) {
        /// The marks.
        marks: DeviceSlice<AtomicU32>,
        /// The elements of a plain scan.
        counts: DeviceSliceMut<u32>,
    }

    /// For [`traverse::reached`](crate::traverse::reached): a thread for each mark.
    TakeReached("fracas_traverse_reached", |arguments| arguments.starts.length) {
        /// Which octrees meet.
        meetings: DeviceSlice<Meeting>,
        /// The marks.
        marks: DeviceSlice<AtomicU32>,
        /// The exclusive scan of what is reached.
        starts: DeviceSlice<u32>,
        /// The nodes that were come to.
        output: DeviceSliceMut<Reached>,
    }
}
