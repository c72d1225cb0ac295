//! From a pair to the pairs of the next round.

use super::meeting::way_to_child;
use super::{Pair, Step, Visit, Walk};
use crate::node::Node;

/// Calls back with the pairs that a pair becomes.
#[inline]
pub(super) fn for_each(walk: &Walk<'_>, pair: &Pair, mut visit: impl FnMut(Pair)) {
    let meeting = walk.meeting(pair);
    let (step, Pair { first, second, .. }) = (Step::of(meeting, pair), pair);
    let (side, parent, other) = match step {
        Step::Mark => return,
        Step::First => (0, first, second),
        Step::Second | Step::Within => (1, second, first),
    };
    for (child, &node) in (0..).zip(walk.children(meeting, side, parent.node)) {
        if is_nothing(node, other.node) {
            continue;
        }
        let middle = match side {
            0 => {
                let way = way_to_child(child, 0.5 * meeting.half(first.level));
                [0, 1, 2].map(|axis: usize| first.middle[axis] + way[axis])
            }
            _ => meeting.second_child(second, child),
        };
        let child = Visit { node, code: parent.code << 3 | child, level: parent.level + 1, middle };
        let (first, second) = if side == 0 { (child, *second) } else { (*first, child) };
        if step == Step::Within || meeting.overlap(&first, &second) {
            visit(Pair { first, second, within: u32::from(step == Step::Within), ..*pair });
        }
    }
}

/// Whether nothing of the surface of the intersection can be where a node meets another one.
#[inline]
pub(super) fn is_nothing(node: Node, other: Node) -> bool {
    node.is_empty() && (!node.is_internal() || other.is_internal())
}
