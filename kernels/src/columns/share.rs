//! How much of a column's cross-section is inside.

use super::along::{Column, End};

/// The walls of an owner along a column: cells whose surface runs along it. The surface is in the middle of the boundary, so
/// half of what of a cell is boundary is inside.
pub(super) struct Walls<'a> {
    column: Column<'a>,
    owner: u32,
    /// Points of a cell that is all boundary.
    density: f64,
    /// The first cell that a stretch from here on can reach.
    first: usize,
}

impl<'a> Walls<'a> {
    #[inline]
    pub(super) fn new(column: Column<'a>, owner: u32, density: f64) -> Walls<'a> {
        Walls { column, owner, density, first: 0 }
    }

    /// How much of the column is inside between two places that are, the ends of a part of the owner's stretch. Places come
    /// in order, so what lies below them is left behind.
    #[inline]
    pub(super) fn share(&mut self, stretch: &[End; 2], low: f64, high: f64) -> f64 {
        let covered = match stretch.map(|end| end.is_real.then_some(end.coverage)) {
            [Some(low), Some(high)] => 0.5 * (low + high),
            [Some(one), None] | [None, Some(one)] => one,
            [None, None] => 1.0,
        };
        (covered - 0.5 * self.between(low, high) / (high - low)).max(0.0)
    }

    /// The lengths of the walls between two places, each as much as the cell is boundary.
    #[inline]
    fn between(&mut self, low: f64, high: f64) -> f64 {
        let mut sum = 0.0;
        let mut next = self.first;
        while let Some(cell) = self.column.get(next) {
            let place = f64::from(self.column.place(cell));
            if place >= high {
                break;
            }
            next += 1;
            if place + 1.0 <= low {
                self.first = next;
            } else if cell.owner() == self.owner && self.column.is_wall(cell) {
                let part = (f64::from(cell.count) / self.density).min(1.0);
                sum += part * (high.min(place + 1.0) - low.max(place)).max(0.0);
            }
        }
        sum
    }
}
