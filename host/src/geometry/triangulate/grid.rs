//! A grid over the nodes that can lie in an ear.

use glam::DVec2;

use super::ring::Ring;

/// Nodes by the square they stand in, about one to a square.
pub(super) struct Grid {
    low: DVec2,
    cells_per_length: DVec2,
    columns: usize,
    rows: usize,
    /// Where each square's nodes begin in `nodes`; one more entry for the end.
    starts: Vec<u32>,
    nodes: Vec<u32>,
}

impl Grid {
    pub(super) fn new(ring: &Ring, members: &[u32]) -> Grid {
        let mut low = DVec2::INFINITY;
        let mut high = DVec2::NEG_INFINITY;
        for &node in members {
            low = low.min(ring.position(node));
            high = high.max(ring.position(node));
        }
        let size = (high - low).max(DVec2::ZERO);
        let (columns, rows) = shape(size, members.len());
        let cells = DVec2::new(columns as f64, rows as f64);
        let mut grid = Grid {
            low,
            cells_per_length: cells / size,
            columns,
            rows,
            starts: vec![0; columns * rows + 1],
            nodes: vec![0; members.len()],
        };
        for &node in members {
            let cell = grid.cell(ring.position(node));
            grid.starts[cell + 1] += 1;
        }
        for cell in 0..columns * rows {
            grid.starts[cell + 1] += grid.starts[cell];
        }
        let mut cursors = grid.starts.clone();
        for &node in members {
            let cell = grid.cell(ring.position(node));
            grid.nodes[cursors[cell] as usize] = node;
            cursors[cell] += 1;
        }
        grid
    }

    /// Whether any node in the squares that a box covers satisfies a condition.
    pub(super) fn any_in(&self, low: DVec2, high: DVec2, mut condition: impl FnMut(u32) -> bool) -> bool {
        let ((left, bottom), (right, top)) = (self.square(low), self.square(high));
        (bottom..=top).any(|row| {
            let first = self.starts[row * self.columns + left] as usize;
            let end = self.starts[row * self.columns + right + 1] as usize;
            self.nodes[first..end].iter().any(|&node| condition(node))
        })
    }

    fn cell(&self, position: DVec2) -> usize {
        let (column, row) = self.square(position);
        row * self.columns + column
    }

    /// Monotone in both coordinates, so that a box's squares are those between its corners'.
    fn square(&self, position: DVec2) -> (usize, usize) {
        let scaled = (position - self.low) * self.cells_per_length;
        // The cast takes what is negative or not a number to zero.
        ((scaled.x as usize).min(self.columns - 1), (scaled.y as usize).min(self.rows - 1))
    }
}

/// Columns and rows for about `count` squares over an area.
fn shape(size: DVec2, count: usize) -> (usize, usize) {
    let count = count.max(1) as f64;
    if !(size.x > 0.0 && size.y > 0.0 && (size.x / size.y).is_finite() && size.y / size.x > 0.0) {
        return if size.x > size.y { (count as usize, 1) } else { (1, count as usize) };
    }
    let columns = (count * size.x / size.y).sqrt().clamp(1.0, count);
    (columns as usize, (count / columns).clamp(1.0, count) as usize)
}
