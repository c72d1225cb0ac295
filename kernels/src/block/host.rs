//! Blocks for the tests: a thread of the host for each thread of the block.

extern crate std;

use core::cell::Cell;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::vec::Vec;

use super::{Block, LANES, Shared, THREADS, WARPS};

/// What the threads of a block have in common.
struct Meeting {
    block: Barrier,
    warps: Vec<Barrier>,
    /// Values on their way between lanes, in two lists that take turns: who writes to one has met all who read the other,
    /// so a single barrier for each exchange is enough.
    exchange: [Vec<AtomicU32>; 2],
}

/// One thread of a block.
pub(crate) struct HostThread<'a> {
    thread: usize,
    meeting: &'a Meeting,
    turn: Cell<usize>,
}

/// Runs a block: the body for each of its threads at once, with shared memory that holds nothing of use.
pub(crate) fn run(shared: usize, body: impl Fn(&HostThread<'_>, &Shared) + Sync) {
    let meeting = Meeting {
        block: Barrier::new(THREADS),
        warps: (0..WARPS).map(|_| Barrier::new(LANES)).collect(),
        exchange: [0, 1].map(|_| (0..THREADS).map(|_| AtomicU32::new(0)).collect()),
    };
    let shared: Vec<AtomicU32> = (0..shared).map(|_| AtomicU32::new(0xdead_beef)).collect();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (meeting, shared, body) = (&meeting, &shared, &body);
            let start = move || body(&HostThread { thread, meeting, turn: Cell::new(0) }, shared);
            std::thread::Builder::new().stack_size(1 << 17).spawn_scoped(scope, start).expect("a thread starts");
        }
    });
}

impl HostThread<'_> {
    /// What each lane of the warp gives.
    fn gather(&self, value: u32) -> [u32; LANES] {
        let exchange = &self.meeting.exchange[self.turn.replace(1 - self.turn.get())];
        exchange[self.thread].store(value, Relaxed);
        self.warp_barrier();
        core::array::from_fn(|lane| exchange[self.warp() * LANES + lane].load(Relaxed))
    }
}

impl Block for HostThread<'_> {
    fn thread(&self) -> usize {
        self.thread
    }

    fn barrier(&self) {
        self.meeting.block.wait();
    }

    fn warp_barrier(&self) {
        self.meeting.warps[self.warp()].wait();
    }

    fn shuffle(&self, value: u32, lane: usize) -> u32 {
        self.gather(value)[lane]
    }

    fn shuffle_up(&self, value: u32, lanes: usize) -> u32 {
        let values = self.gather(value);
        self.lane().checked_sub(lanes).map_or(value, |lane| values[lane])
    }

    fn same(&self, value: u32) -> u32 {
        let values = self.gather(value);
        (0..LANES).filter(|&lane| values[lane] == value).fold(0, |bits, lane| bits | 1 << lane)
    }
}
