//! The faces between an octree's boundary voxels and what lies outside, found 512 voxels at a time.

use fracas_kernels::{morton, node::Node};

use crate::svo::bits::{Bits, NONE, and_not, count, covered, ones, or, to_rows};
use crate::svo::build::voxels;
use crate::svo::tree::Tree;

/// The sides of a voxel: -x, +x, -y, +y, -z, +z.
pub(super) const SIDES: usize = 6;

/// The corners of each side of the unit cube, counter-clockwise seen from outside.
pub(super) const CORNERS: [[[u32; 3]; 4]; SIDES] = {
    let mut corners = [[[0; 3]; 4]; SIDES];
    let mut side = 0;
    while side < SIDES {
        let (axis, is_high) = (side / 2, side % 2);
        let mut corner = 0;
        while corner < 4 {
            // Around the side: 00, 10, 11, 01; the other way round on the low one.
            let turn = if is_high == 1 { corner } else { 3 - corner };
            corners[side][corner][axis] = is_high as u32;
            corners[side][corner][(axis + 1) % 3] = (turn.div_ceil(2) % 2) as u32;
            corners[side][corner][(axis + 2) % 3] = (turn / 2) as u32;
            corner += 1;
        }
        side += 1;
    }
    corners
};

/// A chunk that the surface comes to.
pub(super) struct Cell {
    /// Its place in the box of chunks.
    pub(super) place: [u32; 3],
    /// Its boundary voxels in Morton order, and the number of the first of them in the level.
    boundary: Bits,
    first: u32,
    /// Boundary voxels and those inside, in rows.
    matter: Bits,
}

/// The chunks of a level of a tree, in the smallest box that holds all with boundary voxels.
pub(super) struct Cells {
    /// The first voxel of the box.
    pub(super) low: [u32; 3],
    /// Chunks along the edges of the box.
    pub(super) size: [u32; 3],
    pub(super) cells: Vec<Cell>,
    /// What is at each place of the box: [`OUTSIDE`], [`SOLID`], or the number of a cell.
    grid: Vec<u32>,
}

const OUTSIDE: u32 = u32::MAX;
const SOLID: u32 = u32::MAX - 1;

/// A face between a boundary voxel and what lies outside.
#[derive(Clone, Copy)]
pub(super) struct Face {
    /// The voxel in its chunk.
    pub(super) voxel: [u32; 3],
    /// The voxel's number among the boundary voxels of the level.
    pub(super) number: u32,
    /// Which side of the voxel it is.
    pub(super) side: usize,
    /// Whether the opposite side is a face too.
    pub(super) is_thin: bool,
}

impl Cells {
    /// At a level that the tree has.
    pub(super) fn new(tree: &Tree, level: u32) -> Cells {
        let (mut cells, mut solids) = (Vec::new(), Vec::new());
        let mut walk = Walk { tree, level, next: 0, cells: &mut cells, solids: &mut solids };
        walk.go(tree.root(), level.saturating_sub(3), 0);
        let (mut low, mut high) = ([u32::MAX; 3], [0; 3]);
        for cell in &cells {
            for axis in 0..3 {
                low[axis] = low[axis].min(cell.place[axis]);
                high[axis] = high[axis].max(cell.place[axis] + 1);
            }
        }
        let size: [u32; 3] = std::array::from_fn(|axis| high[axis].saturating_sub(low[axis]));
        let mut made = Cells {
            low: low.map(|coordinate| if cells.is_empty() { 0 } else { 8 * coordinate }),
            size,
            grid: vec![OUTSIDE; size.iter().map(|&edge| edge as usize).product()],
            cells,
        };
        for number in 0..made.cells.len() {
            let cell = &mut made.cells[number];
            cell.place = std::array::from_fn(|axis| cell.place[axis] - low[axis]);
            let slot = made.slot(made.cells[number].place);
            made.grid[slot] = number as u32;
        }
        for (code, height) in solids {
            made.fill(morton::decode_30(code).map(|coordinate| coordinate << height), 1 << height, low);
        }
        made
    }

    fn slot(&self, place: [u32; 3]) -> usize {
        ((place[2] * self.size[1] + place[1]) * self.size[0] + place[0]) as usize
    }

    /// Marks the chunks of a node inside that are in the box.
    fn fill(&mut self, from: [u32; 3], edge: u32, low: [u32; 3]) {
        let range = |axis: usize| {
            let end = (from[axis] + edge).saturating_sub(low[axis]).min(self.size[axis]);
            from[axis].saturating_sub(low[axis])..end
        };
        for z in range(2) {
            for y in range(1) {
                for x in range(0) {
                    let slot = self.slot([x, y, z]);
                    self.grid[slot] = SOLID;
                }
            }
        }
    }

    /// The matter of the chunk beside another one.
    fn beside(&self, place: [u32; 3], side: usize) -> Bits {
        let (axis, is_high) = (side / 2, side % 2 == 1);
        let mut place = place;
        if is_high {
            place[axis] += 1;
        } else {
            place[axis] = place[axis].wrapping_sub(1);
        }
        // Below zero is a large number.
        if place[axis] >= self.size[axis] {
            return NONE;
        }
        match self.grid[self.slot(place)] {
            OUTSIDE => NONE,
            SOLID => [u64::MAX; 8],
            number => self.cells[number as usize].matter,
        }
    }

    /// Calls back with every face at a chunk's voxels.
    pub(super) fn faces(&self, cell: &Cell, mut visit: impl FnMut(Face)) {
        let next: [Bits; SIDES] = std::array::from_fn(|side| self.beside(cell.place, side));
        let covered = covered(&cell.matter, &next);
        let boundary = to_rows(&cell.boundary);
        let open: [Bits; SIDES] = std::array::from_fn(|side| and_not(&boundary, &covered[side]));
        if open.iter().flatten().all(|&word| word == 0) {
            return;
        }
        // The numbers of the voxels, which are in Morton order.
        let mut numbers = [0; 512];
        for (number, voxel) in (cell.first..).zip(voxels(&cell.boundary)) {
            let [x, y, z] = morton::decode_30(voxel);
            numbers[(64 * z + 8 * y + x) as usize] = number;
        }
        for z in 0..8 {
            for side in 0..SIDES {
                for bit in ones(open[side][z]) {
                    let voxel = [bit % 8, bit / 8, z as u32];
                    let is_thin = open[side ^ 1][z] >> bit & 1 != 0;
                    visit(Face { voxel, number: numbers[64 * z + bit as usize], side, is_thin });
                }
            }
        }
    }

    /// How many faces there are.
    pub(super) fn count(&self) -> usize {
        let mut count = 0;
        for cell in &self.cells {
            self.faces(cell, |_| count += 1);
        }
        count
    }
}

struct Walk<'a> {
    tree: &'a Tree,
    level: u32,
    /// The number of the next boundary voxel.
    next: u32,
    cells: &'a mut Vec<Cell>,
    /// Nodes inside, at the chunks' level or above: code and height above it.
    solids: &'a mut Vec<(u32, u32)>,
}

impl Walk<'_> {
    fn go(&mut self, node: Node, height: u32, code: u32) {
        if node.is_terminal() && self.level >= 3 {
            if node.is_internal() {
                self.solids.push((code, height));
            }
        } else if height > 0 {
            for (child, &node) in (0..).zip(self.tree.children(node)) {
                self.go(node, height - 1, code << 3 | child);
            }
        } else {
            let (boundary, internal) = match self.level {
                3.. => {
                    let (boundary, internal, _) = self.tree.chunk(node);
                    (boundary, internal)
                }
                _ => self.coarse(),
            };
            let matter = to_rows(&or(&boundary, &internal));
            self.cells.push(Cell { place: morton::decode_30(code), boundary, first: self.next, matter });
            self.next += count(&boundary);
        }
    }

    /// The one chunk of a level with less than eight voxels along an edge.
    fn coarse(&self) -> (Bits, Bits) {
        let (mut boundary, mut internal) = (NONE, NONE);
        self.tree.visit(&mut |node, level, code| {
            if level > self.level {
                return;
            }
            let shift = 3 * (self.level - level);
            for code in code << shift..(code + 1) << shift {
                let (word, bit) = ((code / 64) as usize, code % 64);
                boundary[word] |= u64::from(level == self.level && node.is_boundary()) << bit;
                internal[word] |= u64::from(node.is_internal()) << bit;
            }
        });
        (boundary, internal)
    }
}
