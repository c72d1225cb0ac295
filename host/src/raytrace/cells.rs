//! What the octree is made of: cells, and boxes that a ray asks four at a time.

use glam::{UVec3, Vec3A, Vec4};

/// The cell of a child, or the root: what is stored at it, and what is below it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    /// The first of its fours.
    pub(super) first: u32,
    /// How many fours it has.
    pub(super) fours: u32,
    /// Where its children are known; 0, where those of the root are, if it has none.
    pub(super) inner: u32,
}

impl Cell {
    /// Its part of the list of fours.
    pub(super) fn range(&self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.fours) as usize
    }
}

/// The children of a cell. Bit 0 of a child's number is x, bit 1 y, bit 2 z.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inner {
    /// Their boxes, four and four; what is not there has an empty one.
    pub(super) boxes: [Boxes; 2],
    /// Side by side with the boxes, because who asked those goes on with some of these.
    pub(super) cells: [Cell; 8],
}

impl Inner {
    pub(super) const EMPTY: Inner =
        Inner { boxes: [Boxes::EMPTY; 2], cells: [Cell { first: 0, fours: 0, inner: 0 }; 8] };
}

/// Four boxes, relative to the lowest corner of the root: the lower bounds along each axis, then the upper ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Boxes(pub(super) [Vec4; 6]);

impl Boxes {
    pub(super) const EMPTY: Boxes = {
        let (low, high) = (Vec4::INFINITY, Vec4::NEG_INFINITY);
        Boxes([low, low, low, high, high, high])
    };

    pub(super) fn set(&mut self, lane: usize, aabb: &Single) {
        for axis in 0..3 {
            self.0[axis][lane] = aabb.low[axis];
            self.0[axis + 3][lane] = aabb.high[axis];
        }
    }
}

/// A box in single precision, rounded outwards by the margin that was added to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Single {
    pub(super) low: Vec3A,
    pub(super) high: Vec3A,
}

impl Single {
    pub(super) const EMPTY: Single = Single { low: Vec3A::INFINITY, high: Vec3A::NEG_INFINITY };

    pub(super) fn union(self, other: Single) -> Single {
        Single { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

/// Four triangles and their boxes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Four {
    pub(super) boxes: Boxes,
    /// Where they stand in the octree's list of triangles.
    pub(super) triangles: [u32; 4],
}

/// The keys of a cell and of all below it, while the tree is built.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) begin: u32,
    pub(super) end: u32,
    pub(super) level: u32,
    /// Its lowest corner, counted in cells of its level.
    pub(super) place: UVec3,
    /// The part above, where its children are known, and which of them this is.
    pub(super) above: u32,
    pub(super) above_inner: u32,
    pub(super) child: u32,
    pub(super) aabb: Single,
}
