//! How deep a point is inside a fragment, and which way out is nearest (\[Glondu12\] 4.4).

use glam::DVec3;

use super::cut_tet::CutTet;
use super::dense_grid::Sample;
use super::distance_field::Surface;
use super::fragment::Fragment;
use super::locator::Place;
use crate::geometry::closest_point_on_triangle;

/// A point this near to a triangle, relative to the triangle's size, has its normal instead of the way there.
const ON_TRIANGLE: f64 = 1e-6;

impl Fragment {
    /// The depth of a point that is inside, as a negative distance, and the way out.
    pub(super) fn penetration(&self, point: DVec3, place: &Place, sample: Option<Sample>) -> Surface {
        let topology = &self.solid.topology;
        let corners = topology.corners(place.tet, &self.solid.positions);
        let share = self.cut_tet(place.tet);
        let outer = topology.outer_faces[place.tet as usize];
        let mut nearest = Surface { distance: f64::INFINITY, normal: DVec3::ZERO };
        if let Some(share) = share {
            nearest = self.nearest_crack(point, place.tet, share, &corners);
        }
        for opposite in (0..4).filter(|opposite| outer >> opposite & 1 == 1) {
            let face = topology.outward_face(place.tet, opposite).map(|corner| corners[corner]);
            nearest = nearest.nearer(to_triangle(point, face));
        }
        // What is nearest may be the surface in another tetrahedron, which the nodes know of.
        nearest = nearest.nearer(self.interpolated(point, place.tet, &corners));
        // Close to the original surface the grid is more accurate, but not where the surface itself is at hand.
        if outer == 0
            && let Some(sample) = sample
            && -sample.distance < nearest.distance
        {
            let way = sample.gradient.try_normalize().unwrap_or(nearest.normal);
            nearest = Surface { distance: (-sample.distance).max(0.0), normal: way };
        }
        Surface { distance: -nearest.distance, normal: nearest.normal }
    }

    /// Equations 1 and 2, with the corners of the tetrahedron as neighbours.
    fn interpolated(&self, point: DVec3, tet: u32, corners: &[DVec3; 4]) -> Surface {
        let (mut weights, mut distance, mut normal) = (0.0, 0.0, DVec3::ZERO);
        for (node, corner) in self.solid.topology.tets[tet as usize].iter().zip(corners) {
            let Some(rank) = self.nodes.rank(*node) else { continue };
            let known = &self.field[rank];
            let direction = known.direction();
            let way = *corner - point;
            let weight = way.length_squared().max(f64::MIN_POSITIVE).recip();
            weights += weight;
            distance += weight * (f64::from(known.distance) + direction.dot(way));
            normal += weight * direction;
        }
        let normal = normal.try_normalize().unwrap_or(DVec3::Y);
        Surface { distance: (distance / weights).max(0.0), normal }
    }

    /// The distance to the fragment's cracks in a tetrahedron, from either side.
    pub(super) fn nearest_crack(&self, point: DVec3, tet: u32, share: &CutTet, corners: &[DVec3; 4]) -> Surface {
        let mut nearest = Surface { distance: f64::INFINITY, normal: DVec3::ZERO };
        let topology = &self.solid.topology;
        for triangle in share.crack_places(|face| topology.outward_face(tet, face), corners) {
            // Nothing of a triangle is nearer than its plane.
            let [a, b, c] = triangle;
            let normal = (b - a).cross(c - a);
            let height = normal.dot(point - a);
            if height * height < nearest.distance * nearest.distance * normal.length_squared() {
                nearest = nearest.nearer(to_triangle(point, triangle));
            }
        }
        nearest
    }
}

/// How far a triangle is, and which way it is from its inner side.
fn to_triangle(point: DVec3, triangle: [DVec3; 3]) -> Surface {
    let (nearest, _) = closest_point_on_triangle(point, triangle);
    let [a, b, c] = triangle;
    let normal = (b - a).cross(c - a);
    let way = nearest - point;
    let distance = way.length();
    let size = normal.length();
    if distance * distance <= ON_TRIANGLE * ON_TRIANGLE * size {
        return Surface { distance, normal: normal.try_normalize().unwrap_or(DVec3::Y) };
    }
    // From outside the way goes against the normal.
    let way = way / distance;
    Surface { distance, normal: if way.dot(normal) < 0.0 { -way } else { way } }
}
