//! The grids of chunks that collisions look voxels up in; see [`fracas_kernels::touch`].

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use fracas_kernels::morton;
use fracas_kernels::node::Node;
use fracas_kernels::touch::{self, BEFORE, Chunk, INSIDE, OUTSIDE};

use crate::svo::bits::{ALL, Bits, NONE, or};
use crate::svo::lattice::{LEAST_LEVEL, MOST_LEVEL};
use crate::svo::tree::Tree;

/// The chunks of a level of an octree.
#[derive(Clone, Debug)]
struct Grid {
    low: [u32; 3],
    size: [u32; 3],
    numbers: Vec<u32>,
    chunks: Vec<Chunk>,
}

impl Grid {
    /// The voxels of a level, which the octree has; no level coarser than a chunk.
    fn new(tree: &Tree, level: u32) -> Grid {
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
        if boundary.is_empty() {
            low = [0; 3];
        }
        // What is inside is between the boundary.
        let size: [u32; 3] = std::array::from_fn(|axis| high[axis].saturating_sub(low[axis]));
        let constant = |solid: Bits| Chunk { boundary: NONE, solid, attributes: 0, padding: 0 };
        let chunks = boundary.iter().map(|&(node, _)| {
            let (boundary, internal, attributes) = tree.chunk(node);
            Chunk { boundary, solid: or(&boundary, &internal), attributes, padding: 0 }
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
            let first = self.view().index([x, y, z].map(|coordinate| coordinate as i32));
            self.numbers[first..first + edge as usize].fill(number);
        }
    }

    fn view(&self) -> touch::Grid<'_> {
        touch::Grid { low: self.low, size: self.size, numbers: &self.numbers, chunks: &self.chunks }
    }
}

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

/// The grids of an octree by level, each made when it is first asked for, and the octree's name. They follow from the nodes,
/// so they are not part of what an octree is: a copy makes its own.
#[derive(Debug, Default)]
pub(in crate::svo) struct Grids {
    by_level: [OnceLock<Grid>; (MOST_LEVEL - LEAST_LEVEL + 1) as usize],
    name: OnceLock<u64>,
}

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
    pub(crate) fn grid(&self, level: u32) -> touch::Grid<'_> {
        self.grids.by_level[(level - LEAST_LEVEL) as usize].get_or_init(|| Grid::new(self, level)).view()
    }

    /// A number that no other octree of this process has, by which a device knows what it has kept.
    pub(crate) fn name(&self) -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        *self.grids.name.get_or_init(|| NEXT.fetch_add(1, Relaxed))
    }
}
