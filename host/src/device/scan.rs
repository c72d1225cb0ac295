//! Sums of lists.

use bytemuck::Pod;
use fracas_kernels::arguments::scan as arguments;
use fracas_kernels::arguments::{DeviceSlice, DeviceSliceMut, NativeKernel};
use fracas_kernels::block::tiles;
use fracas_kernels::scan::Segmented;

use super::machine::Machine;
use super::memory::{Device, List};
use super::{DeviceError, Scan};

/// Elements that there are kernels for.
pub(super) trait Scannable: Pod {
    fn reduce(elements: DeviceSlice<Self>, totals: DeviceSliceMut<Self>) -> impl NativeKernel;
    fn inclusive(
        elements: DeviceSlice<Self>,
        scanned_totals: DeviceSlice<u32>,
        output: DeviceSliceMut<u32>,
    ) -> impl NativeKernel;
    fn exclusive(
        elements: DeviceSlice<Self>,
        scanned_totals: DeviceSlice<u32>,
        output: DeviceSliceMut<u32>,
    ) -> impl NativeKernel;
}

macro_rules! scannable {
    ($element:ty, $reduce:ident, $inclusive:ident, $exclusive:ident) => {
        impl Scannable for $element {
            fn reduce(elements: DeviceSlice<Self>, totals: DeviceSliceMut<Self>) -> impl NativeKernel {
                arguments::$reduce { elements, totals }
            }

            fn inclusive(
                elements: DeviceSlice<Self>,
                scanned_totals: DeviceSlice<u32>,
                output: DeviceSliceMut<u32>,
            ) -> impl NativeKernel {
                arguments::$inclusive { elements, scanned_totals, output }
            }

            fn exclusive(
                elements: DeviceSlice<Self>,
                scanned_totals: DeviceSlice<u32>,
                output: DeviceSliceMut<u32>,
            ) -> impl NativeKernel {
                arguments::$exclusive { elements, scanned_totals, output }
            }
        }
    };
}

scannable!(u32, Reduce, Inclusive, Exclusive);
scannable!(Segmented, ReduceSegments, InclusiveSegments, ExclusiveSegments);

impl<M: Machine> Device<M> {
    /// The scan of a list.
    pub(super) fn scanned<E: Scannable>(
        &self,
        elements: &List<'_, M, E>,
        kind: Scan,
    ) -> Result<List<'_, M, u32>, DeviceError> {
        let output = self.list(elements.len())?;
        let count = tiles(elements.len());
        let mut scanned_totals = self.list(0)?;
        // The first tile needs no totals.
        if count > 1 {
            let totals = self.list(count)?;
            self.launch(&E::reduce(elements.read(), totals.write()))?;
            scanned_totals = self.scanned(&totals, Scan::Inclusive)?;
        }
        match kind {
            Scan::Inclusive => self.launch(&E::inclusive(elements.read(), scanned_totals.read(), output.write()))?,
            Scan::Exclusive => self.launch(&E::exclusive(elements.read(), scanned_totals.read(), output.write()))?,
        }
        Ok(output)
    }

    /// Where each thread's part of a list starts, from how much each adds; and how long the list is.
    pub(super) fn starts(&self, counts: &List<'_, M, u32>) -> Result<(List<'_, M, u32>, usize), DeviceError> {
        let starts = self.scanned(counts, Scan::Exclusive)?;
        let total = starts.last()?.unwrap_or(0) as usize + counts.last()?.unwrap_or(0) as usize;
        Ok((starts, total))
    }

    /// The number of each element's run, from what begins one; and how many runs there are.
    pub(super) fn numbers(&self, begins: &List<'_, M, u32>) -> Result<(List<'_, M, u32>, usize), DeviceError> {
        let numbers = self.scanned(begins, Scan::Inclusive)?;
        let count = numbers.last()?.map_or(0, |last| last as usize + 1);
        Ok((numbers, count))
    }
}
