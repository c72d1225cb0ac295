//! Pairs of triangles whose boxes overlap (\[Heo10\] sections 3.1 and 4.2).
//!
//! Every pair within a body is one between the two children of exactly one of its nodes, so it is enough to look at the
//! nodes that are not below one which was culled; then come pairs of bodies. Both are cut into tasks by the shape of
//! the trees alone, and their results are put together in that order, so threads change nothing.

use std::convert::identity;
use std::ops::{Add, Range};

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::apart::{Parting, Vertices, parting};
use super::body::{Body, TWIG, pair_below};
use super::contour::Surface;
use super::near::Near;
use super::swept::{Space, View};
use super::twigs::Twigs;
use super::{Culling, MeshTree};
use crate::bvh::Node;
use crate::bvh::build::SERIAL;
use crate::bvh::node::Corners;
use crate::bvh::pairs::{SMALL, Stack, children, descend, tasks_between};

/// How many nodes one task looks below.
const NODES_PER_TASK: usize = 512;

/// How many tasks a thread takes at once.
const TASKS_AT_ONCE: usize = 4;

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
    /// Between the children of each of these nodes, or the faces of those that are twigs.
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
            for &node in &open.large {
                let child = body.nodes[node as usize].link;
                let nodes = tasks_between::<TWIG>(&body.nodes, &body.nodes, (child, child + 1), identity);
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
                let nodes = tasks_between::<TWIG>(&a.nodes, &b.nodes, (0, 0), |corners| view.corners(corners));
                (nodes.into_iter().map(|nodes| Task::Between([a, b], view, nodes)).collect(), 0)
            })
            .collect();
        for (nodes, parted) in between {
            tasks.extend(nodes);
            counts.parted += parted;
        }
        // What a task takes cannot be told before, and those that take long stand together: threads take few at once.
        let parts: Vec<(Vec<T>, TraversalCounts)> = tasks
            .par_iter()
            .with_max_len(TASKS_AT_ONCE)
            .map_init(<(Search, Near)>::default, |(search, near), task| {
                let mut found = Vec::new();
                search.counts = TraversalCounts::default();
                let time = (span, &self.space);
                let mut visit = |bodies: [&Body; 2], view: &View, faces: [u32; 2], is_compared: bool| {
                    visit(&FacePair { bodies, view, faces, is_compared }, &mut found);
                };
                match *task {
                    Task::Within(body, nodes) => {
                        let mut visit = |faces| visit([body; 2], &View::ITSELF, faces, false);
                        for &node in nodes {
                            search.within(body, node, time, &mut visit);
                        }
                    }
                    Task::Between(pair, view, nodes) => {
                        search.between(pair, &view, nodes, time, &mut |faces| visit(pair, &view, faces, false));
                    }
                    Task::Near(pair, view, vertices, along) => {
                        if near.find(pair, vertices, &view, &self.space, along) > MOST_NEAR_PAIRS {
                            search.between(pair, &view, (0, 0), time, &mut |faces| visit(pair, &view, faces, false));
                        } else {
                            let pairs = near.visit_pairs(span, &self.space, |faces| visit(pair, &view, faces, true));
                            search.count_faces(pairs);
                        }
                    }
                }
                (found, search.counts)
            })
            .collect();
        let (parts, part_counts): (Vec<Vec<T>>, Vec<TraversalCounts>) = parts.into_iter().unzip();
        counts = part_counts.into_iter().fold(counts, TraversalCounts::add);
        (parts, counts)
    }
}

/// One search after the other, in the same memory.
#[derive(Default)]
struct Search {
    stack: Stack,
    twigs: Twigs,
    counts: TraversalCounts,
}

impl Search {
    /// Visits the pairs of faces between the children of a node, or within a twig.
    fn within(&mut self, body: &Body, node: u32, time: (Span, &Space), visit: &mut impl FnMut([u32; 2])) {
        let node = &body.nodes[node as usize];
        match node.first_child_over(TWIG) {
            None => {
                let pairs = self.twigs.visit_pairs_within(body, node, time, visit);
                self.count_faces(pairs);
            }
            Some(left) => {
                let [child, sibling] = children(&body.nodes, left);
                self.stack.push([((left, left + 1), child.overlaps(sibling))]);
                self.cross::<true>([body; 2], &View::ITSELF, time, visit);
            }
        }
    }

    /// Visits the pairs of faces below two nodes whose boxes meet, of a body and of one that is seen as `view` says.
    fn between(
        &mut self,
        bodies: [&Body; 2],
        view: &View,
        nodes: (u32, u32),
        time: (Span, &Space),
        visit: &mut impl FnMut([u32; 2]),
    ) {
        self.stack.push([(nodes, true)]);
        self.cross::<false>(bodies, view, time, visit);
    }

    /// Visits the pairs of faces below those on the stack. A body that sees itself sees boxes as they are.
    #[inline]
    fn cross<const IS_SAME: bool>(
        &mut self,
        bodies: [&Body; 2],
        view: &View,
        time: (Span, &Space),
        visit: &mut impl FnMut([u32; 2]),
    ) {
        let [a, b] = bodies.map(|body| body.nodes.as_slice());
        let seen = |corners: Corners| if IS_SAME { corners } else { view.corners(corners) };
        while let Some(nodes) = self.stack.pop() {
            self.counts.overlaps += 1;
            if !descend::<TWIG>(a, b, nodes, seen, &mut self.stack) {
                let twigs = [&a[nodes.0 as usize], &b[nodes.1 as usize]];
                let pairs = self.twigs.visit_pairs(bodies, twigs, view, time, &mut *visit);
                self.count_faces(pairs);
            }
        }
    }

    fn count_faces(&mut self, pairs: u64) {
        self.counts.overlaps += pairs;
        self.counts.triangle_pairs += pairs;
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
        let Some(child) = node.first_child_over(TWIG) else {
            self.nodes.push(number);
            return;
        };
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
