//! Labels by joining trees: a lock-free union-find whose links only ever go to larger indices.
//!
//! Why it is right whatever the threads do. Call v a *past parent* of i if v was ever stored as the parent of i; then
//! v > i, and once a voxel has a parent it is never a root again.
//!
//! 1. [`join`] hooks the smaller root i under the larger by `fetch_max`. If the answer is i, then i was a root and the
//!    link is new. If the answer is another v, then i had got the parent v since; whichever of the two links is there
//!    now, the thread goes on to join v and the larger root, so no connection is lost with the link that is not.
//! 2. [`root`] makes a parent's parent g the parent of i. If i's parent p has been replaced since, it was by step 1 or 2,
//!    so that the new one is joined to p, and p to g.
//! 3. In both cases, successive parents of i are joined by links of voxels larger than i. By induction from the largest
//!    voxel down, all past parents of i end in one tree, and i with them.
//! 4. A loop in [`join`] ends because the smaller of its two voxels grows each time, one in [`root`] because it climbs.
//!
//! The argument asks only that each voxel's parent changes by one store after the other and that a read sees one of them.
//! Nothing is concluded about one voxel from what is read of another, so Relaxed is enough. A launch sees all that the
//! launch before it wrote.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::Voxels;
use super::neighbours::{enough, for_each_neighbour};

/// One thread for each voxel, once: joins the voxel with its neighbours, as of
/// [`neighbour_bits`](super::neighbour_bits). Afterwards the roots are the islands' largest voxels.
///
/// `parents` must start as each voxel's own index.
#[inline]
pub fn label(voxels: &Voxels<'_>, bits: u16, parents: &[AtomicU32], index: usize) {
    for_each_neighbour(voxels, enough(bits), index, |neighbour| join(parents, index as u32, neighbour as u32));
}

/// One thread for each voxel, after all of [`label`]: the voxel's label, which is also stored, so that the paths of others
/// get shorter.
///
/// Between launches of [`propagate`](super::propagate) it does what \[Domaradzki16\] 4.5.2 calls flattening of the
/// equivalence trees: a label is the index of a voxel of the same island.
#[inline]
pub fn flatten(labels: &[AtomicU32], index: usize) -> u32 {
    let label = root(labels, index as u32);
    // No thread of this launch moves a root, so all that is stored for a voxel meanwhile is below its label.
    labels[index].store(label, Relaxed);
    label
}

#[inline]
pub(super) fn join(parents: &[AtomicU32], first: u32, second: u32) {
    let (mut first, mut second) = (first, second);
    loop {
        first = root(parents, first);
        second = root(parents, second);
        if first == second {
            return;
        }
        let (small, large) = if first < second { (first, second) } else { (second, first) };
        let before = parents[small as usize].fetch_max(large, Relaxed);
        if before == small {
            return;
        }
        (first, second) = (before, large);
    }
}

/// The root of a voxel's tree, or what was its root a moment ago. Halves the path on the way: each second voxel is hooked
/// to its parent's parent.
#[inline]
fn root(parents: &[AtomicU32], index: u32) -> u32 {
    let mut voxel = index;
    loop {
        let parent = parents[voxel as usize].load(Relaxed);
        if parent == voxel {
            return voxel;
        }
        let grandparent = parents[parent as usize].load(Relaxed);
        if grandparent == parent {
            return parent;
        }
        parents[voxel as usize].fetch_max(grandparent, Relaxed);
        voxel = grandparent;
    }
}
