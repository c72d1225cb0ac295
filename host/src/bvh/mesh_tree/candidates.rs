//! What may touch over a step: vertices and faces, edges and edges.

use glam::DVec3;
use rayon::prelude::*;

use super::body::{Body, BodyHandle};
use super::features::Face;
use super::swept::{Space, SweptBox};
use super::traverse::{Span, TraversalCounts};
use super::{MeshTree, UpdateError};
use crate::geometry::Aabb;

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

/// Four points over a step: a vertex and the corners of a face, or the ends of one edge and those of another.
pub type Motion = [[DVec3; 4]; 2];

impl MeshTree {
    /// Calls `test` once for each pair of features that may touch in the last step, with where their four points are at its
    /// start and at its end, on all threads; returns what it did not answer `None` to, sorted by features.
    ///
    /// Of a body that was added since, or was not moved, start and end are the same. Which pairs are candidates depends on
    /// what was culled; no pair that touches is left out, unless by [`super::Culling::DualCones`].
    pub fn collect_candidates<T: Send>(
        &self,
        test: impl Fn(Candidate, &Motion) -> Option<T> + Sync,
    ) -> (Vec<(Candidate, T)>, TraversalCounts) {
        let (mut found, counts) = self.search(Span::Step, |bodies, faces, found| {
            visit_features(bodies, faces, &self.space, &mut |candidate, motion| {
                if let Some(result) = test(candidate, motion) {
                    found.push((candidate, result));
                }
            });
        });
        // No two are the same, so there is one order to find.
        found.par_sort_unstable_by_key(|&(candidate, _)| candidate);
        (found, counts)
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
fn visit_features(bodies: [&Body; 2], faces: [u32; 2], space: &Space, visit: &mut impl FnMut(Candidate, &Motion)) {
    let [a, b] = bodies;
    let (row, other_row) = (&a.features.faces[faces[0] as usize], &b.features.faces[faces[1] as usize]);
    let is_same = std::ptr::eq(a, b);
    let slack = space.slack();
    let (boxes, other_boxes) = (swept_boxes(a, row), swept_boxes(b, other_row));
    let (face, other_face) =
        (boxes[0].union(boxes[1]).union(boxes[2]), other_boxes[0].union(other_boxes[1]).union(other_boxes[2]));
    for corner in 0..3 {
        let (vertex, other_vertex) = (row.corners[corner], other_row.corners[corner]);
        if row.owns_corner(corner)
            && boxes[corner].meets(&other_face, slack)
            && !(is_same && other_row.corners.contains(&vertex))
        {
            visit_vertex_face((a, vertex), (b, faces[1]), space.margin, visit);
        }
        if other_row.owns_corner(corner)
            && other_boxes[corner].meets(&face, slack)
            && !(is_same && row.corners.contains(&other_vertex))
        {
            visit_vertex_face((b, other_vertex), (a, faces[0]), space.margin, visit);
        }
    }
    for side in 0..3 {
        let after = (side + 1) % 3;
        let around = boxes[side].union(boxes[after]);
        if !row.owns_side(side) || !around.meets(&other_face, slack) {
            continue;
        }
        let ends = [row.corners[side], row.corners[after]];
        for other_side in 0..3 {
            let other_after = (other_side + 1) % 3;
            let other_ends = [other_row.corners[other_side], other_row.corners[other_after]];
            if other_row.owns_side(other_side)
                && around.meets(&other_boxes[other_side].union(other_boxes[other_after]), slack)
                && !(is_same && (other_ends.contains(&ends[0]) || other_ends.contains(&ends[1])))
            {
                let edge = a.features.sides[faces[0] as usize][side];
                let other_edge = b.features.sides[faces[1] as usize][other_side];
                visit_edge_edge((a, edge), (b, other_edge), space.margin, visit);
            }
        }
    }
}

#[inline(always)]
fn swept_boxes(body: &Body, face: &Face) -> [SweptBox; 3] {
    let [a, b, c] = face.corners;
    [body.swept[a as usize].around(), body.swept[b as usize].around(), body.swept[c as usize].around()]
}

fn visit_vertex_face(
    (one, vertex): (&Body, u32),
    (other, face): (&Body, u32),
    margin: f64,
    visit: &mut impl FnMut(Candidate, &Motion),
) {
    let [a, b, c] = other.triangles[face as usize];
    let motion = motion([(one, vertex), (other, a), (other, b), (other, c)]);
    if overlap::<1>(&motion, margin) {
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
    if overlap::<2>(&motion, margin) {
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

/// Whether the box of the first points over the step meets that of the others.
#[inline(always)]
fn overlap<const FIRST: usize>([from, to]: &Motion, margin: f64) -> bool {
    let around = |points: std::ops::Range<usize>| {
        let start = points.start;
        let mut around = Aabb { min: from[start].min(to[start]), max: from[start].max(to[start]) };
        for point in start + 1..points.end {
            around.min = around.min.min(from[point]).min(to[point]);
            around.max = around.max.max(from[point]).max(to[point]);
        }
        around.expanded(margin)
    };
    around(0..FIRST).intersects(&around(FIRST..4))
}
