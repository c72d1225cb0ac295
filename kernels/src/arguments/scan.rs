//! For the kernels of [`scan::tile`](crate::scan::tile): a block for each tile of [`TILE`](crate::block::TILE) elements.
//!
//! A scan is `Reduce`, the same scan of the totals (inclusive) and `Inclusive` or `Exclusive`; of one tile, the last alone.

use super::{DeviceSlice, DeviceSliceMut};
use crate::block::{THREADS, tiles};
use crate::scan::{Segmented, tile};

/// Bytes of shared memory of a block.
const SHARED: usize = 4 * tile::SHARED;

/// Threads of all blocks of so many elements.
#[inline]
pub(super) fn threads(elements: u64) -> u64 {
    (tiles(elements as usize) * THREADS) as u64
}

super::arguments! {
    /// For [`tile::reduce`] of plain elements.
    Reduce("fracas_scan_reduce", shared SHARED, |arguments| threads(arguments.elements.length)) {
        /// The elements.
        elements: DeviceSlice<u32>,
        /// What each tile comes to.
        totals: DeviceSliceMut<u32>,
    }

    /// For [`tile::inclusive`] of plain elements.
    Inclusive("fracas_scan_inclusive", shared SHARED, |arguments| threads(arguments.elements.length)) {
        /// The elements.
        elements: DeviceSlice<u32>,
        /// The inclusive scan of the totals; may be empty if there is one tile.
        scanned_totals: DeviceSlice<u32>,
        /// The sums.
        output: DeviceSliceMut<u32>,
    }

    /// For [`tile::exclusive`] of plain elements.
    Exclusive("fracas_scan_exclusive", shared SHARED, |arguments| threads(arguments.elements.length)) {
        /// The elements.
        elements: DeviceSlice<u32>,
        /// The inclusive scan of the totals; may be empty if there is one tile.
        scanned_totals: DeviceSlice<u32>,
        /// The sums.
        output: DeviceSliceMut<u32>,
    }

    /// For [`tile::reduce`] of elements with heads.
    ReduceSegments("fracas_scan_reduce_segments", shared SHARED, |arguments| threads(arguments.elements.length)) {
        /// The elements.
        elements: DeviceSlice<Segmented>,
        /// What each tile comes to.
        totals: DeviceSliceMut<Segmented>,
    }

    /// For [`tile::inclusive`] of elements with heads.
    InclusiveSegments("fracas_scan_inclusive_segments", shared SHARED, |arguments| threads(arguments.elements.length)) {
        /// The elements.
        elements: DeviceSlice<Segmented>,
        /// The inclusive scan of the totals; may be empty if there is one tile.
        scanned_totals: DeviceSlice<u32>,
        /// The sums.
        output: DeviceSliceMut<u32>,
    }

    /// For [`tile::exclusive`] of elements with heads.
    ExclusiveSegments("fracas_scan_exclusive_segments", shared SHARED, |arguments| threads(arguments.elements.length)) {
        /// The elements.
        elements: DeviceSlice<Segmented>,
        /// The inclusive scan of the totals; may be empty if there is one tile.
        scanned_totals: DeviceSlice<u32>,
        /// The sums.
        output: DeviceSliceMut<u32>,
    }
}
