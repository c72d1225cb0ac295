//! Whether two triangles meet, told from the rounded vertices of the tree wherever these tell: exact predicates are for the rest.
//!
//! Triangles of which no vertex lies in the other's plane meet if, on the line in which the planes do, the parts that lie within the
//! two overlap. Signs of six volumes say whether each straddles the plane of the other, and two more whether the parts overlap
//! (Guigue and Devillers 2003, Fast and robust triangle-triangle overlap test using orientation predicates).
//!
//! **Rounding.** A difference of two vertices is off by at most δ in each coordinate, which is [`Space::slack`](super::swept::Space::slack). A
//! volume is the determinant of three of them, a sum of six products of three factors. If none of these is above E, and E is taken δ larger,
//! a product is off by at most 3 δ E² from its factors, and all six by 18 δ E². Roundings of sums and products add less than 36 units of 2⁻²⁴ E³,
//! and E is at most eight times the largest coordinate R, of which 2⁻²⁰ R is at most δ: less than 18 δ E². Together that is less than
//! 36 δ E², and a volume that is larger has the sign that it is computed with. For heights over the planes E is the largest of the differences that
//! are made there; other corners are no more than twice as far apart, so for the last two volumes four times as much is in doubt. As δ is
//! at least 2⁻⁴⁰, nothing underflows that matters.

use glam::Vec3A;

/// The corners of a triangle in the coordinates of a tree.
pub(super) type Corners = [Vec3A; 3];

/// Whether two triangles meet, if that can be told; `slack` is by how much a difference of two of their corners may be off.
#[inline]
pub(super) fn meet([p, q, r]: Corners, [a, b, c]: Corners, slack: f32) -> Option<bool> {
    // As seen from p, and the sides of the other triangle from a.
    let [pq, pr] = [q - p, r - p];
    let [pa, pb, pc] = [a - p, b - p, c - p];
    let [ab, ac] = [b - a, c - a];
    let [aq, ar] = [q - a, r - a];
    let longest = pq.abs().max(pr.abs()).max(pa.abs().max(pb.abs())).max(pc.abs().max(ab.abs()));
    let longest = longest.max(ac.abs().max(aq.abs()).max(ar.abs())).max_element() + slack;
    let doubt = 36.0 * slack * longest * longest;

    let normal = pq.cross(pr);
    let over = sides_of([normal.dot(pa), normal.dot(pb), normal.dot(pc)], doubt);
    let normal = ab.cross(ac);
    let under = sides_of([-normal.dot(pa), normal.dot(aq), normal.dot(ar)], doubt);
    let ((a_lone, a_above), (p_lone, p_above)) = match (over, under) {
        (Sides::One, _) | (_, Sides::One) => return Some(false),
        (Sides::Both(a), Sides::Both(p)) => (a, p),
        _ => return None,
    };

    // Turned so that p and a are those which are alone on their sides, and these sides the back ones: what is seen from the front is
    // turned over.
    let turned = |[a, b, c]: Corners, first: usize, over: bool| {
        let [first, second, third] = [[a, b, c], [b, c, a], [c, a, b]][first];
        if over { [first, third, second] } else { [first, second, third] }
    };
    let [p, q, r] = turned([p, q, r], p_lone, a_above);
    let [a, b, c] = turned([a, b, c], a_lone, p_above);
    let first = sign((q - p).cross(a - p).dot(b - p), 4.0 * doubt)?;
    let second = sign((r - p).cross(c - p).dot(a - p), 4.0 * doubt)?;
    Some(first && second)
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
#[inline]
fn sides_of([a, b, c]: [f32; 3], doubt: f32) -> Sides {
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
#[inline]
fn sign(number: f32, doubt: f32) -> Option<bool> {
    (number.abs() > doubt).then_some(number > 0.0)
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, Vec4};

    use super::*;
    use crate::bvh::Frame;
    use crate::bvh::mesh_tree::swept::Space;
    use crate::geometry::{Aabb, triangles_intersect};
    use crate::random::Random;

    /// Triangles of all sizes far from the origin, and shifted ones, beside exact predicates.
    #[test]
    fn what_is_told_is_true_and_most_is_told() {
        let mut random = Random::new(12);
        let bounds = Aabb::around(DVec3::new(3.0, -7.0, 1000.0), DVec3::ONE);
        let space = Space::new(Frame::around(bounds), &bounds, 0.0);
        let (mut met, mut apart, mut unclear) = (0, 0, 0);
        for round in 0..40_000 {
            let size = 0.4 * 10f64.powi(-(round % 7));
            let place = bounds.center() + 0.4 * random.in_cube();
            let mut triangle = || -> [DVec3; 3] { std::array::from_fn(|_| place + size * random.in_cube()) };
            let (one, mut other) = (triangle(), triangle());
            // Some have a corner nearly in the other's plane.
            if round % 5 == 0 {
                let near = (one[0] + one[1] + one[2]) / 3.0;
                other[0] = near + 1e-7 * random.in_cube();
            }
            let drift = 0.3 * random.in_cube();
            let view = space.view(DVec3::ZERO, drift, crate::bvh::mesh_tree::traverse::Span::End);
            let rounded = |corners: [DVec3; 3], drift: DVec3, shift: Vec4| {
                corners.map(|corner| Vec3A::from_vec4(space.swept(corner, corner, drift).ends().1 + shift))
            };
            let told = meet(rounded(one, DVec3::ZERO, Vec4::ZERO), rounded(other, drift, view.shift), space.slack());
            let truth = triangles_intersect(one, other);
            match told {
                None => unclear += u32::from(size > 1e-3),
                Some(told) => assert_eq!(told, truth, "{one:?} {other:?}"),
            }
            met += u32::from(told == Some(true));
            apart += u32::from(told == Some(false));
        }
        assert!(met > 3000 && apart > 10_000 && unclear < 6000, "{met} met, {apart} apart, {unclear} unclear");
    }
}
