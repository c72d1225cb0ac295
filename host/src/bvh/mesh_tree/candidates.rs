//! What may touch over a step: vertices and faces, edges and edges.

use glam::{DVec3, Vec4};
use rayon::prelude::*;

use super::body::{Body, BodyHandle};
use super::swept::{MovingBox, Space, pass_along_normal};
use super::traverse::{FacePair, Span, TraversalCounts};
use super::{MeshTree, UpdateError};
use crate::bvh::build::SERIAL;
use crate::ccd::{Kind, apart_along_an_axis};

/// A vertex, an edge or a face of a body. Vertices and faces have the numbers of the body's mesh, edges those of
/// [`MeshTree::edge`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Feature {
    /// The body.
    pub body: BodyHandle,
    /// The number of the feature there.
    pub number: u32,
}

/// Two features that may touch: their boxes over the step do, and neither is a part of the other or shares a vertex with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Candidate {
    /// A vertex and a face.
    VertexFace {
        /// The vertex.
        vertex: Feature,
        /// The face.
        face: Feature,
    },
    /// Two edges, the smaller feature first.
    EdgeEdge {
        /// The edges.
        edges: [Feature; 2],
    },
}

impl Candidate {
    /// A number that orders candidates as they are ordered, as long as no two bodies have the same slot: generations are
    /// left out.
    fn order(&self) -> u128 {
        let [kind, first, second] = match *self {
            Candidate::VertexFace { vertex, face } => [0, vertex.order(), face.order()],
            Candidate::EdgeEdge { edges: [one, other] } => [1, one.order(), other.order()],
        };
        // There are fewer than 2³¹ bodies: as many would not fit into any memory.
        kind << 127 | first << 64 | second
    }
}

impl Feature {
    fn order(&self) -> u128 {
        u128::from(self.body.slot) << 32 | u128::from(self.number)
    }
}

/// Four points over a step: a vertex and the corners of a face, or the ends of one edge and those of another.
pub type Motion = [[DVec3; 4]; 2];

impl MeshTree {
    /// Calls `test` once for each pair of features that may touch in the last step, with where their four points are at its
    /// start and at its end, on all threads; returns what it did not answer `None` to, sorted by features.
    ///
    /// Of a body that was added since, or was not moved, start and end are the same. Which pairs are candidates depends on
    /// what was culled; no pair that touches is left out, unless by cones, or as [`MeshTree::cracks`] says.
    pub fn collect_candidates<T: Copy + Send + Sync>(
        &self,
        test: impl Fn(Candidate, &Motion) -> Option<T> + Sync,
    ) -> (Vec<(Candidate, T)>, TraversalCounts) {
        self.collect_candidates_as(false, test, |candidate, result| (candidate, result))
    }

    /// [`MeshTree::collect_candidates`] in another form; if it is said to be strict, without some that surely do not touch.
    pub(super) fn collect_candidates_as<T: Copy + Send + Sync, U: Send>(
        &self,
        strict: bool,
        test: impl Fn(Candidate, &Motion) -> Option<T> + Sync,
        finish: impl Fn(Candidate, T) -> U + Sync,
    ) -> (Vec<U>, TraversalCounts) {
        let (parts, counts) = self.search(Span::Step, strict, |met, found| {
            visit_features(met, &self.space, strict, &mut |candidate, motion| {
                if let Some(result) = test(candidate, motion) {
                    found.push((candidate, result));
                }
            });
        });
        // What is found may be large, so it is moved once. No two are the same, so there is one order to find.
        let mut order: Vec<(u128, [u32; 2])> = Vec::with_capacity(parts.iter().map(Vec::len).sum());
        for (part, number) in parts.iter().zip(0..) {
            order.extend(part.iter().zip(0..).map(|((candidate, _), place)| (candidate.order(), [number, place])));
        }
        order.par_sort_unstable();
        let at = |&(_, [part, place]): &(u128, [u32; 2])| {
            let (candidate, result) = parts[part as usize][place as usize];
            finish(candidate, result)
        };
        (order.par_iter().with_min_len(SERIAL).map(at).collect(), counts)
    }

    /// Where the four points of two features are at the start of the last step and at its end.
    ///
    /// # Errors
    /// If a body is not there.
    ///
    /// # Panics
    /// If a body has no such feature.
    pub fn motion(&self, candidate: &Candidate) -> Result<Motion, UpdateError> {
        let points = match candidate {
            Candidate::VertexFace { vertex, face } => {
                let (one, other) = (self.body(vertex.body)?, self.body(face.body)?);
                let [a, b, c] = other.triangles[face.number as usize];
                [(one, vertex.number), (other, a), (other, b), (other, c)]
            }
            Candidate::EdgeEdge { edges: [first, second] } => {
                let (one, other) = (self.body(first.body)?, self.body(second.body)?);
                let ([a, b], [c, d]) =
                    (one.features.edges[first.number as usize], other.features.edges[second.number as usize]);
                [(one, a), (one, b), (other, c), (other, d)]
            }
        };
        Ok(motion(points))
    }
}

/// Visits the pairs of features that belong to two triangles and may touch.
///
/// Rounded boxes are compared first, most of which are apart; then those in double precision, which depend on no tree.
#[inline]
fn visit_features(
    &FacePair { bodies: [a, b], view, faces, is_compared }: &FacePair<'_>,
    space: &Space,
    strict: bool,
    visit: &mut impl FnMut(Candidate, &Motion),
) {
    let (row, other_row) = (&a.features.faces[faces[0] as usize], &b.features.faces[faces[1] as usize]);
    let is_same = std::ptr::eq(a, b);
    let (boxes, other_boxes) = (a.corner_boxes(row.corners, Vec4::ZERO), b.corner_boxes(other_row.corners, view.shift));
    let face = MovingBox::around(&boxes).widened(space.slack());
    let other_face = MovingBox::around(&other_boxes);
    // Neighbours are never apart.
    let along_normals = || {
        strict
            && !(is_same && row.shares_a_corner(other_row))
            && (pass_along_normal::<2>(&boxes, &other_boxes, space.dot_slack())
                || pass_along_normal::<2>(&other_boxes, &boxes, space.dot_slack()))
    };
    if !is_compared && (face.passes::<2>(&other_face) || along_normals()) {
        return;
    }
    let other_face = other_face.widened(space.slack());
    for corner in 0..3 {
        let (vertex, other_vertex) = (row.corners[corner], other_row.corners[corner]);
        if row.owns_corner(corner)
            && !boxes[corner].passes::<2>(&other_face)
            && !(is_same && other_row.corners.contains(&vertex))
        {
            visit_vertex_face((a, vertex), (b, faces[1]), space.margin, visit);
        }
        if other_row.owns_corner(corner)
            && !other_boxes[corner].passes::<2>(&face)
            && !(is_same && row.corners.contains(&other_vertex))
        {
            visit_vertex_face((b, other_vertex), (a, faces[0]), space.margin, visit);
        }
    }
    for side in 0..3 {
        let after = (side + 1) % 3;
        let around = boxes[side].union(boxes[after]);
        if !row.owns_side(side) || around.passes::<2>(&other_face) {
            continue;
        }
        let around = around.widened(space.slack());
        let ends = [row.corners[side], row.corners[after]];
        for other_side in 0..3 {
            let other_after = (other_side + 1) % 3;
            let other_ends = [other_row.corners[other_side], other_row.corners[other_after]];
            if other_row.owns_side(other_side)
                && !(is_same && (other_ends.contains(&ends[0]) || other_ends.contains(&ends[1])))
                && !around.passes::<2>(&other_boxes[other_side].union(other_boxes[other_after]))
            {
                let edge = a.features.sides[faces[0] as usize][side];
                let other_edge = b.features.sides[faces[1] as usize][other_side];
                visit_edge_edge((a, edge), (b, other_edge), space.margin, visit);
            }
        }
    }
}

fn visit_vertex_face(
    (one, vertex): (&Body, u32),
    (other, face): (&Body, u32),
    margin: f64,
    visit: &mut impl FnMut(Candidate, &Motion),
) {
    let [a, b, c] = other.triangles[face as usize];
    let motion = motion([(one, vertex), (other, a), (other, b), (other, c)]);
    if !apart_along_an_axis(Kind::VertexFace, motion.each_ref(), 2.0 * margin) {
        let [vertex, face] =
            [Feature { body: one.handle, number: vertex }, Feature { body: other.handle, number: face }];
        visit(Candidate::VertexFace { vertex, face }, &motion);
    }
}

fn visit_edge_edge(one: (&Body, u32), other: (&Body, u32), margin: f64, visit: &mut impl FnMut(Candidate, &Motion)) {
    let feature = |(body, number): (&Body, u32)| Feature { body: body.handle, number };
    let (one, other) = if feature(one) <= feature(other) { (one, other) } else { (other, one) };
    let ([a, b], [c, d]) = (one.0.features.edges[one.1 as usize], other.0.features.edges[other.1 as usize]);
    let motion = motion([(one.0, a), (one.0, b), (other.0, c), (other.0, d)]);
    if !apart_along_an_axis(Kind::EdgeEdge, motion.each_ref(), 2.0 * margin) {
        visit(Candidate::EdgeEdge { edges: [feature(one), feature(other)] }, &motion);
    }
}

/// Where four vertices are at the start of the step and at its end.
#[inline(always)]
fn motion([a, b, c, d]: [(&Body, u32); 4]) -> Motion {
    let from = |(body, vertex): (&Body, u32)| body.start()[vertex as usize];
    let to = |(body, vertex): (&Body, u32)| body.to[vertex as usize];
    [[from(a), from(b), from(c), from(d)], [to(a), to(b), to(c), to(d)]]
}
