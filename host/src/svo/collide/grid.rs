//! The voxels of a physics level as bits, found by where they are.
//!
//! Walking down an octree to a voxel is a chain of loads, each waiting for the one before. Which voxels meet is asked for
//! every voxel that may, so chunks of 512 voxels stand in a plain grid: two loads, whatever the level.

use std::sync::OnceLock;

use fracas_kernels::morton;
use fracas_kernels::node::Node;

use crate::svo::bits::{ALL, Bits, NONE, or};
use crate::svo::lattice::{LEAST_LEVEL, MOST_LEVEL};
use crate::svo::tree::Tree;

/// 8 x 8 x 8 voxels.
#[derive(Clone, Debug)]
pub(super) struct Chunk {
    /// Voxels that the surface comes to, in Morton order.
    pub(super) boundary: Bits,
    /// Those and the ones inside.
    solid: Bits,
    /// The attributes of the first boundary voxel.
    pub(super) attributes: u32,
}

/// The chunks of a level of an octree.
#[derive(Clone, Debug)]
pub(in crate::svo) struct Grid {
    /// The lowest chunk on each axis, and how many there are.
    pub(super) low: [u32; 3],
    size: [u32; 3],
    /// By place, the number of a chunk.
    numbers: Vec<u32>,
    /// One outside, one inside, then those that the surface comes to, in Morton order.
    chunks: Vec<Chunk>,
}

const OUTSIDE: u32 = 0;
const INSIDE: u32 = 1;

/// The chunks before the first with boundary voxels.
const BEFORE: u32 = 2;

impl Grid {
    /// The voxels of a level, which the octree has; no level coarser than a chunk.
    pub(super) fn new(tree: &Tree, level: u32) -> Grid {
        let top = level - LEAST_LEVEL;
        let mut places = Places { tree, top, boundary: Vec::new(), inside: Vec::new() };
        places.visit(tree.root(), 0, 0);
        let Places { boundary, inside, .. } = places;
        let (mut low, mut high) = ([u32::MAX; 3], [0; 3]);
        for &(_, code) in &boundary {
            for (axis, place) in morton::decode_30(code).into_iter().enumerate() {
                low[axis] = low[axis].min(place);
                high[axis] = high[axis].max(place + 1);
            }
        }
        // What is inside is between the boundary.
        let size: [u32; 3] = std::array::from_fn(|axis| high[axis].saturating_sub(low[axis]));
        let constant = |solid: Bits| Chunk { boundary: NONE, solid, attributes: 0 };
        let chunks = boundary.iter().map(|&(node, _)| {
            let (boundary, internal, attributes) = tree.chunk(node);
            Chunk { boundary, solid: or(&boundary, &internal), attributes }
        });
        let mut grid = Grid {
            low,
            size,
            numbers: vec![OUTSIDE; size.iter().map(|&side| side as usize).product()],
            chunks: [constant(NONE), constant(ALL)].into_iter().chain(chunks).collect(),
        };
        for (number, &(_, code)) in (BEFORE..).zip(&boundary) {
            grid.fill(morton::decode_30(code), 1, number);
        }
        for (code, level) in inside {
            let edge = 1 << (top - level);
            grid.fill(morton::decode_30(code).map(|coordinate| coordinate * edge), edge, INSIDE);
        }
        grid
    }

    fn fill(&mut self, place: [u32; 3], edge: u32, number: u32) {
        let [x, y, z]: [u32; 3] = std::array::from_fn(|axis| place[axis] - self.low[axis]);
        for (y, z) in (z..z + edge).flat_map(|z| (y..y + edge).map(move |y| (y, z))) {
            let first = self.index([x, y, z].map(|coordinate| coordinate as i32));
            self.numbers[first..first + edge as usize].fill(number);
        }
    }

    #[inline]
    fn index(&self, [x, y, z]: [i32; 3]) -> usize {
        (z as usize * self.size[1] as usize + y as usize) * self.size[0] as usize + x as usize
    }

    /// A chunk with boundary voxels, by its number among those of its level.
    pub(super) fn chunk(&self, number: u32) -> &Chunk {
        &self.chunks[(number + BEFORE) as usize]
    }

    /// Whether a voxel is inside, if it is there; from the lowest chunk's corner, as all that follow.
    #[inline]
    pub(super) fn is_inside(&self, voxel: [i32; 3]) -> Option<bool> {
        let chunk = voxel.map(|coordinate| coordinate >> 3);
        if !(0..3).all(|axis| (chunk[axis] as u32) < self.size[axis]) {
            return None;
        }
        let chunk = &self.chunks[self.numbers[self.index(chunk)] as usize];
        let [x, y, z] = voxel;
        let word = (x >> 2 & 1 | y >> 1 & 2 | z & 4) as usize;
        let bit = BITS[0][(x & 3) as usize] | BITS[1][(y & 3) as usize] | BITS[2][(z & 3) as usize];
        (chunk.solid[word] >> bit & 1 != 0).then(|| chunk.boundary[word] >> bit & 1 == 0)
    }

    /// Whether a voxel that is boundary or inside lies from one place to another.
    #[inline]
    pub(super) fn is_any(&self, low: [i32; 3], high: [i32; 3]) -> bool {
        let low: [i32; 3] = low.map(|coordinate| coordinate.max(0));
        let high: [i32; 3] = std::array::from_fn(|axis| high[axis].min(8 * self.size[axis] as i32 - 1));
        let range = |axis: usize, word: i32| {
            let [first, last] = [(low[axis] - 4 * word).max(0), (high[axis] - 4 * word).min(3)];
            RANGES[axis][first as usize & 3][last as usize & 3]
        };
        for z in low[2] >> 2..=high[2] >> 2 {
            let slice = range(2, z);
            for y in low[1] >> 2..=high[1] >> 2 {
                let row = slice & range(1, y);
                for x in low[0] >> 2..=high[0] >> 2 {
                    let chunk = &self.chunks[self.numbers[self.index([x >> 1, y >> 1, z >> 1])] as usize];
                    if chunk.solid[(x & 1 | (y & 1) << 1 | (z & 1) << 2) as usize] & row & range(0, x) != 0 {
                        return true;
                    }
                }
            }
        }
        false
    }
}

/// What the bits of a coordinate within a word are in the voxel's number.
const BITS: [[u32; 4]; 3] = [[0, 1, 8, 9], [0, 2, 16, 18], [0, 4, 32, 36]];

/// By axis: the voxels of a word from one coordinate to another.
const RANGES: [[[u64; 4]; 4]; 3] = {
    let mut ranges = [[[0; 4]; 4]; 3];
    let mut bit = 0;
    while bit < 64 {
        let mut axis = 0;
        while axis < 3 {
            let at = bit >> axis & 1 | (bit >> (axis + 3) & 1) << 1;
            let mut range = 0;
            while range < 16 {
                if range / 4 <= at && at <= range % 4 {
                    ranges[axis][range / 4][range % 4] |= 1u64 << bit;
                }
                range += 1;
            }
            axis += 1;
        }
        bit += 1;
    }
    ranges
};

/// The chunks of an octree and the nodes inside above them, in Morton order.
struct Places<'a> {
    tree: &'a Tree,
    top: u32,
    boundary: Vec<(Node, u32)>,
    inside: Vec<(u32, u32)>,
}

impl Places<'_> {
    fn visit(&mut self, node: Node, level: u32, code: u32) {
        if node.is_internal() {
            self.inside.push((code, level));
        } else if node.is_boundary() && level == self.top {
            self.boundary.push((node, code));
        } else if node.is_boundary() {
            let tree = self.tree;
            for (child, &node) in (code << 3..).zip(tree.children(node)) {
                self.visit(node, level + 1, child);
            }
        }
    }
}

/// The grids of an octree by level, each made when it is first asked for. They follow from the nodes, so they are not part
/// of what an octree is: a copy makes its own.
#[derive(Debug, Default)]
pub(in crate::svo) struct Grids([OnceLock<Grid>; (MOST_LEVEL - LEAST_LEVEL + 1) as usize]);

impl Clone for Grids {
    fn clone(&self) -> Grids {
        Grids::default()
    }
}

impl PartialEq for Grids {
    fn eq(&self, _: &Grids) -> bool {
        true
    }
}

impl Tree {
    /// The grid of a level that collisions may look at.
    pub(super) fn grid(&self, level: u32) -> &Grid {
        self.grids.0[(level - LEAST_LEVEL) as usize].get_or_init(|| Grid::new(self, level))
    }
}
