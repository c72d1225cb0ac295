//! Normals of four triangles at once: what a refit spends most of its time on.
//!
//! The normal of a triangle whose corners move along lines is a quadratic in time ([`DualCone::moving`] says more). Its
//! control vectors are computed in single precision from the rounded vertices of the tree, four triangles side by side.
//! Where they are so short that rounding might have turned them, the answer is that it is not known, and the caller asks
//! in double precision.
//!
//! **Rounding.** With coordinates up to `reach` R, sides up to L in each coordinate and u = 2⁻²⁴, a coordinate of a side is
//! off by at most e = 2uR + uL. A coordinate of a cross product is a difference of two products: off by at most
//! 2 (2 L e + e²) from the sides, and by 6 u L² from its own three roundings, generously. Its length is off by less than
//! √3 times that: less than 7 L e + 11 u L² (as long as e is below a hundredth of L, without which nothing would pass). So a
//! direction is off by less than that as a part of the length, which has to be below [`DOUBT`] steps of
//! [`STEPS`]. The middle control vector is a sum of two cross products, of twice the size and twice the doubt.

use glam::{Vec3, Vec4};

use super::directions::{DOUBT, Directions, STEPS};
use super::lanes::Lanes;
use super::swept::Swept;

/// Half a unit in the last place of a number near one.
const UNIT: f32 = 1.0 / (1 << 24) as f32;

/// A box around the directions of the normals of triangles, four at a time, in steps.
pub(super) struct Normals {
    low: Lanes,
    high: Lanes,
}

impl Normals {
    pub(super) const NONE: Normals =
        Normals { low: Lanes::splat(f32::INFINITY), high: Lanes::splat(f32::NEG_INFINITY) };

    /// Includes the normals of four triangles, if all of them are known; returns whether they are.
    #[inline(always)]
    pub(super) fn include(&mut self, [a, b, c, d]: &[[&Swept; 3]; 4], reach: f32) -> bool {
        let sides = FourSides::of(a, b, c, d);
        let longest = sides.longest();
        let off = longest * UNIT + 2.0 * UNIT * reach;
        let shortest = (STEPS / DOUBT) * (7.0 * longest * off + 11.0 * UNIT * longest * longest);
        let shortest = shortest * shortest;

        let NormalControls { start, middle, end } = sides.normals();
        let (start_length, middle_length, end_length) =
            (start.length_squared(), middle.length_squared(), end.length_squared());
        // Neither infinity nor what is not a number passes; nor does what is too short to be squared.
        let known = start_length.cmpgt(shortest)
            & middle_length.cmpgt(4.0 * shortest)
            & end_length.cmpgt(shortest)
            & middle_length.cmplt(Vec4::splat(f32::MAX))
            & longest.cmpgt(Vec4::splat(1e-9));
        if !known.all() {
            return false;
        }
        let start = start.times(STEPS / square_root(start_length));
        let middle = middle.times(STEPS / square_root(middle_length));
        let end = end.times(STEPS / square_root(end_length));
        self.low = self.low.min(&start).min(&middle.min(&end));
        self.high = self.high.max(&start).max(&middle.max(&end));
        true
    }

    /// The directions of all that was included.
    #[inline(always)]
    pub(super) fn directions(&self) -> Directions {
        let (low, high) = (&self.low, &self.high);
        Directions::between(
            Vec3::new(low.x.min_element(), low.y.min_element(), low.z.min_element()),
            Vec3::new(high.x.max_element(), high.y.max_element(), high.z.max_element()),
        )
    }
}

/// The sides from the first corner of each of four triangles to the other two, at the start of a step and at its end.
pub(super) struct FourSides<'a> {
    corners: [&'a Swept; 4],
    first: Lanes,
    second: Lanes,
    first_last: Lanes,
    second_last: Lanes,
}

/// The control vectors of the normals of four triangles; the middle ones are twofold.
pub(super) struct NormalControls {
    pub start: Lanes,
    pub middle: Lanes,
    pub end: Lanes,
}

impl<'a> FourSides<'a> {
    #[inline(always)]
    pub(super) fn of(a: &[&'a Swept; 3], b: &[&'a Swept; 3], c: &[&'a Swept; 3], d: &[&'a Swept; 3]) -> FourSides<'a> {
        let corners = [a[0], b[0], c[0], d[0]];
        let (a, b, c, d) = (Sides::of(a), Sides::of(b), Sides::of(c), Sides::of(d));
        FourSides {
            corners,
            first: Lanes::of(a.first, b.first, c.first, d.first),
            second: Lanes::of(a.second, b.second, c.second, d.second),
            first_last: Lanes::of(a.first_last, b.first_last, c.first_last, d.first_last),
            second_last: Lanes::of(a.second_last, b.second_last, c.second_last, d.second_last),
        }
    }

    /// The first corners as seen from a point that moves along, at the start and at the end.
    #[inline(always)]
    pub(super) fn first_corners(&self, point: Vec4) -> (Lanes, Lanes) {
        let [(a, a_last), (b, b_last), (c, c_last), (d, d_last)] =
            [self.corners[0].ends(), self.corners[1].ends(), self.corners[2].ends(), self.corners[3].ends()];
        let from = Lanes::of(a - point, b - point, c - point, d - point);
        (from, Lanes::of(a_last - point, b_last - point, c_last - point, d_last - point))
    }

    /// The largest coordinate of a side of each.
    #[inline(always)]
    pub(super) fn longest(&self) -> Vec4 {
        let (first, second) = (self.first.longest(), self.second.longest());
        first.max(second).max(self.first_last.longest().max(self.second_last.longest()))
    }

    #[inline(always)]
    pub(super) fn normals(&self) -> NormalControls {
        NormalControls {
            start: self.first.cross(&self.second),
            middle: self.first.cross(&self.second_last).plus(&self.first_last.cross(&self.second)),
            end: self.first_last.cross(&self.second_last),
        }
    }
}

/// The sides from the first corner of a triangle to the other two, at the start of a step and at its end.
struct Sides {
    first: Vec4,
    second: Vec4,
    first_last: Vec4,
    second_last: Vec4,
}

impl Sides {
    #[inline(always)]
    fn of([a, b, c]: &[&Swept; 3]) -> Sides {
        let ((a, a_last), (b, b_last), (c, c_last)) = (a.ends(), b.ends(), c.ends());
        Sides { first: b - a, second: c - a, first_last: b_last - a_last, second_last: c_last - a_last }
    }
}

#[inline(always)]
fn square_root(lanes: Vec4) -> Vec4 {
    let [a, b, c, d] = lanes.to_array();
    Vec4::new(a.sqrt(), b.sqrt(), c.sqrt(), d.sqrt())
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::bvh::Frame;
    use crate::bvh::mesh_tree::swept::Space;
    use crate::geometry::Aabb;
    use crate::random::Random;

    /// Triangles of all sizes in a frame of size one, four much alike at a time: what is said to be known holds the exact normals of
    /// all of them at all times, and no four that are large and well shaped are unknown.
    #[test]
    fn directions_of_four_hold_the_normals_of_all_times() {
        let mut random = Random::new(5);
        let bounds = Aabb::around(DVec3::new(3.0, -7.0, 1000.0), DVec3::ONE);
        let space = Space::new(Frame::around(bounds), &bounds, 0.0);
        let (mut sure, mut narrow) = (0, 0);
        for round in 0..12_000 {
            let size = 0.5 * 10f64.powi(-(round % 6));
            let place = bounds.center() + 0.3 * random.in_cube();
            let shape: [DVec3; 3] = std::array::from_fn(|_| size * random.in_cube());
            let way = (3.0 * size * random.in_cube()).clamp_length_max(0.1);
            let moves: [[[DVec3; 3]; 2]; 4] = std::array::from_fn(|_| {
                let place = place + 0.1 * random.in_cube();
                let from = shape.map(|corner| place + corner + 0.1 * size * random.in_cube());
                [from, from.map(|corner| corner + way + 0.1 * size * random.in_cube())]
            });
            let swept =
                moves.map(|[from, to]| [0, 1, 2].map(|corner| space.swept(from[corner], to[corner], DVec3::ZERO)));
            let mut normals = Normals::NONE;
            if !normals.include(&swept.each_ref().map(|corners| corners.each_ref()), space.reach) {
                assert_eq!(normals.directions(), Directions::EMPTY);
                continue;
            }
            sure += 1;
            let Some((axis, cosine)) = normals.directions().axis() else { continue };
            narrow += 1;
            for [from, to] in &moves {
                for step in 0..=8 {
                    let time = f64::from(step) / 8.0;
                    let [a, b, c]: [DVec3; 3] = std::array::from_fn(|corner| from[corner].lerp(to[corner], time));
                    let normal = (b - a).cross(c - a).normalize();
                    assert!(axis.dot(normal) >= cosine, "size {size}");
                }
            }
        }
        assert!(sure > 4000 && narrow > 2000, "{sure} known, {narrow} narrow");
    }
}
