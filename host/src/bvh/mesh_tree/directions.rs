//! Cones of directions as a node keeps them (\[Heo10\] sections 4.1 and 4.3).
//!
//! The paper merges cones of an axis and an angle, which takes a square root, an arc cosine and a turn for every node. A
//! box around unit vectors says as much: merging is a minimum and a maximum, the widest angle to the middle of the box
//! follows from its corners, and where that is below a right angle the box spans a convex cone of that angle. Six bytes
//! hold it, rounded outwards.

use bytemuck::{Pod, Zeroable};
use glam::{DVec3, Vec3, Vec4};

use crate::geometry::Cone;

/// Steps of a byte in one unit of length.
pub(super) const STEPS: f32 = 127.0;

/// What rounding in single precision may have done to a unit vector, in steps: less than this.
pub(super) const DOUBT: f32 = 1.0;

/// Vectors shorter than this part of what they were computed from are not known well enough.
const SHORTEST: f32 = 1e-4;

/// A box around vectors that are as long as a unit vector or shorter. The lower ends are turned over, so that the union of two is the larger of
/// each byte.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub(super) struct Directions {
    high: [u8; 3],
    low: [u8; 3],
}

impl Directions {
    /// No direction; the neutral element of [`Directions::union`].
    pub(super) const EMPTY: Directions = Directions { high: [0; 3], low: [0; 3] };

    /// Every direction.
    pub(super) const FULL: Directions = Directions { high: [255; 3], low: [255; 3] };

    /// The direction of a vector that was computed from products whose squares are as large as `scale`; every direction, if
    /// it is too short to be known.
    #[inline]
    pub(super) fn of(vector: Vec3, scale: f32) -> Directions {
        let length = vector.length_squared();
        // Neither infinity nor what is not a number passes.
        if !(length > SHORTEST * SHORTEST * scale && length < f32::MAX && scale >= 1e-24) {
            return Directions::FULL;
        }
        let steps = (vector * (STEPS / length.sqrt())).extend(0.0);
        Directions::between(steps, steps)
    }

    /// Around directions that reach from one corner of a box to another, in steps, by vectors that may be off by what is in [`DOUBT`].
    /// The fourth numbers mean nothing.
    #[inline(always)]
    pub(super) fn between(low: Vec4, high: Vec4) -> Directions {
        // Beside a number as large as this there are no fractions: the sum is rounded to the nearest whole number, whose last eight bits are the byte.
        let bytes = |steps: Vec4| -> [u8; 3] {
            let large = Vec4::splat((3 << 22) as f32);
            let [x, y, z, _]: [u32; 4] =
                bytemuck::cast((steps.max(Vec4::ZERO).min(Vec4::splat(255.0)) + large).to_array());
            [x as u8, y as u8, z as u8]
        };
        Directions { high: bytes(high + Vec4::splat(128.5 + DOUBT)), low: bytes(Vec4::splat(127.5 + DOUBT) - low) }
    }

    #[inline]
    pub(super) fn union(self, other: Directions) -> Directions {
        let larger = |a: [u8; 3], b: [u8; 3]| [a[0].max(b[0]), a[1].max(b[1]), a[2].max(b[2])];
        Directions { high: larger(self.high, other.high), low: larger(self.low, other.low) }
    }

    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self == Directions::EMPTY
    }

    /// The middle and, from it, the half size of the box, in steps.
    #[inline]
    fn middle(self) -> (Vec3, Vec3) {
        let high = Vec3::from_array(self.high.map(|byte| f32::from(byte) - 128.0));
        let low = Vec3::from_array(self.low.map(|byte| 127.0 - f32::from(byte)));
        (0.5 * (high + low), 0.5 * (high - low))
    }

    /// Whether all directions are within less than a right angle of the middle.
    #[inline]
    pub(super) fn is_open(self) -> bool {
        // Twice the middle and twice the half size of the box, in whole steps.
        let axis = |high: u8, low: u8| {
            let (high, low) = (i32::from(high), i32::from(low));
            let middle = (high - low - 1).abs();
            (middle * middle, middle * (high + low - 255))
        };
        let (x, y, z) =
            (axis(self.high[0], self.low[0]), axis(self.high[1], self.low[1]), axis(self.high[2], self.low[2]));
        let (middle, spread) = (x.0 + y.0 + z.0, x.1 + y.1 + z.1);
        1000 * (middle - spread) > middle
    }

    /// Whether all directions are on one side of a plane that two axes span: where they are not, no direction is within less than
    /// a right angle of the whole box.
    #[inline]
    pub(super) fn are_on_one_side(self) -> bool {
        // Above the plane if the lower end, turned over, is below the middle of a byte, and below it if the higher end is.
        let [a, b, c] = self.high;
        let [d, e, f] = self.low;
        a & b & c & d & e & f & 128 == 0
    }

    /// A unit vector within less than a right angle of all directions, and the cosine of the widest of these angles.
    pub(super) fn axis(self) -> Option<(DVec3, f64)> {
        let (middle, half) = self.middle();
        if self.is_empty() || !self.is_open() {
            return None;
        }
        let axis = middle.as_dvec3().normalize();
        let nearest = axis.dot(middle.as_dvec3()) - axis.abs().dot(half.as_dvec3());
        Some((axis, (nearest / f64::from(STEPS)).min(1.0)))
    }

    /// The cone of the same axis around the box.
    pub(super) fn cone(self) -> Cone {
        if self.is_empty() {
            return Cone::EMPTY;
        }
        self.axis().map_or(Cone::FULL, |(axis, cosine)| Cone { axis, half_angle: cosine.clamp(-1.0, 1.0).acos() })
    }
}

/// The two cones of a triangle over a step, or of several. Sixteen bytes, so that the union of two is one instruction.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub(super) struct DualCone {
    pub normals: Directions,
    pub binormals: Directions,
    unused: [u8; 4],
}

impl DualCone {
    pub(super) const FULL: DualCone = DualCone::new(Directions::FULL, Directions::FULL);

    pub(super) const fn new(normals: Directions, binormals: Directions) -> DualCone {
        DualCone { normals, binormals, unused: [0; 4] }
    }

    /// Of a triangle that rests, with the sides that are boundary edges of the mesh.
    #[inline]
    pub(super) fn resting(sides: [Vec3; 2], boundary: [bool; 3]) -> DualCone {
        let [first, second] = sides;
        let normal = first.cross(second);
        let scale = first.length_squared() * second.length_squared();
        let mut binormals = Directions::EMPTY;
        if boundary != [false; 3] {
            for (edge, _) in [first, second - first, -second].into_iter().zip(boundary).filter(|&(_, bound)| bound) {
                binormals = binormals.union(Directions::of(edge.cross(normal), scale * edge.length_squared()));
            }
        }
        DualCone::new(Directions::of(normal, scale), binormals)
    }

    /// Of a triangle whose corners move along lines.
    ///
    /// The normal is a quadratic in time and a binormal a cubic. Each is at every time a sum of its Bezier control
    /// vectors with weights that are not negative, so a convex cone around these is one around all times.
    #[inline]
    pub(super) fn moving(from: [Vec3; 2], to: [Vec3; 2], boundary: [bool; 3]) -> DualCone {
        let way = [to[0] - from[0], to[1] - from[1]];
        let cross = |sides: [Vec3; 2]| sides[0].cross(sides[1]);
        let size = |sides: [Vec3; 2]| sides[0].length_squared() * sides[1].length_squared();
        let (first, last) = (cross(from), cross(to));
        let middle = 0.5 * (first + last - cross(way));
        let (first_size, last_size) = (size(from), size(to));
        // A sum of three is no larger than three times its largest.
        let middle_size = 9.0 * first_size.max(last_size).max(size(way));
        let normals = Directions::of(first, first_size)
            .union(Directions::of(middle, middle_size))
            .union(Directions::of(last, last_size));
        let mut binormals = Directions::EMPTY;
        if boundary != [false; 3] {
            let edges = |[first, second]: [Vec3; 2]| [first, second - first, -second];
            for ((start, end), _) in edges(from).into_iter().zip(edges(to)).zip(boundary).filter(|&(_, bound)| bound) {
                let scale = 4.0 * middle_size * start.length_squared().max(end.length_squared());
                for control in [
                    start.cross(first),
                    end.cross(first) + 2.0 * start.cross(middle),
                    start.cross(last) + 2.0 * end.cross(middle),
                    end.cross(last),
                ] {
                    binormals = binormals.union(Directions::of(control, scale));
                }
            }
        }
        DualCone::new(normals, binormals)
    }

    #[inline]
    pub(super) fn union(self, other: DualCone) -> DualCone {
        let (a, b): ([u8; 16], [u8; 16]) = (bytemuck::cast(self), bytemuck::cast(other));
        bytemuck::cast::<[u8; 16], _>(std::array::from_fn(|byte| a[byte].max(b[byte])))
    }

    /// Whether neither condition of theorem 4.2 holds: normals within less than a right angle of an axis, and binormals
    /// within less than a right angle of one direction when seen along it. A connected surface then has no
    /// self-collision, the paper says; it does not look at edges inside the mesh, where a patch ends too.
    pub(super) fn culls(self) -> bool {
        let Some((normal, _)) = self.normals.axis() else { return false };
        if self.binormals.is_empty() {
            return true;
        }
        self.binormals.axis().is_some_and(|(binormal, cosine)| normal.dot(binormal).abs() < cosine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn control_vectors_bound_normals_and_binormals_of_all_times() {
        let mut random = Random::new(3);
        let mut narrow = 0;
        for _ in 0..2000 {
            let from: [DVec3; 3] = std::array::from_fn(|_| random.in_cube());
            let to = from.map(|corner| corner + 0.3 * random.in_cube());
            let sides = |[a, b, c]: [DVec3; 3]| [b - a, c - a].map(|side| side.as_vec3());
            let cone = DualCone::moving(sides(from), sides(to), [true; 3]);
            for step in 0..=20 {
                let time = f64::from(step) / 20.0;
                let [a, b, c]: [DVec3; 3] = std::array::from_fn(|corner| from[corner].lerp(to[corner], time));
                let normal = (b - a).cross(c - a).normalize();
                if let Some((axis, cosine)) = cone.normals.axis() {
                    narrow += 1;
                    assert!(axis.dot(normal) >= cosine && cosine > 0.0);
                    assert!(cone.normals.cone().contains(normal, 1e-9));
                }
                if let Some((axis, cosine)) = cone.binormals.axis() {
                    for edge in [b - a, c - b, a - c] {
                        assert!(axis.dot(edge.cross(normal).normalize()) >= cosine);
                    }
                }
            }
        }
        assert!(narrow > 10_000);
    }

    #[test]
    fn a_triangle_without_area_has_every_normal() {
        let cone = DualCone::resting([Vec3::X, 2.0 * Vec3::X], [false; 3]);
        assert_eq!((cone.normals, cone.normals.axis()), (Directions::FULL, None));
        assert!(!cone.culls() && cone.binormals.is_empty());
        assert_eq!(DualCone::resting([Vec3::X * f32::MAX, Vec3::Y * f32::MAX], [false; 3]).normals, Directions::FULL);
    }
}
