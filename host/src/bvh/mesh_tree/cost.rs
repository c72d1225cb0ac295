//! What a search is expected to cost: traversal costs of \[Heo10\] section 5.2.

use super::body::Extra;
use super::directions::DualCone;
use super::restructure::Metric;
use crate::bvh::Node;

/// What a node's parent asks for.
#[derive(Clone, Copy, Default)]
pub(super) struct Known {
    pub cone: DualCone,
    /// TC_i, the expected tests of boxes in a search between it and another.
    inter_cost: f32,
    /// TC_s, those within it, unless it is culled.
    own_cost: f32,
    /// The volume of its box: the chance to be met.
    volume: f32,
}

impl Known {
    /// Of a twig, whose costs follow from how many leaves it has: a search meets three of four children, as it does in the trees of a
    /// cloth and of a broken dragon on average.
    #[inline(always)]
    pub(super) fn twig(cone: DualCone, node: &Node, thin: f32) -> Known {
        let inter_cost = 1.0 + 0.75 * node.leaves.ilog2() as f32;
        let own_cost = if node.is_leaf() || cone.normals.are_on_one_side() { 0.0 } else { 0.75 * node.leaves as f32 };
        Known { cone, inter_cost, own_cost, volume: volume(node, thin) }
    }

    /// Of a node with children, whose costs are set.
    #[inline(always)]
    pub(super) fn inner(extra: &Extra, volume: f32) -> Known {
        let Extra { cone, inter_cost, self_cost, .. } = *extra;
        // The paper's indicator I, as far as one look at the node tells.
        let may_be_culled = extra.patch.is_connected() && cone.normals.are_on_one_side();
        Known { cone, inter_cost, own_cost: if may_be_culled { 0.0 } else { self_cost }, volume }
    }
}

/// Sets the costs of a node with its box and its cone: TC_i by equation 6 and TC_s by equation 7.
#[inline(always)]
pub(super) fn set_costs(
    node: &Node,
    extra: &mut Extra,
    [left, right]: &[Known; 2],
    thin: f32,
    metric: Metric,
) -> Known {
    let volume = volume(node, thin);
    // Volumes are the chance to be met when the parent is; points have none.
    let inter = 1.0 + (left.volume * left.inter_cost + right.volume * right.inter_cost) / volume;
    let both = left.inter_cost + right.inter_cost;
    let inter_cost = if inter < f32::MAX { inter } else { 1.0 + both };
    let self_cost = both + left.own_cost + right.own_cost;
    (extra.inter_cost, extra.self_cost) = (inter_cost, self_cost);
    if extra.built_cost.is_nan() {
        extra.built_cost = match metric {
            Metric::TraversalCost => self_cost,
            Metric::VolumeRatio => volume_ratio(volume, [left.volume, right.volume]),
        };
    }
    Known::inner(extra, volume)
}

/// How much larger a box is than those in it.
pub(super) fn volume_ratio(volume: f32, [left, right]: [f32; 2]) -> f32 {
    let ratio = volume / (left + right);
    if ratio.is_finite() { ratio } else { 1.0 }
}

/// The volume of a node's box, with sides that are longer by `thin`, so that flat ones have some.
///
/// One number at a time: the fourth lanes of a node's corners are whole numbers, which as floats are so small that processors
/// stumble over sums of them.
#[inline(always)]
pub(super) fn volume(node: &Node, thin: f32) -> f32 {
    let ([x, y, z], [high_x, high_y, high_z]) = (node.low, node.high);
    (high_x - x + thin) * (high_y - y + thin) * (high_z - z + thin)
}
