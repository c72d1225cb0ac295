//! From the places of one level to those of the next.

use bytemuck::{Pod, Zeroable};

use super::{Level, Place, Solid};
use crate::cells::{SUBVOXEL, Seed, corner, nearest};

/// How much a child adds to each list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct ChildCount {
    /// 1 if it is a place of the next level.
    pub places: u32,
    /// The seeds of that place.
    pub seeds: u32,
    /// 1 if it is a solid.
    pub solids: u32,
}

const _: () = assert!(size_of::<ChildCount>() == 12 && align_of::<ChildCount>() == 4);

/// What a child is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Child {
    /// Outside.
    Nothing,
    /// Inside of one cell.
    Solid(Solid),
    /// A place of the next level.
    Place(Place),
}

/// One thread for each of the eight children of each place of a level above the second finest.
#[inline]
pub fn count_child(level: &Level<'_>, index: usize) -> ChildCount {
    match divide(level, index, 0, |_| {}) {
        Child::Nothing => ChildCount::default(),
        Child::Solid(_) => ChildCount { solids: 1, ..ChildCount::default() },
        Child::Place(place) => ChildCount { places: 1, seeds: place.seeds, solids: 0 },
    }
}

/// One thread for each child: what it is, and the seeds of a place into its part of the next level's seeds, which starts at
/// `first_seed` and has the length that [`count_child`] gives.
#[inline]
pub fn child(level: &Level<'_>, first_seed: u32, index: usize, output: &mut [Seed]) -> Child {
    let mut slots = output.iter_mut();
    divide(level, index, first_seed, |seed| {
        if let Some(slot) = slots.next() {
            *slot = *seed;
        }
    })
}

/// What a child is; calls back with the seeds of a place.
#[inline]
fn divide(level: &Level<'_>, index: usize, first_seed: u32, mut keep: impl FnMut(&Seed)) -> Child {
    let (node, code) = level.child(index);
    if node.is_empty() && !node.is_internal() {
        return Child::Nothing;
    }
    let seeds = level.seeds(index);
    let rivals = Rivals::new(level, code, seeds);
    let first = &seeds[rivals.first()];
    let is_cut = seeds.iter().enumerate().any(|(number, seed)| seed.cell != first.cell && !rivals.beat(number));
    if !is_cut && node.is_internal() {
        return Child::Solid(Solid { cell: first.cell, code: code << (3 * level.height), height: level.height });
    }
    let mut count = 0;
    for (number, seed) in seeds.iter().enumerate().skip(rivals.first()) {
        // All seeds of a cell that has the node to itself say the same.
        if !rivals.beat(number) && (is_cut || count == 0) {
            keep(seed);
            count += 1;
        }
    }
    Child::Place(Place { node, code, first_seed, seeds: count })
}

/// The seeds of a node, and the one that is nearest to its middle, which beats most of the others.
struct Rivals<'a> {
    seeds: &'a [Seed],
    best: usize,
    low: [i32; 3],
    high: [i32; 3],
}

impl<'a> Rivals<'a> {
    #[inline]
    fn new(level: &Level<'_>, code: u32, seeds: &'a [Seed]) -> Rivals<'a> {
        let low = corner(level.first_voxel(code), 0);
        let edge = SUBVOXEL << level.height;
        let best = nearest(seeds, low.map(|coordinate| coordinate + edge / 2)) as usize;
        Rivals { seeds, best, low, high: low.map(|coordinate| coordinate + edge) }
    }

    /// Whether a seed is nearest nowhere in the node.
    #[inline]
    fn beat(&self, number: usize) -> bool {
        let is_lower = self.best < number;
        number != self.best && self.seeds[number].is_beaten(&self.seeds[self.best], is_lower, self.low, self.high)
    }

    /// The first seed that is not beaten.
    #[inline]
    fn first(&self) -> usize {
        let mut number = 0;
        while self.beat(number) {
            number += 1;
        }
        number
    }
}
