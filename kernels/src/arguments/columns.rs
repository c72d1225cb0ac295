//! For the kernels of [`columns`](crate::columns).

use bytemuck::{Pod, Zeroable};

use super::{DeviceSlice, DeviceSliceMut};
use crate::columns::{Cell, Density, Frame, Gradient, Span, Totals};
use crate::discretise::Sums;

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
    /// Of either owner.
    pub densities: [Density; 2],
}

super::arguments! {
    /// For [`columns::Cell::new`](crate::columns::Cell::new): a thread for each cell.
    MakeCell("fracas_columns_cell", |arguments| arguments.cells.length) {
        /// The sums of each cell.
        sums: DeviceSlice<Sums>,
        /// The cells.
        cells: DeviceSliceMut<Cell>,
    }

    /// For [`columns::key`](crate::columns::key): a thread for each cell.
    CellKey("fracas_columns_key", |arguments| arguments.keys.length) {
        /// The cells.
        cells: DeviceSlice<Cell>,
        /// The axis.
        axis: u64,
        /// The key of each.
        keys: DeviceSliceMut<u32>,
    }

    /// For [`columns::begins_column`](crate::columns::begins_column): a thread for each key.
    BeginsColumn("fracas_columns_begins_column", |arguments| arguments.begins.length) {
        /// The keys, sorted.
        keys: DeviceSlice<u32>,
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
        /// The stretches of each with an end that is not known.
        unclosed: DeviceSliceMut<u32>,
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

    /// For [`columns::sum`](crate::columns::sum): a thread for each chunk of spans.
    Sum("fracas_columns_sum", |arguments| arguments.totals.length) {
        /// The spans of all axes.
        spans: DeviceSlice<Span>,
        /// Spans of a chunk.
        chunk: u64,
        /// The totals of each chunk.
        totals: DeviceSliceMut<Totals>,
    }

    /// For [`columns::volume`](crate::columns::volume): one thread.
    Volume("fracas_columns_volume", |arguments| arguments.volume.length) {
        /// One frame.
        frame: DeviceSlice<Frame>,
        /// The totals of each chunk.
        totals: DeviceSlice<Totals>,
        /// One volume.
        volume: DeviceSliceMut<f64>,
    }

    /// For [`columns::gradient`](crate::columns::gradient): a thread for each end of each span.
    MakeGradient("fracas_columns_gradient", |arguments| arguments.gradients.length) {
        /// One frame.
        frame: DeviceSlice<Frame>,
        /// The spans of all axes.
        spans: DeviceSlice<Span>,
        /// The gradient of each end.
        gradients: DeviceSliceMut<Gradient>,
    }
}
