//! Boxes, cones and costs of a tree whose shape stays: one pass from the leaves up (\[Heo10\] section 5.3).
//!
//! What is below a node stands behind it, so a sweep from the back meets every node after its children. The tree is swept in
//! blocks that fit the first cache: first all leaves of a block, four at a time, then its other nodes.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::body::{Body, Extra};
use super::cost::{Known, set_costs, volume};
use super::directions::DualCone;
use super::four;
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
    pub(super) fn refit(&mut self, space: &Space, metric: Metric, scratch: &mut Scratch) {
        self.prepare_cones();
        self.refit_parts(space, metric, &[Part { node: 0, place: 0 }], scratch);
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
        let [a, b, c] = self.features.faces[face as usize].corners;
        [&self.swept[a as usize], &self.swept[b as usize], &self.swept[c as usize]]
    }

    /// Refits what is below some nodes, and what is above them; the rest stands. Parts come from left to right.
    pub(super) fn refit_parts(&mut self, space: &Space, metric: Metric, parts: &[Part], scratch: &mut Scratch) {
        let (mut nodes, mut extras) = (std::mem::take(&mut self.nodes), std::mem::take(&mut self.extras));
        if let [root, below @ ..] = nodes.as_mut_slice() {
            let pass = Pass { body: self, space, metric };
            pass.refit_parts(Part { node: 0, place: 0 }, (root, below), &mut extras, parts, scratch);
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

/// A refit of boxes alone.
struct Boxes<'a> {
    body: &'a Body,
    space: &'a Space,
}

impl Boxes<'_> {
    fn refit(&self, root: &mut Node, nodes: &mut [Node]) {
        if root.leaves as usize > BLOCK {
            let (children, below) = nodes.split_at_mut(2);
            let [left, right] = children else { return };
            let (left_nodes, right_nodes) = below.split_at_mut(2 * left.leaves as usize - 2);
            if root.leaves as usize > SERIAL {
                rayon::join(|| self.refit(left, left_nodes), || self.refit(right, right_nodes));
            } else {
                self.refit(left, left_nodes);
                self.refit(right, right_nodes);
            }
            *root = Node::union(left, right, root.link);
            return;
        }
        let leaf = |face: u32| self.space.around(face, &self.body.placed_corners(face));
        if root.is_leaf() {
            *root = leaf(root.link);
            return;
        }
        let (mut leaves, mut inner) = ([0; 2 * BLOCK], [0; 2 * BLOCK]);
        let (leaf_count, inner_count) = tell_leaves(nodes, &mut leaves, &mut inner);
        for &place in &leaves[..leaf_count] {
            nodes[place as usize] = leaf(nodes[place as usize].link);
        }
        let first = root.link;
        let over = |node: &Node, nodes: &[Node]| {
            let child = (node.link - first) as usize;
            Node::union(&nodes[child], &nodes[child + 1], node.link)
        };
        for &place in inner[..inner_count].iter().rev() {
            nodes[place as usize] = over(&nodes[place as usize], nodes);
        }
        *root = over(root, nodes);
    }
}

/// Lists which nodes of a block are leaves and which are not; returns how many of each there are. Whether a node is a leaf is not to be
/// guessed, so all are written into both lists and counted in one.
#[inline(always)]
fn tell_leaves(nodes: &[Node], leaves: &mut [u32; 2 * BLOCK], inner: &mut [u32; 2 * BLOCK]) -> (usize, usize) {
    let (mut leaf_count, mut inner_count) = (0, 0);
    for (node, place) in nodes.iter().zip(0..) {
        let is_leaf = usize::from(node.is_leaf());
        leaves[leaf_count & LAST] = place;
        inner[inner_count & LAST] = place;
        leaf_count += is_leaf;
        inner_count += 1 - is_leaf;
    }
    (leaf_count, inner_count)
}

/// One refit of a body, whose nodes are lent out.
struct Pass<'a> {
    body: &'a Body,
    space: &'a Space,
    metric: Metric,
}

/// What a block is worked on with, one for each node of it. All places are below the lengths of these lists, whatever is in
/// them: they are cut off to that by `& LAST`, which is quicker than a check.
pub(super) struct Scratch {
    leaves: [u32; 2 * BLOCK],
    inner: [u32; 2 * BLOCK],
    known: [Known; 2 * BLOCK],
}

const LAST: usize = 2 * BLOCK - 1;

impl Scratch {
    pub(super) fn new() -> Box<Scratch> {
        Box::new(Scratch { leaves: [0; 2 * BLOCK], inner: [0; 2 * BLOCK], known: [Known::default(); 2 * BLOCK] })
    }
}

impl Pass<'_> {
    /// Refits the parts at and below a node, and the nodes between.
    fn refit_parts(
        &self,
        here: Part,
        (root, nodes): (&mut Node, &mut [Node]),
        extras: &mut [Extra],
        parts: &[Part],
        scratch: &mut Scratch,
    ) -> Known {
        let is_whole = parts.first().is_some_and(|part| part.node == here.node);
        if is_whole || root.is_leaf() {
            return self.refit(root, nodes, extras, scratch);
        }
        if parts.is_empty() {
            return Known::inner(&extras[0], volume(root, self.space.thin()));
        }
        let child = root.link;
        let (children, below) = nodes.split_at_mut(2);
        let [left, right] = children else { return Known::default() };
        let count = left.leaves;
        let middle = here.place + count;
        let (left_parts, right_parts) = parts.split_at(parts.partition_point(|part| part.place < middle));
        let (left_nodes, right_nodes) = below.split_at_mut(2 * count as usize - 2);
        let (extra, extras) = extras.split_at_mut(1);
        let (left_extras, right_extras) = extras.split_at_mut(count as usize - 1);
        let [left_here, right_here] =
            [Part { node: child, place: here.place }, Part { node: child + 1, place: middle }];
        let left_known = self.refit_parts(left_here, (left, left_nodes), left_extras, left_parts, scratch);
        let right_known = self.refit_parts(right_here, (right, right_nodes), right_extras, right_parts, scratch);
        let below = [*left, *right];
        self.merge(root, &mut extra[0], &below, [&left_known, &right_known])
    }

    /// Refits a node and all that is below it; returns what its parent asks for.
    fn refit(&self, root: &mut Node, nodes: &mut [Node], extras: &mut [Extra], scratch: &mut Scratch) -> Known {
        if root.is_leaf() {
            let corners = self.body.placed_corners(root.link);
            let [cone, ..] = self.cones([root.link; 4], &[corners; 4]);
            *root = self.space.around(root.link, &corners);
            return Known::leaf(cone, root, self.space.thin());
        }
        if root.leaves as usize <= BLOCK {
            return self.refit_block(root, nodes, extras, scratch);
        }
        let (children, below) = nodes.split_at_mut(2);
        let [left, right] = children else { return Known::default() };
        let count = left.leaves as usize;
        let (left_nodes, right_nodes) = below.split_at_mut(2 * count - 2);
        let (extra, extras) = extras.split_at_mut(1);
        let (left_extras, right_extras) = extras.split_at_mut(count - 1);
        let (left_known, right_known) = if root.leaves as usize > SERIAL {
            rayon::join(
                || self.refit(left, left_nodes, left_extras, &mut Scratch::new()),
                || self.refit(right, right_nodes, right_extras, &mut Scratch::new()),
            )
        } else {
            (self.refit(left, left_nodes, left_extras, scratch), self.refit(right, right_nodes, right_extras, scratch))
        };
        let below = [*left, *right];
        self.merge(root, &mut extra[0], &below, [&left_known, &right_known])
    }

    fn refit_block(&self, root: &mut Node, nodes: &mut [Node], extras: &mut [Extra], scratch: &mut Scratch) -> Known {
        let Scratch { leaves, inner, known } = scratch;
        let thin = self.space.thin();
        let (leaf_count, inner_count) = tell_leaves(nodes, leaves, inner);
        // The last four may be the same.
        let last = leaves[leaf_count - 1];
        leaves[leaf_count..leaf_count + 3].fill(last);
        for four in leaves[..leaf_count + 3].chunks_exact(4) {
            let &[a, b, c, d] = four else { continue };
            let [a, b, c, d] = [a as usize, b as usize, c as usize, d as usize];
            let faces = [nodes[a].link, nodes[b].link, nodes[c].link, nodes[d].link];
            let placed = |lane: usize| self.body.placed_corners(faces[lane]);
            let corners = [placed(0), placed(1), placed(2), placed(3)];
            let cones = self.cones(faces, &corners);
            for (place, lane) in [(a, 0), (b, 1), (c, 2), (d, 3)] {
                let node = self.space.around(faces[lane], &corners[lane]);
                known[place & LAST] = Known::leaf(cones[lane], &node, thin);
                nodes[place] = node;
            }
        }
        let first = root.link;
        for &place in inner[..inner_count].iter().rev() {
            let place = place as usize;
            let child = (nodes[place].link - first) as usize;
            let below = [nodes[child], nodes[child + 1]];
            let pair = [&known[child & LAST], &known[(child + 1) & LAST]];
            known[place & LAST] = self.merge(&mut nodes[place], &mut extras[child / 2], &below, pair);
        }
        let below = [nodes[0], nodes[1]];
        self.merge(root, &mut extras[0], &below, [&known[0], &known[1]])
    }

    /// Sets the box of a node and what is known of it from its children.
    #[inline(always)]
    fn merge(&self, node: &mut Node, extra: &mut Extra, below: &[Node; 2], known: [&Known; 2]) -> Known {
        *node = Node::union(&below[0], &below[1], node.link);
        extra.cone = known[0].cone.union(known[1].cone);
        set_costs(node, extra, known, self.space.thin(), self.metric)
    }

    #[inline(always)]
    fn cones(&self, faces: [u32; 4], corners: &[[&Swept; 3]; 4]) -> [DualCone; 4] {
        let (mut cones, known) = four::normal_cones(corners, self.space.reach);
        let has_boundary = |face: u32| self.body.features.faces[face as usize].has_boundary();
        let [a, b, c, d] = faces;
        if known != 0b1111 || has_boundary(a) | has_boundary(b) | has_boundary(c) | has_boundary(d) {
            self.ask_exactly(faces, known, &mut cones);
        }
        cones
    }

    #[cold]
    fn ask_exactly(&self, faces: [u32; 4], known: u32, cones: &mut [DualCone; 4]) {
        for (lane, (cone, face)) in cones.iter_mut().zip(faces).enumerate() {
            if known & 1 << lane == 0 || self.body.features.faces[face as usize].has_boundary() {
                *cone = self.body.face_cone(face, self.space.frame.scale);
            }
        }
    }
}
