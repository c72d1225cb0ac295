//! Tetrahedra that cracks go through (\[Glondu12\] 4.1): the exact local representation of the crack surfaces.
//!
//! By the virtual-node rule each edge is cut at most once, so every corner owns a share of its tetrahedron. Each edge has a
//! point where the shares of its ends meet, each face one where those of its corners do, and the tetrahedron a middle where
//! all four do; the share of a corner is what these span around it. Corners of one fragment own their shares together, and
//! where only two fragments meet the points are put so that the crack is flat: a triangle that cuts off a corner, or a
//! quadrilateral around the middle.
//!
//! Everything is in weights of the corners, so that two tetrahedra agree on the face that they share. A point that is part of
//! a crack never moves again; what breaks later only adds points on cracks that are there already. So the fragments are an
//! exact partition at all times, and one that did not break has its shape to the last bit.

use glam::DVec3;

use super::topology::{EDGE_BETWEEN, EDGES, FACES};

/// How near to its ends an edge is cut: shares of nothing would have no inside.
pub(super) const NEAREST_CUT: f64 = 1.0 / 64.0;

/// A tetrahedron that several fragments share, as one of them sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CutTet {
    /// Where along each edge the shares of its ends meet.
    edges: [f64; 6],
    /// The weights of the corners of each face where the three shares of it meet.
    faces: [[f64; 3]; 4],
    /// The weights of the corners where all shares meet.
    middle: [f64; 4],
    /// Which edges are cut, by bits.
    pub(super) cut: u8,
    /// Which corners are the fragment's, by bits.
    pub(super) own: u8,
}

/// A vertex of a crack: a corner (0 to 3), a cut edge (4 to 9), a face (10 to 13) or the middle (14).
pub(super) type CutPoint = u8;
pub(super) const EDGE_POINT: u8 = 4;
pub(super) const FACE_POINT: u8 = 10;
pub(super) const MIDDLE_POINT: u8 = 14;

/// At most this many triangles are between a fragment and the others in one tetrahedron: two a face.
const MOST_TRIANGLES: usize = 8;

/// The triangles of a crack in one tetrahedron, counter-clockwise from outside of the fragment.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CrackTriangles {
    triangles: [[CutPoint; 3]; MOST_TRIANGLES],
    len: u8,
}

impl CrackTriangles {
    fn push(&mut self, triangle: [CutPoint; 3]) {
        self.triangles[self.len as usize] = triangle;
        self.len += 1;
    }

    pub(super) fn as_slice(&self) -> &[[CutPoint; 3]] {
        &self.triangles[..self.len as usize]
    }
}

/// The bits of the three edges of a face.
pub(super) fn face_edges(face: usize) -> [usize; 3] {
    let [a, b, c] = FACES[face];
    [EDGE_BETWEEN[a][b], EDGE_BETWEEN[a][c], EDGE_BETWEEN[b][c]]
}

fn mean<const N: usize>(points: impl IntoIterator<Item = [f64; N]>) -> [f64; N] {
    let (mut sum, mut count) = ([0.0; N], 0.0);
    for point in points {
        sum.iter_mut().zip(point).for_each(|(sum, weight)| *sum += weight);
        count += 1.0;
    }
    sum.map(|weight| weight / count)
}

impl CutTet {
    /// A tetrahedron with other edges cut than before. `before` is what it was, if it was cut already; `edges` says where
    /// edges are cut, `junction` where the three shares of a face should meet, by its number, if somebody knows.
    pub(super) fn new(
        before: Option<&CutTet>,
        cut: u8,
        edges: impl Fn(usize) -> f64,
        junction: impl Fn(usize) -> Option<[f64; 3]>,
    ) -> CutTet {
        let cut_before = before.map_or(0, |before| before.cut);
        let edges: [f64; 6] = std::array::from_fn(|edge| match before {
            Some(before) if cut_before >> edge & 1 == 1 => before.edges[edge],
            _ if cut >> edge & 1 == 1 => edges(edge),
            _ => 0.5,
        });
        let faces = std::array::from_fn(|face| {
            let own = face_edges(face);
            let bits = own.iter().fold(0, |bits, edge| bits | 1u8 << edge);
            let known = before.map(|before| before.faces[face]);
            match (known, (cut_before & bits).count_ones(), (cut & bits).count_ones()) {
                (Some(known), was, is) if was == is => known,
                (_, 0, 3) => {
                    junction(face).unwrap_or_else(|| mean((0..3).map(|edge| edge_weights(&edges, &own, edge))))
                }
                (_, 0, 0) => [1.0 / 3.0; 3],
                (_, 0, _) => {
                    mean((0..3).filter(|&edge| cut >> own[edge] & 1 == 1).map(|edge| edge_weights(&edges, &own, edge)))
                }
                // The crack that is there stays: the new one ends on it, as far along as it is on its own edge.
                _ => {
                    let new = (0..3).find(|&edge| cut_before >> own[edge] & 1 == 0).unwrap_or(0);
                    let [from, to] = [[1, 2], [0, 2], [0, 1]][new];
                    let along = edges[own[new]];
                    let [from, to] = [from, to].map(|edge| edge_weights(&edges, &own, edge));
                    std::array::from_fn(|corner| from[corner] + along * (to[corner] - from[corner]))
                }
            }
        });
        let middle = match before {
            Some(before) => before.middle,
            None => middle(&edges, &faces, cut),
        };
        CutTet { edges, faces, middle, cut, own: 0 }
    }

    /// The same, as the fragment sees it that has these corners.
    pub(super) fn seen_by(self, own: u8) -> CutTet {
        CutTet { own, ..self }
    }

    /// The corner whose share a point is in, from its weights. A point between shares is in one of them.
    #[inline]
    pub(super) fn owner(&self, weights: [f64; 4]) -> usize {
        // Seen from the middle a point is before some face, and there seen from where the shares meet before some edge.
        let (face, ratio) = least(std::array::from_fn::<f64, 4, _>(|i| weights[i] / self.middle[i]));
        let corners = FACES[face];
        let on_face = corners.map(|corner| weights[corner] - ratio * self.middle[corner]);
        let meeting = self.faces[face];
        let (opposite, ratio) = least(std::array::from_fn::<f64, 3, _>(|i| on_face[i] / meeting[i]));
        let [a, b] = [[1, 2], [0, 2], [0, 1]][opposite];
        let [at_a, at_b] = [a, b].map(|i| on_face[i] - ratio * meeting[i]);
        let cut = self.edges[EDGE_BETWEEN[corners[a]][corners[b]]];
        if at_b < cut * (at_a + at_b) { corners[a] } else { corners[b] }
    }

    /// Whether the share of a corner is the fragment's.
    #[inline]
    pub(super) fn owns(&self, corner: usize) -> bool {
        self.own >> corner & 1 == 1
    }

    /// Whether the cut edges are those between the fragment's corners and all others, so that two fragments meet here.
    #[inline]
    pub(super) fn parts_two(&self) -> bool {
        (0..6).all(|edge| {
            let [a, b] = EDGES[edge];
            (self.cut >> edge & 1 == 1) == (self.owns(a) != self.owns(b))
        })
    }

    /// Whether shares of three fragments meet on a face, of which one is this.
    #[inline]
    pub(super) fn is_junction(&self, face: usize) -> bool {
        face_edges(face).iter().all(|&edge| self.cut >> edge & 1 == 1)
    }

    /// Where a vertex of a crack is.
    #[inline]
    pub(super) fn point(&self, point: CutPoint, corners: &[DVec3; 4]) -> DVec3 {
        match point {
            0..EDGE_POINT => corners[point as usize],
            EDGE_POINT..FACE_POINT => {
                let edge = (point - EDGE_POINT) as usize;
                let [a, b] = EDGES[edge].map(|corner| corners[corner]);
                a + self.edges[edge] * (b - a)
            }
            FACE_POINT..MIDDLE_POINT => {
                let face = (point - FACE_POINT) as usize;
                (0..3).map(|i| self.faces[face][i] * corners[FACES[face][i]]).sum::<DVec3>()
                    / self.faces[face].iter().sum::<f64>()
            }
            _ => (0..4).map(|i| self.middle[i] * corners[i]).sum::<DVec3>() / self.middle.iter().sum::<f64>(),
        }
    }

    /// The vertices of the fragment's part of a face, counter-clockwise as its corners are given, if not all of it is the
    /// fragment's; and the ends of the crack in it, from one to the other.
    pub(super) fn part_of_face(&self, corners: [usize; 3], opposite: usize) -> FacePart {
        let edge = |a: usize, b: usize| EDGE_POINT + EDGE_BETWEEN[a][b] as u8;
        let face = FACE_POINT + opposite as u8;
        let owned = corners.map(|corner| self.owns(corner));
        let mut part = FacePart::default();
        // Turned so that what is told of the corners holds for any of them.
        let turned = |first: usize| [corners[first], corners[(first + 1) % 3], corners[(first + 2) % 3]];
        match owned.iter().filter(|&&owned| owned).count() {
            0 => {}
            1 => {
                let [own, next, last] = turned(owned.iter().position(|&owned| owned).unwrap_or(0));
                part.push(own as u8);
                part.push(edge(own, next));
                if self.is_junction(opposite) {
                    part.push(face);
                }
                part.push(edge(own, last));
                part.crack = 1..part.len;
            }
            2 => {
                let [other, next, last] = turned(owned.iter().position(|&owned| !owned).unwrap_or(0));
                part.push(next as u8);
                part.push(last as u8);
                part.push(edge(last, other));
                part.push(edge(next, other));
                part.crack = 2..4;
            }
            _ => corners.iter().for_each(|&corner| part.push(corner as u8)),
        }
        part
    }

    /// The vertices around a crack that meets no other here, counter-clockwise from outside of the fragment.
    pub(super) fn rim(&self, outward: impl Fn(usize) -> [usize; 3]) -> Option<Rim> {
        let edge = |a: usize, b: usize| EDGE_POINT + EDGE_BETWEEN[a][b] as u8;
        match self.own.count_ones() {
            // One corner is cut off. Around it the faces go as they do from outside, and the crack turns to the other side.
            1 | 3 => {
                let is_own = self.own.count_ones() == 1;
                let alone = if is_own { self.own } else { !self.own & 15 }.trailing_zeros() as usize;
                let [a, b, c] = outward(alone).map(|corner| edge(alone, corner));
                Some(Rim::Triangle(if is_own { [a, b, c] } else { [a, c, b] }))
            }
            2 => {
                let first = self.own.trailing_zeros() as usize;
                let second = (self.own & (self.own - 1)).trailing_zeros() as usize;
                let around = outward(second);
                let place = around.iter().position(|&corner| corner == first)?;
                let [next, last] = [around[(place + 1) % 3], around[(place + 2) % 3]];
                let ends = [[first, last], [first, next], [second, next], [second, last]];
                Some(Rim::Quadrilateral(ends.map(|[own, other]| edge(own, other))))
            }
            _ => None,
        }
    }

    /// The triangles between the fragment and others. `outward` gives the corners of a face, counter-clockwise from outside.
    pub(super) fn cracks(&self, outward: impl Fn(usize) -> [usize; 3]) -> CrackTriangles {
        let mut triangles = CrackTriangles::default();
        let is_simple = (0..4).all(|face| !self.touches(face) || !self.is_junction(face));
        if is_simple && let Some(rim) = self.rim(&outward) {
            match rim {
                Rim::Triangle(points) => triangles.push(points),
                Rim::Quadrilateral([a, b, c, d]) => {
                    for [from, to] in [[a, b], [b, c], [c, d], [d, a]] {
                        triangles.push([from, to, MIDDLE_POINT]);
                    }
                }
            }
            return triangles;
        }
        for face in (0..4).filter(|&face| self.touches(face)) {
            let part = self.part_of_face(outward(face), face);
            for pair in part.crack().windows(2) {
                triangles.push([pair[1], pair[0], MIDDLE_POINT]);
            }
        }
        triangles
    }

    /// Where the triangles between the fragment and others are.
    pub(super) fn crack_places<Outward: Fn(usize) -> [usize; 3]>(
        &self,
        outward: Outward,
        corners: &[DVec3; 4],
    ) -> impl Iterator<Item = [DVec3; 3]> + use<Outward> {
        let CrackTriangles { triangles, len } = self.cracks(outward);
        // Triangles of a fan share most of their vertices.
        let mut places = [DVec3::ZERO; MIDDLE_POINT as usize + 1];
        let mut known = 0u16;
        for &point in triangles[..len as usize].as_flattened() {
            if known >> point & 1 == 0 {
                known |= 1 << point;
                places[point as usize] = self.point(point, corners);
            }
        }
        (0..len as usize).map(move |number| triangles[number].map(|point| places[point as usize]))
    }

    /// Whether a crack of the fragment ends on a face.
    fn touches(&self, face: usize) -> bool {
        let bits = FACES[face].iter().fold(0, |bits, corner| bits | 1u8 << corner);
        !matches!(self.own & bits, 0) && self.own & bits != bits
    }
}

/// Where a crack between two fragments goes through the edges of a tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rim {
    Triangle([CutPoint; 3]),
    /// Around the middle.
    Quadrilateral([CutPoint; 4]),
}

/// The fragment's part of a face of a tetrahedron.
#[derive(Clone, Debug, Default)]
pub(super) struct FacePart {
    points: [CutPoint; 5],
    len: usize,
    crack: std::ops::Range<usize>,
}

impl FacePart {
    fn push(&mut self, point: CutPoint) {
        self.points[self.len] = point;
        self.len += 1;
    }

    /// The corners of the polygon.
    pub(super) fn polygon(&self) -> &[CutPoint] {
        &self.points[..self.len]
    }

    /// Where it ends at a crack.
    fn crack(&self) -> &[CutPoint] {
        &self.points[self.crack.clone()]
    }
}

/// The weights on a face's corners where one of its edges is cut.
fn edge_weights(edges: &[f64; 6], own: &[usize; 3], edge: usize) -> [f64; 3] {
    let along = edges[own[edge]];
    let [from, to] = [[0, 1], [0, 2], [1, 2]][edge];
    let mut weights = [0.0; 3];
    weights[from] = 1.0 - along;
    weights[to] = along;
    weights
}

/// Where all shares meet, for a tetrahedron that was whole.
fn middle(edges: &[f64; 6], faces: &[[f64; 3]; 4], cut: u8) -> [f64; 4] {
    if cut.count_ones() <= 4 {
        let on_edge = |edge: usize| {
            let mut weights = [0.0; 4];
            weights[EDGES[edge][0]] = 1.0 - edges[edge];
            weights[EDGES[edge][1]] = edges[edge];
            weights
        };
        return mean((0..6).filter(|edge| cut >> edge & 1 == 1).map(on_edge));
    }
    let on_face = |face: usize| {
        let mut weights = [0.0; 4];
        FACES[face].iter().zip(faces[face]).for_each(|(&corner, weight)| weights[corner] = weight);
        weights
    };
    let is_junction = |face: &usize| face_edges(*face).iter().all(|edge| cut >> edge & 1 == 1);
    mean((0..4).filter(is_junction).map(on_face))
}

/// The place of the least number, the first of equal ones, and it.
#[inline]
fn least<const N: usize>(numbers: [f64; N]) -> (usize, f64) {
    let mut best = (0, numbers[0]);
    for (place, &number) in numbers.iter().enumerate().skip(1) {
        if number < best.1 {
            best = (place, number);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asked of the faces that the crack ends on, one by one.
    #[test]
    fn a_rim_goes_around_the_crack_as_its_faces_do() {
        for (own, is_turned) in (1..15u8).flat_map(|own| [(own, false), (own, true)]) {
            let is_between = |edge: &usize| (own >> EDGES[*edge][0] ^ own >> EDGES[*edge][1]) & 1 == 1;
            let cut = (0..6).filter(is_between).fold(0, |bits, edge| bits | 1u8 << edge);
            let share = CutTet::new(None, cut, |edge| 0.3 + 0.05 * edge as f64, |_| None).seen_by(own);
            assert!(share.parts_two());
            let outward = |opposite: usize| {
                let [a, b, c] = FACES[opposite];
                if (opposite % 2 == 1) != is_turned { [a, c, b] } else { [a, b, c] }
            };
            let mut expected = Vec::new();
            for face in (0..4).filter(|&face| share.touches(face)) {
                let part = share.part_of_face(outward(face), face);
                expected.extend(part.crack().windows(2).map(|pair| [pair[1], pair[0]]));
            }
            let mut found = match share.rim(outward).expect("some corners are others'") {
                Rim::Triangle([a, b, c]) => vec![[a, b], [b, c], [c, a]],
                Rim::Quadrilateral([a, b, c, d]) => vec![[a, b], [b, c], [c, d], [d, a]],
            };
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected, "{own:04b}");
        }
    }
}
