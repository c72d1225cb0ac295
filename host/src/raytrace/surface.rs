//! The surface of a body as rays see it: where it is now, which way is out, and its octree.

use glam::DVec3;

use super::Octree;
use crate::geometry::{Aabb, DisjointSets, MeshError, TriMesh};

/// An edge of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its ends, the lower number first.
    pub vertices: [u32; 2],
    /// The triangles on both sides; twice the same on a border.
    pub triangles: [u32; 2],
}

/// A closed surface that moves and deforms, and everything that collisions ask of it.
///
/// ```
/// use fracas::geometry::shapes;
/// use fracas::raytrace::Surface;
///
/// let torus = shapes::Torus::default().mesh()?;
/// let surface = Surface::new(&torus)?;
/// let area: f64 = surface.areas().iter().sum();
/// assert!(area < torus.area() && area > 0.98 * torus.area());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Surface {
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    edges: Vec<Edge>,
    normals: Vec<DVec3>,
    areas: Vec<f64>,
    aabb: Aabb,
    octree: Octree,
    /// Where the vertices were when the surface was made, and which of them hang together.
    made: Vec<DVec3>,
    parts: Vec<u32>,
}

impl Surface {
    /// The surface of a mesh, as it stands. That is also the shape that it has undeformed, by which a body that meets itself
    /// tells its parts from each other.
    ///
    /// # Errors
    /// What [`TriMesh::check`] says.
    pub fn new(mesh: &TriMesh) -> Result<Surface, MeshError> {
        mesh.check()?;
        let mut surface = Surface {
            positions: mesh.positions.clone(),
            triangles: mesh.triangles.clone(),
            edges: edges(&mesh.triangles),
            normals: Vec::new(),
            areas: Vec::new(),
            aabb: Aabb::EMPTY,
            octree: Octree::default(),
            made: mesh.positions.clone(),
            parts: parts(mesh),
        };
        surface.refresh();
        surface.rebuild_octree();
        Ok(surface)
    }

    /// Moves the vertices: one place for each, in order. What is missing stays where it was.
    ///
    /// The octree stays as it was too, until [`Surface::rebuild_octree`]: a surface that is near no other needs none.
    pub fn move_to(&mut self, positions: impl IntoIterator<Item = DVec3>) {
        self.positions.iter_mut().zip(positions).for_each(|(position, to)| *position = to);
        self.refresh();
    }

    /// Brings the octree up to date.
    pub fn rebuild_octree(&mut self) {
        self.octree.rebuild(&self.positions, &self.triangles);
    }

    fn refresh(&mut self) {
        self.aabb = Aabb::of_points(self.positions.iter().copied());
        self.normals.clear();
        self.normals.resize(self.positions.len(), DVec3::ZERO);
        self.areas.clear();
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|vertex| self.positions[vertex as usize]);
            let normal = (b - a).cross(c - a);
            triangle.iter().for_each(|&vertex| self.normals[vertex as usize] += normal);
        }
        for normal in &mut self.normals {
            let length = normal.length();
            self.areas.push(length / 6.0);
            *normal = normal.normalize_or_zero();
        }
    }

    /// Where each vertex is.
    pub fn positions(&self) -> &[DVec3] {
        &self.positions
    }

    /// Three vertex numbers for each triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The edges, by the numbers of their vertices.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The outward unit normal at each vertex; zero where there is none.
    pub fn normals(&self) -> &[DVec3] {
        &self.normals
    }

    /// The part of the surface that each vertex stands for: a third of the triangles around it, as it is seen along the
    /// normal. So the pressure of a liquid on these areas, taken at the vertices, adds up to exactly what it is on the
    /// triangles.
    pub fn areas(&self) -> &[f64] {
        &self.areas
    }

    /// The smallest box around the vertices.
    pub fn aabb(&self) -> &Aabb {
        &self.aabb
    }

    /// The octree over the triangles.
    pub fn octree(&self) -> &Octree {
        &self.octree
    }

    /// The corners of a triangle.
    pub fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.triangles[triangle as usize].map(|vertex| self.positions[vertex as usize])
    }

    /// By how much a vertex and a point of a triangle have come nearer to each other since the surface was made: how far apart
    /// they were, for each length that they are now. Without end if nothing joins the two.
    pub(super) fn approach(&self, vertex: u32, triangle: u32, weights: [f64; 3], distance: f64) -> f64 {
        let corners = self.triangles[triangle as usize];
        if self.parts[vertex as usize] != self.parts[corners[0] as usize] {
            return f64::INFINITY;
        }
        let point: DVec3 = (0..3).map(|corner| weights[corner] * self.made[corners[corner] as usize]).sum();
        point.distance(self.made[vertex as usize]) / distance
    }

    /// The normal of a triangle, as long as twice its area.
    pub(super) fn long_normal(&self, triangle: u32) -> DVec3 {
        let [a, b, c] = self.corners(triangle);
        (b - a).cross(c - a)
    }

    /// The unit normal of a triangle; zero if it has no area.
    pub fn triangle_normal(&self, triangle: u32) -> DVec3 {
        self.long_normal(triangle).normalize_or_zero()
    }
}

/// For each vertex a number that it has in common with all that triangles join it to.
fn parts(mesh: &TriMesh) -> Vec<u32> {
    let mut sets = DisjointSets::new(mesh.positions.len());
    for &[a, b, c] in &mesh.triangles {
        sets.join(a, b);
        sets.join(b, c);
    }
    (0..mesh.positions.len() as u32).map(|vertex| sets.find(vertex)).collect()
}

fn edges(triangles: &[[u32; 3]]) -> Vec<Edge> {
    let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * triangles.len());
    for (triangle, number) in triangles.iter().zip(0..) {
        for corner in 0..3 {
            let (from, to) = (triangle[corner], triangle[(corner + 1) % 3]);
            sides.push(([from.min(to), from.max(to)], number));
        }
    }
    sides.sort_unstable();
    let same_edge = |one: &([u32; 2], u32), other: &([u32; 2], u32)| one.0 == other.0;
    let edge = |same: &[([u32; 2], u32)]| Edge { vertices: same[0].0, triangles: [same[0].1, same[same.len() - 1].1] };
    sides.chunk_by(same_edge).map(edge).collect()
}
