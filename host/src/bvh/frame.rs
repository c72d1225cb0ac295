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
    /// The frame around a finite box.
    pub(super) fn around(bounds: Aabb) -> Frame {
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

    #[inline]
    fn with_box(&self, node: Node, aabb: &Aabb) -> Node {
        let (low, high) = (aabb.min.to_array(), (-aabb.max).to_array());
        let origin = self.origin.to_array();
        // The highest corner is the lowest one of the box turned over.
        let ends: [(f64, f64); 6] = std::array::from_fn(|end| match end {
            0..3 => (low[end], origin[end]),
            _ => (high[end - 3], -origin[end - 3]),
        });
        let locals = ends.map(|(value, origin)| (value - origin) * self.scale);
        let corners = match floors(locals) {
            Some(corners) => corners,
            None => ends.map(|(value, origin)| single(product(difference(value, origin), self.scale))),
        };
        let [x, y, z, high_x, high_y, high_z] = corners;
        Node { low: [x, y, z], high: [-high_x, -high_y, -high_z], ..node }
    }
}

/// The largest single-precision numbers that are not above some, as far as these tell: they are rounded themselves, which
/// does not matter unless one is a single-precision number, because the double-precision number below has none between.
#[inline]
fn floors(values: [f64; 6]) -> Option<[f32; 6]> {
    let near = values.map(|value| value as f32);
    let mut clear = true;
    let mut floors = [0.0; 6];
    for ((floor, near), value) in floors.iter_mut().zip(near).zip(values) {
        let rounded = f64::from(near);
        clear &= rounded != value && value.abs() > 1e-30 && value.abs() < 1e30;
        // The next number below is one bit pattern down, or up if negative.
        let (bits, above) = (near.to_bits(), u32::from(rounded > value));
        *floor = f32::from_bits(bits.wrapping_sub(above).wrapping_add((bits >> 31) * 2 * above));
    }
    clear.then_some(floors)
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_short_way_to_round_down_is_the_long_way(values in prop::array::uniform6(-4.0..4.0f64), scale in -120i32..120,
                                                       origin in -2.0..2.0f64) {
            let scale = 2f64.powi(scale);
            if let Some(floors) = floors(values.map(|value| (value - origin) * scale)) {
                prop_assert_eq!(floors, values.map(|value| single(product(difference(value, origin), scale))));
            }
        }
    }
}
