//! What points can be asked against: the three elementary queries of \[Glondu12\] 3.

use glam::DVec3;

use super::fragment::Fragment;

/// How far the surface of something is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// The distance, negative inside.
    pub distance: f64,
    /// The unit direction out of the thing.
    pub normal: DVec3,
}

impl Surface {
    /// The one with the smaller distance, the first of equal ones.
    #[inline]
    pub(super) fn nearer(self, other: Surface) -> Surface {
        if other.distance < self.distance { other } else { self }
    }
}

/// Something that knows how far its surface is.
pub trait DistanceField {
    /// The surface as seen from a point that is inside, or outside by less than `reach`; nothing for others.
    fn surface(&self, point: DVec3, reach: f64) -> Option<Surface>;

    /// Whether the thing may reach into a sphere whose centre is outside of it. Only false is certain.
    fn meets_sphere(&self, center: DVec3, radius: f64) -> bool;
}

impl DistanceField for Fragment {
    fn surface(&self, point: DVec3, reach: f64) -> Option<Surface> {
        if !self.aabb.expanded(reach).contains(point) {
            return None;
        }
        match self.solid.locator.find(point) {
            Some(place) if self.owns(&place) => Some(self.penetration(point, &place)),
            Some(place) => {
                let share = self.cut_tet(place.tet)?;
                let corners = self.solid.topology.corners(place.tet, &self.solid.positions);
                Some(self.nearest_crack(point, place.tet, share, &corners)).filter(|surface| surface.distance < reach)
            }
            None => self.beyond(point, reach),
        }
    }

    fn meets_sphere(&self, center: DVec3, radius: f64) -> bool {
        let nearest = center.clamp(self.aabb.min, self.aabb.max);
        if nearest.distance_squared(center) > radius * radius {
            return false;
        }
        // No fragment is nearer than the solid that it is of.
        if let Some(sample) = self.solid.grid.sample(center)
            && sample.distance - self.solid.grid.error() > radius
        {
            return false;
        }
        self.occupancy.meets_sphere(center, radius)
    }
}

impl Fragment {
    /// The surface as seen from a point that is inside; nothing is far from one that is not.
    pub fn surface_of(&self, point: DVec3) -> Surface {
        let none = Surface { distance: f64::INFINITY, normal: DVec3::ZERO };
        DistanceField::surface(self, point, 0.0).unwrap_or(none)
    }

    /// The surface as seen from a point that is outside of the solid.
    fn beyond(&self, point: DVec3, reach: f64) -> Option<Surface> {
        let sample = self.solid.grid.sample(point)?;
        if sample.distance >= reach {
            return None;
        }
        let normal = sample.gradient.try_normalize()?;
        let distance = sample.distance.max(0.0);
        // What is next to the point may be another fragment's.
        let below = point - (distance + 0.1 * self.solid.edge_length) * normal;
        self.is_inside(below).then_some(Surface { distance, normal })
    }
}
