//! Tetrahedral meshes.

use glam::DVec3;

use super::predicates::orient_3d;
use super::tri_mesh::check_indices;
use super::{Aabb, MassProperties, MeshError, TriMesh, mass::MomentSum};

/// Tetrahedra over shared vertices. The fourth corner lies on the outside of the first three (positive volume).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetMesh {
    /// Where each vertex is.
    pub positions: Vec<DVec3>,
    /// Four vertex numbers for each tetrahedron.
    pub tets: Vec<[u32; 4]>,
}

/// The corners of the four faces of a tetrahedron, each counter-clockwise from outside, opposite corner 0 to 3.
pub(super) const TET_FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

impl TetMesh {
    /// Whether every index names a vertex and every coordinate is finite.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), MeshError> {
        check_indices(&self.positions, &self.tets)
    }

    /// The corners of a tetrahedron.
    pub fn corners(&self, tet: usize) -> [DVec3; 4] {
        self.tets[tet].map(|vertex| self.positions[vertex as usize])
    }

    /// The signed volume of a tetrahedron.
    pub fn tet_volume(&self, tet: usize) -> f64 {
        let [a, b, c, d] = self.corners(tet);
        (b - a).cross(c - a).dot(d - a) / 6.0
    }

    /// The sum of the signed volumes.
    pub fn volume(&self) -> f64 {
        (0..self.tets.len()).map(|tet| self.tet_volume(tet)).sum()
    }

    /// The smallest box around the vertices.
    pub fn aabb(&self) -> Aabb {
        Aabb::of_points(self.positions.iter().copied())
    }

    /// Volume, centroid and inertia of the tetrahedra.
    pub fn mass_properties(&self) -> MassProperties {
        let mut moments = MomentSum::new(if self.positions.is_empty() { DVec3::ZERO } else { self.aabb().center() });
        for tet in 0..self.tets.len() {
            let corners = self.corners(tet);
            for [a, b, c] in TET_FACES {
                moments.add_triangle(corners[a], corners[b], corners[c]);
            }
        }
        moments.finish()
    }

    /// Swaps two corners of every tetrahedron that is inside out; says how many were.
    pub fn orient(&mut self) -> usize {
        let mut turned = 0;
        for tet in 0..self.tets.len() {
            let [a, b, c, d] = self.corners(tet);
            if orient_3d(a, b, c, d) < 0.0 {
                self.tets[tet].swap(2, 3);
                turned += 1;
            }
        }
        turned
    }

    /// The faces that only one tetrahedron has, as a mesh that keeps the vertex numbers that are used, in order.
    pub fn surface(&self) -> TriMesh {
        let face =
            |(tet, opposite): (u32, u8)| TET_FACES[opposite as usize].map(|corner| self.tets[tet as usize][corner]);
        let outer: Vec<[u32; 3]> = outer_faces(&self.tets).into_iter().map(face).collect();
        let mut new_numbers = vec![u32::MAX; self.positions.len()];
        for vertex in outer.iter().flatten() {
            new_numbers[*vertex as usize] = 0;
        }
        let mut positions = Vec::new();
        for (number, &position) in new_numbers.iter_mut().zip(&self.positions) {
            if *number == 0 {
                *number = positions.len() as u32;
                positions.push(position);
            }
        }
        let triangles = outer.iter().map(|face| face.map(|vertex| new_numbers[vertex as usize])).collect();
        TriMesh::new(positions, triangles)
    }
}

/// The faces that only one of some tetrahedra has, in order: the tetrahedron, and the corner opposite.
pub(crate) fn outer_faces(tets: &[[u32; 4]]) -> Vec<(u32, u8)> {
    let mut faces: Vec<([u32; 3], u32, u8)> = Vec::with_capacity(4 * tets.len());
    for (tet, number) in tets.iter().zip(0..) {
        faces.extend((0u8..).zip(TET_FACES).map(|(opposite, corners)| {
            let mut face = corners.map(|corner| tet[corner]);
            face.sort_unstable();
            (face, number, opposite)
        }));
    }
    faces.sort_unstable();
    let alone = faces.chunk_by(|one, other| one.0 == other.0).filter(|same| same.len() == 1);
    let mut outer: Vec<(u32, u8)> = alone.map(|same| (same[0].1, same[0].2)).collect();
    outer.sort_unstable();
    outer
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A unit cube as five tetrahedra.
    fn cube() -> TetMesh {
        let positions = (0..8).map(|i| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64)).collect();
        let tets = vec![[0, 1, 2, 4], [3, 2, 1, 7], [5, 4, 7, 1], [6, 7, 4, 2], [1, 2, 4, 7]];
        let mut mesh = TetMesh { positions, tets };
        mesh.orient();
        mesh
    }

    #[test]
    fn a_cube_of_five_tets_has_the_mass_of_a_cube() {
        let mass = cube().mass_properties();
        assert!((mass.volume - 1.0).abs() < 1e-14);
        assert!((mass.centroid - DVec3::splat(0.5)).length() < 1e-14);
        let expected = glam::DMat3::from_diagonal(DVec3::splat(1.0 / 6.0));
        assert!((0..3).all(|i| (mass.inertia.col(i) - expected.col(i)).length() < 1e-14));
        assert!((0..5).all(|tet| cube().tet_volume(tet) > 0.0));
    }

    #[test]
    fn the_surface_is_closed_and_encloses_the_same_volume() {
        let surface = cube().surface();
        assert_eq!(surface.triangles.len(), 12);
        assert!((surface.volume() - 1.0).abs() < 1e-14);
    }
}
