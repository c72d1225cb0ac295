//! The surface of a fragment: what is left of the faces before anything broke, and its side of the cracks.

use glam::DVec3;
use rustc_hash::FxHashMap;

use super::cut_tet::{CutPoint, EDGE_POINT, FACE_POINT, MIDDLE_POINT};
use super::fragment::Fragment;
use super::topology::FACES;
use crate::geometry::{FRACTURE, MassProperties, MomentSum, TriMesh};

/// A vertex of a fragment's surface, the same from all tetrahedra around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Vertex {
    Node(u32),
    Edge(u32),
    Face([u32; 3]),
    Middle(u32),
}

impl Fragment {
    /// Calls for each triangle of the surface, counter-clockwise from outside; the number is the tetrahedron that it is in,
    /// and the flag whether a crack made it.
    fn visit_surface(&self, mut visit: impl FnMut(u32, [CutPoint; 3], bool)) {
        let topology = &self.solid.topology;
        for &face in &self.faces {
            let (tet, opposite) = topology.surface[face as usize];
            let corners = topology.outward_face(tet, opposite as usize);
            match self.cut_tet(tet) {
                Some(cut) => {
                    let part = cut.part_of_face(corners, opposite as usize);
                    let polygon = part.polygon();
                    for pair in polygon.windows(2).skip(1) {
                        visit(tet, [polygon[0], pair[0], pair[1]], false);
                    }
                }
                None => visit(tet, corners.map(|corner| corner as CutPoint), false),
            }
        }
        for (tet, cut) in self.cut_tets() {
            for &triangle in cut.cracks(|face| topology.outward_face(tet, face)).as_slice() {
                visit(tet, triangle, true);
            }
        }
    }

    fn surface_point(&self, tet: u32, point: CutPoint) -> DVec3 {
        let corners = self.solid.topology.corners(tet, &self.solid.positions);
        match self.cut_tet(tet) {
            Some(cut) => cut.point(point, &corners),
            None => corners[point as usize],
        }
    }

    fn vertex(&self, tet: u32, point: CutPoint) -> Vertex {
        let topology = &self.solid.topology;
        let nodes = topology.tets[tet as usize];
        match point {
            0..EDGE_POINT => Vertex::Node(nodes[point as usize]),
            EDGE_POINT..FACE_POINT => Vertex::Edge(topology.tet_edges[tet as usize][(point - EDGE_POINT) as usize]),
            FACE_POINT..MIDDLE_POINT => Vertex::Face(FACES[(point - FACE_POINT) as usize].map(|corner| nodes[corner])),
            _ => Vertex::Middle(tet),
        }
    }

    /// The surface as a closed mesh; the material of what cracks made says so ([`FRACTURE`]).
    pub fn surface_mesh(&self) -> TriMesh {
        let mut numbers: FxHashMap<Vertex, u32> = FxHashMap::default();
        let (mut positions, mut triangles, mut materials) = (Vec::new(), Vec::new(), Vec::new());
        self.visit_surface(|tet, triangle, is_crack| {
            materials.push(if is_crack { FRACTURE } else { 0 });
            triangles.push(triangle.map(|point| {
                *numbers.entry(self.vertex(tet, point)).or_insert_with(|| {
                    positions.push(self.surface_point(tet, point));
                    positions.len() as u32 - 1
                })
            }));
        });
        TriMesh { materials: Some(materials), ..TriMesh::new(positions, triangles) }
    }

    /// The triangles that cracks made, counter-clockwise from outside.
    pub fn crack_triangles(&self) -> Vec<[DVec3; 3]> {
        let mut triangles = Vec::new();
        self.visit_surface(|tet, triangle, is_crack| {
            if is_crack {
                triangles.push(triangle.map(|point| self.surface_point(tet, point)));
            }
        });
        triangles
    }

    /// How many triangles the surface has.
    pub fn triangle_count(&self) -> usize {
        let mut count = 0;
        self.visit_surface(|_, _, _| count += 1);
        count
    }

    /// How large the surface is.
    pub fn area(&self) -> f64 {
        let mut doubled = 0.0;
        self.visit_surface(|tet, triangle, _| {
            let [a, b, c] = triangle.map(|point| self.surface_point(tet, point));
            doubled += (b - a).cross(c - a).length();
        });
        0.5 * doubled
    }

    pub(super) fn integrate(&self) -> MassProperties {
        let mut moments = MomentSum::new(self.aabb.center());
        self.visit_surface(|tet, triangle, _| {
            let [a, b, c] = triangle.map(|point| self.surface_point(tet, point));
            moments.add_triangle(a, b, c);
        });
        moments.finish()
    }
}
