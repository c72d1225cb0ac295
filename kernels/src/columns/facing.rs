//! Which way the surfaces in the cells of a meeting face.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::Cell;

/// The sum of the normals of all points of a sight. Starts as nothing; sums wrap around, so that they are those of signed
/// numbers.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Facing {
    /// Normals.
    pub normal: [AtomicU64; 3],
}

const _: () = assert!(size_of::<Facing>() == 24 && align_of::<Facing>() == 8);

/// One thread for each cell: adds it to what its sight adds up to. Additions commute and nobody reads before the next
/// launch, so Relaxed is enough.
#[inline]
pub fn add_facing(cells: &[Cell], facings: &[Facing], index: usize) {
    let cell = &cells[index];
    let facing = &facings[(2 * cell.meeting + cell.owner()) as usize];
    for axis in 0..3 {
        facing.normal[axis].fetch_add(i64::from(cell.normal[axis]) as u64, Relaxed);
    }
}
