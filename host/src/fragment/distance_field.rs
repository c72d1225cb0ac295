//! What points can be asked against: the three elementary queries of \[Glondu12\] 3.

use glam::DVec3;

use super::dense_grid::Sample;
use super::fragment::Fragment;

/// So deep below where a grid says that the surface of a solid is it is looked up whose that is, relative to the mean edge: deeper and
/// deeper, until there is something.
const DEPTHS: [f64; 6] = [1e-4, 4e-4, 1.6e-3, 6.4e-3, 2.56e-2, 0.1024];

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

/// What a point sees of something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Nearness {
    /// It is inside, or near to the surface.
    Near(Surface),
    /// It is outside and not near; the thing is at least so far away, which may be much less than it is.
    Beyond(f64),
}

/// Something that knows how far its surface is.
pub trait DistanceField {
    /// The surface as seen from a point that is inside, or outside by less than `reach`.
    fn look(&self, point: DVec3, reach: f64) -> Nearness;

    /// Whether the thing may reach into a sphere around a point that it was not near to, and whose radius is more than it was
    /// known to be away. Only false is certain.
    fn meets_sphere(&self, center: DVec3, radius: f64) -> bool;

    /// The normal of a plane through the origin that all of it is under, if it is flat.
    fn plane(&self) -> Option<DVec3> {
        None
    }

    /// The surface as seen from a point that is inside, or outside by less than `reach`; nothing for others.
    fn surface(&self, point: DVec3, reach: f64) -> Option<Surface> {
        match self.look(point, reach) {
            Nearness::Near(surface) => Some(surface),
            Nearness::Beyond(_) => None,
        }
    }
}

impl DistanceField for Fragment {
    fn look(&self, point: DVec3, reach: f64) -> Nearness {
        // The cheap questions first: most points are answered by them.
        let outside = point.distance_squared(point.clamp(self.aabb.min, self.aabb.max));
        if outside > reach * reach {
            return Nearness::Beyond(outside.sqrt());
        }
        let sample = self.solid.grid.sample(point);
        // No fragment is nearer than the solid that it is of.
        if let Some(sample) = &sample
            && sample.distance - self.solid.grid.error() > reach
        {
            return Nearness::Beyond(sample.distance - self.solid.grid.error());
        }
        if !self.occupancy.meets_sphere(point, reach) {
            return Nearness::Beyond(reach);
        }
        let seen = match self.solid.locator.find(point) {
            Some(place) if self.owns(&place) => Some(self.penetration(point, &place, sample)),
            Some(place) => self.cut_tet(place.tet).map(|share| {
                let corners = self.solid.topology.corners(place.tet, &self.solid.positions);
                self.nearest_crack(point, place.tet, share, &corners)
            }),
            None => self.beyond(point, sample),
        };
        seen.filter(|surface| surface.distance < reach || surface.distance <= 0.0)
            .map_or(Nearness::Beyond(0.0), Nearness::Near)
    }

    fn meets_sphere(&self, center: DVec3, radius: f64) -> bool {
        self.occupancy.meets_sphere(center, radius)
    }
}

impl Fragment {
    /// The surface as seen from a point that is inside; nothing is far from one that is not.
    pub fn surface_of(&self, point: DVec3) -> Surface {
        let none = Surface { distance: f64::INFINITY, normal: DVec3::ZERO };
        DistanceField::surface(self, point, 0.0).unwrap_or(none)
    }

    /// The surface as seen from a point that is outside of the solid, if what is next to it is the fragment's, in whole or in part. No
    /// less is told than how far the fragment is: what is told is the distance to a place of it.
    fn beyond(&self, point: DVec3, sample: Option<Sample>) -> Option<Surface> {
        let sample = sample?;
        let normal = sample.gradient.try_normalize()?;
        // Far below the surface there may be a fragment that is not at it.
        let mut distances = DEPTHS.iter().map(|depth| sample.distance.max(0.0) + depth * self.solid.edge_length);
        let (distance, place) = distances.find_map(|distance| {
            let place = self.solid.locator.find(point - distance * normal)?;
            Some((distance, place))
        })?;
        if self.owns(&place) {
            return Some(Surface { distance, normal });
        }
        let share = self.cut_tet(place.tet)?;
        let corners = self.solid.topology.corners(place.tet, &self.solid.positions);
        Some(self.nearest_crack(point, place.tet, share, &corners))
    }
}
