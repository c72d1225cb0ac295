//! Spatial hashing as it was published (Teschner, Heidelberger, Müller, Pomeranets and Gross 2003), to measure against: one table
//! for all cells, one thread, and whatever two triangles are in one slot are tested as they are.
//!
//! [`super::spatial_hash`] finds the same with what has been learnt since: cells that are told apart, boxes that are compared
//! first, tables that fit a cache, and all threads.

use super::Surface;
use super::cells::Grid;
use super::spatial_hash::{Faces, are_neighbours, mean_edge};
use crate::bvh::mesh_tree::TrianglePair;
use crate::geometry::{Aabb, triangles_intersect};

/// The three large primes of the paper's hash function.
const PRIMES: [u32; 3] = [73_856_093, 19_349_663, 83_492_791];

/// The end of a list.
const NONE: u32 = u32::MAX;

/// A triangle in a slot of the table, and the next one there.
struct Entry {
    face: u32,
    next: u32,
}

/// What [`MeshTree::intersections`](crate::bvh::MeshTree::intersections) answers.
pub fn intersections(bodies: &[Surface]) -> Vec<TrianglePair> {
    let faces = Faces::of(bodies);
    // As the paper found best: cells as large as an edge is on average, and about as many slots as things.
    let boxes = faces.boxes(|body, face| Aabb::of_points(body.corners(face)));
    let grid = Grid::over(&boxes, faces.mean(|body, face| mean_edge(body.corners(face))));
    let mut table = vec![NONE; boxes.len().max(1)];
    let mut entries: Vec<Entry> = Vec::with_capacity(4 * boxes.len());
    // The last triangle that each was tested against, because two may have several cells in common.
    let mut tested = vec![NONE; boxes.len()];
    let mut pairs = Vec::new();
    for (aabb, number) in boxes.iter().zip(0..) {
        let (body, face) = faces.body_and_face(number);
        let corners = body.corners(face);
        grid.reach(aabb).for_each(|[x, y, z]| {
            let [a, b, c] = PRIMES;
            let hash = x.wrapping_mul(a) ^ y.wrapping_mul(b) ^ z.wrapping_mul(c);
            let slot = &mut table[hash as usize % boxes.len()];
            let mut entry = *slot;
            while entry != NONE {
                let Entry { face: other_number, next } = entries[entry as usize];
                entry = next;
                let last = std::mem::replace(&mut tested[other_number as usize], number);
                if other_number == number || last == number {
                    continue;
                }
                let (other, other_face) = faces.body_and_face(other_number);
                if !are_neighbours(body, face, other, other_face)
                    && triangles_intersect(corners, other.corners(other_face))
                {
                    let mut pair = [body.feature(face), other.feature(other_face)];
                    pair.sort_unstable();
                    pairs.push(pair);
                }
            }
            let next = std::mem::replace(slot, entries.len() as u32);
            entries.push(Entry { face: number, next });
        });
    }
    pairs.sort_unstable();
    pairs
}
