//! Building a tree from boxes along the Z-order curve.
//!
//! Things are sorted by the Morton code of their box's centre; a range is cut where the highest bit that differs in it
//! changes, which is the middle plane of the smallest octree cell around it (Lauterbach et al. 2009, Fast BVH
//! construction on GPUs). A tree over `n` things has `2n - 1` nodes wherever it is cut, so each part knows its place in
//! the list beforehand and the two sides are built at the same time without sharing anything.

use std::ops::Range;

use glam::DVec3;
use rayon::prelude::*;

use super::curve::{Curve, set_length};
use super::{Bvh, Frame, Node};
use crate::geometry::Aabb;

/// Ranges up to this size are not worth another thread.
pub(super) const SERIAL: usize = 4096;

impl Bvh {
    /// A tree over boxes, which are numbered in their order.
    ///
    /// A box that is empty, or has a coordinate that is not a number, is in the tree but meets nothing.
    ///
    /// # Panics
    /// With more than 2³¹ boxes, whose nodes could not be numbered.
    pub fn build(boxes: &[Aabb]) -> Bvh {
        let mut bvh = Bvh::default();
        bvh.rebuild(boxes, &mut BuildMemory::default());
        bvh
    }

    /// Makes this the tree over other boxes, the same that [`Bvh::build`] would give, in the memory that it has. A tree of a million
    /// boxes that is built in every frame spends half of its time on memory otherwise.
    ///
    /// # Panics
    /// As [`Bvh::build`].
    pub fn rebuild(&mut self, boxes: &[Aabb], memory: &mut BuildMemory) {
        assert!(boxes.len() <= 1 << 31, "{} boxes are more than a tree can number", boxes.len());
        if boxes.is_empty() {
            self.nodes.clear();
            self.frame = Frame::default();
            return;
        }
        let extent = Extent::of(boxes);
        let frame = Frame::around(extent.boxes);
        let curve = &mut memory.curve;
        curve.pass_through(boxes.len(), |number| center(&boxes[number]), extent.centers);
        nodes_along(
            curve,
            boxes.len(),
            &mut self.nodes,
            |number| frame.leaf(number, &boxes[number as usize]),
            Node::over,
        );
        self.frame = frame;
    }
}

/// What building takes besides the tree itself, to be used again by the next one.
#[derive(Clone, Debug, Default)]
pub struct BuildMemory {
    curve: Curve,
}

fn nodes_along(
    curve: &Curve,
    count: usize,
    nodes: &mut Vec<Node>,
    leaf: impl Fn(u32) -> Node + Sync,
    over: impl Fn(&Node, &Node, u32) -> Node + Sync,
) {
    set_length(nodes, 2 * count - 1);
    nodes[0] = build_range(&Things { curve, leaf, over }, 0..count, &mut nodes[1..], 1);
}

/// What a tree is built from: things along a curve, how one becomes a leaf, and two nodes one above them.
struct Things<'a, Leaf, Over> {
    curve: &'a Curve,
    leaf: Leaf,
    over: Over,
}

/// Builds what is below a range of the curve into `below`, the first of which is node `first`; returns the top.
fn build_range<Leaf, Over>(things: &Things<'_, Leaf, Over>, range: Range<usize>, below: &mut [Node], first: u32) -> Node
where
    Leaf: Fn(u32) -> Node + Sync,
    Over: Fn(&Node, &Node, u32) -> Node + Sync,
{
    if range.len() <= SERIAL {
        // All leaves at once: boxes stand in another order, and the processor waits for several of them at a time.
        let leaves: Vec<Node> = range.clone().map(|place| (things.leaf)(things.curve.number(place))).collect();
        return build_over(things.curve, &things.over, &leaves, range, below, first);
    }
    let parts = Parts::of(things.curve, range, below, first);
    let [(left, left_below, left_first), (right, right_below, right_first)] = parts.sides;
    let (left, right) = rayon::join(
        || build_range(things, left, left_below, left_first),
        || build_range(things, right, right_below, right_first),
    );
    parts.children.copy_from_slice(&[left, right]);
    (things.over)(&left, &right, first)
}

/// [`build_range`] with the leaves of the range at hand.
fn build_over(
    curve: &Curve,
    over: &impl Fn(&Node, &Node, u32) -> Node,
    leaves: &[Node],
    range: Range<usize>,
    below: &mut [Node],
    first: u32,
) -> Node {
    match leaves {
        [leaf] => return *leaf,
        [left, right] => {
            below.copy_from_slice(leaves);
            return over(left, right, first);
        }
        _ => {}
    }
    let parts = Parts::of(curve, range, below, first);
    let [(left, left_below, left_first), (right, right_below, right_first)] = parts.sides;
    let (left_leaves, right_leaves) = leaves.split_at(left.len());
    let left = build_over(curve, over, left_leaves, left, left_below, left_first);
    let right = build_over(curve, over, right_leaves, right, right_below, right_first);
    parts.children[0] = left;
    parts.children[1] = right;
    over(&left, &right, first)
}

/// The two parts that a range is cut into, and where their nodes go.
struct Parts<'a> {
    children: &'a mut [Node],
    sides: [(Range<usize>, &'a mut [Node], u32); 2],
}

impl<'a> Parts<'a> {
    #[inline]
    fn of(curve: &Curve, range: Range<usize>, below: &'a mut [Node], first: u32) -> Parts<'a> {
        let middle = curve.cut(range.clone());
        let count = middle - range.start;
        let (children, below) = below.split_at_mut(2);
        let (left, right) = below.split_at_mut(2 * count - 2);
        let sides = [(range.start..middle, left, first + 2), (middle..range.end, right, first + 2 * count as u32)];
        Parts { children, sides }
    }
}

/// How far things reach.
#[derive(Clone, Copy)]
struct Extent {
    /// Around the boxes that are finite and hold something.
    boxes: Aabb,
    /// Around the centres that are finite.
    centers: Aabb,
}

impl Extent {
    fn of(boxes: &[Aabb]) -> Extent {
        let empty = Extent { boxes: Aabb::EMPTY, centers: Aabb::EMPTY };
        let part = |boxes: &[Aabb]| boxes.iter().fold(empty, Extent::including);
        let parts: Vec<Extent> = boxes.par_chunks(SERIAL).map(part).collect();
        parts
            .into_iter()
            .fold(empty, |a, b| Extent { boxes: a.boxes.union(b.boxes), centers: a.centers.union(b.centers) })
    }

    fn including(self, aabb: &Aabb) -> Extent {
        let mut extent = self;
        if aabb.min.is_finite() && aabb.max.is_finite() {
            extent.centers = extent.centers.including(center(aabb));
            if !aabb.is_empty() {
                extent.boxes = extent.boxes.union(*aabb);
            }
        }
        extent
    }
}

/// The middle of a box, from half of each end because their sum could overflow.
pub(super) fn center(aabb: &Aabb) -> DVec3 {
    0.5 * aabb.min + 0.5 * aabb.max
}
