//! What may touch over a step: vertices and faces, edges and edges.

use std::ops::Range;

use glam::DVec3;

use super::body::{Body, BodyHandle};
use super::swept::Space;
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
        found.sort_by_key(|&(candidate, _)| candidate);
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
#[inline]
fn visit_features(bodies: [&Body; 2], faces: [u32; 2], space: &Space, visit: &mut impl FnMut(Candidate, &Motion)) {
    let [a, b] = bodies;
    let [row, other_row] = [a.features.faces[faces[0] as usize], b.features.faces[faces[1] as usize]];
    // Rounded boxes first, most of which are apart; then those in double precision, which depend on no tree.
    let spans = row.corners.map(|vertex| a.swept[vertex as usize].span());
    let other_spans = other_row.corners.map(|vertex| b.swept[vertex as usize].span());
    let is_same = std::ptr::eq(a, b);
    let slack = space.slack();
    let sides = [(a, faces[0], row, spans), (b, faces[1], other_row, other_spans)];
    for (side, other) in [(0, 1), (1, 0)] {
        let (one, _, row, spans) = sides[side];
        let (other, face, other_row, [x, y, z]) = sides[other];
        let around = x.union(y).union(z);
        for corner in (0..3).filter(|&corner| row.owns_corner(corner)) {
            let vertex = row.corners[corner];
            if spans[corner].meets(&around, slack) && !(is_same && other_row.corners.contains(&vertex)) {
                visit_vertex_face((one, vertex), (other, face), space.margin, visit);
            }
        }
    }
    for side in (0..3).filter(|&side| row.owns_side(side)) {
        let after = (side + 1) % 3;
        let around = spans[side].union(spans[after]);
        for other_side in (0..3).filter(|&side| other_row.owns_side(side)) {
            let other_after = (other_side + 1) % 3;
            if !around.meets(&other_spans[other_side].union(other_spans[other_after]), slack) {
                continue;
            }
            let ends = [row.corners[side], row.corners[after]];
            let other_ends = [other_row.corners[other_side], other_row.corners[other_after]];
            if !(is_same && ends.iter().any(|end| other_ends.contains(end))) {
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
    if bounds(&motion, 0..1, margin).intersects(&bounds(&motion, 1..4, margin)) {
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
    if bounds(&motion, 0..2, margin).intersects(&bounds(&motion, 2..4, margin)) {
        visit(Candidate::EdgeEdge { edges: [feature(one), feature(other)] }, &motion);
    }
}

/// Where four vertices are at the start of the step and at its end.
fn motion(points: [(&Body, u32); 4]) -> Motion {
    [points.map(|(body, vertex)| body.start()[vertex as usize]), points.map(|(body, vertex)| body.to[vertex as usize])]
}

/// The box of some of the points over the step.
fn bounds(motion: &Motion, points: Range<usize>, margin: f64) -> Aabb {
    Aabb::of_points(motion.iter().flat_map(|time| time[points.clone()].iter().copied())).expanded(margin)
}
