//! Vertices over a step as the tree sees them: in its own coordinates, in single precision.

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec4};

use crate::bvh::{Frame, Node};
use crate::geometry::Aabb;

/// By how much a box is wider than its rounded corners, as a part of these. Each was rounded once, by at most 2⁻²⁴ of
/// itself and a little of double precision, and so is the sum that widens it.
const ROUNDING: f32 = 1.0 / (1 << 22) as f32;

/// The same for what is smaller than any number of that precision.
const SMALLEST: f32 = 1.0 / (1u64 << 40) as f32;

/// The coordinates of a tree, and how precise they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Space {
    pub frame: Frame,
    /// By how much boxes are larger than what is in them.
    pub margin: f64,
    /// The same in the tree's coordinates, with what rounding needs.
    grown: f32,
    /// The largest coordinate.
    pub reach: f32,
}

impl Space {
    /// Of a frame that holds `bounds`.
    pub(super) fn new(frame: Frame, bounds: &Aabb, margin: f64) -> Space {
        let farthest = (bounds.min - frame.origin).abs().max((bounds.max - frame.origin).abs());
        let reach = (farthest.max_element() * frame.scale) as f32;
        let grown = ((margin * frame.scale) as f32).next_up() + SMALLEST;
        Space { frame, margin, grown, reach: reach.next_up().max(SMALLEST) }
    }

    /// A vertex over a step.
    #[inline(always)]
    pub(super) fn swept(&self, from: DVec3, to: DVec3) -> Swept {
        let lanes = |point: DVec3| {
            let local = ((point - self.frame.origin) * self.frame.scale).as_vec3();
            [local.x, local.y, local.z, 0.0]
        };
        Swept { from: lanes(from), to: lanes(to) }
    }

    /// What makes flat boxes thick: so little that only these notice.
    #[inline(always)]
    pub(super) fn thin(&self) -> f32 {
        self.reach / (1 << 16) as f32
    }

    /// How far apart two boxes of vertices may be whose vertices are not.
    #[inline(always)]
    pub(super) fn slack(&self) -> f32 {
        2.0 * (ROUNDING * self.reach + self.grown)
    }

    /// A leaf around vertices over the step, rounded outwards.
    #[inline(always)]
    pub(super) fn around(&self, number: u32, [a, b, c]: &[&Swept; 3]) -> Node {
        let SweptBox { low, high } = a.around().union(b.around()).union(c.around());
        let grown = Vec4::splat(self.grown);
        Node::of_lanes(low - (low.abs() * ROUNDING + grown), high + (high.abs() * ROUNDING + grown), number, 1)
    }
}

/// A vertex at the start of a step and at its end. The fourth numbers are zero.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub(super) struct Swept {
    from: [f32; 4],
    to: [f32; 4],
}

impl Swept {
    #[inline(always)]
    pub(super) fn ends(&self) -> (Vec4, Vec4) {
        (Vec4::from_array(self.from), Vec4::from_array(self.to))
    }

    #[inline(always)]
    pub(super) fn around(&self) -> SweptBox {
        let (from, to) = self.ends();
        SweptBox { low: from.min(to), high: from.max(to) }
    }
}

/// A box around rounded vertices, not widened yet.
#[derive(Clone, Copy)]
pub(super) struct SweptBox {
    low: Vec4,
    high: Vec4,
}

impl SweptBox {
    #[inline(always)]
    pub(super) fn union(self, other: SweptBox) -> SweptBox {
        SweptBox { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Whether two are apart by no more than `slack` along every axis.
    #[inline(always)]
    pub(super) fn meets(&self, other: &SweptBox, slack: f32) -> bool {
        let slack = Vec4::splat(slack);
        (self.low.cmple(other.high + slack) & other.low.cmple(self.high + slack)).all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn boxes_hold_their_vertices(points in prop::array::uniform6(prop::array::uniform3(-1.0..1.0f64)),
                                     size in -250i32..250, shift in -1e4..1e4f64) {
            let scale = 10f64.powi(size);
            let points = points.map(|point| scale * (DVec3::from_array(point) + shift));
            let bounds = Aabb::of_points(points);
            let space = Space::new(Frame::around(bounds), &bounds, 0.0);
            let [a, b, c, d, e, f] = points;
            let leaf = space.around(0, &[&space.swept(a, b), &space.swept(c, d), &space.swept(e, f)]);
            let held = space.frame.world(&leaf);
            prop_assert!(held.contains(bounds.min) && held.contains(bounds.max), "{held:?} does not hold {bounds:?}");
            for point in points {
                let local = (point - space.frame.origin) * space.frame.scale;
                prop_assert!(local.abs().max_element() <= f64::from(space.reach));
            }
        }
    }
}
