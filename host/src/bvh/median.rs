//! Building a tree from boxes by halves: what \[Heo10\] and most others compare with.

use glam::DVec3;

use super::build::center;
use super::{Frame, Node};
use crate::geometry::Aabb;

/// The nodes of a tree over boxes in a given frame, in the order of [`super::Bvh`]: a range is sorted along the longest
/// side of its centres and cut in the middle.
pub(super) fn nodes(boxes: &[Aabb], frame: Frame) -> Vec<Node> {
    if boxes.is_empty() {
        return Vec::new();
    }
    let mut things: Vec<(u32, DVec3)> = (0..).zip(boxes.iter().map(center)).collect();
    let mut nodes: Vec<Node> = bytemuck::zeroed_vec(2 * boxes.len() - 1);
    let leaf = |number: u32| frame.leaf(number, &boxes[number as usize]);
    nodes[0] = build(&mut things, &leaf, &mut nodes[1..], 1);
    nodes
}

/// Builds what is below a range of things into `below`, the first of which is node `first`; returns the top.
fn build(things: &mut [(u32, DVec3)], leaf: &(impl Fn(u32) -> Node + Sync), below: &mut [Node], first: u32) -> Node {
    if let [(number, _)] = things {
        return leaf(*number);
    }
    let size = Aabb::of_points(things.iter().map(|(_, center)| *center)).size();
    let axis = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    let middle = things.len() / 2;
    things.select_nth_unstable_by(middle, |(a, at), (b, other)| at[axis].total_cmp(&other[axis]).then(a.cmp(b)));
    let (left, right) = things.split_at_mut(middle);
    let (children, below) = below.split_at_mut(2);
    let (left_below, right_below) = below.split_at_mut(2 * middle - 2);
    let (left, right) = rayon::join(
        || build(left, leaf, left_below, first + 2),
        || build(right, leaf, right_below, first + 2 * middle as u32),
    );
    children.copy_from_slice(&[left, right]);
    Node::over(&left, &right, first)
}
