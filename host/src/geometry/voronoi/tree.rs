//! The seeds in a tree of boxes, to visit them from near to far.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use glam::DVec3;

use super::super::Aabb;

/// How many seeds a leaf holds at most.
pub(super) const LEAF: usize = 6;

/// Seeds in leaves of a few, halved along the longest side of their box. A grid of equal cells would do for seeds that are
/// spread evenly; those of fracture patterns crowd around the impact.
pub(super) struct Tree {
    /// The seeds' positions, leaf by leaf.
    pub(super) points: Vec<DVec3>,
    /// The seeds' numbers, likewise.
    pub(super) seeds: Vec<u32>,
    nodes: Vec<Node>,
}

struct Node {
    bounds: Aabb,
    start: u32,
    end: u32,
    /// The second child, the first one being the next node; zero for a leaf.
    second: u32,
}

/// A node that waits to be visited.
#[derive(Clone, Copy, PartialEq)]
struct Waiting {
    distance_squared: f64,
    node: u32,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    fn cmp(&self, other: &Waiting) -> Ordering {
        // The nearest is the greatest, as the heap gives the greatest first.
        other.distance_squared.total_cmp(&self.distance_squared).then(other.node.cmp(&self.node))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Memory of a search, kept from one to the next.
#[derive(Default)]
pub(super) struct Search {
    waiting: BinaryHeap<Waiting>,
}

impl Tree {
    pub(super) fn build(points: &[DVec3]) -> Tree {
        let mut seeds: Vec<u32> = (0..points.len() as u32).collect();
        let mut nodes = Vec::with_capacity(points.len() / 2 + 1);
        split(points, &mut seeds, 0, &mut nodes);
        Tree { points: seeds.iter().map(|&seed| points[seed as usize]).collect(), seeds, nodes }
    }

    /// Calls `visit` with the places of the seeds of one leaf after another, from near to far, as long as the leaf's
    /// squared distance from the point is less than what `visit` last returned.
    #[inline]
    pub(super) fn near_to_far(
        &self,
        point: DVec3,
        search: &mut Search,
        mut limit: f64,
        mut visit: impl FnMut(std::ops::Range<usize>) -> f64,
    ) {
        let waiting = &mut search.waiting;
        waiting.clear();
        let mut here = Waiting { distance_squared: 0.0, node: 0 };
        loop {
            if here.distance_squared >= limit {
                return;
            }
            let mut node = &self.nodes[here.node as usize];
            // Down to the nearest leaf, leaving the farther halves for later.
            while node.second != 0 {
                let [first, second] = [here.node + 1, node.second].map(|child| {
                    let bounds = &self.nodes[child as usize].bounds;
                    let gap = (bounds.min - point).max(point - bounds.max).max(DVec3::ZERO);
                    Waiting { distance_squared: gap.length_squared(), node: child }
                });
                let (near, far) = if first > second { (first, second) } else { (second, first) };
                if far.distance_squared < limit {
                    waiting.push(far);
                }
                here = near;
                node = &self.nodes[here.node as usize];
            }
            if here.distance_squared < limit {
                limit = visit(node.start as usize..node.end as usize);
            }
            match waiting.pop() {
                Some(next) => here = next,
                None => return,
            }
        }
    }
}

fn split(points: &[DVec3], seeds: &mut [u32], start: u32, nodes: &mut Vec<Node>) {
    let bounds = Aabb::of_points(seeds.iter().map(|&seed| points[seed as usize]));
    let number = nodes.len();
    nodes.push(Node { bounds, start, end: start + seeds.len() as u32, second: 0 });
    if seeds.len() <= LEAF {
        seeds.sort_unstable();
        return;
    }
    let size = bounds.size();
    let axis = (0..3).max_by(|&a, &b| size[a].total_cmp(&size[b])).unwrap_or(0);
    let middle = seeds.len() / 2;
    // The number decides between equal coordinates, so that the halves depend on nothing else.
    let key = |&seed: &u32| (points[seed as usize][axis], seed);
    seeds.select_nth_unstable_by(middle, |a, b| {
        let (a, b) = (key(a), key(b));
        a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
    });
    let (left, right) = seeds.split_at_mut(middle);
    split(points, left, start, nodes);
    nodes[number].second = nodes.len() as u32;
    split(points, right, start + middle as u32, nodes);
}
