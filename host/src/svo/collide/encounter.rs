//! Pairs, to be compared many at a time.

use std::cell::RefCell;

use super::{CollideOptions, Comparison, Intersection, Placed, Scratch, intersect_with};

/// Two octrees that may share something, and how that is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Encounter<'a> {
    /// The first octree.
    pub first: Placed<'a>,
    /// The second.
    pub second: Placed<'a>,
    /// How finely.
    pub options: CollideOptions,
}

thread_local! {
    /// What intersections need of memory; large for large octrees, and the same from step to step.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Calls back with this thread's memory for intersections.
pub(in crate::svo) fn with_scratch<T>(body: impl FnOnce(&mut Scratch) -> T) -> T {
    SCRATCH.with_borrow_mut(body)
}

impl<'a> Encounter<'a> {
    /// What a device starts from; `None` if the two cannot meet.
    pub(crate) fn comparison(&self) -> Option<Comparison<'a>> {
        Comparison::new(&self.first, &self.second, &self.options)
    }

    /// As [`intersect`](super::intersect), with memory that is used again.
    pub(crate) fn intersection(&self) -> Intersection {
        with_scratch(|scratch| intersect_with(&self.first, &self.second, &self.options, scratch))
    }
}
