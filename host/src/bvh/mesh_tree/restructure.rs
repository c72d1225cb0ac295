//! Which parts of a tree are worth building again (\[Heo10\] section 5.4).

use super::MeshTreeOptions;
use super::body::{Body, pair_below};
use super::cost::{volume, volume_ratio};
use super::refit::Part;
use super::swept::Space;

/// What tells that a part of a tree has become worse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metric {
    /// The traversal cost of \[Heo10\], and whether what it would gain is worth the building.
    #[default]
    TraversalCost,
    /// How much larger a box is than those of its two children together, beside what that was when it was built: the
    /// measure of Larsson and Akenine-Möller 2006 (A dynamic bounding volume hierarchy for generalized collision
    /// detection), which \[Heo10\] compares with.
    VolumeRatio,
}

/// When parts of a tree are built again.
///
/// A part is built again if that costs less than the search is expected to gain, which is how far its traversal cost has
/// gone up since it was last built, and no more than a share of the last search. The paper measures times; here all is
/// counted in tests of two boxes, so that two runs on two machines build the same trees: building a cloth of 92,450
/// triangles took 26 ns for each of them and each bit of their number, and searching it 13 ns for each test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestructureOptions {
    /// Whether anything is built again.
    pub enabled: bool,
    /// What tells which parts.
    pub metric: Metric,
    /// What building costs for each triangle and each bit of their number, in tests of two boxes.
    pub build_cost: f64,
    /// The largest share of the last search that building one part may cost.
    pub share: f64,
}

impl Default for RestructureOptions {
    fn default() -> RestructureOptions {
        RestructureOptions { enabled: true, metric: Metric::default(), build_cost: 2.0, share: 0.25 }
    }
}

/// Smaller parts are not looked at.
const SMALLEST: u32 = 64;

/// With [`Metric::VolumeRatio`], parts are built again whose ratio has grown by this.
const LARGEST_GROWTH: f32 = 2.0;

impl Body {
    /// Builds parts again that are worth it, and refits them; `budget` is what the last search cost.
    pub(super) fn restructure(&mut self, space: &Space, options: &MeshTreeOptions, budget: f64) {
        let mut chosen = Vec::new();
        let mut stack = if self.nodes.is_empty() { Vec::new() } else { vec![Part { node: 0, place: 0 }] };
        while let Some(part) = stack.pop() {
            let node = &self.nodes[part.node as usize];
            let Some(child) = node.first_child().filter(|_| node.leaves >= SMALLEST) else { continue };
            if self.is_worth_building(part.node, space, &options.restructure, budget) {
                chosen.push(part);
            } else {
                let middle = part.place + self.nodes[child as usize].leaves;
                stack.extend([Part { node: child + 1, place: middle }, Part { node: child, place: part.place }]);
            }
        }
        for &part in &chosen {
            self.build_below(space, options.build, part);
        }
        if !chosen.is_empty() {
            self.refit_parts(space, options.restructure.metric, &chosen);
        }
    }

    fn is_worth_building(&self, number: u32, space: &Space, options: &RestructureOptions, budget: f64) -> bool {
        let node = &self.nodes[number as usize];
        let extra = &self.extras[pair_below(node)];
        match options.metric {
            Metric::TraversalCost => {
                let count = f64::from(node.leaves);
                let loss = options.build_cost * count * count.log2();
                let gain = f64::from(extra.self_cost - extra.built_cost);
                gain > loss && loss <= options.share * budget
            }
            Metric::VolumeRatio => {
                let children = [0, 1].map(|side| volume(&self.nodes[node.link as usize + side], space.thin()));
                volume_ratio(volume(node, space.thin()), children) > LARGEST_GROWTH * extra.built_cost
            }
        }
    }
}
