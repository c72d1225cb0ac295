//! Distances to the surface before anything broke, on a dense regular grid (\[Glondu12\] 4.4).

use glam::{DVec3, IVec3};
use rayon::prelude::*;

use super::grid::Grid;
use crate::geometry::{Aabb, SignedDistance};

/// The grid reaches this many cells beyond the box, so that what is just outside has a distance, too.
const MARGIN: f64 = 2.0;

/// Signed distances at the corners of cells, negative inside.
#[derive(Clone, Debug)]
pub(super) struct DenseGrid {
    grid: Grid,
    values: Vec<f32>,
}

/// What the grid says of a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// The signed distance, negative inside.
    pub(super) distance: f64,
    /// Its gradient, not quite of unit length.
    pub(super) gradient: DVec3,
}

impl DenseGrid {
    /// A grid of `cells` cells along the longest side of the box.
    pub(super) fn new(surface: &SignedDistance, aabb: Aabb, cells: usize) -> DenseGrid {
        let cell = aabb.longest() / cells.max(1) as f64;
        let mut grid = Grid::over(aabb.expanded(MARGIN * cell), cell);
        // One more than cells, because values are at corners.
        grid.counts += 1;
        let row = |number: usize| {
            let number = number as i32;
            let start = IVec3::new(0, number % grid.counts.y, number / grid.counts.y);
            let mut near = None;
            let values = (0..grid.counts.x).map(|x| {
                let point = grid.origin + grid.cell * (start + IVec3::new(x, 0, 0)).as_dvec3();
                // What is nearest to a point is near to the next.
                let nearest = near.map_or_else(|| surface.nearest(point), |known| surface.nearest_from(point, known));
                near = Some(nearest.triangle);
                nearest.distance as f32
            });
            values.collect::<Vec<f32>>()
        };
        let rows = (grid.counts.y * grid.counts.z) as usize;
        let values = (0..rows).into_par_iter().flat_map_iter(row).collect();
        DenseGrid { grid, values }
    }

    /// The interpolated distance; `None` beyond the grid.
    #[inline]
    pub(super) fn sample(&self, point: DVec3) -> Option<Sample> {
        let scaled = (point - self.grid.origin) / self.grid.cell;
        let last = (self.grid.counts - 1).as_dvec3();
        if !(scaled.cmpge(DVec3::ZERO).all() && scaled.cmplt(last).all()) {
            return None;
        }
        let cell = scaled.as_ivec3();
        let t = scaled - cell.as_dvec3();
        let first = self.grid.number(cell) as usize;
        let (row, sheet) = (self.grid.counts.x as usize, (self.grid.counts.x * self.grid.counts.y) as usize);
        let at = |offset: usize| f64::from(self.values[first + offset]);
        let [v000, v100, v010, v110] = [at(0), at(1), at(row), at(row + 1)];
        let [v001, v101, v011, v111] = [at(sheet), at(sheet + 1), at(sheet + row), at(sheet + row + 1)];
        let lerp = |a: f64, b: f64, t: f64| a + t * (b - a);
        let [x00, x10, x01, x11] =
            [lerp(v000, v100, t.x), lerp(v010, v110, t.x), lerp(v001, v101, t.x), lerp(v011, v111, t.x)];
        let [y0, y1] = [lerp(x00, x10, t.y), lerp(x01, x11, t.y)];
        let along_x = lerp(lerp(v100 - v000, v110 - v010, t.y), lerp(v101 - v001, v111 - v011, t.y), t.z);
        let gradient = DVec3::new(along_x, lerp(x10 - x00, x11 - x01, t.z), y1 - y0) / self.grid.cell;
        Some(Sample { distance: lerp(y0, y1, t.z), gradient })
    }

    /// By how much an interpolated distance may be wrong: distances change no faster than one moves, and no corner of a cell
    /// is farther on average than half its diagonal.
    pub(super) fn error(&self) -> f64 {
        0.5 * 3f64.sqrt() * self.grid.cell
    }
}
