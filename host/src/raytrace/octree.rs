//! The triangle octree: section 3.1 of the paper.
//!
//! A triangle is stored at the deepest level whose cells are larger than the largest side of its box, so in at most eight
//! cells. A cell is known by the bits of its place and its level, so one sort of such keys is the whole tree; parts of it
//! with a handful of triangles are one cell. What is in a cell is known to the ray by boxes in single precision, of four
//! triangles or of eight cells side by side; each is around what there is of them within the cell.

use std::num::NonZeroU32;

use glam::{DVec3, UVec3, Vec3A, Vec4};
use rayon::prelude::*;

use crate::geometry::Aabb;

/// Parts of the tree with no more references than this become one cell.
const SMALL: usize = 8;

/// Levels below the root at most; what is smaller than the cells of the last level stands there.
const DEEPEST: u32 = 15;

/// Boxes of triangles grow by this much of the root, far more than what rounding does to a ray within it: a hit next to
/// the wall between two cells is found from either side.
const MARGIN: f64 = 1e-9;

/// The same for boxes in single precision.
const SINGLE_MARGIN: f64 = 2e-6;

/// Fewer triangles than this are no work for several threads.
const SERIAL: usize = 8192;

/// The triangles of a surface by where they are.
///
/// ```
/// use fracas::geometry::shapes;
/// use fracas::raytrace::{Octree, Ray};
/// use glam::DVec3;
///
/// let cube = shapes::cuboid(DVec3::ONE);
/// let octree = Octree::build(&cube.positions, &cube.triangles);
/// let hit = octree.first_hit(&Ray::new(DVec3::new(0.1, 0.2, 3.0), DVec3::NEG_Z)).unwrap();
/// assert!((hit.along - 2.5).abs() < 1e-12 && !hit.leaving);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Octree {
    pub(super) corners: Vec<[DVec3; 3]>,
    pub(super) cells: Vec<Cell>,
    pub(super) inner: Vec<Inner>,
    pub(super) fours: Vec<Four>,
    pub(super) root: Root,
    keys: Vec<u64>,
    parts: Vec<Part>,
    sides: Vec<f64>,
}

/// The cube around all.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Root {
    pub(super) low: DVec3,
    pub(super) size: f64,
}

/// A cell that has triangles, or has some below it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    /// The first of its fours, and behind the last of them.
    pub(super) fours: [u32; 2],
    /// Where its children are known, if it has any.
    pub(super) inner: Option<NonZeroU32>,
}

/// The children of a cell. Bit 0 of a child's number is x, bit 1 y, bit 2 z.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inner {
    /// Their boxes, four and four; what is not there has an empty one.
    pub(super) boxes: [Boxes; 2],
    /// The first of those that are there, which stand side by side.
    first: u32,
    children: u8,
}

impl Inner {
    const EMPTY: Inner = Inner { boxes: [Boxes::EMPTY; 2], first: 0, children: 0 };

    /// Where a child that is there stands among the cells.
    pub(super) fn child(&self, number: u32) -> u32 {
        self.first + (self.children & ((1 << number) - 1)).count_ones()
    }
}

/// Four boxes, relative to the lowest corner of the root: the lower bounds along each axis, then the upper ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Boxes(pub(super) [Vec4; 6]);

impl Boxes {
    const EMPTY: Boxes = {
        let (low, high) = (Vec4::INFINITY, Vec4::NEG_INFINITY);
        Boxes([low, low, low, high, high, high])
    };

    fn set(&mut self, lane: usize, aabb: &Single) {
        for axis in 0..3 {
            self.0[axis][lane] = aabb.low[axis];
            self.0[axis + 3][lane] = aabb.high[axis];
        }
    }
}

/// A box in single precision, rounded outwards by the margin that was added to it.
#[derive(Clone, Copy, Debug)]
struct Single {
    low: Vec3A,
    high: Vec3A,
}

impl Single {
    const EMPTY: Single = Single { low: Vec3A::INFINITY, high: Vec3A::NEG_INFINITY };

    fn union(self, other: Single) -> Single {
        Single { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

/// Four triangles and their boxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Four {
    pub(super) boxes: Boxes,
    pub(super) triangles: [u32; 4],
}

/// The keys of a cell and of all below it.
#[derive(Clone, Copy, Debug)]
struct Part {
    begin: u32,
    end: u32,
    level: u32,
    /// Its lowest corner, counted in cells of its level.
    place: UVec3,
    /// The cell above, and which child of that it is.
    above: u32,
    child: u32,
    aabb: Single,
}

/// How keys are made: the bits of a cell's place, its level, the triangle's number.
#[derive(Clone, Copy, Debug)]
struct KeyBits {
    number: u32,
    depth: u32,
}

impl KeyBits {
    const LEVEL: u32 = 4;

    fn number(self, key: u64) -> u32 {
        (key & ((1 << self.number) - 1)) as u32
    }

    fn level(self, key: u64) -> u32 {
        (key >> self.number) as u32 & ((1 << KeyBits::LEVEL) - 1)
    }

    /// Which child of a cell of a level a key belongs to.
    fn child(self, key: u64, level: u32) -> u32 {
        (key >> (self.number + KeyBits::LEVEL + 3 * (self.depth - level - 1))) as u32 & 7
    }
}

impl Octree {
    /// The tree over some triangles.
    pub fn build(positions: &[DVec3], triangles: &[[u32; 3]]) -> Octree {
        let mut octree = Octree::default();
        octree.rebuild(positions, triangles);
        octree
    }

    /// Builds the tree anew, in the memory of the old one. Triangles whose corners are not all finite are left out.
    pub fn rebuild(&mut self, positions: &[DVec3], triangles: &[[u32; 3]]) {
        self.corners.clear();
        let corners = |triangle: &[u32; 3]| triangle.map(|vertex| positions[vertex as usize]);
        self.corners.extend(triangles.iter().map(corners));
        self.cells.clear();
        self.inner.clear();
        self.fours.clear();
        self.keys.clear();
        self.parts.clear();
        let all = self.corners.iter().filter(|corners| is_finite(corners)).flatten();
        let aabb = Aabb::of_points(all.copied());
        if aabb.is_empty() {
            return;
        }
        self.root = self.choose_root(&aabb);
        let bits = self.emit_keys();
        if self.keys.len() < SERIAL {
            self.keys.sort_unstable();
        } else {
            self.keys.par_sort_unstable();
        }
        self.link(bits);
    }

    /// How many triangles the tree holds.
    pub fn len(&self) -> usize {
        self.corners.len()
    }

    /// Whether the tree holds no triangle.
    pub fn is_empty(&self) -> bool {
        self.corners.is_empty()
    }

    /// In how many places triangles stand, all cells together.
    pub fn references(&self) -> usize {
        self.fours.iter().flat_map(|four| four.triangles).filter(|&triangle| triangle != u32::MAX).count()
    }

    /// A root around a box such that most triangles just fit into cells of some level: the rule of the paper wastes up to
    /// half of a cell along each axis.
    fn choose_root(&mut self, aabb: &Aabb) -> Root {
        let least = aabb.size().max_element().max(f64::MIN_POSITIVE * 1e30) * (1.0 + 4.0 * MARGIN);
        self.sides.clear();
        self.sides.extend(self.corners.iter().filter(|corners| is_finite(corners)).map(largest_side));
        let place = (self.sides.len() - 1) * 19 / 20;
        let (_, &mut typical, _) = self.sides.select_nth_unstable_by(place, f64::total_cmp);
        let mut size = (typical + 3.0 * MARGIN * least) * (1.0 + 1e-6);
        if size < least * 0.5f64.powi(DEEPEST as i32) {
            size = least;
        }
        while size < least {
            size *= 2.0;
        }
        Root { low: aabb.center() - 0.5 * size, size }
    }

    /// One key for each cell that a triangle is in.
    fn emit_keys(&mut self) -> KeyBits {
        let number = usize::BITS - self.corners.len().leading_zeros();
        let cap = DEEPEST.min((64 - KeyBits::LEVEL - number) / 3);
        let margin = MARGIN * self.root.size;
        let depth =
            self.corners.iter().filter(|corners| is_finite(corners)).fold(0, |depth, corners| {
                depth.max(level_of(largest_side(corners) + 2.0 * margin, self.root.size, cap))
            });
        let bits = KeyBits { number, depth };
        let root = self.root;
        let emit = |first: usize, corners: &[[DVec3; 3]], keys: &mut Vec<u64>| {
            for (offset, corners) in corners.iter().enumerate() {
                if is_finite(corners) {
                    emit_triangle(&root, bits, (first + offset) as u64, corners, keys);
                }
            }
        };
        if self.corners.len() < SERIAL {
            emit(0, &self.corners, &mut self.keys);
        } else {
            let parts: Vec<Vec<u64>> = self
                .corners
                .par_chunks(SERIAL)
                .enumerate()
                .map(|(chunk, corners)| {
                    let mut keys = Vec::with_capacity(4 * SERIAL);
                    emit(chunk * SERIAL, corners, &mut keys);
                    keys
                })
                .collect();
            parts.iter().for_each(|part| self.keys.extend_from_slice(part));
        }
        bits
    }

    /// The cells of sorted keys, level by level. A cell's own keys stand before those of its children.
    fn link(&mut self, bits: KeyBits) {
        // The first is nobody's, so that a number of none is zero.
        self.inner.push(Inner::EMPTY);
        let end = self.keys.len() as u32;
        self.parts.push(Part { begin: 0, end, level: 0, place: UVec3::ZERO, above: 0, child: 0, aabb: Single::EMPTY });
        let mut own: Vec<u32> = Vec::new();
        let mut next = 0;
        while next < self.parts.len() {
            let part = self.parts[next];
            let keys = &self.keys[part.begin as usize..part.end as usize];
            let is_small = keys.len() <= SMALL;
            let split = if is_small { keys.len() } else { keys.partition_point(|&key| bits.level(key) == part.level) };
            own.clear();
            own.extend(keys[..split].iter().map(|&key| bits.number(key)));
            if is_small {
                own.sort_unstable();
                own.dedup();
            }
            let mut cell = Cell::default();
            if split < keys.len() {
                cell.inner = NonZeroU32::new(self.inner.len() as u32);
                let mut inner = Inner { first: self.parts.len() as u32, ..Inner::EMPTY };
                let mut rest = split;
                while rest < keys.len() {
                    let child = bits.child(keys[rest], part.level);
                    let count = keys[rest..].iter().take_while(|&&key| bits.child(key, part.level) == child).count();
                    let begin = part.begin + rest as u32;
                    let place = 2 * part.place + UVec3::new(child & 1, child >> 1 & 1, child >> 2);
                    let (end, level, above) = (begin + count as u32, part.level + 1, next as u32);
                    self.parts.push(Part { begin, end, level, place, above, child, aabb: Single::EMPTY });
                    inner.children |= 1 << child;
                    rest += count;
                }
                self.inner.push(inner);
            }
            cell.fours[0] = self.fours.len() as u32;
            self.parts[next].aabb = self.pack(&own, &part);
            cell.fours[1] = self.fours.len() as u32;
            self.cells.push(cell);
            next += 1;
        }
        // Boxes from below: a cell stands behind the one that it is in.
        for number in (1..self.parts.len()).rev() {
            let Part { above, child, aabb, .. } = self.parts[number];
            let above_part = &mut self.parts[above as usize];
            above_part.aabb = above_part.aabb.union(aabb);
            if let Some(inner) = self.cells[above as usize].inner {
                self.inner[inner.get() as usize].boxes[child as usize / 4].set(child as usize % 4, &aabb);
            }
        }
    }

    /// Puts triangles of a cell into fours; the box around what there is of them within the cell.
    fn pack(&mut self, triangles: &[u32], part: &Part) -> Single {
        let margin = SINGLE_MARGIN * self.root.size;
        let size = self.root.size / f64::from(1u32 << part.level);
        let cell_low = part.place.as_dvec3() * size - margin;
        let cell_high = (part.place + 1).as_dvec3() * size + margin;
        let mut all = Single::EMPTY;
        for chunk in triangles.chunks(4) {
            let mut four = Four { boxes: Boxes::EMPTY, triangles: [u32::MAX; 4] };
            for (lane, &triangle) in chunk.iter().enumerate() {
                let [a, b, c] = self.corners[triangle as usize].map(|corner| corner - self.root.low);
                let low = (a.min(b).min(c) - margin).max(cell_low);
                let high = (a.max(b).max(c) + margin).min(cell_high);
                let aabb = Single { low: low.as_vec3a(), high: high.as_vec3a() };
                four.triangles[lane] = triangle;
                four.boxes.set(lane, &aabb);
                all = all.union(aabb);
            }
            self.fours.push(four);
        }
        all
    }
}

fn is_finite(corners: &[DVec3; 3]) -> bool {
    corners.iter().all(|corner| corner.is_finite())
}

fn largest_side([a, b, c]: &[DVec3; 3]) -> f64 {
    (a.max(*b).max(*c) - a.min(*b).min(*c)).max_element()
}

/// The deepest level whose cells are larger than a length.
fn level_of(length: f64, root: f64, cap: u32) -> u32 {
    // The binary exponent of how often it fits is the level, but a cell of just that length is too small.
    let ratio = (root / length).min(1e9);
    let exponent = (ratio.to_bits() >> 52) as i64 - 1023;
    let is_power = ratio.to_bits() << 12 == 0;
    (exponent - i64::from(is_power)).clamp(0, i64::from(cap)) as u32
}

fn emit_triangle(root: &Root, bits: KeyBits, number: u64, corners: &[DVec3; 3], keys: &mut Vec<u64>) {
    let [a, b, c] = *corners;
    let margin = MARGIN * root.size;
    let low = a.min(b).min(c) - margin - root.low;
    let high = a.max(b).max(c) + margin - root.low;
    let level = level_of((high - low).max_element(), root.size, bits.depth);
    let cells = f64::from(1u32 << level);
    let scale = cells / root.size;
    let place = |offset: DVec3| (offset * scale).clamp(DVec3::ZERO, DVec3::splat(cells - 1.0)).as_uvec3();
    let (first, last) = (place(low), place(high));
    let tail = u64::from(level) << bits.number | number;
    let key = |x: u32, y: u32, z: u32| {
        let cell = spread(x) | spread(y) << 1 | spread(z) << 2;
        (cell << (3 * (bits.depth - level)) << (KeyBits::LEVEL + bits.number)) | tail
    };
    if first == last {
        keys.push(key(first.x, first.y, first.z));
        return;
    }
    // Of the cells that the box is in, those that the plane misses have nothing of the triangle.
    let normal = (b - a).cross(c - a);
    let half = 0.5 / scale;
    let is_sliver = normal.length_squared() < 1e-12 * (high - low).length_squared().powi(2);
    // The direction of a sliver's normal is mostly rounding.
    let reach = if is_sliver { f64::INFINITY } else { (half + margin) * normal.abs().element_sum() * (1.0 + 1e-9) };
    let offset = normal.dot(root.low - a);
    for z in first.z..=last.z {
        for y in first.y..=last.y {
            for x in first.x..=last.x {
                let center = (glam::UVec3::new(x, y, z).as_dvec3() + 0.5) / scale;
                if (normal.dot(center) + offset).abs() <= reach {
                    keys.push(key(x, y, z));
                }
            }
        }
    }
}

/// The lower 21 bits of a number, each followed by two zeros.
fn spread(number: u32) -> u64 {
    let mut bits = u64::from(number);
    bits = (bits | bits << 32) & 0x001f_0000_0000_ffff;
    bits = (bits | bits << 16) & 0x001f_0000_ff00_00ff;
    bits = (bits | bits << 8) & 0x100f_00f0_0f00_f00f;
    bits = (bits | bits << 4) & 0x10c3_0c30_c30c_30c3;
    (bits | bits << 2) & 0x1249_2492_4924_9249
}
