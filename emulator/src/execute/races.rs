//! What the race detector is told while a warp runs.

use super::Problem;
use super::state::{BlockState, Warp};
use super::step::Step;
use crate::detect::race::{Access, Accesses, Actor, Conflict, warp_agent};
use crate::error::{FaultKind, ThreadPosition};
use crate::program::{Scope, WARP};
use crate::ptx::types::Space;
use std::sync::atomic::{Ordering, fence};

impl Warp {
    fn actor(&self, block: &BlockState<'_>, lane: usize) -> Actor {
        Actor {
            block: block.number,
            thread: self.index * WARP as u32 + lane as u32,
            warp_epoch: self.race.epoch,
            block_clock: block.race.as_ref().map_or(0, |race| race.clock),
            warp_clock: self.race.clock,
            issue: self.executed,
            line: self.current_line(block),
        }
    }

    fn current_line(&self, block: &BlockState<'_>) -> u32 {
        let Some(frame) = self.frames.last() else { return 0 };
        let Some(path) = frame.paths.last() else { return 0 };
        let code = &block.launch.loaded.module.code.functions[frame.function as usize];
        code.instructions.get(path.next as usize - 1).map_or(0, |instruction| instruction.line)
    }

    /// Looks at one element of an access to global or shared memory: (write, strong, value). This comes before the
    /// access itself, so that who sees what was written finds it published too.
    #[inline]
    pub(crate) fn note_access(
        &mut self,
        block: &mut BlockState<'_>,
        (space, address, size): (Space, u64, u64),
        (write, strong, value): (bool, Option<Scope>, u64),
        lane: usize,
    ) -> Step {
        if block.race.is_none() || !matches!(space, Space::Global | Space::Shared) {
            return Ok(());
        }
        self.look_for_race(block, (space, address, size), (write, strong, value), lane)
    }

    fn look_for_race(
        &mut self,
        block: &mut BlockState<'_>,
        (space, address, size): (Space, u64, u64),
        (write, strong, value): (bool, Option<Scope>, u64),
        lane: usize,
    ) -> Step {
        let actor = self.actor(block, lane);
        let access = Access { actor, address, size, write, strong, value };
        let launch = block.launch;
        let Some(race) = block.race.as_mut() else { return Ok(()) };
        let known = &self.race.known_warps;
        let conflict = match (space, &launch.races) {
            (Space::Shared, _) => {
                let conflict = race.shared.record(&access, &race.known_blocks, known);
                if strong.is_some() && write {
                    race.shared.publish(address, &race.fenced);
                }
                conflict
            }
            (_, Some(global)) => global.with(address, |accesses| {
                let conflict = accesses.record(&access, &race.known_blocks, known);
                if strong.is_some() && write {
                    accesses.publish(address, &race.fenced);
                }
                conflict
            }),
            _ => None,
        };
        match conflict {
            None => Ok(()),
            Some(conflict) => Err(describe(block, &access, &conflict, space, lane)),
        }
    }

    /// What an atomic or volatile read may have learned. This comes after the access itself: whatever it saw was
    /// published before.
    pub(crate) fn note_seen(&mut self, block: &mut BlockState<'_>, space: Space, address: u64) {
        let launch = block.launch;
        let Some(race) = block.race.as_mut() else { return };
        let pending = &mut self.race.pending;
        let mut learn = |accesses: &Accesses| {
            if let Some(found) = accesses.published(address) {
                pending.blocks.join(&found.blocks);
                pending.warps.join_warps_of(block.number, &found.warps);
            }
        };
        match (space, &launch.races) {
            (Space::Shared, _) => learn(&race.shared),
            (Space::Global, Some(global)) => global.with(address, |accesses| learn(accesses)),
            _ => {}
        }
    }

    /// A fence: what was written before it can be published, what was learned before it is sure.
    pub(crate) fn fence(&mut self, block: &mut BlockState<'_>, scope: Scope) {
        fence(Ordering::SeqCst);
        let Some(race) = block.race.as_mut() else { return };
        let agent = warp_agent(block.number, self.index);
        race.fenced.warps.learn(agent, self.race.clock);
        race.fenced.warps.join(&self.race.known_warps);
        self.race.clock += 1;
        if scope == Scope::Device {
            race.fenced.blocks.learn(block.number, race.clock);
            race.clock += 1;
        }
        self.acquire(block);
    }

    /// What atomic reads have learned becomes sure.
    pub(crate) fn acquire(&mut self, block: &mut BlockState<'_>) {
        fence(Ordering::SeqCst);
        let Some(race) = block.race.as_mut() else { return };
        if self.race.pending.blocks.is_empty() && self.race.pending.warps.is_empty() {
            return;
        }
        let pending = std::mem::take(&mut self.race.pending);
        race.known_blocks.join(&pending.blocks);
        self.race.known_warps.join(&pending.warps);
        // What this block knows, it passes on with what it publishes next.
        race.fenced.join(&pending);
    }
}

fn describe(block: &BlockState<'_>, access: &Access, conflict: &Conflict, space: Space, lane: usize) -> Box<Problem> {
    let launch = block.launch;
    let [x, y, _] = launch.grid;
    let number = conflict.other.block;
    let other = ThreadPosition {
        block: [number % x, number / x % y, number / (x * y)],
        thread: block.thread(conflict.other.thread / WARP as u32, conflict.other.thread as usize % WARP),
    };
    let verb = |write: bool| if write { "write" } else { "read" };
    let message = format!(
        "a {} of {} bytes at {:#x} in {space:?} memory races with a {} by {other}, PTX line {}: nothing orders them",
        verb(access.write),
        access.size,
        access.address,
        verb(conflict.other_writes),
        conflict.other.line,
    );
    Problem::new(FaultKind::Race, Some(lane), message)
}
