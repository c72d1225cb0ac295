//! Bounding volume hierarchies: which boxes may meet which, without asking all of them.

pub mod baseline;
mod build;
mod curve;
mod frame;
mod median;
pub mod mesh_tree;
mod nearest;
mod node;
mod pairs;
mod query;
mod shape;

pub use build::BuildMemory;
use frame::Frame;
pub use mesh_tree::{
    BodyHandle, BuildMethod, Candidate, Culling, Feature, MeshTree, MeshTreeOptions, Metric, Piece, RestructureOptions,
    UpdateError,
};
pub use node::Node;

use crate::geometry::Aabb;

/// A binary tree of boxes over numbered things (triangles, bodies), each given by its box.
///
/// Boxes are kept in single precision, measured from the middle of them all and in units of about their size (so it does
/// not matter where the things are or how large), rounded outwards: so the tree never misses what the boxes in double precision
/// hold; it may name a pair that is apart by less than that rounding. What it answers is therefore a list of
/// candidates, the same on every machine and for every number of threads.
///
/// ```
/// use fracas::bvh::Bvh;
/// use fracas::geometry::Aabb;
/// use glam::DVec3;
///
/// let boxes: Vec<Aabb> = (0..4).map(|i| Aabb::around(DVec3::X * f64::from(i), DVec3::splat(0.6))).collect();
/// assert_eq!(Bvh::build(&boxes).collect_self_pairs(), [[0, 1], [1, 2], [2, 3]]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bvh {
    /// The root first; the two children of a node stand side by side, and behind them all that is below the left one,
    /// then all that is below the right one.
    nodes: Vec<Node>,
    frame: Frame,
}

impl Bvh {
    /// How many things the tree holds.
    pub fn len(&self) -> usize {
        self.nodes.len().div_ceil(2)
    }

    /// Whether the tree holds nothing.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The nodes, the root first. A tree of `n` things has `2n - 1`.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The box of a node, rounded outwards; that of a node which holds nothing is not a number.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn node_aabb(&self, number: u32) -> Aabb {
        self.frame.world(&self.nodes[number as usize])
    }

    /// Checks what the queries rely on: boxes hold their children, counts add up, and every number from zero is in
    /// exactly one leaf.
    ///
    /// # Panics
    /// If any of that does not hold; for tests.
    pub fn assert_well_formed(&self) {
        let mut seen = vec![false; self.len()];
        let mut stack = if self.is_empty() { Vec::new() } else { vec![0] };
        let mut visited = 0;
        while let Some(number) = stack.pop() {
            visited += 1;
            let node = &self.nodes[number as usize];
            let Some(first) = node.first_child() else {
                assert!(!std::mem::replace(&mut seen[node.link as usize], true), "{} is in two leaves", node.link);
                continue;
            };
            let [left, right] = [first, first + 1].map(|child| &self.nodes[child as usize]);
            assert_eq!(node.leaves, left.leaves + right.leaves);
            assert!(first > number, "children stand behind their parent");
            for child in [left, right] {
                assert!(node.holds(child), "node {number} does not hold its child");
            }
            stack.extend([first, first + 1]);
        }
        assert_eq!(visited, self.nodes.len());
        assert!(seen.into_iter().all(|seen| seen), "a number is in no leaf");
    }
}

#[cfg(test)]
mod tests;
