//! From the nodes of one height to their parents.

use bytemuck::{Pod, Zeroable};

use crate::scan::Segmented;

/// The boundary nodes of one height, of all pieces, sorted by piece and code.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The Morton code of each node on the grid of its level.
    pub codes: &'a [u32],
    /// The piece of each node, from 0.
    pub pieces: &'a [u32],
    /// The number of the row's first node among the boundary nodes of all rows.
    pub first: u32,
}

/// Where the boundary children of a node are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Branch {
    /// The number of the first child among the boundary nodes of all rows; the others follow it in Morton order.
    pub first_child: u32,
    /// Bit i is set if child i is a boundary node.
    pub children: u32,
}

const _: () = assert!(size_of::<Branch>() == 8 && align_of::<Branch>() == 4);

/// A node of the next row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Parent {
    /// Its place in that row.
    pub place: u32,
    /// Its Morton code on the grid of its level.
    pub code: u32,
    /// Its piece.
    pub piece: u32,
    /// Its children.
    pub branch: Branch,
}

/// One thread for each node of a row: 1 if its parent is another than that of the node before it. The inclusive scan of this
/// is the place of each node's parent in the next row, and the last of it is one less than that row's length.
#[inline]
pub fn begins_parent(row: &Row<'_>, index: usize) -> Segmented {
    Segmented::value(u32::from(index > 0 && !are_siblings(row, index - 1, index)))
}

/// One thread for each node of a row: the parent, from the first of its children, nothing from the others. `places` is
/// the scan of [`begins_parent`].
#[inline]
pub fn parent(row: &Row<'_>, places: &[u32], index: usize) -> Option<Parent> {
    if index > 0 && are_siblings(row, index - 1, index) {
        return None;
    }
    let mut children = 0;
    let mut sibling = index;
    while sibling < row.codes.len() && are_siblings(row, index, sibling) {
        children |= 1 << (row.codes[sibling] & 7);
        sibling += 1;
    }
    Some(Parent {
        place: places[index],
        code: row.codes[index] >> 3,
        piece: row.pieces[index],
        branch: Branch { first_child: row.first + index as u32, children },
    })
}

#[inline]
fn are_siblings(row: &Row<'_>, first: usize, second: usize) -> bool {
    row.codes[first] >> 3 == row.codes[second] >> 3 && row.pieces[first] == row.pieces[second]
}
