//! The boundary voxels of an octree that another one comes to (\[Domaradzki16\] 5.1.1).
//!
//! In: the [`Grid`]s of octrees, how the voxels of the one lie in the grid of the other ([`View`]), and the chunks that
//! [`traverse`](crate::traverse) found. Out: the voxels whose box, along the axes of the other, overlaps a boundary voxel of
//! it or one inside. All of it is in integers, so what meets does not depend on the way by which a place was come to.
//!
//! The launches, for any number of meetings at once: [`way`] for each voxel of a word of each sight, [`word`] for each word
//! of each chunk, an exclusive [scan](crate::scan) of [`Word::count`], [`touch`] for each voxel of each word,
//! [`first_of_sight`] for each sight and one more; then [`mark_near`] for each word of each chunk, which tells what is far
//! from what it does not touch.

mod grid;
mod sight;

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use bytemuck::{Pod, Zeroable};

pub use grid::{BEFORE, Chunk, Grid, INSIDE, OUTSIDE};
pub use sight::{GridPlace, Grids, Sight};

use crate::morton;
use crate::traverse::Reached;

#[cfg(test)]
mod tests;

/// A boundary voxel of the physics level that the other octree comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Touch {
    /// The number of its attributes.
    pub attributes: u32,
    /// Its Morton code at the physics level.
    pub code: u32,
    /// 1 if its middle is in an internal voxel of the other octree, else 0.
    pub deep: u32,
    /// Whose it is, as [`Reached::sight`] is.
    pub sight: u32,
}

const _: () = assert!(size_of::<Touch>() == 16 && align_of::<Touch>() == 4);

/// The bits of a fraction of a voxel in lengths.
pub const FRACTION: u32 = 32;

/// How the voxels of one octree lie in the grid of another, in fractions of the other's voxels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct View {
    /// The middle of the voxel in the corner, from the corner of the other's lattice.
    pub corner: [i64; 3],
    /// From voxel to voxel along each axis.
    pub steps: [[i64; 3]; 3],
    /// Half the box around a voxel.
    pub reach: [i64; 3],
    /// By how much boxes have to overlap on each axis to meet.
    pub least: i64,
}

const _: () = assert!(size_of::<View>() == 128 && align_of::<View>() == 8);

/// The ways from the voxel in the corner of a word to all of its voxels, in Morton order.
pub type Ways = [[i64; 3]; 64];

/// Voxels of a word, 4 x 4 x 4 of them, in Morton order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Word {
    /// Those that the other octree comes to.
    pub touched: u64,
    /// Those of them whose middle is in an internal voxel of it.
    pub deep: u64,
}

const _: () = assert!(size_of::<Word>() == 16 && align_of::<Word>() == 8);

impl Word {
    /// How many voxels are touched.
    #[inline]
    pub const fn count(&self) -> u32 {
        self.touched.count_ones()
    }
}

impl View {
    /// The way to a voxel.
    #[inline]
    fn to(&self, voxel: [u32; 3]) -> [i64; 3] {
        let [x, y, z] = voxel.map(i64::from);
        [0, 1, 2].map(|axis: usize| x * self.steps[0][axis] + y * self.steps[1][axis] + z * self.steps[2][axis])
    }

    /// The ways within a word.
    pub fn ways(&self) -> Ways {
        core::array::from_fn(|voxel| self.to(morton::decode_30(voxel as u32)))
    }

    /// The middle of the voxel in the corner of a word, from the corner of the other's grid. Words are numbered in Morton
    /// order over the whole lattice.
    #[inline]
    pub fn corner_of(&self, word: u32, other: &Grid<'_>) -> [i64; 3] {
        let low = other.low.map(|low| -i64::from(8 * low) << FRACTION);
        sum(sum(self.corner, low), self.to(morton::decode_30(word).map(|coordinate| 4 * coordinate)))
    }

    /// Whether the other octree comes to the box around a word within some distance of it.
    #[inline]
    fn is_near(&self, corner: [i64; 3], ways: &Ways, other: &Grid<'_>, distance: i64) -> bool {
        // Half of the way to the opposite corner.
        let middle = sum(corner, ways[63].map(|way| way / 2));
        let [low, high] = ends(middle, self.reach.map(|reach| 4 * reach + distance));
        other.is_any(low, high)
    }

    /// What the voxel with its middle at a place does: `None` if it is not touched, else whether it is deep.
    #[inline]
    fn touches(&self, middle: [i64; 3], other: &Grid<'_>) -> Option<bool> {
        other.is_inside(middle.map(|coordinate| (coordinate >> FRACTION) as i32)).or_else(|| {
            let [low, high] = ends(middle, self.reach.map(|reach| reach - self.least));
            other.is_any(low, high).then_some(false)
        })
    }

    /// Whether the other octree does not come within some distance of the boundary voxels of a word.
    pub fn is_clear(&self, boundary: u64, corner: [i64; 3], ways: &Ways, other: &Grid<'_>, distance: i64) -> bool {
        let reach = self.reach.map(|reach| reach + distance);
        let is_far = |bit: u32| {
            let [low, high] = ends(sum(corner, ways[bit as usize]), reach);
            !other.is_any(low, high)
        };
        !self.is_near(corner, ways, other, distance) || (0..64).all(|bit| boundary >> bit & 1 == 0 || is_far(bit))
    }

    /// Which of the boundary voxels of a word are touched, given the middle of the voxel in its corner.
    #[inline]
    pub fn word(&self, boundary: u64, corner: [i64; 3], ways: &Ways, other: &Grid<'_>) -> Word {
        let mut word = Word::default();
        if !self.is_near(corner, ways, other, 0) {
            return word;
        }
        let mut rest = boundary;
        while rest != 0 {
            let bit = rest.trailing_zeros();
            if let Some(is_deep) = self.touches(sum(corner, ways[bit as usize]), other) {
                word.touched |= 1 << bit;
                word.deep |= u64::from(is_deep) << bit;
            }
            rest &= rest - 1;
        }
        word
    }
}

/// What is asked of all octrees of all meetings.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// Two for each meeting: the voxels of its first octree in the grid of the second, and the other way around.
    pub sights: &'a [Sight],
    /// What [`way`] returned: [`View::ways`] of each sight.
    pub ways: &'a [[i64; 3]],
    /// The grids that the sights name.
    pub grids: Grids<'a>,
    /// The chunks that the other octree may come to.
    pub chunks: &'a [Reached],
}

/// A word of a chunk, where it is and what it is asked against.
struct Asked<'a> {
    view: &'a View,
    ways: &'a Ways,
    other: Grid<'a>,
    boundary: u64,
    corner: [i64; 3],
}

impl<'a> Query<'a> {
    /// The word of an index, eight to a chunk, if there are boundary voxels in it.
    #[inline]
    fn asked(&self, index: usize) -> Option<Asked<'a>> {
        let chunk = &self.chunks[index / 8];
        let sight = &self.sights[chunk.sight as usize];
        let boundary = self.grids.at(&sight.own).boundary_chunk(chunk.number).boundary[index % 8];
        if boundary == 0 {
            return None;
        }
        let other = self.grids.at(&sight.other);
        let corner = sight.view.corner_of(chunk.code << 3 | (index % 8) as u32, &other);
        let ways = self.ways[64 * chunk.sight as usize..].first_chunk()?;
        Some(Asked { view: &sight.view, ways, other, boundary, corner })
    }
}

/// One thread for each of the 64 voxels of a word of each sight: the way to it.
#[inline]
pub fn way(sights: &[Sight], index: usize) -> [i64; 3] {
    sights[index / 64].view.to(morton::decode_30((index % 64) as u32))
}

/// One thread for each word of each chunk, eight to a chunk: which of its voxels are touched.
#[inline]
pub fn word(query: &Query<'_>, index: usize) -> Word {
    query.asked(index).map_or(Word::default(), |Asked { view, ways, other, boundary, corner }| {
        view.word(boundary, corner, ways, &other)
    })
}

/// One thread for each voxel of each word, 64 to a word: its place among those of the word and itself, if it is touched.
#[inline]
pub fn touch(query: &Query<'_>, words: &[Word], index: usize) -> Option<(u32, Touch)> {
    let (number, bit) = (index / 64, (index % 64) as u32);
    let word = words[number];
    if word.touched >> bit & 1 == 0 {
        return None;
    }
    let chunk = &query.chunks[number / 8];
    let own = query.grids.at(&query.sights[chunk.sight as usize].own).boundary_chunk(chunk.number);
    let below = (1 << bit) - 1;
    let before: u32 = own.boundary[..number % 8].iter().map(|word| word.count_ones()).sum();
    let attributes = own.attributes + before + (own.boundary[number % 8] & below).count_ones();
    let code = chunk.code << 9 | ((number % 8) as u32) << 6 | bit;
    let touch = Touch { attributes, code, deep: (word.deep >> bit & 1) as u32, sight: chunk.sight };
    Some(((word.touched & below).count_ones(), touch))
}

/// One thread for each sight, and one more: the first voxel that is touched of it, or the number of all.
#[inline]
pub fn first_of_sight(touches: &[Touch], index: usize) -> u32 {
    touches.partition_point(|touch| (touch.sight as usize) < index) as u32
}

/// One thread for each word of each chunk: marks its meeting if nothing touches in it, but something of the other octree is
/// within a distance of the word's voxels. `firsts` is what [`first_of_sight`] returned; `marks` start as 0.
///
/// All who write a mark write the same, and nobody reads it before the next launch but to see that it is written.
#[inline]
pub fn mark_near(query: &Query<'_>, firsts: &[u32], distance: i64, marks: &[AtomicU32], index: usize) {
    let meeting = query.chunks[index / 8].sight as usize / 2;
    if firsts[2 * meeting] != firsts[2 * meeting + 2] || marks[meeting].load(Relaxed) != 0 {
        return;
    }
    let is_near = |asked: Asked<'_>| {
        let Asked { view, ways, other, boundary, corner } = asked;
        !view.is_clear(boundary, corner, ways, &other, distance)
    };
    if query.asked(index).is_some_and(is_near) {
        marks[meeting].store(1, Relaxed);
    }
}

#[inline]
fn sum(one: [i64; 3], other: [i64; 3]) -> [i64; 3] {
    [one[0] + other[0], one[1] + other[1], one[2] + other[2]]
}

/// The first and the last voxel of a box on each axis; what it only touches does not count.
#[inline]
fn ends(middle: [i64; 3], reach: [i64; 3]) -> [[i32; 3]; 2] {
    [
        [0, 1, 2].map(|axis: usize| ((middle[axis] - reach[axis] - 1) >> FRACTION) as i32),
        [0, 1, 2].map(|axis: usize| ((middle[axis] + reach[axis]) >> FRACTION) as i32),
    ]
}
