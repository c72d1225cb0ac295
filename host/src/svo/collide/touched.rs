//! The boundary voxels of an octree that another one comes to.

use std::ops::ControlFlow;

use fracas_kernels::morton;
use glam::DVec3;

use super::grid::Grid;
use super::placed::{LEAST_OVERLAP, Relative};
use super::traverse::Reached;
use crate::svo::bits::ones;
use crate::svo::lattice::LEAST_LEVEL;

/// A boundary voxel of the physics level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Touch {
    /// The number of its attributes.
    pub(super) attributes: u32,
    /// Its Morton code at the physics level.
    pub(super) code: u32,
    /// Whether its middle is in an internal voxel of the other octree.
    pub(super) is_deep: bool,
}

/// The voxels of one of two octrees as the other one's grid sees them. In integers, so that what meets does not depend on
/// the way by which a place was come to.
pub(super) struct View {
    /// The level of the other octree whose voxels are compared: the physics level, or a coarser one whose voxels are no
    /// less than half as large as those that are looked at.
    pub(super) level: u32,
    /// The middle of the voxel in the corner.
    corner: [i64; 3],
    /// From voxel to voxel along each axis.
    steps: [[i64; 3]; 3],
    /// Half the box around a voxel.
    reach: [i64; 3],
}

/// The bits of a fraction of a voxel.
const FRACTION: u32 = 32;

/// The largest voxel, in the other octree's, that is compared with it: such an octree is a speck in the voxel.
const MOST_RATIO: f64 = 4096.0;

/// No octree of such voxels reaches farther.
const FARTHEST: f64 = 2.0 * MOST_RATIO * 1024.0;

impl View {
    /// Of two octrees' voxels, those of one side in the grid of the other. `None` if they cannot meet.
    pub(super) fn new(relative: &Relative, side: usize) -> Option<View> {
        let (mut turn, mut corner, mut ratio) = match side {
            0 => {
                let back = relative.turn.transpose() * (1.0 / (relative.edge * relative.edge));
                (back, back * -relative.corner, 1.0 / relative.edge)
            }
            _ => (relative.turn, relative.corner, relative.edge),
        };
        let mut level = relative.levels[1 - side];
        while ratio >= 2.0 && level > LEAST_LEVEL {
            (turn, corner, ratio, level) = (turn * 0.5, corner * 0.5, 0.5 * ratio, level - 1);
        }
        let middle = turn * DVec3::splat(0.5) + corner;
        if !(ratio <= MOST_RATIO && middle.abs().max_element() <= FARTHEST) {
            return None;
        }
        let reach = [0, 1, 2].map(|axis| units(0.5 * turn.row(axis).abs().element_sum()));
        let steps = turn.to_cols_array_2d().map(|step| step.map(units));
        Some(View { level, corner: middle.to_array().map(units), steps, reach })
    }

    /// The way to a voxel.
    #[inline]
    fn to(&self, voxel: [u32; 3]) -> [i64; 3] {
        let [x, y, z] = voxel.map(i64::from);
        std::array::from_fn(|axis| x * self.steps[0][axis] + y * self.steps[1][axis] + z * self.steps[2][axis])
    }

    /// Adds those voxels of chunks that the other octree comes to: whose box, along the axes of the other, overlaps a
    /// boundary voxel of it or one inside. A voxel of a turned octree may be found a fraction of a voxel early; where its
    /// surface is does not depend on that.
    pub(super) fn touch(&self, chunks: &Reached, own: &Grid, other: &Grid, touched: &mut Vec<Touch>) {
        let ways: [[i64; 3]; 64] = std::array::from_fn(|bit| self.to(morton::decode_30(bit as u32)));
        let least = units(LEAST_OVERLAP);
        let reach = self.reach.map(|reach| reach - least);
        self.words(chunks, own, other, 0.0, |word| {
            for (attributes, bit) in (word.attributes..).zip(ones(word.boundary)) {
                let middle = sum(word.corner, ways[bit as usize]);
                let inside = other.is_inside(middle.map(|coordinate| (coordinate >> FRACTION) as i32));
                let is_touched = inside.is_some() || {
                    let [low, high] = ends(middle, reach);
                    other.is_any(low, high)
                };
                if is_touched {
                    touched.push(Touch { attributes, code: word.code | bit, is_deep: inside == Some(true) });
                }
            }
            ControlFlow::Continue(())
        });
    }

    /// Whether no voxel of the chunks comes nearer to the other octree than some of its voxels.
    pub(super) fn is_clear(&self, chunks: &Reached, own: &Grid, other: &Grid, distance: f64) -> bool {
        !self.words(chunks, own, other, distance, |_| ControlFlow::Break(()))
    }

    /// Visits the words of chunks, 4 x 4 x 4 voxels, that the other octree comes to within some distance. Returns whether
    /// the visitor broke off.
    #[inline]
    fn words(
        &self,
        chunks: &Reached,
        own: &Grid,
        other: &Grid,
        distance: f64,
        mut visit: impl FnMut(Word) -> ControlFlow<()>,
    ) -> bool {
        let corner = sum(self.corner, other.low.map(|low| -i64::from(8 * low) << FRACTION));
        // From the voxel in the corner of a word to its middle, and half the box around it.
        let middle = self.to([3; 3]).map(|way| way / 2);
        let reach = self.reach.map(|reach| 4 * reach + units(distance));
        for &(number, code) in &chunks.list {
            let chunk = own.chunk(number);
            let corner = sum(corner, self.to(morton::decode_30(code).map(|coordinate| 8 * coordinate)));
            let mut attributes = chunk.attributes;
            for (number, &boundary) in (0..).zip(&chunk.boundary).filter(|(_, boundary)| **boundary != 0) {
                let corner = sum(corner, self.to(morton::decode_30(number << 6)));
                let [low, high] = ends(sum(corner, middle), reach);
                let word = Word { boundary, attributes, code: code << 9 | number << 6, corner };
                attributes += boundary.count_ones();
                if other.is_any(low, high) && visit(word).is_break() {
                    return true;
                }
            }
        }
        false
    }
}

/// 4 x 4 x 4 voxels on the way through chunks.
struct Word {
    boundary: u64,
    /// The attributes of the first boundary voxel.
    attributes: u32,
    /// The Morton code of the voxel in the corner, and where its middle is.
    code: u32,
    corner: [i64; 3],
}

/// A length in voxels as an integer.
fn units(length: f64) -> i64 {
    (length * (1u64 << FRACTION) as f64).round() as i64
}

#[inline]
fn sum(one: [i64; 3], other: [i64; 3]) -> [i64; 3] {
    std::array::from_fn(|axis| one[axis] + other[axis])
}

/// The first and the last voxel of a box on each axis; what it only touches does not count.
#[inline]
fn ends(middle: [i64; 3], reach: [i64; 3]) -> [[i32; 3]; 2] {
    [
        std::array::from_fn(|axis| ((middle[axis] - reach[axis] - 1) >> FRACTION) as i32),
        std::array::from_fn(|axis| ((middle[axis] + reach[axis]) >> FRACTION) as i32),
    ]
}
