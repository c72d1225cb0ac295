//! All pairs, one after the other: what every other method is held to.

use rayon::prelude::*;

use super::Surface;
use super::surface::motion;
use crate::bvh::Candidate;
use crate::bvh::mesh_tree::{Motion, TrianglePair};
use crate::geometry::{Aabb, triangles_intersect};

/// What [`MeshTree::intersections`](crate::bvh::MeshTree::intersections) answers.
pub fn intersections(bodies: &[Surface]) -> Vec<TrianglePair> {
    let faces: Vec<(&Surface, u32)> = each(bodies, |body| body.triangles.len()).collect();
    let mut pairs: Vec<TrianglePair> = (0..faces.len())
        .into_par_iter()
        .flat_map_iter(|i| {
            let (body, face) = faces[i];
            let (vertices, corners) = (body.triangles[face as usize], body.corners(face));
            let touches = move |&&(other, other_face): &&(&Surface, u32)| {
                let neighbours = other.body() == body.body()
                    && other.triangles[other_face as usize].iter().any(|vertex| vertices.contains(vertex));
                !neighbours && triangles_intersect(corners, other.corners(other_face))
            };
            faces[i + 1..].iter().filter(touches).map(move |&(other, other_face)| {
                let mut pair = [body.feature(face), other.feature(other_face)];
                pair.sort_unstable();
                pair
            })
        })
        .collect();
    pairs.sort_unstable();
    pairs
}

/// What [`MeshTree::collect_candidates`](crate::bvh::MeshTree::collect_candidates) answers if nothing is culled: `test` is
/// called for every two features whose boxes over the step overlap, larger by `margin` together.
pub fn collect_candidates<T: Send>(
    bodies: &[Surface],
    margin: f64,
    test: impl Fn(Candidate, &Motion) -> Option<T> + Sync,
) -> Vec<(Candidate, T)> {
    // As a tree does it: each box by half.
    let grown = |aabb: Aabb| aabb.expanded(0.500_000_1 * margin.max(0.0));
    let boxed = |(body, number): (_, u32), aabb| (body, number, grown(aabb));
    let faces: Vec<(&Surface, u32, Aabb)> = each(bodies, |body| body.triangles.len())
        .map(|(body, face)| boxed((body, face), body.swept(body.triangles[face as usize])))
        .collect();
    let edges: Vec<(&Surface, u32, Aabb)> = each(bodies, |body| body.edges.len())
        .map(|(body, edge)| boxed((body, edge), body.swept(body.edges[edge as usize])))
        .collect();
    let mut used: Vec<(&Surface, u32)> = Vec::new();
    for body in bodies {
        let mut vertices: Vec<u32> = body.triangles.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        used.extend(vertices.into_iter().map(|vertex| (body, vertex)));
    }
    let vertex_face = used.par_iter().flat_map_iter(|&(body, vertex)| {
        let aabb = grown(body.swept([vertex]));
        let test = &test;
        faces.iter().filter_map(move |(other, face, face_box)| {
            let corners = other.triangles[*face as usize];
            if !aabb.intersects(face_box) || (other.body() == body.body() && corners.contains(&vertex)) {
                return None;
            }
            let candidate = Candidate::VertexFace { vertex: body.feature(vertex), face: other.feature(*face) };
            let [a, b, c] = corners;
            Some((candidate, test(candidate, &motion([(body, vertex), (other, a), (other, b), (other, c)]))?))
        })
    });
    let edge_edge = edges.par_iter().flat_map_iter(|&(body, edge, aabb)| {
        let ends = body.edges[edge as usize];
        let (test, feature) = (&test, body.feature(edge));
        edges.iter().filter_map(move |(other, other_edge, other_box)| {
            let (other_ends, other_feature) = (other.edges[*other_edge as usize], other.feature(*other_edge));
            let shares = other.body() == body.body() && ends.iter().any(|end| other_ends.contains(end));
            if feature >= other_feature || shares || !aabb.intersects(other_box) {
                return None;
            }
            let candidate = Candidate::EdgeEdge { edges: [feature, other_feature] };
            let ([a, b], [c, d]) = (ends, other_ends);
            Some((candidate, test(candidate, &motion([(body, a), (body, b), (other, c), (other, d)]))?))
        })
    });
    let mut found: Vec<(Candidate, T)> = vertex_face.chain(edge_edge).collect();
    found.sort_by_key(|&(candidate, _)| candidate);
    found
}

/// Everything of a kind, by its body and its number there.
fn each(bodies: &[Surface], count: impl Fn(&Surface) -> usize) -> impl Iterator<Item = (&Surface, u32)> {
    bodies.iter().flat_map(move |body| (0..count(body) as u32).map(move |number| (body, number)))
}
