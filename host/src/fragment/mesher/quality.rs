//! How good a tetrahedral mesh is.

use std::fmt;

use glam::DVec3;
use rayon::prelude::*;
use serde::Serialize;

use crate::geometry::{DisjointSets, TetMesh};

/// What there is to know of a tetrahedral mesh before one computes with it.
///
/// ```
/// use fracas::fragment::{MeshQuality, cuboid_tets};
/// use glam::DVec3;
///
/// let quality = MeshQuality::of(&cuboid_tets(DVec3::ONE, [1, 1, 1])?);
/// assert_eq!((quality.tets, quality.surface_triangles), (5, 12));
/// assert!(quality.smallest_angle > 54.7 && quality.largest_angle < 90.1);
/// # Ok::<(), fracas::fragment::MesherError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MeshQuality {
    /// How many tetrahedra.
    pub tets: usize,
    /// How many vertices.
    pub vertices: usize,
    /// How many faces that only one tetrahedron has.
    pub surface_triangles: usize,
    /// How many parts that share no vertex.
    pub components: usize,
    /// The smallest angle between two faces of a tetrahedron, in degrees; zero or less if one has no volume or is inside
    /// out.
    pub smallest_angle: f64,
    /// The largest angle between two faces of a tetrahedron, in degrees.
    pub largest_angle: f64,
    /// The length of the shortest edge.
    pub shortest_edge: f64,
    /// The length of the longest edge.
    pub longest_edge: f64,
    /// The sum of the signed volumes.
    pub volume: f64,
    /// By how much the volume differs from that of the surface which was meshed, relative to it; negative if it is less.
    pub volume_error: Option<f64>,
}

impl MeshQuality {
    /// Looks a mesh over. Of one without tetrahedra, all numbers are zero.
    ///
    /// # Panics
    /// If a tetrahedron names a vertex that is not there ([`TetMesh::check`]).
    pub fn of(mesh: &TetMesh) -> MeshQuality {
        MeshQuality::with_surface(mesh, surface_triangles(mesh))
    }

    pub(super) fn with_surface(mesh: &TetMesh, surface_triangles: usize) -> MeshQuality {
        let extremes = (0..mesh.tets.len())
            .into_par_iter()
            .map(|tet| Extremes::of(mesh.corners(tet)))
            .reduce_with(Extremes::with)
            .unwrap_or_default();
        MeshQuality {
            tets: mesh.tets.len(),
            vertices: mesh.positions.len(),
            surface_triangles,
            components: components(mesh),
            smallest_angle: extremes.angles[0],
            largest_angle: extremes.angles[1],
            shortest_edge: extremes.squared_edges[0].sqrt(),
            longest_edge: extremes.squared_edges[1].sqrt(),
            volume: mesh.volume(),
            volume_error: None,
        }
    }
}

impl fmt::Display for MeshQuality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |name: &str, value: String| writeln!(f, "{name:<20} {value}");
        line("tetrahedra", self.tets.to_string())?;
        line("vertices", self.vertices.to_string())?;
        line("surface triangles", self.surface_triangles.to_string())?;
        line("components", self.components.to_string())?;
        line("dihedral angles", format!("{:.2} to {:.2} degrees", self.smallest_angle, self.largest_angle))?;
        line("edges", format!("{:.4e} to {:.4e}", self.shortest_edge, self.longest_edge))?;
        line("volume", format!("{:.6e}", self.volume))?;
        match self.volume_error {
            Some(error) => line("volume error", format!("{:+.3} %", 100.0 * error)),
            None => Ok(()),
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Extremes {
    angles: [f64; 2],
    squared_edges: [f64; 2],
}

impl Extremes {
    fn of(corners: [DVec3; 4]) -> Extremes {
        let mut squared_edges = [f64::INFINITY, 0.0];
        for [from, to, ..] in EDGES {
            let squared = corners[from].distance_squared(corners[to]);
            squared_edges = [squared_edges[0].min(squared), squared_edges[1].max(squared)];
        }
        Extremes { angles: angles(corners), squared_edges }
    }

    fn with(self, other: Extremes) -> Extremes {
        let widen = |one: [f64; 2], other: [f64; 2]| [one[0].min(other[0]), one[1].max(other[1])];
        Extremes {
            angles: widen(self.angles, other.angles),
            squared_edges: widen(self.squared_edges, other.squared_edges),
        }
    }
}

/// The edges of a tetrahedron, each with the two corners opposite to it, so that all four in that order are positive if the
/// tetrahedron is.
const EDGES: [[usize; 4]; 6] = [[0, 1, 2, 3], [0, 2, 3, 1], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 2, 0], [2, 3, 0, 1]];

/// The smallest and the largest angle between two faces of a tetrahedron, in degrees; negative if it is inside out.
pub(super) fn angles(corners: [DVec3; 4]) -> [f64; 2] {
    let mut range = [f64::INFINITY, f64::NEG_INFINITY];
    for [from, to, one, other] in EDGES {
        let edge = corners[to] - corners[from];
        let (one, other) = (edge.cross(corners[one] - corners[from]), edge.cross(corners[other] - corners[from]));
        // Both normals are across the edge, so what is left of their product is along it.
        let angle = (one.cross(other).dot(edge) / edge.length()).atan2(one.dot(other)).to_degrees();
        range = [range[0].min(angle), range[1].max(angle)];
    }
    range
}

fn surface_triangles(mesh: &TetMesh) -> usize {
    let mut faces: Vec<[u32; 3]> = mesh
        .tets
        .par_iter()
        .flat_map_iter(|&[a, b, c, d]| {
            [[b, c, d], [a, c, d], [a, b, d], [a, b, c]].into_iter().map(|mut face| {
                face.sort_unstable();
                face
            })
        })
        .collect();
    faces.par_sort_unstable();
    faces.chunk_by(|one, other| one == other).filter(|same| same.len() == 1).count()
}

fn components(mesh: &TetMesh) -> usize {
    let mut sets = DisjointSets::new(mesh.positions.len());
    let mut is_used = vec![false; mesh.positions.len()];
    for &[a, b, c, d] in &mesh.tets {
        [b, c, d].into_iter().for_each(|other| {
            sets.join(a, other);
        });
        [a, b, c, d].into_iter().for_each(|vertex| is_used[vertex as usize] = true);
    }
    (0..mesh.positions.len() as u32).filter(|&vertex| is_used[vertex as usize] && sets.find(vertex) == vertex).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_regular_and_a_corner_tetrahedron_have_their_angles() {
        let regular =
            [DVec3::ONE, DVec3::new(1.0, -1.0, -1.0), DVec3::new(-1.0, 1.0, -1.0), DVec3::new(-1.0, -1.0, 1.0)];
        let expected = (1.0f64 / 3.0).acos().to_degrees();
        let [least, most] = angles([regular[0], regular[2], regular[1], regular[3]]);
        assert!((least - expected).abs() < 1e-12 && (most - expected).abs() < 1e-12);
        assert!((angles(regular)[0] + expected).abs() < 1e-12, "inside out");
        let [least, most] = angles([DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]);
        assert!((least - (1.0 / 3f64.sqrt()).acos().to_degrees()).abs() < 1e-12 && (most - 90.0).abs() < 1e-12);
    }

    #[test]
    fn parts_and_faces_are_counted() {
        let positions = (0..10).map(|i| DVec3::new(f64::from(i % 2), f64::from(i / 2 % 2), f64::from(i / 4))).collect();
        let mesh = TetMesh { positions, tets: vec![[0, 1, 2, 4], [3, 5, 6, 7]] };
        let quality = MeshQuality::of(&mesh);
        assert_eq!((quality.components, quality.surface_triangles, quality.vertices), (2, 8, 10));
        assert_eq!(MeshQuality::of(&TetMesh::default()), MeshQuality::default());
    }
}
