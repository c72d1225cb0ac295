//! Cells in columns of the lattice, along each of its axes (\[Domaradzki16\] 5.1.3).

use super::points::Cell;

/// The lowest and the highest cell on each axis.
pub(super) struct Bounds {
    low: [u16; 3],
    high: [u16; 3],
}

impl Bounds {
    pub(super) fn of(cells: &[Cell]) -> Bounds {
        let mut bounds = Bounds { low: [u16::MAX; 3], high: [0; 3] };
        for cell in cells {
            for axis in 0..3 {
                bounds.low[axis] = bounds.low[axis].min(cell.place[axis]);
                bounds.high[axis] = bounds.high[axis].max(cell.place[axis]);
            }
        }
        bounds
    }
}

/// Cells in columns along an axis: by column, then along it.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// Numbers of cells.
    pub(super) order: Vec<u32>,
    starts: Vec<u32>,
}

impl Columns {
    /// Puts cells into columns along an axis.
    pub(super) fn fill(&mut self, cells: &[Cell], bounds: &Bounds, axis: usize) {
        let [across, up] = [(axis + 1) % 3, (axis + 2) % 3];
        let [(low_across, high_across), (low_up, high_up)] = [across, up]
            .map(|axis| (usize::from(bounds.low[axis]), usize::from(bounds.high[axis].max(bounds.low[axis]))));
        let width = high_across - low_across + 1;
        let columns = width * (high_up - low_up + 1);
        self.order.clear();
        self.order.resize(cells.len(), 0);
        let along = |number: &u32| {
            let cell = &cells[*number as usize];
            (cell.place[axis], cell.owner)
        };
        let column =
            |cell: &Cell| (usize::from(cell.place[up]) - low_up) * width + usize::from(cell.place[across]) - low_across;
        if columns > 4096 + 16 * cells.len() {
            // Too many columns for the few cells.
            self.order.iter_mut().zip(0..).for_each(|(slot, number)| *slot = number);
            self.order.sort_unstable_by_key(|number| (column(&cells[*number as usize]), along(number)));
            return;
        }
        self.starts.clear();
        self.starts.resize(columns + 1, 0);
        cells.iter().for_each(|cell| self.starts[column(cell) + 1] += 1);
        for column in 0..columns {
            self.starts[column + 1] += self.starts[column];
        }
        for (number, cell) in (0..).zip(cells) {
            let slot = &mut self.starts[column(cell)];
            self.order[*slot as usize] = number;
            *slot += 1;
        }
        // Each start has moved to the end of its column.
        let mut start = 0;
        for &end in &self.starts[..columns] {
            self.order[start..end as usize].sort_unstable_by_key(along);
            start = end as usize;
        }
    }
}
