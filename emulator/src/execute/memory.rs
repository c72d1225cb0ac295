//! Loads and stores.

use super::Problem;
use super::state::{BlockState, Warp};
use super::step::Step;
use crate::error::FaultKind;
use crate::memory::{AccessProblem, LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW, WINDOW_SIZE};
use crate::number::{mask, sign_extend};
use crate::program::{Address, Lanes, Order, Scope, Source, Target, WARP, lanes};
use crate::ptx::types::{ScalarType, Space};

/// The addresses of the lanes of one request, by the memory that serves them.
pub(crate) struct Requests {
    global: [u64; WARP],
    globals: usize,
    shared: [u64; WARP],
    shareds: usize,
}

impl Requests {
    pub(crate) fn new() -> Self {
        Self { global: [0; WARP], globals: 0, shared: [0; WARP], shareds: 0 }
    }

    pub(crate) fn add(&mut self, space: Space, address: u64) {
        match space {
            Space::Global => {
                self.global[self.globals] = address;
                self.globals += 1;
            }
            Space::Shared => {
                self.shared[self.shareds] = address;
                self.shareds += 1;
            }
            _ => {}
        }
    }

    pub(crate) fn count(&self, block: &mut BlockState<'_>, bytes: u64) {
        block.profile.count_global(&self.global[..self.globals], bytes);
        block.profile.count_shared(&self.shared[..self.shareds], bytes);
    }
}

/// The memory that an address means, and the address in it.
pub(crate) fn resolve(space: Space, address: u64) -> (Space, u64) {
    match space {
        Space::Generic => {
            for (window, space) in
                [(SHARED_WINDOW, Space::Shared), (LOCAL_WINDOW, Space::Local), (PARAMETER_WINDOW, Space::Entry)]
            {
                if (window..window + WINDOW_SIZE).contains(&address) {
                    return (space, address - window);
                }
            }
            (Space::Global, address)
        }
        other => (other, address),
    }
}

pub(crate) fn located(problem: AccessProblem, lane: usize, action: &str) -> Box<Problem> {
    Problem::new(problem.kind, Some(lane), format!("{action} of {}", problem.message))
}

/// The address of a lane must be a multiple of all the bytes that it moves at once.
#[inline]
pub(crate) fn check_alignment(address: u64, bytes: u64, lane: usize, action: &str) -> Step {
    // The bytes of an access are a power of two.
    if address & (bytes - 1) == 0 { Ok(()) } else { misaligned(address, bytes, lane, action) }
}

#[cold]
fn misaligned(address: u64, bytes: u64, lane: usize, action: &str) -> Step {
    let message = format!("{action} of {bytes} bytes at {address:#x}, which is no multiple of {bytes}");
    Err(Problem::new(FaultKind::Misaligned, Some(lane), message))
}

impl Warp {
    pub(crate) fn load(
        &mut self,
        block: &mut BlockState<'_>,
        (space, kind): (Space, ScalarType),
        (order, scope): (Order, Scope),
        targets: &[Option<Target>],
        address: &Address,
        active: u32,
    ) -> Step {
        let bases = self.read(block.launch, &address.base).into_owned();
        let size = u64::from(kind.bytes());
        let total = size * targets.len() as u64;
        let strong = (order != Order::Weak).then_some(scope);
        let mut out = vec![[0_u64; WARP]; targets.len()];
        let mut requests = Requests::new();
        for lane in lanes(active) {
            let (place, at) = resolve(space, bases[lane].wrapping_add(address.offset as u64));
            check_alignment(at, total, lane, "a load")?;
            requests.add(place, at);
            self.check_bounds(block, place, at, total, lane, "a load")?;
            for (index, values) in out.iter_mut().enumerate() {
                let at = at + index as u64 * size;
                self.note_access(block, (place, at, size), (false, strong, 0), lane)?;
                values[lane] = self.load_element(block, place, at, size, lane)?;
                if strong.is_some() {
                    self.note_seen(block, place, at);
                }
            }
        }
        requests.count(block, total);
        if order.acquires() {
            self.acquire(block);
        }
        for (target, values) in targets.iter().zip(&mut out) {
            let Some(target) = target else { continue };
            if kind.is_signed() {
                for value in values.iter_mut() {
                    *value = sign_extend(*value, kind.bits()) as u64 & mask(target.bits);
                }
            }
            self.write(*target, values, active);
        }
        Ok(())
    }

    pub(crate) fn store(
        &mut self,
        block: &mut BlockState<'_>,
        (space, kind): (Space, ScalarType),
        (order, scope): (Order, Scope),
        values: &[Source],
        address: &Address,
        active: u32,
    ) -> Step {
        let bases = self.read(block.launch, &address.base).into_owned();
        let values: Vec<Lanes> =
            values.iter().map(|value| self.read(block.launch, value).map(|value| value & mask(kind.bits()))).collect();
        let size = u64::from(kind.bytes());
        let total = size * values.len() as u64;
        let strong = (order != Order::Weak).then_some(scope);
        if order.releases() {
            self.fence(block, scope);
        }
        let mut requests = Requests::new();
        for lane in lanes(active) {
            let (place, at) = resolve(space, bases[lane].wrapping_add(address.offset as u64));
            check_alignment(at, total, lane, "a store")?;
            requests.add(place, at);
            self.check_bounds(block, place, at, total, lane, "a store")?;
            for (index, values) in values.iter().enumerate() {
                let at = at + index as u64 * size;
                self.note_access(block, (place, at, size), (true, strong, values[lane]), lane)?;
                self.store_element(block, place, at, size, values[lane], lane)?;
            }
        }
        requests.count(block, total);
        Ok(())
    }

    /// Checks all the bytes of an access, so that a vector is reported as a whole.
    #[inline]
    pub(crate) fn check_bounds(
        &mut self,
        block: &BlockState<'_>,
        space: Space,
        address: u64,
        bytes: u64,
        lane: usize,
        action: &str,
    ) -> Step {
        let (limit, name) = match space {
            Space::Shared => (u64::from(block.launch.total_shared), "shared memory of the block"),
            Space::Local => {
                let used = self.frames.last().map_or(0, |frame| {
                    let code = &block.launch.loaded.module.code.functions[frame.function as usize];
                    u64::from(frame.local + code.local_bytes)
                });
                (used, "local memory of the thread")
            }
            Space::Parameter => (self.frames.last().map_or(0, |frame| frame.parameter_bytes as u64), "parameters"),
            Space::Entry => (block.launch.parameters.len() as u64, "parameters of the kernel"),
            _ => {
                let found = block.launch.memory.find(address, bytes, &mut self.hint);
                let allocation = found.map_err(|problem| located(problem, lane, action))?;
                if space == Space::Constant && !allocation.is_read_only() {
                    let message = format!("{action} of {bytes} bytes at {address:#x}, which is not constant memory");
                    return Err(Problem::new(FaultKind::OutOfBounds, Some(lane), message));
                }
                return Ok(());
            }
        };
        if address.checked_add(bytes).is_some_and(|end| end <= limit) {
            return Ok(());
        }
        Err(outside((address, bytes), (limit, name), lane, action))
    }

    /// Reads one element of an access that was checked.
    #[inline]
    pub(crate) fn load_element(
        &mut self,
        block: &mut BlockState<'_>,
        space: Space,
        address: u64,
        size: u64,
        lane: usize,
    ) -> Step<u64> {
        let options = block.launch.options;
        let (word, shift) = ((address / 8) as usize, address % 8 * 8);
        let bytes = byte_bits(address, size);
        let (value, written) = match space {
            Space::Shared => {
                (block.shared[word] >> shift, !options.uninitialised || block.shared_written[word] & bytes == bytes)
            }
            Space::Local => {
                let written = self.local_written[word][lane] & bytes == bytes;
                (self.local[word][lane] >> shift, !options.uninitialised_local || written)
            }
            Space::Parameter | Space::Entry => {
                // A generic address means the same parameter in every function that a kernel calls.
                let frame = if space == Space::Entry { self.frames.first() } else { self.frames.last() };
                let (base, stride) = frame.map_or((0, 0), |frame| (frame.parameters, frame.parameter_bytes));
                let start = base + lane * stride + address as usize;
                let mut buffer = [0; 8];
                buffer[..size as usize].copy_from_slice(&self.parameters[start..start + size as usize]);
                return Ok(u64::from_le_bytes(buffer));
            }
            _ => {
                let found = block.launch.memory.find(address, size, &mut self.hint);
                let allocation = found.map_err(|problem| located(problem, lane, "a load"))?;
                let written = !options.uninitialised || allocation.is_written(address, size);
                (allocation.load(address, size), written)
            }
        };
        if !written {
            let message = format!("a load of {size} bytes at {address:#x} in {space:?} memory that nothing wrote");
            return Err(Problem::new(FaultKind::Uninitialised, Some(lane), message));
        }
        Ok(value & mask(size as u32 * 8))
    }

    /// Writes one element of an access that was checked.
    #[inline]
    pub(crate) fn store_element(
        &mut self,
        block: &mut BlockState<'_>,
        space: Space,
        address: u64,
        size: u64,
        value: u64,
        lane: usize,
    ) -> Step {
        let (word, shift) = ((address / 8) as usize, address % 8 * 8);
        let keep = !(mask(size as u32 * 8) << shift);
        let bytes = byte_bits(address, size);
        match space {
            Space::Shared => {
                block.shared[word] = (block.shared[word] & keep) | value << shift;
                block.shared_written[word] |= bytes;
            }
            Space::Local => {
                self.local[word][lane] = (self.local[word][lane] & keep) | value << shift;
                self.local_written[word][lane] |= bytes;
            }
            Space::Parameter => {
                let (base, stride) =
                    self.frames.last().map_or((0, 0), |frame| (frame.parameters, frame.parameter_bytes));
                let start = base + lane * stride + address as usize;
                self.parameters[start..start + size as usize].copy_from_slice(&value.to_le_bytes()[..size as usize]);
            }
            Space::Entry => return Err(read_only(address, size, "the parameters of the kernel", lane)),
            _ => {
                let found = block.launch.memory.find(address, size, &mut self.hint);
                let allocation = found.map_err(|problem| located(problem, lane, "a store"))?;
                if allocation.is_read_only() {
                    return Err(read_only(address, size, "constant memory", lane));
                }
                allocation.store(address, size, value);
            }
        }
        Ok(())
    }
}

#[cold]
fn outside((address, bytes): (u64, u64), (limit, name): (u64, &str), lane: usize, action: &str) -> Box<Problem> {
    let message = format!("{action} of {bytes} bytes at offset {address:#x} of the {limit} bytes of {name}");
    Problem::new(FaultKind::OutOfBounds, Some(lane), message)
}

#[cold]
fn read_only(address: u64, size: u64, name: &str, lane: usize) -> Box<Problem> {
    let message = format!("a store of {size} bytes at {address:#x} in {name}");
    Problem::new(FaultKind::ReadOnly, Some(lane), message)
}

fn byte_bits(address: u64, size: u64) -> u8 {
    (((1_u16 << size) - 1) as u8) << (address % 8)
}
