//! Where a ray meets a triangle, so that no ray slips between two triangles that share an edge.
//!
//! The corners are projected along the ray onto a plane (the shear of Woop, Benthin and Wald 2013), each by itself, so that
//! a corner that two triangles share lands on one place. On which side of the ray a projected edge passes is then decided
//! exactly, and an edge right on the ray is treated as if the ray were moved by an infinitesimal step, the same for all
//! triangles. So the triangles of a closed surface are crossed exactly as often inwards as outwards, whatever rounding does.

use glam::DVec3;

/// A half-line, or a part of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it begins.
    pub origin: DVec3,
    /// Which way it goes; of any length but zero.
    pub direction: DVec3,
    /// Where it ends, in lengths of the direction.
    pub limit: f64,
}

impl Ray {
    /// A ray without an end.
    pub fn new(origin: DVec3, direction: DVec3) -> Ray {
        Ray { origin, direction, limit: f64::INFINITY }
    }

    /// The segment between two points.
    pub fn between(from: DVec3, to: DVec3) -> Ray {
        Ray { origin: from, direction: to - from, limit: 1.0 }
    }

    /// The point some lengths of the direction on.
    pub fn at(&self, along: f64) -> DVec3 {
        self.origin + along * self.direction
    }

    /// Where the ray meets a triangle; its number is what the caller says. Brute force goes through this.
    pub fn meets(&self, corners: [DVec3; 3], triangle: u32) -> Option<Hit> {
        match Shear::main_axis(self.direction) {
            0 => Shear::<0>::new(self).meets(corners, triangle, self.limit),
            1 => Shear::<1>::new(self).meets(corners, triangle, self.limit),
            _ => Shear::<2>::new(self).meets(corners, triangle, self.limit),
        }
    }
}

/// Where a ray meets a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// How far along the ray, in lengths of its direction.
    pub along: f64,
    /// Which triangle.
    pub triangle: u32,
    /// The weights of the triangle's corners at that point; their sum is 1.
    pub weights: [f64; 3],
    /// Whether the ray goes the way that the triangle faces, so that it comes from the inside.
    pub leaving: bool,
}

impl Hit {
    /// Whether this hit comes first; of two at the same place, that of the triangle with the lower number.
    pub(super) fn is_before(&self, other: &Hit) -> bool {
        self.along < other.along || (self.along == other.along && self.triangle < other.triangle)
    }
}

/// A ray made ready: its direction is mapped to the axis along which it is longest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shear<const AXIS: usize> {
    origin: DVec3,
    across: [f64; 2],
    pub(super) inverse: f64,
}

impl Shear<0> {
    /// The axis along which a direction is longest.
    pub(super) fn main_axis(direction: DVec3) -> usize {
        let size = direction.abs();
        if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        }
    }
}

impl<const AXIS: usize> Shear<AXIS> {
    pub(super) fn new(ray: &Ray) -> Shear<AXIS> {
        let inverse = 1.0 / ray.direction[AXIS];
        let across = [ray.direction[(AXIS + 1) % 3] * inverse, ray.direction[(AXIS + 2) % 3] * inverse];
        Shear { origin: ray.origin, across, inverse }
    }

    /// Across the ray, and along its main axis.
    #[inline(always)]
    fn project(&self, corner: DVec3) -> [f64; 3] {
        let offset = corner - self.origin;
        let along = offset[AXIS];
        [offset[(AXIS + 1) % 3] - self.across[0] * along, offset[(AXIS + 2) % 3] - self.across[1] * along, along]
    }

    #[inline(always)]
    pub(super) fn meets(&self, corners: [DVec3; 3], triangle: u32, limit: f64) -> Option<Hit> {
        let (a, b, c) = (self.project(corners[0]), self.project(corners[1]), self.project(corners[2]));
        let mut sides = [b[0] * c[1] - b[1] * c[0], c[0] * a[1] - c[1] * a[0], a[0] * b[1] - a[1] * b[0]];
        let any_negative = sides[0] < 0.0 || sides[1] < 0.0 || sides[2] < 0.0;
        let any_positive = sides[0] > 0.0 || sides[1] > 0.0 || sides[2] > 0.0;
        if any_negative && any_positive {
            return None;
        }
        let mut positive = any_positive;
        // A difference of rounded products that is not zero has the right sign; so only zeros need a closer look.
        if sides[0] == 0.0 || sides[1] == 0.0 || sides[2] == 0.0 {
            positive = settle(&mut sides, [a, b, c])?;
        }
        let area = sides[0] + sides[1] + sides[2];
        // Adding zero makes one of the two zeros.
        let along = (sides[0] * a[2] + sides[1] * b[2] + sides[2] * c[2]) / area * self.inverse + 0.0;
        if !(along >= 0.0 && along <= limit) {
            return None;
        }
        let scale = 1.0 / area;
        let weights = [sides[0] * scale, sides[1] * scale, sides[2] * scale];
        Some(Hit { along, triangle, weights, leaving: positive == (self.inverse > 0.0) })
    }
}

/// Decides sides that came out as zero: whether the ray passes to the left of all edges, or to the right; neither is a miss.
#[cold]
fn settle(sides: &mut [f64; 3], [a, b, c]: [[f64; 3]; 3]) -> Option<bool> {
    let mut signs = *sides;
    for (edge, (from, to)) in [(b, c), (c, a), (a, b)].into_iter().enumerate() {
        if sides[edge] == 0.0 {
            // Two equal products: what rounding took from each decides.
            let first = from[0] * to[1];
            let second = from[1] * to[0];
            sides[edge] = from[0].mul_add(to[1], -first) - from[1].mul_add(to[0], -second);
            // Right on the edge: moved by a step of (e, e * e), the ray passes it on a side that the edge's direction says.
            signs[edge] = [sides[edge], from[1] - to[1], to[0] - from[0]].into_iter().find(|&sign| sign != 0.0)?;
        }
    }
    if signs.iter().all(|&sign| sign > 0.0) {
        Some(true)
    } else if signs.iter().all(|&sign| sign < 0.0) {
        Some(false)
    } else {
        None
    }
}
