//! For the kernels of [`radix`](crate::radix): a block for each tile of [`TILE`](crate::block::TILE) keys.

use super::scan::threads;
use super::{DeviceSlice, DeviceSliceMut};
use crate::radix::{COUNT_SHARED, SCATTER_SHARED};

super::arguments! {
    /// Values before the first pass, each its own index: a thread for each value.
    Sequence("fracas_radix_sequence", |arguments| arguments.values.length) {
        /// The values.
        values: DeviceSliceMut<u32>,
    }

    /// For [`radix::count`](crate::radix::count) of keys of 32 bits.
    Count32("fracas_radix_count_32", shared 4 * COUNT_SHARED, |arguments| threads(arguments.keys.length)) {
        /// The keys.
        keys: DeviceSlice<u32>,
        /// The first bit of the digit.
        shift: u64,
        /// A count for each digit and tile, all tiles of digit 0 first.
        table: DeviceSliceMut<u32>,
    }

    /// For [`radix::count`](crate::radix::count) of keys of 64 bits.
    Count64("fracas_radix_count_64", shared 4 * COUNT_SHARED, |arguments| threads(arguments.keys.length)) {
        /// The keys.
        keys: DeviceSlice<u64>,
        /// The first bit of the digit.
        shift: u64,
        /// A count for each digit and tile, all tiles of digit 0 first.
        table: DeviceSliceMut<u32>,
    }

    /// For [`radix::scatter`](crate::radix::scatter) of keys of 32 bits.
    Scatter32("fracas_radix_scatter_32", shared 4 * SCATTER_SHARED, |arguments| threads(arguments.keys.length)) {
        /// The keys.
        keys: DeviceSlice<u32>,
        /// The value of each.
        values: DeviceSlice<u32>,
        /// The first bit of the digit.
        shift: u64,
        /// The exclusive scan of the table.
        starts: DeviceSlice<u32>,
        /// The keys, sorted by the digit.
        sorted_keys: DeviceSliceMut<u32>,
        /// The value of each of them.
        sorted_values: DeviceSliceMut<u32>,
    }

    /// For [`radix::scatter`](crate::radix::scatter) of keys of 64 bits.
    Scatter64("fracas_radix_scatter_64", shared 4 * SCATTER_SHARED, |arguments| threads(arguments.keys.length)) {
        /// The keys.
        keys: DeviceSlice<u64>,
        /// The value of each.
        values: DeviceSlice<u32>,
        /// The first bit of the digit.
        shift: u64,
        /// The exclusive scan of the table.
        starts: DeviceSlice<u32>,
        /// The keys, sorted by the digit.
        sorted_keys: DeviceSliceMut<u64>,
        /// The value of each of them.
        sorted_values: DeviceSliceMut<u32>,
    }
}
