//! Where the nodes of each height of each piece start, in every list that has them.
//!
//! Tables with an entry for each height and piece have all pieces of height 0 first, then those of height 1: the order of
//! the boundary nodes themselves, so that the end of an entry is where the next one starts.

use bytemuck::{Pod, Zeroable};

/// The rows of all heights, cut at the pieces.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// How many levels are below the roots.
    pub levels: usize,
    /// How many pieces there are.
    pub pieces: usize,
    /// What [`first_of_run`] returned for each height and piece, and for one more.
    pub firsts: &'a [u32],
}

impl Rows<'_> {
    /// How many boundary nodes of a height a piece has.
    #[inline]
    fn count(&self, height: usize, piece: usize) -> u32 {
        let entry = height * self.pieces + piece;
        self.firsts[entry + 1] - self.firsts[entry]
    }

    /// How many boundary nodes of the heights from `low` to below `high` a piece has.
    #[inline]
    fn count_between(&self, low: usize, high: usize, piece: usize) -> u32 {
        let mut sum = 0;
        let mut height = low;
        while height < high {
            sum += self.count(height, piece);
            height += 1;
        }
        sum
    }
}

/// Where the nodes of one height of one piece start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Run {
    /// The first boundary node, among those of all rows.
    pub first: u32,
    /// The first node, boundary or empty, relative to the piece's root.
    pub node: u32,
    /// The first boundary node's attributes, relative to the piece's first.
    pub attribute: u32,
}

const _: () = assert!(size_of::<Run>() == 12 && align_of::<Run>() == 4);

/// One thread for each height and piece, and one more: the first boundary node of that height and piece, or the number of
/// all. `pieces` is the piece of each boundary node of all rows; `rows` is where each row starts, and the number of all.
#[inline]
pub fn first_of_run(pieces: &[u32], rows: &[u32], piece_count: usize, index: usize) -> u32 {
    let (height, piece) = (index / piece_count, index % piece_count);
    if height + 1 == rows.len() {
        return rows[height];
    }
    let row = &pieces[rows[height] as usize..rows[height + 1] as usize];
    rows[height] + row.partition_point(|&other| (other as usize) < piece) as u32
}

/// One thread for each height and piece.
#[inline]
pub fn run(rows: &Rows<'_>, index: usize) -> Run {
    let (height, piece) = (index / rows.pieces, index % rows.pieces);
    // Above a height's blocks are the root and the blocks of the heights above, eight nodes for each of their parents.
    let blocks_above = rows.count_between(height + 2, rows.levels + 1, piece);
    Run {
        first: rows.firsts[index],
        node: if height == rows.levels { 0 } else { 1 + 8 * blocks_above },
        attribute: rows.count_between(0, height, piece),
    }
}

/// One thread for each piece: how many nodes its octree has. Must be below 2^29, which is what pointers can hold.
#[inline]
pub fn node_count(rows: &Rows<'_>, index: usize) -> u32 {
    1 + 8 * rows.count_between(1, rows.levels + 1, index)
}

/// One thread for each piece: how many boundary nodes, each with attributes, its octree has.
#[inline]
pub fn attribute_count(rows: &Rows<'_>, index: usize) -> u32 {
    rows.count_between(0, rows.levels + 1, index)
}
