//! What is nearest to a point.

use glam::DVec3;

use super::{Bvh, Frame, Node};

/// A point, ready to be measured against boxes.
struct Probe {
    point: DVec3,
    /// By how much the point may be off, and what a caller's distances may be.
    doubt: DVec3,
    /// What a length in the tree's coordinates is multiplied by.
    unscale: f64,
}

impl Probe {
    fn new(frame: &Frame, point: DVec3) -> Probe {
        // The caller rounds as well: its distance to a thing may be some roundings less than that to the thing's box, and
        // whether it is asked must not depend on which boxes there are.
        const ROUNDINGS: f64 = 32.0 * f64::EPSILON;
        let (point, doubt) = frame.point(point);
        Probe { point, doubt: doubt + ROUNDINGS * (1.0 + point.abs().max_element()), unscale: frame.scale.recip() }
    }

    /// A bound from below of the squared distance to what is in a box; `None` if that is nothing.
    #[inline]
    fn distance_squared(&self, node: &Node) -> Option<f64> {
        let [low, high] = [node.low, node.high].map(|corner| DVec3::from_array(corner.map(f64::from)));
        if low.x.is_nan() {
            return None;
        }
        let gap = (low - self.point).max(self.point - high) - self.doubt;
        // Comparisons with the rounded square of a rounded root must hold too.
        const SHRINK: f64 = 1.0 - 16.0 * f64::EPSILON;
        Some((gap.max(DVec3::ZERO) * self.unscale).length_squared() * SHRINK)
    }
}

impl Bvh {
    /// The thing nearest to a point, and the square of its distance; the first in number of those equally near. `None` if
    /// all are farther than the square root of `limit`.
    ///
    /// `distance_squared` measures one thing. It may round as one does that subtracts the point first: what comes out
    /// depends on the things alone, not on how the tree is cut. A thing whose distance is not a number is not there.
    ///
    /// ```
    /// use fracas::bvh::Bvh;
    /// use fracas::geometry::Aabb;
    /// use glam::DVec3;
    ///
    /// let points: Vec<DVec3> = (0..9).map(|i| DVec3::X * f64::from(i)).collect();
    /// let boxes: Vec<Aabb> = points.iter().map(|&point| Aabb::around(point, DVec3::ZERO)).collect();
    /// let place = DVec3::new(5.2, 0.0, 1.0);
    /// let near = Bvh::build(&boxes).nearest(place, 4.0, |number| points[number as usize].distance_squared(place));
    /// assert_eq!(near.map(|(number, _)| number), Some(5));
    /// ```
    pub fn nearest(
        &self,
        point: DVec3,
        limit: f64,
        mut distance_squared: impl FnMut(u32) -> f64,
    ) -> Option<(u32, f64)> {
        let probe = Probe::new(&self.frame, point);
        let within = |number: u32, limit: f64| {
            let bound = probe.distance_squared(&self.nodes[number as usize])?;
            (bound <= limit).then_some((bound, number))
        };
        let mut limit = limit;
        let mut nearest: Option<(u32, f64)> = None;
        let mut stack = Vec::with_capacity(64);
        stack.extend(if self.is_empty() { None } else { within(0, limit) });
        while let Some((bound, number)) = stack.pop() {
            if bound > limit {
                continue;
            }
            let node = &self.nodes[number as usize];
            let Some(first) = node.first_child() else {
                let found = distance_squared(node.link);
                if found <= limit && nearest.is_none_or(|(other, best)| found < best || node.link < other) {
                    nearest = Some((node.link, found));
                    limit = found;
                }
                continue;
            };
            let [left, right] = [first, first + 1].map(|child| within(child, limit));
            let swap = matches!((left, right), (Some((near, _)), Some((far, _))) if far < near);
            let (near, far) = if swap { (right, left) } else { (left, right) };
            stack.extend(far.into_iter().chain(near));
        }
        nearest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Aabb;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        /// Boxes on small integers, so that many are equally near; some far out, some tiny.
        #[test]
        fn the_nearest_is_the_first_of_brute_force(corners in prop::collection::vec(prop::array::uniform3(-6i32..=6), 0..60),
                                                   sizes in prop::collection::vec(prop::array::uniform3(0i32..=2), 60),
                                                   place in prop::array::uniform3(-9i32..=9),
                                                   scale in prop_oneof![Just(1.0), Just(0.1), Just(1e-30), Just(1e12)],
                                                   shift in prop_oneof![Just(0.0), Just(1e5)],
                                                   limit in prop_oneof![Just(f64::INFINITY), Just(9.0), Just(0.0)]) {
            let at = |p: [i32; 3]| DVec3::from_array(p.map(|c| (f64::from(c) + shift) * scale));
            let boxes: Vec<Aabb> = corners
                .iter()
                .zip(&sizes)
                .map(|(&low, size)| Aabb { min: at(low), max: at(std::array::from_fn(|i| low[i] + size[i])) })
                .collect();
            let place = at(place);
            let measure = |aabb: &Aabb| (aabb.min - place).max(place - aabb.max).max(DVec3::ZERO).length_squared();
            let limit = limit * scale * scale;
            let expected = boxes
                .iter()
                .enumerate()
                .map(|(number, aabb)| (number as u32, measure(aabb)))
                .filter(|&(_, distance)| distance <= limit)
                .min_by(|a, b| a.1.total_cmp(&b.1));
            let found = Bvh::build(&boxes).nearest(place, limit, |number| measure(&boxes[number as usize]));
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn what_is_not_a_number_is_not_near() {
        let boxes = [Aabb::EMPTY, Aabb::around(DVec3::NAN, DVec3::ONE), Aabb::around(DVec3::ONE, DVec3::ZERO)];
        let tree = Bvh::build(&boxes);
        assert_eq!(tree.nearest(DVec3::ZERO, f64::INFINITY, f64::from), Some((2, 2.0)));
        assert_eq!(tree.nearest(DVec3::NAN, f64::INFINITY, |_| f64::NAN), None);
        assert_eq!(Bvh::default().nearest(DVec3::ZERO, f64::INFINITY, |_| 0.0), None);
    }
}
