//! The body-centred cubic lattice: corners and centres of cubes, and the tetrahedra between them.

use glam::{DVec3, IVec3};

use super::super::super::Aabb;

/// Where the lattice lies. A vertex is named by whole numbers that count half spacings: all even at the corners of the
/// cubes, all odd at their centres.
pub(super) struct Lattice {
    pub(super) origin: DVec3,
    pub(super) spacing: f64,
    /// How many cubes there are along each axis.
    pub(super) cells: IVec3,
}

/// The number of a lattice vertex in 60 bits; neighbouring vertices have keys that a fixed step apart.
pub(super) type VertexKey = u64;

/// The number of a lattice edge: its lower vertex and its direction.
pub(super) type EdgeKey = u64;

/// The seven edges that leave a vertex upwards: three long ones along the axes, four short ones along the diagonals. The
/// other seven are these backwards.
pub(super) const UPWARD: [IVec3; 7] = [
    IVec3::new(2, 0, 0),
    IVec3::new(0, 2, 0),
    IVec3::new(0, 0, 2),
    IVec3::new(1, 1, 1),
    IVec3::new(-1, 1, 1),
    IVec3::new(1, -1, 1),
    IVec3::new(-1, -1, 1),
];

const BITS: u32 = 20;

pub(super) fn vertex_key(vertex: IVec3) -> VertexKey {
    // Shifted by a few, so that steps below the lowest vertex stay positive.
    let [x, y, z] = (vertex + 4).to_array().map(|number| number as u64);
    (z << (2 * BITS)) | (y << BITS) | x
}

pub(super) fn key_vertex(key: VertexKey) -> IVec3 {
    let part = |shift: u32| ((key >> shift) & ((1 << BITS) - 1)) as i32 - 4;
    IVec3::new(part(0), part(BITS), part(2 * BITS))
}

/// The edge between two vertices that are neighbours.
pub(super) fn edge_key(one: IVec3, other: IVec3) -> (EdgeKey, bool) {
    let along = other - one;
    for (direction, &upward) in UPWARD.iter().enumerate() {
        if along == upward {
            return ((vertex_key(one) << 3) | direction as u64, false);
        }
        if along == -upward {
            return ((vertex_key(other) << 3) | direction as u64, true);
        }
    }
    unreachable!("the corners of a tetrahedron are neighbours in the lattice")
}

/// The lower vertex of an edge and the step to the upper one.
pub(super) fn key_edge(key: EdgeKey) -> (IVec3, IVec3) {
    (key_vertex(key >> 3), UPWARD[(key & 7) as usize])
}

impl Lattice {
    /// The lattice that covers a box with a cell to spare on each side.
    pub(super) fn over(bounds: &Aabb, spacing: f64) -> Lattice {
        let extent = bounds.max - bounds.min;
        let cells = (extent / spacing).ceil().as_ivec3() + 2;
        // Centred, so that a symmetric figure has a symmetric lattice; and by a part of a cell off the planes of
        // symmetry, where flat sides would fall onto lattice vertices.
        let origin = bounds.center() - 0.5 * spacing * cells.as_dvec3();
        Lattice { origin, spacing, cells }
    }

    pub(super) fn position(&self, vertex: IVec3) -> DVec3 {
        self.origin + 0.5 * self.spacing * vertex.as_dvec3()
    }
}

/// The four tetrahedra around an edge between the centres of neighbouring cubes, as steps from the lower centre:
/// lower and upper centre, then two neighbouring corners of the square between the cubes. All have positive volume.
pub(super) fn tetrahedra(axis: usize) -> [[IVec3; 4]; 4] {
    let along = IVec3::AXES[axis];
    let (u, v) = (IVec3::AXES[(axis + 1) % 3], IVec3::AXES[(axis + 2) % 3]);
    let square = [-u - v, u - v, u + v, v - u].map(|corner| along + corner);
    [0, 1, 2, 3].map(|side| [IVec3::ZERO, 2 * along, square[side], square[(side + 1) % 4]])
}

/// The 24 tetrahedra around a vertex, as steps to their other three corners; with the vertex first, all have positive
/// volume.
pub(super) fn star() -> Vec<[IVec3; 3]> {
    let mut star = Vec::with_capacity(24);
    for axis in 0..3 {
        for tetrahedron in tetrahedra(axis) {
            // The same four shapes serve around an edge between two corners of cubes. Those above the vertex start
            // from it; those below end in it, and swapping the two ends turns the tetrahedron inside out.
            star.push([tetrahedron[1], tetrahedron[2], tetrahedron[3]]);
            let [a, b, c] = [tetrahedron[0], tetrahedron[2], tetrahedron[3]].map(|corner| corner - tetrahedron[1]);
            star.push([a, c, b]);
        }
    }
    star
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(corners: [IVec3; 3]) -> i32 {
        let [a, b, c] = corners;
        a.dot(b.cross(c))
    }

    #[test]
    fn tetrahedra_fill_space() {
        // 12 to a cube of side 2, each of 1/12 of its volume (six times volume: 4 of 48).
        for axis in 0..3 {
            for [o, a, b, c] in tetrahedra(axis) {
                assert_eq!(volume([a - o, b - o, c - o]), 4);
            }
        }
        let star = star();
        assert_eq!(star.len(), 24);
        for corners in &star {
            assert_eq!(volume(*corners), 4);
        }
        // Around a vertex the outer faces form a closed sphere: each of its edges occurs once each way.
        let mut edges: Vec<([i32; 3], [i32; 3])> = star
            .iter()
            .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)])
            .map(|(from, to)| (from.to_array(), to.to_array()))
            .collect();
        edges.sort_unstable();
        assert_eq!(edges.len(), 72);
        assert!(edges.iter().all(|&(from, to)| edges.binary_search(&(to, from)).is_ok()));
        assert!(edges.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn keys_come_back() {
        for vertex in [IVec3::ZERO, IVec3::new(1, 3, 5), IVec3::new(400_000, 2, 7), IVec3::splat(-1)] {
            assert_eq!(key_vertex(vertex_key(vertex)), vertex);
            for (direction, upward) in UPWARD.into_iter().enumerate() {
                let (key, backwards) = edge_key(vertex, vertex + upward);
                assert!(!backwards && key & 7 == direction as u64);
                assert_eq!(key_edge(key), (vertex, upward));
                assert_eq!(edge_key(vertex + upward, vertex), (key, true));
            }
        }
    }
}
