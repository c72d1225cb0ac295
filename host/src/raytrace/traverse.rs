//! Rays through the octree, front to back: section 3.2.
//!
//! As in the parametric traversal of Revelles, Ureña and Lastra 2000, a cell is three intervals of the ray's parameter, one
//! for each axis, and the ray is in the cell where they overlap; children are taken in the order in which a ray goes through
//! octants, which depends on the signs of its direction alone. The intervals of eight children are found at once, and are
//! those of what is in the cells rather than of the cells.

use glam::{DVec3, Vec3A, Vec4};

use super::Octree;
use super::cells::{Boxes, Cell, Inner};
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
        let Some(root_cell) = self.root_cell.filter(|_| length > 0.0 && length.is_finite()) else { return };
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
            (0..self.corners.len() as u32).for_each(|place| walk.ask(place));
        } else {
            walk.go(root_cell);
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
    /// Which bounds of a box it meets first along each axis, and which last.
    near: [usize; 3],
    far: [usize; 3],
}

impl Slabs {
    fn new(origin: DVec3, direction: DVec3) -> Slabs {
        let direction = direction.as_vec3a();
        let inverse = (1.0 / direction.abs().max(Vec3A::splat(LEAST_SLOPE))).copysign(direction);
        let origin = origin.as_vec3a();
        let negative = |axis: usize| u32::from(inverse[axis] < 0.0) << axis;
        let splat = |vector: Vec3A| [Vec4::splat(vector.x), Vec4::splat(vector.y), Vec4::splat(vector.z)];
        let near = |axis: usize| if inverse[axis] < 0.0 { axis + 3 } else { axis };
        let near = [near(0), near(1), near(2)];
        Slabs {
            origin: splat(origin),
            inverse: splat(inverse),
            mirror: negative(0) | negative(1) | negative(2),
            near,
            far: [3 - near[0], 5 - near[1], 7 - near[2]],
        }
    }

    /// Which of four boxes the ray meets before it ends, one bit each.
    #[inline(always)]
    fn meets(&self, Boxes(bounds): &Boxes, leave: Vec4) -> u32 {
        let [mut begin, mut end] = [Vec4::ZERO, leave];
        for axis in 0..3 {
            begin = begin.max((bounds[self.near[axis]] - self.origin[axis]) * self.inverse[axis]);
            end = end.min((bounds[self.far[axis]] - self.origin[axis]) * self.inverse[axis]);
        }
        begin.cmple(end).bitmask()
    }

    /// Which of eight boxes the ray meets before it ends, one bit each, in the order in which it goes through octants.
    #[inline(always)]
    fn meets_children(&self, inner: &Inner, leave: f32) -> u32 {
        let leave = Vec4::splat(leave);
        let (low, high) = (self.meets(&inner.boxes[0], leave), self.meets(&inner.boxes[1], leave));
        in_order(low | high << 4, self.mirror)
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
    fn go(&mut self, mut cell: Cell) {
        let octree = self.octree;
        let mirror = self.slabs.mirror;
        // Cells on the way down of which children wait, and where the ray ended when they were found to.
        let mut stack = [(0u32, 0u32, 0.0f32); DEPTH];
        let mut depth = 0;
        let mut leave = self.leave();
        // The root has its children at 0 too, where others that have none say that they are.
        let mut has_children = !octree.inner.is_empty();
        let (mut here, mut waiting) = (0, 0);
        loop {
            for four in &octree.fours[cell.range()] {
                let mut lanes = self.slabs.meets(&four.boxes, Vec4::splat(leave));
                while lanes != 0 {
                    self.ask(four.triangles[lanes.trailing_zeros() as usize & 3]);
                    lanes &= lanes - 1;
                    leave = self.leave();
                }
            }
            if has_children {
                if waiting != 0 && depth < DEPTH {
                    stack[depth] = (here, waiting, leave);
                    depth += 1;
                }
                here = cell.inner;
                waiting = self.slabs.meets_children(&octree.inner[here as usize], leave);
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
            let place = waiting.trailing_zeros();
            waiting &= waiting - 1;
            cell = octree.inner[here as usize].cells[(place ^ mirror) as usize & 7];
            has_children = cell.inner != 0;
        }
    }

    /// Where the ray ends, in single precision.
    fn leave(&self) -> f32 {
        (self.limit * self.length - self.enter) as f32
    }

    #[inline(always)]
    fn ask(&mut self, place: u32) {
        let Some(&corners) = self.octree.corners.get(place as usize) else { return };
        if let Some(hit) = self.shear.meets(corners, place, self.limit) {
            self.limit = (self.visit)(Hit { triangle: self.octree.numbers[place as usize], ..hit });
        }
    }
}

/// A set of octants, each renamed by the axes along which the ray goes down: lower numbers are never behind higher ones.
#[inline(always)]
fn in_order(octants: u32, mirror: u32) -> u32 {
    let mut set = octants;
    if mirror & 1 != 0 {
        set = (set & 0x55) << 1 | (set & 0xaa) >> 1;
    }
    if mirror & 2 != 0 {
        set = (set & 0x33) << 2 | (set & 0xcc) >> 2;
    }
    if mirror & 4 != 0 {
        set = (set & 0x0f) << 4 | (set & 0xf0) >> 4;
    }
    set
}
