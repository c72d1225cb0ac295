//! One owner along one column: where it begins and ends.
//!
//! A thread has no room for lists, so groups and stretches are made one by one as they are asked for.

use super::Cell;
use crate::discretise::UNITS;

/// The cells of a column, sorted along it.
#[derive(Clone, Copy)]
pub(super) struct Column<'a> {
    pub(super) cells: &'a [Cell],
    /// Numbers of cells.
    pub(super) order: &'a [u32],
    pub(super) axis: usize,
}

impl<'a> Column<'a> {
    #[inline]
    pub(super) fn get(&self, number: usize) -> Option<&'a Cell> {
        self.order.get(number).map(|&cell| &self.cells[cell as usize])
    }

    /// Where a cell is along the column.
    #[inline]
    pub(super) fn place(&self, cell: &Cell) -> u32 {
        cell.place()[self.axis]
    }

    /// Whether a cell's surface runs along the column, closer than about three degrees: such normals say little about which
    /// way it faces.
    #[inline]
    pub(super) fn is_wall(&self, cell: &Cell) -> bool {
        let [x, y, z] = cell.normal.map(|coordinate| i64::from(coordinate.unsigned_abs()));
        24 * [x, y, z][self.axis] <= x + y + z
    }
}

/// A place where an owner begins or ends along a column; not a real one where it is not known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct End {
    pub(super) at: f64,
    pub(super) is_real: bool,
    /// How much of the column's cross-section the surface there covers.
    pub(super) coverage: f64,
}

const LOWEST: End = End { at: f64::NEG_INFINITY, is_real: false, coverage: 1.0 };
const HIGHEST: End = End { at: f64::INFINITY, is_real: false, coverage: 1.0 };

/// Points that follow each other along a column and face the same way: the surface passes through their mean, because a
/// boundary that takes in every voxel the surface comes to is several voxels thick where it is steep, as much to one
/// side as to the other.
struct Group {
    is_exit: bool,
    sum: f64,
    count: f64,
    last: u32,
}

impl Group {
    #[inline]
    fn add(&mut self, cell: &Cell, column: &Column<'_>) {
        let corner = f64::from(cell.count) * f64::from(column.place(cell));
        self.sum += corner + f64::from(cell.position[column.axis]) / f64::from(UNITS);
        self.count += f64::from(cell.count);
    }
}

/// The stretches of a column that are inside of an owner, in order.
pub(super) struct Stretches<'a> {
    column: Column<'a>,
    owner: u32,
    /// Points of a layer of surface across a whole column.
    layer: f64,
    /// The next cell to look at.
    next: usize,
    /// Where the stretch began that has not ended yet.
    open: Option<End>,
    before: Option<End>,
}

impl<'a> Stretches<'a> {
    /// `is_around` says that what has no groups is inside all along.
    #[inline]
    pub(super) fn new(column: Column<'a>, owner: u32, layer: f64, is_around: bool) -> Stretches<'a> {
        Stretches { column, owner, layer, next: 0, open: is_around.then_some(LOWEST), before: None }
    }

    /// The next group: the cell that does not belong to it any more is the first of the one after.
    #[inline]
    fn group(&mut self) -> Option<Group> {
        let mut group: Option<Group> = None;
        while let Some(cell) = self.column.get(self.next) {
            if cell.owner() == self.owner {
                let (place, is_wall) = (self.column.place(cell), self.column.is_wall(cell));
                let is_exit = cell.normal[self.column.axis] > 0;
                match &mut group {
                    Some(group) if place <= group.last + 2 && (is_wall || group.is_exit == is_exit) => {
                        group.last = place;
                        if !is_wall {
                            group.add(cell, &self.column);
                        }
                    }
                    Some(_) if !is_wall => break,
                    None if !is_wall => {
                        let mut first = Group { is_exit, sum: 0.0, count: 0.0, last: place };
                        first.add(cell, &self.column);
                        group = Some(first);
                    }
                    _ => {}
                }
            }
            self.next += 1;
        }
        group
    }
}

impl Iterator for Stretches<'_> {
    type Item = [End; 2];

    #[inline]
    fn next(&mut self) -> Option<[End; 2]> {
        while let Some(group) = self.group() {
            let coverage = (group.count / self.layer).min(1.0);
            let end = End { at: group.sum / group.count, is_real: true, coverage };
            if self.before.is_none() {
                self.open = group.is_exit.then_some(LOWEST);
            }
            // Two of a kind: the other kind between them was where the other octree is not, so it was not looked at.
            let at = self.before.map_or(end.at, |before| 0.5 * (before.at + end.at));
            let between = End { at, is_real: false, coverage: 1.0 };
            self.before = Some(end);
            let stretch = if group.is_exit {
                Some([self.open.take().unwrap_or(between), end])
            } else {
                self.open.replace(end).map(|low| [low, between])
            };
            if stretch.is_some() {
                return stretch;
            }
        }
        self.open.take().map(|low| [low, HIGHEST])
    }
}
