//! The boundary voxels of an octree that another one comes to.

use fracas_kernels::touch::{FRACTION, Grid, Touch, View, Ways};
use fracas_kernels::traverse::Reached;
use glam::DVec3;

use super::placed::{LEAST_OVERLAP, Relative};
use crate::svo::bits::ones;
use crate::svo::lattice::LEAST_LEVEL;

/// The voxels of one of two octrees as the other one's grid sees them.
pub(super) struct Sight {
    /// The level of the other octree whose voxels are compared: the physics level, or a coarser one whose voxels are no
    /// less than half as large as those that are looked at.
    pub(super) level: u32,
    pub(super) view: View,
    ways: Ways,
}

/// The largest voxel, in the other octree's, that is compared with it: such an octree is a speck in the voxel. What differs
/// more does not meet.
pub const MOST_RATIO: f64 = 4096.0;

/// No octree of such voxels reaches farther.
const FARTHEST: f64 = 2.0 * MOST_RATIO * 1024.0;

impl Sight {
    /// Of two octrees' voxels, those of one side in the grid of the other. `None` if they cannot meet.
    pub(super) fn new(relative: &Relative, side: usize) -> Option<Sight> {
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
        let view = View {
            corner: middle.to_array().map(units),
            steps: turn.to_cols_array_2d().map(|step| step.map(units)),
            reach: [0, 1, 2].map(|axis| units(0.5 * turn.row(axis).abs().element_sum())),
            least: units(LEAST_OVERLAP),
        };
        Some(Sight { level, ways: view.ways(), view })
    }

    /// Adds those voxels of chunks that the other octree comes to. A voxel of a turned octree may be found a fraction of a
    /// voxel early; where its surface is does not depend on that.
    pub(super) fn touch(&self, chunks: &[Reached], own: &Grid<'_>, other: &Grid<'_>, touched: &mut Vec<Touch>) {
        for chunk in chunks {
            let bits = own.boundary_chunk(chunk.number);
            let mut first = bits.attributes;
            for (number, &boundary) in (chunk.code << 3..).zip(&bits.boundary).filter(|(_, word)| **word != 0) {
                let word = self.view.word(boundary, self.view.corner_of(number, other), &self.ways, other);
                touched.extend(ones(word.touched).map(|bit| Touch {
                    attributes: first + (boundary & ((1 << bit) - 1)).count_ones(),
                    code: number << 6 | bit,
                    deep: (word.deep >> bit & 1) as u32,
                    sight: chunk.sight,
                }));
                first += boundary.count_ones();
            }
        }
    }

    /// Whether no voxel of the chunks comes nearer to the other octree than some of its voxels.
    pub(super) fn is_clear(&self, chunks: &[Reached], own: &Grid<'_>, other: &Grid<'_>, distance: f64) -> bool {
        chunks.iter().all(|chunk| {
            let words = (chunk.code << 3..).zip(&own.boundary_chunk(chunk.number).boundary);
            words.filter(|(_, word)| **word != 0).all(|(number, &boundary)| {
                self.view.is_clear(boundary, self.view.corner_of(number, other), &self.ways, other, units(distance))
            })
        })
    }
}

/// A length in voxels as an integer.
pub(crate) fn units(length: f64) -> i64 {
    (length * (1u64 << FRACTION) as f64).round() as i64
}
