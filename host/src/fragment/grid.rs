//! Regular grids over a box.

use glam::{DVec3, IVec3};

use super::topology::FACES;
use crate::geometry::Aabb;

/// Most cells that a grid has along an axis.
const MOST_CELLS: f64 = 256.0;

/// Cubes of one size that cover a box.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    pub(super) origin: DVec3,
    pub(super) cell: f64,
    pub(super) counts: IVec3,
}

impl Grid {
    /// A grid of cells of about this size, larger if there would be too many.
    pub(super) fn over(aabb: Aabb, cell: f64) -> Grid {
        let cell = cell.max(aabb.longest() / MOST_CELLS);
        let counts = (aabb.size() / cell).floor().as_ivec3() + IVec3::ONE;
        Grid { origin: aabb.min, cell, counts }
    }

    pub(super) fn cell_count(&self) -> usize {
        self.counts.as_usizevec3().element_product()
    }

    #[inline]
    pub(super) fn number(&self, cell: IVec3) -> u32 {
        (cell.x + self.counts.x * (cell.y + self.counts.y * cell.z)) as u32
    }

    /// The cell that holds a point, if any does.
    #[inline]
    pub(super) fn cell_at(&self, point: DVec3) -> Option<u32> {
        let scaled = (point - self.origin) / self.cell;
        // What is negative or no number fails, too.
        let is_within = scaled.cmpge(DVec3::ZERO).all() && scaled.cmplt(self.counts.as_dvec3()).all();
        is_within.then(|| self.number(scaled.as_ivec3()))
    }

    /// Calls for each cell that a tetrahedron may reach into, with the cell's middle.
    pub(super) fn cells_of_tet(&self, corners: &[DVec3; 4], mut visit: impl FnMut(u32, DVec3)) {
        let aabb = Aabb::of_points(corners.iter().copied());
        // Rounding must not lose a cell that only a corner touches.
        let slack = DVec3::splat(1e-9 * self.cell);
        let scaled = |point: DVec3| ((point - self.origin) / self.cell).floor().as_ivec3();
        let low = scaled(aabb.min - slack).clamp(IVec3::ZERO, self.counts - 1);
        let high = scaled(aabb.max + slack).clamp(IVec3::ZERO, self.counts - 1);
        let middle = corners.iter().sum::<DVec3>() / 4.0;
        let planes = FACES.map(|[a, b, c]| {
            let normal = (corners[b] - corners[a]).cross(corners[c] - corners[a]);
            let normal = if normal.dot(corners[a] - middle) < 0.0 { -normal } else { normal };
            (normal, normal.dot(corners[a]), (0.5 + 1e-9) * self.cell * normal.abs().element_sum())
        });
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                for x in low.x..=high.x {
                    let cell = IVec3::new(x, y, z);
                    let center = self.origin + self.cell * (cell.as_dvec3() + 0.5);
                    if planes.iter().all(|&(normal, offset, reach)| normal.dot(center) - offset <= reach) {
                        visit(self.number(cell), center);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cell was chosen by how far the box was from the origin.
    #[test]
    fn a_grid_far_from_the_origin_is_as_fine() {
        for half in [DVec3::splat(0.5), DVec3::new(3.0, 0.2, 1.0)] {
            let near = Grid::over(Aabb::around(DVec3::ZERO, half), 1e-9);
            let far = Grid::over(Aabb::around(DVec3::new(-1024.0, 0.0, 512.0), half), 1e-9);
            assert_eq!(near.cell, 2.0 * half.max_element() / MOST_CELLS);
            assert!((near.cell - far.cell).abs() < 1e-9 * near.cell, "{} and {}", near.cell, far.cell);
        }
    }
}
