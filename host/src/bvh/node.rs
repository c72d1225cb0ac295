//! One node of the tree.

use bytemuck::{Pod, Zeroable};
use glam::{BVec4A, Vec4};

/// The lowest and the highest corner of a box. The fourth numbers mean nothing.
pub(super) type Corners = (Vec4, Vec4);

/// Whether two boxes share a point.
#[inline(always)]
pub(super) fn meet((low, high): Corners, (other_low, other_high): Corners) -> bool {
    // Four lanes at a time, of which the fourth (links and counts, read as numbers) does not matter.
    (low.cmple(other_high) & other_low.cmple(high)).bitmask() & 0b111 == 0b111
}

/// A box, in the coordinates of its tree ([`super::Bvh::node_aabb`] has it in everyone's), and what is in it. Two
/// siblings fill a cache line.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Node {
    /// The lowest corner.
    pub low: [f32; 3],
    /// Of a leaf, the number of the thing in it; otherwise the node that is its left child, with the right one next.
    pub link: u32,
    /// The highest corner.
    pub high: [f32; 3],
    /// How many things are below; one makes a leaf.
    pub leaves: u32,
}

const _: () = assert!(size_of::<Node>() == 32 && align_of::<Node>() == 4);

impl Node {
    /// A node over two others.
    #[inline]
    pub(super) fn over(left: &Node, right: &Node, first_child: u32) -> Node {
        let ((low, high), (other_low, other_high)) = (left.lanes(), right.lanes());
        // What is not a number holds nothing, and the other counts.
        let pick = |both: Vec4, left: Vec4, right: Vec4| {
            let right = Vec4::select(left.is_nan_mask(), right, both);
            Vec4::select(right.is_nan_mask(), left, right)
        };
        let low = pick(low.min(other_low), low, other_low);
        let high = pick(high.max(other_high), high, other_high);
        let mut node = Node { link: first_child, leaves: left.leaves + right.leaves, ..Node::zeroed() };
        node.set_corners(low, high);
        node
    }

    /// Sets the box to one around those of two others that hold something.
    #[inline(always)]
    pub(super) fn set_union(&mut self, left: &Node, right: &Node) {
        let ((low, high), (other_low, other_high)) = (left.lanes(), right.lanes());
        self.set_corners(low.min(other_low), high.max(other_high));
    }

    /// Sets the box to one with corners whose fourth numbers mean nothing. It is written as it is read, four lanes at a time: a
    /// processor waits for single numbers to arrive before it reads them as one.
    #[inline(always)]
    pub(super) fn set_corners(&mut self, low: Vec4, high: Vec4) {
        let corner = BVec4A::new(true, true, true, false);
        let (link, leaves) = self.lanes();
        let lanes = [Vec4::select(corner, low, link).to_array(), Vec4::select(corner, high, leaves).to_array()];
        *self = bytemuck::cast(lanes);
    }

    /// The same node in another tree, where what is below it stands so many nodes farther, or what it holds so many places.
    #[inline]
    pub(super) fn moved(self, most: u32, nodes: u32, places: u32) -> Node {
        let by = if self.leaves > most { nodes } else { places };
        Node { link: self.link.wrapping_add(by), ..self }
    }

    /// Whether the node holds one thing and has no children.
    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.leaves == 1
    }

    /// The left child; the right one is next to it.
    #[inline]
    pub fn first_child(&self) -> Option<u32> {
        self.first_child_over(1)
    }

    /// The same in a tree in which so many things at most make a leaf.
    #[inline(always)]
    pub(super) fn first_child_over(&self, most: u32) -> Option<u32> {
        (self.leaves > most).then_some(self.link)
    }

    /// Whether the boxes share a point; touching counts.
    #[inline]
    pub fn overlaps(&self, other: &Node) -> bool {
        meet(self.lanes(), other.lanes())
    }

    /// Both corners; the fourth numbers mean nothing.
    #[inline]
    pub(super) fn lanes(&self) -> Corners {
        let [low, high]: [[f32; 4]; 2] = bytemuck::cast(*self);
        (Vec4::from_array(low), Vec4::from_array(high))
    }

    /// Whether another box lies within this one; a box that holds nothing does.
    pub(super) fn holds(&self, other: &Node) -> bool {
        (0..3).all(|axis| {
            other.low[axis].is_nan() || (self.low[axis] <= other.low[axis] && other.high[axis] <= self.high[axis])
        })
    }
}
