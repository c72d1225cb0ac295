//! Boxes, cones and costs of a tree whose shape stays: one pass from the leaves up (\[Heo10\] section 5.3).
//!
//! What is below a node stands behind it, so a sweep from the back meets every node after its children. The tree is swept in
//! blocks that fit the first cache: first the twigs of a block, which hold its faces, then all nodes above them. A twig gets its box and
//! its cone from one look at its vertices, the normals of four faces at a time.

use std::cell::RefCell;

use bytemuck::Zeroable;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::body::{Body, Extra, Leaf, TWIG};
use super::cost::{Known, set_costs, volume};
use super::directions::{Directions, DualCone};
use super::four::{MovingCorners, Normals, Sides};
use super::restructure::Metric;
use super::swept::{Around, Space, Swept};
use crate::bvh::Node;
use crate::bvh::build::SERIAL;
use crate::geometry::Aabb;

/// How many faces are in a block at most.
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
            // Boxes alone leave nothing beside them, and a list of nothing takes no room.
            let mut nothing = vec![(); below.len() / 2];
            sweep(&Boxes { body: self, space }, &mut Branch { root, nodes: below, extras: &mut nothing });
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
    fn placed(&self, leaf: Leaf) -> MovingCorners {
        let [a, b, c] = leaf.corners;
        [self.swept[a as usize].ends(), self.swept[b as usize].ends(), self.swept[c as usize].ends()]
    }

    /// Refits what is below some nodes, and what is above them; the rest stands. Parts come from left to right.
    pub(super) fn refit_parts(&mut self, space: &Space, metric: Metric, parts: &[Part]) {
        let (mut nodes, mut extras) = (std::mem::take(&mut self.nodes), std::mem::take(&mut self.extras));
        if let [root, below @ ..] = nodes.as_mut_slice() {
            let cones = Cones { body: self, space, metric };
            let mut whole = Branch { root, nodes: below, extras: &mut extras };
            cones.refit_parts(Part { node: 0, place: 0 }, &mut whole, parts);
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
        swept.resize(self.to.len(), Swept::zeroed());
        let ends = self.start().par_chunks(SERIAL).zip(self.to.par_chunks(SERIAL));
        swept.par_chunks_mut(SERIAL).zip(ends).for_each(|(swept, (start, end))| {
            for ((swept, &from), &to) in swept.iter_mut().zip(start).zip(end) {
                *swept = space.swept(from, to, self.drift);
            }
        });
        self.swept = swept;
    }
}

thread_local! {
    /// Each thread keeps its own: to make one takes as long as to refit a hundred faces.
    static SCRATCH: RefCell<Box<Scratch>> = RefCell::new(Scratch::new());
}

/// What a block is worked on with, one for each node of it. All places are below the lengths of these lists, whatever is in
/// them: they are cut off to that by `& LAST`, which is quicker than a check.
struct Scratch {
    /// The places of the nodes that are twigs, and of those that are none.
    twigs: [u16; 2 * BLOCK],
    boughs: [u16; 2 * BLOCK],
    known: [Known; 2 * BLOCK],
}

const LAST: usize = 2 * BLOCK - 1;

impl Scratch {
    fn new() -> Box<Scratch> {
        let places = [0; 2 * BLOCK];
        Box::new(Scratch { twigs: places, boughs: places, known: [Known::default(); 2 * BLOCK] })
    }

    /// Lists the nodes of a block; returns how many are twigs. What a node is cannot be guessed, so all are written into both lists
    /// and counted in the one that they belong to.
    #[inline(always)]
    fn list(&mut self, nodes: &[Node]) -> usize {
        let (mut twigs, mut boughs) = (0, 0);
        for (node, place) in nodes.iter().zip(0..) {
            let is_twig = usize::from(node.leaves <= TWIG);
            self.twigs[twigs & LAST] = place;
            self.boughs[boughs & LAST] = place;
            twigs += is_twig;
            boughs += 1 - is_twig;
        }
        twigs
    }
}

/// A node with all that is below it.
struct Branch<'a, Extra> {
    root: &'a mut Node,
    nodes: &'a mut [Node],
    extras: &'a mut [Extra],
}

impl<Extra> Branch<'_, Extra> {
    /// What is known of the node, and the branches of its two children.
    #[inline(always)]
    fn fork(&mut self) -> Option<(&mut Node, &mut Extra, Branch<'_, Extra>, Branch<'_, Extra>)> {
        let (children, below) = self.nodes.split_at_mut_checked(2)?;
        let [left, right] = children else { return None };
        let (extra, extras) = self.extras.split_first_mut()?;
        // What is below the right one comes last.
        let count = right.first_child_over(TWIG).map_or(below.len(), |child| (child - self.root.link) as usize - 2);
        let (left_nodes, right_nodes) = below.split_at_mut(count);
        let (left_extras, right_extras) = extras.split_at_mut(count / 2);
        let left = Branch { root: left, nodes: left_nodes, extras: left_extras };
        let right = Branch { root: right, nodes: right_nodes, extras: right_extras };
        Some((self.root, extra, left, right))
    }
}

/// What is found out about nodes on the way up.
trait Pass: Sync {
    /// What stands beside a node.
    type Extra: Send;

    /// Sets the box of a twig; returns what its parent asks for.
    fn twig(&self, twig: &mut Node) -> Known;

    /// Sets what stands beside a node that has its box, from what is known of its children.
    fn bough(&self, bough: &Node, extra: &mut Self::Extra, below: &[Known; 2]) -> Known;
}

/// Refits a node and all that is below it.
fn sweep<P: Pass>(pass: &P, branch: &mut Branch<'_, P::Extra>) -> Known {
    if branch.root.leaves as usize <= SERIAL {
        return SCRATCH.with_borrow_mut(|scratch| sweep_serially(pass, branch, scratch));
    }
    let Some((root, extra, mut left, mut right)) = branch.fork() else { return Known::default() };
    let (left_known, right_known) = rayon::join(|| sweep(pass, &mut left), || sweep(pass, &mut right));
    root.set_union(left.root, right.root);
    pass.bough(root, extra, &[left_known, right_known])
}

fn sweep_serially<P: Pass>(pass: &P, branch: &mut Branch<'_, P::Extra>, scratch: &mut Scratch) -> Known {
    if branch.root.leaves as usize <= BLOCK {
        return sweep_block(pass, branch, scratch);
    }
    let Some((root, extra, mut left, mut right)) = branch.fork() else { return Known::default() };
    let known = [sweep_serially(pass, &mut left, scratch), sweep_serially(pass, &mut right, scratch)];
    root.set_union(left.root, right.root);
    pass.bough(root, extra, &known)
}

fn sweep_block<P: Pass>(pass: &P, branch: &mut Branch<'_, P::Extra>, scratch: &mut Scratch) -> Known {
    let Branch { root, nodes, extras } = branch;
    if nodes.is_empty() {
        return pass.twig(root);
    }
    let twigs = scratch.list(nodes);
    for &place in &scratch.twigs[..twigs] {
        scratch.known[usize::from(place) & LAST] = pass.twig(&mut nodes[usize::from(place)]);
    }
    let known = &mut scratch.known;
    for &place in scratch.boughs[..nodes.len() - twigs].iter().rev() {
        let place = usize::from(place);
        let child = (nodes[place].link - root.link) as usize;
        let (before, below) = nodes.split_at_mut(child);
        before[place].set_union(&below[0], &below[1]);
        known[place & LAST] =
            pass.bough(&before[place], &mut extras[child / 2], &[known[child & LAST], known[(child + 1) & LAST]]);
    }
    root.set_union(&nodes[0], &nodes[1]);
    pass.bough(root, &mut extras[0], &[known[0], known[1]])
}

/// Boxes alone.
struct Boxes<'a> {
    body: &'a Body,
    space: &'a Space,
}

impl Pass for Boxes<'_> {
    type Extra = ();

    #[inline(always)]
    fn twig(&self, twig: &mut Node) -> Known {
        let mut around = Around::NOTHING;
        for &leaf in self.body.leaves_of(twig) {
            around.include(self.body.placed(leaf));
        }
        let (low, high) = self.space.rounded(&around);
        twig.set_corners(low, high);
        Known::default()
    }

    #[inline(always)]
    fn bough(&self, _: &Node, (): &mut (), _: &[Known; 2]) -> Known {
        Known::default()
    }
}

/// Boxes, cones and costs.
struct Cones<'a> {
    body: &'a Body,
    space: &'a Space,
    metric: Metric,
}

impl Pass for Cones<'_> {
    type Extra = Extra;

    #[inline(always)]
    fn twig(&self, twig: &mut Node) -> Known {
        let Cones { body, space, .. } = *self;
        let (mut around, mut normals) = (Around::NOTHING, Normals::NONE);
        let mut has_boundary = false;
        let mut sides = [Sides::NONE; 4];
        for four in body.leaves_of(twig).chunks(4) {
            for (&leaf, sides) in four.iter().zip(&mut sides) {
                let corners = body.placed(leaf);
                around.include(corners);
                *sides = Sides::of(corners);
                has_boundary |= leaf.has_boundary();
            }
            // The first stands in for those that are missing.
            if four.len() < 4 {
                let first = sides[0];
                sides[four.len()..].fill(first);
            }
            normals.include(&sides);
        }
        let (low, high) = space.rounded(&around);
        twig.set_corners(low, high);
        let cone = match has_boundary || !normals.are_known(space.reach) {
            true => body.exact_cone(twig, space),
            false => DualCone::new(normals.directions(), Directions::EMPTY),
        };
        Known::twig(cone, twig, space.thin())
    }

    #[inline(always)]
    fn bough(&self, bough: &Node, extra: &mut Extra, below: &[Known; 2]) -> Known {
        extra.cone = below[0].cone.union(below[1].cone);
        set_costs(bough, extra, below, self.space.thin(), self.metric)
    }
}

impl Cones<'_> {
    /// Refits the parts at and below a node, and the nodes between.
    fn refit_parts(&self, here: Part, branch: &mut Branch<'_, Extra>, parts: &[Part]) -> Known {
        let is_whole = parts.first().is_some_and(|part| part.node == here.node);
        if is_whole || branch.nodes.is_empty() {
            return sweep(self, branch);
        }
        if parts.is_empty() {
            return Known::inner(&branch.extras[0], volume(branch.root, self.space.thin()));
        }
        let child = branch.root.link;
        let Some((root, extra, mut left, mut right)) = branch.fork() else { return Known::default() };
        let middle = here.place + left.root.leaves;
        let (left_parts, right_parts) = parts.split_at(parts.partition_point(|part| part.place < middle));
        let left_known = self.refit_parts(Part { node: child, place: here.place }, &mut left, left_parts);
        let right_known = self.refit_parts(Part { node: child + 1, place: middle }, &mut right, right_parts);
        root.set_union(left.root, right.root);
        self.bough(root, extra, &[left_known, right_known])
    }
}

impl Body {
    #[cold]
    fn exact_cone(&self, twig: &Node, space: &Space) -> DualCone {
        let cones = self.leaves_of(twig).iter().map(|leaf| self.face_cone(leaf.face(), space.frame.scale));
        cones.fold(DualCone::default(), DualCone::union)
    }
}
