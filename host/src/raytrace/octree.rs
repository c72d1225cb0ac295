//! The triangle octree: section 3.1 of the paper.
//!
//! A triangle is stored at the deepest level whose cells are larger than the largest side of its box, so in at most eight
//! cells. A cell is known by the bits of its place and its level, so one sort of such keys is the whole tree; parts of it
//! with a handful of triangles are one cell. What is in a cell is known to the ray by boxes, of four triangles or of eight
//! cells side by side; each is around what there is of them within the cell.

use glam::{DVec3, UVec3};
use rayon::prelude::*;

use super::cells::{Boxes, Inner, Link, Part, Single};
use super::keys::{KeyBits, emit_triangle, is_finite, largest_side, level_of};
use crate::geometry::Aabb;

/// Parts of the tree with no more references than this become one cell.
const SMALL: usize = 16;

/// Cells are larger than most triangles that stand in them by this factor: close to one, a triangle is in more cells, close to
/// two, a cell has more triangles. Between them rays are fastest.
const ROOM: f64 = 1.3;

/// Levels below the root at most; what is smaller than the cells of the last level stands there.
const DEEPEST: u32 = 15;

/// Boxes of triangles grow by this much of the root, far more than what rounding does to a ray within it: a hit next to
/// the wall between two cells is found from either side.
pub(super) const MARGIN: f64 = 1e-9;

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
    /// The corners of all triangles, by where those are, and the numbers that the caller knows them by.
    pub(super) corners: Vec<[DVec3; 3]>,
    pub(super) numbers: Vec<u32>,
    pub(super) top: Option<Link>,
    pub(super) inner: Vec<Inner>,
    pub(super) fours: Vec<Boxes>,
    pub(super) root: Root,
    given: Vec<[DVec3; 3]>,
    places: Vec<u32>,
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

impl Octree {
    /// The tree over some triangles.
    pub fn build(positions: &[DVec3], triangles: &[[u32; 3]]) -> Octree {
        let mut octree = Octree::default();
        octree.rebuild(positions, triangles);
        octree
    }

    /// Builds the tree anew, in the memory of the old one. Triangles whose corners are not all finite are left out.
    pub fn rebuild(&mut self, positions: &[DVec3], triangles: &[[u32; 3]]) {
        self.given.clear();
        let corners = |&[a, b, c]: &[u32; 3]| [positions[a as usize], positions[b as usize], positions[c as usize]];
        self.given.extend(triangles.iter().map(corners));
        self.corners.clear();
        self.numbers.clear();
        self.places.clear();
        self.places.resize(triangles.len(), u32::MAX);
        self.top = None;
        self.inner.clear();
        self.fours.clear();
        self.keys.clear();
        self.parts.clear();
        let all = self.given.iter().filter(|corners| is_finite(corners)).flatten();
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
        self.given.len()
    }

    /// Whether the tree holds no triangle.
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// In how many places triangles stand, all cells together.
    pub fn references(&self) -> usize {
        self.places_in_cells().count()
    }

    /// The places of triangles in all cells.
    pub(super) fn places_in_cells(&self) -> impl Iterator<Item = u32> + '_ {
        let all = self.fours.iter().flat_map(|four| (0..4).map(|lane| four.number(lane)));
        all.filter(|&place| place != u32::MAX)
    }

    /// A root around a box such that most triangles fit well into cells of some level: the rule of the paper wastes up to
    /// half of a cell along each axis.
    fn choose_root(&mut self, aabb: &Aabb) -> Root {
        let least = aabb.size().max_element().max(f64::MIN_POSITIVE * 1e30) * (1.0 + 4.0 * MARGIN);
        self.sides.clear();
        self.sides.extend(self.given.iter().filter(|corners| is_finite(corners)).map(largest_side));
        let place = (self.sides.len() - 1) * 19 / 20;
        let (_, &mut typical, _) = self.sides.select_nth_unstable_by(place, f64::total_cmp);
        let mut size = (typical + 3.0 * MARGIN * least) * ROOM;
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
        let number = usize::BITS - self.given.len().leading_zeros();
        let cap = DEEPEST.min((64 - KeyBits::LEVEL - number) / 3);
        let margin = MARGIN * self.root.size;
        let depth =
            self.given.iter().filter(|corners| is_finite(corners)).fold(0, |depth, corners| {
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
        if self.given.len() < SERIAL {
            emit(0, &self.given, &mut self.keys);
        } else {
            let parts: Vec<Vec<u64>> = self
                .given
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
        let root = Part {
            begin: 0,
            end: self.keys.len() as u32,
            level: 0,
            place: UVec3::ZERO,
            above: 0,
            above_inner: 0,
            child: 0,
            aabb: Single::EMPTY,
        };
        self.parts.push(root);
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
            let first = self.fours.len() as u32;
            self.parts[next].aabb = self.pack(&own, &part);
            let count = self.fours.len() as u32 - first;
            let mut link = Link::Fours(first, count);
            if part.begin as usize + split < part.end as usize || count > Link::FOURS {
                let inner = self.inner.len() as u32;
                link = Link::Inner(inner);
                self.inner.push(Inner { own: [first, count], ..Inner::EMPTY });
                let mut rest = part.begin as usize + split;
                while rest < part.end as usize {
                    let keys = &self.keys[rest..part.end as usize];
                    let child = bits.child(keys[0], part.level);
                    let count = keys.iter().take_while(|&&key| bits.child(key, part.level) == child).count();
                    let (begin, end) = (rest as u32, (rest + count) as u32);
                    let place = 2 * part.place + UVec3::new(child & 1, child >> 1 & 1, child >> 2);
                    let (level, above) = (part.level + 1, next as u32);
                    self.parts.push(Part { begin, end, level, place, above, above_inner: inner, child, ..root });
                    rest += count;
                }
            }
            if next == 0 {
                self.top = Some(link);
            } else {
                let children = &mut self.inner[part.above_inner as usize].children;
                children[part.child as usize / 4].set_number(part.child as usize % 4, link.pack());
            }
            next += 1;
        }
        // Boxes from below: a cell stands behind the one that it is in.
        for number in (1..self.parts.len()).rev() {
            let Part { above, above_inner, child, aabb, .. } = self.parts[number];
            let above = &mut self.parts[above as usize];
            above.aabb = above.aabb.union(aabb);
            self.inner[above_inner as usize].children[child as usize / 4].set(child as usize % 4, &aabb);
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
            let mut four = Boxes::EMPTY;
            for (lane, &triangle) in chunk.iter().enumerate() {
                let corners = self.given[triangle as usize];
                let [a, b, c] = corners;
                let low = (a.min(b).min(c) - self.root.low - margin).max(cell_low);
                let high = (a.max(b).max(c) - self.root.low + margin).min(cell_high);
                let aabb = Single { low: low.as_vec3a(), high: high.as_vec3a() };
                // Whoever is in the same cell stands near by in memory.
                let place = &mut self.places[triangle as usize];
                if *place == u32::MAX {
                    *place = self.corners.len() as u32;
                    self.corners.push(corners);
                    self.numbers.push(triangle);
                }
                four.set_number(lane, *place);
                four.set(lane, &aabb);
                all = all.union(aabb);
            }
            self.fours.push(four);
        }
        all
    }
}
