//! The body-centred cubic lattice: the corners and the centres of cubic cells.
//!
//! Places are counted in half cells, so a corner has three even coordinates and a centre three odd ones. A point has two
//! kinds of neighbours: six of its own kind, a cell away along an axis (long edges), and eight of the other kind, half a
//! diagonal away (short edges). Two centres side by side and two corners side by side on the face between them make a
//! tetrahedron; all tetrahedra have that shape.

use glam::DVec3;

use crate::geometry::Aabb;

/// A point of the lattice, in half cells from its origin.
pub(super) type Place = [i32; 3];

/// Cells on the side of a block.
pub(super) const BLOCK: i32 = 8;

/// Cells in a block.
pub(super) const BLOCK_CELLS: usize = (BLOCK * BLOCK * BLOCK) as usize;

/// Points in a block: the low corner and the centre of each cell.
pub(super) const BLOCK_POINTS: usize = 2 * BLOCK_CELLS;

/// Where a lattice is and how it is numbered: by blocks, so that points near each other have numbers near each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    origin: DVec3,
    pub(super) cell: f64,
    blocks: [i32; 3],
}

impl Lattice {
    /// How many blocks along each axis a lattice around a box has. As numbers that may be too many to count.
    pub(super) fn blocks_around(bounds: &Aabb, cell: f64) -> [f64; 3] {
        // A layer of cells on every side.
        bounds.size().to_array().map(|side| (cells_along(side, cell) + 2.0) / f64::from(BLOCK)).map(|b| b.floor() + 1.0)
    }

    /// The lattice around a box, with a layer of cells to spare; centred on it, so that a box of whole cells is met exactly.
    pub(super) fn around(bounds: &Aabb, cell: f64) -> Lattice {
        let cells = DVec3::from_array(bounds.size().to_array().map(|side| cells_along(side, cell) + 2.0));
        let blocks = Lattice::blocks_around(bounds, cell).map(|blocks| blocks as i32);
        Lattice { origin: bounds.center() - 0.5 * cell * cells, cell, blocks }
    }

    pub(super) fn block_count(&self) -> usize {
        self.blocks.iter().map(|&blocks| blocks as usize).product()
    }

    /// The number above those of all points.
    pub(super) fn point_count(&self) -> u32 {
        (self.block_count() * BLOCK_POINTS) as u32
    }

    /// The lowest corner of a block.
    pub(super) fn block_place(&self, block: usize) -> Place {
        let [x, y, _] = self.blocks.map(|blocks| blocks as usize);
        [block % x, block / x % y, block / (x * y)].map(|number| number as i32 * 2 * BLOCK)
    }

    /// The block of a point and its number there; `None` outside of the lattice.
    #[inline]
    pub(super) fn locate(&self, place: Place) -> Option<(usize, usize)> {
        let block = place.map(|half| half >> 4);
        if (0..3).any(|axis| block[axis] < 0 || block[axis] >= self.blocks[axis]) {
            return None;
        }
        let number = (block[2] * self.blocks[1] + block[1]) as usize * self.blocks[0] as usize + block[0] as usize;
        let [x, y, z] = place.map(|half| (half >> 1 & (BLOCK - 1)) as usize);
        let is_center = (place[0] & 1) as usize;
        Some((number, is_center << 9 | z << 6 | y << 3 | x))
    }

    /// The number of a point; `None` outside of the lattice.
    #[inline]
    pub(super) fn number(&self, place: Place) -> Option<u32> {
        let (block, inner) = self.locate(place)?;
        Some((block * BLOCK_POINTS + inner) as u32)
    }

    /// The point with a number.
    pub(super) fn place(&self, number: u32) -> Place {
        let (block, inner) = (number as usize / BLOCK_POINTS, number as usize % BLOCK_POINTS);
        let low = self.block_place(block);
        let cell = [inner & 7, inner >> 3 & 7, inner >> 6 & 7];
        std::array::from_fn(|axis| low[axis] + 2 * cell[axis] as i32 + (inner >> 9) as i32)
    }

    pub(super) fn position(&self, place: Place) -> DVec3 {
        self.origin + 0.5 * self.cell * DVec3::from_array(place.map(f64::from))
    }
}

/// How many cells cover a length. One that is a whole number of cells but for rounding is that.
fn cells_along(side: f64, cell: f64) -> f64 {
    (side / cell - 1e-9).ceil().max(1.0)
}

/// A place some half cells on.
#[inline]
pub(super) fn shifted(place: Place, by: Place) -> Place {
    std::array::from_fn(|axis| place[axis] + by[axis])
}

/// The tetrahedra around the long edges that lead from a centre along each axis: the far centre, and the corners of the
/// face between, in order. With the near centre first and the far one second, two corners in order make it positive.
pub(super) const FACES: [(Place, [Place; 4]); 3] = [
    ([2, 0, 0], [[1, -1, -1], [1, 1, -1], [1, 1, 1], [1, -1, 1]]),
    ([0, 2, 0], [[-1, 1, -1], [-1, 1, 1], [1, 1, 1], [1, 1, -1]]),
    ([0, 0, 2], [[-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]]),
];

/// The edges that a point owns: those of its own kind upwards, and if it is a centre also those to its corners.
pub(super) fn owned_edges(place: Place) -> impl Iterator<Item = Place> {
    const EDGES: [Place; 11] = [
        [2, 0, 0],
        [0, 2, 0],
        [0, 0, 2],
        [-1, -1, -1],
        [1, -1, -1],
        [-1, 1, -1],
        [1, 1, -1],
        [-1, -1, 1],
        [1, -1, 1],
        [-1, 1, 1],
        [1, 1, 1],
    ];
    let count = if place[0] & 1 == 1 { 11 } else { 3 };
    EDGES[..count].iter().map(move |&by| shifted(place, by))
}

/// Whether an edge of the lattice is a long one: its ends are of one kind.
#[inline]
pub(super) fn is_long(one: Place, other: Place) -> bool {
    (one[0] ^ other[0]) & 1 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_found_by_number_and_place() {
        let lattice = Lattice::around(&Aabb { min: DVec3::ZERO, max: DVec3::new(3.0, 1.0, 2.0) }, 0.1);
        assert_eq!(lattice.blocks, [5, 2, 3]);
        for number in 0..lattice.point_count() {
            let place = lattice.place(number);
            assert!(place.iter().all(|half| (half ^ place[0]) & 1 == 0));
            assert_eq!(lattice.number(place), Some(number));
        }
        assert_eq!(lattice.locate([-1, 3, 3]), None);
        assert_eq!(lattice.locate([80, 0, 0]), None);
        assert!(lattice.position([2, 2, 2]).length() < 1e-12);
    }

    #[test]
    fn tetrahedra_are_positive_and_fill_a_cell() {
        let mut volume = 0.0;
        for (far, corners) in FACES {
            for turn in 0..4 {
                let [a, b, c] =
                    [far, corners[turn], corners[(turn + 1) % 4]].map(|p| DVec3::from_array(p.map(f64::from)));
                let twice = a.cross(b).dot(c);
                assert!(twice > 0.0);
                volume += twice / 6.0;
            }
        }
        assert_eq!(volume, 8.0);
    }
}
