//! For the kernels of [`columns`](crate::columns).

use core::sync::atomic::AtomicU32;

use bytemuck::{Pod, Zeroable};

use super::{DeviceSlice, DeviceSliceMut};
use crate::columns::{Cell, Density, Facing, Frame, Gradient, SharedTotals, Span, Totals};

/// [`columns::Columns`](crate::columns::Columns).
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub struct Columns {
    /// What all points add up to.
    pub cells: DeviceSlice<Cell>,
    /// The cells' numbers, sorted by key.
    pub order: DeviceSlice<u32>,
    /// The first cell of each column, and the number of all.
    pub firsts: DeviceSlice<u32>,
    /// The axis.
    pub axis: u64,
    /// Of either owner of each meeting.
    pub densities: DeviceSlice<[Density; 2]>,
}

super::arguments! {
    /// For [`columns::add_facing`](crate::columns::add_facing): a thread for each cell.
    AddFacing("fracas_columns_add_facing", |arguments| arguments.cells.length) {
        /// The cells.
        cells: DeviceSlice<Cell>,
        /// What each sight adds up to, which starts as zeros.
        facings: DeviceSlice<Facing>,
    }

    /// For [`columns::key`](crate::columns::key): a thread for each cell.
    CellKey("fracas_columns_key", |arguments| arguments.keys.length) {
        /// The cells.
        cells: DeviceSlice<Cell>,
        /// The axis.
        axis: u64,
        /// The key of each.
        keys: DeviceSliceMut<u64>,
    }

    /// For [`columns::begins_column`](crate::columns::begins_column): a thread for each key.
    BeginsColumn("fracas_columns_begins_column", |arguments| arguments.begins.length) {
        /// The keys, sorted.
        keys: DeviceSlice<u64>,
        /// The elements of a plain scan.
        begins: DeviceSliceMut<u32>,
    }

    /// For [`columns::first_of_column`](crate::columns::first_of_column): a thread for each column, and one more.
    FirstOfColumn("fracas_columns_first_of_column", |arguments| arguments.firsts.length) {
        /// The inclusive scan of what begins a column.
        numbers: DeviceSlice<u32>,
        /// The first cell of each column.
        firsts: DeviceSliceMut<u32>,
    }

    /// For [`columns::count`](crate::columns::count): a thread for each column.
    CountSpans("fracas_columns_count", |arguments| arguments.spans.length) {
        /// The columns.
        columns: Columns,
        /// The spans of each: the elements of a plain scan.
        spans: DeviceSliceMut<u32>,
        /// The stretches of each meeting with an end that is not known, which start as zeros.
        unclosed: DeviceSlice<AtomicU32>,
    }

    /// For [`columns::spans`](crate::columns::spans): a thread for each column.
    MakeSpans("fracas_columns_spans", |arguments| arguments.starts.length) {
        /// The columns.
        columns: Columns,
        /// The exclusive scan of the spans of each.
        starts: DeviceSlice<u32>,
        /// The spans.
        output: DeviceSliceMut<Span>,
    }

    /// For [`columns::add`](crate::columns::add): a thread for each span.
    AddSpan("fracas_columns_add", |arguments| arguments.spans.length) {
        /// The spans of an axis.
        spans: DeviceSlice<Span>,
        /// The totals of each meeting, which start as zeros.
        totals: DeviceSlice<SharedTotals>,
    }

    /// For [`columns::volume`](crate::columns::volume): a thread for each meeting.
    Volume("fracas_columns_volume", |arguments| arguments.volumes.length) {
        /// Where the lattice of each meeting is.
        frames: DeviceSlice<Frame>,
        /// The totals of each.
        totals: DeviceSlice<Totals>,
        /// The volume of each.
        volumes: DeviceSliceMut<f64>,
    }

    /// For [`columns::gradient`](crate::columns::gradient): a thread for each end of each span.
    MakeGradient("fracas_columns_gradient", |arguments| arguments.gradients.length) {
        /// Where the lattice of each meeting is.
        frames: DeviceSlice<Frame>,
        /// The spans of an axis.
        spans: DeviceSlice<Span>,
        /// The gradient of each end.
        gradients: DeviceSliceMut<Gradient>,
    }
}
