//! The signed distance at the points of a lattice that are near the surface; of the others, the side.

use rayon::prelude::*;

use super::lattice::{BLOCK, BLOCK_POINTS, Lattice, Place, shifted};
use crate::geometry::SignedDistance;

/// A block of the lattice.
#[derive(Clone, Debug)]
pub(super) enum Block {
    /// All points are outside, and no edge of theirs meets the surface.
    Outside,
    /// All points are inside, and no edge of theirs meets the surface.
    Inside,
    /// The distance at each point, negative inside; infinite where it is more than an edge.
    Near(Box<[f64; BLOCK_POINTS]>),
}

/// The distances on a lattice.
pub(super) struct LatticeField {
    pub(super) lattice: Lattice,
    pub(super) blocks: Vec<Block>,
}

impl LatticeField {
    pub(super) fn new(lattice: Lattice, distance: &SignedDistance) -> LatticeField {
        let blocks = (0..lattice.block_count())
            .into_par_iter()
            .map(|block| {
                let mut values = Box::new([f64::INFINITY; BLOCK_POINTS]);
                let part = Part { place: lattice.block_place(block), cells: BLOCK };
                match part.fill(&lattice, distance, None, &mut values) {
                    Some(true) => Block::Inside,
                    Some(false) => Block::Outside,
                    None => Block::Near(values),
                }
            })
            .collect();
        let mut field = LatticeField { lattice, blocks };
        field.open_where_torn();
        field
    }

    /// Where a surface crosses itself, the side that its nearest part tells may change without a surface between. Blocks on
    /// either side of that are near it too, so that every edge from inside to outside is in blocks that say so.
    fn open_where_torn(&mut self) {
        let is_torn = |block: usize| match &self.blocks[block] {
            Block::Near(_) => false,
            Block::Inside => self.has_beside(block, |value| value >= 0.0),
            Block::Outside => self.has_beside(block, |value| value < 0.0),
        };
        let torn: Vec<usize> = (0..self.blocks.len()).into_par_iter().filter(|&block| is_torn(block)).collect();
        for block in torn {
            let is_inside = matches!(self.blocks[block], Block::Inside);
            let value = if is_inside { f64::NEG_INFINITY } else { f64::INFINITY };
            self.blocks[block] = Block::Near(Box::new([value; BLOCK_POINTS]));
        }
    }

    /// Whether a point beside a block has a distance of some kind.
    fn has_beside(&self, block: usize, is_it: impl Fn(f64) -> bool) -> bool {
        let low = self.lattice.block_place(block);
        let beside =
            |by: Place| by.iter().any(|&half| half != 0).then(|| shifted(low, by.map(|step| 2 * BLOCK * step)));
        let steps = || (0..27).map(|step| [step % 3 - 1, step / 3 % 3 - 1, step / 9 - 1]);
        let is_like = |place: Place| match self.lattice.locate(place).map(|(block, _)| &self.blocks[block]) {
            Some(Block::Near(_)) => false,
            Some(Block::Inside) => !is_it(f64::NEG_INFINITY),
            Some(Block::Outside) | None => !is_it(f64::INFINITY),
        };
        if steps().filter_map(beside).all(is_like) {
            return false;
        }
        // The layer of points around: corners and centres from one before the first to one after the last.
        let range = -2..2 * BLOCK + 2;
        let is_around = |by: Place| {
            let is_point = by.iter().all(|half| (half ^ by[0]) & 1 == 0);
            is_point && by.iter().any(|half| !(0..2 * BLOCK).contains(half))
        };
        range.clone().any(|z| {
            range
                .clone()
                .any(|y| range.clone().any(|x| is_around([x, y, z]) && is_it(self.at(shifted(low, [x, y, z])))))
        })
    }

    /// The distance at a point.
    #[inline]
    pub(super) fn at(&self, place: Place) -> f64 {
        let Some((block, inner)) = self.lattice.locate(place) else { return f64::INFINITY };
        match &self.blocks[block] {
            Block::Outside => f64::INFINITY,
            Block::Inside => f64::NEG_INFINITY,
            Block::Near(values) => values[inner],
        }
    }

    /// Says that a point is on the surface from now on.
    pub(super) fn put_on_surface(&mut self, number: u32) {
        let (block, inner) = (number as usize / BLOCK_POINTS, number as usize % BLOCK_POINTS);
        if let Block::Near(values) = &mut self.blocks[block] {
            values[inner] = 0.0;
        }
    }

    /// The blocks near the surface, with their numbers and distances.
    pub(super) fn near(&self) -> Vec<(usize, &[f64; BLOCK_POINTS])> {
        let mut near = Vec::new();
        for (number, block) in self.blocks.iter().enumerate() {
            if let Block::Near(values) = block {
                near.push((number, &**values));
            }
        }
        near
    }
}

/// A cube of cells.
struct Part {
    place: Place,
    cells: i32,
}

impl Part {
    /// Finds the distances at the corners and centres of the cells; or, where none can have a neighbour beyond the surface,
    /// whether they are inside. `hint` is a triangle near by.
    fn fill(
        &self,
        lattice: &Lattice,
        distance: &SignedDistance,
        hint: Option<u32>,
        values: &mut [f64; BLOCK_POINTS],
    ) -> Option<bool> {
        let nearest = |position, hint: Option<u32>| match hint {
            Some(triangle) => distance.nearest_from(position, triangle),
            None => distance.nearest(position),
        };
        let first = self.place.map(|half| (half >> 1 & (BLOCK - 1)) as usize);
        let inner = first[2] << 6 | first[1] << 3 | first[0];
        if self.cells == 1 {
            values[inner] = nearest(lattice.position(self.place), hint).distance;
            values[inner | 1 << 9] = nearest(lattice.position(self.place.map(|half| half + 1)), hint).distance;
            return None;
        }
        // The points reach from the first corner to the last centre; the distance changes no faster than one moves.
        let reach = 0.5 * (f64::from(self.cells) - 0.5) * lattice.cell;
        let found = nearest(lattice.position(self.place) + reach, hint);
        if found.distance.abs() > (3f64.sqrt() * reach + lattice.cell) * (1.0 + 1e-9) {
            return Some(found.distance < 0.0);
        }
        let half = self.cells / 2;
        for octant in 0..8 {
            let place =
                std::array::from_fn(|axis| self.place[axis] + if octant >> axis & 1 == 1 { 2 * half } else { 0 });
            let part = Part { place, cells: half };
            if let Some(is_inside) = part.fill(lattice, distance, Some(found.triangle), values) {
                part.set(values, if is_inside { f64::NEG_INFINITY } else { f64::INFINITY });
            }
        }
        None
    }

    fn set(&self, values: &mut [f64; BLOCK_POINTS], value: f64) {
        let [x, y, z] = self.place.map(|half| (half >> 1 & (BLOCK - 1)) as usize);
        let cells = self.cells as usize;
        for row in 0..2 * cells * cells {
            let (kind, k, j) = (row / (cells * cells), row / cells % cells, row % cells);
            let start = kind << 9 | (z + k) << 6 | (y + j) << 3 | x;
            values[start..start + cells].fill(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shapes::Torus;

    #[test]
    fn every_point_has_its_side_and_those_near_their_distance() {
        let mesh = Torus::default().mesh().unwrap();
        let distance = SignedDistance::new(&mesh).unwrap();
        let lattice = Lattice::around(&mesh.aabb(), mesh.aabb().size().max_element() / 20.0);
        let field = LatticeField::new(lattice, &distance);
        let mut skipped = 0;
        for number in 0..lattice.point_count() {
            let (expected, found) =
                (distance.at(lattice.position(lattice.place(number))), field.at(lattice.place(number)));
            assert_eq!(found < 0.0, expected < 0.0);
            assert!(found == expected || (found.is_infinite() && expected.abs() > lattice.cell));
            skipped += usize::from(found.is_infinite());
        }
        assert!(skipped > 1000);
    }
}
