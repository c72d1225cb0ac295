//! Solids described by distance-like functions and blended into each other: what the organic figures are made of.

use glam::DVec3;

use super::super::Aabb;
use super::primitive::Primitive;

/// A function that is negative inside of a solid and positive outside.
pub trait Field: Clone + Send + Sync {
    /// The value at a point. It must not depend on anything else, to the last bit.
    fn value(&self, point: DVec3) -> f64;

    /// How far the surface is at least: no point nearer than this has the value zero or the other sign.
    fn clearance(&self, point: DVec3) -> f64;

    /// A box outside of which the value is positive.
    fn bounds(&self) -> Aabb;

    /// A field with the very same values within a ball, and perhaps fewer parts to ask there.
    #[must_use]
    fn within(&self, center: DVec3, radius: f64) -> Self {
        let _ = (center, radius);
        self.clone()
    }

    /// The gradient, by differences between the corners of a small tetrahedron around the point.
    fn gradient(&self, point: DVec3, step: f64) -> DVec3 {
        let corners =
            [DVec3::ONE, DVec3::new(1.0, -1.0, -1.0), DVec3::new(-1.0, 1.0, -1.0), DVec3::new(-1.0, -1.0, 1.0)];
        corners.iter().map(|&corner| self.value(point + step * corner) * corner).sum::<DVec3>() / (4.0 * step)
    }
}

/// How a part is put to those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// What is in either.
    Add,
    /// What is in the ones before but not in this one.
    Carve,
}

/// One part of a sculpture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Its shape.
    pub shape: Primitive,
    /// How it is put to the parts before it.
    pub operation: Operation,
    /// The width of the seam that is smoothed over; 0 for a sharp one.
    pub blend: f64,
    /// Centre and radius of a ball around the shape: most parts are told to be too far to matter by it alone.
    ball: (DVec3, f64),
}

/// Relief on the surface: moves it outwards by `amplitude` times a pattern between -1 and 1.
#[derive(Clone, Copy, Debug)]
pub struct Relief {
    /// How far the pattern moves the surface.
    pub amplitude: f64,
    /// The pattern.
    pub pattern: fn(DVec3) -> f64,
}

/// Parts blended into each other in order, with relief, and perhaps hollow.
#[derive(Clone, Debug, Default)]
pub struct Sculpture {
    /// In the order in which they are put together.
    pub parts: Vec<Part>,
    /// Put on after all parts.
    pub reliefs: Vec<Relief>,
    /// How thick the wall is, if the sculpture is hollow.
    pub wall: Option<f64>,
    /// Cut from the finished, hollowed sculpture, each with a width over which the edge is rounded.
    pub cuts: Vec<(Primitive, f64)>,
}

impl Sculpture {
    /// Adds a part, blended over a width.
    pub fn add(&mut self, shape: Primitive, blend: f64) {
        self.parts.push(Part::new(shape, Operation::Add, blend));
    }

    /// Carves a part out, blended over a width.
    pub fn carve(&mut self, shape: Primitive, blend: f64) {
        self.parts.push(Part::new(shape, Operation::Carve, blend));
    }

    fn reliefs_reach(&self) -> f64 {
        self.reliefs.iter().map(|relief| relief.amplitude.abs()).sum()
    }
}

/// The smaller of two distances, with the crease rounded over a width; exactly the smaller one where they differ by more.
///
/// Its gradient is a mean of the two, so it changes no faster than they do.
pub fn smooth_min(a: f64, b: f64, width: f64) -> f64 {
    let overlap = width - (a - b).abs();
    if overlap <= 0.0 { a.min(b) } else { a.min(b) - 0.25 * overlap * overlap / width }
}

impl Sculpture {
    /// The parts put together, without relief.
    fn body(&self, point: DVec3) -> f64 {
        let mut value = f64::INFINITY;
        for part in &self.parts {
            if part.may_change(value, point) {
                value = part.put_to(value, part.shape.distance(point));
            }
        }
        value
    }

    fn hollowed(&self, value: f64, point: DVec3) -> f64 {
        let value = self.wall.map_or(value, |wall| (value + 0.5 * wall).abs() - 0.5 * wall);
        self.cuts.iter().fold(value, |value, (cut, blend)| -smooth_min(-value, cut.distance(point), *blend))
    }
}

impl Part {
    /// A part of a sculpture.
    pub fn new(shape: Primitive, operation: Operation, blend: f64) -> Part {
        Part { shape, operation, blend, ball: shape.bounding_ball() }
    }

    /// False if the ball is so far from the point that the part leaves the value there as it is.
    fn may_change(&self, value: f64, point: DVec3) -> bool {
        let rival = if self.operation == Operation::Add { value } else { -value };
        let reach = rival + self.blend + self.ball.1;
        reach > 0.0 && point.distance_squared(self.ball.0) < reach * reach
    }

    fn put_to(&self, value: f64, distance: f64) -> f64 {
        match self.operation {
            Operation::Add => smooth_min(value, distance, self.blend),
            Operation::Carve => -smooth_min(-value, distance, self.blend),
        }
    }
}

impl Field for Sculpture {
    fn value(&self, point: DVec3) -> f64 {
        let mut value = self.body(point);
        let depth = self.hollowed(value, point);
        // Far from the surface relief decides nothing, and it is the dearest thing to ask.
        if depth.abs() > 3.0 * self.reliefs_reach() {
            return depth;
        }
        for relief in &self.reliefs {
            value -= relief.amplitude * (relief.pattern)(point);
        }
        self.hollowed(value, point)
    }

    /// Every distance changes at most as fast as the point moves, blends and cuts keep that, and relief moves the surface
    /// by no more than its reach.
    fn clearance(&self, point: DVec3) -> f64 {
        self.hollowed(self.body(point), point).abs() - self.reliefs_reach()
    }

    fn bounds(&self) -> Aabb {
        let added = self.parts.iter().filter(|part| part.operation == Operation::Add);
        // A blend bulges outwards by a quarter of its width at most, and bulges add up.
        let bulge = self.parts.iter().map(|part| 0.25 * part.blend).fold(0.0, f64::max);
        added
            .map(|part| part.shape.bounds())
            .fold(Aabb::EMPTY, Aabb::union)
            .expanded(2.0 * bulge + self.reliefs_reach())
    }

    /// Drops the parts that cannot change a value in the ball: all changes of a distance within it are bounded by the
    /// radius, so a part that is far enough behind at the centre is behind everywhere.
    fn within(&self, center: DVec3, radius: f64) -> Sculpture {
        // Rounding must not turn a tie into a win.
        let swing = 2.0 * radius * (1.0 + 1e-6);
        let mut value = f64::INFINITY;
        let mut parts = Vec::new();
        for part in &self.parts {
            let distance = part.shape.distance(center);
            let idle = match part.operation {
                Operation::Add => distance - value > part.blend + swing,
                Operation::Carve => distance + value > part.blend + swing,
            };
            if idle {
                continue;
            }
            // A part that outdoes everything before it makes that idle in turn.
            if part.operation == Operation::Add && value - distance > part.blend + swing {
                parts.clear();
            }
            value = part.put_to(value, distance);
            parts.push(*part);
        }
        Sculpture { parts, ..self.clone() }
    }
}

/// Rounded bumps packed like scales or pebbles, one to a unit cell: 1 on their tops, -1 in the gaps.
pub fn pebbles(point: DVec3) -> f64 {
    // Seeds are off the middle of their cell by at most a quarter, so that one beyond the eight nearest cells is farther
    // than where a bump ends.
    let base = (point - 0.5).floor();
    let mut nearest = PEBBLE * PEBBLE;
    for number in 0..8 {
        let cell = base + DVec3::new(f64::from(number & 1), f64::from(number >> 1 & 1), f64::from(number >> 2));
        nearest = nearest.min(point.distance_squared(cell + 0.25 + 0.5 * scatter(cell)));
    }
    let t = nearest.sqrt() / PEBBLE;
    1.0 - 2.0 * t * t * (3.0 - 2.0 * t)
}

/// The radius of a pebble.
const PEBBLE: f64 = 0.75;

/// Three numbers from 0 to 1 that look random, from the whole numbers of a cell.
fn scatter(cell: DVec3) -> DVec3 {
    let mut mixed = (cell.x as i64 as u64)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add((cell.y as i64 as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f))
        .wrapping_add((cell.z as i64 as u64).wrapping_mul(0x1656_67b1_9e37_79f9));
    // The finaliser of SplitMix64.
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    let part = |shift: u32| ((mixed >> shift) & 0x1f_ffff) as f64 / f64::from(0x1f_ffff);
    DVec3::new(part(0), part(21), part(42))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DMat3;
    use proptest::prelude::*;

    fn vector(range: std::ops::Range<f64>) -> impl Strategy<Value = DVec3> + Clone {
        prop::array::uniform3(range).prop_map(DVec3::from_array)
    }

    fn primitive() -> impl Strategy<Value = Primitive> {
        let axes = vector(-3.0..3.0).prop_map(|turn| DMat3::from_euler(glam::EulerRot::XYZ, turn.x, turn.y, turn.z));
        prop_oneof![
            (vector(-1.0..1.0), vector(-1.0..1.0), 0.05f64..0.6, 0.05f64..0.6)
                .prop_map(|(from, to, from_radius, to_radius)| Primitive::Cone { from, to, from_radius, to_radius }),
            (vector(-1.0..1.0), axes.clone(), vector(0.1..1.0))
                .prop_map(|(center, axes, radii)| Primitive::Ellipsoid { center, axes, radii }),
            (vector(-1.0..1.0), axes.clone(), vector(0.2..1.0), 0.0f64..0.2).prop_map(
                |(center, axes, half_extents, rounding)| Primitive::Block { center, axes, half_extents, rounding }
            ),
            (vector(-1.0..1.0), axes, 0.3f64..1.0, 0.05f64..0.3).prop_map(
                |(center, axes, major_radius, minor_radius)| Primitive::Ring {
                    center,
                    axes,
                    major_radius,
                    minor_radius
                }
            ),
        ]
    }

    fn sculpture() -> impl Strategy<Value = Sculpture> {
        let part = (primitive(), prop::bool::weighted(0.8), 0.0f64..0.3).prop_map(|(shape, add, blend)| {
            Part::new(shape, if add { Operation::Add } else { Operation::Carve }, blend)
        });
        prop::collection::vec(part, 1..10).prop_map(|parts| Sculpture { parts, ..Sculpture::default() })
    }

    proptest! {
        #[test]
        fn distances_change_as_fast_as_one_moves(shape in primitive(), p in vector(-3.0..3.0), q in vector(-3.0..3.0)) {
            prop_assert!((shape.distance(p) - shape.distance(q)).abs() <= p.distance(q) + 1e-7);
            // Walking the distance along the gradient ends on the surface (off the medial axis).
            let sculpture = Sculpture { parts: vec![Part::new(shape, Operation::Add, 0.0)], ..Sculpture::default() };
            let gradient = sculpture.gradient(p, 1e-6);
            if (gradient.length() - 1.0).abs() < 1e-5 {
                prop_assert!(shape.distance(p - shape.distance(p) * gradient).abs() < 1e-4);
            }
            if shape.distance(p) <= 0.0 {
                prop_assert!(shape.bounds().expanded(1e-9).contains(p));
            }
        }

        #[test]
        fn dropping_parts_changes_no_bit(sculpture in sculpture(), center in vector(-2.0..2.0), radius in 0.01f64..0.5,
                                         offsets in prop::collection::vec(vector(-1.0..1.0), 8)) {
            let local = sculpture.within(center, radius);
            prop_assert!(local.parts.len() <= sculpture.parts.len());
            for offset in offsets {
                let point = center + radius * offset / offset.length().max(1.0);
                prop_assert_eq!(local.value(point).to_bits(), sculpture.value(point).to_bits());
                if sculpture.value(point) <= 0.0 {
                    prop_assert!(sculpture.bounds().contains(point));
                }
            }
        }

        #[test]
        fn pebbles_are_as_smooth_as_promised(p in vector(-20.0..20.0), step in vector(-0.01..0.01)) {
            prop_assert!((pebbles(p) - pebbles(p + step)).abs() <= 4.01 * step.length() + 1e-12);
            prop_assert!(pebbles(p).abs() <= 1.0);
        }
    }
}
