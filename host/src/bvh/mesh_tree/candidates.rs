//! What may touch over a step: vertices and faces, edges and edges.

use glam::DVec3;

use super::body::{Body, BodyHandle};
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
        let margin = self.half_margin();
        let (mut found, counts) = self.search(Span::Step, |bodies, faces, found| {
            visit_features(bodies, faces, margin, &mut |candidate, motion| {
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
        Ok([
            points.map(|(body, vertex)| body.start()[vertex as usize]),
            points.map(|(body, vertex)| body.to[vertex as usize]),
        ])
    }
}

/// A triangle with what belongs to it.
struct Owner<'a> {
    body: &'a Body,
    face: u32,
    corners: [u32; 3],
    motion: [[DVec3; 3]; 2],
    /// The boxes of its corners over the step.
    boxes: [Aabb; 3],
    owned: u8,
}

impl<'a> Owner<'a> {
    #[inline]
    fn new(body: &'a Body, face: u32, margin: f64) -> Owner<'a> {
        let corners = body.triangles[face as usize];
        let at = |positions: &[DVec3]| corners.map(|corner| positions[corner as usize]);
        let motion = [at(body.start()), at(&body.to)];
        let boxes = [0, 1, 2].map(|corner| {
            let (from, to) = (motion[0][corner], motion[1][corner]);
            Aabb { min: from.min(to), max: from.max(to) }.expanded(margin)
        });
        Owner { body, face, corners, motion, boxes, owned: body.features.owned[face as usize] }
    }

    fn feature(&self, number: u32) -> Feature {
        Feature { body: self.body.handle, number }
    }

    /// The owned sides: the edge, its two corners and its box.
    #[inline]
    fn sides(&self) -> impl Iterator<Item = (u32, [usize; 2], Aabb)> + '_ {
        let edges = self.body.features.sides[self.face as usize];
        (0..3).filter(|side| self.owned & 8 << side != 0).map(move |side| {
            let ends = [side, (side + 1) % 3];
            // As the edge has them.
            let ends = if self.corners[ends[0]] <= self.corners[ends[1]] { ends } else { [ends[1], ends[0]] };
            (edges[side], ends, self.boxes[ends[0]].union(self.boxes[ends[1]]))
        })
    }
}

/// Visits the pairs of features that belong to two triangles and may touch.
#[inline]
fn visit_features(bodies: [&Body; 2], faces: [u32; 2], margin: f64, visit: &mut impl FnMut(Candidate, &Motion)) {
    let [a, b] = [0, 1].map(|side| Owner::new(bodies[side], faces[side], margin));
    let is_same = a.body.handle == b.body.handle;
    for (one, other) in [(&a, &b), (&b, &a)] {
        if one.owned & 0b111 == 0 {
            continue;
        }
        let face_box = other.boxes[0].union(other.boxes[1]).union(other.boxes[2]);
        for corner in (0..3).filter(|corner| one.owned & 1 << corner != 0) {
            let vertex = one.corners[corner];
            if (is_same && other.corners.contains(&vertex)) || !one.boxes[corner].intersects(&face_box) {
                continue;
            }
            let motion = [0, 1].map(|time| {
                let [p, q, r] = other.motion[time];
                [one.motion[time][corner], p, q, r]
            });
            let candidate = Candidate::VertexFace { vertex: one.feature(vertex), face: other.feature(other.face) };
            visit(candidate, &motion);
        }
    }
    for (edge, ends, aabb) in a.sides() {
        for (other_edge, other_ends, other_box) in b.sides() {
            let shares = || ends.iter().any(|&end| other_ends.iter().any(|&other| a.corners[end] == b.corners[other]));
            if !aabb.intersects(&other_box) || (is_same && shares()) {
                continue;
            }
            let motion = |[one, ends]: [(&Owner<'_>, [usize; 2]); 2]| {
                [0, 1].map(|time| {
                    let at = |(owner, ends): (&Owner<'_>, [usize; 2])| ends.map(|end| owner.motion[time][end]);
                    let ([p, q], [r, s]) = (at(one), at(ends));
                    [p, q, r, s]
                })
            };
            let (first, second) = (a.feature(edge), b.feature(other_edge));
            let ((first, one), (second, other)) = if first <= second {
                ((first, (&a, ends)), (second, (&b, other_ends)))
            } else {
                ((second, (&b, other_ends)), (first, (&a, ends)))
            };
            visit(Candidate::EdgeEdge { edges: [first, second] }, &motion([one, other]));
        }
    }
}
