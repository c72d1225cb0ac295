//! Rays through the octree, front to back: section 3.2.
//!
//! As in the parametric traversal of Revelles, Ureña and Lastra 2000, a cell is three intervals of the ray's parameter, one
//! for each axis, and the ray is in the cell where they overlap. They step from child to child by a table of states; here all
//! eight children are asked at once, and those that the ray meets are taken in the order in which a ray goes through octants,
//! which depends on the signs of its direction alone: the same order, without the steps through children that are empty. The
//! intervals are those of what is in the cells rather than of the cells.

use glam::{DVec3, Vec3A, Vec4};

use super::Octree;
use super::cells::{Boxes, Inner, Link};
use super::ray::{Hit, Ray, Shear};

/// A direction counts as at least this long along every axis, relative to the longest, so that all parameters are finite.
/// Over the length of the root, a ray moves aside by far less than the margin of the boxes.
const LEAST_SLOPE: f32 = 1e-12;

/// The parameters in single precision may be off by this much of the root.
const SLACK: f64 = 4e-6;

/// A ray from no farther than this many roots away is told in single precision from its start on, others from where they
/// enter the root.
const NEAR: f64 = 4.0;

/// A ray from farther than this many roots away would miss boxes by rounding; it asks all triangles.
const FAR: f64 = 1e5;

/// Levels at most.
const DEPTH: usize = 16;

impl Octree {
    /// The first triangle that a ray meets.
    pub fn first_hit(&self, ray: &Ray) -> Option<Hit> {
        self.first_hit_where(ray, |_| true)
    }

    /// The first triangle that a ray meets of those that `keep` says yes to.
    pub fn first_hit_where(&self, ray: &Ray, keep: impl Fn(u32) -> bool) -> Option<Hit> {
        let mut first: Option<Hit> = None;
        self.cast(ray, |hit| {
            if keep(hit.triangle) && first.is_none_or(|first| hit.is_before(&first)) {
                first = Some(hit);
            }
            first.map_or(ray.limit, |hit| hit.along)
        });
        first
    }

    /// All triangles that a ray meets, in order.
    pub fn all_hits(&self, ray: &Ray, hits: &mut Vec<Hit>) {
        hits.clear();
        self.cast(ray, |hit| {
            hits.push(hit);
            ray.limit
        });
        // A triangle may be met once for each of its cells that the ray goes through.
        hits.sort_unstable_by(|a, b| a.along.total_cmp(&b.along).then(a.triangle.cmp(&b.triangle)));
        hits.dedup_by_key(|hit| hit.triangle);
    }

    /// Calls `visit` for every triangle that the ray meets, maybe more than once, in no strict order, until what is left is
    /// beyond the limit that `visit` answers.
    pub fn cast(&self, ray: &Ray, visit: impl FnMut(Hit) -> f64) {
        match Shear::main_axis(ray.direction) {
            0 => self.cast_along::<0>(ray, visit),
            1 => self.cast_along::<1>(ray, visit),
            _ => self.cast_along::<2>(ray, visit),
        }
    }

    fn cast_along<const AXIS: usize>(&self, ray: &Ray, visit: impl FnMut(Hit) -> f64) {
        let length = ray.direction[AXIS].abs();
        // Also false for a direction that is not a number.
        let Some(top) = self.top.filter(|_| length > 0.0 && length.is_finite()) else { return };
        // In units of the length along the main axis, parameters are lengths of space.
        let shear = Shear::<AXIS>::new(ray);
        let direction = ray.direction * shear.inverse.abs();
        let from = ray.origin - self.root.low;
        let is_near = from.abs().max_element() <= NEAR * self.root.size;
        let Some(enter) = (if is_near { Some(0.0) } else { self.enter(from, direction) }) else { return };
        if enter > ray.limit * length {
            return;
        }
        let mut walk = Walk {
            octree: self,
            shear,
            slabs: Slabs::new(from + enter * direction, direction),
            length,
            enter: enter - SLACK * self.root.size,
            limit: ray.limit,
            visit,
        };
        if enter > FAR * self.root.size {
            (0..self.corners.len() as u32).for_each(|place| {
                walk.ask(place);
            });
        } else {
            walk.go(top);
        }
    }

    /// Where a ray from afar comes to the root, if it does.
    #[cold]
    fn enter(&self, from: DVec3, direction: DVec3) -> Option<f64> {
        let inverse = (1.0 / direction.abs().max(DVec3::splat(LEAST_SLOPE.into()))).copysign(direction);
        let half = 0.5 * self.root.size;
        let middle = (half - from) * inverse;
        let reach = (half + SLACK * self.root.size) * inverse.abs();
        let (enter, leave) = ((middle - reach).max_element().max(0.0), (middle + reach).min_element());
        (enter <= leave).then_some(enter)
    }
}

/// A ray in single precision, relative to the lowest corner of the root.
struct Slabs {
    origin: [Vec4; 3],
    inverse: [Vec4; 3],
    /// One bit for each axis along which the ray goes down.
    mirror: u32,
    /// Sets of octants, renamed by these.
    order: &'static [u8; 256],
    /// Which bounds of a box it meets first along each axis; those that it meets last are four places on or back.
    near: [usize; 3],
}

impl Slabs {
    fn new(origin: DVec3, direction: DVec3) -> Slabs {
        let direction = direction.as_vec3a();
        let inverse = (1.0 / direction.abs().max(Vec3A::splat(LEAST_SLOPE))).copysign(direction);
        let origin = origin.as_vec3a();
        let negative = |axis: usize| u32::from(inverse[axis] < 0.0) << axis;
        let splat = |vector: Vec3A| [Vec4::splat(vector.x), Vec4::splat(vector.y), Vec4::splat(vector.z)];
        let near = |axis: usize| if inverse[axis] < 0.0 { axis + 4 } else { axis };
        let mirror = negative(0) | negative(1) | negative(2);
        Slabs {
            origin: splat(origin),
            inverse: splat(inverse),
            mirror,
            order: &ORDERS[mirror as usize & 7],
            near: [near(0), near(1), near(2)],
        }
    }

    /// Which of four boxes the ray meets before it ends, one bit each.
    #[inline(always)]
    fn meets(&self, boxes: &Boxes, leave: Vec4) -> u32 {
        let [mut begin, mut end] = [Vec4::ZERO, leave];
        for axis in 0..3 {
            begin = begin.max((boxes.row(self.near[axis]) - self.origin[axis]) * self.inverse[axis]);
            end = end.min((boxes.row(self.near[axis] ^ 4) - self.origin[axis]) * self.inverse[axis]);
        }
        begin.cmple(end).bitmask()
    }

    /// Which children of a cell the ray meets before it ends, one bit each, in the order in which it goes through octants.
    #[inline(always)]
    fn meets_children(&self, inner: &Inner, leave: f32) -> u32 {
        let leave = Vec4::splat(leave);
        let [low, high] = [self.meets(&inner.children[0], leave), self.meets(&inner.children[1], leave)];
        self.order[(low | high << 4) as usize & 255].into()
    }
}

struct Walk<'a, const AXIS: usize, Visit> {
    octree: &'a Octree,
    shear: Shear<AXIS>,
    slabs: Slabs,
    length: f64,
    /// Where parameters in single precision begin.
    enter: f64,
    /// In lengths of the ray's direction.
    limit: f64,
    visit: Visit,
}

impl<const AXIS: usize, Visit: FnMut(Hit) -> f64> Walk<'_, AXIS, Visit> {
    fn go(&mut self, mut link: Link) {
        let octree = self.octree;
        let mirror = self.slabs.mirror;
        // Cells on the way down of which children wait, and where the ray ended when they were found to.
        let mut stack = [(0u32, 0u32, 0.0f32); DEPTH];
        let mut depth = 0;
        let mut leave = self.leave();
        let (mut here, mut waiting) = (0, 0);
        loop {
            match link {
                Link::Fours(first, count) => leave = self.ask_fours([first, count], leave),
                Link::Inner(number) => {
                    let inner = &octree.inner[number as usize];
                    if inner.own[1] != 0 {
                        leave = self.ask_fours(inner.own, leave);
                    }
                    if waiting != 0 && depth < DEPTH {
                        stack[depth] = (here, waiting, leave);
                        depth += 1;
                    }
                    (here, waiting) = (number, self.slabs.meets_children(inner, leave));
                }
            }
            while waiting == 0 {
                if depth == 0 {
                    return;
                }
                depth -= 1;
                let before;
                (here, waiting, before) = stack[depth];
                if before != leave {
                    waiting &= self.slabs.meets_children(&octree.inner[here as usize], leave);
                }
            }
            let child = (waiting.trailing_zeros() ^ mirror) as usize;
            waiting &= waiting - 1;
            link = Link::unpack(octree.inner[here as usize].children[child >> 2 & 1].number(child));
        }
    }

    /// Asks the triangles of some fours whose boxes the ray meets; where the ray ends then.
    #[inline(always)]
    fn ask_fours(&mut self, [first, count]: [u32; 2], mut leave: f32) -> f32 {
        for four in &self.octree.fours[first as usize..(first + count) as usize] {
            let mut lanes = self.slabs.meets(four, Vec4::splat(leave));
            while lanes != 0 {
                if self.ask(four.number(lanes.trailing_zeros() as usize)) {
                    leave = self.leave();
                }
                lanes &= lanes - 1;
            }
        }
        leave
    }

    /// Where the ray ends, in single precision.
    fn leave(&self) -> f32 {
        (self.limit * self.length - self.enter) as f32
    }

    /// Tells of a triangle if the ray meets it; whether it does.
    #[inline(always)]
    fn ask(&mut self, place: u32) -> bool {
        let Some(&corners) = self.octree.corners.get(place as usize) else { return false };
        let Some(hit) = self.shear.meets(corners, place, self.limit) else { return false };
        self.limit = (self.visit)(Hit { triangle: self.octree.numbers[place as usize], ..hit });
        true
    }
}

/// For each set of axes along which a ray goes down, every set of octants renamed: lower numbers are never behind higher ones.
static ORDERS: [[u8; 256]; 8] = {
    let mut orders = [[0; 256]; 8];
    let mut number = 0;
    while number < 8 * 256 * 8 {
        let (mirror, octants, octant) = (number >> 11, number >> 3 & 255, number & 7);
        if octants >> octant & 1 == 1 {
            orders[mirror][octants] |= 1 << (octant ^ mirror);
        }
        number += 1;
    }
    orders
};
