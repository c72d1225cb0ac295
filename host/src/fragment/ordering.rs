//! Maximum-distance ordering of points (\[Glondu12\] 5.1): each comes as far from all before it as any could.
//!
//! The paper asks every pair. Here points are in blocks along a curve, under a binary tree that knows the greatest distance below
//! each node: a new point changes only what is nearer to it than to all points before it, and later points change little.

use fracas_kernels::morton;
use glam::DVec3;

use crate::geometry::Aabb;

/// Points in a block.
const BLOCK: usize = 8;

/// No parent.
pub(super) const NONE: u32 = u32::MAX;

/// The points in their order, with the levels and the parents of a sphere tree: level `l` has the first 2^l points, and the
/// parent of a point that is new on a level is the nearest of those on the level before.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ordering {
    /// The points, in order.
    pub(super) order: Vec<u32>,
    /// The level on which each point first is.
    pub(super) levels: Vec<u8>,
    /// The parent of each point; [`NONE`] for the first.
    pub(super) parents: Vec<u32>,
    /// The place of each point in the order.
    pub(super) ranks: Vec<u32>,
    /// The place of the parent of each place.
    pub(super) parent_ranks: Vec<u32>,
}

struct Tree<'a> {
    points: &'a [DVec3],
    /// The points along a curve, in blocks.
    curve: Vec<u32>,
    /// A heap: the children of a node are at twice its place and beside it, and the blocks are the last half.
    nodes: Vec<Node>,
    /// To the nearest of those chosen, squared; less than zero for one that is chosen.
    distances: Vec<f64>,
    /// The nearest of those chosen.
    nearest: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Node {
    aabb: Aabb,
    /// The greatest distance below, squared.
    greatest: f64,
    /// The first point that has it.
    point: u32,
}

/// Points in an order in which each is as far from all before it as any could be, the first two as far from each other
/// (\[Glondu12\] 5.1).
///
/// # Panics
/// If a coordinate is not finite.
///
/// ```
/// use fracas::fragment::maximum_distance_order;
/// use glam::DVec3;
///
/// let points = [0.0, 1.0, 5.0, 9.0, 10.0].map(|x| DVec3::X * x);
/// let order = maximum_distance_order(&points);
/// assert_eq!(order[2], 2);
/// assert_eq!(order[0].min(order[1]), 0);
/// ```
pub fn maximum_distance_order(points: &[DVec3]) -> Vec<u32> {
    assert!(points.iter().all(|point| point.is_finite()), "points to be ordered have to be finite");
    Ordering::new(points).order
}

impl Ordering {
    pub(super) fn new(points: &[DVec3]) -> Ordering {
        let count = points.len();
        let mut ordering = Ordering {
            order: Vec::with_capacity(count),
            levels: vec![0; count],
            parents: vec![NONE; count],
            ranks: vec![NONE; count],
            parent_ranks: Vec::with_capacity(count),
        };
        if points.is_empty() {
            return ordering;
        }
        let mut tree = Tree::new(points);
        let mut next = tree.end_of_diameter();
        let mut parents = vec![NONE; count];
        for rank in 0..count {
            ordering.levels[next as usize] = (usize::BITS - rank.leading_zeros()) as u8;
            ordering.parents[next as usize] = parents[next as usize];
            ordering.order.push(next);
            ordering.ranks[next as usize] = rank as u32;
            let parent = parents[next as usize];
            ordering.parent_ranks.push(if parent == NONE { NONE } else { ordering.ranks[parent as usize] });
            tree.distances[next as usize] = -1.0;
            tree.choose(1, next);
            if (rank + 1).is_power_of_two() {
                parents.copy_from_slice(&tree.nearest);
            }
            next = tree.nodes[1].point;
        }
        ordering
    }
}

impl<'a> Tree<'a> {
    fn new(points: &'a [DVec3]) -> Tree<'a> {
        let aabb = Aabb::of_points(points.iter().copied());
        let scale = 1023.0 / aabb.longest().max(f64::MIN_POSITIVE);
        let code = |point: DVec3| {
            let [x, y, z] = ((point - aabb.min) * scale).to_array().map(|coordinate| coordinate as u32);
            morton::encode_30(x, y, z)
        };
        let mut curve: Vec<u32> = (0..points.len() as u32).collect();
        curve.sort_by_cached_key(|&point| (code(points[point as usize]), point));
        let leaves = points.len().div_ceil(BLOCK).next_power_of_two();
        let empty = Node { aabb: Aabb::of_points([]), greatest: -1.0, point: NONE };
        let mut tree = Tree {
            points,
            nodes: vec![empty; 2 * leaves],
            distances: vec![f64::INFINITY; points.len()],
            nearest: vec![NONE; points.len()],
            curve,
        };
        for block in 0..points.len().div_ceil(BLOCK) {
            let members = &tree.curve[block * BLOCK..points.len().min((block + 1) * BLOCK)];
            tree.nodes[leaves + block].aabb = Aabb::of_points(members.iter().map(|&point| points[point as usize]));
            tree.nodes[leaves + block].greatest = f64::INFINITY;
        }
        for node in (1..leaves).rev() {
            let [left, right] = [tree.nodes[2 * node], tree.nodes[2 * node + 1]];
            tree.nodes[node] =
                Node { aabb: left.aabb.union(right.aabb), greatest: left.greatest.max(right.greatest), point: NONE };
        }
        tree
    }

    fn members(&self, node: usize) -> std::ops::Range<usize> {
        let block = node - self.nodes.len() / 2;
        block * BLOCK..self.points.len().min((block + 1) * BLOCK)
    }

    /// Takes a point into those chosen, for all below a node.
    fn choose(&mut self, node: usize, chosen: u32) {
        let place = self.points[chosen as usize];
        let Node { aabb, greatest, point } = self.nodes[node];
        // The point itself must go out of the tree, however near to others it is; it is the farthest of all around it.
        let is_near = (place.clamp(aabb.min, aabb.max) - place).length_squared() < greatest;
        if !is_near && point != chosen {
            return;
        }
        let mut best = Node { aabb, greatest: -1.0, point: NONE };
        if node >= self.nodes.len() / 2 {
            for place_on_curve in self.members(node) {
                let member = self.curve[place_on_curve];
                let distance = self.points[member as usize].distance_squared(place);
                if distance < self.distances[member as usize] {
                    self.distances[member as usize] = distance;
                    self.nearest[member as usize] = chosen;
                }
                best.take(self.distances[member as usize], member);
            }
        } else {
            for child in [2 * node, 2 * node + 1] {
                self.choose(child, chosen);
                best.take(self.nodes[child].greatest, self.nodes[child].point);
            }
        }
        self.nodes[node] = best;
    }

    /// One of the two points that are farthest apart.
    fn end_of_diameter(&self) -> u32 {
        let farthest_of = |from: u32, best: f64| {
            let mut found = (best, NONE);
            self.farthest(1, self.points[from as usize], &mut found);
            found
        };
        let (_, start) = farthest_of(0, -1.0);
        let (mut best, mut end) = (-1.0, start);
        for point in std::iter::once(start).chain(0..self.points.len() as u32) {
            let (distance, other) = farthest_of(point, best);
            if other != NONE {
                (best, end) = (distance, point);
            }
        }
        end
    }

    /// A point that is farther from a place than `best`, the farthest below a node.
    fn farthest(&self, node: usize, place: DVec3, best: &mut (f64, u32)) {
        let Node { aabb, .. } = self.nodes[node];
        let reach = |node: usize| {
            let Node { aabb, .. } = self.nodes[node];
            (aabb.max - place).abs().max((place - aabb.min).abs()).length_squared()
        };
        if aabb.is_empty() || reach(node) <= best.0 {
            return;
        }
        if node >= self.nodes.len() / 2 {
            for &member in &self.curve[self.members(node)] {
                let distance = self.points[member as usize].distance_squared(place);
                if distance > best.0 {
                    *best = (distance, member);
                }
            }
            return;
        }
        let mut children = [2 * node, 2 * node + 1];
        if !self.nodes[children[1]].aabb.is_empty() && reach(children[1]) > reach(children[0]) {
            children.reverse();
        }
        children.iter().for_each(|&child| self.farthest(child, place, best));
    }
}

impl Node {
    /// Keeps the greater distance, that of the smaller point where two are equal.
    fn take(&mut self, distance: f64, point: u32) {
        if distance > self.greatest || (distance == self.greatest && point < self.point) {
            self.greatest = distance;
            self.point = point;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn diameter(points: &[DVec3]) -> f64 {
        let pairs = points.iter().enumerate().flat_map(|(count, a)| points[..count].iter().map(move |b| (a, b)));
        pairs.map(|(a, b)| a.distance_squared(*b)).fold(0.0, f64::max)
    }

    proptest! {
        #[test]
        fn each_point_is_as_far_from_those_before_it_as_any(
            points in proptest::collection::vec((0u8..12, 0u8..12, 0u8..12), 1..120),
        ) {
            let points: Vec<DVec3> =
                points.iter().map(|&(x, y, z)| DVec3::new(f64::from(x), f64::from(y), f64::from(z))).collect();
            let Ordering { order, levels, parents, ranks, parent_ranks } = Ordering::new(&points);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..points.len() as u32).collect::<Vec<u32>>());
            let distance = |a: u32, b: u32| points[a as usize].distance_squared(points[b as usize]);
            let nearest = |point: u32, chosen: &[u32]| {
                chosen.iter().map(|&other| distance(point, other)).fold(f64::INFINITY, f64::min)
            };
            if points.len() > 1 {
                prop_assert_eq!(distance(order[0], order[1]), diameter(&points));
            }
            for rank in 1..order.len() {
                let (before, after) = order.split_at(rank);
                let best = after.iter().map(|&point| nearest(point, before)).fold(0.0, f64::max);
                prop_assert_eq!(nearest(after[0], before), best);
                let level = levels[after[0] as usize];
                prop_assert!(rank < 1 << level && rank >= 1 << (level - 1));
                let above = &order[..1 << (level - 1)];
                prop_assert!(above.contains(&parents[after[0] as usize]));
                prop_assert_eq!(ranks[after[0] as usize], rank as u32);
                prop_assert_eq!(order[parent_ranks[rank] as usize], parents[after[0] as usize]);
                prop_assert_eq!(distance(parents[after[0] as usize], after[0]), nearest(after[0], above));
            }
        }
    }
}
