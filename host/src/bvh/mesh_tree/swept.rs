//! Vertices over a step as the tree sees them: in its own coordinates, in single precision.

use bytemuck::{Pod, Zeroable};
use glam::{BVec4A, DVec3, Vec3A, Vec4};

use super::four::MovingCorners;
use super::traverse::Span;
use crate::bvh::Frame;
use crate::bvh::node::Corners;
use crate::geometry::Aabb;

/// By how much a box is wider than its rounded corners, as a part of these. Each was rounded once, by at most 2⁻²⁴ of
/// itself and a little of double precision, and so is the sum that widens it.
const ROUNDING: f32 = 1.0 / (1 << 22) as f32;

/// The same for what is smaller than any number of that precision.
const SMALLEST: f32 = 1.0 / (1u64 << 40) as f32;

/// The coordinates of a tree, and how precise they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Space {
    pub frame: Frame,
    /// By how much boxes are larger than what is in them.
    pub margin: f64,
    /// The same in the tree's coordinates, with what rounding needs.
    grown: f32,
    /// The largest coordinate.
    pub reach: f32,
}

impl Space {
    /// Of a frame that holds `bounds`.
    pub(super) fn new(frame: Frame, bounds: &Aabb, margin: f64) -> Space {
        let farthest = (bounds.min - frame.origin).abs().max((bounds.max - frame.origin).abs());
        let reach = (farthest.max_element() * frame.scale) as f32;
        // More than this is everywhere.
        let grown = ((margin * frame.scale).min(1e30) as f32).next_up() + SMALLEST;
        Space { frame, margin, grown, reach: reach.next_up().max(SMALLEST) }
    }

    /// A vertex over a step, as seen by who moves along by `drift`.
    #[inline(always)]
    pub(super) fn swept(&self, from: DVec3, to: DVec3, drift: DVec3) -> Swept {
        let lanes = |local: DVec3| {
            let local = (local * self.frame.scale).as_vec3();
            [local.x, local.y, local.z, 0.0]
        };
        Swept { from: lanes(from - self.frame.origin), to: lanes((to - self.frame.origin) - drift) }
    }

    /// How a body that moves along by one drift sees one that moves along by another.
    pub(super) fn view(&self, drift: DVec3, other: DVec3, span: Span) -> View {
        let shift = ((other - drift) * self.frame.scale).as_vec3().extend(0.0);
        let slack = Vec4::new(1.0, 1.0, 1.0, 0.0) * self.slack();
        let [low, high] = match span {
            Span::Step => [shift.min(Vec4::ZERO), shift.max(Vec4::ZERO)],
            Span::End => [shift; 2],
        };
        View { shift, low: low - slack, high: high + slack }
    }

    /// What makes flat boxes thick: so little that only these notice.
    #[inline(always)]
    pub(super) fn thin(&self) -> f32 {
        self.reach / (1 << 16) as f32
    }

    /// How far apart two boxes of vertices may be whose vertices are not: sixteen units of 2⁻²⁴ of the largest coordinate R, and
    /// the margin. Two vertices are rounded to within one unit each; the shift between two bodies, at most 2R where they
    /// touch at the end (both drifts lead there from within R), by two, and its sum with a vertex by up to three.
    #[inline(always)]
    pub(super) fn slack(&self) -> f32 {
        4.0 * (ROUNDING * self.reach + self.grown)
    }

    /// The same along any direction, for each unit of the sum of its coordinates: 32 units of 2⁻²⁴ R. Two vertices are rounded by two,
    /// their products with the direction by six; a shift of up to 4R between bodies that cross the whole world by four, its product by
    /// nine, and its sum with one of the others by three. The last difference is nearly none where that matters, and exact then.
    #[inline(always)]
    pub(super) fn dot_slack(&self) -> f32 {
        2.0 * self.slack()
    }

    /// A box around others of rounded vertices, rounded outwards.
    #[inline(always)]
    pub(super) fn rounded(&self, &Around { low, high }: &Around) -> Corners {
        let grown = Vec4::splat(self.grown);
        (low - (low.abs() * ROUNDING + grown), high + (high.abs() * ROUNDING + grown))
    }
}

/// What is around rounded vertices over the whole step.
pub(super) struct Around {
    low: Vec4,
    high: Vec4,
}

impl Around {
    pub(super) const NOTHING: Around = Around { low: Vec4::INFINITY, high: Vec4::NEG_INFINITY };

    /// Includes the corners of a face.
    #[inline(always)]
    pub(super) fn include(&mut self, [(a, a_after), (b, b_after), (c, c_after)]: MovingCorners) {
        let (low, high) = (a.min(a_after).min(b.min(b_after)), a.max(a_after).max(b.max(b_after)));
        self.low = self.low.min(low.min(c.min(c_after)));
        self.high = self.high.max(high.max(c.max(c_after)));
    }
}

/// Where a body is as another one sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    /// How much farther than the other it has moved along at the end of the step.
    pub shift: Vec4,
    /// How much farther at least and at most, in the span of time that is asked about.
    low: Vec4,
    high: Vec4,
}

impl View {
    /// Of a body that sees itself.
    pub(super) const ITSELF: View = View { shift: Vec4::ZERO, low: Vec4::ZERO, high: Vec4::ZERO };

    /// A box that holds where what is in one of the body seen is.
    #[inline(always)]
    pub(super) fn corners(&self, (low, high): Corners) -> Corners {
        // Whole numbers read as numbers are very small ones, which a processor is slow to add.
        let corner = BVec4A::new(true, true, true, false);
        let clean = |lanes: Vec4| Vec4::select(corner, lanes, Vec4::ZERO);
        (clean(low) + self.low, clean(high) + self.high)
    }
}

/// A vertex at the start of a step and at its end. The fourth numbers are zero.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub(super) struct Swept {
    from: [f32; 4],
    to: [f32; 4],
}

impl Swept {
    #[inline(always)]
    pub(super) fn ends(&self) -> (Vec4, Vec4) {
        (Vec4::from_array(self.from), Vec4::from_array(self.to))
    }

    /// The box of the vertex alone, at the start and, `shift` farther, at the end.
    #[inline(always)]
    pub(super) fn moving(&self, shift: Vec4) -> MovingBox {
        let (from, to) = self.ends();
        let to = to + shift;
        MovingBox { low: [from, to], high: [from, to] }
    }
}

/// The boxes around rounded vertices at the start of a step and at its end, not widened.
#[derive(Clone, Copy)]
pub(super) struct MovingBox {
    low: [Vec4; 2],
    high: [Vec4; 2],
}

impl MovingBox {
    #[inline(always)]
    pub(super) fn union(self, other: MovingBox) -> MovingBox {
        let ([low, low_after], [high, high_after]) = (self.low, self.high);
        MovingBox {
            low: [low.min(other.low[0]), low_after.min(other.low[1])],
            high: [high.max(other.high[0]), high_after.max(other.high[1])],
        }
    }

    #[inline(always)]
    pub(super) fn widened(self, slack: f32) -> MovingBox {
        let slack = Vec4::splat(slack);
        MovingBox {
            low: [self.low[0] - slack, self.low[1] - slack],
            high: [self.high[0] + slack, self.high[1] + slack],
        }
    }

    /// What is around the corners of a face.
    #[inline(always)]
    pub(super) fn around([a, b, c]: &[MovingBox; 3]) -> MovingBox {
        a.union(*b).union(*c)
    }

    /// Around so many of the ends, the last ones.
    #[inline(always)]
    pub(super) fn hull<const ENDS: usize>(&self) -> Corners {
        let ([low, low_after], [high, high_after]) = (self.low, self.high);
        if ENDS == 1 { (low_after, high_after) } else { (low.min(low_after), high.max(high_after)) }
    }

    /// Whether two are apart along an axis, on the same side at so many of the ends of a step, the last ones: with both of them all the time,
    /// because what is in them moves in straight lines.
    #[inline(always)]
    pub(super) fn passes<const ENDS: usize>(&self, other: &MovingBox) -> bool {
        let (mut above, mut below) = (BVec4A::splat(true), BVec4A::splat(true));
        for end in 2 - ENDS..2 {
            above &= self.low[end].cmpgt(other.high[end]);
            below &= self.high[end].cmplt(other.low[end]);
        }
        (above | below).any()
    }

    /// Where the vertex is at the start, for 0, or at the end.
    #[inline(always)]
    pub(super) fn vertex_at(&self, end: usize) -> Vec4 {
        self.low[end]
    }
}

/// [`MovingBox::passes`] for two triangles along the normal that the first one has at the first of these ends, by more than rounding and a slack
/// hide. A normal so short that products with it would underflow tells nothing.
#[inline(always)]
pub(super) fn pass_along_normal<const ENDS: usize>(
    corners: &[MovingBox; 3],
    others: &[MovingBox; 3],
    slack: f32,
) -> bool {
    let at =
        |corners: &[MovingBox; 3], end: usize| corners.each_ref().map(|corner| Vec3A::from_vec4(corner.vertex_at(end)));
    let first = 2 - ENDS;
    let [a, b, c] = at(corners, first);
    let normal = (b - a).cross(c - a);
    let (mut above, mut below) = (f32::INFINITY, f32::INFINITY);
    for end in first..2 {
        let [a, b, c] = at(corners, end).map(|corner| corner.dot(normal));
        let [d, e, f] = at(others, end).map(|corner| corner.dot(normal));
        above = above.min(d.min(e).min(f) - a.max(b).max(c));
        below = below.min(a.min(b).min(c) - d.max(e).max(f));
    }
    let enough = slack * normal.abs().element_sum();
    enough >= f32::MIN_POSITIVE && above.max(below) > enough
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::Node;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn boxes_hold_their_vertices(points in prop::array::uniform6(prop::array::uniform3(-1.0..1.0f64)),
                                     size in -250i32..250, shift in -1e4..1e4f64) {
            let scale = 10f64.powi(size);
            let points = points.map(|point| scale * (DVec3::from_array(point) + shift));
            let bounds = Aabb::of_points(points);
            let space = Space::new(Frame::around(bounds), &bounds, 0.0);
            let [a, b, c, d, e, f] = points;
            let (mut leaf, mut around) = (Node::zeroed(), Around::NOTHING);
            around.include([[a, b], [c, d], [e, f]].map(|[from, to]| space.swept(from, to, DVec3::ZERO).ends()));
            let (low, high) = space.rounded(&around);
            leaf.set_corners(low, high);
            let held = space.frame.world(&leaf);
            prop_assert!(held.contains(bounds.min) && held.contains(bounds.max), "{held:?} does not hold {bounds:?}");
            for point in points {
                let local = (point - space.frame.origin) * space.frame.scale;
                prop_assert!(local.abs().max_element() <= f64::from(space.reach));
            }
        }
    }
}
