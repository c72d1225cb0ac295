//! Layers of cloth that lie on each other, as points that keep a distance.

use glam::{DVec3, IVec3};

/// How near two points may come, and how far apart they are looked at, in cells of the sheet. Nearer than the middle of a
/// cell is to its corners, so that layers touch here and there; but not so near that one slips through another.
const DISTANCE: f64 = 0.75;
const REACH: f64 = 1.5;

/// Points so many rows and columns from each other are neighbours in the sheet.
const NEIGHBOURS: usize = 2;

/// The share of the sliding of two layers that a step takes.
const FRICTION: f64 = 0.1;

/// Pairs of points that may come near to each other.
#[derive(Default)]
pub(super) struct Contacts {
    pairs: Vec<[u32; 2]>,
    distance: f64,
    /// Where in `sorted` the points of each bucket end, and the points by buckets.
    ends: Vec<u32>,
    sorted: Vec<u32>,
    buckets: Vec<u32>,
}

/// The cells from which on a pair is looked at: half of those around a cell, so that none is met twice.
const HALF: [[i32; 3]; 13] = [
    [1, 0, 0],
    [-1, 1, 0],
    [0, 1, 0],
    [1, 1, 0],
    [-1, -1, 1],
    [0, -1, 1],
    [1, -1, 1],
    [-1, 0, 1],
    [0, 0, 1],
    [1, 0, 1],
    [-1, 1, 1],
    [0, 1, 1],
    [1, 1, 1],
];

impl Contacts {
    /// Looks for pairs of points that are near to each other and no neighbours in a sheet of so many columns.
    pub(super) fn find(&mut self, positions: &[DVec3], columns: usize, spacing: f64) {
        self.distance = DISTANCE * spacing;
        let reach = REACH * spacing;
        let cell = |position: DVec3| (position / reach).floor().as_ivec3();
        let mask = (2 * positions.len()).next_power_of_two() as u32 - 1;
        let cells: Vec<IVec3> = positions.iter().map(|&position| cell(position)).collect();
        self.sort(&cells, mask);
        self.pairs.clear();
        let is_apart = |one: u32, other: u32| {
            let [one, other] = [one, other].map(|point| (point as usize / columns, point as usize % columns));
            one.0.abs_diff(other.0) > NEIGHBOURS || one.1.abs_diff(other.1) > NEIGHBOURS
        };
        let is_near =
            |one: u32, other: u32| positions[one as usize].distance_squared(positions[other as usize]) < reach * reach;
        for point in 0..positions.len() as u32 {
            let here = cells[point as usize];
            for offset in std::iter::once([0; 3]).chain(HALF) {
                let there = here + IVec3::from_array(offset);
                let bucket = bucket(there, mask) as usize;
                let start = if bucket == 0 { 0 } else { self.ends[bucket - 1] };
                for &other in &self.sorted[start as usize..self.ends[bucket] as usize] {
                    // A bucket may hold other cells; the own cell holds each pair twice.
                    let is_new = cells[other as usize] == there && (offset != [0; 3] || point < other);
                    if is_new && is_near(point, other) && is_apart(point, other) {
                        self.pairs.push([point, other]);
                    }
                }
            }
        }
    }

    /// Sorts points by the buckets of their cells.
    fn sort(&mut self, cells: &[IVec3], mask: u32) {
        self.ends.clear();
        self.ends.resize(mask as usize + 1, 0);
        self.buckets.clear();
        self.buckets.extend(cells.iter().map(|&cell| bucket(cell, mask)));
        self.buckets.iter().for_each(|&bucket| self.ends[bucket as usize] += 1);
        let mut sum = 0;
        for end in &mut self.ends {
            sum += *end;
            // Where the bucket begins, for now.
            *end = sum - *end;
        }
        self.sorted.resize(cells.len(), 0);
        for (point, &bucket) in (0..).zip(&self.buckets) {
            let place = &mut self.ends[bucket as usize];
            self.sorted[*place as usize] = point;
            *place += 1;
        }
    }

    /// Pushes points apart that are too near to each other, and slows what slides.
    pub(super) fn push_apart(&self, positions: &mut [DVec3], before: &[DVec3]) {
        for &[one, other] in &self.pairs {
            let (one, other) = (one as usize, other as usize);
            let way = positions[other] - positions[one];
            let distance_squared = way.length_squared();
            if distance_squared >= self.distance * self.distance || distance_squared == 0.0 {
                continue;
            }
            let distance = distance_squared.sqrt();
            let normal = way / distance;
            let shift = 0.5 * (self.distance - distance) * normal;
            let sliding = (positions[other] - before[other]) - (positions[one] - before[one]);
            let rub = 0.5 * FRICTION * sliding.reject_from_normalized(normal);
            positions[one] += rub - shift;
            positions[other] += shift - rub;
        }
    }
}

fn bucket(cell: IVec3, mask: u32) -> u32 {
    let [x, y, z] = cell.to_array().map(|place| place as u32);
    (x.wrapping_mul(73_856_093) ^ y.wrapping_mul(19_349_663) ^ z.wrapping_mul(83_492_791)) & mask
}
