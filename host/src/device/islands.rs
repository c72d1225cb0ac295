//! What hangs together (\[Domaradzki16\] 4.5) on a device.

use fracas_kernels::arguments::islands as arguments;
use fracas_kernels::arguments::pieces::BeginsPiece;

use super::DeviceError;
use super::extract::Cells;
use super::machine::Machine;
use super::memory::{Device, List};
use super::sort::bits;

/// The voxels of all pieces, piece by piece.
pub(super) struct Pieces<'a, M: Machine> {
    /// Their numbers.
    pub(super) order: List<'a, M, u32>,
    /// The piece of each.
    pub(super) numbers: List<'a, M, u32>,
    pub(super) count: usize,
}

impl<M: Machine> Device<M> {
    /// The label of each voxel of some groups.
    pub(super) fn labels(&self, voxels: arguments::Voxels) -> Result<List<'_, M, u32>, DeviceError> {
        let count = voxels.codes.length as usize;
        let (neighbours, labels) = (self.list(count)?, self.list(count)?);
        self.launch(&arguments::NeighbourBits { voxels, bits: neighbours.write() })?;
        self.launch(&arguments::Start { labels: labels.write() })?;
        self.launch(&arguments::Label { voxels, bits: neighbours.read(), parents: labels.shared() })?;
        self.launch(&arguments::Flatten { labels: labels.shared() })?;
        Ok(labels)
    }

    /// Divides cells into pieces, which stand by cell and within a cell by their last voxel. With `coarser`, islands are found
    /// that many levels above the finest.
    pub(super) fn pieces(&self, cells: &Cells<'_, M>, levels: u32, coarser: u32) -> Result<Pieces<'_, M>, DeviceError> {
        let count = cells.codes.len();
        let voxels =
            arguments::Voxels { codes: cells.codes.read(), groups: cells.cells.read(), starts: cells.starts.read() };
        let labels = if coarser == 0 {
            self.labels(voxels)?
        } else {
            let ancestors = self.list(count)?;
            let (codes, levels) = (cells.codes.read(), u64::from(coarser));
            self.launch(&arguments::Ancestor { codes, levels, output: ancestors.write() })?;
            self.labels(arguments::Voxels { codes: ancestors.read(), ..voxels })?
        };
        let starts = cells.starts.download()?;
        let filled = starts.windows(2).filter(|pair| pair[0] != pair[1]).count();
        let boundary = self.numbered(&labels)?;
        if boundary.count == filled || cells.solids.len() == 0 {
            return Ok(boundary);
        }
        // The boundary of a cell falls apart, but walls of cavities hang together with it by what is inside.
        let parents = self.list(cells.solids.len() + count)?;
        self.launch(&arguments::LinkSolids { labels: labels.read(), parents: parents.write() })?;
        self.launch(&arguments::JoinSolids {
            voxels,
            solids: cells.solids.read(),
            solid_starts: cells.solid_starts.read(),
            levels: u64::from(levels),
            parents: parents.shared(),
        })?;
        self.launch(&arguments::Flatten { labels: parents.shared() })?;
        self.launch(&arguments::UnlinkSolids { parents: parents.read(), labels: labels.write() })?;
        self.numbered(&labels)
    }

    /// Sorts voxels by label and numbers the pieces.
    fn numbered(&self, labels: &List<'_, M, u32>) -> Result<Pieces<'_, M>, DeviceError> {
        let count = labels.len();
        let (labels, order) = self.sorted(self.extended(labels, count)?, bits(count))?;
        let begins = self.list(count)?;
        self.launch(&BeginsPiece { labels: labels.read(), begins: begins.write() })?;
        let (numbers, count) = self.numbers(&begins)?;
        Ok(Pieces { order, numbers, count })
    }
}
