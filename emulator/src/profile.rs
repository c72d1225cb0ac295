//! What a launch did, in numbers.

use crate::program::{InstructionClass, WARP};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

const CLASSES: [InstructionClass; 18] = [
    InstructionClass::Integer,
    InstructionClass::Bits,
    InstructionClass::Float32,
    InstructionClass::Float64,
    InstructionClass::SpecialFunction,
    InstructionClass::Conversion,
    InstructionClass::Comparison,
    InstructionClass::Move,
    InstructionClass::LoadGlobal,
    InstructionClass::StoreGlobal,
    InstructionClass::LoadShared,
    InstructionClass::StoreShared,
    InstructionClass::Local,
    InstructionClass::Constant,
    InstructionClass::Atomic,
    InstructionClass::Warp,
    InstructionClass::Synchronisation,
    InstructionClass::Control,
];

/// Instructions of a warp, counted by class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InstructionCounts([u64; CLASSES.len()]);

impl InstructionCounts {
    /// How many of one class.
    pub fn of(&self, class: InstructionClass) -> u64 {
        self.0[class as usize]
    }

    /// How many in all.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    #[inline]
    pub(crate) fn count(&mut self, class: InstructionClass) {
        self.0[class as usize] += 1;
    }
}

impl Serialize for InstructionCounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for class in CLASSES.into_iter().filter(|class| self.of(*class) != 0) {
            map.serialize_entry(&class, &self.of(class))?;
        }
        map.end()
    }
}

/// The counts of one launch. A request is one memory instruction of one warp.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Profile {
    /// The kernel.
    pub kernel: String,
    /// Blocks in each direction.
    pub grid: [u32; 3],
    /// Threads of a block in each direction.
    pub block: [u32; 3],
    /// Shared memory of a block, static and dynamic, in bytes.
    pub shared_bytes: u64,
    /// Instructions that warps executed.
    pub warp_instructions: InstructionCounts,
    /// The lanes that were active in them, summed: 32 times the instructions would be no divergence at all.
    pub thread_instructions: u64,
    /// Conditional branches that warps executed.
    pub branches: u64,
    /// Those in which the lanes of a warp parted.
    pub divergent_branches: u64,
    /// Requests to global memory.
    pub global_requests: u64,
    /// Sectors of 32 bytes that they touched.
    pub global_sectors: u64,
    /// Sectors that the same bytes would take if they lay side by side.
    pub global_sectors_ideal: u64,
    /// Requests to shared memory.
    pub shared_requests: u64,
    /// Extra passes, because two words in one bank were asked for.
    pub shared_bank_conflicts: u64,
    /// Atomic requests.
    pub atomic_requests: u64,
    /// The lanes in them.
    pub atomic_lanes: u64,
    /// Lanes that had to wait for another lane of their warp at the same address.
    pub atomic_conflicts: u64,
    /// Barriers of a block that completed.
    pub barriers: u64,
    /// Shuffles that read a lane that takes no part, whose value is undefined.
    pub shuffles_from_inactive_lanes: u64,
}

impl Profile {
    /// Sectors for each global request: 4 is a perfect one of 32 words, 32 a scattered one.
    pub fn sectors_per_request(&self) -> f64 {
        self.global_sectors as f64 / self.global_requests.max(1) as f64
    }

    /// The share of lanes that were active, from 0 to 1.
    pub fn lane_efficiency(&self) -> f64 {
        self.thread_instructions as f64 / (32 * self.warp_instructions.total()).max(1) as f64
    }

    /// Adds the counts of another part of the same launch.
    pub(crate) fn add(&mut self, other: &Self) {
        for (sum, more) in self.warp_instructions.0.iter_mut().zip(other.warp_instructions.0) {
            *sum += more;
        }
        self.thread_instructions += other.thread_instructions;
        self.branches += other.branches;
        self.divergent_branches += other.divergent_branches;
        self.global_requests += other.global_requests;
        self.global_sectors += other.global_sectors;
        self.global_sectors_ideal += other.global_sectors_ideal;
        self.shared_requests += other.shared_requests;
        self.shared_bank_conflicts += other.shared_bank_conflicts;
        self.atomic_requests += other.atomic_requests;
        self.atomic_lanes += other.atomic_lanes;
        self.atomic_conflicts += other.atomic_conflicts;
        self.barriers += other.barriers;
        self.shuffles_from_inactive_lanes += other.shuffles_from_inactive_lanes;
    }

    /// Counts a request to global memory: the addresses of its lanes, each of so many bytes.
    pub(crate) fn count_global(&mut self, addresses: &[u64], bytes: u64) {
        if addresses.is_empty() {
            return;
        }
        self.global_requests += 1;
        self.global_sectors += distinct(addresses.iter().map(|address| address / 32));
        // Lanes that ask for the same bytes are served together.
        self.global_sectors_ideal += (distinct(addresses.iter().copied()) * bytes).div_ceil(32);
    }

    /// Counts a request to shared memory. Wide accesses are served in halves or quarters of a warp.
    pub(crate) fn count_shared(&mut self, addresses: &[u64], bytes: u64) {
        if addresses.is_empty() {
            return;
        }
        self.shared_requests += 1;
        let lanes_at_once = (128 / bytes.max(4)).max(1) as usize;
        for group in addresses.chunks(lanes_at_once) {
            let mut words = [0; 32];
            let mut count = 0;
            let mut banks = [0_u64; 32];
            for address in group {
                for word in address / 4..(address + bytes).div_ceil(4) {
                    if !words[..count].contains(&word) {
                        words[count] = word;
                        count += 1;
                        banks[(word % 32) as usize] += 1;
                    }
                }
            }
            self.shared_bank_conflicts += banks.iter().max().map_or(0, |most| most.saturating_sub(1));
        }
    }

    /// Counts an atomic request.
    pub(crate) fn count_atomic(&mut self, addresses: &[u64]) {
        self.atomic_requests += 1;
        self.atomic_lanes += addresses.len() as u64;
        self.atomic_conflicts += addresses.len() as u64 - distinct(addresses.iter().copied());
    }
}

/// How many of the values of a warp's lanes differ.
fn distinct(values: impl Iterator<Item = u64>) -> u64 {
    let mut seen = [0; WARP];
    let mut count = 0;
    for value in values {
        // Most often they rise or stay from lane to lane, so that the last one tells.
        if count == 0 || (seen[count - 1] != value && !seen[..count].contains(&value)) {
            seen[count] = value;
            count += 1;
        }
    }
    count as u64
}
