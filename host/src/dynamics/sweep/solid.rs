//! What a collider looks like to the sweep: a convex of points, a ball or a half-space, in the coordinates of its body.

use std::sync::OnceLock;

use glam::DVec3;
use rapier3d::parry::query::{DefaultQueryDispatcher, QueryDispatcher};
use rapier3d::parry::shape::{Shape, Triangle, TypedShape};
use rapier3d::prelude::{Pose as RapierPose, Vector};

use crate::geometry::{Plane, Pose};

/// Unit vectors that differ by less are parallel: a few roundings of single precision.
const PARALLEL: f64 = 1e-6;

/// Comparing more directions with each other would take longer than trying them all.
const MANY: usize = 256;

/// A convex solid, in the coordinates of its body.
pub(super) struct Solid<'a> {
    /// As Rapier knows it, in coordinates of its own; a half-space has none.
    shape: Option<&'a dyn Shape>,
    /// Where these are in the body.
    local: Pose,
    pub(super) points: Vec<DVec3>,
    /// What is this near to the hull of the points belongs to the solid: the radius of a ball.
    pub(super) round: f64,
    /// No point is farther from the body's origin.
    size: f64,
    /// The normal of a half-space, whose points all are on its surface.
    pub(super) plane: Option<DVec3>,
    lines: OnceLock<Lines>,
}

/// Directions of a polytope, one of each two opposite ones.
#[derive(Default)]
pub(super) struct Lines {
    /// Across its faces.
    pub(super) normals: Vec<DVec3>,
    /// Along its edges.
    pub(super) edges: Vec<DVec3>,
}

impl<'a> Solid<'a> {
    /// The solid of a shape; `None` if it is no single convex.
    pub(super) fn of(shape: &'a dyn Shape, local: Pose) -> Option<Solid<'a>> {
        match shape.as_typed_shape() {
            TypedShape::Ball(ball) => {
                let radius = f64::from(ball.radius);
                let solid = Solid::bare(shape, local, [Vector::ZERO]);
                Some(Solid { round: radius, size: solid.size + radius, ..solid })
            }
            TypedShape::Cuboid(cuboid) => {
                let sign = |corner: u32, axis: u32| if corner >> axis & 1 == 0 { -1.0 } else { 1.0 };
                let signs = |corner: u32| Vector::new(sign(corner, 0), sign(corner, 1), sign(corner, 2));
                Some(Solid::bare(shape, local, (0..8).map(|corner| cuboid.half_extents * signs(corner))))
            }
            TypedShape::ConvexPolyhedron(convex) => Some(Solid::bare(shape, local, convex.points().iter().copied())),
            TypedShape::Triangle(triangle) => Some(Solid::triangle(triangle, local)),
            _ => None,
        }
    }

    /// The points of a shape.
    pub(super) fn bare(shape: &'a dyn Shape, local: Pose, points: impl IntoIterator<Item = Vector>) -> Solid<'a> {
        let points = points.into_iter().map(|point| local.transform_point(point.as_dvec3())).collect();
        Solid::new(Some(shape), local, points)
    }

    /// A triangle of a surface.
    pub(super) fn triangle(triangle: &'a Triangle, local: Pose) -> Solid<'a> {
        Solid::bare(triangle, local, [triangle.a, triangle.b, triangle.c])
    }

    /// All that is on the inner side of a plane.
    pub(super) fn half_space(plane: &Plane) -> Solid<'a> {
        let solid = Solid::new(None, Pose::IDENTITY, vec![plane.offset * plane.normal]);
        Solid { plane: Some(plane.normal), ..solid }
    }

    fn new(shape: Option<&'a dyn Shape>, local: Pose, points: Vec<DVec3>) -> Solid<'a> {
        let size = points.iter().map(|point| point.length()).fold(0.0, f64::max);
        Solid { shape, local, points, round: 0.0, size, plane: None, lines: OnceLock::new() }
    }

    /// The directions that polytopes can be apart along, found when they are first asked for.
    pub(super) fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| match self.shape.map(|shape| shape.as_typed_shape()) {
            Some(TypedShape::Cuboid(_)) => {
                let axes = DVec3::AXES.map(|axis| self.local.transform_vector(axis)).to_vec();
                Lines { normals: axes.clone(), edges: axes }
            }
            Some(TypedShape::ConvexPolyhedron(convex)) => {
                let normals = convex.faces().iter().map(|face| self.local.transform_vector(face.normal.as_dvec3()));
                let edges = convex.edges().iter().map(|edge| edge.vertices.map(|vertex| vertex as usize));
                Lines { normals: different(normals.filter_map(DVec3::try_normalize)), edges: self.along(edges) }
            }
            Some(TypedShape::Triangle(_)) => {
                let edges = self.along([[0, 1], [1, 2], [2, 0]].into_iter());
                let [a, b, c] = [0, 1, 2].map(|corner| self.points[corner]);
                let normal = (b - a).cross(c - a).try_normalize();
                // Across an edge within the plane of the triangle, where two triangles of one plane are apart.
                let sides = edges.iter().filter_map(|edge| edge.cross(normal?).try_normalize());
                Lines { normals: normal.into_iter().chain(sides).collect(), edges }
            }
            _ => Lines::default(),
        })
    }

    fn along(&self, edges: impl Iterator<Item = [usize; 2]>) -> Vec<DVec3> {
        different(edges.filter_map(|[from, to]| (self.points[to] - self.points[from]).try_normalize()))
    }

    /// How far the solid reaches along a direction of the world, with the body at a pose; of several, the largest sum over
    /// them that one of its points has.
    pub(super) fn reach<const COUNT: usize>(&self, sights: [(&Pose, DVec3); COUNT]) -> f64 {
        let local: DVec3 = sights.iter().map(|(pose, axis)| pose.rotation.inverse() * *axis).sum();
        let middle: f64 = sights.iter().map(|(pose, axis)| axis.dot(pose.translation)).sum();
        let highest = self.points.iter().map(|point| local.dot(*point)).fold(f64::NEG_INFINITY, f64::max);
        middle + highest + self.round
    }

    /// How far a point of the body is from the solid, less than zero inside; a half-space does not tell.
    pub(super) fn distance(&self, point: DVec3) -> Option<f64> {
        let point = self.local.inverse().transform_point(point).as_vec3();
        let projection = self.shape?.project_local_point(point, false);
        let distance = f64::from(projection.point.distance(point));
        Some(if projection.is_inside { -distance } else { distance })
    }

    /// Where the middle of the shape is in the body.
    pub(super) fn middle(&self) -> DVec3 {
        self.local.translation
    }

    /// The unit direction from one solid to another across which they seem to be farthest apart, or least deep in each
    /// other, by Rapier's own tests; only a guess, for these are in single precision.
    pub(super) fn guess(&self, pose: &Pose, other: &Solid<'_>, other_pose: &Pose) -> Option<DVec3> {
        let [first, second] = [*pose * self.local, *other_pose * other.local];
        let between = first.inverse() * second;
        let far = 2.0 * between.translation.length() + 4.0 * (self.size + other.size);
        let between = RapierPose::from_parts(between.translation.as_vec3(), between.rotation.as_quat());
        let contact = DefaultQueryDispatcher.contact(&between, self.shape?, other.shape?, far as f32).ok()??;
        first.transform_vector(contact.normal1.as_dvec3()).try_normalize().filter(|axis| axis.is_finite())
    }
}

/// One of each several unit vectors that are parallel but for rounding; of very many, all.
fn different(vectors: impl Iterator<Item = DVec3>) -> Vec<DVec3> {
    let mut kept: Vec<DVec3> = Vec::new();
    for vector in vectors {
        let is_new = |other: &DVec3| vector.cross(*other).length_squared() > PARALLEL * PARALLEL;
        if kept.len() > MANY || kept.iter().all(is_new) {
            kept.push(vector);
        }
    }
    kept
}
