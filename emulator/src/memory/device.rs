//! The table of allocations, and the view of it that a launch works with.

use super::{Allocation, DEVICE_WINDOW, Kind};
use crate::error::FaultKind;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Between two allocations: an access just past the end of one hits nothing.
const RED_ZONE: u64 = 4096;
/// What `cuMemAlloc` promises.
const ALIGNMENT: u64 = 256;
/// How many freed allocations are remembered for the reports.
const REMEMBERED: usize = 65_536;

/// What a copy or a free can be told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryError {
    /// No allocation holds these bytes.
    #[error("no allocation holds the {size} bytes at {address:#x}")]
    OutOfBounds {
        /// The first byte.
        address: u64,
        /// How many bytes.
        size: u64,
    },
    /// The allocation was freed.
    #[error("the allocation at {base:#x} was freed")]
    Freed {
        /// Where the allocation was.
        base: u64,
    },
    /// The address is not the start of an allocation.
    #[error("{address:#x} is not the start of an allocation")]
    NotAnAllocation {
        /// The address that was to be freed.
        address: u64,
    },
    /// More memory than the device has.
    #[error("{size} bytes are more than the device has left")]
    OutOfMemory {
        /// How many bytes were asked for.
        size: u64,
    },
}

#[derive(Debug)]
struct Table {
    allocations: BTreeMap<u64, Arc<Allocation>>,
    /// Base and size of what was freed.
    freed: BTreeMap<u64, u64>,
    next: u64,
    used: u64,
}

/// A device: memory that outlives launches.
///
/// Addresses are never given out twice, so that a use after a free is found however long ago the free was.
///
/// ```
/// use fracas_emulator::Device;
///
/// let device = Device::new();
/// let buffer = device.allocate(16)?;
/// device.write(buffer, &[1; 16])?;
/// let mut bytes = [0; 16];
/// device.read(buffer, &mut bytes)?;
/// assert_eq!(bytes, [1; 16]);
/// device.free(buffer)?;
/// assert!(device.read(buffer, &mut bytes).is_err());
/// # Ok::<(), fracas_emulator::MemoryError>(())
/// ```
#[derive(Debug)]
pub struct Device {
    table: Mutex<Table>,
    capacity: u64,
}

impl Default for Device {
    fn default() -> Self {
        Self::new()
    }
}

impl Device {
    /// A device with 8 GiB of memory; the host gives it as it is allocated.
    pub fn new() -> Self {
        let table = Table { allocations: BTreeMap::new(), freed: BTreeMap::new(), next: DEVICE_WINDOW, used: 0 };
        Self { table: Mutex::new(table), capacity: 8 << 30 }
    }

    /// Bytes of memory in all.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Bytes that are allocated now.
    pub fn used(&self) -> u64 {
        self.lock().used
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        // A panic elsewhere leaves the table as it was: every change to it is made at once.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates memory with nothing written to it.
    pub fn allocate(&self, size: u64) -> Result<u64, MemoryError> {
        self.allocate_kind(size, ALIGNMENT, Kind::Buffer)
    }

    pub(crate) fn allocate_kind(&self, size: u64, alignment: u64, kind: Kind) -> Result<u64, MemoryError> {
        let mut table = self.lock();
        if size > self.capacity - table.used {
            return Err(MemoryError::OutOfMemory { size });
        }
        let base = table.next.next_multiple_of(alignment.max(ALIGNMENT));
        let allocation = Allocation::new(base, size, kind).ok_or(MemoryError::OutOfMemory { size })?;
        table.next = (base + size + RED_ZONE).next_multiple_of(ALIGNMENT);
        table.used += size;
        table.allocations.insert(base, Arc::new(allocation));
        Ok(base)
    }

    /// Zeroed memory of the host that kernels see too, under its own address, until it is freed. To touch it while a
    /// kernel does is a data race, as it is with the pinned and managed memory of a real device.
    pub fn allocate_host(&self, size: u64) -> Result<NonNull<u8>, MemoryError> {
        let allocation = Allocation::host(size).ok_or(MemoryError::OutOfMemory { size })?;
        let pointer = allocation.pointer();
        self.lock().allocations.insert(allocation.base, Arc::new(allocation));
        Ok(pointer)
    }

    /// Frees an allocation by its first address. The variables of a module are none.
    pub fn free(&self, address: u64) -> Result<(), MemoryError> {
        let variable = self.lock().allocations.get(&address).map(|allocation| allocation.kind);
        if matches!(variable, Some(Kind::Variable | Kind::Constant)) {
            return Err(MemoryError::NotAnAllocation { address });
        }
        self.release(address)
    }

    pub(crate) fn release(&self, address: u64) -> Result<(), MemoryError> {
        let mut table = self.lock();
        match table.allocations.remove(&address) {
            Some(allocation) => {
                if allocation.kind != Kind::Host {
                    table.used -= allocation.size;
                    table.freed.insert(address, allocation.size);
                    while table.freed.len() > REMEMBERED {
                        table.freed.pop_first();
                    }
                }
                Ok(())
            }
            None if table.freed.contains_key(&address) => Err(MemoryError::Freed { base: address }),
            None => Err(MemoryError::NotAnAllocation { address }),
        }
    }

    fn find(&self, address: u64, size: u64) -> Result<Arc<Allocation>, MemoryError> {
        let table = self.lock();
        if let Some((_, allocation)) = table.allocations.range(..=address).next_back()
            && (allocation.contains(address, size.max(1)) || (size == 0 && address <= allocation.end()))
        {
            return Ok(Arc::clone(allocation));
        }
        match table.freed.range(..=address).next_back() {
            Some((&base, &length)) if address - base < length => Err(MemoryError::Freed { base }),
            _ => Err(MemoryError::OutOfBounds { address, size }),
        }
    }

    /// Whether one allocation holds so many bytes.
    pub(crate) fn check(&self, address: u64, size: u64) -> Result<(), MemoryError> {
        self.find(address, size).map(|_| ())
    }

    /// The base and the size of the allocation that holds an address.
    pub fn range(&self, address: u64) -> Result<(u64, u64), MemoryError> {
        self.find(address, 1).map(|allocation| (allocation.base, allocation.size))
    }

    /// Copies bytes to the device.
    pub fn write(&self, address: u64, bytes: &[u8]) -> Result<(), MemoryError> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.find(address, bytes.len() as u64)?.write(address, bytes);
        Ok(())
    }

    /// Copies bytes from the device. Bytes that nothing wrote hold a pattern.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), MemoryError> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.find(address, bytes.len() as u64)?.read(address, bytes);
        Ok(())
    }

    /// Copies bytes inside of the device. What was never written stays so in the copy.
    pub fn copy(&self, to: u64, from: u64, size: u64) -> Result<(), MemoryError> {
        if size == 0 {
            return Ok(());
        }
        let (source, target) = (self.find(from, size)?, self.find(to, size)?);
        let mut bytes = vec![0; size as usize];
        source.read(from, &mut bytes);
        let written = source.written_bytes(from, size);
        target.write(to, &bytes);
        for (place, _) in (to..).zip(&written).filter(|(_, written)| !**written) {
            target.forget(place);
        }
        Ok(())
    }

    /// A fixed picture of the allocations for one launch.
    pub(crate) fn view(&self) -> MemoryView {
        let table = self.lock();
        MemoryView {
            allocations: table.allocations.values().cloned().collect(),
            freed: table.freed.iter().map(|(&base, &size)| (base, size)).collect(),
        }
    }
}

/// Why an access failed, without the place in the program.
#[derive(Debug, Clone)]
pub(crate) struct AccessProblem {
    pub(crate) kind: FaultKind,
    pub(crate) message: String,
}

/// The allocations of a device while a kernel runs: none comes or goes then.
#[derive(Debug)]
pub(crate) struct MemoryView {
    allocations: Vec<Arc<Allocation>>,
    freed: Vec<(u64, u64)>,
}

impl MemoryView {
    /// The allocation that holds an access. The hint is the index of the one used last, which is mostly the one.
    #[inline]
    pub(crate) fn find(&self, address: u64, size: u64, hint: &mut usize) -> Result<&Allocation, AccessProblem> {
        if let Some(allocation) = self.allocations.get(*hint)
            && allocation.contains(address, size)
        {
            return Ok(allocation);
        }
        let after = self.allocations.partition_point(|allocation| allocation.base <= address);
        if let Some(index) = after.checked_sub(1)
            && self.allocations[index].contains(address, size)
        {
            *hint = index;
            return Ok(&self.allocations[index]);
        }
        Err(self.explain(address, size, after))
    }

    #[cold]
    fn explain(&self, address: u64, size: u64, after: usize) -> AccessProblem {
        let freed = self.freed.partition_point(|(base, _)| *base <= address);
        if let Some(&(base, length)) = freed.checked_sub(1).and_then(|index| self.freed.get(index))
            && address - base < length
        {
            let message = format!("{size} bytes at {address:#x}, in the {length} bytes at {base:#x} that were freed");
            return AccessProblem { kind: FaultKind::UseAfterFree, message };
        }
        let before = after.checked_sub(1).and_then(|index| self.allocations.get(index));
        let near = match (before, self.allocations.get(after)) {
            (Some(before), _) if address < before.end() + 4096 => {
                let past = address - before.base;
                format!(": offset {past} in the allocation of {} bytes at {:#x}", before.size, before.base)
            }
            (_, Some(next)) if next.base - address <= 4096 => {
                let short = next.base - address;
                format!(": {short} bytes before the allocation of {} bytes at {:#x}", next.size, next.base)
            }
            _ if address < 4096 => ": a null pointer".to_owned(),
            _ => ", far from every allocation".to_owned(),
        };
        AccessProblem { kind: FaultKind::OutOfBounds, message: format!("{size} bytes at {address:#x}{near}") }
    }
}
