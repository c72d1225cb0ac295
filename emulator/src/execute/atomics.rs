//! Atomic read-modify-write, as real atomics where blocks share the memory.

use super::Problem;
use super::memory::{Requests, check_alignment, located, resolve};
use super::state::{BlockState, Warp};
use super::step::Step;
use crate::error::FaultKind;
use crate::number::float::{self, Mode};
use crate::number::soft::Rounding;
use crate::number::{mask, sign_extend};
use crate::program::{Atomic, AtomicOperation, WARP, lanes};
use crate::ptx::types::{ScalarType, Space};

/// The new value of a location.
pub(crate) fn combine(atomic: &Atomic, flush: bool, old: u64, operand: u64, replacement: u64) -> u64 {
    let bits = atomic.kind.bits();
    let signed = atomic.kind.is_signed();
    let less = |left: u64, right: u64| {
        if signed { sign_extend(left, bits) < sign_extend(right, bits) } else { left < right }
    };
    match atomic.operation {
        AtomicOperation::Add => match atomic.kind {
            ScalarType::F32 => {
                // Global memory flushes subnormal numbers in this one operation, shared memory does not.
                let mode = Mode { rounding: Rounding::Nearest, flush, saturate: false };
                float::add::<f32>(old, operand, mode, false)
            }
            ScalarType::F64 => {
                let mode = Mode { rounding: Rounding::Nearest, flush: false, saturate: false };
                float::add::<f64>(old, operand, mode, false)
            }
            _ => old.wrapping_add(operand) & mask(bits),
        },
        AtomicOperation::Minimum => {
            if less(operand, old) {
                operand
            } else {
                old
            }
        }
        AtomicOperation::Maximum => {
            if less(old, operand) {
                operand
            } else {
                old
            }
        }
        AtomicOperation::And => old & operand,
        AtomicOperation::Or => old | operand,
        AtomicOperation::Xor => old ^ operand,
        AtomicOperation::Exchange => operand,
        AtomicOperation::CompareAndSwap => {
            if old == operand {
                replacement
            } else {
                old
            }
        }
        AtomicOperation::Increment => {
            if old >= operand {
                0
            } else {
                old + 1
            }
        }
        AtomicOperation::Decrement => {
            if old == 0 || old > operand {
                operand
            } else {
                old - 1
            }
        }
    }
}

impl Warp {
    pub(crate) fn atomic(&mut self, block: &mut BlockState<'_>, atomic: &Atomic, active: u32) -> Step {
        let launch = block.launch;
        let bases = self.read(launch, &atomic.address.base).into_owned();
        let operands = self.read(launch, &atomic.operand).into_owned();
        let replacements = match &atomic.replacement {
            Some(source) => self.read(launch, source).into_owned(),
            None => [0; WARP],
        };
        if atomic.order.releases() {
            self.fence(block, atomic.scope);
        }
        let size = u64::from(atomic.kind.bytes());
        let mut out = [0; WARP];
        let mut requests = Requests::new();
        let (mut addresses, mut count) = ([0; WARP], 0);
        for lane in lanes(active) {
            let address = bases[lane].wrapping_add(atomic.address.offset as u64);
            let (space, at) = resolve(atomic.space, address);
            check_alignment(at, size, lane, "an atomic access")?;
            requests.add(space, at);
            addresses[count] = address;
            count += 1;
            self.check_bounds(block, space, at, size, lane, "an atomic access")?;
            self.note_access(block, (space, at, size), (true, Some(atomic.scope), operands[lane]), lane)?;
            let (operand, replacement) = (operands[lane], replacements[lane]);
            out[lane] = match space {
                Space::Shared => {
                    let old = self.load_element(block, space, at, size, lane)?;
                    let new = combine(atomic, false, old, operand, replacement);
                    self.store_element(block, space, at, size, new, lane)?;
                    old
                }
                Space::Global => {
                    let found = launch.memory.find(at, size, &mut self.hint);
                    let allocation = found.map_err(|problem| located(problem, lane, "an atomic access"))?;
                    if allocation.is_read_only() {
                        let message = format!("an atomic access at {at:#x} in constant memory");
                        return Err(Problem::new(FaultKind::ReadOnly, Some(lane), message));
                    }
                    if launch.options.uninitialised && !allocation.is_written(at, size) {
                        let message = format!("an atomic access at {at:#x} in global memory that nothing wrote");
                        return Err(Problem::new(FaultKind::Uninitialised, Some(lane), message));
                    }
                    allocation.update(at, size, &|old| combine(atomic, true, old, operand, replacement))
                }
                _ => {
                    let message =
                        format!("an atomic access at {address:#x}, which is neither global nor shared memory");
                    return Err(Problem::new(FaultKind::InvalidOperand, Some(lane), message));
                }
            };
            self.note_seen(block, space, at);
        }
        requests.count(block, size);
        block.profile.count_atomic(&addresses[..count]);
        if atomic.order.acquires() {
            self.acquire(block);
        }
        if let Some(target) = atomic.target {
            self.write(target, &out, active);
        }
        Ok(())
    }
}
