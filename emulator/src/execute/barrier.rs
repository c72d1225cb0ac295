//! The sixteen barriers of a block.

use super::Problem;
use super::state::{Barrier, BlockState, Status, Warp};
use super::step::Step;
use crate::detect::race::warp_agent;
use crate::error::FaultKind;
use crate::program::{BarrierForm, BarrierReduction, Operation, WARP, lanes};

impl Warp {
    /// The warp arrives at a barrier; all of its lanes that live must be here.
    pub(crate) fn barrier(&mut self, block: &mut BlockState<'_>, form: &BarrierForm, line: u32, active: u32) -> Step {
        let launch = block.launch;
        let first = active.trailing_zeros() as usize;
        let numbers = self.read(launch, &form.barrier);
        let number = numbers[first] as u32 as usize;
        if let Some(lane) = lanes(active).find(|&lane| numbers[lane] != numbers[first]) {
            let message = format!("barrier {} here, barrier {number} in lane {first} of the warp", numbers[lane]);
            return Err(Problem::new(FaultKind::BarrierDivergence, Some(lane), message));
        }
        if number >= block.barriers.len() {
            let message = format!("there is no barrier {number}; a block has 16");
            return Err(Problem::new(FaultKind::InvalidOperand, Some(first), message));
        }
        let missing = self.live & !active;
        if missing != 0 {
            let message = format!(
                "lanes {active:#010x} of the warp wait at barrier {number}, lanes {missing:#010x} are elsewhere"
            );
            return Err(Problem::new(FaultKind::BarrierDivergence, Some(first), message));
        }
        let expected = match &form.count {
            None => None,
            Some(count) => {
                let count = self.read(launch, count)[first] as u32;
                if count == 0 || !count.is_multiple_of(WARP as u32) {
                    let message = format!("a barrier of {count} threads, which is no multiple of 32");
                    return Err(Problem::new(FaultKind::InvalidOperand, Some(first), message));
                }
                Some(count)
            }
        };
        let barrier = &mut block.barriers[number];
        if barrier.arrived == 0 {
            *barrier = Barrier { expected, line, aligned: form.aligned, ..Barrier::default() };
        } else if barrier.expected != expected {
            let message =
                format!("barrier {number} is used with another count of threads than on PTX line {}", barrier.line);
            return Err(Problem::new(FaultKind::BarrierDivergence, Some(first), message));
        } else if form.wait && form.aligned && barrier.aligned && barrier.line != line && barrier.expected.is_none() {
            let message = format!(
                "barrier {number} is waited for here and on PTX line {}: all threads of a block must meet at one",
                barrier.line
            );
            return Err(Problem::new(FaultKind::BarrierDivergence, Some(first), message));
        }
        // A warp counts in full, as the ISA has it.
        barrier.arrived += WARP as u32;
        if let Some((_, source)) = &form.reduction {
            let votes = self.predicate(*source) & active;
            let barrier = &mut block.barriers[number];
            barrier.voters += active.count_ones();
            barrier.votes += votes.count_ones();
        }
        if block.race.is_some() {
            let agent = warp_agent(block.number, self.index);
            let barrier = &mut block.barriers[number];
            barrier.known_warps.learn(agent, self.race.clock);
            barrier.known_warps.join(&self.race.known_warps);
            barrier.pending.join(&self.race.pending);
            // What comes after the arrival is not covered by it.
            self.race.clock += 1;
        }
        if form.wait {
            block.barriers[number].waiting |= 1 << self.index;
            self.status = Status::Waiting(number);
        }
        Ok(())
    }

    /// Gives a warp that waited the result of a reduction, and lets it go on.
    pub(crate) fn resume(&mut self, block: &BlockState<'_>, barrier: &Barrier) {
        self.status = Status::Ready;
        self.race.epoch += 1;
        self.race.known_warps.join(&barrier.known_warps);
        self.race.pending.join(&barrier.pending);
        let Some(frame) = self.frames.last() else { return };
        let Some(path) = frame.paths.last().copied() else { return };
        let code = &block.launch.loaded.module.code.functions[frame.function as usize];
        let Operation::Barrier(form) = &code.instructions[path.next as usize - 1].operation else { return };
        let all = |value: bool| if value { u32::MAX } else { 0 };
        match &form.reduction {
            None => {}
            Some((BarrierReduction::Count(target), _)) => {
                self.write(*target, &[u64::from(barrier.votes); WARP], path.mask);
            }
            Some((BarrierReduction::And(slot), _)) => {
                self.set_predicate(*slot, all(barrier.votes == barrier.voters), path.mask);
            }
            Some((BarrierReduction::Or(slot), _)) => self.set_predicate(*slot, all(barrier.votes != 0), path.mask),
        }
    }
}

impl BlockState<'_> {
    /// Lets the warps of every complete barrier go on. Answers whether there was one.
    pub(crate) fn complete_barriers(&mut self, warps: &mut [Warp]) -> Result<bool, (usize, Box<Problem>)> {
        let running = warps.iter().filter(|warp| warp.status != Status::Finished).count() as u32;
        let mut any = false;
        for number in 0..self.barriers.len() {
            let barrier = &self.barriers[number];
            let expected = barrier.expected.unwrap_or(running * WARP as u32);
            if barrier.arrived == 0 || barrier.arrived < expected {
                continue;
            }
            let threads = self.launch.threads;
            if barrier.expected.is_none() && self.exited != 0 && self.launch.options.exited_threads_at_barriers {
                let waiting = lanes(barrier.waiting).next().unwrap_or(0);
                let message = format!(
                    "{} of the {threads} threads of the block left without reaching barrier {number}",
                    self.exited
                );
                let lane = Some(warps[waiting].live.trailing_zeros() as usize);
                return Err((waiting, Problem::new(FaultKind::BarrierDivergence, lane, message)));
            }
            self.profile.barriers += 1;
            let barrier = std::mem::take(&mut self.barriers[number]);
            for warp in lanes(barrier.waiting) {
                warps[warp].resume(self, &barrier);
            }
            any = true;
        }
        Ok(any)
    }
}
