//! Two octrees walked through at the same time (\[Domaradzki16\] 5.1.1).

use fracas_kernels::node::Node;
use fracas_kernels::traverse::Reached;
use glam::{DVec3, Vec3A};

use super::placed::{Boxes, Relative};
use crate::svo::Tree;
use crate::svo::lattice::LEAST_LEVEL;

/// A node on the way down.
#[derive(Clone, Copy)]
struct Visit {
    node: Node,
    code: u32,
    level: u32,
    middle: Vec3A,
}

/// Chunks of an octree that were come to, each once: a sparse set over their numbers. Nothing has to be cleared between
/// pairs, because an entry counts only if the list agrees.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    pub(super) list: Vec<Reached>,
    places: Vec<u32>,
    /// The first attributes of the level.
    first: u32,
    /// Which of the two octrees it is.
    side: u32,
}

impl Chunks {
    /// Forgets all, for an octree whose boundary nodes of the chunks' level have attributes in a range.
    fn start(&mut self, range: std::ops::Range<u32>, side: u32) {
        self.list.clear();
        (self.first, self.side) = (range.start, side);
        if self.places.len() < range.len() {
            self.places.resize(range.len(), 0);
        }
    }

    #[inline]
    fn add(&mut self, node: Node, code: u32) {
        let number = node.attributes - self.first;
        let place = &mut self.places[number as usize];
        if self.list.get(*place as usize).is_none_or(|other| other.number != number) {
            *place = self.list.len() as u32;
            self.list.push(Reached { number, code, sight: self.side });
        }
    }
}

struct Walk<'a> {
    trees: [&'a Tree; 2],
    /// Those of the chunks.
    levels: [u32; 2],
    boxes: Boxes,
    reached: &'a mut [Chunks; 2],
}

/// Finds the chunks of each octree with boundary voxels that may meet boundary voxels or the inside of the other. Boxes are
/// along the first one's axes.
pub(super) fn traverse(trees: [&Tree; 2], relative: &Relative, reached: &mut [Chunks; 2]) {
    let levels = relative.levels.map(|level| level - LEAST_LEVEL);
    for side in 0..2 {
        reached[side].start(trees[side].attributes_of(levels[side]), side as u32);
    }
    let [own, other] = relative.levels.map(|level| 0.5 * f64::from(1u32 << level));
    let middles = [Vec3A::splat(own as f32), relative.point(DVec3::splat(other)).as_vec3a()];
    let mut walk = Walk { trees, levels, boxes: Boxes::new(relative), reached };
    let root = |side: usize| Visit { node: trees[side].root(), code: 0, level: 0, middle: middles[side] };
    let (first, second) = (root(0), root(1));
    if walk.overlap(&first, &second) {
        walk.pair(first, second);
    }
}

impl Walk<'_> {
    #[inline]
    fn half(&self, level: u32) -> f32 {
        0.5 * (8u32 << (self.levels[0] - level)) as f32
    }

    #[inline]
    fn overlap(&self, first: &Visit, second: &Visit) -> bool {
        let reach = self.boxes.reach[second.level as usize] + self.half(first.level);
        (first.middle - second.middle).abs().cmple(reach).all()
    }

    fn pair(&mut self, first: Visit, second: Visit) {
        let is_end = |side: usize, visit: &Visit| visit.node.is_terminal() || visit.level == self.levels[side];
        match [is_end(0, &first), is_end(1, &second)] {
            [true, true] => {
                for (side, visit) in [first, second].iter().enumerate().filter(|(_, visit)| visit.node.is_boundary()) {
                    self.reached[side].add(visit.node, visit.code);
                }
            }
            [true, false] if first.node.is_internal() && self.holds(&first, &second) => self.all_below(&second),
            [true, false] => self.descend_second(first, second),
            [false, true] => self.descend_first(first, second),
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

    /// Whether the box of the second node lies within the first.
    fn holds(&self, first: &Visit, second: &Visit) -> bool {
        let room = Vec3A::splat(self.half(first.level)) - self.boxes.reach[second.level as usize];
        (first.middle - second.middle).abs().cmple(room).all()
    }

    /// All chunks below a node of the second octree that lies within an internal one.
    fn all_below(&mut self, second: &Visit) {
        if second.level == self.levels[1] {
            self.reached[1].add(second.node, second.code);
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

/// Whether nothing of the surface of the intersection can be where a child meets another node.
#[inline]
fn is_nothing(child: Node, other: Node) -> bool {
    child.is_empty() && (!child.is_internal() || other.is_internal())
}
