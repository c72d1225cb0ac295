//! One block: its warps take turns until all have ended.

use super::state::{Barrier, BlockRace, BlockState, Status, Warp};
use super::{Launch, Problem};
use crate::error::{Fault, FaultKind, ThreadPosition};
use crate::profile::Profile;
use crate::program::{Instruction, Operation, WARP};
use std::sync::atomic::Ordering;

/// A generator of orders: small, and the same on every machine.
pub(crate) struct Shuffle(u64);

impl Shuffle {
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        Self(seed ^ stream.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }

    pub(crate) fn order(&mut self, items: &mut [u32]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }
}

/// Runs a block from its start to its end.
pub(crate) fn run<'run>(launch: &'run Launch<'run>, number: u32) -> Result<Profile, Box<Fault>> {
    let [x, y, _] = launch.grid;
    let words = launch.total_shared.div_ceil(8) as usize;
    let mut block = BlockState {
        launch,
        position: [number % x, number / x % y, number / (x * y)],
        number,
        shared: vec![0xcdcd_cdcd_cdcd_cdcd; words],
        shared_written: vec![0; words],
        barriers: vec![Barrier::default(); 16],
        profile: Profile::default(),
        race: launch.races.is_some().then(BlockRace::default),
        exited: 0,
    };
    let mut warps: Vec<Warp> =
        (0..launch.threads.div_ceil(WARP as u32)).map(|index| Warp::new(index, launch)).collect();
    let mut shuffle = launch.options.shuffle.map(|seed| Shuffle::new(seed, u64::from(number) + 1));
    let mut order: Vec<u32> = (0..warps.len() as u32).collect();
    loop {
        let mut ran = false;
        if let Some(shuffle) = &mut shuffle {
            shuffle.order(&mut order);
        }
        // The fault of an earlier block is the report.
        if launch.failed.load(Ordering::Relaxed) < number {
            return Ok(block.profile);
        }
        for &index in &order {
            let warp = &mut warps[index as usize];
            if warp.status != Status::Ready {
                continue;
            }
            ran = true;
            let turn = match &mut shuffle {
                Some(shuffle) => 1 + shuffle.below(u64::from(launch.options.turn.max(1))),
                None => u64::from(launch.options.turn.max(1)),
            };
            let mut current = None;
            if let Err(problem) = warp.run(&mut block, turn, &mut current) {
                return Err(fault(&block, warp.index, current, *problem));
            }
        }
        match block.complete_barriers(&mut warps) {
            Ok(completed) => ran |= completed,
            Err((warp, problem)) => {
                let current = waiting_at(launch, &warps[warp]);
                return Err(fault(&block, warp as u32, current, *problem));
            }
        }
        if warps.iter().all(|warp| warp.status == Status::Finished) {
            return Ok(block.profile);
        }
        if !ran {
            return Err(deadlock(&block, &warps));
        }
    }
}

fn waiting_at<'run>(launch: &Launch<'run>, warp: &Warp) -> Option<&'run Instruction> {
    let frame = warp.frames.last()?;
    let path = frame.paths.last()?;
    launch.loaded.module.code.functions[frame.function as usize].instructions.get(path.next as usize - 1)
}

fn deadlock(block: &BlockState<'_>, warps: &[Warp]) -> Box<Fault> {
    let waiting: Vec<(u32, usize, u32)> = warps
        .iter()
        .filter_map(|warp| match warp.status {
            Status::Waiting(barrier) => {
                let line = waiting_at(block.launch, warp)
                    .filter(|instruction| matches!(instruction.operation, Operation::Barrier(_)))
                    .map_or(0, |instruction| instruction.line);
                Some((warp.index, barrier, line))
            }
            _ => None,
        })
        .collect();
    let places: Vec<String> = waiting
        .iter()
        .take(4)
        .map(|(warp, barrier, line)| format!("warp {warp} at barrier {barrier} on PTX line {line}"))
        .collect();
    let message = format!("no barrier can complete: {}", places.join(", "));
    let first = waiting.first().map_or(0, |waiting| waiting.0);
    let warp = &warps[first as usize];
    let lane = Some(warp.live.trailing_zeros() as usize);
    let problem = Problem::new(FaultKind::BarrierDivergence, lane, message);
    fault(block, first, waiting_at(block.launch, warp), *problem)
}

fn fault(block: &BlockState<'_>, warp: u32, instruction: Option<&Instruction>, problem: Problem) -> Box<Fault> {
    let module = &block.launch.loaded.module;
    let thread = problem
        .lane
        .map(|lane| ThreadPosition { block: block.position, thread: block.thread(warp, lane.min(WARP - 1)) });
    let (line, location) = problem
        .place
        .or_else(|| instruction.map(|instruction| (instruction.line, instruction.location)))
        .unwrap_or((0, None));
    Box::new(Fault {
        kind: problem.kind,
        kernel: module.code.functions[block.launch.kernel as usize].name.clone(),
        thread,
        line,
        source: module.source_position(location),
        message: problem.message,
    })
}
