//! Which parts of a tree are worth building again (\[Heo10\] section 5.4).

use std::ops::Range;

use super::body::{Body, Extra, Leaf, TWIG, pair_below};
use super::cost::{volume, volume_ratio};
use super::refit::Part;
use super::swept::Space;
use super::{BuildMethod, MeshTreeOptions};
use crate::bvh::Node;
use crate::bvh::shape::{Shape, append, end_below};

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
            let Some(child) = node.first_child_over(TWIG).filter(|_| node.leaves >= SMALLEST) else { continue };
            if self.is_worth_building(part.node, space, &options.restructure, budget) {
                chosen.push(part);
            } else {
                let middle = part.place + self.nodes[child as usize].leaves;
                stack.extend([Part { node: child + 1, place: middle }, Part { node: child, place: part.place }]);
            }
        }
        if !chosen.is_empty() {
            self.build_parts(options.build, &mut chosen);
            self.refit_parts(space, options.restructure.metric, &chosen);
        }
    }

    /// Builds parts of the tree again, from left to right; says which nodes they are below then, because where other faces are together
    /// there may be more twigs or fewer.
    pub(super) fn build_parts(&mut self, method: BuildMethod, parts: &mut [Part]) {
        let shapes: Vec<Shape> = parts.iter().map(|part| self.build_part(method, *part)).collect();
        // What is below each part: where it stood, and how much farther stands what comes behind it.
        let mut blocks: Vec<(Range<usize>, u32)> = Vec::with_capacity(parts.len());
        let mut by = 0u32;
        for (part, shape) in parts.iter().zip(&shapes) {
            let first = self.nodes[part.node as usize].link;
            let end = end_below(&self.nodes, first, TWIG);
            by = by.wrapping_add(shape.nodes.len() as u32 - 1).wrapping_sub(end - first);
            blocks.push((first as usize..end as usize, by));
        }
        let farther = |number: u32| {
            let before = blocks.partition_point(|(block, _)| block.end <= number as usize);
            before.checked_sub(1).map_or(0, |last| blocks[last].1)
        };
        let mut nodes = Vec::with_capacity(self.nodes.len().wrapping_add_signed(by as i32 as isize));
        let mut extras = Vec::with_capacity(nodes.capacity() / 2);
        let kept = |node: &Node| node.moved(TWIG, farther(node.link), 0);
        nodes.push(kept(&self.nodes[0]));
        let mut start = 1;
        for ((block, _), (part, shape)) in blocks.iter().zip(parts.iter().zip(&shapes)) {
            nodes.extend(self.nodes[start..block.start].iter().map(kept));
            extras.extend_from_slice(&self.extras[start / 2..block.start / 2]);
            append(&mut nodes, &shape.nodes, TWIG, part.place);
            extras.resize(nodes.len() / 2, Extra::NEW);
            start = block.end;
        }
        nodes.extend(self.nodes[start..].iter().map(kept));
        extras.extend_from_slice(&self.extras[start / 2..]);
        (self.nodes, self.extras) = (nodes, extras);
        for part in parts.iter_mut() {
            part.node = part.node.wrapping_add(farther(part.node));
            self.find_patches(*part);
        }
    }

    /// The shape of a part of the tree as it is built again, the faces of which stand in its order then.
    fn build_part(&mut self, method: BuildMethod, part: Part) -> Shape {
        let places = part.place as usize..(part.place + self.nodes[part.node as usize].leaves) as usize;
        let faces: Vec<u32> = self.leaves[places.clone()].iter().map(|leaf| leaf.face()).collect();
        let shape = self.shape_over(faces.iter().copied(), method);
        for (leaf, &number) in self.leaves[places].iter_mut().zip(&shape.order) {
            *leaf = Leaf::of(&self.features, faces[number as usize]);
        }
        shape
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
