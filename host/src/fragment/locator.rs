//! Which tetrahedron a point is in (\[Glondu12\] 4.3), by a grid instead of the paper's k-d tree: one look finds the few that
//! may hold the point.

use glam::DVec3;

use super::grid::Grid;
use super::topology::{Lists, Topology};
use crate::geometry::Aabb;

/// Cells are this long, relative to the mean edge: finer ones hold fewer tetrahedra, and there are more of them.
const CELL: f64 = 0.6;

/// A weight this far below zero still counts as none: rounding must not lose a point between two tetrahedra.
const ROUNDING: f64 = -1e-12;

/// The tetrahedra of a mesh by where they are.
#[derive(Clone, Debug)]
pub(super) struct Locator {
    grid: Grid,
    tets: Lists<u32>,
    maps: Vec<ToWeights>,
}

/// Takes a point to its weights at three corners of a tetrahedron; the first has the rest of one.
#[derive(Clone, Copy, Debug)]
struct ToWeights {
    origin: DVec3,
    rows: [DVec3; 3],
}

/// A point in a tetrahedron.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) tet: u32,
    /// The weights of the corners.
    pub(super) weights: [f64; 4],
}

impl ToWeights {
    fn new([a, b, c, d]: [DVec3; 4]) -> ToWeights {
        let [b, c, d] = [b, c, d].map(|corner| corner - a);
        let volume = b.dot(c.cross(d));
        ToWeights { origin: a, rows: [c.cross(d), d.cross(b), b.cross(c)].map(|row| row / volume) }
    }

    #[inline]
    fn weights(&self, point: DVec3) -> [f64; 4] {
        let [b, c, d] = self.rows.map(|row| row.dot(point - self.origin));
        [1.0 - b - c - d, b, c, d]
    }
}

impl Locator {
    pub(super) fn new(topology: &Topology, positions: &[DVec3], aabb: Aabb, edge_length: f64) -> Locator {
        let grid = Grid::over(aabb, CELL * edge_length);
        let mut entries = Vec::new();
        let mut maps = Vec::with_capacity(topology.tets.len());
        for tet in 0..topology.tets.len() as u32 {
            let corners = topology.corners(tet, positions);
            let middle = corners.iter().sum::<DVec3>() / 4.0;
            grid.cells_of_tet(&corners, |cell, center| entries.push((cell, center.distance_squared(middle), tet)));
            maps.push(ToWeights::new(corners));
        }
        // Those around the middle of a cell are the most likely.
        entries.sort_unstable_by(|one, other| {
            one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)).then(one.2.cmp(&other.2))
        });
        let tets = Lists::new(grid.cell_count(), entries.iter().map(|&(cell, _, tet)| (cell, tet)));
        Locator { grid, tets, maps }
    }

    /// The tetrahedron that holds a point.
    #[inline]
    pub(super) fn find(&self, point: DVec3) -> Option<Place> {
        let cell = self.grid.cell_at(point)?;
        let mut best: Option<Place> = None;
        let mut highest = ROUNDING;
        for &tet in self.tets.of(cell) {
            let weights = self.maps[tet as usize].weights(point);
            let least = weights[0].min(weights[1]).min(weights[2].min(weights[3]));
            if least >= 0.0 {
                return Some(Place { tet, weights });
            }
            if least > highest {
                highest = least;
                best = Some(Place { tet, weights });
            }
        }
        best
    }
}
