//! Octrees for the tests, from what is solid.

extern crate std;

use std::vec;
use std::vec::Vec;

use proptest::prelude::*;

use crate::morton;
use crate::node::Node;

/// What a voxel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Voxel {
    Outside,
    Boundary,
    Inside,
}

/// An octree as [`build`](crate::build) lays it out, with what is inside.
#[derive(Clone, Debug)]
pub(crate) struct Octree {
    pub(crate) level: u32,
    pub(crate) nodes: Vec<Node>,
    /// In Morton order.
    pub(crate) voxels: Vec<Voxel>,
    /// The first attributes of each level.
    pub(crate) attributes: Vec<u32>,
}

impl Octree {
    /// Solid voxels with an open side are boundary, the others inside; so nothing inside has anything outside beside it.
    pub(crate) fn new(level: u32, is_solid: impl Fn([i32; 3]) -> bool) -> Octree {
        let size = 1 << level;
        let is_solid =
            |place: [i32; 3]| place.iter().all(|coordinate| (0..size).contains(coordinate)) && is_solid(place);
        let voxel = |code: u32| {
            let [x, y, z] = morton::decode_30(code).map(|coordinate| coordinate as i32);
            let sides = [[x - 1, y, z], [x + 1, y, z], [x, y - 1, z], [x, y + 1, z], [x, y, z - 1], [x, y, z + 1]];
            match is_solid([x, y, z]) {
                false => Voxel::Outside,
                true if sides.into_iter().all(is_solid) => Voxel::Inside,
                true => Voxel::Boundary,
            }
        };
        let voxels: Vec<Voxel> = (0..1 << (3 * level)).map(voxel).collect();
        let mut nodes = vec![Node::OUTSIDE];
        // The boundary nodes of each level: where they are in the list, and their codes.
        let mut rows: Vec<Vec<(usize, u32)>> = vec![];
        let mut here = vec![(0, 0)];
        for height in (0..=level).rev() {
            let mut row = vec![];
            for (place, code) in here {
                let below = &voxels[(code as usize) << (3 * height)..(code as usize + 1) << (3 * height)];
                if below.contains(&Voxel::Boundary) {
                    row.push((place, code));
                } else {
                    nodes[place] = if below[0] == Voxel::Inside { Node::INSIDE } else { Node::OUTSIDE };
                }
            }
            here = vec![];
            for &(place, code) in &row {
                nodes[place] = if height == 0 { Node::leaf(0) } else { Node::branch(nodes.len() as u32, 0) };
                if height > 0 {
                    here.extend((0..8).map(|child| (nodes.len() + child as usize, code << 3 | child)));
                    nodes.extend([Node::OUTSIDE; 8]);
                }
            }
            rows.push(row);
        }
        let mut attributes = vec![0; level as usize + 1];
        let mut next = 0;
        for (level, row) in rows.iter().enumerate().rev() {
            attributes[level] = next;
            for &(place, _) in row {
                nodes[place].attributes = next;
                next += 1;
            }
        }
        Octree { level, nodes, voxels, attributes }
    }

    /// The node that a voxel is in: of a level, or a terminal one above.
    pub(crate) fn node_at(&self, code: u32, level: u32) -> Node {
        let mut node = self.nodes[0];
        for step in 1..=level {
            if node.is_terminal() {
                break;
            }
            node = self.nodes[node.first_child() as usize + (code >> (3 * (self.level - step)) & 7) as usize];
        }
        node
    }

    /// Calls back with every node, its level and its Morton code at that level.
    pub(crate) fn visit(&self, mut visit: impl FnMut(Node, u32, u32)) {
        let mut stack = vec![(self.nodes[0], 0, 0)];
        while let Some((node, level, code)) = stack.pop() {
            visit(node, level, code);
            if !node.is_terminal() {
                let first = node.first_child() as usize;
                stack.extend((0..8u32).map(|child| (self.nodes[first + child as usize], level + 1, code << 3 | child)));
            }
        }
    }
}

/// Octrees of some boxes, of which some are hollow, on a lattice of 2^level voxels.
pub(crate) fn octree(level: u32) -> impl Strategy<Value = Octree> {
    let size = 1i32 << level;
    let side = move || prop::array::uniform3(0..size);
    prop::collection::vec((side(), side(), 0..4i32), 0..4).prop_map(move |boxes| {
        Octree::new(level, |place| {
            boxes.iter().any(|(one, other, wall)| {
                let depth = (0..3).map(|axis| {
                    let (low, high) = (one[axis].min(other[axis]), one[axis].max(other[axis]));
                    (place[axis] - low).min(high - place[axis])
                });
                // Walls of three voxels, so that there is an inside to them.
                depth.min().is_some_and(|depth| depth >= 0 && (*wall > 0 || depth < 3))
            })
        })
    })
}
