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

/// What a column needs to know of a cell.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    /// Its place along the column, its owner, and how its surface lies.
    key: u32,
    /// The sum of the points' positions along the column, relative to the cell's corner.
    pub(super) position: i32,
    pub(super) count: i32,
    pub(super) deep: i32,
}

const EXIT: u32 = 1;
const WALL: u32 = 2;

impl Entry {
    fn new(cell: &Cell, axis: usize) -> Entry {
        // In 64 bits: much finer voxels may have millions of points in a cell.
        let normal = cell.normal.map(i64::from);
        let length: i64 = normal.iter().map(|coordinate| coordinate.abs()).sum();
        // Closer than about three degrees: such normals say little about which way the surface faces.
        let wall = if 24 * normal[axis].abs() <= length { WALL } else { 0 };
        let exit = if cell.normal[axis] > 0 { EXIT } else { 0 };
        let key = u32::from(cell.place[axis]) << 3 | u32::from(cell.owner & 1) << 2 | wall | exit;
        Entry { key, position: cell.position[axis], count: cell.count, deep: cell.deep }
    }

    /// Where it is along the column.
    #[inline]
    pub(super) fn place(&self) -> u16 {
        (self.key >> 3) as u16
    }

    #[inline]
    pub(super) fn owner(&self) -> usize {
        (self.key >> 2 & 1) as usize
    }

    /// Whether the surface runs along the column.
    #[inline]
    pub(super) fn is_wall(&self) -> bool {
        self.key & WALL != 0
    }

    /// Whether the column leaves the owner here.
    #[inline]
    pub(super) fn is_exit(&self) -> bool {
        self.key & EXIT != 0
    }
}

/// A column, by its middle on the next axis and on the one after it, and where its entries end.
type Column = ([u16; 2], u32);

/// Cells in columns along an axis: by column, then along it.
#[derive(Debug, Default)]
pub(super) struct Columns {
    entries: Vec<Entry>,
    list: Vec<Column>,
    /// Where the columns of the bounds begin.
    starts: Vec<u32>,
    /// Columns and numbers of cells, if there are few.
    few: Vec<(u32, u32)>,
}

impl Columns {
    /// Puts cells into columns along an axis.
    pub(super) fn fill(&mut self, cells: &[Cell], bounds: &Bounds, axis: usize) {
        let [across, up] = [(axis + 1) % 3, (axis + 2) % 3];
        let low = [bounds.low[across], bounds.low[up]];
        let [width, height] =
            [across, up].map(|axis| u32::from(bounds.high[axis].saturating_sub(bounds.low[axis])) + 1);
        let columns = (width * height) as usize;
        let column = |cell: &Cell| u32::from(cell.place[up] - low[1]) * width + u32::from(cell.place[across] - low[0]);
        self.list.clear();
        self.entries.clear();
        if columns > 1024 + 4 * cells.len() {
            // Too many columns for the few cells.
            self.few.clear();
            self.few.extend((0..).zip(cells).map(|(number, cell)| (column(cell), number)));
            self.few.sort_unstable_by_key(|&(column, number)| {
                (column, cells[number as usize].place[axis], cells[number as usize].owner)
            });
            self.entries.extend(self.few.iter().map(|&(_, number)| Entry::new(&cells[number as usize], axis)));
            let mut end = 0;
            for run in self.few.chunk_by(|one, next| one.0 == next.0) {
                end += run.len() as u32;
                let cell = &cells[run[0].1 as usize];
                self.list.push(([cell.place[across], cell.place[up]], end));
            }
            return;
        }
        self.starts.clear();
        self.starts.resize(columns + 1, 0);
        cells.iter().for_each(|cell| self.starts[column(cell) as usize + 1] += 1);
        for column in 0..columns {
            self.starts[column + 1] += self.starts[column];
        }
        self.entries.resize(cells.len(), Entry::default());
        for cell in cells {
            let slot = &mut self.starts[column(cell) as usize];
            self.entries[*slot as usize] = Entry::new(cell, axis);
            *slot += 1;
        }
        // Each start has moved to the end of its column.
        let (mut start, mut ends) = (0, self.starts.iter());
        for up in low[1]..=bounds.high[up] {
            for (across, &end) in (low[0]..=bounds.high[across]).zip(&mut ends) {
                if end > start {
                    self.entries[start as usize..end as usize].sort_unstable_by_key(|entry| entry.key);
                    self.list.push(([across, up], end));
                    start = end;
                }
            }
        }
    }

    /// The middle of each column on the next axis and on the one after it, and its entries.
    pub(super) fn iter(&self) -> impl Iterator<Item = ([f64; 2], &[Entry])> {
        let starts = std::iter::once(0).chain(self.list.iter().map(|&(_, end)| end));
        starts.zip(&self.list).map(|(start, &(line, end))| {
            (line.map(|place| f64::from(place) + 0.5), &self.entries[start as usize..end as usize])
        })
    }
}
