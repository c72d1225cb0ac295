//! Where a fragment may be: the multi-level grid of \[Glondu12\] 4.5.
//!
//! The paper keeps one grid with a mask of fragments in each cell; here each fragment has the bits of its own, over the same
//! cells. A test asks about one fragment, so its bits are side by side, and there is no limit to the number of fragments.

use glam::{DVec3, IVec3};

use super::grid::Grid;
use super::ranked_bits::RankedBits;
use super::topology::{Lists, Topology};
use crate::geometry::Aabb;

/// Cells of the finest level are this long, relative to the mean edge.
const CELL: f64 = 1.25;

/// The cells that the tetrahedra around each node reach into: registered once, whatever breaks later.
#[derive(Clone, Debug)]
pub(super) struct StarCells {
    grid: Grid,
    cells: Lists<Cells>,
}

/// Some of 64 cells that have one word of a level's bits.
#[derive(Clone, Copy, Debug, Default)]
struct Cells {
    word: u32,
    bits: u64,
}

/// The cells that a fragment may reach into, at all levels; each level has half as many cells along an axis.
#[derive(Clone, Debug, Default)]
pub(super) struct Occupancy {
    levels: Vec<Level>,
}

#[derive(Clone, Debug)]
struct Level {
    grid: Grid,
    bits: Vec<u64>,
}

impl StarCells {
    pub(super) fn new(topology: &Topology, positions: &[DVec3], aabb: Aabb, edge_length: f64) -> StarCells {
        let grid = Grid::over(aabb, CELL * edge_length);
        let mut entries = Vec::new();
        for tet in 0..topology.tets.len() as u32 {
            grid.cells_of_tet(&topology.corners(tet, positions), |cell, _| {
                entries.extend(topology.tets[tet as usize].map(|node| (node, cell)));
            });
        }
        entries.sort_unstable();
        let mut words: Vec<(u32, Cells)> = Vec::new();
        for (node, cell) in entries {
            let (word, bit) = (cell / 64, 1 << (cell % 64));
            match words.last_mut() {
                Some((last, cells)) if *last == node && cells.word == word => cells.bits |= bit,
                _ => words.push((node, Cells { word, bits: bit })),
            }
        }
        StarCells { grid, cells: Lists::new(positions.len(), words.iter().copied()) }
    }

    /// The cells of a fragment's nodes, level by level.
    pub(super) fn occupancy(&self, nodes: &RankedBits) -> Occupancy {
        let mut level = Level::new(self.grid.clone());
        for node in nodes.iter() {
            for cells in self.cells.of(node) {
                level.bits[cells.word as usize] |= cells.bits;
            }
        }
        let mut levels = vec![level];
        while let Some(coarser) = levels.last().and_then(Level::coarser) {
            levels.push(coarser);
        }
        Occupancy { levels }
    }
}

impl Level {
    fn new(grid: Grid) -> Level {
        Level { bits: vec![0; grid.cell_count().div_ceil(64)], grid }
    }

    fn holds(&self, cell: IVec3) -> bool {
        let number = self.grid.number(cell) as usize;
        self.bits[number / 64] >> (number % 64) & 1 == 1
    }

    fn coarser(&self) -> Option<Level> {
        let Grid { origin, cell, counts } = self.grid;
        if counts.max_element() <= 1 {
            return None;
        }
        let mut coarser = Level::new(Grid { origin, cell: 2.0 * cell, counts: (counts + 1) / 2 });
        for (word, &bits) in self.bits.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let number = (word * 64) as i32 + bits.trailing_zeros() as i32;
                bits &= bits - 1;
                let (x, row) = (number % counts.x, number / counts.x);
                let cell = IVec3::new(x, row % counts.y, row / counts.y) / 2;
                let above = coarser.grid.number(cell) as usize;
                coarser.bits[above / 64] |= 1 << (above % 64);
            }
        }
        Some(coarser)
    }
}

impl Occupancy {
    /// Whether the fragment may reach into a sphere. The level is the one whose cells are just larger than the sphere, so
    /// that eight of them cover it.
    #[inline]
    pub(super) fn meets_sphere(&self, center: DVec3, radius: f64) -> bool {
        let Some(level) = self.levels.iter().find(|level| level.grid.cell >= 2.0 * radius) else { return true };
        let Grid { origin, cell, counts } = level.grid;
        let low = ((center - origin) / cell - 0.5).floor().as_ivec3();
        let first = low.max(IVec3::ZERO);
        let last = (low + 1).min(counts - 1);
        for z in first.z..=last.z {
            for y in first.y..=last.y {
                for x in first.x..=last.x {
                    if level.holds(IVec3::new(x, y, z)) {
                        return true;
                    }
                }
            }
        }
        false
    }
}
