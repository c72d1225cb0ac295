//! Convex solids with polygonal faces.

use glam::DVec3;
use thiserror::Error;

use super::{Aabb, CornerEdge, MassProperties, MeshError, Plane, PolyMesh, Pose, TriMesh};

/// A convex solid: its polygonal surface and the plane of each face.
///
/// A point is inside where it is on the inside of every plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Convex {
    surface: PolyMesh,
    planes: Vec<Plane>,
}

/// Why a surface is not that of a convex solid.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ConvexError {
    /// The lists do not fit together.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// An edge does not have two faces that walk it in turn, or the surface is empty.
    #[error("the surface is not closed")]
    NotWatertight,
    /// A vertex that no face has.
    #[error("no face has vertex {vertex}")]
    LooseVertex {
        /// The vertex, counted from zero.
        vertex: usize,
    },
    /// The surface is not one sphere: it is in parts, or lies on itself.
    #[error("the surface is not one piece like a sphere")]
    NotSpherical,
    /// A face has fewer than three corners, a hole, or no area.
    #[error("face {face} is not a polygon with an area and without holes")]
    BadFace {
        /// The face, counted from zero.
        face: usize,
    },
    /// A vertex stands outside of a face's plane.
    #[error("vertex {vertex} stands {distance:.3e} outside of face {face}")]
    NotConvex {
        /// The face, counted from zero.
        face: usize,
        /// The vertex, counted from zero.
        vertex: usize,
        /// How far outside.
        distance: f64,
    },
}

impl Convex {
    /// A convex solid from its surface. Each face's plane is its area-weighted one.
    ///
    /// A vertex may stand `tolerance` outside of a face's plane: polygons of more than three rounded corners are never
    /// quite flat.
    ///
    /// # Errors
    /// What keeps the surface from being that of a convex solid.
    pub fn new(surface: PolyMesh, tolerance: f64) -> Result<Convex, ConvexError> {
        surface.check()?;
        let edges = surface.edges();
        let paired = |sides: &[CornerEdge]| sides.len() == 2 && sides[0].reversed != sides[1].reversed;
        if edges.is_empty() || !edges.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high)).all(paired) {
            return Err(ConvexError::NotWatertight);
        }
        let mut used = vec![false; surface.positions.len()];
        surface.corners.iter().for_each(|&vertex| used[vertex as usize] = true);
        if let Some(vertex) = used.iter().position(|used| !used) {
            return Err(ConvexError::LooseVertex { vertex });
        }
        if surface.positions.len() + surface.face_count() != edges.len() / 2 + 2 {
            return Err(ConvexError::NotSpherical);
        }
        let planes = (0..surface.face_count())
            .map(|face| face_plane(&surface, face).ok_or(ConvexError::BadFace { face }))
            .collect::<Result<Vec<_>, _>>()?;
        for (face, plane) in planes.iter().enumerate() {
            for (vertex, &position) in surface.positions.iter().enumerate() {
                let distance = plane.signed_distance(position);
                if distance > tolerance {
                    return Err(ConvexError::NotConvex { face, vertex, distance });
                }
            }
        }
        Ok(Convex { surface, planes })
    }

    /// A convex solid from a surface that is known to be one, and the plane of each of its faces.
    pub(crate) fn from_parts(surface: PolyMesh, planes: Vec<Plane>) -> Convex {
        debug_assert_eq!(surface.face_count(), planes.len());
        Convex { surface, planes }
    }

    /// A box, which must not be empty.
    pub fn cuboid(aabb: Aabb) -> Convex {
        let mut surface = PolyMesh { positions: aabb.corners().to_vec(), ..PolyMesh::default() };
        let mut planes = Vec::with_capacity(6);
        let faces: [([u32; 4], DVec3); 6] = [
            ([0, 4, 6, 2], DVec3::NEG_X),
            ([1, 3, 7, 5], DVec3::X),
            ([0, 1, 5, 4], DVec3::NEG_Y),
            ([2, 6, 7, 3], DVec3::Y),
            ([0, 2, 3, 1], DVec3::NEG_Z),
            ([4, 5, 7, 6], DVec3::Z),
        ];
        for (corners, normal) in faces {
            surface.push_face(&[&corners], 0);
            planes.push(Plane::through(surface.positions[corners[0] as usize], normal));
        }
        Convex { surface, planes }
    }

    /// The memory that it takes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Convex>() + self.planes.capacity() * size_of::<Plane>() + self.surface.bytes() - size_of::<PolyMesh>()
    }

    /// Sets bits in the material of a face.
    pub(crate) fn mark_face(&mut self, face: u32, bits: u32) {
        self.surface.materials[face as usize] |= bits;
    }

    /// Sets the material of a face.
    pub(crate) fn set_material(&mut self, face: u32, material: u32) {
        self.surface.materials[face as usize] = material;
    }

    /// The polygonal surface.
    pub fn surface(&self) -> &PolyMesh {
        &self.surface
    }

    /// The plane of each face of the surface.
    pub fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// The vertices.
    pub fn vertices(&self) -> &[DVec3] {
        &self.surface.positions
    }

    /// Whether a point is inside or on the surface.
    pub fn contains(&self, point: DVec3) -> bool {
        self.planes.iter().all(|plane| plane.signed_distance(point) <= 0.0)
    }

    /// The smallest box around the solid.
    pub fn aabb(&self) -> Aabb {
        self.surface.aabb()
    }

    /// Volume, centroid and inertia.
    pub fn mass_properties(&self) -> MassProperties {
        self.surface.mass_properties()
    }

    /// The surface as triangles.
    pub fn to_tri_mesh(&self) -> TriMesh {
        self.surface.to_tri_mesh()
    }

    /// The solid moved without turning. Planes that differ only in their sign still do.
    #[must_use]
    pub fn translated(mut self, by: DVec3) -> Convex {
        self.surface.positions.iter_mut().for_each(|position| *position += by);
        self.planes.iter_mut().for_each(|plane| plane.offset += plane.normal.dot(by));
        self
    }

    /// How far a point is from the solid; zero inside.
    pub fn distance(&self, point: DVec3) -> f64 {
        let nearest_of_face = |face: usize, plane: &Plane| -> f64 {
            let height = plane.signed_distance(point);
            if height <= 0.0 {
                return f64::INFINITY;
            }
            let mut nearest = height;
            for contour in self.surface.contours(face) {
                let mut from = self.surface.corner_position(contour.end - 1);
                for corner in contour {
                    let to = self.surface.corner_position(corner);
                    let edge = to - from;
                    if edge.cross(point - from).dot(plane.normal) < 0.0 {
                        let share = ((point - from).dot(edge) / edge.length_squared()).clamp(0.0, 1.0);
                        let outside = point.distance(from + share * edge);
                        nearest = if nearest == height { outside } else { nearest.min(outside) };
                    }
                    from = to;
                }
            }
            nearest
        };
        let nearest = self.planes.iter().enumerate().map(|(face, plane)| nearest_of_face(face, plane));
        let nearest = nearest.fold(f64::INFINITY, f64::min);
        if nearest.is_finite() { nearest } else { 0.0 }
    }

    /// The solid moved with a rigid motion.
    #[must_use]
    pub fn transformed(mut self, pose: &Pose) -> Convex {
        for position in &mut self.surface.positions {
            *position = pose.transform_point(*position);
        }
        for plane in &mut self.planes {
            *plane = plane.transformed(pose);
        }
        self
    }
}

/// The plane whose normal is the polygon's vector area, through the mean of its corners.
fn face_plane(surface: &PolyMesh, face: usize) -> Option<Plane> {
    let mut contours = surface.contours(face);
    let contour = contours.next().filter(|contour| contour.len() >= 3)?;
    if contours.next().is_some() {
        return None;
    }
    let apex = surface.corner_position(contour.start);
    let mut area = DVec3::ZERO;
    let mut sum = DVec3::ZERO;
    for corner in contour.clone() {
        let next = if corner + 1 == contour.end { contour.start } else { corner + 1 };
        let (here, there) = (surface.corner_position(corner) - apex, surface.corner_position(next) - apex);
        area += here.cross(there);
        sum += here;
    }
    Some(Plane::through(apex + sum / contour.len() as f64, area.try_normalize()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    #[test]
    fn a_box_is_convex_and_knows_its_inside() {
        let cuboid = Convex::cuboid(Aabb { min: DVec3::ZERO, max: DVec3::new(1.0, 2.0, 3.0) });
        let again = Convex::new(cuboid.surface().clone(), 1e-12).unwrap();
        assert_eq!(again.planes(), cuboid.planes());
        assert!((cuboid.mass_properties().volume - 6.0).abs() < 1e-14);
        assert!(cuboid.contains(DVec3::ONE) && !cuboid.contains(DVec3::splat(1.5)));
        let pose = Pose::new(DQuat::from_rotation_x(0.7), DVec3::new(5.0, 0.0, 1.0));
        let moved = cuboid.transformed(&pose);
        assert!(moved.contains(pose.transform_point(DVec3::splat(0.9))));
        assert!(!moved.contains(pose.transform_point(DVec3::splat(1.1))));
        assert!((moved.mass_properties().volume - 6.0).abs() < 1e-12);
    }

    #[test]
    fn surfaces_that_only_look_like_solids_are_refused() {
        let cube = Convex::cuboid(Aabb { min: DVec3::ZERO, max: DVec3::ONE }).surface().clone();
        let mut twice = cube.clone();
        for face in 0..6 {
            let corners: Vec<u32> = cube.contours(face).flatten().map(|corner| cube.corners[corner]).collect();
            twice.push_face(&[&corners], 0);
        }
        assert_eq!(Convex::new(twice, 1e-9), Err(ConvexError::NotWatertight));
        let mut loose = cube.clone();
        loose.positions.push(DVec3::splat(0.5));
        assert_eq!(Convex::new(loose, 1e-9), Err(ConvexError::LooseVertex { vertex: 8 }));
        let mut wrong = cube;
        wrong.corners[3] = 99;
        assert!(matches!(Convex::new(wrong, 1e-9), Err(ConvexError::Mesh(MeshError::VertexOutOfRange { .. }))));
    }

    #[test]
    fn a_dent_is_found() {
        let mut surface = Convex::cuboid(Aabb { min: DVec3::ZERO, max: DVec3::ONE }).surface().clone();
        surface.positions[7] = DVec3::splat(0.4);
        assert!(matches!(Convex::new(surface.clone(), 1e-9), Err(ConvexError::NotConvex { .. })));
        let open = PolyMesh { face_ends: vec![1, 2, 3, 4, 5], contour_ends: vec![4, 8, 12, 16, 20], ..surface.clone() };
        let open = PolyMesh { corners: surface.corners[..20].to_vec(), materials: vec![0; 5], ..open };
        assert_eq!(Convex::new(open, 1e-9), Err(ConvexError::NotWatertight));
    }
}
