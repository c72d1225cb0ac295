//! Rapier's own shapes as what fragments meet: how far their surface is, and points of theirs that may be in a fragment.

use glam::DVec3;
use rapier3d::parry::bounding_volume::BoundingVolume;
use rapier3d::parry::shape::{Shape, Triangle, TypedShape};
use rapier3d::prelude::Vector;

use crate::fragment::{DistanceField, Nearness, Surface};
use crate::geometry::Aabb;

/// At most so many vertices of a surface are asked about.
const MOST_VERTICES: usize = 256;

/// At most so many points along an axis are between those of a fragment.
const MOST_BETWEEN: f64 = 8.0;

/// The numbers of such points, beyond those of vertices.
const BETWEEN: u32 = 1 << 24;

/// The numbers of the points of a part of a compound.
const PART: u32 = 1 << 10;

/// A shape that is no fragment.
pub(super) struct OtherShape<'a> {
    shape: &'a dyn Shape,
    /// Where the middle of the fragment is, in the shape's coordinates: a hollow surface pushes to that side.
    center: DVec3,
}

impl<'a> OtherShape<'a> {
    pub(super) fn new(shape: &'a dyn Shape, center: DVec3) -> OtherShape<'a> {
        OtherShape { shape, center }
    }

    fn signed(&self, point: DVec3) -> Surface {
        let place = point.as_vec3();
        match self.shape.as_typed_shape() {
            TypedShape::HalfSpace(half_space) => {
                let normal = half_space.normal.as_dvec3();
                Surface { distance: point.dot(normal), normal }
            }
            TypedShape::TriMesh(_) | TypedShape::HeightField(_) | TypedShape::Triangle(_) => self.beside(point),
            _ => {
                let projection = self.shape.project_local_point(place, false);
                let way = point - projection.point.as_dvec3();
                let distance = way.length();
                let outward = if projection.is_inside { -way } else { way };
                let normal = outward.try_normalize().or_else(|| point.try_normalize()).unwrap_or(DVec3::Y);
                Surface { distance: if projection.is_inside { -distance } else { distance }, normal }
            }
        }
    }

    /// How far a hollow surface is, as seen from where the middle of the fragment is: what is beyond it is inside.
    fn beside(&self, point: DVec3) -> Surface {
        let nearest = self.shape.project_local_point(point.as_vec3(), false).point.as_dvec3();
        let way = point - nearest;
        let distance = way.length();
        let toward = self.center - nearest;
        let Some(normal) = way.try_normalize() else {
            return Surface { distance: 0.0, normal: toward.try_normalize().unwrap_or(DVec3::Y) };
        };
        // The way to the nearest point of a face is along its normal.
        if normal.dot(toward) < 0.0 {
            Surface { distance: -distance, normal: -normal }
        } else {
            Surface { distance, normal }
        }
    }

    /// Calls for points of the shape that may be in a fragment, whose box in the shape's coordinates is given, and whose own
    /// points are so far from each other.
    pub(super) fn points(&self, around: &Aabb, spacing: f64, mut visit: impl FnMut(u32, DVec3)) {
        self.corners(around, &mut visit);
        self.between(around, spacing, &mut visit);
    }

    /// Points of what goes between those of the fragment: where the boxes of the two overlap in no more than a rod.
    fn between(&self, around: &Aabb, spacing: f64, visit: &mut dyn FnMut(u32, DVec3)) {
        if matches!(self.shape.as_typed_shape(), TypedShape::HalfSpace(_)) {
            return;
        }
        // No point is ever inside of a line.
        let is_wire = matches!(self.shape.as_typed_shape(), TypedShape::Segment(_) | TypedShape::Polyline(_));
        let own = self.shape.compute_local_aabb();
        let own = Aabb { min: own.mins.as_dvec3(), max: own.maxs.as_dvec3() };
        let both = around.intersection(own);
        let size = both.size();
        let narrow = size.to_array().into_iter().filter(|side| *side < spacing).count();
        if both.is_empty() || (narrow < 2 && !is_wire) {
            return;
        }
        let counts = (2.0 * size / spacing).ceil().clamp(DVec3::ONE, DVec3::splat(MOST_BETWEEN)).as_uvec3();
        for number in 0..counts.element_product() {
            let cell = glam::UVec3::new(number % counts.x, number / counts.x % counts.y, number / counts.x / counts.y);
            let place = both.min + size * (cell.as_dvec3() + 0.5) / counts.as_dvec3();
            let projection = self.shape.project_local_point(place.as_vec3(), false);
            visit(BETWEEN + number, projection.point.as_dvec3());
        }
    }

    fn corners(&self, around: &Aabb, visit: &mut dyn FnMut(u32, DVec3)) {
        let asked = rapier3d::parry::bounding_volume::Aabb::new(around.min.as_vec3(), around.max.as_vec3());
        let mut numbered = |points: &mut dyn Iterator<Item = Vector>| {
            (0..)
                .zip(points)
                .filter(|(_, point)| asked.contains_local_point(*point))
                .for_each(|(n, p)| visit(n, p.as_dvec3()));
        };
        match self.shape.as_typed_shape() {
            TypedShape::Ball(ball) => numbered(&mut ways().map(|way| ball.radius * way.normalize())),
            TypedShape::Cuboid(cuboid) => numbered(&mut ways().map(|way| cuboid.half_extents * way)),
            TypedShape::ConvexPolyhedron(convex) => numbered(&mut convex.points().iter().copied()),
            TypedShape::Triangle(Triangle { a, b, c }) => numbered(&mut [*a, *b, *c].into_iter()),
            TypedShape::TriMesh(mesh) => {
                let mut vertices: Vec<u32> = mesh
                    .bvh()
                    .leaves(|node| node.aabb().intersects(&asked))
                    .flat_map(|triangle| mesh.indices()[triangle as usize])
                    .collect();
                vertices.sort_unstable();
                vertices.dedup();
                vertices.truncate(MOST_VERTICES);
                vertices.iter().for_each(|&vertex| visit(vertex, mesh.vertices()[vertex as usize].as_dvec3()));
            }
            TypedShape::HeightField(field) => {
                let mut seen: Vec<(u32, Vector)> = Vec::new();
                field.map_elements_in_local_aabb(&asked, &mut |number, triangle| {
                    if seen.len() < MOST_VERTICES {
                        seen.extend(
                            (0..).zip(triangle.vertices()).map(|(corner, &vertex)| (3 * number + corner, vertex)),
                        );
                    }
                });
                // A vertex belongs to several triangles.
                seen.sort_by_key(|(number, vertex)| (vertex.to_array().map(f32::to_bits), *number));
                seen.dedup_by_key(|(_, vertex)| vertex.to_array().map(f32::to_bits));
                seen.iter().for_each(|&(number, vertex)| visit(number, vertex.as_dvec3()));
            }
            TypedShape::Compound(compound) => {
                for (part, (pose, shape)) in (0..).zip(compound.shapes()) {
                    let inverse = pose.inverse();
                    let local = around.corners().map(|corner| inverse.transform_point(corner.as_vec3()).as_dvec3());
                    let parts = OtherShape::new(&**shape, inverse.transform_point(self.center.as_vec3()).as_dvec3());
                    parts.corners(&Aabb::of_points(local), &mut |number, point| {
                        let place = pose.transform_point(point.as_vec3()).as_dvec3();
                        visit(PART.wrapping_mul(part).wrapping_add(number), place);
                    });
                }
            }
            // Whatever is convex tells its farthest point along a direction.
            _ => {
                if let Some(convex) = self.shape.as_support_map() {
                    numbered(&mut ways().map(|way| convex.local_support_point(way)));
                }
            }
        }
    }
}

impl DistanceField for OtherShape<'_> {
    fn look(&self, point: DVec3, reach: f64) -> Nearness {
        let surface = self.signed(point);
        if surface.distance < reach { Nearness::Near(surface) } else { Nearness::Beyond(surface.distance) }
    }

    fn meets_sphere(&self, _: DVec3, _: f64) -> bool {
        // How far it was seen to be is how far it is.
        true
    }

    fn plane(&self) -> Option<DVec3> {
        match self.shape.as_typed_shape() {
            TypedShape::HalfSpace(half_space) => Some(half_space.normal.as_dvec3()),
            _ => None,
        }
    }
}

/// From the middle of a cube to its corners, edges and faces: where balls and boxes are asked about.
fn ways() -> impl Iterator<Item = Vector> {
    let along = |number: i32| (number % 3 - 1) as f32;
    let middle = 13;
    (0..27)
        .filter(move |&number| number != middle)
        .map(move |number| Vector::new(along(number), along(number / 3), along(number / 9)))
}
