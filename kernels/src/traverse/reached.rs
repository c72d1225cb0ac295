//! Marks of nodes that the other octree comes to, and what is read off them.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use bytemuck::{Pod, Zeroable};

use super::{Meeting, Pair, Step, Walk};
use crate::scan::Segmented;

/// The bit of a mark that is set if the node was come to.
const REACHED: u32 = 1;

/// The node's code stands above, so that whoever reads a mark need not look for the node.
const CODE_SHIFT: u32 = 1;

/// A boundary node of the last level that the other octree comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Reached {
    /// Its number among the boundary nodes of its level.
    pub number: u32,
    /// Its Morton code at its level.
    pub code: u32,
    /// Whose it is: twice the number of the meeting, and one more for the second octree. [`touch`](crate::touch) has a
    /// [`Sight`](crate::touch::Sight) of that number.
    pub sight: u32,
}

const _: () = assert!(size_of::<Reached>() == 12 && align_of::<Reached>() == 4);

/// Marks the boundary nodes of a pair, if it is one of the last level.
#[inline]
pub(super) fn mark(walk: &Walk<'_>, pair: &Pair, marks: &[AtomicU32]) {
    let meeting = walk.meeting(pair);
    if Step::of(meeting, pair) != Step::Mark {
        return;
    }
    for (side, visit) in [&pair.first, &pair.second].into_iter().enumerate() {
        if visit.node.is_boundary() {
            let place = meeting.marks[side] as usize + (visit.node.attributes - meeting.attributes[side]) as usize;
            // All who mark a node write the same, and most nodes are met several times.
            if marks[place].load(Relaxed) == 0 {
                marks[place].store(visit.code << CODE_SHIFT | REACHED, Relaxed);
            }
        }
    }
}

/// One thread for each mark: 1 if the node was come to. The exclusive scan of this is the place of what [`reached`] gives.
#[inline]
pub fn is_reached(marks: &[AtomicU32], index: usize) -> Segmented {
    Segmented::value(marks[index].load(Relaxed) & REACHED)
}

/// One thread for each mark: the node, if it was come to. The marks of meetings are in the order of the meetings.
#[inline]
pub fn reached(meetings: &[Meeting], marks: &[AtomicU32], index: usize) -> Option<Reached> {
    let mark = marks[index].load(Relaxed);
    if mark & REACHED == 0 {
        return None;
    }
    let index = index as u32;
    let meeting = meetings.partition_point(|meeting| meeting.marks[0] <= index) - 1;
    let starts = meetings[meeting].marks;
    let side = u32::from(starts[1] <= index);
    let number = index - starts[side as usize];
    Some(Reached { number, code: mark >> CODE_SHIFT, sight: 2 * meeting as u32 + side })
}
