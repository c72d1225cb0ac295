//! Which parts of a tree are worth building again (\[Heo10\] section 5.4).

use super::body::Body;
use crate::bvh::Frame;

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
    /// What building costs for each triangle and each bit of their number, in tests of two boxes.
    pub build_cost: f64,
    /// The largest share of the last search that building one part may cost.
    pub share: f64,
}

impl Default for RestructureOptions {
    fn default() -> RestructureOptions {
        RestructureOptions { enabled: true, build_cost: 2.0, share: 0.25 }
    }
}

/// Smaller parts are not looked at.
const SMALLEST: u32 = 64;

impl Body {
    /// Builds parts again that are worth it; `budget` is what the last search cost. Returns whether there were any, in
    /// which case the tree has to be refitted.
    pub(super) fn restructure(
        &mut self,
        frame: &Frame,
        margin: f64,
        options: &RestructureOptions,
        budget: f64,
    ) -> bool {
        let mut chosen = Vec::new();
        let mut stack = if self.nodes.is_empty() { Vec::new() } else { vec![(0u32, 0u32)] };
        while let Some((number, place)) = stack.pop() {
            let (node, extra) = (&self.nodes[number as usize], &self.extras[number as usize]);
            let Some(child) = node.first_child().filter(|_| node.leaves >= SMALLEST) else { continue };
            let count = f64::from(node.leaves);
            let loss = options.build_cost * count * count.log2();
            let gain = f64::from(extra.self_cost - extra.built_cost);
            if gain > loss && loss <= options.share * budget {
                chosen.push((number, place));
            } else {
                let left = self.nodes[child as usize].leaves;
                stack.extend([(child + 1, place + left), (child, place)]);
            }
        }
        for &(node, place) in &chosen {
            self.build_below(frame, margin, node, place);
        }
        !chosen.is_empty()
    }
}
