//! Collision points in cells, cells in columns, volumes and gradients (\[Domaradzki16\] 5.1.2, 5.1.3) on a device.

use fracas_kernels::arguments::columns as arguments;
use fracas_kernels::arguments::discretise::{
    Accumulate, Arrange, BeginsCell, FirstOfSight, HasPoint, MakePoint, PointKey, Touched as TouchedSurfaces,
};
use fracas_kernels::columns::{self, Cell, Density, Frame, MEETING_SHIFT, Totals};
use fracas_kernels::discretise::{CollisionPoint, OWNER_BIT, Stand};

use super::DeviceError;
use super::machine::Machine;
use super::meet::Touched;
use super::memory::{Device, List};
use super::residents::Residents;
use super::sort::bits;
use crate::svo::{Comparison, Gradient};

/// What the points of comparisons add up to.
pub(super) struct Cells<'a, M: Machine> {
    pub(super) list: List<'a, M, Cell>,
    /// The first point of each sight, and the number of all.
    pub(super) firsts: Vec<u32>,
}

/// What the columns of a comparison come to.
#[derive(Default)]
pub(super) struct Measured {
    /// The sum of the normals of either owner's points.
    pub(super) normals: [[i64; 3]; 2],
    pub(super) volume: f64,
    pub(super) gradients: Vec<Gradient>,
    pub(super) unclosed: u32,
}

impl<M: Machine> Device<M> {
    /// The cells of all comparisons.
    pub(super) fn cells(
        &self,
        comparisons: &[Comparison<'_>],
        touched: &Touched<'_, M>,
        residents: &Residents<M>,
    ) -> Result<Cells<'_, M>, DeviceError> {
        let stands = comparisons.iter().flat_map(|comparison| {
            let trees = comparison.trees();
            [0, 1].map(|side| {
                let place = residents.octree(trees[side]);
                comparison.stand(side, place.nodes, place.normals)
            })
        });
        let stands = self.upload(&stands.collect::<Vec<Stand>>())?;
        let surfaces = TouchedSurfaces {
            stands: stands.read(),
            nodes: residents.nodes.read(self),
            normals: residents.normals.read(self),
            touches: touched.touches.read(),
        };
        let counts = self.list(8 * touched.touches.len())?;
        self.launch(&HasPoint { touched: surfaces, counts: counts.write() })?;
        let (starts, total) = self.starts(&counts)?;
        let points = self.list::<CollisionPoint>(total)?;
        self.launch(&MakePoint { touched: surfaces, starts: starts.read(), points: points.write() })?;
        let firsts = self.list(stands.len() + 1)?;
        self.launch(&FirstOfSight { points: points.read(), firsts: firsts.write() })?;

        let keys = self.list::<u64>(total)?;
        self.launch(&PointKey { points: points.read(), keys: keys.write() })?;
        let (keys, order) = self.sorted(keys, OWNER_BIT + 1 + bits(comparisons.len()))?;
        let sorted = self.list(total)?;
        self.launch(&Arrange { points: points.read(), order: order.read(), output: sorted.write() })?;
        let begins = self.list(total)?;
        self.launch(&BeginsCell { keys: keys.read(), begins: begins.write() })?;
        let (segments, count) = self.numbers(&begins)?;
        let list = self.zeros::<Cell>(count)?;
        let (points, segments) = (sorted.read(), segments.read());
        self.launch(&Accumulate { points, segments, sums: list.write().shared_as() })?;
        Ok(Cells { list, firsts: firsts.download()? })
    }

    /// Volumes and gradients of all comparisons, whose densities and frames are given.
    pub(super) fn measured(
        &self,
        cells: &List<'_, M, Cell>,
        densities: &[[Density; 2]],
        frames: &[Frame],
    ) -> Result<Vec<Measured>, DeviceError> {
        let count = frames.len();
        let facings = self.zeros::<[u64; 3]>(2 * count)?;
        self.launch(&arguments::AddFacing { cells: cells.read(), facings: facings.write().shared_as() })?;
        let (densities, frames) = (self.upload(densities)?, self.upload(frames)?);
        let (unclosed, totals) = (self.zeros::<u32>(count)?, self.zeros::<Totals>(count)?);
        let mut measured: Vec<Measured> = (0..count).map(|_| Measured::default()).collect();
        for axis in 0..3 {
            let keys = self.list::<u64>(cells.len())?;
            self.launch(&arguments::CellKey { cells: cells.read(), axis, keys: keys.write() })?;
            let (keys, order) = self.sorted(keys, MEETING_SHIFT + bits(count))?;
            let begins = self.list(cells.len())?;
            self.launch(&arguments::BeginsColumn { keys: keys.read(), begins: begins.write() })?;
            let (numbers, column_count) = self.numbers(&begins)?;
            let firsts = self.list(column_count + 1)?;
            self.launch(&arguments::FirstOfColumn { numbers: numbers.read(), firsts: firsts.write() })?;
            let columns = arguments::Columns {
                cells: cells.read(),
                order: order.read(),
                firsts: firsts.read(),
                axis,
                densities: densities.read(),
            };
            let counts = self.list(column_count)?;
            self.launch(&arguments::CountSpans { columns, spans: counts.write(), unclosed: unclosed.shared() })?;
            let (starts, total) = self.starts(&counts)?;
            let spans = self.list(total)?;
            self.launch(&arguments::MakeSpans { columns, starts: starts.read(), output: spans.write() })?;
            self.launch(&arguments::AddSpan { spans: spans.read(), totals: totals.write().shared_as() })?;
            let gradients = self.list::<columns::Gradient>(2 * total)?;
            let (frames, spans) = (frames.read(), spans.read());
            self.launch(&arguments::MakeGradient { frames, spans, gradients: gradients.write() })?;
            for gradient in gradients.download()? {
                measured[gradient.meeting as usize].gradients.push(gradient.into());
            }
        }
        let volumes = self.list(count)?;
        self.launch(&arguments::Volume { frames: frames.read(), totals: totals.read(), volumes: volumes.write() })?;
        let (volumes, unclosed, facings) = (volumes.download()?, unclosed.download()?, facings.download()?);
        for (number, measured) in measured.iter_mut().enumerate() {
            (measured.volume, measured.unclosed) = (volumes[number], unclosed[number]);
            measured.normals = [0, 1].map(|side| facings[2 * number + side].map(|sum| sum as i64));
        }
        Ok(measured)
    }
}
