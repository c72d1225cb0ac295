//! Vertices, edges and faces of a body, each of which belongs to one triangle (\[Heo10\] section 6; Curtis et al. 2008,
//! Fast collision detection for deformable models using representative-triangles).
//!
//! Two triangles whose boxes overlap test only what belongs to them, so a vertex and a face, or two edges, are tested
//! once however many triangles they are part of.

use rustc_hash::FxHashMap;

/// No half-edge.
pub(super) const NONE: u32 = u32::MAX;

/// What the triangles of a body share.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Features {
    /// The ends of every edge, the smaller number first.
    pub edges: Vec<[u32; 2]>,
    /// The edge at each side of a face, from corner 0 to 1, 1 to 2 and 2 to 0.
    pub sides: Vec<[u32; 3]>,
    /// Which corners (bits 0 to 2) and sides (bits 3 to 5) belong to a face.
    pub owned: Vec<u8>,
    /// For each half-edge (three times the face plus the side) the other one of the same edge; `NONE` at a boundary, and
    /// where more than two faces meet or two that do not run against each other, which count as boundaries.
    pub twins: Vec<u32>,
}

impl Features {
    pub(super) fn of(triangles: &[[u32; 3]], vertices: usize) -> Features {
        let mut edges = Vec::with_capacity(triangles.len() * 3 / 2);
        let mut numbers = FxHashMap::with_capacity_and_hasher(triangles.len() * 3 / 2, Default::default());
        let (mut sides, mut owned) = (vec![[0; 3]; triangles.len()], vec![0u8; triangles.len()]);
        let mut seen = vec![false; vertices];
        // The half-edge that an edge was first met in, then how many there were.
        let mut first: Vec<(u32, u32)> = Vec::with_capacity(triangles.len() * 3 / 2);
        let mut twins = vec![NONE; 3 * triangles.len()];
        for (face, &triangle) in triangles.iter().enumerate() {
            for corner in 0..3 {
                let (from, to) = (triangle[corner], triangle[(corner + 1) % 3]);
                if !std::mem::replace(&mut seen[from as usize], true) {
                    owned[face] |= 1 << corner;
                }
                let half_edge = (3 * face + corner) as u32;
                let ends = [from.min(to), from.max(to)];
                let edge = *numbers.entry(ends).or_insert_with(|| {
                    edges.push(ends);
                    first.push((half_edge, 0));
                    owned[face] |= 8 << corner;
                    edges.len() as u32 - 1
                });
                sides[face][corner] = edge;
                let (other, count) = &mut first[edge as usize];
                *count += 1;
                let other = *other as usize;
                match *count {
                    1 => {}
                    2 if triangles[other / 3][other % 3] == to && other / 3 != face => {
                        (twins[other], twins[half_edge as usize]) = (half_edge, other as u32);
                    }
                    // What the first two have found is a boundary as well.
                    _ => {
                        if let Some(twin) = twins.get(other).copied().filter(|&twin| twin != NONE) {
                            (twins[other], twins[twin as usize]) = (NONE, NONE);
                        }
                    }
                }
            }
        }
        Features { edges, sides, owned, twins }
    }
}

/// The half-edge after this one around its face.
#[inline]
pub(super) fn next(half_edge: u32) -> u32 {
    if half_edge % 3 == 2 { half_edge - 2 } else { half_edge + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::shapes;

    #[test]
    fn every_feature_belongs_to_one_face() {
        let mesh = shapes::Sphere { radius: 1.0, frequency: 4 }.mesh().unwrap();
        let features = Features::of(&mesh.triangles, mesh.positions.len());
        let count = |bits: u8| features.owned.iter().map(|owned| (owned & bits).count_ones() as usize).sum::<usize>();
        assert_eq!(count(0b111), mesh.positions.len());
        assert_eq!(count(0b111_000), features.edges.len());
        assert_eq!(mesh.positions.len() + mesh.triangles.len(), features.edges.len() + 2);
        for (half_edge, &twin) in features.twins.iter().enumerate() {
            assert_eq!(features.twins[twin as usize], half_edge as u32);
        }
    }

    #[test]
    fn edges_of_three_faces_are_boundaries() {
        let features = Features::of(&[[0, 1, 2], [1, 0, 3], [0, 1, 4], [5, 6, 5]], 7);
        assert!(features.twins.iter().all(|&twin| twin == NONE));
    }
}
