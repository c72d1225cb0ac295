//! Vertices, edges and faces of a body, each of which belongs to one triangle (\[Heo10\] section 6; Curtis et al. 2008,
//! Fast collision detection for deformable models using representative-triangles).
//!
//! Two triangles whose boxes overlap test only what belongs to them, so a vertex and a face, or two edges, are tested
//! once however many triangles they are part of.

use super::pieces::Heir;

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
    #[cfg(test)]
    pub(super) fn of(triangles: &[[u32; 3]], vertices: usize) -> Features {
        let mut features = Features::default();
        features.find(triangles, vertices);
        features
    }

    /// Finds them in one pass: of every side its edge is looked up, or is new and belongs to this face.
    ///
    /// An edge is listed with that end which fewer faces meet in, so that lists are short even where all meet in one vertex: on a
    /// surface of few holes they are walked in linear time (Chiba and Nishizeki 1985, Arboricity and subgraph listing algorithms).
    pub(super) fn find(&mut self, triangles: &[[u32; 3]], vertices: usize) {
        self.clear();
        self.reserve(triangles.len());
        let features = self;
        let mut valences = vec![0u32; vertices];
        for vertex in triangles.iter().flatten() {
            valences[*vertex as usize] += 1;
        }
        let mut last_listed = vec![NONE; vertices];
        let mut listed: Vec<Listed> = Vec::with_capacity(3 * triangles.len() / 2);
        features.twins.resize(3 * triangles.len(), NONE);
        for (&corners, first_half_edge) in triangles.iter().zip((0u32..).step_by(3)) {
            let (mut flags, mut sides) = (0, [0; 3]);
            for (side, number) in sides.iter_mut().enumerate() {
                let (from, to) = (corners[side], corners[(side + 1) % 3]);
                // No face has met this corner before.
                let valence = &mut valences[from as usize];
                if *valence & MET == 0 {
                    *valence |= MET;
                    flags |= 1 << side;
                }
                let rank = |vertex: u32| (valences[vertex as usize] & !MET, vertex);
                let (keeper, other) = if rank(from) < rank(to) { (from, to) } else { (to, from) };
                let half_edge = first_half_edge + side as u32;
                let mut at = last_listed[keeper as usize];
                while at != NONE && listed[at as usize].other != other {
                    at = listed[at as usize].before;
                }
                if at == NONE {
                    at = listed.len() as u32;
                    flags |= 8 << side;
                    let before = std::mem::replace(&mut last_listed[keeper as usize], at);
                    listed.push(Listed { other, before, from, half_edge, sides: 1 });
                    features.edges.push([from.min(to), from.max(to)]);
                } else {
                    features.join(&mut listed[at as usize], half_edge, from);
                }
                *number = at;
            }
            features.faces.push(Face { corners, flags });
            features.sides.push(sides);
        }
        features.mark_boundary();
    }

    pub(super) fn clear(&mut self) {
        self.faces.clear();
        self.edges.clear();
        self.sides.clear();
        self.twins.clear();
        self.is_closed = false;
    }

    /// Makes room for the features of so many triangles.
    fn reserve(&mut self, triangles: usize) {
        self.faces.reserve(triangles);
        self.edges.reserve(3 * triangles / 2);
        self.sides.reserve(triangles);
        self.twins.reserve(3 * triangles);
    }

    /// Another half-edge of an edge is met: it is the twin of the first, but for a third nobody is anybody's.
    #[inline]
    fn join(&mut self, edge: &mut Listed, half_edge: u32, from: u32) {
        edge.sides += 1;
        let first = edge.half_edge;
        if edge.sides == 2 && edge.from != from && first / 3 != half_edge / 3 {
            (self.twins[first as usize], self.twins[half_edge as usize]) = (half_edge, first);
        } else if edge.sides > 2 {
            let second = std::mem::replace(&mut self.twins[first as usize], NONE);
            if second != NONE {
                self.twins[second as usize] = NONE;
            }
        }
    }

    /// Makes these the features of a piece of a body that has some of its faces and no others: each triangle was one of `old_faces` and is
    /// the piece's by what `heirs` say. What was a boundary stays one, also where a third face has
    /// gone from an edge. `edge_numbers` is room for a number for each old edge, all `NONE`, and so again
    /// afterwards.
    pub(super) fn keep(
        &mut self,
        old: &Features,
        old_faces: &[u32],
        (heirs, piece): (&[Heir], u32),
        triangles: &[[u32; 3]],
        vertices: usize,
        edge_numbers: &mut Vec<u32>,
    ) {
        self.clear();
        self.reserve(triangles.len());
        let left = self;
        edge_numbers.resize(edge_numbers.len().max(old.edges.len()), NONE);
        let mut met = vec![false; vertices];
        for (&face, &corners) in old_faces.iter().zip(triangles) {
            let face = face as usize;
            let (mut flags, mut sides): (u32, [u32; 3]) = (0, old.sides[face]);
            for (side, edge) in sides.iter_mut().enumerate() {
                let (from, to) = (corners[side], corners[(side + 1) % 3]);
                flags |= u32::from(!std::mem::replace(&mut met[from as usize], true)) << side;
                let number = &mut edge_numbers[*edge as usize];
                if *number == NONE {
                    *number = left.edges.len() as u32;
                    left.edges.push([from.min(to), from.max(to)]);
                    flags |= 8 << side;
                }
                *edge = *number;
                let twin = old.twins[3 * face + side];
                let heir = heirs.get((twin / 3) as usize).filter(|heir| heir.piece == piece);
                left.twins.push(heir.map_or(NONE, |heir| 3 * heir.face + twin % 3));
            }
            left.faces.push(Face { corners, flags });
            left.sides.push(sides);
        }
        for edge in old_faces.iter().flat_map(|&face| old.sides[face as usize]) {
            edge_numbers[edge as usize] = NONE;
        }
        left.mark_boundary();
    }

    fn mark_boundary(&mut self) {
        let mut all = 0;
        for (face, twins) in self.faces.iter_mut().zip(self.twins.chunks_exact(3)) {
            let bit = |side: usize| u32::from(twins[side] == NONE) << (6 + side);
            face.flags |= bit(0) | bit(1) | bit(2);
            all |= face.flags;
        }
        self.is_closed = all >> 6 == 0;
    }
}

/// Set in the valence of a vertex when its first face is met.
const MET: u32 = 1 << 31;

/// An edge in the list of one of its ends.
struct Listed {
    /// The other end.
    other: u32,
    /// The edge before it in the list.
    before: u32,
    /// The vertex that its first half-edge starts at, and that.
    from: u32,
    half_edge: u32,
    /// How many sides of faces it is.
    sides: u32,
}

/// The half-edge after this one around its face.
#[inline]
pub(super) fn next(half_edge: u32) -> u32 {
    if half_edge % 3 == 2 { half_edge - 2 } else { half_edge + 1 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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

    /// What features are, said without any care for time.
    fn plain_features(triangles: &[[u32; 3]]) -> Features {
        let ends = |half_edge: usize| {
            let corners = triangles[half_edge / 3];
            [corners[half_edge % 3], corners[(half_edge + 1) % 3]]
        };
        let key = |half_edge: usize| {
            let [from, to] = ends(half_edge);
            [from.min(to), from.max(to)]
        };
        let half_edges = 3 * triangles.len();
        let of_edge = |half_edge: usize| (0..half_edges).filter(move |&other| key(other) == key(half_edge));
        let mut edges: Vec<[u32; 2]> = Vec::new();
        let mut plain = Features { twins: vec![NONE; half_edges], ..Features::default() };
        for (face, &corners) in triangles.iter().enumerate() {
            let mut flags = 0;
            let sides = [0, 1, 2].map(|side| {
                let half_edge = 3 * face + side;
                let before = |vertex: u32| (0..half_edge).all(|earlier| ends(earlier)[0] != vertex);
                flags |= u32::from(before(corners[side])) << side;
                if of_edge(half_edge).next() == Some(half_edge) {
                    flags |= 8 << side;
                    edges.push(key(half_edge));
                }
                let others: Vec<usize> = of_edge(half_edge).filter(|&other| other != half_edge).collect();
                match others[..] {
                    [twin]
                        if ends(twin)[0] == ends(half_edge)[1]
                            && ends(twin)[0] != ends(twin)[1]
                            && twin / 3 != face =>
                    {
                        plain.twins[half_edge] = twin as u32;
                    }
                    _ => flags |= 64 << side,
                }
                edges.iter().position(|&edge| edge == key(half_edge)).unwrap() as u32
            });
            plain.faces.push(Face { corners, flags });
            plain.sides.push(sides);
        }
        plain.is_closed = !plain.twins.contains(&NONE);
        Features { edges, ..plain }
    }

    proptest! {
        /// Few vertices, so that edges of many faces, faces without an area and faces that are there twice all occur.
        #[test]
        fn features_are_what_they_are_said_to_be(
            triangles in proptest::collection::vec([0u32..7, 0u32..7, 0u32..7], 0..24),
        ) {
            prop_assert_eq!(Features::of(&triangles, 7), plain_features(&triangles));
        }
    }
}
