//! Candidates and contacts without the tree, to hold the tree's to: every two features are looked at.

use rayon::prelude::*;

use super::MeshTree;
use super::body::Body;
use super::candidates::{Candidate, Feature};
use super::contacts::{MarginError, StepContact, StepCounts, contact};
use crate::ccd::{Options, boxes_pass};
use crate::geometry::Aabb;

impl MeshTree {
    /// All pairs of features that are not apart along an axis all the step and share no vertex, sorted: what
    /// [`MeshTree::collect_candidates`] visits without culling.
    pub fn brute_force_candidates(&self) -> Vec<Candidate> {
        let Parts { vertices, faces, edges } = self.parts();
        let gap = 2.0 * self.half_margin();
        let vertex_faces = vertices.par_iter().flat_map_iter(|vertex| {
            let near = faces.iter().filter(|face| vertex.may_touch(face, gap));
            near.map(|face| Candidate::VertexFace { vertex: vertex.feature, face: face.feature })
        });
        let edge_edges = edges.par_iter().enumerate().flat_map_iter(|(number, edge)| {
            let near = edges[number + 1..].iter().filter(|other| edge.may_touch(other, gap));
            near.map(|other| Candidate::EdgeEdge { edges: [edge.feature, other.feature] })
        });
        vertex_faces.chain(edge_edges).collect()
    }

    /// The contacts of [`MeshTree::contacts`], in time with the square of the number of features.
    ///
    /// # Errors
    /// If a minimum separation is asked for that is larger than the tree's margin.
    pub fn brute_force_contacts(&self, options: &Options) -> Result<(Vec<StepContact>, StepCounts), MarginError> {
        self.check_margin(options)?;
        let candidates = self.brute_force_candidates();
        let contacts = candidates.par_iter().filter_map(|candidate| {
            let motion = self.motion(candidate).ok()?;
            let touch = contact(*candidate, &motion, |query| query.first_contact(options))?;
            Some(StepContact::of(*candidate, touch))
        });
        let vertex_face_tests =
            candidates.partition_point(|candidate| matches!(candidate, Candidate::VertexFace { .. })) as u64;
        let edge_edge_tests = candidates.len() as u64 - vertex_face_tests;
        Ok((contacts.collect(), StepCounts { vertex_face_tests, edge_edge_tests, ..StepCounts::default() }))
    }

    /// How many pairs of features brute force looks at.
    pub fn brute_force_pairs(&self) -> u64 {
        let (mut vertices, mut faces, mut edges) = (0, 0, 0);
        for body in self.bodies.iter().flatten() {
            vertices += body.to.len() as u64;
            faces += body.triangles.len() as u64;
            edges += body.features.edges.len() as u64;
        }
        vertices.saturating_mul(faces).saturating_add(edges.saturating_mul(edges.saturating_sub(1)) / 2)
    }

    /// All features, in their order.
    fn parts(&self) -> Parts {
        let mut parts = Parts::default();
        for body in self.bodies.iter().flatten() {
            let mut is_used = vec![false; body.to.len()];
            body.triangles.iter().flatten().for_each(|&corner| is_used[corner as usize] = true);
            let used = (0..body.to.len() as u32).filter(|&vertex| is_used[vertex as usize]);
            parts.vertices.extend(used.map(|vertex| Part::new(body, vertex, [vertex; 3])));
            let faces = body.triangles.iter().zip(0u32..);
            parts.faces.extend(faces.map(|(&corners, face)| Part::new(body, face, corners)));
            let edges = body.features.edges.iter().zip(0u32..);
            parts.edges.extend(edges.map(|(&[a, b], edge)| Part::new(body, edge, [a, b, b])));
        }
        parts
    }
}

#[derive(Default)]
struct Parts {
    vertices: Vec<Part>,
    faces: Vec<Part>,
    edges: Vec<Part>,
}

/// A vertex, a face or an edge.
struct Part {
    /// At the start and at the end.
    around: [Aabb; 2],
    feature: Feature,
    /// Up to three, the last of them repeated.
    vertices: [u32; 3],
}

impl Part {
    fn new(body: &Body, number: u32, vertices: [u32; 3]) -> Part {
        let around =
            [body.start(), &body.to].map(|places| Aabb::of_points(vertices.map(|vertex| places[vertex as usize])));
        Part { around, feature: Feature { body: body.handle, number }, vertices }
    }

    #[inline]
    fn may_touch(&self, other: &Part, gap: f64) -> bool {
        let is_same = || self.feature.body == other.feature.body;
        let shares = || self.vertices.iter().any(|vertex| other.vertices.contains(vertex));
        !(boxes_pass(self.around, other.around, gap) || (is_same() && shares()))
    }
}
