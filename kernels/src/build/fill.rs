//! The nodes and attributes, each looked up from its place in the pool: no thread writes what another one does.

use super::{Branch, Run};
use crate::node::Node;
use crate::normal;

/// All that the nodes are made from.
#[derive(Clone, Copy, Debug)]
pub struct Forest<'a> {
    /// How many levels are below the roots.
    pub levels: usize,
    /// How many pieces there are.
    pub pieces: usize,
    /// For each height and piece, what [`run`](super::run) returned.
    pub runs: &'a [Run],
    /// For each boundary node above the leaves, in the order of the rows.
    pub branches: &'a [Branch],
    /// How many leaves there are.
    pub leaves: usize,
    /// Where each piece's nodes start in the pool.
    pub node_starts: &'a [u32],
    /// Where each piece's attributes start.
    pub attribute_starts: &'a [u32],
}

/// Where a node of the pool stands.
#[derive(Clone, Copy)]
pub(crate) struct Slot {
    pub(crate) height: usize,
    /// The number of its parent among the boundary nodes of all rows.
    pub(crate) parent: u32,
    /// Which of the parent's children it is.
    pub(crate) octant: u32,
}

impl Forest<'_> {
    #[inline]
    fn run(&self, height: usize, piece: usize) -> Run {
        self.runs[height * self.pieces + piece]
    }

    /// The piece that a node of the pool is of.
    #[inline]
    pub(crate) fn piece(&self, index: usize) -> usize {
        piece_at(self.node_starts, index)
    }

    /// Where a node of a piece stands; nowhere if it is the root.
    #[inline]
    pub(crate) fn slot(&self, piece: usize, index: usize) -> Option<Slot> {
        let place = index as u32 - self.node_starts[piece];
        if place == 0 {
            return None;
        }
        let mut height = self.levels - 1;
        while height > 0 && self.run(height - 1, piece).node <= place {
            height -= 1;
        }
        let within = place - self.run(height, piece).node;
        Some(Slot { height, parent: self.run(height + 1, piece).first + within / 8, octant: within % 8 })
    }

    /// A boundary node, from its number among those of all rows.
    #[inline]
    fn boundary_node(&self, height: usize, piece: usize, number: u32) -> Node {
        let run = self.run(height, piece);
        let place = number - run.first;
        let attributes = run.attribute + place;
        if height == 0 {
            Node::leaf(attributes)
        } else {
            Node::branch(self.run(height - 1, piece).node + 8 * place, attributes)
        }
    }
}

/// One thread for each node of the pool.
#[inline]
pub fn node(forest: &Forest<'_>, index: usize) -> Node {
    let piece = forest.piece(index);
    let Some(Slot { height, parent, octant }) = forest.slot(piece, index) else {
        return forest.boundary_node(forest.levels, piece, forest.run(forest.levels, piece).first);
    };
    let Branch { first_child, children } = forest.branches[parent as usize - forest.leaves];
    if children >> octant & 1 == 0 {
        return Node::OUTSIDE;
    }
    let before = (children & ((1 << octant) - 1)).count_ones();
    forest.boundary_node(height, piece, first_child + before)
}

/// One thread for each attribute of all pieces: the number, among those of all rows, of the boundary node that it is of.
#[inline]
pub fn attribute_source(forest: &Forest<'_>, index: usize) -> u32 {
    let piece = piece_at(forest.attribute_starts, index);
    let place = index as u32 - forest.attribute_starts[piece];
    let mut height = 0;
    while height < forest.levels && forest.run(height + 1, piece).attribute <= place {
        height += 1;
    }
    let run = forest.run(height, piece);
    run.first + (place - run.attribute)
}

/// One thread for each node of a row above the leaves: the direction of the sum of its boundary children's normals.
/// `branches` are those of the row; `normals` are those of all boundary nodes in the rows below.
#[inline]
pub fn parent_normal(branches: &[Branch], normals: &[u16], index: usize) -> u16 {
    let Branch { first_child, children } = branches[index];
    let first = first_child as usize;
    normal::mean(&normals[first..first + children.count_ones() as usize])
}

/// The piece that a place is in. Every piece has at least one place, so no two start at the same.
#[inline]
fn piece_at(starts: &[u32], index: usize) -> usize {
    starts.partition_point(|&start| start as usize <= index) - 1
}
