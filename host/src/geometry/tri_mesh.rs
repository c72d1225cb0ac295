//! Triangle meshes: what readers give, renderers draw and exporters write.

use glam::{DAffine3, DMat3, DVec3, Vec2, Vec3};
use thiserror::Error;

use super::disjoint_sets::DisjointSets;
use super::edge_sides::{EdgeSide, edge_sides};
use super::identical::first_of_identical;
use super::mass::MomentSum;
use super::{Aabb, MassProperties};

/// Triangles over shared vertices. Corners run counter-clockwise seen from outside.
///
/// The attributes are there for every vertex (or triangle) or not at all; [`TriMesh::check`] says whether the lists fit
/// together, and everything the library makes or reads has passed it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriMesh {
    /// Where each vertex is.
    pub positions: Vec<DVec3>,
    /// Three vertex numbers for each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// A unit normal for each vertex.
    pub normals: Option<Vec<Vec3>>,
    /// A texture coordinate for each vertex.
    pub uvs: Option<Vec<Vec2>>,
    /// Red, green, blue and opacity for each vertex, in sRGB.
    pub colors: Option<Vec<[u8; 4]>>,
    /// A material number for each triangle.
    pub materials: Option<Vec<u32>>,
}

/// Why lists of numbers are not a mesh.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MeshError {
    /// A triangle or tetrahedron names a vertex that is not there.
    #[error("face {face} names vertex {vertex}, but the mesh has {vertices} vertices")]
    VertexOutOfRange {
        /// The face, counted from zero.
        face: usize,
        /// The vertex that it names.
        vertex: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A coordinate is infinite or not a number.
    #[error("vertex {vertex} has a coordinate that is not finite")]
    NonFiniteVertex {
        /// The vertex, counted from zero.
        vertex: usize,
    },
    /// An attribute list has another length than what it describes.
    #[error("{attribute} has {found} entries where {expected} are needed")]
    AttributeLength {
        /// Which list.
        attribute: &'static str,
        /// Its length.
        found: usize,
        /// The length it should have.
        expected: usize,
    },
    /// The list of where contours or faces end runs backwards, beyond its end, or not up to it.
    #[error("{list} does not divide its list into consecutive parts")]
    BadEnds {
        /// Which list.
        list: &'static str,
    },
    /// More vertices or faces than 32-bit indices can name.
    #[error("{count} {what} are more than the 4,294,967,295 that can be numbered")]
    TooMany {
        /// Vertices or faces.
        what: &'static str,
        /// How many there are.
        count: usize,
    },
}

impl TriMesh {
    /// A mesh without attributes.
    pub fn new(positions: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> TriMesh {
        TriMesh { positions, triangles, ..TriMesh::default() }
    }

    /// Whether every index names a vertex, every coordinate is finite and every attribute list has its length.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), MeshError> {
        check_indices(&self.positions, &self.triangles)?;
        let lists = [
            ("normals", self.normals.as_ref().map(Vec::len), self.positions.len()),
            ("uvs", self.uvs.as_ref().map(Vec::len), self.positions.len()),
            ("colors", self.colors.as_ref().map(Vec::len), self.positions.len()),
            ("materials", self.materials.as_ref().map(Vec::len), self.triangles.len()),
        ];
        for (attribute, found, expected) in lists {
            if let Some(found) = found.filter(|&found| found != expected) {
                return Err(MeshError::AttributeLength { attribute, found, expected });
            }
        }
        Ok(())
    }

    /// The corners of a triangle.
    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|vertex| self.positions[vertex as usize])
    }

    /// The corners of all triangles, in order.
    pub fn iter_corners(&self) -> impl ExactSizeIterator<Item = [DVec3; 3]> + '_ {
        self.triangles.iter().map(|triangle| triangle.map(|vertex| self.positions[vertex as usize]))
    }

    /// The smallest box around the vertices.
    pub fn aabb(&self) -> Aabb {
        Aabb::of_points(self.positions.iter().copied())
    }

    /// The area of all triangles.
    pub fn area(&self) -> f64 {
        self.iter_corners().fold(0.0, |area, [a, b, c]| area + 0.5 * (b - a).cross(c - a).length())
    }

    /// The enclosed volume; meaningful for a watertight mesh only.
    pub fn volume(&self) -> f64 {
        let reference = self.aabb().center();
        let tetrahedron = |[a, b, c]: [DVec3; 3]| (a - reference).dot((b - reference).cross(c - reference)) / 6.0;
        self.iter_corners().fold(0.0, |volume, corners| volume + tetrahedron(corners))
    }

    /// Whether each edge is walked along as often one way as the other, so that the surface has no border. Vertices count
    /// by their numbers, not their places.
    pub fn is_watertight(&self) -> bool {
        let sides = edge_sides(&self.triangles, self.positions.len());
        let is_balanced = |sides: &[EdgeSide]| 2 * sides.iter().filter(|side| side.reversed).count() == sides.len();
        !sides.is_empty() && sides.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high)).all(is_balanced)
    }

    /// Volume, centroid and inertia of the solid inside; meaningful for a watertight mesh only.
    ///
    /// ```
    /// use fracas::geometry::shapes;
    /// use glam::DVec3;
    ///
    /// let brick = shapes::cuboid(DVec3::new(2.0, 1.0, 1.0)).mass_properties();
    /// assert!((brick.volume - 2.0).abs() < 1e-12);
    /// ```
    pub fn mass_properties(&self) -> MassProperties {
        let mut moments = MomentSum::new(if self.positions.is_empty() { DVec3::ZERO } else { self.aabb().center() });
        for [a, b, c] in self.iter_corners() {
            moments.add_triangle(a, b, c);
        }
        moments.finish()
    }

    /// The mesh under an affine map. A map that mirrors also turns the triangles round, so that outside stays outside.
    #[must_use]
    pub fn transformed(mut self, map: &DAffine3) -> TriMesh {
        for position in &mut self.positions {
            *position = map.transform_point3(*position);
        }
        let determinant = map.matrix3.determinant();
        if let Some(normals) = &mut self.normals {
            // Normals go with the inverse transpose; the cofactor matrix is that without the division, so that it
            // stands for flattening maps too.
            let DMat3 { x_axis: x, y_axis: y, z_axis: z } = map.matrix3;
            let cofactors = DMat3::from_cols(y.cross(z), z.cross(x), x.cross(y)) * determinant.signum();
            for normal in normals {
                *normal = (cofactors * normal.as_dvec3()).normalize_or_zero().as_vec3();
            }
        }
        if determinant < 0.0 {
            for triangle in &mut self.triangles {
                triangle.swap(1, 2);
            }
        }
        self
    }

    /// Appends another mesh as it is. An attribute that only one of them has is dropped, except materials, which count
    /// as 0 where they are missing.
    pub fn append(&mut self, other: &TriMesh) {
        if self.positions.is_empty() && self.triangles.is_empty() {
            *self = other.clone();
            return;
        }
        let base = self.positions.len() as u32;
        if self.materials.is_some() || other.materials.is_some() {
            let materials = self.materials.get_or_insert_with(|| vec![0; self.triangles.len()]);
            match &other.materials {
                Some(more) => materials.extend_from_slice(more),
                None => materials.resize(materials.len() + other.triangles.len(), 0),
            }
        }
        self.positions.extend_from_slice(&other.positions);
        self.triangles.extend(other.triangles.iter().map(|triangle| triangle.map(|vertex| vertex + base)));
        append_attribute(&mut self.normals, &other.normals);
        append_attribute(&mut self.uvs, &other.uvs);
        append_attribute(&mut self.colors, &other.colors);
    }

    /// The parts that share no vertex with each other, in the order of their first triangles; each keeps the vertices
    /// that it uses, in order. Vertices that only stand at the same place do not connect.
    pub fn components(&self) -> Vec<TriMesh> {
        self.parts(DisjointSets::new(self.positions.len()))
    }

    /// As [`TriMesh::components`], but vertices at the same place do connect: formats that keep normals or colours at
    /// vertices have several there.
    pub fn islands(&self) -> Vec<TriMesh> {
        let mut sets = DisjointSets::new(self.positions.len());
        let first = first_of_identical(&self.positions);
        first.into_iter().zip(0..).for_each(|(first, vertex)| {
            sets.join(first, vertex);
        });
        self.parts(sets)
    }

    /// The parts that are left when vertices that share a triangle are joined too.
    fn parts(&self, mut sets: DisjointSets) -> Vec<TriMesh> {
        for &[a, b, c] in &self.triangles {
            sets.join(a, b);
            sets.join(a, c);
        }
        let mut numbers = vec![u32::MAX; self.positions.len()];
        let mut members: Vec<Vec<u32>> = Vec::new();
        for (triangle, corners) in self.triangles.iter().enumerate() {
            let number = &mut numbers[sets.find(corners[0]) as usize];
            if *number == u32::MAX {
                *number = members.len() as u32;
                members.push(Vec::new());
            }
            members[*number as usize].push(triangle as u32);
        }
        let mut new_numbers = vec![u32::MAX; self.positions.len()];
        members.iter().map(|triangles| self.part(triangles, &mut new_numbers)).collect()
    }

    /// Some of the triangles as a mesh of their own. `new_numbers` is scratch: `u32::MAX` for every vertex that no part
    /// has used yet, and parts share no vertex.
    pub(crate) fn part(&self, triangles: &[u32], new_numbers: &mut [u32]) -> TriMesh {
        let corners = |triangle: &u32| self.triangles[*triangle as usize];
        let mut vertices: Vec<u32> = triangles.iter().flat_map(corners).collect();
        vertices.sort_unstable();
        vertices.dedup();
        for (new, &old) in vertices.iter().enumerate() {
            new_numbers[old as usize] = new as u32;
        }
        fn pick<T: Copy>(values: &[T], which: &[u32]) -> Vec<T> {
            which.iter().map(|&index| values[index as usize]).collect()
        }
        TriMesh {
            positions: pick(&self.positions, &vertices),
            triangles: triangles
                .iter()
                .map(|triangle| corners(triangle).map(|old| new_numbers[old as usize]))
                .collect(),
            normals: self.normals.as_ref().map(|normals| pick(normals, &vertices)),
            uvs: self.uvs.as_ref().map(|uvs| pick(uvs, &vertices)),
            colors: self.colors.as_ref().map(|colors| pick(colors, &vertices)),
            materials: self.materials.as_ref().map(|materials| pick(materials, triangles)),
        }
    }

    /// A unit normal for each vertex: the mean of its triangles' normals, weighted by their angle there.
    pub fn vertex_normals(&self) -> Vec<Vec3> {
        let mut sums = vec![DVec3::ZERO; self.positions.len()];
        for (triangle, corners) in self.triangles.iter().zip(self.iter_corners()) {
            let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
            for corner in 0..3 {
                let to_next = corners[(corner + 1) % 3] - corners[corner];
                let to_previous = corners[(corner + 2) % 3] - corners[corner];
                if to_next != DVec3::ZERO && to_previous != DVec3::ZERO {
                    sums[triangle[corner] as usize] += to_next.angle_between(to_previous) * normal;
                }
            }
        }
        sums.into_iter().map(|sum| sum.normalize_or_zero().as_vec3()).collect()
    }
}

fn append_attribute<T: Clone>(to: &mut Option<Vec<T>>, from: &Option<Vec<T>>) {
    match (to.as_mut(), from) {
        (Some(to), Some(from)) => to.extend_from_slice(from),
        _ => *to = None,
    }
}

/// Whether every index names a vertex and every coordinate is finite.
pub(super) fn check_indices<const CORNERS: usize>(
    positions: &[DVec3],
    faces: &[[u32; CORNERS]],
) -> Result<(), MeshError> {
    for (what, count) in [("vertices", positions.len()), ("faces", faces.len())] {
        if count > u32::MAX as usize {
            return Err(MeshError::TooMany { what, count });
        }
    }
    if let Some(vertex) = positions.iter().position(|position| !position.is_finite()) {
        return Err(MeshError::NonFiniteVertex { vertex });
    }
    for (face, corners) in faces.iter().enumerate() {
        if let Some(&vertex) = corners.iter().find(|&&vertex| vertex as usize >= positions.len()) {
            return Err(MeshError::VertexOutOfRange { face, vertex, vertices: positions.len() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tetrahedron() -> TriMesh {
        let positions = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        TriMesh::new(positions, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    }

    #[test]
    fn a_corner_tetrahedron_has_the_closed_form_moments() {
        let mass = tetrahedron().mass_properties();
        assert!((mass.volume - 1.0 / 6.0).abs() < 1e-15);
        assert!((mass.centroid - DVec3::splat(0.25)).length() < 1e-15);
        // About the origin: ∫(y²+z²) = 2/120 · 2, ∫xy = 1/120; shifted to the centroid by the parallel-axis theorem.
        let diagonal = 1.0 / 30.0 - mass.volume * 2.0 / 16.0;
        let off_diagonal = -1.0 / 120.0 + mass.volume / 16.0;
        for row in 0..3 {
            for column in 0..3 {
                let expected = if row == column { diagonal } else { off_diagonal };
                assert!((mass.inertia.col(column)[row] - expected).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn mirroring_keeps_the_outside_outside() {
        let mut mesh = tetrahedron();
        mesh.normals = Some(mesh.vertex_normals());
        let mirrored = mesh.transformed(&DAffine3::from_scale(DVec3::new(-2.0, 1.0, 1.0)));
        assert!((mirrored.volume() - 1.0 / 3.0).abs() < 1e-15);
        let recomputed = mirrored.vertex_normals();
        for (normal, expected) in mirrored.normals.unwrap().iter().zip(recomputed) {
            assert!(normal.dot(expected) > 0.8);
        }
    }

    #[test]
    fn a_mesh_with_wrong_lists_is_named() {
        let mut mesh = tetrahedron();
        mesh.uvs = Some(vec![Vec2::ZERO; 3]);
        assert_eq!(mesh.check(), Err(MeshError::AttributeLength { attribute: "uvs", found: 3, expected: 4 }));
        mesh.uvs = None;
        mesh.triangles.push([0, 1, 4]);
        assert_eq!(mesh.check(), Err(MeshError::VertexOutOfRange { face: 4, vertex: 4, vertices: 4 }));
        mesh.triangles.pop();
        mesh.positions[2].y = f64::NAN;
        assert_eq!(mesh.check(), Err(MeshError::NonFiniteVertex { vertex: 2 }));
    }

    #[test]
    fn components_are_what_was_appended() {
        let one = TriMesh { materials: Some(vec![1, 2, 3, 4]), ..tetrahedron() };
        let two = one.clone().transformed(&DAffine3::from_translation(DVec3::X));
        let mut both = one.clone();
        both.append(&two);
        assert_eq!(both.components(), [one, two]);
        assert_eq!(TriMesh::default().components(), []);
    }

    #[test]
    fn appending_keeps_the_attributes_both_have() {
        let mut mesh = tetrahedron();
        mesh.normals = Some(mesh.vertex_normals());
        let mut other = mesh.clone();
        other.materials = Some(vec![7; 4]);
        other.normals = None;
        mesh.append(&other);
        assert_eq!(mesh.check(), Ok(()));
        assert_eq!(mesh.normals, None);
        assert_eq!(mesh.materials.unwrap(), [0, 0, 0, 0, 7, 7, 7, 7]);
        assert_eq!(mesh.triangles[4], [4, 6, 5]);
    }
}
