//! Stable sorts by digits.

use bytemuck::Pod;
use fracas_kernels::arguments::radix as arguments;
use fracas_kernels::arguments::{DeviceSlice, DeviceSliceMut, NativeKernel};
use fracas_kernels::block::tiles;
use fracas_kernels::radix::{DIGIT_BITS, DIGITS, passes};

use super::machine::Machine;
use super::memory::{Device, List};
use super::{DeviceError, Scan};

/// The lists of a pass.
pub(super) struct Pass<K> {
    keys: DeviceSlice<K>,
    values: DeviceSlice<u32>,
    shift: u64,
    starts: DeviceSlice<u32>,
    sorted_keys: DeviceSliceMut<K>,
    sorted_values: DeviceSliceMut<u32>,
}

/// Keys that there are kernels for.
pub(super) trait Sortable: Pod {
    fn count(keys: DeviceSlice<Self>, shift: u64, table: DeviceSliceMut<u32>) -> impl NativeKernel;
    fn scatter(pass: Pass<Self>) -> impl NativeKernel;
}

macro_rules! sortable {
    ($key:ty, $count:ident, $scatter:ident) => {
        impl Sortable for $key {
            fn count(keys: DeviceSlice<Self>, shift: u64, table: DeviceSliceMut<u32>) -> impl NativeKernel {
                arguments::$count { keys, shift, table }
            }

            fn scatter(pass: Pass<Self>) -> impl NativeKernel {
                let Pass { keys, values, shift, starts, sorted_keys, sorted_values } = pass;
                arguments::$scatter { keys, values, shift, starts, sorted_keys, sorted_values }
            }
        }
    };
}

sortable!(u32, Count32, Scatter32);
sortable!(u64, Count64, Scatter64);

/// Bits of the numbers below a limit.
pub(super) fn bits(limit: usize) -> u32 {
    usize::BITS - limit.saturating_sub(1).leading_zeros()
}

/// Keys in order, and the number that each had.
pub(super) type Sorted<'a, M, K> = (List<'a, M, K>, List<'a, M, u32>);

impl<M: Machine> Device<M> {
    /// Sorts keys whose bits from `bits` on are all zero.
    pub(super) fn sorted<'a, K: Sortable>(
        &'a self,
        mut keys: List<'a, M, K>,
        bits: u32,
    ) -> Result<Sorted<'a, M, K>, DeviceError> {
        let count = keys.len();
        let mut values = self.list(count)?;
        self.launch(&arguments::Sequence { values: values.write() })?;
        for pass in 0..passes(bits) {
            let shift = u64::from(pass * DIGIT_BITS);
            let table = self.list(DIGITS * tiles(count))?;
            self.launch(&K::count(keys.read(), shift, table.write()))?;
            let starts = self.scanned::<u32>(&table, Scan::Exclusive)?;
            let (sorted_keys, sorted_values) = (self.list(count)?, self.list(count)?);
            self.launch(&K::scatter(Pass {
                keys: keys.read(),
                values: values.read(),
                shift,
                starts: starts.read(),
                sorted_keys: sorted_keys.write(),
                sorted_values: sorted_values.write(),
            }))?;
            (keys, values) = (sorted_keys, sorted_values);
        }
        Ok((keys, values))
    }
}
