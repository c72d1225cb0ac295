//! The shape of a tree whose leaves hold several things each: its nodes without their boxes, and the things from left to right.
//!
//! Nodes stand as in a [`super::Bvh`]: the root first, the two children of a node side by side, behind them all that is below the
//! left one, then all that is below the right one. The link of a leaf is the place of its first thing.

use std::ops::Range;

use bytemuck::Zeroable;
use glam::DVec3;
use rayon::prelude::*;

use super::build::SERIAL;
use super::curve::Curve;
use super::{Node, median};
use crate::geometry::Aabb;

/// How many things are divided by one thread.
const PART: usize = 1 << 14;

pub(super) struct Shape {
    pub nodes: Vec<Node>,
    /// The numbers of the things.
    pub order: Vec<u32>,
}

impl Shape {
    /// Of a tree along the Z-order curve through some points, with so many of them in a leaf at most, which is a multiple of four.
    pub(super) fn along_curve(centers: &[DVec3], most: u32) -> Shape {
        let chunks = centers.par_chunks(SERIAL).map(|centers| Aabb::of_points(centers.iter().copied()));
        let bounds = chunks.collect::<Vec<Aabb>>().into_iter().fold(Aabb::EMPTY, Aabb::union);
        let mut curve = Curve::default();
        curve.pass_through(centers.len(), |number| centers[number], bounds);
        let order = (0..centers.len()).into_par_iter().with_min_len(SERIAL).map(|place| curve.number(place)).collect();
        Shape::divided(
            order,
            &Cuts { most, cut: |range: Range<usize>| whole_fours(&range, curve.cut(range.clone()), most as usize) },
        )
    }

    /// Of a tree that is halved at the median along the longest side, again and again.
    pub(super) fn of_halves(centers: &[DVec3], most: u32) -> Shape {
        Shape::divided(median::order(centers, most as usize), &Cuts { most, cut: median::cut })
    }

    fn divided(order: Vec<u32>, cuts: &Cuts<impl Fn(Range<usize>) -> usize + Sync>) -> Shape {
        if order.is_empty() {
            return Shape { nodes: Vec::new(), order };
        }
        let mut parts = Vec::new();
        cuts.list_parts(0..order.len(), &mut parts);
        let mut parts: Vec<Vec<Node>> = parts.into_par_iter().map(|range| cuts.tree(range, &mut |_, _| None)).collect();
        if parts.len() == 1 {
            return Shape { nodes: parts.swap_remove(0), order };
        }
        let mut parts = parts.iter();
        let nodes = cuts.tree(0..order.len(), &mut |range, nodes| {
            let part = if range.len() <= PART { parts.next() } else { None };
            part.map(|part| append(nodes, part, cuts.most, 0))
        });
        Shape { nodes, order }
    }
}

/// A place near the cut of a range for two leaves before which there are fours, because four things at a time are looked at.
fn whole_fours(range: &Range<usize>, cut: usize, most: usize) -> usize {
    let count = range.len();
    if count > 2 * most {
        return cut;
    }
    let fewest = count.saturating_sub(most).max(1).next_multiple_of(4);
    range.start + ((cut - range.start + 2) / 4 * 4).clamp(fewest, most)
}

/// How many things make a leaf at most, and where a range of more is cut.
struct Cuts<Cut> {
    most: u32,
    cut: Cut,
}

impl<Cut: Fn(Range<usize>) -> usize> Cuts<Cut> {
    /// Cuts a range until its parts are small enough.
    fn list_parts(&self, range: Range<usize>, parts: &mut Vec<Range<usize>>) {
        if range.len() <= PART {
            parts.push(range);
        } else {
            let middle = (self.cut)(range.clone());
            self.list_parts(range.start..middle, parts);
            self.list_parts(middle..range.end, parts);
        }
    }

    /// The tree over a range; where `known` says that a part of it is, it is not looked at.
    fn tree(
        &self,
        range: Range<usize>,
        known: &mut impl FnMut(&Range<usize>, &mut Vec<Node>) -> Option<Node>,
    ) -> Vec<Node> {
        let mut nodes = Vec::with_capacity(range.len());
        nodes.push(Node::zeroed());
        nodes[0] = self.grow(range, &mut nodes, known);
        nodes
    }

    fn grow(
        &self,
        range: Range<usize>,
        nodes: &mut Vec<Node>,
        known: &mut impl FnMut(&Range<usize>, &mut Vec<Node>) -> Option<Node>,
    ) -> Node {
        if let Some(node) = known(&range, nodes) {
            return node;
        }
        let leaves = range.len() as u32;
        if leaves <= self.most {
            return Node { link: range.start as u32, leaves, ..Node::zeroed() };
        }
        let middle = (self.cut)(range.clone());
        let link = push_pair(nodes);
        let left = self.grow(range.start..middle, nodes, known);
        let right = self.grow(middle..range.end, nodes, known);
        set_pair(nodes, link, [left, right]);
        Node { link, leaves, ..Node::zeroed() }
    }
}

/// Makes room for two siblings, whose number it returns: what is below them stands behind them.
pub(super) fn push_pair(nodes: &mut Vec<Node>) -> u32 {
    let first = nodes.len() as u32;
    nodes.extend([Node::zeroed(); 2]);
    first
}

pub(super) fn set_pair(nodes: &mut [Node], first: u32, pair: [Node; 2]) {
    nodes[first as usize..first as usize + 2].copy_from_slice(&pair);
}

/// Appends what is below the root of a tree of its own, and returns the root as it is then; what its leaves hold comes behind so many others.
pub(super) fn append(nodes: &mut Vec<Node>, tree: &[Node], most: u32, places: u32) -> Node {
    let by = (nodes.len() as u32).wrapping_sub(1);
    nodes.extend(tree[1..].iter().map(|node| node.moved(most, by, places)));
    tree[0].moved(most, by, places)
}

/// Where the nodes below one end.
pub(super) fn end_below(nodes: &[Node], first: u32, most: u32) -> u32 {
    let mut first = first;
    loop {
        let [left, right] = [nodes[first as usize], nodes[first as usize + 1]];
        // What is below the right one stands last.
        match right.first_child_over(most).or(left.first_child_over(most)) {
            Some(child) => first = child,
            None => return first + 2,
        }
    }
}
