//! Boxes, cones and costs of a tree whose shape stays: one pass from the leaves up (\[Heo10\] section 5.3).
//!
//! What is below a node stands behind it, so a sweep from the back meets every node after its children. The tree is swept in
//! blocks that fit the first cache: first the boxes of all leaves of a block, then those of its other nodes, then cones and costs.
//! Of a twig, a node with few leaves, only the whole has a cone, which is found from its normals four at a time.

use std::cell::RefCell;

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::body::{Body, Extra, TWIG};
use super::cost::{Known, set_costs, volume};
use super::directions::{Directions, DualCone};
use super::four::Normals;
use super::restructure::Metric;
use super::swept::{Space, Swept};
use crate::bvh::Node;
use crate::bvh::build::SERIAL;
use crate::geometry::Aabb;

/// How many leaves are in a block at most.
const BLOCK: usize = 256;

/// A part of a tree: the node that it is below, and the place from left to right that its leaves start at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub node: u32,
    pub place: u32,
}

impl Body {
    /// Makes the tree that of where vertices are placed.
    pub(super) fn refit(&mut self, space: &Space, metric: Metric) {
        self.prepare_cones();
        self.refit_parts(space, metric, &[Part { node: 0, place: 0 }]);
        self.has_cones = true;
        self.set_bounds(space);
    }

    /// [`Body::refit`] without cones and costs, which a body that is seen from a point within does not need.
    pub(super) fn refit_boxes(&mut self, space: &Space) {
        let mut nodes = std::mem::take(&mut self.nodes);
        if let [root, below @ ..] = nodes.as_mut_slice() {
            Boxes { body: self, space }.refit(root, below);
        }
        self.nodes = nodes;
        self.has_cones = false;
        self.set_bounds(space);
    }

    fn set_bounds(&mut self, space: &Space) {
        self.bounds = self.nodes.first().map_or(Aabb::EMPTY, |root| self.along(space.frame.world(root)));
    }

    /// The corners of a face as the tree sees them.
    #[inline(always)]
    fn placed_corners(&self, face: u32) -> [&Swept; 3] {
        self.placed(self.features.faces[face as usize].corners)
    }

    #[inline(always)]
    fn placed(&self, [a, b, c]: [u32; 3]) -> [&Swept; 3] {
        [&self.swept[a as usize], &self.swept[b as usize], &self.swept[c as usize]]
    }

    /// Refits what is below some nodes, and what is above them; the rest stands. Parts come from left to right.
    pub(super) fn refit_parts(&mut self, space: &Space, metric: Metric, parts: &[Part]) {
        let (mut nodes, mut extras) = (std::mem::take(&mut self.nodes), std::mem::take(&mut self.extras));
        if let [root, below @ ..] = nodes.as_mut_slice() {
            let pass = Pass { boxes: Boxes { body: self, space }, metric };
            pass.refit_parts(Part { node: 0, place: 0 }, (root, below), &mut extras, parts);
        }
        (self.nodes, self.extras) = (nodes, extras);
    }

    /// The cones of a face from vertices in double precision.
    pub(super) fn face_cone(&self, face: u32, scale: f64) -> DualCone {
        let row = self.features.faces[face as usize];
        let sides = |positions: &[DVec3]| -> [Vec3; 2] {
            let [a, b, c] = row.corners.map(|corner| positions[corner as usize]);
            [((b - a) * scale).as_vec3(), ((c - a) * scale).as_vec3()]
        };
        if self.is_moving {
            DualCone::moving(sides(&self.from), sides(&self.to), row.boundary())
        } else {
            DualCone::resting(sides(&self.to), row.boundary())
        }
    }

    /// Brings the vertices into the tree's coordinates.
    pub(super) fn place_vertices(&mut self, space: &Space) {
        let mut swept = std::mem::take(&mut self.swept);
        let drift = self.drift;
        let place = |(from, to): (&DVec3, &DVec3)| space.swept(*from, *to, drift);
        if self.to.len() > SERIAL {
            self.start().par_iter().zip(&self.to).with_min_len(SERIAL).map(place).collect_into_vec(&mut swept);
        } else {
            swept.clear();
            swept.extend(self.start().iter().zip(&self.to).map(place));
        }
        self.swept = swept;
    }
}

thread_local! {
    /// Each thread keeps its own: to make one takes as long as to refit a hundred leaves.
    static SCRATCH: RefCell<Box<Scratch>> = RefCell::new(Scratch::new());
}

/// What a block is worked on with, one for each node of it. All places are below the lengths of these lists, whatever is in
/// them: they are cut off to that by `& LAST`, which is quicker than a check.
struct Scratch {
    /// The places of the nodes that are leaves, that are none, and that are larger than a twig.
    leaves: [u32; 2 * BLOCK],
    inner: [u32; 2 * BLOCK],
    boughs: [u32; 2 * BLOCK],
    counts: Counts,
    /// How many leaves stand before each node.
    leaves_before: [u32; 2 * BLOCK],
    /// Of the boughs.
    known: [Known; 2 * BLOCK],
    /// What is far off is fetched for all of a block before it is worked on, because each is a long wait that others need not wait for:
    /// the vertices of the leaves, and what the boughs knew.
    corners: [[u32; 3]; 2 * BLOCK],
    extras: [Extra; 2 * BLOCK],
}

#[derive(Clone, Copy, Default)]
struct Counts {
    leaves: usize,
    inner: usize,
    boughs: usize,
}

const LAST: usize = 2 * BLOCK - 1;

impl Scratch {
    fn new() -> Box<Scratch> {
        let places = [0; 2 * BLOCK];
        Box::new(Scratch {
            leaves: places,
            inner: places,
            boughs: places,
            counts: Counts::default(),
            leaves_before: places,
            known: [Known::default(); 2 * BLOCK],
            corners: [[0; 3]; 2 * BLOCK],
            extras: [Extra::NEW; 2 * BLOCK],
        })
    }

    /// Lists the nodes of a block. What a node is cannot be guessed, so all are written into all lists and counted in those that they
    /// belong to.
    #[inline(always)]
    fn list(&mut self, nodes: &[Node]) {
        let mut counts = Counts::default();
        for (node, place) in nodes.iter().zip(0..) {
            let is_leaf = usize::from(node.is_leaf());
            self.leaves[counts.leaves & LAST] = place;
            self.inner[counts.inner & LAST] = place;
            self.boughs[counts.boughs & LAST] = place;
            self.leaves_before[place as usize & LAST] = counts.leaves as u32;
            counts.leaves += is_leaf;
            counts.inner += 1 - is_leaf;
            counts.boughs += usize::from(node.leaves > TWIG);
        }
        self.counts = counts;
    }

    /// The places of the leaves at or below a node of the block that `first` is the number of the first node of.
    #[inline(always)]
    fn leaves_of(&self, node: &Node, place: usize, first: u32) -> &[u32] {
        let before = if node.is_leaf() { place } else { (node.link - first) as usize };
        &self.leaves[self.leaves_before[before & LAST] as usize..][..node.leaves as usize]
    }
}

/// A refit of boxes alone.
#[derive(Clone, Copy)]
struct Boxes<'a> {
    body: &'a Body,
    space: &'a Space,
}

impl Boxes<'_> {
    fn refit(&self, root: &mut Node, nodes: &mut [Node]) {
        if root.leaves as usize <= SERIAL {
            SCRATCH.with_borrow_mut(|scratch| self.refit_serially(root, nodes, scratch));
            return;
        }
        let Some([(left, left_nodes), (right, right_nodes)]) = halves(nodes) else { return };
        rayon::join(|| self.refit(left, left_nodes), || self.refit(right, right_nodes));
        root.set_union(left, right);
    }

    fn refit_serially(&self, root: &mut Node, nodes: &mut [Node], scratch: &mut Scratch) {
        if root.leaves as usize <= BLOCK {
            self.refit_block(root, nodes, scratch);
            return;
        }
        let Some([(left, left_nodes), (right, right_nodes)]) = halves(nodes) else { return };
        self.refit_serially(left, left_nodes, scratch);
        self.refit_serially(right, right_nodes, scratch);
        root.set_union(left, right);
    }

    /// Sets the boxes of a node and of those below it, which are listed then.
    #[inline(always)]
    fn refit_block(&self, root: &mut Node, nodes: &mut [Node], scratch: &mut Scratch) {
        if root.is_leaf() {
            self.set_leaf(root);
            return;
        }
        scratch.list(nodes);
        let leaves = &scratch.leaves[..scratch.counts.leaves];
        for (corners, &place) in scratch.corners.iter_mut().zip(leaves) {
            *corners = self.body.features.faces[nodes[place as usize].link as usize].corners;
        }
        for (corners, &place) in scratch.corners.iter().zip(leaves) {
            self.space.set_around(&mut nodes[place as usize], &self.body.placed(*corners));
        }
        for &place in scratch.inner[..scratch.counts.inner].iter().rev() {
            let child = (nodes[place as usize].link - root.link) as usize;
            let (before, below) = nodes.split_at_mut(child);
            before[place as usize].set_union(&below[0], &below[1]);
        }
        root.set_union(&nodes[0], &nodes[1]);
    }

    #[inline(always)]
    fn set_leaf(&self, leaf: &mut Node) {
        self.space.set_around(leaf, &self.body.placed_corners(leaf.link));
    }
}

/// One refit of a body, whose nodes are lent out.
struct Pass<'a> {
    boxes: Boxes<'a>,
    metric: Metric,
}

impl Pass<'_> {
    /// Refits the parts at and below a node, and the nodes between.
    fn refit_parts(
        &self,
        here: Part,
        (root, nodes): (&mut Node, &mut [Node]),
        extras: &mut [Extra],
        parts: &[Part],
    ) -> Known {
        let is_whole = parts.first().is_some_and(|part| part.node == here.node);
        if is_whole || root.leaves <= TWIG {
            return self.refit(root, nodes, extras);
        }
        if parts.is_empty() {
            return Known::inner(&extras[0], volume(root, self.boxes.space.thin()));
        }
        let child = root.link;
        let Some((extra, left, right)) = halves_with(nodes, extras) else { return Known::default() };
        let middle = here.place + left.root.leaves;
        let (left_parts, right_parts) = parts.split_at(parts.partition_point(|part| part.place < middle));
        let [left_here, right_here] =
            [Part { node: child, place: here.place }, Part { node: child + 1, place: middle }];
        let left_known = self.refit_parts(left_here, (left.root, left.nodes), left.extras, left_parts);
        let right_known = self.refit_parts(right_here, (right.root, right.nodes), right.extras, right_parts);
        root.set_union(left.root, right.root);
        self.merge(root, extra, &[left_known, right_known])
    }

    /// Refits a node and all that is below it; returns what its parent asks for.
    fn refit(&self, root: &mut Node, nodes: &mut [Node], extras: &mut [Extra]) -> Known {
        if root.leaves as usize <= SERIAL {
            return SCRATCH.with_borrow_mut(|scratch| self.refit_serially(root, nodes, extras, scratch));
        }
        let Some((extra, left, right)) = halves_with(nodes, extras) else { return Known::default() };
        let (left_known, right_known) = rayon::join(
            || self.refit(left.root, left.nodes, left.extras),
            || self.refit(right.root, right.nodes, right.extras),
        );
        root.set_union(left.root, right.root);
        self.merge(root, extra, &[left_known, right_known])
    }

    fn refit_serially(
        &self,
        root: &mut Node,
        nodes: &mut [Node],
        extras: &mut [Extra],
        scratch: &mut Scratch,
    ) -> Known {
        if root.leaves as usize <= BLOCK {
            return self.refit_block(root, nodes, extras, scratch);
        }
        let Some((extra, left, right)) = halves_with(nodes, extras) else { return Known::default() };
        let left_known = self.refit_serially(left.root, left.nodes, left.extras, scratch);
        let right_known = self.refit_serially(right.root, right.nodes, right.extras, scratch);
        root.set_union(left.root, right.root);
        self.merge(root, extra, &[left_known, right_known])
    }

    fn refit_block(&self, root: &mut Node, nodes: &mut [Node], extras: &mut [Extra], scratch: &mut Scratch) -> Known {
        self.boxes.refit_block(root, nodes, scratch);
        let first = root.link;
        if root.is_leaf() {
            return self.twig(root, &[*root], &[0]);
        }
        if root.leaves <= TWIG {
            return self.twig(root, nodes, &scratch.leaves[..root.leaves as usize]);
        }
        let boughs = scratch.counts.boughs;
        let child_of = |nodes: &[Node], bough: u32| (nodes[bough as usize].link - first) as usize;
        for (extra, &bough) in scratch.extras.iter_mut().zip(&scratch.boughs[..boughs]) {
            *extra = extras[child_of(nodes, bough) / 2];
        }
        for number in (0..boughs).rev() {
            let bough = scratch.boughs[number];
            let child = child_of(nodes, bough);
            let pair = self.known_of_pair(nodes, child, first, scratch);
            let mut extra = scratch.extras[number & LAST];
            scratch.known[bough as usize & LAST] = self.merge(&nodes[bough as usize], &mut extra, &pair);
            extras[child / 2] = extra;
        }
        let pair = self.known_of_pair(nodes, 0, first, scratch);
        self.merge(root, &mut extras[0], &pair)
    }

    /// What is known of two siblings in a block.
    #[inline(always)]
    fn known_of_pair(&self, nodes: &[Node], left: usize, first: u32, scratch: &Scratch) -> [Known; 2] {
        let known = |place: usize| {
            let node = &nodes[place];
            if node.leaves > TWIG {
                return scratch.known[place & LAST];
            }
            self.twig(node, nodes, scratch.leaves_of(node, place, first))
        };
        [known(left), known(left + 1)]
    }

    /// Sets what is known of a node with its box from its children.
    #[inline(always)]
    fn merge(&self, node: &Node, extra: &mut Extra, known: &[Known; 2]) -> Known {
        extra.cone = known[0].cone.union(known[1].cone);
        set_costs(node, extra, known, self.boxes.space.thin(), self.metric)
    }

    /// What is known of a twig, whose leaves are at some places among nodes.
    fn twig(&self, twig: &Node, nodes: &[Node], leaves: &[u32]) -> Known {
        let Boxes { body, space } = self.boxes;
        let (mut normals, mut cone) = (Normals::NONE, DualCone::default());
        for four in leaves.chunks(4) {
            // The last may stand in for those that are missing.
            let face = |lane: usize| nodes[four[lane.min(four.len() - 1)] as usize].link;
            let faces = [face(0), face(1), face(2), face(3)];
            let placed = |lane: usize| body.placed_corners(faces[lane]);
            let has_boundary = |lane: usize| body.features.faces[faces[lane] as usize].has_boundary();
            if has_boundary(0) | has_boundary(1) | has_boundary(2) | has_boundary(3)
                || !normals.include(&[placed(0), placed(1), placed(2), placed(3)], space.reach)
            {
                cone = cone.union(body.exact_cone(&faces, space));
            }
        }
        let normals = DualCone::new(normals.directions(), Directions::EMPTY);
        Known::twig(cone.union(normals), twig, space.thin())
    }
}

/// One of the two children of a node, and what is below it.
struct Half<'a> {
    root: &'a mut Node,
    nodes: &'a mut [Node],
    extras: &'a mut [Extra],
}

/// The two children of a node, each with what is below it.
fn halves(nodes: &mut [Node]) -> Option<[(&mut Node, &mut [Node]); 2]> {
    let (children, below) = nodes.split_at_mut(2);
    let [left, right] = children else { return None };
    let (left_nodes, right_nodes) = below.split_at_mut(2 * left.leaves as usize - 2);
    Some([(left, left_nodes), (right, right_nodes)])
}

/// The same with what these know, and before them what the node itself knows.
fn halves_with<'a>(nodes: &'a mut [Node], extras: &'a mut [Extra]) -> Option<(&'a mut Extra, Half<'a>, Half<'a>)> {
    let [(left, left_nodes), (right, right_nodes)] = halves(nodes)?;
    let (extra, extras) = extras.split_first_mut()?;
    let (left_extras, right_extras) = extras.split_at_mut(left.leaves as usize - 1);
    let left = Half { root: left, nodes: left_nodes, extras: left_extras };
    let right = Half { root: right, nodes: right_nodes, extras: right_extras };
    Some((extra, left, right))
}

impl Body {
    #[cold]
    fn exact_cone(&self, faces: &[u32], space: &Space) -> DualCone {
        let cones = faces.iter().map(|&face| self.face_cone(face, space.frame.scale));
        cones.fold(DualCone::default(), DualCone::union)
    }
}
