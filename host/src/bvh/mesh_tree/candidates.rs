//! What may touch over a step: vertices and faces, edges and edges.

use std::ops::Range;

use glam::DVec3;

use super::body::{Body, BodyHandle};
use super::traverse::{Span, TraversalCounts};
use super::{MeshTree, UpdateError};
use crate::bvh::Node;
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
        Ok(motion(points))
    }
}

/// Visits the pairs of features that belong to two triangles and may touch.
#[inline]
fn visit_features(bodies: [&Body; 2], faces: [u32; 2], margin: f64, visit: &mut impl FnMut(Candidate, &Motion)) {
    let [a, b] = bodies;
    let [corners, other_corners] = [a.triangles[faces[0] as usize], b.triangles[faces[1] as usize]];
    let [owned, other_owned] = [a.features.owned[faces[0] as usize], b.features.owned[faces[1] as usize]];
    let boxes = corners.map(|vertex| &a.vertex_boxes[vertex as usize]);
    let other_boxes = other_corners.map(|vertex| &b.vertex_boxes[vertex as usize]);
    let is_same = std::ptr::eq(a, b);
    // Rounded boxes first, most of which are apart; then those in double precision, which depend on no tree.
    let sides = [(a, faces[0], corners, boxes, owned), (b, faces[1], other_corners, other_boxes, other_owned)];
    for (side, other) in [(0, 1), (1, 0)] {
        let (one, _, corners, boxes, owned) = sides[side];
        let (other, face, other_corners, other_boxes, _) = sides[other];
        if owned & 0b111 == 0 {
            continue;
        }
        let face_box = Node::around(other_boxes);
        for corner in (0..3).filter(|corner| owned & 1 << corner != 0) {
            let vertex = corners[corner];
            if boxes[corner].overlaps(&face_box) && !(is_same && other_corners.contains(&vertex)) {
                visit_vertex_face((one, vertex), (other, face), margin, visit);
            }
        }
    }
    for side in (0..3).filter(|side| owned & 8 << side != 0) {
        let aabb = Node::over(boxes[side], boxes[(side + 1) % 3], 0);
        let ends = [corners[side], corners[(side + 1) % 3]];
        for other_side in (0..3).filter(|side| other_owned & 8 << side != 0) {
            let other_ends = [other_corners[other_side], other_corners[(other_side + 1) % 3]];
            if is_same && ends.iter().any(|end| other_ends.contains(end)) {
                continue;
            }
            if aabb.overlaps(&Node::over(other_boxes[other_side], other_boxes[(other_side + 1) % 3], 0)) {
                let edge = a.features.sides[faces[0] as usize][side];
                let other_edge = b.features.sides[faces[1] as usize][other_side];
                visit_edge_edge((a, edge), (b, other_edge), margin, visit);
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
