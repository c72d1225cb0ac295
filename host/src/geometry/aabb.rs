//! Axis-aligned boxes.

use glam::DVec3;

use super::Plane;

/// A box whose faces are parallel to the axes, from its lowest to its highest corner, both included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The corner with the lowest coordinates.
    pub min: DVec3,
    /// The corner with the highest coordinates.
    pub max: DVec3,
}

impl Aabb {
    /// The box that holds nothing: the neutral element of [`Aabb::union`].
    pub const EMPTY: Aabb = Aabb { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The box around a centre that reaches `half_extents` to each side.
    pub fn around(center: DVec3, half_extents: DVec3) -> Aabb {
        Aabb { min: center - half_extents, max: center + half_extents }
    }

    /// The smallest box around some points; [`Aabb::EMPTY`] of none.
    pub fn of_points(points: impl IntoIterator<Item = DVec3>) -> Aabb {
        points.into_iter().fold(Aabb::EMPTY, Aabb::including)
    }

    /// The smallest box around this one and a point.
    #[must_use]
    pub fn including(self, point: DVec3) -> Aabb {
        // A coordinate that is not a number is left out: no comparison with it holds. glam's own minimum would forget all
        // that came before it.
        let lower = |corner: f64, place: f64| if place < corner { place } else { corner };
        let higher = |corner: f64, place: f64| if place > corner { place } else { corner };
        let with = |pick: fn(f64, f64) -> f64, corner: DVec3| {
            DVec3::new(pick(corner.x, point.x), pick(corner.y, point.y), pick(corner.z, point.z))
        };
        Aabb { min: with(lower, self.min), max: with(higher, self.max) }
    }

    /// The smallest box around both.
    #[must_use]
    pub fn union(self, other: Aabb) -> Aabb {
        Aabb { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// What both boxes cover; [`Aabb::is_empty`] where they do not meet.
    #[must_use]
    pub fn intersection(self, other: Aabb) -> Aabb {
        Aabb { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    /// The box with every face moved outwards by a margin (inwards by a negative one).
    #[must_use]
    pub fn expanded(self, margin: f64) -> Aabb {
        Aabb { min: self.min - margin, max: self.max + margin }
    }

    /// Whether the box holds no point at all.
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// Whether a point is in the box or on its surface.
    pub fn contains(&self, point: DVec3) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// Whether the boxes share a point; touching counts.
    pub fn intersects(&self, other: &Aabb) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }

    /// The middle of the box.
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// The lengths of the sides; zero for an empty box.
    pub fn size(&self) -> DVec3 {
        if self.is_empty() { DVec3::ZERO } else { self.max - self.min }
    }

    /// The length of the diagonal: the scale that relative tolerances refer to.
    pub fn diagonal(&self) -> f64 {
        self.size().length()
    }

    /// The volume; zero for an empty box.
    pub fn volume(&self) -> f64 {
        self.size().element_product()
    }

    /// The area of the six faces; zero for an empty box.
    pub fn area(&self) -> f64 {
        let size = self.size();
        2.0 * (size.x * size.y + size.y * size.z + size.z * size.x)
    }

    /// The length of its longest side.
    pub fn longest(&self) -> f64 {
        self.size().max_element()
    }

    /// The largest coordinate of any point, whatever its sign: a measure of rounding, not of size; see [`Aabb::longest`].
    pub fn largest(&self) -> f64 {
        self.min.abs().max(self.max.abs()).max_element()
    }

    /// The planes of its sides, normals out: the upper ones along x, y and z, then the lower ones.
    pub fn sides(&self) -> [Plane; 6] {
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        let [x, y, z] = axes.map(|normal| Plane::through(self.max, normal));
        let [low_x, low_y, low_z] = axes.map(|normal| Plane::through(self.min, -normal));
        [x, y, z, low_x, low_y, low_z]
    }

    /// The eight corners; bit 0 of the index chooses x, bit 1 y, bit 2 z.
    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|corner| {
            let pick = |axis: usize| if corner >> axis & 1 == 0 { self.min[axis] } else { self.max[axis] };
            DVec3::new(pick(0), pick(1), pick(2))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_box_is_neutral_and_has_no_size() {
        let unit = Aabb::around(DVec3::ZERO, DVec3::splat(0.5));
        assert_eq!(Aabb::EMPTY.union(unit), unit);
        assert!(Aabb::EMPTY.is_empty());
        assert_eq!(Aabb::EMPTY.volume(), 0.0);
        assert!(!Aabb::EMPTY.intersects(&unit));
        assert!(unit.intersection(Aabb::around(DVec3::splat(3.0), DVec3::ONE)).is_empty());
    }

    #[test]
    fn a_point_that_is_not_a_number_does_not_hide_the_others() {
        let aabb = Aabb::of_points([DVec3::ZERO, DVec3::NAN, DVec3::splat(5.0)]);
        assert_eq!(aabb, Aabb { min: DVec3::ZERO, max: DVec3::splat(5.0) });
    }

    #[test]
    fn touching_boxes_intersect() {
        let a = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
        let b = Aabb { min: DVec3::X, max: DVec3::new(2.0, 1.0, 1.0) };
        assert!(a.intersects(&b));
        assert_eq!(a.intersection(b).volume(), 0.0);
        assert_eq!((a.volume(), a.area()), (1.0, 6.0));
        assert!(a.corners().iter().all(|&corner| a.contains(corner)));
    }
}
