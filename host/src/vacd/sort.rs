//! Shards sorted into new compounds and the rest (\[Mueller13\] 3.1 step 4, and 3.2).

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::cells::OUTSIDE;
use super::compound::Compound;
use super::ghost::{are_apart, intersection};
use super::intersect::Shard;
use super::part::Part;
use super::weld::WELDED;
use crate::geometry::{ConvexClipper, DisjointSets};
use crate::pattern::AlignedPattern;
use crate::tolerance::COPLANAR;

/// Shards by what they become part of.
pub(super) struct Sorted {
    pub(super) shards: Vec<Shard>,
    /// The parts that are cut or leave, by number, in rising order.
    pub(super) cut: Vec<u32>,
    /// The shards that stay with the rest, in rising order. Parts of which all shards stay are left where they are, uncut.
    pub(super) rest: Vec<u32>,
    /// The shards of each new compound, each in rising order.
    pub(super) pieces: Vec<Vec<u32>>,
    /// Ghosts and what they are the overlap of: shards of the same cell, or parts that are left where they are, which
    /// are numbered on from the shards.
    pub(super) ghost_links: Vec<[u32; 2]>,
}

impl Sorted {
    /// Whether anything breaks off at all.
    pub(super) fn breaks(&self, compound: &Compound) -> bool {
        let is_same = || {
            self.rest.is_empty()
                && self.cut.len() == compound.len()
                && self.pieces.len() == 1
                && self.shards.iter().all(|shard| shard.is_whole)
                && compound.islands().len() == 1
        };
        !self.cut.is_empty() && !is_same()
    }

    /// The volume of what was cut and is in no cell, nor among what was dropped as rounding.
    pub(super) fn volume_in_gaps(&self, compound: &Compound, dropped: f64) -> f64 {
        let before: f64 = self.cut.iter().filter_map(|&number| Some(compound.part(number)?.volume())).sum();
        let is_cut = |shard: &&Shard| shard.parent == WELDED || self.cut.binary_search(&shard.parent).is_ok();
        let after: f64 = self.shards.iter().filter(is_cut).map(|shard| shard.part.volume()).sum();
        (before - after - dropped).max(0.0)
    }
}

/// What was near the impact.
#[derive(Clone, Copy)]
pub(super) struct Near<'a> {
    /// The parts, in rising order.
    pub(super) parts: &'a [u32],
    /// Those of which a shard is now part of a full cell.
    pub(super) welded: &'a FxHashSet<u32>,
}

/// Sorts shards by cell or colour; those wholly outside of the radius around the impact stay.
pub(super) fn sort(
    compound: &Compound,
    near: Near<'_>,
    shards: Vec<Shard>,
    pattern: &AlignedPattern<'_>,
    radius: Option<f64>,
) -> Sorted {
    let links = ghost_links(compound, near.parts, &shards);
    let numbers = 0..shards.len() as u32;
    let stays = which_stay(&shards, &links, pattern, radius);
    let mut touched = near.welded.clone();
    touched.insert(WELDED);
    touched.extend(shards.iter().zip(&stays).filter(|(_, stays)| !**stays).map(|(shard, _)| shard.parent));
    let is_untouched = |shard: u32| !touched.contains(&shards[shard as usize].parent);
    let color = |shard: u32| match shards[shard as usize].cell {
        OUTSIDE => OUTSIDE,
        cell => pattern.pattern().color(cell),
    };
    let mut leaving: Vec<(u32, u32)> =
        numbers.clone().filter(|&shard| !stays[shard as usize]).map(|shard| (color(shard), shard)).collect();
    leaving.sort_unstable();
    let groups = leaving.chunk_by(|one, other| one.0 == other.0);
    let pieces = groups.map(|group| group.iter().map(|&(_, shard)| shard).collect()).collect();
    let rest = numbers.clone().filter(|&shard| stays[shard as usize] && !is_untouched(shard)).collect();
    let cut = near.parts.iter().copied().filter(|number| touched.contains(number)).collect();
    let first_part = numbers.end;
    let place = |end: u32| {
        if end < first_part && is_untouched(end) { first_part + shards[end as usize].parent } else { end }
    };
    let links = links.into_iter().map(|link| link.map(place));
    // Between two that are left where they are the bond still is.
    let mut ghost_links: Vec<[u32; 2]> = links.filter(|link| link.iter().any(|&end| end < first_part)).collect();
    ghost_links.sort_unstable();
    ghost_links.dedup();
    Sorted { cut, rest, pieces, ghost_links, shards }
}

/// Which shards stay with the rest: those out of reach, and what is outside of the pattern. What overlaps in a cell stays or
/// goes together.
fn which_stay(shards: &[Shard], links: &[[u32; 2]], pattern: &AlignedPattern<'_>, radius: Option<f64>) -> Vec<bool> {
    let Some(radius) = radius else { return vec![false; shards.len()] };
    let impact = pattern.impact();
    let mut stays: Vec<bool> = shards
        .par_iter()
        .with_min_len(32)
        .map(|shard| shard.cell == OUTSIDE || !shard.part.is_within(impact, radius))
        .collect();
    if links.is_empty() {
        return stays;
    }
    let mut sets = DisjointSets::new(shards.len());
    for &[ghost, member] in links.iter().filter(|link| link.iter().all(|&end| (end as usize) < shards.len())) {
        sets.join(ghost, member);
    }
    for shard in 0..shards.len() as u32 {
        stays[sets.find(shard) as usize] &= stays[shard as usize];
    }
    (0..shards.len() as u32).map(|shard| stays[sets.find(shard) as usize]).collect()
}

/// Each shard of a ghost with the shards of what it is the overlap of, or with the part itself if that was not near; and
/// each ghost that was not near with the shards that are in it. Parts are numbered on from the shards.
///
/// In near cells the shards of the same cell belong together. Elsewhere each part was cut in its own way.
fn ghost_links(compound: &Compound, near: &[u32], shards: &[Shard]) -> Vec<[u32; 2]> {
    if near.iter().all(|&part| compound.ghost_bonds(part).next().is_none()) {
        return Vec::new();
    }
    let mut in_cells: Vec<((u32, u32), u32)> = Vec::new();
    let mut elsewhere: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (number, shard) in (0..).zip(shards).filter(|(_, shard)| !shard.part.is_ghost()) {
        match shard.is_near {
            true => in_cells.push(((shard.parent, shard.cell), number)),
            false => elsewhere.entry(shard.parent).or_default().push(number),
        }
    }
    in_cells.sort_unstable();
    let in_cell = |parent: u32, cell: u32| {
        let first = in_cells.partition_point(|&(place, _)| place < (parent, cell));
        let count = in_cells[first..].iter().take_while(|&&(place, _)| place == (parent, cell)).count();
        &in_cells[first..first + count]
    };
    let is_near = |part: u32| near.binary_search(&part).is_ok();
    let first_part = shards.len() as u32;
    let of_elsewhere = |parent: u32, ghost: &Part, number: u32, links: &mut Vec<[u32; 2]>| {
        let (bounds, depth) = (ghost.aabb(), COPLANAR * ghost.aabb().diagonal());
        let touches = |&&member: &&u32| {
            let shard = &shards[member as usize].part;
            shard.aabb().intersects(&bounds) && !are_apart(ghost.convex(), shard.convex(), depth)
        };
        let members = elsewhere.get(&parent).map_or(&[][..], Vec::as_slice);
        links.extend(members.iter().filter(touches).map(|&member| [number, member]));
    };
    let of_ghost = |clipper: &mut ConvexClipper, number: u32, shard: &Shard| {
        let ghost = &shard.part;
        let mut links = Vec::new();
        for other in compound.ghost_bonds(shard.parent) {
            if !is_near(other) {
                links.push([number, first_part + other]);
            } else if !shard.is_near {
                of_elsewhere(other, ghost, number, &mut links);
            } else {
                let members = in_cell(other, shard.cell);
                let touches = |&&(_, member): &&(_, u32)| {
                    members.len() == 1
                        || intersection(ghost.convex(), shards[member as usize].part.convex(), clipper).is_some()
                };
                links.extend(members.iter().filter(touches).map(|&(_, member)| [number, member]));
            }
        }
        links
    };
    let mut links: Vec<[u32; 2]> = (0..first_part)
        .into_par_iter()
        .zip(shards)
        .with_min_len(32)
        .filter(|(_, shard)| shard.part.is_ghost())
        .map_init(ConvexClipper::new, |clipper, (number, shard)| of_ghost(clipper, number, shard))
        .flatten_iter()
        .collect();
    for &parent in near.iter().filter(|&&parent| compound.part(parent).is_some_and(|part| !part.is_ghost())) {
        for ghost in compound.ghost_bonds(parent).filter(|&ghost| !is_near(ghost)) {
            if let Some(part) = compound.part(ghost) {
                of_elsewhere(parent, part, first_part + ghost, &mut links);
            }
        }
    }
    links
}
