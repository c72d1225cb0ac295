//! The fracture boundary set: what of an octree each cell of a pattern has (\[Domaradzki16\] 4.1 to 4.4 and 4.7).
//!
//! In: an octree's nodes, and seeds, at least one. The octree is walked level by level, from the root, with the seeds that
//! can be nearest somewhere in a node. Boundary nodes go on to the finest voxels; internal nodes grow children as long as
//! several cells come to them. Out: [`FractureVoxel`]s, a copy of a voxel for each of its cells, and [`Solid`]s, the largest
//! nodes of the walk that are inside of one cell. Both come in the order of their codes level by level, the voxels
//! therefore in Morton order, so that a stable sort by cell groups them. Seeds may share a cell, as those do that a local
//! fracture does not reach (\[Domaradzki16\] 4.7): what lies between them is not cut.
//!
//! The launches, for an octree of L levels below the root:
//!
//! 1. the list of places starts as the root with all seeds; then, for each height from L - 1 down to 1: [`count_child`] for
//!    each child of each place, an exclusive [scan](crate::scan) of each of its three numbers, [`child`] for each child;
//! 2. [`count_copies`] for each child of each place, an exclusive scan of both of its numbers, [`copies`] for each child.
//!
//! A seed that another one beats everywhere in a node is nearest to no corner of the voxels in it, so the seeds that are
//! left give every voxel the same cells as all seeds would. The paper asks at the corners of each node, which misses a
//! cell that comes into a node through a face.

mod copies;
mod expand;

use bytemuck::{Pod, Zeroable};

pub use copies::{Copies, FractureVoxel, copies, count_copies};
pub use expand::{Child, ChildCount, child, count_child};

use crate::cells::Seed;
use crate::morton;
use crate::node::Node;

#[cfg(test)]
mod tests;

/// A node on the way down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Place {
    /// The node; below an internal one, that one again.
    pub node: Node,
    /// The Morton code at the level of the place.
    pub code: u32,
    /// Where its seeds start.
    pub first_seed: u32,
    /// How many seeds it has. One is enough where all that are left belong to one cell.
    pub seeds: u32,
}

const _: () = assert!(size_of::<Place>() == 20 && align_of::<Place>() == 4);

/// A node that is inside of the solid and of one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Solid {
    /// The cell.
    pub cell: u32,
    /// The Morton code of its first voxel of the finest level.
    pub code: u32,
    /// Its level above the finest.
    pub height: u32,
}

const _: () = assert!(size_of::<Solid>() == 12 && align_of::<Solid>() == 4);

/// The places of one level, whose children are looked at.
#[derive(Clone, Copy, Debug)]
pub struct Level<'a> {
    /// All nodes of the octree.
    pub nodes: &'a [Node],
    /// The places, in Morton order.
    pub places: &'a [Place],
    /// The seeds of all places, those of each in the order that they were given in.
    pub seeds: &'a [Seed],
    /// The level of the children above the finest.
    pub height: u32,
}

impl<'a> Level<'a> {
    /// The node and the code of a child, of eight for each place.
    #[inline]
    fn child(&self, index: usize) -> (Node, u32) {
        let (place, octant) = (&self.places[index / 8], index % 8);
        let node = match place.node.is_terminal() {
            true => place.node,
            false => self.nodes[place.node.first_child() as usize + octant],
        };
        (node, place.code << 3 | octant as u32)
    }

    /// The seeds of the place that a child is of.
    #[inline]
    fn seeds(&self, index: usize) -> &'a [Seed] {
        let place = &self.places[index / 8];
        let first = place.first_seed as usize;
        &self.seeds[first..first + place.seeds as usize]
    }

    /// The coordinates of the child's first voxel of the finest level.
    #[inline]
    fn first_voxel(&self, code: u32) -> [u32; 3] {
        morton::decode_30(code << (3 * self.height))
    }
}
