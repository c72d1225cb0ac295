//! What \[Heo10\] section 6.2 compares with, and what tests hold a [`MeshTree`](super::MeshTree) to: all pairs, and
//! spatial hashing, as it was published and as it can be.
//!
//! Those of its comparisons that are a tree with something left out are options of the tree.

pub mod brute_force;
mod cells;
pub mod published_hash;
pub mod spatial_hash;
mod surface;

pub use surface::Surface;

#[cfg(test)]
mod tests;
