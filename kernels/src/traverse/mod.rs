//! Octrees walked through two at a time, pairs of nodes level by level (\[Domaradzki16\] 5.1.1).
//!
//! In: a pool of nodes in which each octree is a run of its own, as [`build`](crate::build) makes it, and [`Meeting`]s of
//! two octrees each. Out: a mark for each boundary node of a meeting's octrees, of the last level that is walked to, that the
//! other one comes to. What meets is decided by boxes along the first octree's axes; which voxels of those nodes meet, by
//! [`touch`](crate::touch).
//!
//! The launches, for any number of meetings at once:
//!
//! 1. [`root`] for each meeting; the pairs that there are become the list of pairs;
//! 2. until there are no pairs: [`child_count`] for each pair, an exclusive [scan](crate::scan), [`descend`] for each pair;
//! 3. [`is_reached`] for each mark, an exclusive scan, [`reached`] for each mark.
//!
//! Each pair goes one level down in one of its octrees, so there are at most as many rounds as both have levels.

mod children;
mod meeting;
mod reached;

use core::sync::atomic::AtomicU32;

use bytemuck::{Pod, Zeroable};

pub use meeting::{LEVELS, Meeting};
pub use reached::{Reached, is_reached, reached};

use crate::node::Node;

#[cfg(test)]
mod tests;

/// A node on the way down.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Visit {
    /// The node.
    pub node: Node,
    /// Its Morton code at its level.
    pub code: u32,
    /// Its level.
    pub level: u32,
    /// Its middle, in voxels of the first octree from that one's corner.
    pub middle: [f32; 3],
}

/// Nodes of two octrees that meet.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Pair {
    /// Of the first octree.
    pub first: Visit,
    /// Of the second.
    pub second: Visit,
    /// The number of their meeting.
    pub meeting: u32,
    /// 1 if the box of the second is known to lie within the first, which is internal; else 0.
    pub within: u32,
}

const _: () = assert!(size_of::<Pair>() == 64 && align_of::<Pair>() == 4);

/// What all pairs are made from.
#[derive(Clone, Copy, Debug)]
pub struct Walk<'a> {
    /// The nodes of all octrees.
    pub nodes: &'a [Node],
    /// Which octrees meet, and how they stand to each other.
    pub meetings: &'a [Meeting],
}

impl<'a> Walk<'a> {
    #[inline]
    fn meeting(&self, pair: &Pair) -> &'a Meeting {
        &self.meetings[pair.meeting as usize]
    }

    /// The eight children of a node of an octree that has some.
    #[inline]
    fn children(&self, meeting: &Meeting, side: usize, node: Node) -> &'a [Node] {
        let first = meeting.nodes[side] as usize + node.first_child() as usize;
        &self.nodes[first..first + 8]
    }
}

/// One thread for each meeting: the pair of its octrees' roots, if there is something in them and their boxes overlap.
#[inline]
pub fn root(walk: &Walk<'_>, index: usize) -> Option<Pair> {
    let meeting = &walk.meetings[index];
    let visit = |side: usize| Visit {
        node: walk.nodes[meeting.nodes[side] as usize],
        code: 0,
        level: 0,
        middle: meeting.middles[side],
    };
    let pair = Pair { first: visit(0), second: visit(1), meeting: index as u32, within: 0 };
    let [first, second] = [pair.first.node, pair.second.node];
    let is_empty = children::is_nothing(first, second) || children::is_nothing(second, first);
    (!is_empty && meeting.overlap(&pair.first, &pair.second)).then_some(pair)
}

/// One thread for each pair: how many pairs it becomes.
#[inline]
pub fn child_count(walk: &Walk<'_>, pairs: &[Pair], index: usize) -> u32 {
    let mut count = 0;
    children::for_each(walk, &pairs[index], |_| count += 1);
    count
}

/// One thread for each pair: marks the nodes that meet, if it is a pair of the last level, or writes the pairs that it
/// becomes into its part of the output, which [`child_count`] gives the length of.
///
/// `marks` must start as 0. All who write a mark write the same, and nobody reads it before the next launch but to see that
/// it is written, so Relaxed is enough.
#[inline]
pub fn descend(walk: &Walk<'_>, pairs: &[Pair], marks: &[AtomicU32], index: usize, output: &mut [Pair]) {
    let pair = &pairs[index];
    reached::mark(walk, pair, marks);
    let mut slots = output.iter_mut();
    children::for_each(walk, pair, |child| {
        if let Some(slot) = slots.next() {
            *slot = child;
        }
    });
}

/// What is done with a pair.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Both are at their end: they are marked.
    Mark,
    /// All boundary nodes below the second are within the first.
    Within,
    First,
    Second,
}

impl Step {
    #[inline]
    fn of(meeting: &Meeting, pair: &Pair) -> Step {
        let Pair { first, second, within, .. } = pair;
        let [first_level, second_level] = meeting.levels;
        let first_ends = first.node.is_terminal() || first.level == first_level;
        let second_ends = second.node.is_terminal() || second.level == second_level;
        if *within != 0 {
            return if second_ends { Step::Mark } else { Step::Within };
        }
        match (first_ends, second_ends) {
            (true, true) => Step::Mark,
            (true, false) if first.node.is_internal() && meeting.holds(first, second) => Step::Within,
            (true, false) => Step::Second,
            (false, true) => Step::First,
            // The larger one, so that boxes stay of one size.
            _ if meeting.first_is_larger(first, second) => Step::First,
            _ => Step::Second,
        }
    }
}
