//! Pairs of triangles whose boxes overlap (\[Heo10\] sections 3.1 and 4.2).
//!
//! Every pair within a body is one between the two children of exactly one of its nodes, so it is enough to look at the
//! nodes that are not below one which was culled; then come pairs of bodies. Both are cut into tasks by the shape of
//! the trees alone, and their results are put together in that order, so threads change nothing.

use std::ops::{Add, Range};

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::apart::{Parting, Vertices, parting};
use super::body::{Body, pair_below};
use super::contour::Surface;
use super::near::Near;
use super::swept::View;
use super::{Culling, MeshTree};
use crate::bvh::Node;
use crate::bvh::build::SERIAL;
use crate::bvh::node::Corners;
use crate::bvh::pairs::{SMALL, Stack, children, descend, tasks_between};

/// How many nodes one task looks below.
const NODES_PER_TASK: usize = 512;

/// More pairs of faces than this are looked for by trees.
const MOST_NEAR_PAIRS: usize = 1 << 15;

/// What a search did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraversalCounts {
    /// Pairs of boxes that overlap, of all levels; of small bodies that are compared without their trees, those of triangles alone which no
    /// normal of theirs keeps apart.
    pub overlaps: u64,
    /// Those of two triangles.
    pub triangle_pairs: u64,
    /// Parts of bodies that were not searched for contacts with themselves.
    pub culled: u64,
    /// Parts that were looked at for that in vain.
    pub not_culled: u64,
    /// Pairs of bodies whose boxes overlap, but that a plane fits between.
    pub parted: u64,
}

impl Add for TraversalCounts {
    type Output = TraversalCounts;

    fn add(self, other: TraversalCounts) -> TraversalCounts {
        TraversalCounts {
            overlaps: self.overlaps + other.overlaps,
            triangle_pairs: self.triangle_pairs + other.triangle_pairs,
            culled: self.culled + other.culled,
            not_culled: self.not_culled + other.not_culled,
            parted: self.parted + other.parted,
        }
    }
}

/// The time that a search is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Span {
    /// From the start of a step to its end.
    Step,
    /// The end alone.
    End,
}

/// Two faces whose boxes overlap.
pub(super) struct FacePair<'a> {
    pub bodies: [&'a Body; 2],
    /// How the second body is seen.
    pub view: &'a View,
    pub faces: [u32; 2],
    /// Whether it is known that neither an axis nor a normal of theirs keeps them apart.
    pub is_compared: bool,
}

/// A part of a search.
enum Task<'a> {
    /// Between the children of each of these nodes.
    Within(&'a Body, &'a [u32]),
    /// Between nodes of two bodies, or of one and the same.
    Between([&'a Body; 2], View, (u32, u32)),
    /// Between two small bodies that overlap, but along a direction by little.
    Near([&'a Body; 2], View, [&'a Vertices; 2], Vec3),
}

impl MeshTree {
    /// Calls `visit` for every two triangles whose boxes overlap and that are not known to be apart; what it adds to its
    /// lists is returned in an order that depends on the tree only. If it is said to be strict, bodies that a plane fits between are
    /// left out, unless nothing is culled.
    pub(super) fn search<T: Send>(
        &self,
        span: Span,
        strict: bool,
        visit: impl Fn(&FacePair<'_>, &mut Vec<T>) + Sync,
    ) -> (Vec<Vec<T>>, TraversalCounts) {
        let culling = self.culling();
        // What has been taken out since the last update leaves a hole.
        let bodies: Vec<Option<&Body>> = self.tops.iter().map(|&slot| self.bodies[slot as usize].as_ref()).collect();
        let open: Vec<Open> = (bodies.par_iter())
            .map(|body| body.map_or(Open::default(), |body| Open::of(body, culling, span)))
            .collect();
        let mut counts = open.iter().fold(TraversalCounts::default(), |counts, open| counts + open.counts);
        let mut tasks: Vec<Task<'_>> = Vec::new();
        for (body, open) in bodies.iter().zip(&open).filter_map(|(body, open)| body.zip(Some(open))) {
            tasks.extend(open.nodes.chunks(NODES_PER_TASK).map(|nodes| Task::Within(body, nodes)));
            for child in open.large.iter().filter_map(|&node| body.nodes[node as usize].first_child()) {
                let nodes = tasks_between(&body.nodes, &body.nodes, (child, child + 1), Node::lanes);
                tasks.extend(nodes.into_iter().map(|nodes| Task::Between([body; 2], View::ITSELF, nodes)));
            }
        }
        let may_part = strict && self.options.culling != Culling::Off;
        let vertices: Vec<Option<Vertices>> =
            bodies.par_iter().map(|body| body.filter(|_| may_part).and_then(|body| Vertices::of(body, span))).collect();
        let between: Vec<(Vec<Task<'_>>, u64)> = (self.top.collect_self_pairs().into_par_iter())
            .map(|pair| {
                let [Some(a), Some(b)] = pair.map(|body| bodies[body as usize]) else { return (Vec::new(), 0) };
                if span == Span::Step && !self.options.crack_contacts && a.is_newborn_sibling(b) {
                    return (Vec::new(), 0);
                }
                let view = self.space.view(a.drift, b.drift, span);
                if let [Some(one), Some(other)] = pair.map(|body| vertices[body as usize].as_ref()) {
                    return match parting([one, other], &view, &self.space) {
                        Parting::Apart(_) => (Vec::new(), 1),
                        Parting::Overlapping(along) => (vec![Task::Near([a, b], view, [one, other], along)], 0),
                    };
                }
                let nodes = tasks_between(&a.nodes, &b.nodes, (0, 0), |node| view.corners(node));
                (nodes.into_iter().map(|nodes| Task::Between([a, b], view, nodes)).collect(), 0)
            })
            .collect();
        for (nodes, parted) in between {
            tasks.extend(nodes);
            counts.parted += parted;
        }
        let parts: Vec<(Vec<T>, TraversalCounts)> = tasks
            .par_iter()
            .map_init(<(Stack, Near)>::default, |(stack, near), task| {
                let mut found = Vec::new();
                let mut counts = TraversalCounts::default();
                let mut visit = |bodies: [&Body; 2], view: &View, faces: [u32; 2], is_compared: bool| {
                    visit(&FacePair { bodies, view, faces, is_compared }, &mut found);
                };
                match *task {
                    Task::Within(body, nodes) => {
                        for left in nodes.iter().filter_map(|&node| body.nodes[node as usize].first_child()) {
                            let [node, sibling] = children(&body.nodes, left);
                            stack.push([((left, left + 1), node.overlaps(sibling))]);
                            cross([body; 2], Node::lanes, stack, &mut counts, &mut |faces| {
                                visit([body; 2], &View::ITSELF, faces, false);
                            });
                        }
                    }
                    Task::Between(pair, view, nodes) => {
                        stack.push([(nodes, true)]);
                        cross_bodies(pair, &view, stack, &mut counts, &mut |faces| visit(pair, &view, faces, false));
                    }
                    Task::Near(pair, view, vertices, along) => {
                        if near.find(pair, vertices, &view, &self.space, along) > MOST_NEAR_PAIRS {
                            stack.push([((0, 0), true)]);
                            cross_bodies(pair, &view, stack, &mut counts, &mut |faces| {
                                visit(pair, &view, faces, false);
                            });
                        } else {
                            let pairs = near.visit_pairs(span, &self.space, |faces| visit(pair, &view, faces, true));
                            counts.overlaps += pairs;
                            counts.triangle_pairs += pairs;
                        }
                    }
                }
                (found, counts)
            })
            .collect();
        let (parts, part_counts): (Vec<Vec<T>>, Vec<TraversalCounts>) = parts.into_iter().unzip();
        counts = part_counts.into_iter().fold(counts, TraversalCounts::add);
        (parts, counts)
    }
}

/// [`cross`] for two bodies, the second of which is seen as `view` says.
#[inline]
fn cross_bodies(
    pair: [&Body; 2],
    view: &View,
    stack: &mut Stack,
    counts: &mut TraversalCounts,
    visit: &mut impl FnMut([u32; 2]),
) {
    cross(pair, |node| view.corners(node), stack, counts, visit);
}

#[inline]
fn cross(
    pair: [&Body; 2],
    seen: impl Fn(&Node) -> Corners,
    stack: &mut Stack,
    counts: &mut TraversalCounts,
    visit: &mut impl FnMut([u32; 2]),
) {
    let [a, b] = pair.map(|body| body.nodes.as_slice());
    while let Some(nodes) = stack.pop() {
        counts.overlaps += 1;
        if !descend(a, b, nodes, &seen, stack) {
            counts.triangle_pairs += 1;
            visit([a[nodes.0 as usize].link, b[nodes.1 as usize].link]);
        }
    }
}

/// The nodes of a body that are not culled, nor below one that is.
#[derive(Default)]
struct Open {
    nodes: Vec<u32>,
    /// Those that hold so much that the search between their children is divided.
    large: Vec<u32>,
    counts: TraversalCounts,
}

impl Open {
    fn of(body: &Body, culling: Culling, span: Span) -> Open {
        let mut open = Open::default();
        if let Some(root) = body.nodes.first() {
            let from = if span == Span::Step { body.start() } else { &body.to };
            let judge = Judge { body, culling, motion: [from, &body.to] };
            if culling == Culling::Contours && body.star == Some(true) {
                open.counts.culled = 1;
            } else {
                open.look_at(&judge, (0, root), 0);
            }
        }
        open
    }

    fn look_at(&mut self, judge: &Judge<'_>, (number, node): (u32, &Node), place: u32) {
        let Some(child) = node.first_child() else { return };
        match judge.culls(node, place..place + node.leaves) {
            Some(true) => {
                self.counts.culled += 1;
                return;
            }
            Some(false) => self.counts.not_culled += 1,
            None => {}
        }
        if node.leaves > SMALL { &mut self.large } else { &mut self.nodes }.push(number);
        let [left, right] = children(&judge.body.nodes, child);
        let (left, right) = (((child, left), place), ((child + 1, right), place + left.leaves));
        if node.leaves as usize > SERIAL {
            let mut other = Open::default();
            rayon::join(|| self.look_at(judge, left.0, left.1), || other.look_at(judge, right.0, right.1));
            self.nodes.extend(other.nodes);
            self.large.extend(other.large);
            self.counts = self.counts + other.counts;
        } else {
            self.look_at(judge, left.0, left.1);
            self.look_at(judge, right.0, right.1);
        }
    }
}

/// Says which nodes are culled.
struct Judge<'a> {
    body: &'a Body,
    culling: Culling,
    motion: [&'a [DVec3]; 2],
}

impl Judge<'_> {
    /// Whether a node is culled; `None` if it was not worth a look.
    fn culls(&self, node: &Node, patch: Range<u32>) -> Option<bool> {
        // Between a change and an update there are none.
        let extra = self.body.extras.get(pair_below(node)).filter(|_| self.body.has_cones)?;
        match self.culling {
            Culling::Off => None,
            Culling::NormalCones => extra.patch.is_connected().then(|| extra.cone.normals.is_open()),
            Culling::DualCones => extra.patch.is_connected().then(|| extra.cone.culls()),
            Culling::Contours => {
                let contour = extra.patch.contour()?;
                let (view, _) = extra.cone.normals.axis()?;
                let Body { triangles, features, places, .. } = self.body;
                let surface = Surface { triangles, twins: &features.twins, places };
                Some(surface.turns_forward(contour, &patch, view, self.motion))
            }
        }
    }
}
