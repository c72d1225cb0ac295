//! What a search is expected to cost: traversal costs of \[Heo10\] section 5.2.

use glam::Vec4;

use super::body::Extra;
use super::restructure::Metric;
use crate::bvh::Node;

/// Sides of boxes are taken for at least this part of the longest, so that flat ones have a volume.
const THINNEST: f32 = 1e-3;

/// A node as its parent sees it.
#[derive(Clone, Copy)]
pub(super) struct Child<'a> {
    pub node: &'a Node,
    /// TC_i, the expected tests of boxes in a search between it and another.
    pub inter_cost: f32,
    /// TC_s, those within it, unless it is culled.
    pub own_cost: f32,
}

impl<'a> Child<'a> {
    #[inline]
    pub(super) fn leaf(node: &'a Node) -> Child<'a> {
        Child { node, inter_cost: 1.0, own_cost: 0.0 }
    }

    #[inline]
    pub(super) fn inner(node: &'a Node, extra: &Extra) -> Child<'a> {
        // The paper's indicator I, as far as one look at the node tells.
        let may_be_culled = extra.patch.is_connected() && extra.cone.normals.is_open();
        Child { node, inter_cost: extra.inter_cost, own_cost: if may_be_culled { 0.0 } else { extra.self_cost } }
    }
}

/// Sets the costs of a node: TC_i by equation 6 and TC_s by equation 7.
#[inline]
pub(super) fn set_costs(node: &Node, extra: &mut Extra, [left, right]: [Child<'_>; 2], metric: Metric) {
    let (unit, volumes) = (volume(node), [volume(left.node), volume(right.node)]);
    // Volumes are the chance to be met when the parent is; points have none.
    let inter = 1.0 + (volumes[0] * left.inter_cost + volumes[1] * right.inter_cost) / unit;
    extra.inter_cost = if inter.is_finite() { inter } else { 1.0 + left.inter_cost + right.inter_cost };
    extra.self_cost = left.inter_cost + right.inter_cost + left.own_cost + right.own_cost;
    if extra.built_cost.is_nan() {
        extra.built_cost = match metric {
            Metric::TraversalCost => extra.self_cost,
            Metric::VolumeRatio => volume_ratio(unit, volumes),
        };
    }
}

/// How much larger a box is than those in it.
pub(super) fn volume_ratio(volume: f32, [left, right]: [f32; 2]) -> f32 {
    let ratio = volume / (left + right);
    if ratio.is_finite() { ratio } else { 1.0 }
}

/// The volume of a node's box.
#[inline]
pub(super) fn volume(node: &Node) -> f32 {
    let (low, high) = node.lanes();
    let [x, y, z, _] = Vec4::to_array(&(high - low));
    let thin = THINNEST * x.max(y).max(z);
    (x + thin) * (y + thin) * (z + thin)
}
