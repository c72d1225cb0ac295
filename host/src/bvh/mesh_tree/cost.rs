//! What a search is expected to cost: traversal costs of \[Heo10\] section 5.2.

use super::body::Extra;
use crate::bvh::Node;

/// Sides of boxes are taken for at least this part of their parent's longest, so that flat ones have a volume.
const THINNEST: f32 = 1e-3;

/// Sets the costs of a node: TC_i by equation 6 and TC_s by equation 7.
#[inline]
pub(super) fn set_costs(node: &Node, extra: &mut Extra, children: [(&Node, &Extra); 2]) {
    let size = |node: &Node| [0, 1, 2].map(|axis| node.high[axis] - node.low[axis]);
    let whole = size(node);
    let thin = THINNEST * whole[0].max(whole[1]).max(whole[2]);
    let volume = |[x, y, z]: [f32; 3]| (x + thin) * (y + thin) * (z + thin);
    let unit = volume(whole);
    let [left, right] = children;
    // The chance to be met when the parent is.
    let weighed = |(node, extra): (&Node, &Extra)| volume(size(node)) * extra.inter_cost;
    let inter = 1.0 + (weighed(left) + weighed(right)) / unit;
    // Boxes that hold nothing are not numbers, and points have no volume.
    extra.inter_cost = if inter.is_finite() { inter } else { 1.0 + left.1.inter_cost + right.1.inter_cost };
    let own = |extra: &Extra| if may_be_culled(extra) { 0.0 } else { extra.self_cost };
    extra.self_cost = left.1.inter_cost + right.1.inter_cost + own(left.1) + own(right.1);
    if extra.built_cost.is_nan() {
        extra.built_cost = extra.self_cost;
    }
}

/// The paper's indicator I, as far as one look at the node tells.
#[inline]
fn may_be_culled(extra: &Extra) -> bool {
    extra.connected && extra.normals.is_open()
}
