//! Two octrees walked through at the same time (\[Domaradzki16\] 5.1.1).

use fracas_kernels::node::Node;
use glam::Vec3A;

use super::placed::{Boxes, Relative};
use super::touched::Touched;
use crate::svo::Tree;
use crate::svo::bits::ones;

/// A node on the way down.
#[derive(Clone, Copy)]
struct Visit {
    node: Node,
    code: u32,
    level: u32,
    middle: Vec3A,
}

struct Walk<'a> {
    trees: [&'a Tree; 2],
    levels: [u32; 2],
    boxes: Boxes,
    touched: &'a mut [Touched; 2],
}

/// Finds the boundary voxels of each octree that meet boundary voxels or the inside of the other. What meets is decided by
/// boxes along the first one's axes, so a voxel of a turned octree may be found a fraction of a voxel early; where its
/// surface is does not depend on that.
pub(super) fn traverse(trees: [&Tree; 2], relative: &Relative, touched: &mut [Touched; 2]) {
    let levels = relative.levels;
    for side in 0..2 {
        touched[side].start(attributes_of(trees[side], levels[side]));
    }
    let half = 0.5 * (1u32 << levels[1]) as f64;
    let middles = [Vec3A::splat(0.5 * (1u32 << levels[0]) as f32), relative.point(glam::DVec3::splat(half)).as_vec3a()];
    let mut walk = Walk { trees, levels, boxes: Boxes::new(relative), touched };
    let root = |side: usize| Visit { node: trees[side].root(), code: 0, level: 0, middle: middles[side] };
    let (first, second) = (root(0), root(1));
    if walk.overlap(&first, &second) {
        walk.pair(first, second);
    }
}

/// The attributes of the boundary nodes of a level.
pub(super) fn attributes_of(tree: &Tree, level: u32) -> std::ops::Range<u32> {
    // Leaves come first and every level stands in order, so the first and the last node tell.
    let nodes = &tree.nodes[tree.starts[level as usize] as usize..tree.starts[level as usize + 1] as usize];
    let first = nodes.iter().find(|node| node.is_boundary()).map_or(0, |node| node.attributes);
    let last = nodes.iter().rev().find(|node| node.is_boundary()).map_or(0, |node| node.attributes + 1);
    first..last
}

impl Walk<'_> {
    #[inline]
    fn half(&self, level: u32) -> f32 {
        0.5 * (1u32 << (self.levels[0] - level)) as f32
    }

    #[inline]
    fn overlap(&self, first: &Visit, second: &Visit) -> bool {
        let reach = self.boxes.reach[second.level as usize] + self.half(first.level);
        (first.middle - second.middle).abs().cmple(reach).all()
    }

    fn pair(&mut self, first: Visit, second: Visit) {
        let ends = [
            first.node.is_terminal() || first.level == self.levels[0],
            second.node.is_terminal() || second.level == self.levels[1],
        ];
        match ends {
            [true, true] => self.meet(&first, &second),
            [true, false] if first.node.is_internal() && self.holds(&first, &second) => self.all_below(&second),
            [true, false] => self.descend_second(first, second),
            [false, true] => self.descend_first(first, second),
            [false, false] if first.level + 1 == self.levels[0] && second.level + 1 == self.levels[1] => {
                self.families(&first, &second);
            }
            // The larger one, so that boxes stay of one size.
            [false, false] => {
                let reach = self.boxes.reach[second.level as usize].max_element();
                if self.half(first.level) >= 0.6 * reach {
                    self.descend_first(first, second);
                } else {
                    self.descend_second(first, second);
                }
            }
        }
    }

    fn descend_first(&mut self, first: Visit, second: Visit) {
        let quarter = 0.5 * self.half(first.level);
        let tree = self.trees[0];
        for (child, &node) in (0..8u32).zip(tree.children(first.node)) {
            if is_nothing(node, second.node) {
                continue;
            }
            let side = |axis: u32| if child >> axis & 1 == 0 { -quarter } else { quarter };
            let middle = first.middle + Vec3A::new(side(0), side(1), side(2));
            let child = Visit { node, code: first.code << 3 | child, level: first.level + 1, middle };
            if self.overlap(&child, &second) {
                self.pair(child, second);
            }
        }
    }

    fn descend_second(&mut self, first: Visit, second: Visit) {
        let scale = 1.0 / (1u32 << second.level) as f32;
        let tree = self.trees[1];
        for (child, &node) in (0..8u32).zip(tree.children(second.node)) {
            if is_nothing(node, first.node) {
                continue;
            }
            let middle = second.middle + scale * self.boxes.children[child as usize];
            let child = Visit { node, code: second.code << 3 | child, level: second.level + 1, middle };
            if self.overlap(&first, &child) {
                self.pair(first, child);
            }
        }
    }

    /// The children of two nodes, all of the last level: 64 pairs, most of the work. Which children of the first a child of
    /// the second meets is read off which halves it meets on each axis.
    fn families(&mut self, first: &Visit, second: &Visit) {
        let (trees, scale) = (self.trees, 1.0 / (1u32 << second.level) as f32);
        let children = trees[0].children(first.node);
        let (mut boundary, mut internal) = (0u32, 0u32);
        for (child, node) in children.iter().enumerate() {
            boundary |= u32::from(node.is_boundary()) << child;
            internal |= u32::from(node.is_internal()) << child;
        }
        let reach = self.boxes.reach[self.levels[1] as usize] + 0.5;
        let (mut touched, mut deep) = (0, 0);
        for (child, &node) in (0..8u32).zip(trees[1].children(second.node)) {
            if node.is_empty() && !node.is_internal() {
                continue;
            }
            let middle = second.middle + scale * self.boxes.children[child as usize] - first.middle;
            let low = (middle + 0.5).abs().cmple(reach).bitmask() as usize;
            let high = (middle - 0.5).abs().cmple(reach).bitmask() as usize;
            let met = HALVES[0][low & 1 | (high & 1) << 1]
                & HALVES[1][low >> 1 & 1 | high & 2]
                & HALVES[2][low >> 2 & 1 | high >> 1 & 2];
            touched |= met & boundary;
            if node.is_internal() {
                for number in ones(u64::from(met & boundary & !deep)) {
                    let away = offset(number) - middle;
                    deep |= u32::from(self.second_holds(away, self.levels[1])) << number;
                }
            } else if met & (boundary | internal) != 0 {
                // The child of the first that the middle is in.
                let own = middle.cmpge(Vec3A::ZERO).bitmask();
                let is_deep = internal >> own & 1 != 0 && middle.abs().max_element() <= 1.0;
                self.touched[1].add(node, second.code << 3 | child, is_deep);
            }
        }
        for number in ones(u64::from(touched)) {
            let is_deep = deep >> number & 1 != 0;
            self.touched[0].add(children[number as usize], first.code << 3 | number, is_deep);
        }
    }

    /// A pair of the last level.
    fn meet(&mut self, first: &Visit, second: &Visit) {
        if first.node.is_boundary() {
            let is_deep = second.node.is_internal() && self.second_holds(first.middle - second.middle, second.level);
            self.touched[0].add(first.node, first.code, is_deep);
        }
        if second.node.is_boundary() {
            let away = (second.middle - first.middle).abs();
            let is_deep = first.node.is_internal() && away.max_element() <= self.half(first.level);
            self.touched[1].add(second.node, second.code, is_deep);
        }
    }

    /// Whether the box of the second node lies within the first.
    fn holds(&self, first: &Visit, second: &Visit) -> bool {
        let room = Vec3A::splat(self.half(first.level)) - self.boxes.reach[second.level as usize];
        (first.middle - second.middle).abs().cmple(room).all()
    }

    /// Whether a place is in a node of the second octree, given by its way from the node's middle.
    fn second_holds(&self, away: Vec3A, level: u32) -> bool {
        let half = self.boxes.half / (1u32 << level) as f32;
        self.boxes.back.iter().all(|row| row.dot(away).abs() <= half)
    }

    /// All boundary voxels below a node of the second octree that lies within an internal one.
    fn all_below(&mut self, second: &Visit) {
        if second.level == self.levels[1] {
            self.touched[1].add(second.node, second.code, true);
            return;
        }
        let tree = self.trees[1];
        for (child, &node) in (0..8u32).zip(tree.children(second.node)) {
            if node.is_boundary() {
                self.all_below(&Visit {
                    node,
                    code: second.code << 3 | child,
                    level: second.level + 1,
                    middle: second.middle,
                });
            }
        }
    }
}

/// By axis: the children of the halves that are met, none, the lower, the upper, both.
const HALVES: [[u32; 4]; 3] = [[0, 0x55, 0xaa, 0xff], [0, 0x33, 0xcc, 0xff], [0, 0x0f, 0xf0, 0xff]];

/// The middle of a child of the last level, from that of its parent.
#[inline]
fn offset(child: u32) -> Vec3A {
    let side = |axis: u32| if child >> axis & 1 == 0 { -0.5 } else { 0.5 };
    Vec3A::new(side(0), side(1), side(2))
}

/// Whether nothing of the surface of the intersection can be where a child meets another node.
#[inline]
fn is_nothing(child: Node, other: Node) -> bool {
    child.is_empty() && (!child.is_internal() || other.is_internal())
}
