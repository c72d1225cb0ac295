//! What a box or a ray meets.

use glam::DVec3;

use super::{Bvh, Frame, Node};
use crate::geometry::Aabb;

/// A ray, ready to be tested against boxes.
struct Slabs {
    origin: DVec3,
    /// By how much the origin may be off.
    doubt: DVec3,
    direction: DVec3,
    /// What a distance in the tree's coordinates is multiplied by to get `t`.
    inverse: DVec3,
}

impl Slabs {
    fn new(frame: &Frame, origin: DVec3, direction: DVec3) -> Slabs {
        let (origin, doubt) = frame.point(origin);
        Slabs { origin, doubt, direction, inverse: direction.recip() / frame.scale }
    }

    /// Where the ray enters a box, if it does before `limit`. Errs on the side of a hit, by a few roundings.
    #[inline]
    fn entry(&self, node: &Node, limit: f64) -> Option<f64> {
        // Ize 2013, Robust BVH ray traversal: the far distances are off by a few roundings of half an ulp.
        const WIDEN: f64 = 1.0 + 8.0 * f64::EPSILON;
        let (mut enter, mut leave) = (0.0f64, limit);
        for axis in 0..3 {
            let (low, high) = (f64::from(node.low[axis]), f64::from(node.high[axis]));
            // A box that holds nothing.
            if low.is_nan() {
                return None;
            }
            if self.direction[axis] == 0.0 {
                if low - self.origin[axis] > self.doubt[axis] || self.origin[axis] - high > self.doubt[axis] {
                    return None;
                }
            } else if self.inverse[axis].is_normal() {
                let first = (low - self.origin[axis] - self.doubt[axis]) * self.inverse[axis];
                let second = (high - self.origin[axis] + self.doubt[axis]) * self.inverse[axis];
                enter = enter.max(first.min(second));
                let far = first.max(second);
                leave = leave.min(far.max(far * WIDEN));
            }
        }
        (enter <= leave).then_some(enter)
    }
}

impl Bvh {
    /// Calls `visit` for every thing whose box overlaps a box.
    pub fn overlapping(&self, aabb: &Aabb, mut visit: impl FnMut(u32)) {
        let asked = self.frame.leaf(0, aabb);
        let mut stack = Vec::with_capacity(64);
        stack.extend(self.nodes.first().filter(|root| root.overlaps(&asked)).map(|_| 0u32));
        while let Some(number) = stack.pop() {
            let node = &self.nodes[number as usize];
            match node.first_child() {
                None => visit(node.link),
                Some(first) => {
                    // The right one first, so that the left one is popped first.
                    for child in [first + 1, first] {
                        if self.nodes[child as usize].overlaps(&asked) {
                            stack.push(child);
                        }
                    }
                }
            }
        }
    }

    /// Calls `visit` for the things whose boxes a ray meets at `origin + t * direction` with `0 <= t <= limit`, roughly
    /// from near to far. What it returns is the limit from then on: where it hit the thing, to look for nothing behind;
    /// the `limit` that it is handed, to go on as before; less than zero to stop.
    pub fn ray(&self, origin: DVec3, direction: DVec3, limit: f64, mut visit: impl FnMut(u32, f64) -> f64) {
        let slabs = Slabs::new(&self.frame, origin, direction);
        let mut limit = limit;
        let mut stack = Vec::with_capacity(64);
        stack.extend(self.nodes.first().and_then(|root| slabs.entry(root, limit)).map(|enter| (enter, 0u32)));
        while let Some((enter, number)) = stack.pop() {
            if enter > limit {
                continue;
            }
            let node = &self.nodes[number as usize];
            let Some(first) = node.first_child() else {
                limit = visit(node.link, limit).min(limit);
                continue;
            };
            let [left, right] = [first, first + 1]
                .map(|child| slabs.entry(&self.nodes[child as usize], limit).map(|enter| (enter, child)));
            let swap = matches!((left, right), (Some((near, _)), Some((far, _))) if far < near);
            let (near, far) = if swap { (right, left) } else { (left, right) };
            stack.extend(far.into_iter().chain(near));
        }
    }

    /// The nearest thing that a ray hits and where, as the `t` of `origin + t * direction`; the first in number of those
    /// hit at the same `t`. `hit` says where it hits one thing, if it does.
    pub fn ray_nearest(
        &self,
        origin: DVec3,
        direction: DVec3,
        limit: f64,
        mut hit: impl FnMut(u32) -> Option<f64>,
    ) -> Option<(u32, f64)> {
        let mut nearest: Option<(u32, f64)> = None;
        self.ray(origin, direction, limit, |number, limit| match hit(number).filter(|&t| t >= 0.0 && t <= limit) {
            Some(t) => {
                if nearest.is_none_or(|(other, best)| t < best || (t == best && number < other)) {
                    nearest = Some((number, t));
                }
                t
            }
            None => limit,
        });
        nearest
    }
}
