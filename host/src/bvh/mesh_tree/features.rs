//! Vertices, edges and faces of a body, each of which belongs to one triangle (\[Heo10\] section 6; Curtis et al. 2008,
//! Fast collision detection for deformable models using representative-triangles).
//!
//! Two triangles whose boxes overlap test only what belongs to them, so a vertex and a face, or two edges, are tested
//! once however many triangles they are part of.

/// No half-edge.
pub(super) const NONE: u32 = u32::MAX;

/// A triangle and what belongs to it, in one load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Face {
    pub corners: [u32; 3],
    /// Which corners (bits 0 to 2) and sides (bits 3 to 5) belong to it; which sides are boundaries (bits 6 to 8).
    flags: u32,
}

impl Face {
    #[inline]
    pub(super) fn owns_corner(self, corner: usize) -> bool {
        self.flags & 1 << corner != 0
    }

    #[inline]
    pub(super) fn owns_side(self, side: usize) -> bool {
        self.flags & 8 << side != 0
    }

    /// Whether two triangles of a body have a vertex in common. All nine are compared, without a guess.
    #[inline]
    pub(super) fn shares_a_corner(&self, other: &Face) -> bool {
        let [a, b, c] = self.corners;
        other.corners.iter().fold(false, |shares, &corner| shares | (corner == a) | (corner == b) | (corner == c))
    }

    /// Which sides have no other face behind them.
    #[inline]
    pub(super) fn boundary(self) -> [bool; 3] {
        [64, 128, 256].map(|bit| self.flags & bit != 0)
    }

    #[inline]
    pub(super) fn has_boundary(self) -> bool {
        self.flags >> 6 != 0
    }
}

/// What the triangles of a body share.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Features {
    pub faces: Vec<Face>,
    /// The ends of every edge, the smaller number first.
    pub edges: Vec<[u32; 2]>,
    /// The edge at each side of a face, from corner 0 to 1, 1 to 2 and 2 to 0.
    pub sides: Vec<[u32; 3]>,
    /// For each half-edge (three times the face plus the side) the other one of the same edge; `NONE` at a boundary, and
    /// where more than two faces meet or two that do not run against each other, which count as boundaries.
    pub twins: Vec<u32>,
    /// Whether there is no boundary.
    pub is_closed: bool,
}

impl Features {
    pub(super) fn of(triangles: &[[u32; 3]], vertices: usize) -> Features {
        // The first half-edge of each one's edge, then that edge's number.
        let mut numbers = vec![0; 3 * triangles.len()];
        let mut twins = vec![NONE; 3 * triangles.len()];
        let mut edges = 0;
        visit_edges(triangles, vertices, |vertex, half_edges| {
            edges += 1;
            let number = |half_edge: u64| half_edge as u32;
            for &half_edge in half_edges {
                numbers[number(half_edge) as usize] = number(half_edges[0]);
            }
            let &[one, other] = half_edges else { return };
            let [one, other] = [number(one), number(other)];
            let is_forward = |half_edge: u32| triangles[(half_edge / 3) as usize][(half_edge % 3) as usize] == vertex;
            if is_forward(one) != is_forward(other) && one / 3 != other / 3 {
                (twins[one as usize], twins[other as usize]) = (other, one);
            }
        });
        let is_closed = !twins.contains(&NONE);
        let mut features = Features {
            faces: Vec::with_capacity(triangles.len()),
            edges: Vec::with_capacity(edges),
            sides: Vec::with_capacity(triangles.len()),
            twins,
            is_closed,
        };
        let mut seen = vec![false; vertices];
        for (&corners, face) in triangles.iter().zip(0u32..) {
            let (mut flags, mut sides) = (0, [0; 3]);
            for (corner, side) in sides.iter_mut().enumerate() {
                let (from, to) = (corners[corner], corners[(corner + 1) % 3]);
                let half_edge = 3 * face as usize + corner;
                if !std::mem::replace(&mut seen[from as usize], true) {
                    flags |= 1 << corner;
                }
                let first = numbers[half_edge] as usize;
                if first == half_edge {
                    flags |= 8 << corner;
                    numbers[half_edge] = features.edges.len() as u32;
                    features.edges.push([from.min(to), from.max(to)]);
                }
                *side = numbers[first];
                if features.twins[half_edge] == NONE {
                    flags |= 64 << corner;
                }
            }
            features.faces.push(Face { corners, flags });
            features.sides.push(sides);
        }
        features
    }
}

/// Calls `visit` for every edge with its smaller vertex and its half-edges in the order of their numbers, which are in the
/// lower half of each word: counted into buckets by the smaller vertex, which are short, and these sorted by the larger one.
fn visit_edges(triangles: &[[u32; 3]], vertices: usize, mut visit: impl FnMut(u32, &[u64])) {
    let mut ends = vec![0u32; vertices];
    let sides = |[a, b, c]: [u32; 3]| [(a, b), (b, c), (c, a)];
    for (from, to) in triangles.iter().copied().flat_map(sides) {
        ends[from.min(to) as usize] += 1;
    }
    let mut start = 0;
    for end in &mut ends {
        start += std::mem::replace(end, start);
    }
    let mut half_edges = vec![0u64; 3 * triangles.len()];
    for ((from, to), number) in triangles.iter().copied().flat_map(sides).zip(0u64..) {
        let slot = &mut ends[from.min(to) as usize];
        half_edges[*slot as usize] = u64::from(from.max(to)) << 32 | number;
        *slot += 1;
    }
    let mut start = 0;
    for (&end, vertex) in ends.iter().zip(0..) {
        let bucket = &mut half_edges[start..end as usize];
        bucket.sort_unstable();
        bucket.chunk_by(|a, b| a >> 32 == b >> 32).for_each(|edge| visit(vertex, edge));
        start = end as usize;
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
        let count = |owns: fn(Face, usize) -> bool| {
            features.faces.iter().map(|face| (0..3).filter(|&at| owns(*face, at)).count()).sum::<usize>()
        };
        assert_eq!(count(Face::owns_corner), mesh.positions.len());
        assert_eq!(count(Face::owns_side), features.edges.len());
        assert_eq!(mesh.positions.len() + mesh.triangles.len(), features.edges.len() + 2);
        for (half_edge, &twin) in features.twins.iter().enumerate() {
            assert_eq!(features.twins[twin as usize], half_edge as u32);
        }
        assert!(features.faces.iter().all(|face| !face.has_boundary()));
        for (face, (corners, sides)) in mesh.triangles.iter().zip(&features.sides).enumerate() {
            for side in 0..3 {
                let mut ends = [corners[side], corners[(side + 1) % 3]];
                ends.sort_unstable();
                assert_eq!(features.edges[sides[side] as usize], ends, "face {face}");
            }
        }
    }

    #[test]
    fn edges_of_three_faces_are_boundaries() {
        let features = Features::of(&[[0, 1, 2], [1, 0, 3], [0, 1, 4], [5, 6, 5]], 7);
        assert!(features.twins.iter().all(|&twin| twin == NONE));
        assert!(features.faces.iter().all(|face| face.boundary() == [true; 3]));
    }
}
