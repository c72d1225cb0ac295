//! Labels by propagation, as the paper has it (\[Domaradzki16\] 4.5.1).

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::Voxels;
use super::neighbours::{HALF_NEIGHBOURS, for_each_neighbour};

/// One thread for each voxel, again and again until no thread of a launch returns true: the largest label of the voxel and
/// its neighbours goes to all of them. Returns whether a label changed; the group then needs another launch.
///
/// `labels` must start as each voxel's own index, `bits` as of [`neighbour_bits`](super::neighbour_bits). A thread that
/// has brought the largest label of its group to its neighbours clears its bits, and with no bits there is nothing left
/// to do (\[Domaradzki16\] 4.5.2).
///
/// Labels only grow and a launch without a change has seen every pair, so Relaxed is enough: a thread that reads an old
/// label raises less than it could, and the next launch goes on.
#[inline]
pub fn propagate(voxels: &Voxels<'_>, bits: &mut u16, labels: &[AtomicU32], index: usize) -> bool {
    if *bits == 0 {
        return false;
    }
    // Searching is what a round costs, so places are kept; the voxel itself is the first of them.
    let mut places = [index; HALF_NEIGHBOURS.len() + 2];
    let mut count = 1;
    let mut largest = labels[index].load(Relaxed);
    for_each_neighbour(voxels, *bits, index, |neighbour| {
        largest = largest.max(labels[neighbour].load(Relaxed));
        places[count] = neighbour;
        count += 1;
    });
    let mut changed = false;
    for &place in &places[..count] {
        // Most labels are large enough already, and a read is cheaper than an atomic operation.
        if labels[place].load(Relaxed) < largest {
            changed |= labels[place].fetch_max(largest, Relaxed) < largest;
        }
    }
    if largest + 1 == voxels.starts[voxels.groups[index] as usize + 1] {
        *bits = 0;
    }
    changed
}
