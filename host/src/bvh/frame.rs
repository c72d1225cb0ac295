//! The coordinates that a tree keeps its boxes in.
//!
//! Single precision has 24 bits, which far from the origin are not enough to tell neighbours apart, and a range of
//! 10^±38. So a tree measures from its own middle in units of about its own size.

use glam::DVec3;

use super::Node;
use crate::geometry::Aabb;

/// Where a tree's coordinates start, and what they are multiplied by: a power of two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    pub origin: DVec3,
    pub scale: f64,
}

impl Default for Frame {
    fn default() -> Frame {
        Frame { origin: DVec3::ZERO, scale: 1.0 }
    }
}

impl Frame {
    /// The frame around the boxes that are finite and hold something.
    pub(super) fn around(boxes: &[Aabb]) -> Frame {
        let finite = |aabb: &&Aabb| aabb.min.is_finite() && aabb.max.is_finite() && !aabb.is_empty();
        let bounds = boxes.iter().filter(finite).fold(Aabb::EMPTY, |bounds, aabb| bounds.union(*aabb));
        if bounds.is_empty() {
            return Frame::default();
        }
        // Halves first, because sums and differences of the ends could overflow.
        let (low, high) = (0.5 * bounds.min, 0.5 * bounds.max);
        let reach = (high - low).max_element();
        let power = if reach > 0.0 { -reach.log2().ceil().clamp(-1000.0, 1000.0) as i32 } else { 0 };
        Frame { origin: low + high, scale: 2f64.powi(power) }
    }

    /// A leaf around a box, rounded outwards. A box that holds nothing gets corners that compare with none.
    pub(super) fn leaf(&self, number: u32, aabb: &Aabb) -> Node {
        let node = Node { low: [f32::NAN; 3], link: number, high: [f32::NAN; 3], leaves: 1 };
        if aabb.is_empty() { node } else { self.with_box(node, aabb) }
    }

    /// A node of another frame in this one, rounded outwards.
    pub(super) fn adopt(&self, from: &Frame, node: Node) -> Node {
        if node.low[0].is_nan() { node } else { self.with_box(node, &from.world(&node)) }
    }

    /// The box of a node as everyone sees it, rounded outwards.
    pub(super) fn world(&self, node: &Node) -> Aabb {
        let unscale = self.scale.recip();
        let low = |value: f32, axis: usize| difference(product(value.into(), unscale), -self.origin[axis]);
        let high = |value: f32, axis: usize| -difference(product(-f64::from(value), unscale), self.origin[axis]);
        Aabb {
            min: DVec3::from_array(std::array::from_fn(|axis| low(node.low[axis], axis))),
            max: DVec3::from_array(std::array::from_fn(|axis| high(node.high[axis], axis))),
        }
    }

    /// A point in this frame, and by how much each coordinate may be off; one that cannot be told is off by infinity.
    pub(super) fn point(&self, point: DVec3) -> (DVec3, DVec3) {
        let lower = |value: f64, origin: f64| product(difference(value, origin), self.scale);
        let (mut local, mut doubt) = (DVec3::ZERO, DVec3::INFINITY);
        for axis in 0..3 {
            let below = lower(point[axis], self.origin[axis]);
            let above = -lower(-point[axis], -self.origin[axis]);
            // Where nothing was rounded both are the same.
            if below.abs() < f64::MAX && above.abs() < f64::MAX {
                (local[axis], doubt[axis]) = (below, 2.0 * (above - below));
            }
        }
        (local, doubt)
    }

    fn with_box(&self, node: Node, aabb: &Aabb) -> Node {
        let low = |value: f64, origin: f64| single(product(difference(value, origin), self.scale));
        Node {
            low: std::array::from_fn(|axis| low(aabb.min[axis], self.origin[axis])),
            high: std::array::from_fn(|axis| -low(-aabb.max[axis], -self.origin[axis])),
            ..node
        }
    }
}

// Each of these rounds down; what is to round up is negated before and after.

/// The difference, or the number below if that is not exact.
fn difference(value: f64, origin: f64) -> f64 {
    let result = value - origin;
    if result.is_infinite() {
        // Of finite numbers it is finite.
        return if value.is_finite() { result.min(f64::MAX) } else { result };
    }
    // Knuth's sum with its error (The Art of Computer Programming 2, 4.2.2).
    let taken = value - result;
    let error = (value - (result + taken)) + (taken - origin);
    if error < 0.0 || error.is_nan() { result.next_down() } else { result }
}

/// The product with a power of two, or the number below if that is too small to be exact or too large.
fn product(value: f64, scale: f64) -> f64 {
    let result = value * scale;
    if result.abs() < f64::MIN_POSITIVE && value != 0.0 {
        return result.next_down();
    }
    if value.is_finite() { result.min(f64::MAX) } else { result }
}

/// The largest single-precision number that is not above.
fn single(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) > value { near.next_down() } else { near }
}
