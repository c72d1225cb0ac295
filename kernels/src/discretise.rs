//! Collision points averaged in the cells of a lattice (\[Domaradzki16\] 5.1.2).
//!
//! Sums are of integers, so the order in which threads add does not matter. The launches: [`key`] for each point, a sort of
//! the points by key, [`begins_cell`] for each point and a plain inclusive [scan](crate::scan) for the number of its
//! cell, [`accumulate`] for each point, [`average`] for each cell.

use core::sync::atomic::{AtomicI32, AtomicU32, Ordering::Relaxed};

use crate::morton;
use crate::scan::Segmented;

/// The units of a position in one cell of the lattice.
pub const UNITS: i32 = 256;

/// The bit of a [`key`] that is the owner; those below it are the cell's Morton code.
pub const OWNER_BIT: u32 = 3 * morton::BITS_30;

/// The last cell of the lattice on each axis.
const LAST_CELL: i32 = (1 << morton::BITS_30) - 1;

/// A point of the surface of two octrees' intersection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct CollisionPoint {
    /// Where it is, in [`UNITS`] from the lattice's corner.
    pub position: [i32; 3],
    /// The direction out of its owner, as [`unpack`](crate::normal::unpack)ed.
    pub normal: [i32; 3],
    /// Whose surface it is on: 0 or 1.
    pub owner: u32,
}

const _: () = assert!(size_of::<CollisionPoint>() == 28 && align_of::<CollisionPoint>() == 4);

/// What the points of one cell and owner add up to. Starts as the default, which is nothing.
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
    /// Their key.
    pub key: AtomicU32,
}

const _: () = assert!(size_of::<Sums>() == 32 && align_of::<Sums>() == 4);

/// One thread for each point: what points that are averaged together have in common, the cell and the owner. A point beyond
/// the lattice belongs to the nearest cell, because a point that was moved to a face of a voxel may lie on the rim.
#[inline]
pub const fn key(point: &CollisionPoint) -> u32 {
    let [x, y, z] = point.position;
    morton::encode_30(cell(x), cell(y), cell(z)) | (point.owner & 1) << OWNER_BIT
}

/// One thread for each point, sorted by key: 1 if its key is another than that of the point before it. The inclusive scan of
/// this is the number of each point's cell, and the last of it is one less than the number of cells.
#[inline]
pub fn begins_cell(keys: &[u32], index: usize) -> Segmented {
    Segmented::value(u32::from(index > 0 && keys[index - 1] != keys[index]))
}

/// One thread for each point, sorted by key: adds it to the sums of its cell, whose number is `segments[index]`.
///
/// Additions commute, all points of a cell store the same key and nobody reads before the next launch, so Relaxed is
/// enough.
#[inline]
pub fn accumulate(points: &[CollisionPoint], segments: &[u32], sums: &[Sums], index: usize) {
    let point = &points[index];
    let key = key(point);
    let corner = corner(key);
    let sums = &sums[segments[index] as usize];
    let mut axis = 0;
    while axis < 3 {
        sums.position[axis].fetch_add(point.position[axis].wrapping_sub(corner[axis]), Relaxed);
        sums.normal[axis].fetch_add(point.normal[axis], Relaxed);
        axis += 1;
    }
    sums.count.fetch_add(1, Relaxed);
    sums.key.store(key, Relaxed);
}

/// One thread for each cell: the average of its points, each coordinate rounded to the nearest integer, halves away from
/// zero. It is the positions within the cell that are rounded, so that every cell rounds alike.
#[inline]
pub fn average(sums: &[Sums], index: usize) -> CollisionPoint {
    let sums = &sums[index];
    let key = sums.key.load(Relaxed);
    let corner = corner(key);
    // Every cell has a point, but a caller's mistake must not divide by zero.
    let count = (sums.count.load(Relaxed) as i32).max(1);
    let mut point = CollisionPoint { position: corner, normal: [0; 3], owner: key >> OWNER_BIT & 1 };
    let mut axis = 0;
    while axis < 3 {
        point.position[axis] += divide(sums.position[axis].load(Relaxed), count);
        point.normal[axis] = divide(sums.normal[axis].load(Relaxed), count);
        axis += 1;
    }
    point
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

/// The nearest integer to the quotient, halves away from zero. The remainder decides, because half of the divisor added to
/// the dividend could overflow.
#[inline]
const fn divide(dividend: i32, divisor: i32) -> i32 {
    let (quotient, remainder) = (dividend / divisor, dividend % divisor);
    if 2 * remainder.abs() >= divisor { quotient + dividend.signum() } else { quotient }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::collections::BTreeMap;
    use std::vec;
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;
    use crate::launch::{ORDERS, Order};
    use crate::normal;
    use crate::scan::tests::inclusive_scan;

    fn launches(points: &[CollisionPoint], order: Order) -> Vec<(u32, CollisionPoint)> {
        let mut points = points.to_vec();
        // A sort that is not stable: points of a cell may come in any order.
        points.sort_unstable_by_key(key);
        let keys = order.map(points.len(), |index| key(&points[index]));
        let flags = order.map(points.len(), |index| begins_cell(&keys, index));
        let segments = inclusive_scan(&flags, order);
        let cells = segments.last().map_or(0, |last| *last as usize + 1);
        let sums: Vec<Sums> = (0..cells).map(|_| Sums::default()).collect();
        order.launch(points.len(), |index| accumulate(&points, &segments, &sums, index));
        order.map(cells, |index| (sums[index].key.load(Relaxed), average(&sums, index)))
    }

    /// The oracle: a map from cells to their points, and wide integers.
    fn naive(points: &[CollisionPoint]) -> Vec<(u32, CollisionPoint)> {
        let mut cells: BTreeMap<(u32, u32), Vec<CollisionPoint>> = BTreeMap::new();
        for &point in points {
            let [x, y, z] = point.position.map(|coordinate| (coordinate.max(0) / 256).min(1023) as u32);
            cells.entry((point.owner, morton::encode_30(x, y, z))).or_default().push(point);
        }
        let averages = cells.into_iter().map(|((owner, code), points)| {
            let corner = morton::decode_30(code).map(|cell| i64::from(cell) * 256);
            let mean = |axis: usize, list: fn(&CollisionPoint) -> [i32; 3], origin: i64| {
                let sum: i64 = points.iter().map(|point| i64::from(list(point)[axis]) - origin).sum();
                let count = points.len() as i64;
                let rounded = (2 * sum.abs() + count) / (2 * count) * sum.signum();
                (rounded + origin) as i32
            };
            let position = [0, 1, 2].map(|axis| mean(axis, |point| point.position, corner[axis]));
            let normal = [0, 1, 2].map(|axis| mean(axis, |point| point.normal, 0));
            (code | owner << 30, CollisionPoint { position, normal, owner })
        });
        averages.collect()
    }

    fn check(points: &[CollisionPoint]) -> Vec<(u32, CollisionPoint)> {
        let expected = naive(points);
        for order in ORDERS {
            assert_eq!(launches(points, order), expected, "{order:?}");
        }
        expected
    }

    fn point(range: core::ops::Range<i32>) -> impl Strategy<Value = CollisionPoint> {
        (prop::array::uniform3(range), (0..255u16, 0..255u16), 0..2u32).prop_map(|(position, (u, v), owner)| {
            CollisionPoint { position, normal: normal::unpack(u | v << 8), owner }
        })
    }

    #[test]
    fn one_point_is_its_own_average_and_owners_stay_apart() {
        assert!(check(&[]).is_empty());
        let first = CollisionPoint { position: [255, 256, 262_143], normal: [0, -127, 0], owner: 0 };
        let second = CollisionPoint { owner: 1, ..first };
        assert_eq!(check(&[first]), [(morton::encode_30(0, 1, 1023), first)]);
        let code = morton::encode_30(0, 1, 1023);
        assert_eq!(check(&[second, first]), [(code, first), (code | 1 << 30, second)]);
    }

    #[test]
    fn halves_round_away_from_zero() {
        let low = CollisionPoint { position: [512, 513, 3], normal: [-1, 2, 0], owner: 1 };
        let high = CollisionPoint { position: [513, 513, -4], normal: [-2, 3, 0], owner: 1 };
        assert_eq!(check(&[low, high])[0].1.position, [513, 513, -1]);
        assert_eq!(check(&[low, high])[0].1.normal, [-2, 3, 0]);
    }

    #[test]
    fn a_million_points_of_one_cell_fit() {
        let rim = CollisionPoint { position: [1024 * 256 + 1535, -1791, 5], normal: [127, 0, -127], owner: 1 };
        let points = vec![rim; 1 << 20];
        let sums = [Sums::default()];
        let segments = vec![0; points.len()];
        Order::Parallel.launch(points.len(), |index| accumulate(&points, &segments, &sums, index));
        assert_eq!(average(&sums, 0), rim);
    }

    #[test]
    fn a_cell_without_points_does_not_divide_by_zero() {
        assert_eq!(average(&[Sums::default()], 0), CollisionPoint::default());
    }

    proptest! {
        #[test]
        fn averages_are_those_of_a_map(
            dense in prop::collection::vec(point(0..1300), 0..400),
            spread in prop::collection::vec(point(-1500..263_600), 0..100),
        ) {
            check(&[dense, spread].concat());
        }
    }
}
