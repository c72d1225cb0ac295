//! What holds a compound up: which parts still reach an anchor, and which fell off (\[Mueller13\] 3.1 and 3.2).
//!
//! Every part of an anchored compound knows the next part on a way to an anchor. After a break only parts whose way led
//! through what is gone have to look for another one. In a compound without anchors, searches set out from all sides of
//! the hole in turns; as soon as all but one have met or ended, what ended has fallen off and the other is the rest. So
//! the cost follows the size of what falls, not of what stays.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::compound::{Compound, NO_SUPPORT};
use super::part::Anchor;
use crate::geometry::DisjointSets;

impl Compound {
    /// Finds a way to an anchor for every part.
    pub(super) fn find_support(&mut self) {
        let mut queue = VecDeque::new();
        for number in 0..self.slots.len() as u32 {
            if let Some(slot) = &mut self.slots[number as usize] {
                slot.support = if slot.part.anchor() == Anchor::Free { NO_SUPPORT } else { number };
                queue.extend((slot.support == number).then_some(number));
            }
        }
        self.spread_support(queue, |_| true);
    }

    /// Leads the parts that have no support and satisfy `may` to those in the queue.
    fn spread_support(&mut self, mut queue: VecDeque<u32>, may: impl Fn(u32) -> bool) {
        while let Some(number) = queue.pop_front() {
            let others: Vec<u32> = self.bonds(number).iter().map(|bond| bond.other).collect();
            for other in others {
                if let Some(slot) = &mut self.slots[other as usize]
                    && slot.support == NO_SUPPORT
                    && may(other)
                {
                    slot.support = number;
                    queue.push_back(other);
                }
            }
        }
    }

    /// The parts that no longer hang together with the rest, or no longer reach an anchor, island by island, after parts
    /// were taken out; `seeds` are the parts that touched those, and new ones. What stays is not among them.
    pub(super) fn fallen(&mut self, seeds: &[u32]) -> Vec<Vec<u32>> {
        for &seed in seeds {
            if let Some(slot) = &mut self.slots[seed as usize]
                && slot.part.anchor() != Anchor::Free
            {
                slot.support = seed;
            }
        }
        let mut searches = Searches::new(self, seeds);
        searches.run();
        searches.finish()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Still looking.
    Active,
    /// It has seen all that hangs together, and no anchor.
    Ended,
    /// It has found a way to an anchor.
    Held,
}

/// Searches through the bonds from several parts at once; those that meet become one.
struct Searches<'a> {
    compound: &'a mut Compound,
    sets: DisjointSets,
    states: Vec<State>,
    queues: Vec<VecDeque<u32>>,
    members: Vec<Vec<u32>>,
    /// Which search came to a part first.
    owners: FxHashMap<u32, u32>,
    /// Whether the way to an anchor that a part knows still leads there.
    ways: FxHashMap<u32, bool>,
}

impl<'a> Searches<'a> {
    fn new(compound: &'a mut Compound, seeds: &[u32]) -> Searches<'a> {
        let seeds: Vec<u32> = seeds.iter().copied().filter(|&seed| compound.part(seed).is_some()).collect();
        let mut searches = Searches {
            compound,
            sets: DisjointSets::new(seeds.len()),
            states: vec![State::Active; seeds.len()],
            queues: vec![VecDeque::new(); seeds.len()],
            members: vec![Vec::new(); seeds.len()],
            owners: FxHashMap::with_capacity_and_hasher(2 * seeds.len(), Default::default()),
            ways: FxHashMap::default(),
        };
        for (search, &seed) in seeds.iter().enumerate() {
            searches.come_to(search as u32, seed);
        }
        searches
    }

    fn run(&mut self) {
        let is_anchored = self.compound.is_anchored();
        let mut active: Vec<u32> = (0..self.states.len() as u32).collect();
        loop {
            active.retain(|&search| self.sets.find(search) == search && self.states[search as usize] == State::Active);
            if active.len() <= usize::from(!is_anchored) {
                return;
            }
            for &search in &active {
                if self.sets.find(search) == search && self.states[search as usize] == State::Active {
                    self.advance(search);
                }
            }
        }
    }

    fn advance(&mut self, search: u32) {
        let Some(number) = self.queues[search as usize].pop_front() else {
            self.states[search as usize] = State::Ended;
            return;
        };
        for place in 0..self.compound.bonds(number).len() {
            let other = self.compound.bonds(number)[place].other;
            let root = self.sets.find(search);
            if self.states[root as usize] != State::Active {
                return;
            }
            self.come_to(root, other);
        }
    }

    /// A search reaches a part.
    fn come_to(&mut self, search: u32, number: u32) {
        if let Some(&owner) = self.owners.get(&number) {
            let owner = self.sets.find(owner);
            if owner != search {
                self.unite(search, owner, number);
            }
            return;
        }
        self.owners.insert(number, search);
        self.members[search as usize].push(number);
        if self.compound.is_anchored() && self.leads_to_anchor(number) {
            self.hold(search, number);
        } else {
            self.queues[search as usize].push_back(number);
        }
    }

    /// Two searches meet at a part of the second.
    fn unite(&mut self, search: u32, owner: u32, meeting: u32) {
        if self.states[owner as usize] == State::Held {
            self.hold(search, meeting);
        }
        let state = if self.states[search as usize] == State::Held { State::Held } else { State::Active };
        self.sets.join(search, owner);
        let (kept, gone) = (search.min(owner) as usize, search.max(owner) as usize);
        let (queue, members) = (std::mem::take(&mut self.queues[gone]), std::mem::take(&mut self.members[gone]));
        self.queues[kept].extend(queue);
        self.members[kept].extend(members);
        self.states[kept] = state;
    }

    /// What a search has seen is held by a part with a way to an anchor.
    fn hold(&mut self, search: u32, gate: u32) {
        self.states[search as usize] = State::Held;
        let members: FxHashSet<u32> = self.members[search as usize].iter().copied().collect();
        for &member in &self.members[search as usize] {
            if member != gate
                && let Some(slot) = &mut self.compound.slots[member as usize]
            {
                slot.support = NO_SUPPORT;
            }
            self.ways.insert(member, true);
        }
        self.compound.spread_support(VecDeque::from([gate]), |number| members.contains(&number));
    }

    /// Whether the way that a part knows still leads to an anchor.
    fn leads_to_anchor(&mut self, number: u32) -> bool {
        let mut path = Vec::new();
        let mut here = number;
        let leads = loop {
            if let Some(&known) = self.ways.get(&here) {
                break known;
            }
            path.push(here);
            let slot = self.compound.slots.get(here as usize).and_then(Option::as_ref);
            match slot.map(|slot| slot.support) {
                None | Some(NO_SUPPORT) => break false,
                Some(support) if support == here => break true,
                Some(support) => here = support,
            }
        };
        self.ways.extend(path.into_iter().map(|number| (number, leads)));
        leads
    }

    /// The islands that fell off.
    fn finish(mut self) -> Vec<Vec<u32>> {
        let roots: Vec<u32> =
            (0..self.states.len() as u32).filter(|&search| self.sets.find(search) == search).collect();
        let mut ended: Vec<u32> =
            roots.iter().copied().filter(|&root| self.states[root as usize] == State::Ended).collect();
        if ended.len() == roots.len() {
            // Nothing is left that could be the rest but one of these: the largest.
            let rank = |&root: &u32| (self.members[root as usize].len(), std::cmp::Reverse(root));
            if !self.compound.is_anchored()
                && let Some(rest) = ended.iter().copied().max_by_key(rank)
            {
                ended.retain(|&root| root != rest);
            }
        }
        let mut islands: Vec<Vec<u32>> =
            ended.into_iter().map(|root| std::mem::take(&mut self.members[root as usize])).collect();
        islands.iter_mut().for_each(|island| island.sort_unstable());
        islands
    }
}
