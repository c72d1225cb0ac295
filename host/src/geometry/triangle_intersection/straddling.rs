//! Whether triangles meet, told in plain floating point wherever the signs of a few volumes are certain.
//!
//! Triangles of which no corner lies in the other's plane meet if, on the line in which the planes do, the parts that lie within the
//! two overlap. Signs of six volumes say whether each straddles the plane of the other, and two more whether the parts overlap
//! (Guigue and Devillers 2003, Fast and robust triangle-triangle overlap test using orientation predicates).
//!
//! **Rounding.** A volume is the determinant of three differences of corners, a sum of six products of three factors, each of which is off by
//! at most u = 2⁻⁵³ of itself. If none of these is above E, with the roundings of products and sums the volume is off by at most 8 u of six times E³
//! and a little: less than 64 u E³. What is so small that it underflows is less than the smallest normal number, unless E is
//! so large that the rest is far more. For heights over the planes E is the largest of the differences that are made there; other corners are no
//! more than twice as far apart, so for the last two volumes eight times as much is in doubt.

use glam::DVec3;

use super::separation::larger;

/// Whether two triangles meet, if that can be told. Coordinates, and products of three of them, must be numbers.
#[inline]
pub(super) fn meet_clearly([p, q, r]: [DVec3; 3], [a, b, c]: [DVec3; 3]) -> Option<bool> {
    // As seen from p, and the sides of the other triangle from a.
    let [pq, pr] = [q - p, r - p];
    let [pa, pb, pc] = [a - p, b - p, c - p];
    let [ab, ac] = [b - a, c - a];
    let [aq, ar] = [q - a, r - a];
    let longest =
        largest(largest(largest(pq.abs(), pr.abs()), largest(pa.abs(), pb.abs())), largest(pc.abs(), ab.abs()));
    let longest = largest(longest, largest(ac.abs(), largest(aq.abs(), ar.abs())));
    let longest = larger(larger(longest.x, longest.y), longest.z);
    let doubt = 32.0 * f64::EPSILON * (longest * longest * longest) + f64::MIN_POSITIVE;

    let normal = pq.cross(pr);
    let over = sides_of([normal.dot(pa), normal.dot(pb), normal.dot(pc)], doubt);
    if let Sides::One = over {
        return Some(false);
    }
    let normal = ab.cross(ac);
    let under = sides_of([-normal.dot(pa), normal.dot(aq), normal.dot(ar)], doubt);
    let ((a_lone, a_above), (p_lone, p_above)) = match (over, under) {
        (_, Sides::One) => return Some(false),
        (Sides::Both(a), Sides::Both(p)) => (a, p),
        _ => return None,
    };

    // Turned so that p and a are those which are alone on their sides, and these sides the back ones: what is seen from the front is
    // turned over.
    let turned = |[a, b, c]: [DVec3; 3], first: usize, over: bool| {
        let [first, second, third] = [[a, b, c], [b, c, a], [c, a, b]][first];
        if over { [first, third, second] } else { [first, second, third] }
    };
    let [p, q, r] = turned([p, q, r], p_lone, a_above);
    let [a, b, c] = turned([a, b, c], a_lone, p_above);
    let first = sign((q - p).cross(a - p).dot(b - p), 8.0 * doubt);
    let second = sign((r - p).cross(c - p).dot(a - p), 8.0 * doubt);
    match (first, second) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// How three points lie to a plane.
enum Sides {
    /// All on one side.
    One,
    /// One of them is alone on its side, which is the front one or not.
    Both((usize, bool)),
    Unclear,
}

/// Of heights over a plane.
#[inline(always)]
fn sides_of([a, b, c]: [f64; 3], doubt: f64) -> Sides {
    // What is not a number is not clear either.
    let is_clear = (a.abs() > doubt) & (b.abs() > doubt) & (c.abs() > doubt);
    if !is_clear {
        return Sides::Unclear;
    }
    let front = usize::from(a > 0.0) | usize::from(b > 0.0) << 1 | usize::from(c > 0.0) << 2;
    match front {
        0b001 => Sides::Both((0, true)),
        0b010 => Sides::Both((1, true)),
        0b100 => Sides::Both((2, true)),
        0b110 => Sides::Both((0, false)),
        0b101 => Sides::Both((1, false)),
        0b011 => Sides::Both((2, false)),
        _ => Sides::One,
    }
}

/// Whether a number is positive, if it can be told from zero.
#[inline(always)]
fn sign(number: f64, doubt: f64) -> Option<bool> {
    (number.abs() > doubt).then_some(number > 0.0)
}

/// The larger coordinates of two vectors.
#[inline(always)]
fn largest(a: DVec3, b: DVec3) -> DVec3 {
    DVec3::new(larger(a.x, b.x), larger(a.y, b.y), larger(a.z, b.z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::triangle_intersection::meet_exactly;
    use crate::random::Random;

    /// Triangles of all sizes, far from the origin or not, many with corners next to a plane or an edge of the other, beside exact predicates.
    #[test]
    fn what_is_clear_is_true_and_most_is_clear() {
        let mut random = Random::new(12);
        let (mut met, mut apart, mut unclear) = (0, 0, 0);
        for round in 0..60_000 {
            let size = 10f64.powi(3 - round % 9);
            let place = [0.0, 1.0, 1000.0][round as usize % 3] * random.in_cube();
            let mut triangle = || -> [DVec3; 3] { std::array::from_fn(|_| place + size * random.in_cube()) };
            let (one, mut other) = (triangle(), triangle());
            let along = |from: DVec3, to: DVec3, share: f64| from + share * (to - from);
            let within = along(one[0], along(one[1], one[2], random.unit()), random.unit());
            let aside = |random: &mut Random| 1e-15 * (size + place.length()) * random.in_cube();
            match round % 5 {
                // A corner in the plane, as well as rounding allows, or at an edge.
                0 => other[0] = within + aside(&mut random),
                1 => other[0] = along(one[1], one[2], random.unit()) + aside(&mut random),
                // Edges that cross as well as rounding allows.
                2 => other[1] = other[0] + 2.0 * (along(one[0], one[1], random.unit()) - other[0]),
                _ => {}
            }
            match meet_clearly(one, other) {
                None => unclear += 1,
                Some(told) => {
                    assert_eq!(told, meet_exactly(one, other), "{one:?} {other:?}");
                    *if told { &mut met } else { &mut apart } += 1;
                }
            }
        }
        assert!(met > 8000 && apart > 15_000 && unclear > 3000, "{met} met, {apart} apart, {unclear} unclear");
        assert!(unclear < 30_000, "{unclear} unclear");
    }

    /// Coordinates of which products are too small for numbers tell nothing, or the truth.
    #[test]
    fn what_underflows_is_not_clear() {
        let floor = [DVec3::ZERO, DVec3::X, DVec3::Y];
        for size in [1e-60, 1e-103, 1e-150, 1e-300] {
            let above = [DVec3::new(0.2, 0.2, 1.0), DVec3::new(0.2, 0.2, 2.0), DVec3::new(0.4, 0.2, 1.0)];
            let [floor, above] = [floor, above].map(|triangle| triangle.map(|corner| corner * size));
            assert_ne!(meet_clearly(floor, above), Some(true));
            let through = above.map(|corner| corner - 1.5 * size * DVec3::Z);
            assert_ne!(meet_clearly(floor, through), Some(false));
        }
    }
}
