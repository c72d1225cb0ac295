//! The volume that two octrees share and its gradients, from columns of cells (\[Domaradzki16\] 5.1.3).
//!
//! In: the sums of the collision points of each cell, from [`discretise`](crate::discretise). The launches, for any number
//! of meetings at once: [`add_facing`] for each cell, and for each axis:
//!
//! 1. [`key`] for each cell, and a sort of the cells' numbers by key: by column, then along it;
//! 2. [`begins_column`] for each of them and a plain inclusive [scan](crate::scan) for the number of its column, then
//!    [`first_of_column`] for each column and one more;
//! 3. [`count`] for each column and an exclusive scan of the spans;
//! 4. [`spans`] for each column.
//!
//! Then, of the spans of each axis: [`add`] for each, [`gradient`] for each end; and [`volume`] for each meeting.
//!
//! What the points of a cell add up to is integers, so a column finds the same ends whatever the order of threads was. Spans
//! are in double precision, each column on its own, and what they add up to is integers again.

mod along;
mod facing;
mod measure;
mod share;
mod spans;

use bytemuck::{Pod, Zeroable};

pub use facing::{Facing, add_facing};
pub use measure::{Frame, Gradient, SharedTotals, Totals, add, gradient, volume};
pub use spans::{Columns, Density, Span, count, spans};

use crate::discretise::OWNER_BIT;
use crate::morton;
use crate::scan::Segmented;

#[cfg(test)]
mod tests;

/// What the points of one cell and owner add up to: [`Sums`](crate::discretise::Sums) when all is added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Cell {
    /// Positions relative to the cell's corner, in [`UNITS`](crate::discretise::UNITS).
    pub position: [i32; 3],
    /// Normals.
    pub normal: [i32; 3],
    /// How many points there are.
    pub count: u32,
    /// How many of them are deep.
    pub deep: u32,
    /// As [`discretise::cell_key`](crate::discretise::cell_key) gives it.
    pub key: u32,
    /// The number of their meeting.
    pub meeting: u32,
}

const _: () = assert!(size_of::<Cell>() == 40 && align_of::<Cell>() == 4);

impl Cell {
    /// Where it is on the lattice.
    #[inline]
    fn place(&self) -> [u32; 3] {
        morton::decode_30(self.key)
    }

    /// Whose points they are: 0 or 1.
    #[inline]
    fn owner(&self) -> u32 {
        self.key >> OWNER_BIT & 1
    }
}

/// The bits of a [`key`] below the column: the place along it, and the owner.
const ALONG_BITS: u32 = morton::BITS_30 + 1;

/// The bits of a [`key`] below the meeting.
pub const MEETING_SHIFT: u32 = 2 * morton::BITS_30 + ALONG_BITS;

/// One thread for each cell: its meeting, its column along an axis, its place along the column, its owner.
#[inline]
pub fn key(cells: &[Cell], axis: usize, index: usize) -> u64 {
    let cell = &cells[index];
    let place = cell.place();
    let column = place[(axis + 2) % 3] << morton::BITS_30 | place[(axis + 1) % 3];
    u64::from(cell.meeting) << MEETING_SHIFT | u64::from(column << ALONG_BITS | place[axis] << 1 | cell.owner())
}

/// One thread for each key, in order: 1 if its column is another than that of the one before. The inclusive scan of this is
/// the number of each one's column, and the last of it is one less than the number of columns.
#[inline]
pub fn begins_column(keys: &[u64], index: usize) -> Segmented {
    Segmented::value(u32::from(index > 0 && keys[index - 1] >> ALONG_BITS != keys[index] >> ALONG_BITS))
}

/// One thread for each column, and one more: its first cell, or the number of all. `numbers` is the scan of
/// [`begins_column`].
#[inline]
pub fn first_of_column(numbers: &[u32], index: usize) -> u32 {
    numbers.partition_point(|&number| (number as usize) < index) as u32
}
