//! How far a point is from the surface of a solid, and on which side.

mod closest_point;

use glam::DVec3;
use rayon::prelude::*;
use thiserror::Error;

use super::edge_sides::{edge_sides, edges, names_twice};
use super::identical::first_of_identical;
use super::predicates::scale_to_one;
use super::{Aabb, MeshError, ReportOptions, TriMesh, mesh_report};
use crate::bvh::Bvh;
pub use closest_point::closest_point_on_triangle;

/// Why a mesh has no inside.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SolidError {
    /// The lists of the mesh do not fit together.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The surface does not enclose a solid.
    #[error("{problem}")]
    NotSolid {
        /// What is wrong with it, and what can be done.
        problem: String,
    },
}

/// What of a surface is nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The nearest point of the surface.
    pub point: DVec3,
    /// How far it is; negative inside.
    pub distance: f64,
    /// The triangle that it is on; the first of those that have it.
    pub triangle: u32,
    /// The unit normal there, outwards: of the triangle, or the mean of those at the edge or vertex.
    pub normal: DVec3,
}

/// The distance to the surface of a solid, negative inside, everywhere.
///
/// The side is told by the normal of what is nearest: the triangle, or the mean of the triangles at the edge or vertex,
/// weighted by their angle there, which is right for any closed surface without crossings (Bærentzen and Aanæs 2005,
/// Signed distance computation using the angle weighted pseudonormal). Where a surface crosses itself, its nearest part
/// decides.
///
/// ```
/// use fracas::geometry::{SignedDistance, shapes};
/// use glam::DVec3;
///
/// let distance = SignedDistance::new(&shapes::cuboid(DVec3::splat(2.0)))?;
/// assert_eq!(distance.at(DVec3::new(0.0, 0.25, 0.0)), -0.75);
/// assert_eq!(distance.nearest(DVec3::new(0.0, 3.0, 0.0)).point, DVec3::Y);
/// # Ok::<(), fracas::geometry::SolidError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SignedDistance {
    tree: Bvh,
    triangles: Vec<[u32; 3]>,
    corners: Vec<[DVec3; 3]>,
    /// For each triangle, the sum of the normals at the edges that leave its corners; of any length.
    edge_normals: Vec<[DVec3; 3]>,
    /// For each vertex, the sum of the normals at it, weighted by angle.
    vertex_normals: Vec<DVec3>,
    /// What coordinates are multiplied by so that squares neither over- nor underflow.
    scale: [f64; 2],
}

impl SignedDistance {
    /// Prepares a mesh. Vertices at the very same position are one vertex. A surface that is inside out as a whole is
    /// turned.
    ///
    /// # Errors
    /// If the surface is not closed, does not agree with itself on what is inside, or encloses nothing.
    pub fn new(mesh: &TriMesh) -> Result<SignedDistance, SolidError> {
        mesh.check()?;
        let same = first_of_identical(&mesh.positions);
        let mut triangles: Vec<[u32; 3]> =
            mesh.triangles.iter().map(|triangle| triangle.map(|vertex| same[vertex as usize])).collect();
        let scale = scale_to_one(&mesh.positions).unwrap_or([1.0; 2]);
        let positions: Vec<DVec3> = mesh.positions.iter().map(|&position| position * scale[0] * scale[1]).collect();
        let volume = solid_volume(mesh, &positions, &triangles)?;
        if volume < 0.0 {
            triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        let corners: Vec<[DVec3; 3]> =
            triangles.iter().map(|triangle| triangle.map(|vertex| positions[vertex as usize])).collect();
        let boxes: Vec<Aabb> = triangles
            .iter()
            .zip(&corners)
            .map(|(&triangle, &corners)| if names_twice(triangle) { Aabb::EMPTY } else { Aabb::of_points(corners) })
            .collect();
        Ok(SignedDistance {
            tree: Bvh::build(&boxes),
            edge_normals: edge_normals(&triangles, &corners, positions.len()),
            vertex_normals: vertex_normals(&triangles, &corners, positions.len()),
            triangles,
            corners,
            scale,
        })
    }

    /// The distance to the surface, negative inside.
    pub fn at(&self, point: DVec3) -> f64 {
        self.nearest(point).distance
    }

    /// Whether a point is inside; one on the surface is not.
    pub fn is_inside(&self, point: DVec3) -> bool {
        self.at(point) < 0.0
    }

    /// What of the surface is nearest to a point. Of a point that is not finite it is not a number.
    pub fn nearest(&self, point: DVec3) -> Nearest {
        self.search(point * self.scale[0] * self.scale[1], f64::INFINITY)
    }

    /// [`SignedDistance::nearest`], found sooner if a triangle is given that is likely to be near.
    ///
    /// # Panics
    /// If the mesh has no such triangle.
    pub fn nearest_from(&self, point: DVec3, triangle: u32) -> Nearest {
        let point = point * self.scale[0] * self.scale[1];
        self.search(point, self.distance_squared(point, triangle))
    }

    fn distance_squared(&self, point: DVec3, triangle: u32) -> f64 {
        closest_point_on_triangle(point, self.corners[triangle as usize]).0.distance_squared(point)
    }

    fn search(&self, point: DVec3, limit: f64) -> Nearest {
        let measure = |triangle: u32| self.distance_squared(point, triangle);
        let Some((triangle, squared)) = self.tree.nearest(point, limit, measure) else {
            return Nearest { point: DVec3::NAN, distance: f64::NAN, triangle: 0, normal: DVec3::NAN };
        };
        let (near, weights) = closest_point_on_triangle(point, self.corners[triangle as usize]);
        let normal = self.normal(triangle, weights);
        let distance = if (point - near).dot(normal) < 0.0 { -squared.sqrt() } else { squared.sqrt() };
        let unscaled = |value: f64| value / self.scale[0] / self.scale[1];
        Nearest {
            point: near / self.scale[0] / self.scale[1],
            distance: unscaled(distance),
            triangle,
            normal: normal.normalize_or_zero(),
        }
    }

    /// The normal at the corner, edge or face that weights tell.
    fn normal(&self, triangle: u32, weights: [f64; 3]) -> DVec3 {
        let number = triangle as usize;
        match weights.map(|weight| weight == 0.0) {
            [false, false, false] => unit_normal(self.corners[number]),
            [false, false, true] => self.edge_normals[number][0],
            [true, false, false] => self.edge_normals[number][1],
            [false, true, false] => self.edge_normals[number][2],
            [false, true, true] => self.vertex_normals[self.triangles[number][0] as usize],
            [true, false, true] => self.vertex_normals[self.triangles[number][1] as usize],
            [true, true, _] => self.vertex_normals[self.triangles[number][2] as usize],
        }
    }
}

/// The enclosed volume of triangles over scaled positions, which is not zero.
///
/// # Errors
/// What keeps the surface from being a solid's.
fn solid_volume(mesh: &TriMesh, positions: &[DVec3], triangles: &[[u32; 3]]) -> Result<f64, SolidError> {
    let solid = TriMesh::new(positions.to_vec(), triangles.to_vec());
    let volume = solid.volume();
    // As a report has it: what is left of faces that cancel is rounding.
    let rounding = 1e-12 * solid.area() * solid.aabb().size().max_element();
    if solid.is_watertight() && volume.abs() > rounding {
        return Ok(volume);
    }
    let report = mesh_report(mesh, &ReportOptions::default());
    let how = if report.repair_may_help() { " (try `fracas mesh --repair`)" } else { "" };
    let problem = report.solid_problem().unwrap_or_else(|| "the surface encloses nothing".to_owned());
    Err(SolidError::NotSolid { problem: problem + how })
}

/// Zero for a triangle without area.
fn unit_normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a).normalize_or_zero()
}

fn edge_normals(triangles: &[[u32; 3]], corners: &[[DVec3; 3]], vertices: usize) -> Vec<[DVec3; 3]> {
    let normals: Vec<DVec3> = corners.par_iter().map(|&corners| unit_normal(corners)).collect();
    let mut sums = vec![[DVec3::ZERO; 3]; triangles.len()];
    for sides in edges(&edge_sides(triangles, vertices)) {
        let sum: DVec3 = sides.iter().map(|side| normals[side.triangle() as usize]).sum();
        for side in sides {
            sums[side.triangle() as usize][side.corner as usize % 3] = sum;
        }
    }
    sums
}

fn vertex_normals(triangles: &[[u32; 3]], corners: &[[DVec3; 3]], vertices: usize) -> Vec<DVec3> {
    let mut sums = vec![DVec3::ZERO; vertices];
    for (triangle, &corners) in triangles.iter().zip(corners) {
        let normal = unit_normal(corners);
        for corner in 0..3 {
            let to_next = corners[(corner + 1) % 3] - corners[corner];
            let to_previous = corners[(corner + 2) % 3] - corners[corner];
            let angle = to_next.cross(to_previous).length().atan2(to_next.dot(to_previous));
            sums[triangle[corner] as usize] += angle * normal;
        }
    }
    sums
}

#[cfg(test)]
mod tests;
