//! Orientation predicates whose sign is exact (Shewchuk's adaptive arithmetic).
//!
//! Exact as long as no product over- or underflows, the errors of products included: with coordinates, and differences of
//! them that are not zero, between about 1e-30 and 1e30, always; in three dimensions there is nothing left of a sign below
//! 1e-108 or above 1e102, and less far out for `in_sphere`. What takes coordinates of any size brings them near to one
//! first.

use glam::{DVec2, DVec3};
use robust::{Coord, Coord3D};

/// Positive where `a`, `b`, `c` turn left (counter-clockwise), negative where right, zero where in line. The sign is
/// exact; the value is about twice the triangle's area.
pub fn orient_2d(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    let coord = |p: DVec2| Coord { x: p.x, y: p.y };
    robust::orient2d(coord(a), coord(b), coord(c))
}

/// Positive where `d` lies on the outside of the plane through `a`, `b`, `c` (the side their right-hand normal points
/// to), negative inside, zero on it. The sign is exact; the value is about six times the tetrahedron's volume.
pub fn orient_3d(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    // Points in a plane across an axis are frequent (caps, floors, boxes), and their zero takes the crate the longest.
    if (a.cmpeq(b) & a.cmpeq(c) & a.cmpeq(d)).any() {
        return 0.0;
    }
    let coord = |p: DVec3| Coord3D { x: p.x, y: p.y, z: p.z };
    // The crate's sign is positive below the plane.
    -robust::orient3d(coord(a), coord(b), coord(c), coord(d))
}

/// Positive where `e` lies inside the sphere through `a`, `b`, `c`, `d`, if `d` is on the outside of `a`, `b`, `c`.
pub fn in_sphere(a: DVec3, b: DVec3, c: DVec3, d: DVec3, e: DVec3) -> f64 {
    let coord = |p: DVec3| Coord3D { x: p.x, y: p.y, z: p.z };
    -robust::insphere(coord(a), coord(b), coord(c), coord(d), coord(e))
}

/// A power of two, as two factors (because the whole may not be a number), that brings points near to one without
/// rounding, so that no product over- or underflows; `None` if they are near enough. Points that are not finite do not
/// count.
pub(crate) fn scale_to_one(points: &[DVec3]) -> Option<[f64; 2]> {
    let finite = points.iter().filter(|point| point.is_finite());
    let largest = finite.fold(0.0f64, |largest, point| largest.max(point.abs().max_element()));
    if largest == 0.0 || (1e-30..1e30).contains(&largest) {
        return None;
    }
    let power = -largest.log2().round() as i32;
    Some([2f64.powi(power / 2), 2f64.powi(power - power / 2)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn signs_are_those_the_documentation_promises() {
        let [o, x, y, z] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        assert!(orient_3d(o, x, y, z) > 0.0);
        assert!(orient_3d(o, x, y, -z) < 0.0);
        assert!(orient_2d(DVec2::ZERO, DVec2::X, DVec2::Y) > 0.0);
        assert!(in_sphere(o, x, y, z, DVec3::splat(0.5)) > 0.0);
        assert!(in_sphere(o, x, y, z, DVec3::splat(2.0)) < 0.0);
        assert_eq!(in_sphere(o, x, y, z, DVec3::new(1.0, 1.0, 0.0)), 0.0);
    }

    proptest! {
        /// Small integers, shifted far from the origin: exact in i128, hopeless for a plain floating-point determinant.
        #[test]
        fn orientation_agrees_with_integer_arithmetic(points in prop::array::uniform4(prop::array::uniform3(-4i64..=4)),
                                                      shift in 0i64..1 << 50) {
            let [a, b, c, d] = points.map(|p| DVec3::new((p[0] + shift) as f64, (p[1] + shift) as f64, p[2] as f64));
            let row = |i: usize| points[i].iter().zip(points[0]).map(|(p, q)| i128::from(p - q)).collect::<Vec<_>>();
            let (u, v, w) = (row(1), row(2), row(3));
            let exact = (u[1] * v[2] - u[2] * v[1]) * w[0]
                + (u[2] * v[0] - u[0] * v[2]) * w[1]
                + (u[0] * v[1] - u[1] * v[0]) * w[2];
            let sign = orient_3d(a, b, c, d);
            prop_assert_eq!(sign.partial_cmp(&0.0).unwrap(), exact.cmp(&0));
        }
    }
}
