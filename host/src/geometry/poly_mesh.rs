//! Polygonal meshes: faces with any number of corners and holes, as clipping leaves them.

use glam::{DVec3, Vec2, Vec3};

use super::mass::MomentSum;
use super::{Aabb, MassProperties, MeshError, TriMesh, triangulate_face};

/// The bit of a material number that says that a break made the face: it is inside of what was whole once.
///
/// It travels with the material through every cut and into triangles, so that faces need nothing else to know what they
/// are. The rest of the number is the material of the break.
pub const FRACTURE: u32 = 1 << 31;

/// Whether a material number is that of a face that a break made.
pub const fn is_fracture(material: u32) -> bool {
    material & FRACTURE != 0
}

/// Faces made of contours over shared vertices.
///
/// A face is one outer contour, counter-clockwise from outside, and any number of holes, clockwise. Faces are kept as
/// they are until something asks for triangles, so that repeated clipping does not multiply them (\[Mueller13\] 4.6).
/// Connectivity is by edge key ([`PolyMesh::edges`]) and not by half-edge links: clipping rebuilds most of a piece, and
/// sorting the new edges once is cheaper than keeping links right through every cut.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolyMesh {
    /// Where each vertex is.
    pub positions: Vec<DVec3>,
    /// The vertex of each corner; the corners of a contour stand side by side.
    pub corners: Vec<u32>,
    /// Where each contour ends in `corners`; it begins where the one before ends.
    pub contour_ends: Vec<u32>,
    /// Where each face ends in `contour_ends`; it begins where the one before ends.
    pub face_ends: Vec<u32>,
    /// A material number for each face; [`FRACTURE`] is set in those of faces that a break made.
    pub materials: Vec<u32>,
    /// A unit normal for each corner.
    pub corner_normals: Option<Vec<Vec3>>,
    /// A texture coordinate for each corner.
    pub corner_uvs: Option<Vec<Vec2>>,
    /// A colour for each corner.
    pub corner_colors: Option<Vec<[u8; 4]>>,
}

/// One side of an edge, as a face walks along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CornerEdge {
    /// The smaller of the two vertex numbers.
    pub low: u32,
    /// The larger one.
    pub high: u32,
    /// Whether the face walks from high to low.
    pub reversed: bool,
    /// The corner that the walk leaves from.
    pub corner: u32,
    /// The face.
    pub face: u32,
}

impl PolyMesh {
    /// How many faces there are.
    pub fn face_count(&self) -> usize {
        self.face_ends.len()
    }

    /// Appends a face of one or more contours, the outer one first; corner attributes are the caller's to extend.
    pub fn push_face(&mut self, contours: &[&[u32]], material: u32) {
        for contour in contours {
            self.corners.extend_from_slice(contour);
            self.contour_ends.push(self.corners.len() as u32);
        }
        self.face_ends.push(self.contour_ends.len() as u32);
        self.materials.push(material);
    }

    /// The memory that it takes, in bytes.
    pub fn bytes(&self) -> usize {
        fn list<T>(list: &Vec<T>) -> usize {
            list.capacity() * size_of::<T>()
        }
        let attributes = [
            self.corner_normals.as_ref().map_or(0, list),
            self.corner_uvs.as_ref().map_or(0, list),
            self.corner_colors.as_ref().map_or(0, list),
        ];
        let ends = list(&self.contour_ends) + list(&self.face_ends);
        let numbers = list(&self.corners) + ends + list(&self.materials);
        size_of::<PolyMesh>() + list(&self.positions) + numbers + attributes.iter().sum::<usize>()
    }

    /// The mesh with some of its faces only, in the order given; all vertices stay.
    #[must_use]
    pub fn only_faces(&self, faces: impl IntoIterator<Item = usize>) -> PolyMesh {
        let mut kept = PolyMesh {
            positions: self.positions.clone(),
            corner_normals: self.corner_normals.as_ref().map(|_| Vec::new()),
            corner_uvs: self.corner_uvs.as_ref().map(|_| Vec::new()),
            corner_colors: self.corner_colors.as_ref().map(|_| Vec::new()),
            ..PolyMesh::default()
        };
        for face in faces {
            for contour in self.contours(face) {
                kept.corners.extend_from_slice(&self.corners[contour.clone()]);
                kept.contour_ends.push(kept.corners.len() as u32);
                extend_from(&mut kept.corner_normals, &self.corner_normals, contour.clone());
                extend_from(&mut kept.corner_uvs, &self.corner_uvs, contour.clone());
                extend_from(&mut kept.corner_colors, &self.corner_colors, contour);
            }
            kept.face_ends.push(kept.contour_ends.len() as u32);
            kept.materials.push(self.materials[face]);
        }
        kept
    }

    /// The corner ranges of a face's contours, the outer one first.
    pub fn contours(&self, face: usize) -> impl ExactSizeIterator<Item = std::ops::Range<usize>> + '_ {
        let first = if face == 0 { 0 } else { self.face_ends[face - 1] as usize };
        (first..self.face_ends[face] as usize).map(|contour| {
            let start = if contour == 0 { 0 } else { self.contour_ends[contour - 1] as usize };
            start..self.contour_ends[contour] as usize
        })
    }

    /// The corners of all contours of a face.
    pub(crate) fn face_corners(&self, face: usize) -> std::ops::Range<usize> {
        let contours_before = |face: usize| if face == 0 { 0 } else { self.face_ends[face - 1] as usize };
        let corners_before = |contour: usize| if contour == 0 { 0 } else { self.contour_ends[contour - 1] as usize };
        corners_before(contours_before(face))..corners_before(contours_before(face + 1))
    }

    /// The position of a corner.
    pub fn corner_position(&self, corner: usize) -> DVec3 {
        self.positions[self.corners[corner] as usize]
    }

    /// The positions of a face's corners, contour by contour.
    pub fn face_positions(&self, face: usize) -> impl Iterator<Item = DVec3> + '_ {
        self.corners[self.face_corners(face)].iter().map(|&vertex| self.positions[vertex as usize])
    }

    /// Whether corners have normals, texture coordinates or colours.
    pub fn has_attributes(&self) -> bool {
        self.corner_normals.is_some() || self.corner_uvs.is_some() || self.corner_colors.is_some()
    }

    /// Calls `take` with triangles fanned from a face's first corner over all contours, without those at the corner
    /// itself, which are flat. Where the others overlap, their signs cancel.
    pub(crate) fn for_each_fanned(&self, face: usize, mut take: impl FnMut([DVec3; 3])) {
        let mut contours = self.contours(face).filter(|contour| !contour.is_empty());
        let Some(first) = contours.next() else { return };
        let apex = self.corner_position(first.start);
        for corner in first.start + 1..first.end - 1 {
            take([apex, self.corner_position(corner), self.corner_position(corner + 1)]);
        }
        for contour in contours {
            let mut here = self.corner_position(contour.end - 1);
            for corner in contour {
                let next = self.corner_position(corner);
                take([apex, here, next]);
                here = next;
            }
        }
    }

    /// Twice the vector area of a face: across it, and as long as twice its area; holes count against it.
    pub fn vector_area(&self, face: usize) -> DVec3 {
        let mut area = DVec3::ZERO;
        let mut apex = None;
        for contour in self.contours(face).filter(|contour| !contour.is_empty()) {
            let apex = *apex.get_or_insert(self.corner_position(contour.start));
            let mut previous = self.corner_position(contour.end - 1) - apex;
            for corner in contour {
                let here = self.corner_position(corner) - apex;
                area += previous.cross(here);
                previous = here;
            }
        }
        area
    }

    /// Every side of every edge, sorted by edge; in a watertight mesh they come in pairs, one of each direction.
    pub fn edges(&self) -> Vec<CornerEdge> {
        let mut edges = Vec::with_capacity(self.corners.len());
        for face in 0..self.face_count() {
            for contour in self.contours(face) {
                for corner in contour.clone() {
                    let next = if corner + 1 == contour.end { contour.start } else { corner + 1 };
                    let (from, to) = (self.corners[corner], self.corners[next]);
                    edges.push(CornerEdge {
                        low: from.min(to),
                        high: from.max(to),
                        reversed: from > to,
                        corner: corner as u32,
                        face: face as u32,
                    });
                }
            }
        }
        edges.sort_unstable();
        edges
    }

    /// Whether each edge has as many faces walking one way as the other, so that the surface has no border.
    ///
    /// Two solids that share an edge (four faces on it) are watertight by this rule; a missing or doubled face is not.
    pub fn is_watertight(&self) -> bool {
        let edges = self.edges();
        !edges.is_empty()
            && edges.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high)).all(|sides| {
                sides[0].low != sides[0].high && 2 * sides.iter().filter(|side| side.reversed).count() == sides.len()
            })
    }

    /// The smallest box around the vertices.
    pub fn aabb(&self) -> Aabb {
        Aabb::of_points(self.positions.iter().copied())
    }

    /// Volume, centroid and inertia of the solid inside; meaningful for a watertight mesh only.
    ///
    /// No triangulation is needed: fanned triangles overlap only where their signs cancel.
    pub fn mass_properties(&self) -> MassProperties {
        self.mass_properties_in(&self.aabb())
    }

    /// As [`PolyMesh::mass_properties`], for who knows the box around the vertices.
    pub(crate) fn mass_properties_in(&self, bounds: &Aabb) -> MassProperties {
        let mut moments = MomentSum::new(if self.positions.is_empty() { DVec3::ZERO } else { bounds.center() });
        for face in 0..self.face_count() {
            self.for_each_fanned(face, |[a, b, c]| moments.add_triangle(a, b, c));
        }
        moments.finish()
    }

    /// Whether the lists fit together: every index in range, every coordinate finite, every attribute its length.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), MeshError> {
        for (list, ends, length) in [
            ("contour ends", &self.contour_ends, self.corners.len()),
            ("face ends", &self.face_ends, self.contour_ends.len()),
        ] {
            let rising = ends.windows(2).all(|pair| pair[0] < pair[1]) && ends.first() != Some(&0);
            if !rising || ends.last().map_or(0, |&last| last as usize) != length {
                return Err(MeshError::BadEnds { list });
            }
        }
        if let Some(vertex) = self.positions.iter().position(|position| !position.is_finite()) {
            return Err(MeshError::NonFiniteVertex { vertex });
        }
        for face in 0..self.face_count() {
            for contour in self.contours(face) {
                if let Some(&vertex) = self.corners[contour].iter().find(|&&v| v as usize >= self.positions.len()) {
                    return Err(MeshError::VertexOutOfRange { face, vertex, vertices: self.positions.len() });
                }
            }
        }
        let lists = [
            ("materials", Some(self.materials.len()), self.face_count()),
            ("corner normals", self.corner_normals.as_ref().map(Vec::len), self.corners.len()),
            ("corner uvs", self.corner_uvs.as_ref().map(Vec::len), self.corners.len()),
            ("corner colors", self.corner_colors.as_ref().map(Vec::len), self.corners.len()),
        ];
        for (attribute, found, expected) in lists {
            if let Some(found) = found.filter(|&found| found != expected) {
                return Err(MeshError::AttributeLength { attribute, found, expected });
            }
        }
        Ok(())
    }

    /// The mesh as triangles, each face cut up in its own plane.
    ///
    /// Without corner attributes the vertices stay as they are; with them, each corner becomes a vertex of its own,
    /// because the faces around a vertex may disagree.
    pub fn to_tri_mesh(&self) -> TriMesh {
        let split = self.has_attributes();
        let mut mesh = TriMesh { materials: Some(Vec::new()), ..TriMesh::default() };
        let materials = mesh.materials.get_or_insert_default();
        for face in 0..self.face_count() {
            for corners in triangulate_face(self, face) {
                mesh.triangles.push(corners.map(|corner| if split { corner } else { self.corners[corner as usize] }));
                materials.push(self.materials[face]);
            }
        }
        if split {
            mesh.positions = self.corners.iter().map(|&vertex| self.positions[vertex as usize]).collect();
            mesh.normals = self.corner_normals.clone();
            mesh.uvs = self.corner_uvs.clone();
            mesh.colors = self.corner_colors.clone();
        } else {
            mesh.positions = self.positions.clone();
        }
        mesh
    }
}

impl From<&TriMesh> for PolyMesh {
    fn from(mesh: &TriMesh) -> PolyMesh {
        let corners: Vec<u32> = mesh.triangles.as_flattened().to_vec();
        let faces = mesh.triangles.len() as u32;
        PolyMesh {
            positions: mesh.positions.clone(),
            contour_ends: (1..=faces).map(|face| 3 * face).collect(),
            face_ends: (1..=faces).collect(),
            materials: mesh.materials.clone().unwrap_or_else(|| vec![0; mesh.triangles.len()]),
            corner_normals: mesh.normals.as_ref().map(|normals| gather(normals, &corners)),
            corner_uvs: mesh.uvs.as_ref().map(|uvs| gather(uvs, &corners)),
            corner_colors: mesh.colors.as_ref().map(|colors| gather(colors, &corners)),
            corners,
        }
    }
}

fn extend_from<T: Copy>(kept: &mut Option<Vec<T>>, all: &Option<Vec<T>>, range: std::ops::Range<usize>) {
    if let (Some(kept), Some(all)) = (kept, all) {
        kept.extend_from_slice(&all[range]);
    }
}

fn gather<T: Copy>(values: &[T], indices: &[u32]) -> Vec<T> {
    indices.iter().map(|&index| values[index as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square ring (a box with a square hole through it), its top and bottom one face with a hole each.
    fn ring() -> PolyMesh {
        let mut mesh = PolyMesh::default();
        for z in [0.0, 1.0] {
            for half in [1.0, 0.5] {
                for (x, y) in [(-half, -half), (half, -half), (half, half), (-half, half)] {
                    mesh.positions.push(DVec3::new(x, y, z));
                }
            }
        }
        mesh.push_face(&[&[8, 9, 10, 11], &[15, 14, 13, 12]], 0);
        mesh.push_face(&[&[3, 2, 1, 0], &[4, 5, 6, 7]], 0);
        for side in 0..4 {
            let next = (side + 1) % 4;
            mesh.push_face(&[&[side, next, 8 + next, 8 + side]], 1);
            mesh.push_face(&[&[4 + next, 4 + side, 12 + side, 12 + next]], 1);
        }
        mesh
    }

    #[test]
    fn volume_and_inertia_need_no_triangles() {
        let mesh = ring();
        assert_eq!(mesh.check(), Ok(()));
        assert!(mesh.is_watertight());
        assert_eq!(mesh.vector_area(0), DVec3::new(0.0, 0.0, 6.0));
        let mass = mesh.mass_properties();
        assert!((mass.volume - 3.0).abs() < 1e-14);
        assert!((mass.centroid - DVec3::new(0.0, 0.0, 0.5)).length() < 1e-14);
        // ∫(x² + y²) of the outer box less that of the hole.
        assert!((mass.inertia.z_axis.z - (4.0 * 8.0 / 12.0 - 1.0 * 2.0 / 12.0)).abs() < 1e-14);
    }

    #[test]
    fn a_missing_face_is_a_leak() {
        let mut mesh = ring();
        mesh.face_ends.pop();
        mesh.materials.pop();
        assert!(!mesh.is_watertight());
    }

    #[test]
    fn ends_that_do_not_fit_are_named_before_anything_walks_them() {
        let mut mesh = PolyMesh { face_ends: vec![1], materials: vec![0], ..PolyMesh::default() };
        assert_eq!(mesh.check(), Err(MeshError::BadEnds { list: "face ends" }));
        mesh.contour_ends = vec![3];
        assert_eq!(mesh.check(), Err(MeshError::BadEnds { list: "contour ends" }));
        let mut mesh = ring();
        mesh.contour_ends.swap(0, 1);
        assert_eq!(mesh.check(), Err(MeshError::BadEnds { list: "contour ends" }));
    }

    #[test]
    fn triangles_keep_volume_and_materials() {
        let triangles = ring().to_tri_mesh();
        assert_eq!(triangles.check(), Ok(()));
        assert_eq!(triangles.triangles.len(), 8 + 8 + 16);
        assert!((triangles.volume() - 3.0).abs() < 1e-14);
        let back = PolyMesh::from(&triangles);
        assert!(back.is_watertight());
        assert_eq!(back.materials.iter().filter(|&&material| material == 1).count(), 16);
    }
}
