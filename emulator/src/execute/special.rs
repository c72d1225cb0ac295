//! The special registers, and the spaces of generic addresses.

use super::Launch;
use super::state::{BlockState, Warp};
use crate::memory::{LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW, WINDOW_SIZE};
use crate::number::mask;
use crate::program::Special;
use crate::ptx::types::Space;

impl Warp {
    /// The value of a special register for one lane.
    pub(crate) fn special(&self, block: &BlockState<'_>, register: Special, lane: usize) -> u64 {
        let launch = block.launch;
        let below = (1_u64 << lane) - 1;
        let through = below | 1 << lane;
        u64::from(match register {
            Special::Thread(axis) => block.thread(self.index, lane)[axis],
            Special::ThreadCount(axis) => launch.block[axis],
            Special::Block(axis) => block.position[axis],
            Special::BlockCount(axis) => launch.grid[axis],
            Special::Lane => lane as u32,
            Special::Warp => self.index,
            Special::WarpCount => 64,
            Special::Multiprocessor => block.number % 16,
            Special::MultiprocessorCount => 16,
            Special::DynamicSharedSize => launch.dynamic_shared,
            Special::TotalSharedSize => launch.total_shared,
            Special::LaneMaskEqual => return 1 << lane,
            Special::LaneMaskLess => return below,
            Special::LaneMaskLessOrEqual => return through,
            Special::LaneMaskGreater => return !through & mask(32),
            Special::LaneMaskGreaterOrEqual => return !below & mask(32),
            // A clock that only moves on, by one for each instruction of the warp.
            Special::Clock | Special::Clock64 => return self.executed,
            Special::ClockHigh => return self.executed >> 32,
            Special::GlobalTimer => return launch.started.elapsed().as_nanos() as u64,
            Special::Grid => return launch.number,
        })
    }
}

/// Whether a generic address lies in a space.
pub(crate) fn is_in(launch: &Launch<'_>, address: u64, space: Space, hint: &mut usize) -> bool {
    let within = |window: u64| (window..window + WINDOW_SIZE).contains(&address);
    match space {
        Space::Shared => within(SHARED_WINDOW),
        Space::Local => within(LOCAL_WINDOW),
        Space::Parameter | Space::Entry => within(PARAMETER_WINDOW),
        Space::Generic => true,
        Space::Constant => launch.memory.find(address, 1, hint).is_ok_and(|allocation| allocation.is_read_only()),
        // Whatever lies in no other window; that of the parameters is a part of global memory.
        Space::Global => {
            let constant = launch.memory.find(address, 1, hint).is_ok_and(|allocation| allocation.is_read_only());
            !constant && !within(SHARED_WINDOW) && !within(LOCAL_WINDOW)
        }
    }
}
