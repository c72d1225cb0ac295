//! All pairs of triangles, one after the other. What may touch over a step is found so by
//! [`MeshTree::brute_force_candidates`](crate::bvh::MeshTree::brute_force_candidates).

use rayon::prelude::*;

use super::Surface;
use crate::bvh::mesh_tree::TrianglePair;
use crate::geometry::triangles_intersect;

/// What [`MeshTree::intersections`](crate::bvh::MeshTree::intersections) answers.
pub fn intersections(bodies: &[Surface]) -> Vec<TrianglePair> {
    let faces_of = |body| (0..Surface::triangles(body).len() as u32).map(move |face| (body, face));
    let faces: Vec<(&Surface, u32)> = bodies.iter().flat_map(faces_of).collect();
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
