//! The five steps of a fracture (\[Mueller13\] 3.1) and partial fracture (3.2).

use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::DVec3;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use tracing::debug_span;

use super::cells::Cells;
use super::compound::{Compound, CompoundError, Slot, with_anchor};
use super::fit::Fit;
use super::intersect::{CutOptions, Shard, intersect};
use super::islands::{NO_FACE, Touch, connected, touching};
use super::part::{Anchor, Part};
use super::sort::{Near, Sorted, sort};
use super::weld::weld;
use crate::geometry::Aabb;
use crate::pattern::AlignedPattern;

/// How a compound breaks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FractureOptions {
    /// How far from the impact the damage reaches; everywhere if there is no radius.
    pub radius: Option<f64>,
    /// The material of the new faces; the bit [`FRACTURE`](crate::geometry::FRACTURE) is set in any case.
    pub material: u32,
    /// How convexes are fitted to their visual meshes again.
    pub fit: Fit,
}

/// What a fracture did to a compound, which itself became the rest: what was not broken off.
#[derive(Clone, Debug, Default)]
pub struct Fractured {
    /// What broke off, in the coordinates of the whole.
    pub pieces: Vec<Compound>,
    /// The numbers of the parts that the rest no longer has.
    pub removed: Vec<u32>,
    /// The numbers of the parts that the rest has anew.
    pub added: Vec<u32>,
    /// The numbers of the parts of the rest that others cover less than before: they look different.
    pub uncovered: Vec<u32>,
    /// Shards that were nothing but rounding.
    pub dropped: usize,
    /// Their volume, and that of what was in no cell of a pattern with gaps.
    pub dropped_volume: f64,
    /// The time that each step took.
    pub times: FractureTimes,
}

/// The time that each step of a fracture took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FractureTimes {
    /// Finding the convexes near the impact, and cutting them by the cells.
    pub intersection: Duration,
    /// Making one convex of full cells.
    pub welding: Duration,
    /// Sorting the shards by cell or colour, and finding what touches.
    pub compounds: Duration,
    /// Finding what hangs together.
    pub islands: Duration,
}

impl FractureTimes {
    /// All steps together.
    pub fn total(&self) -> Duration {
        self.intersection + self.welding + self.compounds + self.islands
    }

    /// The steps by name, in order.
    pub fn rows(&self) -> [(&'static str, Duration); 4] {
        [
            ("intersection", self.intersection),
            ("welding", self.welding),
            ("compounds", self.compounds),
            ("islands", self.islands),
        ]
    }
}

impl Fractured {
    /// Whether anything broke.
    pub fn is_broken(&self) -> bool {
        !self.pieces.is_empty() || !self.removed.is_empty()
    }
}

impl Compound {
    /// Breaks the compound by a pattern that was put to the impact.
    ///
    /// Without a radius everything is sorted by the cells (or colours) of the pattern, and nothing is left of the
    /// compound itself. With one, convexes wholly outside of that sphere are not cut; with what of the others is outside
    /// they stay behind as this compound, as far as they still hang together (or still are held by an anchor). A blow
    /// that leaves everything in one cell, or that misses, changes nothing.
    ///
    /// ```
    /// use fracas::geometry::{Aabb, Convex};
    /// use fracas::pattern::VoronoiPattern;
    /// use fracas::vacd::{Compound, CompoundOptions, FractureOptions, Part};
    /// use glam::{DQuat, DVec3};
    ///
    /// let slab = Part::internal(Convex::cuboid(Aabb::around(DVec3::ZERO, DVec3::new(2.0, 1.0, 0.1))));
    /// let mut slab = Compound::new(vec![slab], &CompoundOptions::default())?;
    /// let pattern = VoronoiPattern { cells: 60, ..VoronoiPattern::default() }.pattern()?;
    /// let impact = pattern.at(DVec3::new(1.5, 0.0, 0.0), DQuat::IDENTITY);
    /// let fractured = slab.fracture(&impact, &FractureOptions { radius: Some(0.4), ..FractureOptions::default() })?;
    /// let volume = slab.volume() + fractured.pieces.iter().map(Compound::volume).sum::<f64>();
    /// assert!((volume - 1.6).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the radius is not a positive number, or the compound is empty; it is then as it was.
    pub fn fracture(
        &mut self,
        pattern: &AlignedPattern<'_>,
        options: &FractureOptions,
    ) -> Result<Fractured, CompoundError> {
        if self.is_empty() {
            return Err(CompoundError::Empty);
        }
        if let Some(radius) = options.radius.filter(|radius| !(*radius > 0.0 && radius.is_finite())) {
            return Err(CompoundError::BadOption { what: "radius", value: radius });
        }
        // On a thread of the pool, or every step would have to wait for one to wake up.
        Ok(rayon::scope(|_| self.break_by(pattern, options)))
    }

    fn break_by(&mut self, pattern: &AlignedPattern<'_>, options: &FractureOptions) -> Fractured {
        let mut clock = Clock(Instant::now());
        let stage = debug_span!("intersection").entered();
        let mut result = Fractured::default();
        let reach = if options.radius.is_none() { self.aabb() } else { Aabb::EMPTY };
        let (cells, hit) = rayon::join(
            || Cells::new(pattern, options.radius, &reach, options.material),
            || options.radius.map(|radius| self.hit(pattern.impact(), radius)),
        );
        let near = self.near(hit, &cells);
        let cut = CutOptions { material: options.material, fit: options.fit };
        let mut shards = intersect(&near, &cells, &cut);
        result.dropped = shards.dropped;
        result.dropped_volume = shards.dropped_volume;
        self.inherit_anchors(&mut shards.shards);
        drop(stage);
        clock.lap(&mut result.times.intersection);

        let stage = debug_span!("welding").entered();
        shards.shards.sort_by_key(|shard| shard.cell);
        let (shards, welded) = weld(shards.shards, pattern, &cells);
        drop(stage);
        clock.lap(&mut result.times.welding);

        let near: Vec<u32> = near.into_iter().map(|(number, _)| number).collect();
        let near = Near { parts: &near, welded: &welded };
        let sorted = sort(self, near, shards, pattern, options.radius);
        if sorted.breaks(self) {
            if pattern.pattern().has_gaps() {
                result.dropped_volume += sorted.volume_in_gaps(self, result.dropped_volume);
            }
            self.break_off(sorted, &mut result, &mut clock);
        }
        result
    }

    /// The numbers of the parts that the impact's sphere reaches, in rising order.
    fn hit(&self, impact: DVec3, radius: f64) -> Vec<u32> {
        let mut hit = self.overlapping(&Aabb::around(impact, DVec3::splat(radius)));
        hit.retain(|&number| self.part(number).is_some_and(|part| part.is_within(impact, radius)));
        hit
    }

    /// The parts that the impact may cut, with their numbers: those hit and what overlaps them, or else all.
    fn near(&self, hit: Option<Vec<u32>>, cells: &Cells<'_>) -> Vec<(u32, Arc<Part>)> {
        let Some(mut near) = hit else {
            return self.parts().map(|(number, part)| (number, Arc::clone(part))).collect();
        };
        self.add_overlapping(&mut near, cells);
        near.into_iter().filter_map(|number| Some((number, Arc::clone(self.part(number)?)))).collect()
    }

    /// Adds the parts that overlap near parts where near cells are, and their ghosts there: what overlaps has to be cut
    /// together, or it would fly apart. Ghosts elsewhere are not cut, only held by other shards than before.
    fn add_overlapping(&self, near: &mut Vec<u32>, cells: &Cells<'_>) {
        let mut known: FxHashSet<u32> = near.iter().copied().collect();
        let mut place = 0;
        while let Some(&number) = near.get(place) {
            place += 1;
            for other in self.ghost_bonds(number).filter(|&other| known.insert(other)) {
                let Some(part) = self.part(other) else { continue };
                if !part.is_ghost() || cells.is_near(part) {
                    near.push(other);
                }
            }
        }
        near.sort_unstable();
    }

    fn inherit_anchors(&self, shards: &mut [Shard]) {
        for shard in shards.iter_mut().filter(|shard| !shard.is_whole) {
            let parent = self.part(shard.parent).map_or(Anchor::Free, |parent| parent.anchor());
            if parent != Anchor::Free {
                let part = Part::clone(&shard.part);
                shard.part = Arc::new(with_anchor(part, parent, self.anchors()));
            }
        }
    }

    /// Takes the parts that were cut out, puts what stays in, and makes compounds of the rest.
    fn break_off(&mut self, sorted: Sorted, result: &mut Fractured, clock: &mut Clock) {
        let stage = debug_span!("compounds").entered();
        let Sorted { shards, cut: mut removed, rest, pieces: groups, ghost_links } = sorted;
        let slots: FxHashMap<u32, Slot> =
            removed.iter().filter_map(|&number| Some((number, self.take(number)?))).collect();
        let mut neighbours: Vec<u32> = removed
            .iter()
            .flat_map(|number| slots[number].bonds.iter().map(|bond| bond.other))
            .filter(|other| !slots.contains_key(other))
            .collect();
        neighbours.sort_unstable();
        neighbours.dedup();
        for &neighbour in &neighbours {
            if let Some(slot) = &mut self.slots[neighbour as usize] {
                slot.bonds.retain(|bond| !slots.contains_key(&bond.other));
            }
        }
        let added = self.push(rest.iter().map(|&shard| Arc::clone(&shards[shard as usize].part)).collect());
        // Finding what touches takes longest, so all else is done beside it.
        let mut index = std::mem::take(&mut self.index);
        let assemble = |group: &Vec<u32>| self.assemble(&shards, group, &ghost_links);
        let ((pieces, ()), touches): ((Vec<Compound>, ()), Vec<Touch>) = rayon::join(
            || {
                rayon::join(
                    || groups.par_iter().with_min_len(4).map(assemble).flatten_iter().collect(),
                    || self.add_to_index(&mut index, added.clone()),
                )
            },
            || self.touches_of_rest(&shards, &rest, &neighbours),
        );
        self.index = index;
        self.bond_rest(touches, shards.len() as u32, &rest, added.start, &neighbours, &ghost_links);
        drop(stage);
        clock.lap(&mut result.times.compounds);

        let _stage = debug_span!("islands").entered();
        let seeds: Vec<u32> = added.clone().chain(neighbours.iter().copied()).collect();
        let mut fallen = Vec::new();
        for island in self.fallen(&seeds) {
            removed.extend(island.iter().copied().filter(|number| !added.contains(number)));
            fallen.push(self.split_off(&island));
        }
        removed.sort_unstable();
        let is_matter = |piece: &Compound| piece.parts().any(|(_, part)| !part.is_ghost());
        result.pieces = pieces.into_iter().chain(fallen).filter(is_matter).collect();
        result.removed = removed;
        result.added = added.filter(|&number| self.part(number).is_some()).collect();
        result.uncovered = neighbours.into_iter().filter(|&number| self.part(number).is_some()).collect();
        clock.lap(&mut result.times.islands);
    }

    /// The compounds that a group of shards makes: one for each island.
    fn assemble(&self, shards: &[Shard], group: &[u32], ghost_links: &[[u32; 2]]) -> Vec<Compound> {
        let parts: Vec<&Part> = group.iter().map(|&shard| &*shards[shard as usize].part).collect();
        let mut touches = touching(&parts, parts.len());
        // Groups and links are sorted, so a ghost's links and a shard's place in its group are found by halving.
        for (place, &ghost) in (0..).zip(group).filter(|&(_, &shard)| shards[shard as usize].part.is_ghost()) {
            let first = ghost_links.partition_point(|link| link[0] < ghost);
            let members = ghost_links[first..].iter().take_while(|link| link[0] == ghost).map(|link| link[1]);
            let places = members.filter_map(|member| group.binary_search(&member).ok());
            let touch = |member: usize| Touch { parts: [place, member as u32], faces: [NO_FACE; 2], area: 0.0 };
            touches.extend(places.map(touch));
        }
        let islands = connected(parts.len(), touches.iter().map(|touch| touch.parts));
        let mut homes = vec![(0, 0); parts.len()];
        let mut compounds: Vec<Compound> = Vec::new();
        for (island, members) in islands.iter().enumerate() {
            let mut compound = self.sibling();
            let own = members.iter().map(|&member| Arc::clone(&shards[group[member as usize] as usize].part));
            compound.extend(own.collect());
            for (number, &member) in members.iter().enumerate() {
                homes[member as usize] = (island, number as u32);
            }
            compounds.push(compound);
        }
        for touch in touches {
            let [(island, one), (_, other)] = touch.parts.map(|part| homes[part as usize]);
            compounds[island].bond([one, other], touch.faces, touch.area);
        }
        compounds.iter_mut().for_each(Compound::find_support);
        compounds
    }

    /// What is to be added to the rest touches among itself and of the rest: shards first, then the neighbours.
    fn touches_of_rest(&self, shards: &[Shard], rest: &[u32], neighbours: &[u32]) -> Vec<Touch> {
        let added = rest.iter().map(|&shard| &*shards[shard as usize].part);
        let known = neighbours.iter().filter_map(|&number| self.part(number)).map(|part| &**part);
        touching(&added.chain(known).collect::<Vec<&Part>>(), rest.len())
    }

    /// Bonds what was added to the rest.
    fn bond_rest(
        &mut self,
        touches: Vec<Touch>,
        shard_count: u32,
        rest: &[u32],
        first: u32,
        neighbours: &[u32],
        links: &[[u32; 2]],
    ) {
        let number = |place: u32| match (place as usize).checked_sub(rest.len()) {
            None => first + place,
            Some(known) => neighbours[known],
        };
        for touch in touches {
            self.bond(touch.parts.map(number), touch.faces, touch.area);
        }
        let home = |link: u32| match link.checked_sub(shard_count) {
            // A shard, or a part that was not cut, numbered on from the shards.
            None => rest.binary_search(&link).ok().map(|place| first + place as u32),
            Some(number) => Some(number),
        };
        for &[ghost, member] in links {
            if let (Some(ghost), Some(member)) = (home(ghost), home(member)) {
                self.bond([ghost, member], [NO_FACE; 2], 0.0);
            }
        }
    }

    /// Takes an island out as a compound of its own.
    fn split_off(&mut self, island: &[u32]) -> Compound {
        let slots: Vec<Slot> = island.iter().filter_map(|&number| self.take(number)).collect();
        let numbers: FxHashMap<u32, u32> = island.iter().copied().zip(0..).collect();
        let mut compound = self.sibling();
        compound.extend(slots.iter().map(|slot| Arc::clone(&slot.part)).collect());
        for (number, slot) in slots.into_iter().enumerate() {
            if let Some(own) = &mut compound.slots[number] {
                own.bonds = slot.bonds;
                own.bonds.retain_mut(|bond| numbers.get(&bond.other).map(|&other| bond.other = other).is_some());
            }
        }
        compound.find_support();
        compound
    }
}

/// Time since the last lap.
struct Clock(Instant);

impl Clock {
    fn lap(&mut self, time: &mut Duration) {
        let now = Instant::now();
        *time += now - std::mem::replace(&mut self.0, now);
    }
}
