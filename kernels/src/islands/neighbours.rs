//! Which of a voxel's neighbours exist, and where they are (\[Domaradzki16\] 4.5.2).

use super::Voxels;

/// Half of the 26 offsets to a neighbour; the other half are their opposites. A pair of neighbours is looked at by one of
/// the two voxels, and no smaller set has this property.
pub const HALF_NEIGHBOURS: [[i32; 3]; 13] = [
    [-1, -1, -1],
    [0, -1, -1],
    [1, -1, -1],
    [-1, 0, -1],
    [0, 0, -1],
    [1, 0, -1],
    [-1, 1, -1],
    [0, 1, -1],
    [1, 1, -1],
    [-1, 1, 0],
    [0, 1, 0],
    [1, 1, 0],
    [-1, 0, 0],
];

/// The bit of [`neighbour_bits`] for a voxel whose predecessor in the group has the same code.
pub const TWIN: u16 = 1 << HALF_NEIGHBOURS.len();

/// The bits of x in a Morton code; those of y and z are one and two places higher.
const X: u32 = 0x0924_9249;

/// The code of the cell that a voxel is in, so many levels up (\[Domaradzki16\] 4.5.2, last).
#[inline]
pub const fn ancestor(code: u32, levels: u32) -> u32 {
    // Eleven levels up there is nothing left to shift, and the shift would overflow.
    if levels > 10 { 0 } else { code >> (3 * levels) }
}

/// One thread for each voxel: bit i is set if the neighbour at [`HALF_NEIGHBOURS`]\[i\] is in the group, [`TWIN`] if the
/// voxel before has the same code. Later launches search only for the neighbours that exist.
#[inline]
pub fn neighbour_bits(voxels: &Voxels<'_>, index: usize) -> u16 {
    let mut bits = 0;
    let mut bit = 0;
    while bit < HALF_NEIGHBOURS.len() {
        if let Some(code) = step(voxels.codes[index], HALF_NEIGHBOURS[bit])
            && find(voxels, index, code).is_some()
        {
            bits |= 1 << bit;
        }
        bit += 1;
    }
    let start = voxels.starts[voxels.groups[index] as usize] as usize;
    if index > start && voxels.codes[index - 1] == voxels.codes[index] { bits | TWIN } else { bits }
}

/// For each neighbour across a face that a voxel looks at, its bit, and those of the neighbours at an edge or a corner that
/// lie one step further that way or to the side of it.
const FACES: [(u16, u16); 3] = [face(4), face(10), face(12)];

const fn face(bit: usize) -> (u16, u16) {
    let way = HALF_NEIGHBOURS[bit];
    let mut beside = 0;
    let mut other = 0;
    while other < HALF_NEIGHBOURS.len() {
        let [x, y, z] = HALF_NEIGHBOURS[other];
        if other != bit && x * way[0] + y * way[1] + z * way[2] == 1 {
            beside |= 1 << other;
        }
        other += 1;
    }
    (1 << bit, beside)
}

/// Fewer of the neighbours in `bits` that still connect all that all of them would.
///
/// One at an edge or a corner is left out if the voxel across a face on the way to it is there. That one is always looked at,
/// and it is a nearer neighbour of the one left out: across a face from an edge, at an edge from a corner. So, by induction,
/// the two are connected, if each voxel leaves out by this rule.
#[inline]
pub(super) fn enough(bits: u16) -> u16 {
    let mut rest = bits;
    for (face, beside) in FACES {
        if bits & face != 0 {
            rest &= !beside;
        }
    }
    rest
}

/// Calls `visit` with the index of each neighbour that `bits` names.
#[inline]
pub(super) fn for_each_neighbour(voxels: &Voxels<'_>, bits: u16, index: usize, mut visit: impl FnMut(usize)) {
    // A neighbour's twins need no visit: each is connected to the one before.
    if bits & TWIN != 0 {
        visit(index - 1);
    }
    let mut rest = bits & (TWIN - 1);
    while rest != 0 {
        let offset = HALF_NEIGHBOURS[rest.trailing_zeros() as usize];
        if let Some(neighbour) = step(voxels.codes[index], offset).and_then(|code| find(voxels, index, code)) {
            visit(neighbour);
        }
        rest &= rest - 1;
    }
}

/// The first voxel with this code in the group of the voxel `index`.
#[inline]
fn find(voxels: &Voxels<'_>, index: usize, code: u32) -> Option<usize> {
    let group = voxels.groups[index] as usize;
    let (start, end) = (voxels.starts[group] as usize, voxels.starts[group + 1] as usize);
    let found = start + voxels.codes[start..end].partition_point(|&other| other < code);
    (found < end && voxels.codes[found] == code).then_some(found)
}

/// The code of the neighbour at an offset of at most one on each axis, if the grid goes on there.
#[inline]
pub(super) fn step(code: u32, offset: [i32; 3]) -> Option<u32> {
    Some(
        step_on_axis(code, X, offset[0])?
            | step_on_axis(code, X << 1, offset[1])?
            | step_on_axis(code, X << 2, offset[2])?,
    )
}

/// One coordinate, left interleaved: the bits of the others are filled so that a carry runs through them, or empty so that
/// a borrow does.
#[inline]
fn step_on_axis(code: u32, axis: u32, offset: i32) -> Option<u32> {
    let coordinate = code & axis;
    match offset {
        -1 if coordinate == 0 => None,
        -1 => Some((coordinate - 1) & axis),
        1 if coordinate == axis => None,
        1 => Some((coordinate | !axis).wrapping_add(1) & axis),
        _ => Some(coordinate),
    }
}
