//! One node of the tree.

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec4};

use crate::geometry::Aabb;

/// A box and what is in it. Two siblings fill a cache line.
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
    /// A leaf around a box, rounded outwards. A box that holds nothing gets corners that compare with none.
    pub(super) fn leaf(number: u32, aabb: &Aabb) -> Node {
        if aabb.is_empty() {
            return Node { low: [f32::NAN; 3], link: number, high: [f32::NAN; 3], leaves: 1 };
        }
        Node { low: round_down(aabb.min), link: number, high: round_up(aabb.max), leaves: 1 }
    }

    /// A node over two others.
    pub(super) fn over(left: &Node, right: &Node, first_child: u32) -> Node {
        Node {
            low: std::array::from_fn(|axis| left.low[axis].min(right.low[axis])),
            link: first_child,
            high: std::array::from_fn(|axis| left.high[axis].max(right.high[axis])),
            leaves: left.leaves + right.leaves,
        }
    }

    /// Whether the node holds one thing and has no children.
    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.leaves == 1
    }

    /// The left child; the right one is next to it.
    #[inline]
    pub fn first_child(&self) -> Option<u32> {
        (!self.is_leaf()).then_some(self.link)
    }

    /// The box in double precision.
    pub fn aabb(&self) -> Aabb {
        let wide = |corner: [f32; 3]| DVec3::from_array(corner.map(f64::from));
        Aabb { min: wide(self.low), max: wide(self.high) }
    }

    /// Whether the boxes share a point; touching counts.
    #[inline]
    pub fn overlaps(&self, other: &Node) -> bool {
        // Four lanes at a time, of which the fourth (links and counts, read as numbers) does not matter.
        let (low, high) = self.lanes();
        let (other_low, other_high) = other.lanes();
        (low.cmple(other_high) & other_low.cmple(high)).bitmask() & 0b111 == 0b111
    }

    #[inline]
    fn lanes(&self) -> (Vec4, Vec4) {
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

/// The largest single-precision point that is nowhere above.
fn round_down(point: DVec3) -> [f32; 3] {
    point.to_array().map(|value| {
        let near = value as f32;
        if f64::from(near) > value { near.next_down() } else { near }
    })
}

/// The smallest single-precision point that is nowhere below.
fn round_up(point: DVec3) -> [f32; 3] {
    point.to_array().map(|value| {
        let near = value as f32;
        if f64::from(near) < value { near.next_up() } else { near }
    })
}
