//! Spatial hashing (Teschner, Heidelberger, Müller, Pomeranets and Gross 2003, Optimized spatial hashing for collision
//! detection of deformable objects): S-Hash of \[Heo10\] section 6.2.
//!
//! Triangles are entered in the cells of a grid that their boxes reach into, and compared where two are in one cell.
//! As there, a cell is as large as an edge is on average. Nothing is kept from one step to the next.

use glam::DVec3;
use rayon::prelude::*;

use super::Surface;
use super::cells::visit_pairs;
use super::surface::motion;
use crate::bvh::mesh_tree::{Motion, TrianglePair};
use crate::bvh::{Candidate, Feature};
use crate::ccd::{Kind, apart_along_an_axis};
use crate::geometry::{Aabb, triangles_intersect};

/// How many triangles one task looks at.
const CHUNK: usize = 1 << 13;

/// What [`MeshTree::intersections`](crate::bvh::MeshTree::intersections) answers.
pub fn intersections(bodies: &[Surface]) -> Vec<TrianglePair> {
    let faces = Faces::of(bodies);
    let boxes = faces.boxes(|body, face| Aabb::of_points(body.corners(face)));
    let size = faces.mean(|body, face| mean_edge(body.corners(face)));
    let mut pairs = visit_pairs(&boxes, size, |pair, found| {
        let [(body, face), (other, other_face)] = pair.map(|number| faces.body_and_face(number));
        if are_neighbours(body, face, other, other_face) {
            return;
        }
        if triangles_intersect(body.corners(face), other.corners(other_face)) {
            let mut pair = [body.feature(face), other.feature(other_face)];
            pair.sort_unstable();
            found.push(pair);
        }
    });
    pairs.par_sort_unstable();
    pairs
}

/// What [`MeshTree::collect_candidates`](crate::bvh::MeshTree::collect_candidates) answers if nothing is culled and there is
/// no margin.
pub fn collect_candidates<T: Send>(
    bodies: &[Surface],
    test: impl Fn(Candidate, &Motion) -> Option<T> + Sync,
) -> Vec<(Candidate, T)> {
    let faces = Faces::of(bodies);
    let boxes = faces.boxes(|body, face| body.swept(body.triangles[face as usize]));
    // What moves fast reaches into more cells than what rests.
    let size = faces.mean(|body, face| {
        let [vertex, ..] = body.triangles[face as usize].map(|vertex| vertex as usize);
        mean_edge(body.corners(face)) + body.start[vertex].distance(body.end[vertex])
    });
    let mut found = visit_pairs(&boxes, size, |pair, found| {
        let [one, other] = pair.map(|number| faces.body_and_face(number));
        visit_features(one, other, &mut |candidate, motion| {
            if let Some(result) = test(candidate, motion) {
                found.push((candidate, result));
            }
        });
    });
    found.par_sort_by_key(|&(candidate, _)| candidate);
    found
}

/// The triangles of all bodies in one list.
pub(super) struct Faces<'a> {
    bodies: &'a [Surface],
    /// The body and the face there.
    numbers: Vec<[u32; 2]>,
}

impl<'a> Faces<'a> {
    pub(super) fn of(bodies: &'a [Surface]) -> Faces<'a> {
        let faces = |(body, number): (&Surface, u32)| (0..body.triangles.len() as u32).map(move |face| [number, face]);
        Faces { bodies, numbers: bodies.iter().zip(0..).flat_map(faces).collect() }
    }

    #[inline]
    pub(super) fn body_and_face(&self, number: u32) -> (&'a Surface, u32) {
        let [body, face] = self.numbers[number as usize];
        (&self.bodies[body as usize], face)
    }

    pub(super) fn boxes(&self, around: impl Fn(&Surface, u32) -> Aabb + Sync) -> Vec<Aabb> {
        let of = |&[body, face]: &[u32; 2]| around(&self.bodies[body as usize], face);
        self.numbers.par_iter().with_min_len(CHUNK).map(of).collect()
    }

    /// The mean of a length over all triangles, added in the same order for every number of threads.
    pub(super) fn mean(&self, length: impl Fn(&Surface, u32) -> f64 + Sync) -> f64 {
        let of = |&[body, face]: &[u32; 2]| length(&self.bodies[body as usize], face);
        let sums: Vec<f64> = self.numbers.par_chunks(CHUNK).map(|chunk| chunk.iter().map(of).sum()).collect();
        sums.iter().sum::<f64>() / self.numbers.len().max(1) as f64
    }
}

pub(super) fn mean_edge([a, b, c]: [DVec3; 3]) -> f64 {
    (a.distance(b) + b.distance(c) + c.distance(a)) / 3.0
}

/// Whether two triangles share a vertex.
#[inline]
pub(super) fn are_neighbours(body: &Surface, face: u32, other: &Surface, other_face: u32) -> bool {
    let vertices = other.triangles[other_face as usize];
    std::ptr::eq(body, other) && body.triangles[face as usize].iter().any(|vertex| vertices.contains(vertex))
}

/// Visits the pairs of features that belong to two triangles and whose boxes over the step meet.
#[inline]
fn visit_features(one: (&Surface, u32), two: (&Surface, u32), visit: &mut impl FnMut(Candidate, &Motion)) {
    let is_same = std::ptr::eq(one.0, two.0);
    for ((body, face), (other, other_face)) in [(one, two), (two, one)] {
        let owned = body.owned[face as usize];
        if owned & 0b111 == 0 {
            continue;
        }
        let corners = other.triangles[other_face as usize];
        let aabb = other.swept(corners);
        for corner in (0..3).filter(|corner| owned & 1 << corner != 0) {
            let vertex = body.triangles[face as usize][corner];
            if !(is_same && corners.contains(&vertex)) && body.swept([vertex]).intersects(&aabb) {
                let candidate = Candidate::VertexFace { vertex: body.feature(vertex), face: other.feature(other_face) };
                let [a, b, c] = corners;
                let motion = motion([(body, vertex), (other, a), (other, b), (other, c)]);
                if !apart_along_an_axis(Kind::VertexFace, motion.each_ref(), 0.0) {
                    visit(candidate, &motion);
                }
            }
        }
    }
    let edges = |(body, face): (&Surface, u32)| {
        let (owned, sides) = (body.owned[face as usize], body.sides[face as usize]);
        (0..3).filter(move |side| owned & 8 << side != 0).map(move |side| sides[side])
    };
    for edge in edges(one) {
        let ends = one.0.edges[edge as usize];
        let aabb = one.0.swept(ends);
        for other_edge in edges(two) {
            let other_ends = two.0.edges[other_edge as usize];
            let shares = is_same && ends.iter().any(|end| other_ends.contains(end));
            if !shares && aabb.intersects(&two.0.swept(other_ends)) {
                visit_edges((one.0, edge), (two.0, other_edge), visit);
            }
        }
    }
}

fn visit_edges(one: (&Surface, u32), two: (&Surface, u32), visit: &mut impl FnMut(Candidate, &Motion)) {
    let feature = |(body, edge): (&Surface, u32)| -> Feature { body.feature(edge) };
    let (one, two) = if feature(one) <= feature(two) { (one, two) } else { (two, one) };
    let ([a, b], [c, d]) = (one.0.edges[one.1 as usize], two.0.edges[two.1 as usize]);
    let candidate = Candidate::EdgeEdge { edges: [feature(one), feature(two)] };
    let motion = motion([(one.0, a), (one.0, b), (two.0, c), (two.0, d)]);
    if !apart_along_an_axis(Kind::EdgeEdge, motion.each_ref(), 0.0) {
        visit(candidate, &motion);
    }
}
