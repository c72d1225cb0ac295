//! Numbers joined into sets.

/// Disjoint sets over `0..count`. The name of a set is its smallest member, whatever the order of joining.
pub(crate) struct DisjointSets {
    parents: Vec<u32>,
}

impl DisjointSets {
    /// Every number in a set of its own.
    pub(crate) fn new(count: usize) -> DisjointSets {
        DisjointSets { parents: (0..count as u32).collect() }
    }

    /// The smallest number in the same set.
    pub(crate) fn find(&mut self, number: u32) -> u32 {
        let mut here = number;
        while self.parents[here as usize] != here {
            let above = self.parents[self.parents[here as usize] as usize];
            self.parents[here as usize] = above;
            here = above;
        }
        here
    }

    /// Makes one set of two; returns whether they were apart.
    pub(crate) fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b) as usize] = a.min(b);
        a != b
    }
}
