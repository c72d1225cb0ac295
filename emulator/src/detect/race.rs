//! Data races: accesses to the same bytes that nothing orders, one of them a write and one of them plain.
//!
//! Two accesses are ordered by a barrier of the block between them, by a barrier of the warp if both are in one warp, or
//! by a chain "fence, atomic write, atomic read of it, fence" from the one to the other. Fences and what they publish
//! are kept for a whole block (and for a warp, inside of a block), so that a chain which goes through a barrier counts;
//! this lets some races of single threads pass and reports none that is not there.

use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};

/// Who accesses memory, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Actor {
    pub(crate) block: u32,
    pub(crate) thread: u32,
    /// Barriers of the block that this thread has passed.
    pub(crate) epoch: u32,
    /// Barriers of its warp.
    pub(crate) warp_epoch: u32,
    /// Fences of the block and of the warp.
    pub(crate) block_clock: u32,
    pub(crate) warp_clock: u32,
    /// Which instruction of the warp, counted from the start: the lanes of one instruction share it.
    pub(crate) issue: u64,
    pub(crate) line: u32,
}

impl Actor {
    fn warp(&self) -> u32 {
        self.thread / 32
    }
}

/// What a block or a warp knows of the others: for each the last fence whose effects it has seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct Knowledge {
    seen: FxHashMap<u32, u32>,
}

impl Knowledge {
    pub(crate) fn join(&mut self, other: &Self) {
        for (&agent, &clock) in &other.seen {
            self.learn(agent, clock);
        }
    }

    pub(crate) fn learn(&mut self, agent: u32, clock: u32) {
        let known = self.seen.entry(agent).or_insert(clock);
        *known = clock.max(*known);
    }

    fn covers(&self, agent: u32, clock: u32) -> bool {
        self.seen.get(&agent).is_some_and(|&seen| seen >= clock)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }
}

/// What both kinds of agents know.
#[derive(Debug, Clone, Default)]
pub(crate) struct View {
    pub(crate) blocks: Knowledge,
    pub(crate) warps: Knowledge,
}

impl View {
    pub(crate) fn join(&mut self, other: &Self) {
        self.blocks.join(&other.blocks);
        self.warps.join(&other.warps);
    }
}

/// The identity of a warp among all of a launch.
pub(crate) fn warp_agent(block: u32, warp: u32) -> u32 {
    block.wrapping_mul(32).wrapping_add(warp)
}

#[derive(Debug, Clone, Copy)]
struct Record {
    actor: Actor,
    /// Which bytes of the word.
    bytes: u8,
    value: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    plain_write: Option<Record>,
    strong_write: Option<Record>,
    plain_reads: [Option<Record>; 2],
    strong_read: Option<Record>,
}

/// An access to look at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Access {
    pub(crate) actor: Actor,
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) write: bool,
    /// Atomic or volatile.
    pub(crate) strong: bool,
    pub(crate) value: u64,
}

/// The other side of a race.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Conflict {
    pub(crate) other: Actor,
    pub(crate) other_writes: bool,
}

/// The accesses to one memory, or to a part of one.
#[derive(Debug, Default)]
pub(crate) struct Accesses {
    cells: FxHashMap<u64, Cell>,
    published: FxHashMap<u64, View>,
}

impl Accesses {
    /// Records an access and answers with what it races with, given what the accessing block and warp know.
    pub(crate) fn record(&mut self, access: &Access, blocks: &Knowledge, warps: &Knowledge) -> Option<Conflict> {
        let word = access.address / 8;
        let bytes = (((1_u16 << access.size) - 1) as u8) << (access.address % 8);
        let cell = self.cells.entry(word).or_default();
        let record = Record { actor: access.actor, bytes, value: access.value };
        let races = |other: &Record| {
            let same_store = access.write
                && other.actor.issue == access.actor.issue
                && (other.actor.block, other.actor.warp()) == (access.actor.block, access.actor.warp())
                && other.value == access.value
                && other.bytes == bytes;
            other.bytes & bytes != 0 && !same_store && !ordered(&other.actor, &access.actor, blocks, warps)
        };
        let writes = [cell.plain_write, if access.strong { None } else { cell.strong_write }];
        let reads = [cell.plain_reads[0], cell.plain_reads[1], if access.strong { None } else { cell.strong_read }];
        let mut conflict = writes.iter().flatten().find(|other| races(other)).map(|other| (other.actor, true));
        if access.write && conflict.is_none() {
            conflict = reads.iter().flatten().find(|other| races(other)).map(|other| (other.actor, false));
        }
        match (access.write, access.strong) {
            (true, false) => cell.plain_write = Some(record),
            (true, true) => cell.strong_write = Some(record),
            (false, true) => cell.strong_read = Some(record),
            (false, false) => {
                // The two latest readers that are not the same thread.
                let latest = cell.plain_reads[0].map(|read| (read.actor.block, read.actor.thread));
                if latest != Some((access.actor.block, access.actor.thread)) {
                    cell.plain_reads[1] = cell.plain_reads[0];
                }
                cell.plain_reads[0] = Some(record);
            }
        }
        conflict.map(|(other, other_writes)| Conflict { other, other_writes })
    }

    /// An atomic write publishes what its block has fenced.
    pub(crate) fn publish(&mut self, address: u64, fenced: &View) {
        self.published.entry(address).or_default().join(fenced);
    }

    /// What an atomic read of this address may learn.
    pub(crate) fn published(&self, address: u64) -> Option<&View> {
        self.published.get(&address)
    }
}

fn ordered(earlier: &Actor, later: &Actor, blocks: &Knowledge, warps: &Knowledge) -> bool {
    if earlier.block != later.block {
        return blocks.covers(earlier.block, earlier.block_clock);
    }
    earlier.thread == later.thread
        || earlier.epoch < later.epoch
        || (earlier.warp() == later.warp() && earlier.warp_epoch < later.warp_epoch)
        || warps.covers(warp_agent(earlier.block, earlier.warp()), earlier.warp_clock)
}

/// The accesses to global memory, which the blocks of a launch share.
#[derive(Debug)]
pub(crate) struct GlobalAccesses {
    shards: Vec<Mutex<Accesses>>,
}

impl GlobalAccesses {
    pub(crate) fn new() -> Self {
        Self { shards: (0..64).map(|_| Mutex::new(Accesses::default())).collect() }
    }

    /// Works on the part that holds an address, alone.
    pub(crate) fn with<T>(&self, address: u64, work: impl FnOnce(&mut Accesses) -> T) -> T {
        let shard = &self.shards[(address / 8 % 64) as usize];
        work(&mut shard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
