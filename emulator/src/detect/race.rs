//! Data races: accesses to the same bytes that nothing orders, one of them a write and one of them plain.
//!
//! Two accesses are ordered by a barrier of the block that both their warps came to, by a barrier of the warp if both are
//! in one warp, or by a chain "fence, atomic write, atomic read of it, fence" from the one to the other. Fences and what
//! they publish are kept for a whole block (and for a warp, inside of a block), so that a chain which goes through a
//! barrier counts; this lets some races of single threads pass and reports none that is not there.

use crate::program::Scope;
use rustc_hash::FxHashMap;
use std::sync::{Mutex, PoisonError};

/// Who accesses memory, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Actor {
    pub(crate) block: u32,
    pub(crate) thread: u32,
    /// Barriers that its warp has passed.
    pub(crate) warp_epoch: u32,
    /// Fences of the block; fences and barriers of the warp.
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

    fn is_thread_of(&self, other: &Self) -> bool {
        (self.block, self.thread) == (other.block, other.thread)
    }
}

/// What a block or a warp knows of the others: for each the last fence or barrier whose effects it has seen.
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

    /// Only what concerns the warps of one block; the others are known by their blocks.
    pub(crate) fn join_warps_of(&mut self, block: u32, other: &Self) {
        for (&agent, &clock) in other.seen.iter().filter(|(agent, _)| **agent / WARPS == block % (u32::MAX / WARPS + 1))
        {
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

/// The most warps that a block has.
const WARPS: u32 = 32;

/// The identity of a warp among all of a launch.
pub(crate) fn warp_agent(block: u32, warp: u32) -> u32 {
    block.wrapping_mul(WARPS).wrapping_add(warp)
}

/// An access to look at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Access {
    pub(crate) actor: Actor,
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) write: bool,
    /// Atomic or volatile, and for whom; none for a plain access.
    pub(crate) strong: Option<Scope>,
    pub(crate) value: u64,
}

/// An access of the past, to one word.
#[derive(Debug, Clone, Copy)]
struct Record {
    access: Access,
    /// Which bytes of the word it still stands for.
    bytes: u8,
}

/// How many accesses of one kind to the same bytes are remembered.
const REMEMBERED: usize = 4;

/// The other side of a race.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Conflict {
    pub(crate) other: Actor,
    pub(crate) other_writes: bool,
}

/// The accesses to one memory, or to a part of one.
#[derive(Debug, Default)]
pub(crate) struct Accesses {
    /// The accesses to each word of 8 bytes, the oldest first.
    words: FxHashMap<u64, Vec<Record>>,
    published: FxHashMap<u64, View>,
}

impl Accesses {
    /// Records an access and answers with what it races with, given what the accessing block and warp know.
    pub(crate) fn record(&mut self, access: &Access, blocks: &Knowledge, warps: &Knowledge) -> Option<Conflict> {
        let bytes = (((1_u16 << access.size) - 1) as u8) << (access.address % 8);
        let records = self.words.entry(access.address / 8).or_default();
        let overlapping = |record: &Record| record.bytes & bytes != 0;
        let conflict = records
            .iter()
            .filter(|record| overlapping(record) && conflicts(&record.access, access))
            .filter(|record| !ordered(&record.access.actor, &access.actor, blocks, warps))
            .max_by_key(|record| record.access.write)
            .map(|record| Conflict { other: record.access.actor, other_writes: record.access.write });
        let alike = |record: &Record| {
            (record.access.write, record.access.strong) == (access.write, access.strong) && overlapping(record)
        };
        for record in records.iter_mut() {
            // A plain write comes after everything before it, or there was a conflict; so does a thread after itself.
            let same_thread = record.access.actor.is_thread_of(&access.actor) && alike(record);
            if same_thread || (access.write && access.strong.is_none()) {
                record.bytes &= !bytes;
            }
        }
        if records.iter().filter(|record| alike(record)).count() >= REMEMBERED
            && let Some(oldest) = records.iter().position(alike)
        {
            records.remove(oldest);
        }
        records.retain(|record| record.bytes != 0);
        records.push(Record { access: *access, bytes });
        conflict
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

/// Whether two accesses to the same bytes race if nothing orders them.
fn conflicts(earlier: &Access, later: &Access) -> bool {
    let same_block = earlier.actor.block == later.actor.block;
    let atomic = match (earlier.strong, later.strong) {
        (Some(one), Some(other)) => same_block || (one == Scope::Device && other == Scope::Device),
        _ => false,
    };
    // The lanes of one instruction may write the same value.
    let same_store = earlier.write
        && later.write
        && same_block
        && earlier.actor.warp() == later.actor.warp()
        && earlier.actor.issue == later.actor.issue
        && (earlier.address, earlier.size, earlier.value) == (later.address, later.size, later.value);
    (earlier.write || later.write) && !atomic && !same_store
}

fn ordered(earlier: &Actor, later: &Actor, blocks: &Knowledge, warps: &Knowledge) -> bool {
    if earlier.block != later.block {
        return blocks.covers(earlier.block, earlier.block_clock);
    }
    earlier.thread == later.thread
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
