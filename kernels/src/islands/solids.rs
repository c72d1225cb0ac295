//! Islands that hang together by what is inside of them.
//!
//! The paper looks at boundary voxels only. But the wall of a cavity hangs together with the outer surface by what is
//! inside between them, so where a cell's boundary falls apart its solids take part too.
//!
//! A voxel inside has only voxels of the same cell at its faces, so faces are all that has to be looked at. Beside a face
//! of a solid is a solid at least as large, which one place of the face finds, or there are smaller solids and boundary
//! voxels, which find this one from their side.

use core::sync::atomic::AtomicU32;

use super::Voxels;
use super::label::join;
use crate::inside::Solids;
use crate::morton;

/// One thread for each solid and then for each voxel: joins it with the solids at its faces.
///
/// `parents` has the solids first, so that the last voxel of an island is still its largest. Those of solids start as
/// their own numbers, those of voxels as labels, past the solids. [`flatten`](super::flatten) follows.
#[inline]
pub fn join_solids(voxels: &Voxels<'_>, solids: &Solids<'_>, levels: usize, parents: &[AtomicU32], index: usize) {
    let count = solids.list.len();
    let (cell, code, height) = match solids.list.get(index) {
        Some(solid) => (solid.cell, solid.code, solid.height),
        None => (voxels.groups[index - count], voxels.codes[index - count], 0),
    };
    let low = morton::decode_30(code);
    for side in 0..6 {
        let (axis, is_up) = (side / 2, side % 2 == 1);
        let mut beside = low;
        beside[axis] = if is_up { low[axis] + (1 << height) } else { low[axis].wrapping_sub(1) };
        // Beyond the lattice a code would be that of another place.
        if beside[axis] >> levels != 0 {
            continue;
        }
        if let Some(solid) = solids.find(cell, beside) {
            join(parents, index as u32, solid as u32);
        }
    }
}
