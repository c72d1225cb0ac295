//! What the octree is made of: cells, and boxes that a ray asks four at a time.

use glam::{UVec3, Vec3A, Vec4};

/// What a ray comes to: the cell of a child, or the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// Some fours in a row: the first, and how many.
    Fours(u32, u32),
    /// A cell with children: where those are known.
    Inner(u32),
}

impl Link {
    /// Fours at most that a link tells of; a cell with more is one with children that are not there.
    pub(super) const FOURS: u32 = 15;

    /// As one number: the highest bit says which of the two it is.
    pub(super) fn pack(self) -> u32 {
        match self {
            Link::Fours(first, count) => first << 4 | count,
            Link::Inner(number) => number | 1 << 31,
        }
    }

    #[inline(always)]
    pub(super) fn unpack(number: u32) -> Link {
        if number >> 31 == 0 { Link::Fours(number >> 4, number & 15) } else { Link::Inner(number & !(1 << 31)) }
    }
}

/// A cell with children. Bit 0 of a child's number is x, bit 1 y, bit 2 z.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inner {
    /// Their boxes, four and four, with their links; what is not there has an empty one.
    pub(super) children: [Boxes; 2],
    /// What is stored at the cell itself: the first of its fours, and how many it has.
    pub(super) own: [u32; 2],
}

impl Inner {
    pub(super) const EMPTY: Inner = Inner { children: [Boxes::EMPTY; 2], own: [0; 2] };
}

/// Four boxes, relative to the lowest corner of the root, each with a number: of a triangle's place in the octree's list, or
/// of a link.
///
/// The lower bounds along each axis, and the upper ones four rows on. Of the two rows that are left over one has the numbers,
/// as bits: so every number of three bits is a row, and none has to be checked; and who asked boxes has what he goes on with
/// in the same lines of the cache.
#[derive(Clone, Copy, Debug)]
pub(super) struct Boxes([Vec4; 8]);

const _: () = assert!(size_of::<Boxes>() == 128);

impl Boxes {
    pub(super) const EMPTY: Boxes = {
        let (low, high) = (Vec4::INFINITY, Vec4::NEG_INFINITY);
        Boxes([low, low, low, Vec4::splat(f32::from_bits(u32::MAX)), high, high, high, high])
    };

    pub(super) fn set(&mut self, lane: usize, aabb: &Single) {
        for axis in 0..3 {
            self.0[axis][lane] = aabb.low[axis];
            self.0[axis + 4][lane] = aabb.high[axis];
        }
    }

    pub(super) fn set_number(&mut self, lane: usize, number: u32) {
        self.0[3][lane] = f32::from_bits(number);
    }

    /// The number of one of the four; of what is not there, the highest there is.
    #[inline(always)]
    pub(super) fn number(&self, lane: usize) -> u32 {
        self.0[3].to_array()[lane & 3].to_bits()
    }

    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> Vec4 {
        self.0[row & 7]
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
