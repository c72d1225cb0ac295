//! Normals of four triangles at once: what a refit spends most of its time on.
//!
//! The normal of a triangle whose corners move along lines is a quadratic in time ([`DualCone::moving`] says more). Its
//! control vectors are computed in single precision from the rounded vertices of the tree, four triangles side by side.
//! All three are brought to a common scale, in which the longest of them is a little shorter than a unit vector: what is in a box of
//! [`Directions`] may be shorter. Where they are so short that rounding might have turned them, the answer is that it is not known, and the
//! caller asks in double precision.
//!
//! **Rounding.** With coordinates up to `reach` R, sides up to L in each coordinate and u = 2⁻²⁴, a coordinate of a side is
//! off by at most e = 2uR + uL. A coordinate of a cross product is a difference of two products: off by at most
//! 2 (2 L e + e²) from the sides, and by 6 u L² from its own three roundings, generously. Its length is off by less than
//! √3 times that: less than 7 L e + 11 u L² (as long as e is below a hundredth of L, without which nothing would pass). The middle control
//! vector is half of a sum of two cross products, and so off by no more. As a part of the longest of the three that has to be below
//! [`DOUBT`] steps of [`STEPS`]. A vector that is short beside the longest one may point anywhere then, and the box around it holds all of that.

use glam::Vec4;

use super::directions::{DOUBT, Directions, STEPS};
use super::lanes::Lanes;

/// Half a unit in the last place of a number near one.
const UNIT: f32 = 1.0 / (1 << 24) as f32;

/// A box around the directions of the normals of triangles, four at a time, in steps.
pub(super) struct Normals {
    low: Lanes,
    high: Lanes,
    /// Of each triangle the square of its longest control vector: the smallest of these, and their sum, which is no number if one is none.
    smallest: Vec4,
    sum: Vec4,
    /// The largest coordinate of a side.
    longest: Vec4,
}

impl Normals {
    pub(super) const NONE: Normals = Normals {
        low: Lanes::splat(f32::INFINITY),
        high: Lanes::splat(f32::NEG_INFINITY),
        smallest: Vec4::splat(f32::MAX),
        sum: Vec4::ZERO,
        longest: Vec4::ZERO,
    };

    /// Includes the normals of four triangles.
    #[inline(always)]
    pub(super) fn include(&mut self, sides: &[Sides; 4]) {
        let sides = FourSides::of(sides);
        self.longest = self.longest.max(sides.longest());
        let NormalControls { start, middle, end } = sides.normals();
        let largest = start.length_squared().max(end.length_squared()).max(0.25 * middle.length_squared());
        self.smallest = self.smallest.min(largest);
        self.sum += largest;
        let scale = (STEPS - 2.0 * DOUBT) / square_root(largest);
        let (start, middle, end) = (start.times(scale), middle.times(0.5 * scale), end.times(scale));
        self.low = self.low.min(&start).min(&middle.min(&end));
        self.high = self.high.max(&start).max(&middle.max(&end));
    }

    /// Whether all that was included is known well enough, in coordinates up to `reach`.
    #[inline(always)]
    pub(super) fn are_known(&self, reach: f32) -> bool {
        let longest = self.longest.max_element();
        let off = longest * UNIT + 2.0 * UNIT * reach;
        let shortest = (STEPS / DOUBT) * (7.0 * longest * off + 11.0 * UNIT * longest * longest);
        // Neither infinity nor what is not a number passes, nor what is too short to be squared.
        let known = self.smallest.cmpgt(Vec4::splat(shortest * shortest)) & self.sum.cmplt(Vec4::splat(f32::MAX));
        known.all() && longest > 1e-9
    }

    /// The directions of all that was included.
    #[inline(always)]
    pub(super) fn directions(&self) -> Directions {
        let ([a, b, c, d], [e, f, g, h]) = (self.low.each(), self.high.each());
        Directions::between(a.min(b).min(c.min(d)), e.max(f).max(g.max(h)))
    }
}

/// The sides from the first corner of each of four triangles to the other two, at the start of a step and at its end.
pub(super) struct FourSides {
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

impl FourSides {
    #[inline(always)]
    pub(super) fn of([a, b, c, d]: &[Sides; 4]) -> FourSides {
        FourSides {
            first: Lanes::of(a.first, b.first, c.first, d.first),
            second: Lanes::of(a.second, b.second, c.second, d.second),
            first_last: Lanes::of(a.first_last, b.first_last, c.first_last, d.first_last),
            second_last: Lanes::of(a.second_last, b.second_last, c.second_last, d.second_last),
        }
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

/// The corners of a triangle, each at the start of a step and at its end.
pub(super) type MovingCorners = [(Vec4, Vec4); 3];

/// The sides from the first corner of a triangle to the other two, at the start of a step and at its end.
#[derive(Clone, Copy)]
pub(super) struct Sides {
    first: Vec4,
    second: Vec4,
    first_last: Vec4,
    second_last: Vec4,
}

impl Sides {
    pub(super) const NONE: Sides =
        Sides { first: Vec4::ZERO, second: Vec4::ZERO, first_last: Vec4::ZERO, second_last: Vec4::ZERO };

    #[inline(always)]
    pub(super) fn of([(a, a_last), (b, b_last), (c, c_last)]: MovingCorners) -> Sides {
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
            normals.include(&swept.map(|corners| Sides::of(corners.map(|corner| corner.ends()))));
            if !normals.are_known(space.reach) {
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
