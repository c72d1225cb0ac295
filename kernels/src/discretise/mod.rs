//! Collision points summed up in the cells of a lattice (\[Domaradzki16\] 5.1.2).
//!
//! Sums are of integers, so the order in which threads add does not matter. The launches, for any number of meetings at
//! once: [`point`] for each eighth of each voxel that was touched, [`first_of_sight`] for each sight and one more, [`key`]
//! for each point, a sort of the points by key, [`begins_cell`] for each point and a plain inclusive [scan](crate::scan) for
//! the number of its cell, [`accumulate`] for each point.

mod points;

use core::mem::offset_of;
use core::sync::atomic::{AtomicI32, AtomicU32, Ordering::Relaxed};

use bytemuck::{Pod, Zeroable};

pub use points::{Stand, Surfaces, point};

use crate::columns::Cell;
use crate::morton;
use crate::scan::Segmented;

/// The units of a position in one cell of the lattice.
pub const UNITS: i32 = 256;

/// The bit of a [`cell_key`] that is the owner; those below it are the cell's Morton code.
pub const OWNER_BIT: u32 = 3 * morton::BITS_30;

/// The last cell of the lattice on each axis.
const LAST_CELL: i32 = (1 << morton::BITS_30) - 1;

/// A point of the surface of two octrees' intersection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct CollisionPoint {
    /// Where it is, in [`UNITS`] from the lattice's corner.
    pub position: [i32; 3],
    /// The direction out of its owner, as [`unpack`](crate::normal::unpack)ed.
    pub normal: [i32; 3],
    /// Whose surface it is on: twice the number of the meeting, and one more for the second octree.
    pub owner: u32,
    /// 1 if the middle of its voxel is inside of the other octree, else 0.
    pub deep: u32,
}

const _: () = assert!(size_of::<CollisionPoint>() == 32 && align_of::<CollisionPoint>() == 4);

/// A [`Cell`] that threads add to. Starts as the default, which is nothing.
///
/// No sum overflows for up to 2^20 points of a cell, each less than seven cells away from it.
#[derive(Debug, Default)]
#[repr(C)]
pub struct Sums {
    /// Positions relative to the cell's corner, in [`UNITS`].
    pub position: [AtomicI32; 3],
    /// Normals.
    pub normal: [AtomicI32; 3],
    /// How many points there are.
    pub count: AtomicU32,
    /// How many of them are deep.
    pub deep: AtomicU32,
    /// Their [`cell_key`].
    pub key: AtomicU32,
    /// The number of their meeting.
    pub meeting: AtomicU32,
}

const _: () = assert!(size_of::<Sums>() == size_of::<Cell>() && align_of::<Sums>() == align_of::<Cell>());
const _: () = assert!(offset_of!(Sums, normal) == offset_of!(Cell, normal));
const _: () = assert!(offset_of!(Sums, count) == offset_of!(Cell, count));
const _: () = assert!(offset_of!(Sums, deep) == offset_of!(Cell, deep));
const _: () = assert!(offset_of!(Sums, key) == offset_of!(Cell, key));
const _: () = assert!(offset_of!(Sums, meeting) == offset_of!(Cell, meeting));

/// One thread for each sight, and one more: the first point of it, or the number of all. Points are in the order of the
/// voxels that they are of.
#[inline]
pub fn first_of_sight(points: &[CollisionPoint], index: usize) -> u32 {
    points.partition_point(|point| (point.owner as usize) < index) as u32
}

/// One thread for each point: what points that are averaged together have in common, the meeting, the owner and the cell.
#[inline]
pub const fn key(point: &CollisionPoint) -> u64 {
    (point.owner as u64 >> 1) << (OWNER_BIT + 1) | cell_key(point) as u64
}

/// What of the points of one meeting is averaged together, the owner and the cell. A point beyond the lattice belongs to the
/// nearest cell, because a point that was moved to a face of a voxel may lie on the rim.
#[inline]
pub const fn cell_key(point: &CollisionPoint) -> u32 {
    let [x, y, z] = point.position;
    morton::encode_30(cell(x), cell(y), cell(z)) | (point.owner & 1) << OWNER_BIT
}

/// One thread for each point, sorted by key: 1 if its key is another than that of the point before it. The inclusive scan of
/// this is the number of each point's cell, and the last of it is one less than the number of cells.
#[inline]
pub fn begins_cell(keys: &[u64], index: usize) -> Segmented {
    Segmented::value(u32::from(index > 0 && keys[index - 1] != keys[index]))
}

/// One thread for each point, sorted by key: adds it to the sums of its cell, whose number is `segments[index]`.
///
/// Additions commute, all points of a cell store the same key and meeting and nobody reads before the next launch, so
/// Relaxed is enough.
#[inline]
pub fn accumulate(points: &[CollisionPoint], segments: &[u32], sums: &[Sums], index: usize) {
    let point = &points[index];
    let key = cell_key(point);
    let corner = corner(key);
    let sums = &sums[segments[index] as usize];
    let mut axis = 0;
    while axis < 3 {
        sums.position[axis].fetch_add(point.position[axis].wrapping_sub(corner[axis]), Relaxed);
        sums.normal[axis].fetch_add(point.normal[axis], Relaxed);
        axis += 1;
    }
    sums.count.fetch_add(1, Relaxed);
    sums.deep.fetch_add(point.deep, Relaxed);
    sums.key.store(key, Relaxed);
    sums.meeting.store(point.owner >> 1, Relaxed);
}

#[inline]
const fn cell(coordinate: i32) -> u32 {
    let cell = coordinate.div_euclid(UNITS);
    if cell < 0 {
        0
    } else if cell > LAST_CELL {
        LAST_CELL as u32
    } else {
        cell as u32
    }
}

#[inline]
fn corner(key: u32) -> [i32; 3] {
    morton::decode_30(key).map(|cell| cell as i32 * UNITS)
}

#[cfg(test)]
mod tests;
