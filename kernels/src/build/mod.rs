//! The octrees of all pieces at once, breadth first (\[Domaradzki16\] 4.6).
//!
//! In: the leaves, sorted by piece and, within a piece, by Morton code; no code twice in a piece, no piece without leaves.
//! Out: one pool of nodes in which each piece is a run of its own, with pointers relative to the run's first node. A run
//! is the root, then for each level the blocks of eight children, in Morton order of their parents.
//!
//! ```text
//! row 0      a a a b b b b b c   the leaves: height 0, all pieces side by side
//! row 1      a a b b b c         their parents
//! row 2      a b c               and so on to the roots
//! boundary   a a a b b b b b c a a b b b c a b c     all rows, which is where the boundary nodes are numbered
//! nodes      a aaaaaaaa aaaaaaaa aaaaaaaa b ...      the pool, where the empty nodes are too
//! attributes a a a  a a  a  b b b b b  b b b  b ...  a piece's leaves, then their parents, ..., the root
//! ```
//!
//! The launches, for octrees of L levels below the root (height L); without pieces there are none:
//!
//! 1. for each height below L: [`begins_parent`] for each node, a plain inclusive [scan](crate::scan), [`parent`] for each
//!    node. The scan need not be segmented: pieces stand side by side, so that the numbers of one piece's parents are
//!    those of a segmented scan plus the number of its first parent;
//! 2. [`first_of_run`], then [`run`] for each height and piece; [`node_count`] and [`attribute_count`] for each piece and an
//!    exclusive scan of either;
//! 3. [`node`] for each place in the pool and [`attribute_source`] for each attribute;
//! 4. for each height from 1: [`parent_normal`] for each node.
//!
//! Empty nodes come out as outside; which of them are inside is the question of [`inside`](crate::inside).

mod fill;
mod runs;
mod sweep;

pub(crate) use fill::Slot;
pub use fill::{Forest, attribute_source, node, parent_normal};
pub use runs::{Rows, Run, attribute_count, first_of_run, node_count, run};
pub use sweep::{Branch, Parent, Row, begins_parent, parent};

#[cfg(test)]
mod tests;
