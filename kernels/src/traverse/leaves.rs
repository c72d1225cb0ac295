//! Voxels of the last level that meet.

use core::sync::atomic::AtomicU32;

use super::meeting::{difference, largest, way_to_child};
use super::touched::mark_voxel;
use super::{Meeting, Pair, Step, Walk};
use crate::node::Node;

/// Marks what meets in a pair, if it is one of the last level.
#[inline]
pub(super) fn mark(walk: &Walk<'_>, pair: &Pair, marks: &[AtomicU32]) {
    let meeting = walk.meeting(pair);
    match Step::of(meeting, pair) {
        Step::Mark => mark_pair(meeting, pair, marks),
        Step::MarkFamilies => mark_families(walk, meeting, pair, marks),
        Step::First | Step::Second | Step::Within => {}
    }
}

#[inline]
fn mark_pair(meeting: &Meeting, pair: &Pair, marks: &[AtomicU32]) {
    let Pair { first, second, within, .. } = pair;
    let away = difference(first.middle, second.middle);
    if first.node.is_boundary() {
        let is_deep = second.node.is_internal() && meeting.second_holds(away, second.level);
        mark_voxel(meeting, marks, 0, first.node, first.code, is_deep);
    }
    if second.node.is_boundary() {
        let is_near = *within != 0 || largest(away.map(f32::abs)) <= meeting.half(first.level);
        mark_voxel(meeting, marks, 1, second.node, second.code, first.node.is_internal() && is_near);
    }
}

/// By axis: the children of the halves that are met, none, the lower, the upper, both.
const HALVES: [[u32; 4]; 3] = [[0, 0x55, 0xaa, 0xff], [0, 0x33, 0xcc, 0xff], [0, 0x0f, 0xf0, 0xff]];

/// The children of two nodes, all of the last level: 64 pairs, most of the work. Which children of the first a child of the
/// second meets is read off which halves it meets on each axis.
#[inline]
fn mark_families(walk: &Walk<'_>, meeting: &Meeting, pair: &Pair, marks: &[AtomicU32]) {
    let Pair { first, second, .. } = pair;
    let children = walk.children(meeting, 0, first.node);
    let (boundary, internal) = (mask(children, Node::is_boundary), mask(children, Node::is_internal));
    let (mut touched, mut deep) = (0, 0);
    for (child, &node) in (0..).zip(walk.children(meeting, 1, second.node)) {
        if node.is_empty() && !node.is_internal() {
            continue;
        }
        let middle = difference(meeting.second_child(second, child), first.middle);
        let met = met_children(meeting, middle);
        touched |= met & boundary;
        if node.is_internal() {
            let mut rest = met & boundary & !deep;
            while rest != 0 {
                let number = rest.trailing_zeros();
                let away = difference(way_to_child(number, 0.5), middle);
                deep |= u32::from(meeting.second_holds(away, meeting.levels[1])) << number;
                rest &= rest - 1;
            }
        } else if met & (boundary | internal) != 0 {
            let is_deep = internal >> child_at(middle) & 1 != 0 && largest(middle.map(f32::abs)) <= 1.0;
            mark_voxel(meeting, marks, 1, node, second.code << 3 | child, is_deep);
        }
    }
    while touched != 0 {
        let number = touched.trailing_zeros();
        let (node, code) = (children[number as usize], first.code << 3 | number);
        mark_voxel(meeting, marks, 0, node, code, deep >> number & 1 != 0);
        touched &= touched - 1;
    }
}

/// Which of the siblings are something.
#[inline]
fn mask(children: &[Node], is: impl Fn(Node) -> bool) -> u32 {
    let mut mask = 0;
    for (child, &node) in children.iter().enumerate() {
        mask |= u32::from(is(node)) << child;
    }
    mask
}

/// The children of a node of the first octree that a voxel of the second meets, given by its way from the node's middle.
#[inline]
fn met_children(meeting: &Meeting, middle: [f32; 3]) -> u32 {
    let reach = meeting.reach[meeting.levels[1] as usize].map(|reach| reach + 0.5);
    let mut met = 0xff;
    for axis in 0..3 {
        let low = usize::from((middle[axis] + 0.5).abs() <= reach[axis]);
        let high = usize::from((middle[axis] - 0.5).abs() <= reach[axis]);
        met &= HALVES[axis][low | high << 1];
    }
    met
}

/// The child that a place is in, given by its way from the node's middle.
#[inline]
fn child_at(middle: [f32; 3]) -> u32 {
    let [x, y, z] = middle.map(|coordinate| u32::from(coordinate >= 0.0));
    x | y << 1 | z << 2
}
