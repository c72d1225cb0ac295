//! Marks of boundary voxels that the other octree comes to, and what is read off them.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use bytemuck::{Pod, Zeroable};

use super::Meeting;
use crate::node::Node;
use crate::scan::Segmented;

/// The bit of a mark that is set if the voxel was touched.
const TOUCHED: u32 = 1;

/// The bit that is set if it is deep.
const DEEP: u32 = 2;

/// The voxel's code stands above the two bits, so that whoever reads a mark need not look for the voxel.
const CODE_SHIFT: u32 = 2;

/// A boundary voxel of the physics level that the other octree comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Touch {
    /// The number of its attributes.
    pub attributes: u32,
    /// Its Morton code at the physics level.
    pub code: u32,
    /// 1 if its middle is in an internal node of the other octree, else 0.
    pub deep: u32,
}

const _: () = assert!(size_of::<Touch>() == 12 && align_of::<Touch>() == 4);

#[inline]
pub(super) fn mark_voxel(meeting: &Meeting, marks: &[AtomicU32], side: usize, node: Node, code: u32, is_deep: bool) {
    let place = meeting.marks[side] as usize + (node.attributes - meeting.attributes[side]) as usize;
    // All who mark a voxel write the same code.
    let bits = code << CODE_SHIFT | if is_deep { DEEP | TOUCHED } else { TOUCHED };
    // Most voxels are touched several times, and a read is cheaper than an atomic operation.
    if marks[place].load(Relaxed) & bits != bits {
        marks[place].fetch_or(bits, Relaxed);
    }
}

/// One thread for each mark of an octree: 1 if the voxel was touched. The exclusive scan of this is the place of its
/// [`touch`].
#[inline]
pub fn is_touched(marks: &[AtomicU32], index: usize) -> Segmented {
    Segmented::value(marks[index].load(Relaxed) & TOUCHED)
}

/// One thread for each mark of an octree: the touched voxel, if it is one. `attributes` is the least number of attributes
/// that a boundary node of the level has.
#[inline]
pub fn touch(marks: &[AtomicU32], attributes: u32, index: usize) -> Option<Touch> {
    let mark = marks[index].load(Relaxed);
    let touch =
        Touch { attributes: attributes + index as u32, code: mark >> CODE_SHIFT, deep: u32::from(mark & DEEP != 0) };
    (mark & TOUCHED != 0).then_some(touch)
}
