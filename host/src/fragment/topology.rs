//! Edges, faces and neighbours of a tetrahedral mesh.

use glam::{DVec3, Vec3};

use crate::geometry::{TetMesh, outer_faces};

/// The two corners of each edge of a tetrahedron.
pub(super) const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// The three corners of the face opposite each corner, in growing order.
pub(super) const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];

/// The edge between two corners.
pub(super) const EDGE_BETWEEN: [[usize; 4]; 4] = [[6, 0, 1, 2], [0, 6, 3, 4], [1, 3, 6, 5], [2, 4, 5, 6]];

/// Lists of numbers, one for each of many things, end to end.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists<T> {
    /// Where the list of each thing starts, and where the last ends.
    starts: Vec<u32>,
    entries: Vec<T>,
}

impl<T: Copy + Default> Lists<T> {
    /// Sorts entries by what they belong to; those of one thing stay in order.
    pub(super) fn new(count: usize, entries: impl Iterator<Item = (u32, T)> + Clone) -> Lists<T> {
        let mut starts = vec![0; count + 1];
        let mut total = 0;
        for (owner, _) in entries.clone() {
            starts[owner as usize + 1] += 1;
            total += 1;
        }
        for place in 0..count {
            starts[place + 1] += starts[place];
        }
        let mut next = starts.clone();
        let mut sorted = vec![T::default(); total];
        for (owner, entry) in entries {
            sorted[next[owner as usize] as usize] = entry;
            next[owner as usize] += 1;
        }
        Lists { starts, entries: sorted }
    }

    /// How many things there are.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    #[inline]
    pub(super) fn of(&self, thing: u32) -> &[T] {
        &self.entries[self.starts[thing as usize] as usize..self.starts[thing as usize + 1] as usize]
    }
}

/// An edge as one of its ends sees it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Neighbour {
    /// The other end.
    pub(super) node: u32,
    pub(super) edge: u32,
    /// One over the square of the distance (\[Glondu12\] equation 1).
    pub(super) weight: f32,
    /// The way to the other end.
    pub(super) way: Vec3,
}

/// What hangs together with what.
#[derive(Clone, Debug)]
pub(super) struct Topology {
    /// The corners of each tetrahedron in growing order, so that what is shared looks the same from both sides.
    pub(super) tets: Vec<[u32; 4]>,
    /// Whether sorting the corners turned a tetrahedron inside out.
    pub(super) is_turned: Vec<bool>,
    /// The edges of each tetrahedron, as [`EDGES`] has them.
    pub(super) tet_edges: Vec<[u32; 6]>,
    pub(super) edge_count: usize,
    pub(super) neighbours: Lists<Neighbour>,
    /// The tetrahedra around each node.
    pub(super) node_tets: Lists<u32>,
    /// Faces of the surface: the tetrahedron, and the corner opposite.
    pub(super) surface: Vec<(u32, u8)>,
    /// Which faces of each tetrahedron are on the surface, by bits of the corners opposite.
    pub(super) outer_faces: Vec<u8>,
    /// Whether each node is on the surface.
    pub(super) is_outer: Vec<bool>,
}

impl Topology {
    pub(super) fn new(mesh: &TetMesh) -> Topology {
        let mut is_turned = vec![false; mesh.tets.len()];
        let mut tets = mesh.tets.clone();
        for (tet, is_turned) in tets.iter_mut().zip(&mut is_turned) {
            let swaps = (0..4).flat_map(|i| (0..i).map(move |j| (i, j))).filter(|&(i, j)| tet[i] < tet[j]).count();
            *is_turned = swaps % 2 == 1;
            tet.sort_unstable();
        }
        let edge_of = |tet: &[u32; 4], edge: usize| EDGES[edge].map(|corner| tet[corner]);
        let mut edges: Vec<[u32; 2]> = tets.iter().flat_map(|tet| (0..6).map(move |edge| edge_of(tet, edge))).collect();
        edges.sort_unstable();
        edges.dedup();
        // Edges are sorted by their smaller end, so those of one node stand side by side.
        let first_edges =
            Lists::new(mesh.positions.len(), edges.iter().zip(0u32..).map(|(edge, number)| (edge[0], number)));
        let number_of = |edge: [u32; 2]| {
            let own = first_edges.of(edge[0]);
            own[own.partition_point(|&number| edges[number as usize][1] < edge[1])]
        };
        let tet_edges = tets.iter().map(|tet| std::array::from_fn(|edge| number_of(edge_of(tet, edge)))).collect();
        let position = |node: u32| mesh.positions[node as usize];
        let neighbour = |[node, other]: [u32; 2], edge: u32| {
            let way = position(other) - position(node);
            (node, Neighbour { node: other, edge, weight: way.length_squared().recip() as f32, way: way.as_vec3() })
        };
        let both =
            edges.iter().zip(0u32..).flat_map(|(&[a, b], edge)| [neighbour([a, b], edge), neighbour([b, a], edge)]);
        let neighbours = Lists::new(mesh.positions.len(), both);
        let node_tets = Lists::new(
            mesh.positions.len(),
            tets.iter().zip(0u32..).flat_map(|(tet, number)| tet.map(|node| (node, number))),
        );
        let surface = outer_faces(&tets);
        let mut is_outer = vec![false; mesh.positions.len()];
        let mut outer_faces = vec![0; tets.len()];
        for &(tet, opposite) in &surface {
            outer_faces[tet as usize] |= 1 << opposite;
            for corner in FACES[opposite as usize] {
                is_outer[tets[tet as usize][corner] as usize] = true;
            }
        }
        Topology {
            is_turned,
            tet_edges,
            edge_count: edges.len(),
            neighbours,
            node_tets,
            surface,
            outer_faces,
            is_outer,
            tets,
        }
    }

    /// Where the corners of a tetrahedron are.
    #[inline]
    pub(super) fn corners(&self, tet: u32, positions: &[DVec3]) -> [DVec3; 4] {
        self.tets[tet as usize].map(|node| positions[node as usize])
    }

    /// The corners of a face, counter-clockwise from outside of the tetrahedron.
    pub(super) fn outward_face(&self, tet: u32, opposite: usize) -> [usize; 3] {
        let [a, b, c] = FACES[opposite];
        // Of corners in order, faces opposite an odd corner look inwards.
        if (opposite % 2 == 1) != self.is_turned[tet as usize] { [a, c, b] } else { [a, b, c] }
    }
}
