//! Which empty nodes of the pieces' octrees are inside (\[Domaradzki16\] 3.2 and 4.6).
//!
//! In: the octrees as [`build`](crate::build) makes them, and the [`Solid`]s of [`extract`](crate::extract), sorted by cell
//! and code. The one launch: [`node`] for each node of the pool, into another pool, because it looks at others' nodes.
//!
//! A voxel inside of a cell has only voxels of the same cell at its faces. So an empty node of a piece is inside of the
//! piece all over or nowhere, and a way out of it leads through more of the inside to the piece's own boundary. As in the
//! paper, the way is along the parent's normal, to where the boundary is near; but what it passes is looked up and not
//! concluded from normals, so it does not err. The way also tells pieces of one cell from each other.

use crate::build::{Forest, Slot};
use crate::extract::Solid;
use crate::morton;
use crate::node::Node;
use crate::normal;

/// The nodes of all pieces and what they were made from.
#[derive(Clone, Copy, Debug)]
pub struct Pieces<'a> {
    /// Where all nodes are.
    pub forest: Forest<'a>,
    /// The nodes, as [`build::node`](crate::build::node) returned them.
    pub nodes: &'a [Node],
    /// The Morton code of each boundary node, in the order of the rows.
    pub codes: &'a [u32],
    /// The packed normal of each boundary node, in the order of the rows.
    pub normals: &'a [u16],
    /// The cell that each piece is of.
    pub cells: &'a [u32],
    /// What is inside of the cells.
    pub solids: Solids<'a>,
}

/// Nodes inside of cells, sorted by cell and, within a cell, by code.
#[derive(Clone, Copy, Debug)]
pub struct Solids<'a> {
    /// All of them. Those of a cell do not overlap.
    pub list: &'a [Solid],
    /// The first of each cell, and the number of all.
    pub starts: &'a [u32],
}

impl Solids<'_> {
    /// Whether a voxel of the finest level is inside of a cell.
    #[inline]
    fn hold(&self, cell: u32, voxel: [u32; 3]) -> bool {
        self.find(cell, voxel).is_some()
    }

    /// The number of the solid of a cell that a voxel of the finest level is in.
    #[inline]
    pub(crate) fn find(&self, cell: u32, voxel: [u32; 3]) -> Option<usize> {
        let code = morton::encode_30(voxel[0], voxel[1], voxel[2]);
        let start = self.starts[cell as usize] as usize;
        let own = &self.list[start..self.starts[cell as usize + 1] as usize];
        let last = own.partition_point(|solid| solid.code <= code).checked_sub(1)?;
        let height = 3 * own[last].height;
        (own[last].code >> height == code >> height).then_some(start + last)
    }
}

/// One thread for each node of the pool: the node, inside if it is that.
#[inline]
pub fn node(pieces: &Pieces<'_>, index: usize) -> Node {
    let node = pieces.nodes[index];
    if node.is_boundary() {
        return node;
    }
    let piece = pieces.forest.piece(index);
    match pieces.forest.slot(piece, index) {
        Some(slot) if is_inside(pieces, piece, &slot) => Node::INSIDE,
        _ => node,
    }
}

#[inline]
fn is_inside(pieces: &Pieces<'_>, piece: usize, slot: &Slot) -> bool {
    let parent = slot.parent as usize;
    let code = (pieces.codes[parent] << 3 | slot.octant) << (3 * slot.height);
    let way = Way::along(normal::unpack(pieces.normals[parent]));
    let mut voxel = way.last_of_node(morton::decode_30(code), slot.height);
    while pieces.solids.hold(pieces.cells[piece], voxel) {
        // What is inside ends before the lattice does; a caller's mistake must not run out of it.
        let Some(next) = way.step(voxel, pieces.forest.levels) else { return false };
        let (node, height) = node_at(pieces, piece, next);
        if node.is_boundary() {
            return true;
        }
        voxel = way.last_of_node(next, height);
    }
    false
}

/// The terminal node of a piece that a voxel is in, and its level above the finest.
#[inline]
fn node_at(pieces: &Pieces<'_>, piece: usize, [x, y, z]: [u32; 3]) -> (Node, usize) {
    let code = morton::encode_30(x, y, z);
    let start = pieces.forest.node_starts[piece] as usize;
    let (mut node, mut height) = (pieces.nodes[start], pieces.forest.levels);
    while !node.is_terminal() {
        height -= 1;
        node = pieces.nodes[start + node.first_child() as usize + (code >> (3 * height) & 7) as usize];
    }
    (node, height)
}

/// A way along an axis, up or down.
struct Way {
    axis: usize,
    is_up: bool,
}

impl Way {
    /// Along the axis that is closest to a direction.
    #[inline]
    fn along(direction: [i32; 3]) -> Way {
        let [x, y, z] = direction.map(i32::abs);
        let axis = if x >= y && x >= z { 0 } else { 1 + usize::from(z > y) };
        Way { axis, is_up: direction[axis] > 0 }
    }

    /// Where the way through a voxel leaves the node that the voxel is in, so many levels above the finest.
    #[inline]
    fn last_of_node(&self, mut voxel: [u32; 3], height: usize) -> [u32; 3] {
        let below = (1 << height) - 1;
        let place = &mut voxel[self.axis];
        *place = if self.is_up { *place | below } else { *place & !below };
        voxel
    }

    /// The next voxel, if the lattice of so many levels goes on there.
    #[inline]
    fn step(&self, mut voxel: [u32; 3], levels: usize) -> Option<[u32; 3]> {
        let place = &mut voxel[self.axis];
        *place = if self.is_up { *place + 1 } else { place.checked_sub(1)? };
        (*place >> levels == 0).then_some(voxel)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ways_go_along_the_longest_coordinate_and_end_with_the_lattice() {
        for (direction, axis, is_up) in [([5, -4, 3], 0, true), ([1, -4, 4], 1, false), ([0, 1, -2], 2, false)] {
            let way = Way::along(direction);
            assert_eq!((way.axis, way.is_up), (axis, is_up));
        }
        let [up, down] = [Way { axis: 1, is_up: true }, Way { axis: 1, is_up: false }];
        assert_eq!(up.last_of_node([5, 9, 6], 2), [5, 11, 6]);
        assert_eq!(down.last_of_node([5, 9, 6], 2), [5, 8, 6]);
        assert_eq!((up.step([5, 14, 6], 4), up.step([5, 15, 6], 4)), (Some([5, 15, 6]), None));
        assert_eq!((down.step([5, 1, 6], 4), down.step([5, 0, 6], 4)), (Some([5, 0, 6]), None));
    }

    proptest! {
        #[test]
        fn solids_hold_their_voxels(nodes in prop::collection::btree_map(0..64u32, (0..3u32, 0..2u32), 0..40)) {
            // No two in the same node of height 1, so that none overlap.
            let mut list: Vec<Solid> = nodes
                .iter()
                .map(|(&code, &(cell, height))| Solid { cell, code: code << 3 | if height == 0 { code & 7 } else { 0 }, height })
                .collect();
            list.sort_unstable_by_key(|solid| (solid.cell, solid.code));
            let starts: Vec<u32> =
                (0..4).map(|cell| list.partition_point(|solid| solid.cell < cell) as u32).collect();
            let solids = Solids { list: &list, starts: &starts };
            for code in 0..512 {
                for cell in 0..3 {
                    let is_in = |solid: &Solid| solid.cell == cell && solid.code >> (3 * solid.height) == code >> (3 * solid.height);
                    prop_assert_eq!(solids.hold(cell, morton::decode_30(code)), list.iter().any(is_in));
                }
            }
        }
    }
}
