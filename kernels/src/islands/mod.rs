//! Islands: the connected components of the voxels of each cell of a pattern (\[Domaradzki16\] 4.5).
//!
//! Voxels are sorted by cell and, within a cell, by Morton code; those of one cell are a *group*. Two voxels of a group
//! are connected if they share a face, an edge or a corner. The label of an island is the largest index in it.
//!
//! There are two ways to the same labels. [`label`] joins trees and needs one launch, then one of [`flatten`].
//! [`propagate`] is the paper's: launches that hand the larger label to the neighbour until nothing changes. Both start
//! with the voxels' own indices for labels.
//!
//! A group may hold a code more than once, side by side; such twins are connected. So islands at a coarser level are
//! found by replacing the codes with their [`ancestor`]s, and the labels are those of the fine voxels at once.
//!
//! Voxels of the boundary are enough to see that a cell is one island. If it is more, [`join_solids`] tells which of them
//! hang together by what is inside.

mod label;
mod neighbours;
mod propagate;
mod solids;

pub use label::{flatten, label};
pub use neighbours::{HALF_NEIGHBOURS, TWIN, ancestor, neighbour_bits};
pub use propagate::propagate;
pub use solids::join_solids;

#[cfg(test)]
mod tests;

/// Voxels sorted by group and, within a group, by Morton code.
#[derive(Clone, Copy, Debug)]
pub struct Voxels<'a> {
    /// The code of each voxel, as of [`encode_30`](crate::morton::encode_30).
    pub codes: &'a [u32],
    /// The group of each voxel, from 0.
    pub groups: &'a [u32],
    /// The first voxel of each group, and the number of voxels after the last.
    pub starts: &'a [u32],
}
