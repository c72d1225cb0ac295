//! Boxes in the cells of a hashed grid.
//!
//! A box is entered in every cell that it reaches into; what meets is in one cell. Entries are spread over parts by the hash of
//! the block of cells that they are in, each chunk of the boxes by itself; then each part gathers its entries from all
//! chunks and has a table of its own, small enough for the cache. Both halves run on all threads.

use std::ops::Range;

use glam::DVec3;
use rayon::prelude::*;

use crate::geometry::Aabb;

/// How many boxes one task enters.
const CHUNK: usize = 1 << 13;

/// How many entries a part has, about.
const PART: u64 = 1 << 12;

/// How many entries there may be for each box; cells are larger if there would be more.
const CROWDED: u64 = 64;

/// The bits of a cell's coordinate.
const BITS: u32 = 21;

/// The bits of a coordinate that tell cells of a block apart. What is near is in one part, because it has boxes in common.
const BLOCK_BITS: u32 = 2;

/// An endless number of cells, of which `1 << 63` have names.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    origin: DVec3,
    per_length: f64,
}

impl Grid {
    /// A grid with cells of about a size.
    pub(super) fn over(boxes: &[Aabb], size: f64) -> Grid {
        let bounds = boxes.iter().copied().fold(Aabb::EMPTY, Aabb::union);
        let least = bounds.size().max_element() / f64::from(1u32 << (BITS - 1));
        let mut size = size.max(least).max(f64::MIN_POSITIVE);
        let limit = CROWDED * (boxes.len() as u64).max(64);
        loop {
            let grid = Grid { origin: bounds.min, per_length: size.recip() };
            let entries: u64 = boxes.par_iter().with_min_len(CHUNK).map(|aabb| grid.reach(aabb).count()).sum();
            if entries <= limit || !size.is_finite() {
                return grid;
            }
            size *= 2.0;
        }
    }

    /// The cell of a point. What is above another is never in a lower cell.
    #[inline]
    fn cell(&self, point: DVec3) -> [u32; 3] {
        // The cast takes what is not a number to zero, and what lies beyond to the last cell.
        ((point - self.origin) * self.per_length).to_array().map(|place| (place as u32).min((1 << BITS) - 1))
    }

    #[inline]
    pub(super) fn reach(&self, aabb: &Aabb) -> Reach {
        Reach { low: self.cell(aabb.min), high: self.cell(aabb.max) }
    }
}

/// Cells from one to another, in all three directions.
pub(super) struct Reach {
    low: [u32; 3],
    high: [u32; 3],
}

impl Reach {
    fn count(&self) -> u64 {
        let along = |axis: usize| u64::from(self.high[axis] - self.low[axis]) + 1;
        // No box may make the sum of all overflow.
        along(0).saturating_mul(along(1)).saturating_mul(along(2)).min(1 << 40)
    }

    #[inline]
    pub(super) fn for_each(&self, mut visit: impl FnMut([u32; 3])) {
        for z in self.low[2]..=self.high[2] {
            for y in self.low[1]..=self.high[1] {
                for x in self.low[0]..=self.high[0] {
                    visit([x, y, z]);
                }
            }
        }
    }
}

#[inline]
fn name([x, y, z]: [u32; 3]) -> u64 {
    u64::from(x) << (2 * BITS) | u64::from(y) << BITS | u64::from(z)
}

/// The highest bits of this are as good as random.
#[inline]
fn hash(name: u64) -> u64 {
    name.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// A box in a cell.
#[derive(Clone, Copy, Default)]
struct Entry {
    cell: u64,
    thing: u32,
}

/// Entries of some boxes, by the part that they go to.
struct Chunk {
    entries: Vec<Entry>,
    /// Where the entries of each part end.
    ends: Vec<u32>,
}

impl Chunk {
    fn of(grid: &Grid, boxes: &[Aabb], first: u32, part_bits: u32) -> Chunk {
        let part = |cell: [u32; 3]| (hash(name(cell.map(|place| place >> BLOCK_BITS))) >> (64 - part_bits)) as usize;
        let mut ends = vec![0; 1 << part_bits];
        let reaches = || boxes.iter().zip(first..).filter(|(aabb, _)| !aabb.is_empty());
        for (aabb, _) in reaches() {
            grid.reach(aabb).for_each(|cell| ends[part(cell)] += 1);
        }
        let mut total = 0u32;
        for end in &mut ends {
            total += std::mem::replace(end, total);
        }
        let mut entries = vec![Entry::default(); total as usize];
        for (aabb, thing) in reaches() {
            grid.reach(aabb).for_each(|cell| {
                let end = &mut ends[part(cell)];
                entries[*end as usize] = Entry { cell: name(cell), thing };
                *end += 1;
            });
        }
        Chunk { entries, ends }
    }

    fn part(&self, part: usize) -> &[Entry] {
        let start = if part == 0 { 0 } else { self.ends[part - 1] };
        &self.entries[start as usize..self.ends[part] as usize]
    }
}

/// Calls `visit` once for every two boxes that meet, in cells of about a size, on all threads; returns what it adds to its list,
/// in the same order for every number of threads. Empty boxes meet nothing.
pub(super) fn visit_pairs<T: Send>(boxes: &[Aabb], size: f64, visit: impl Fn([u32; 2], &mut Vec<T>) + Sync) -> Vec<T> {
    let grid = Grid::over(boxes, size);
    let entries: u64 = boxes.par_iter().with_min_len(CHUNK).map(|aabb| grid.reach(aabb).count()).sum();
    let part_bits = (entries / PART).max(2).ilog2();
    let chunks: Vec<Chunk> = (boxes.par_chunks(CHUNK).enumerate())
        .map(|(chunk, boxes)| Chunk::of(&grid, boxes, (chunk * CHUNK) as u32, part_bits))
        .collect();
    let parts: Vec<Vec<T>> = (0..1usize << part_bits)
        .into_par_iter()
        .map_init(Table::default, |table, part| {
            let mut found = Vec::new();
            table.fill(&chunks, part, boxes);
            table.visit(&grid, |pair| visit(pair, &mut found));
            found
        })
        .collect();
    parts.into_iter().flatten().collect()
}

/// The hash table of a part.
#[derive(Default)]
struct Table {
    /// By slot.
    entries: Vec<(Entry, Aabb)>,
    /// Where the entries of each slot end.
    ends: Vec<u32>,
}

impl Table {
    fn fill(&mut self, chunks: &[Chunk], part: usize, boxes: &[Aabb]) {
        let count: usize = chunks.iter().map(|chunk| chunk.part(part).len()).sum();
        let bits = count.max(2).next_power_of_two().ilog2();
        let slot = |entry: &Entry| (hash(entry.cell) >> (64 - bits)) as usize;
        let each = || chunks.iter().flat_map(|chunk| chunk.part(part));
        self.ends.clear();
        self.ends.resize(1 << bits, 0);
        each().for_each(|entry| self.ends[slot(entry)] += 1);
        let mut total = 0;
        for end in &mut self.ends {
            total += std::mem::replace(end, total);
        }
        self.entries.resize(count, (Entry::default(), Aabb::EMPTY));
        for entry in each() {
            let end = &mut self.ends[slot(entry)];
            self.entries[*end as usize] = (*entry, boxes[entry.thing as usize]);
            *end += 1;
        }
    }

    #[inline]
    fn visit(&self, grid: &Grid, mut visit: impl FnMut([u32; 2])) {
        let mut start = 0;
        for &end in &self.ends {
            let Range { start: from, end: to } = std::mem::replace(&mut start, end as usize)..end as usize;
            let slot = &self.entries[from..to];
            for (place, (entry, aabb)) in slot.iter().enumerate() {
                for (other, other_box) in &slot[place + 1..] {
                    // Two boxes may have many cells in common, but the lowest corner of what they share is in one.
                    if entry.cell == other.cell
                        && aabb.intersects(other_box)
                        && name(grid.cell(aabb.min.max(other_box.min))) == entry.cell
                    {
                        visit([entry.thing, other.thing]);
                    }
                }
            }
        }
    }
}
