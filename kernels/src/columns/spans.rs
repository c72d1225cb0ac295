//! Where a column enters and leaves the intersection.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use bytemuck::{Pod, Zeroable};

use super::Cell;
use super::along::{Column, Stretches};
use super::share::Walls;

/// A stretch of a column that is inside of both octrees, in cells of the lattice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Span {
    /// The ends along the column.
    pub ends: [f64; 2],
    /// The middle of the column on the next axis and on the one after it.
    pub line: [f64; 2],
    /// How much of the column's cross-section is inside; never 0.
    pub share: f64,
    /// The column's axis.
    pub axis: u16,
    /// Whose surfaces the ends are on: 0 or 1.
    pub owners: [u8; 2],
    /// The number of the meeting.
    pub meeting: u32,
}

const _: () = assert!(size_of::<Span>() == 48 && align_of::<Span>() == 8);

/// How an owner's points are to be weighed.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Density {
    /// Points of a layer of surface across a whole column: fewer cover only a part of it.
    pub layer: f64,
    /// Points of a cell that is all boundary.
    pub cell: f64,
}

const _: () = assert!(size_of::<Density>() == 16 && align_of::<Density>() == 8);

/// All columns along an axis.
#[derive(Clone, Copy, Debug)]
pub struct Columns<'a> {
    /// What all points add up to.
    pub cells: &'a [Cell],
    /// The cells' numbers, sorted by [`key`](super::key).
    pub order: &'a [u32],
    /// What [`first_of_column`](super::first_of_column) returned.
    pub firsts: &'a [u32],
    /// The axis.
    pub axis: u32,
    /// Of either owner of each meeting.
    pub densities: &'a [[Density; 2]],
}

impl<'a> Columns<'a> {
    /// A column, and the number of its meeting. No column is empty.
    #[inline]
    fn column(&self, index: usize) -> (Column<'a>, u32) {
        let order = &self.order[self.firsts[index] as usize..self.firsts[index + 1] as usize];
        let column = Column { cells: self.cells, order, axis: self.axis as usize };
        (column, self.cells[order[0] as usize].meeting)
    }
}

/// One thread for each column: how many spans it has. Stretches with an end that is not known are left out, and added to
/// those of their meeting; additions commute and nobody reads before the next launch, so Relaxed is enough.
#[inline]
pub fn count(columns: &Columns<'_>, unclosed: &[AtomicU32], index: usize) -> u32 {
    let mut spans = 0;
    let (column, meeting) = columns.column(index);
    let open = read(column, meeting, &columns.densities[meeting as usize], |_| spans += 1);
    if open > 0 {
        unclosed[meeting as usize].fetch_add(open, Relaxed);
    }
    spans
}

/// One thread for each column: its spans, into its part of the output, which [`count`] gives the length of.
#[inline]
pub fn spans(columns: &Columns<'_>, index: usize, output: &mut [Span]) {
    let mut slots = output.iter_mut();
    let (column, meeting) = columns.column(index);
    read(column, meeting, &columns.densities[meeting as usize], |span| {
        if let Some(slot) = slots.next() {
            *slot = span;
        }
    });
}

/// Calls back with each span of a column. Returns how many stretches had an end that is not known.
#[inline]
fn read(column: Column<'_>, meeting: u32, densities: &[Density; 2], mut found: impl FnMut(Span)) -> u32 {
    let axis = column.axis;
    let Some(place) = column.get(0).map(Cell::place) else { return 0 };
    let line = [place[(axis + 1) % 3], place[(axis + 2) % 3]].map(|place| f64::from(place) + 0.5);
    let (mut has_walls, mut counts, mut deep) = ([false; 2], [0u32; 2], [0u32; 2]);
    for &number in column.order {
        let cell = &column.cells[number as usize];
        let owner = cell.owner() as usize;
        has_walls[owner] |= column.is_wall(cell);
        counts[owner] += cell.count;
        deep[owner] += cell.deep;
    }
    let stretches = |side: usize| {
        let is_around = 2 * deep[1 - side] > counts[1 - side] || has_walls[side];
        Stretches::new(column, side as u32, densities[side].layer, is_around)
    };
    let walls = |side: usize| Walls::new(column, side as u32, densities[side].cell);
    let (mut first, mut second) = (stretches(0), stretches(1));
    let (mut first_walls, mut second_walls) = (walls(0), walls(1));
    let mut unclosed = 0;
    let mut next = (first.next(), second.next());
    while let (Some(one), Some(other)) = next {
        let (low, low_owner) = if one[0].at >= other[0].at { (one[0], 0) } else { (other[0], 1) };
        let (high, high_owner) = if one[1].at <= other[1].at { (one[1], 0) } else { (other[1], 1) };
        if low.at < high.at {
            if low.is_real && high.is_real {
                let share = first_walls.share(&one, low.at, high.at) * second_walls.share(&other, low.at, high.at);
                if share > 0.0 {
                    let (ends, owners) = ([low.at, high.at], [low_owner, high_owner]);
                    found(Span { ends, line, share, axis: axis as u16, owners, meeting });
                }
            } else {
                unclosed += 1;
            }
        }
        next = if high_owner == 0 { (first.next(), next.1) } else { (next.0, second.next()) };
    }
    unclosed
}
