//! A device with its memory: lists from a pool, so that a fracture that is like the one before allocates nothing.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::AtomicU32;

use bytemuck::Pod;
use fracas_kernels::arguments::fill::Zero;
use fracas_kernels::arguments::{DeviceSlice, DeviceSliceMut, NativeKernel};

use super::DeviceError;
use super::machine::Machine;
use super::residents::Residents;

/// A machine that runs kernels, and the memory that was used on it before.
///
/// Handles of device memory never leave the module: what there is to call takes values and returns values.
#[derive(Debug)]
pub struct Device<M: Machine> {
    pool: RefCell<Pool<M::Block>>,
    /// Octrees that stay.
    pub(super) residents: RefCell<Residents<M>>,
    pub(super) machine: M,
}

/// Blocks that nothing uses, by the power of two that is their size.
#[derive(Debug)]
struct Pool<B> {
    free: Vec<Vec<B>>,
    /// How many there are, used or not.
    blocks: usize,
}

/// No block is smaller, in bytes.
const LEAST_BLOCK: usize = 256;

/// The power of two that so many bytes fit in.
fn class(bytes: usize) -> usize {
    bytes.max(LEAST_BLOCK).next_power_of_two().trailing_zeros() as usize
}

impl<M: Machine> Device<M> {
    /// A device without memory in use.
    pub(super) fn new(machine: M) -> Device<M> {
        let free = (0..usize::BITS).map(|_| Vec::new()).collect();
        Device { machine, residents: RefCell::default(), pool: RefCell::new(Pool { free, blocks: 0 }) }
    }

    /// How many blocks of memory were allocated so far. That it stays the same means that the pool was enough.
    pub fn blocks(&self) -> usize {
        self.pool.borrow().blocks
    }

    /// A list in which nothing is yet.
    pub(super) fn list<T>(&self, length: usize) -> Result<List<'_, M, T>, DeviceError> {
        let list = |block| List { device: self, block, length, elements: PhantomData };
        let bytes = length.saturating_mul(size_of::<T>());
        if bytes == 0 {
            return Ok(list(None));
        }
        let mut pool = self.pool.borrow_mut();
        if let Some(block) = pool.free[class(bytes)].pop() {
            return Ok(list(Some(block)));
        }
        let block = self.machine.allocate(1 << class(bytes))?;
        pool.blocks += 1;
        Ok(list(Some(block)))
    }

    /// A list of zeros.
    pub(super) fn zeros<T>(&self, length: usize) -> Result<List<'_, M, T>, DeviceError> {
        let list = self.list(length)?;
        self.launch(&Zero { words: list.write().words() })?;
        Ok(list)
    }

    /// A list with these elements.
    pub(super) fn upload<T: Pod>(&self, elements: &[T]) -> Result<List<'_, M, T>, DeviceError> {
        let list = self.list(elements.len())?;
        if let Some(block) = &list.block {
            self.machine.write(block, bytemuck::cast_slice(elements))?;
        }
        Ok(list)
    }

    /// The lists one after the other.
    pub(super) fn joined<T: Pod>(&self, lists: &[List<'_, M, T>]) -> Result<List<'_, M, T>, DeviceError> {
        let all = self.list(lists.iter().map(|list| list.length).sum())?;
        let mut first = 0;
        for list in lists {
            if let (Some(from), Some(to)) = (&list.block, &all.block) {
                self.machine.copy(from, to, first, list.bytes())?;
            }
            first += list.bytes();
        }
        Ok(all)
    }

    /// A longer list with the same elements first.
    pub(super) fn extended<T>(&self, list: &List<'_, M, T>, length: usize) -> Result<List<'_, M, T>, DeviceError> {
        let longer = self.list(length)?;
        if let (Some(from), Some(to)) = (&list.block, &longer.block) {
            self.machine.copy(from, to, 0, list.bytes())?;
        }
        Ok(longer)
    }

    /// Runs a kernel, if there is something to do. A list that goes before the kernel has run gives its block to the pool, from
    /// where only later calls get it.
    pub(super) fn launch<K: NativeKernel>(&self, arguments: &K) -> Result<(), DeviceError> {
        if arguments.threads() == 0 {
            return Ok(());
        }
        let _span = tracing::trace_span!("launch", kernel = K::INFO.name, threads = arguments.threads()).entered();
        self.machine.launch(arguments)
    }
}

/// Elements in the memory of a device. When it goes, its memory is for the next list.
pub(super) struct List<'a, M: Machine, T> {
    device: &'a Device<M>,
    /// None if there are no elements.
    block: Option<M::Block>,
    length: usize,
    elements: PhantomData<fn() -> T>,
}

impl<M: Machine, T> List<'_, M, T> {
    pub(super) fn len(&self) -> usize {
        self.length
    }

    fn bytes(&self) -> usize {
        self.length * size_of::<T>()
    }

    fn address(&self) -> u64 {
        self.block.as_ref().map_or(0, |block| self.device.machine.address(block))
    }

    /// For a kernel that reads it.
    pub(super) fn read(&self) -> DeviceSlice<T> {
        self.write().read_only()
    }

    /// For a kernel that writes it.
    pub(super) fn write(&self) -> DeviceSliceMut<T> {
        DeviceSliceMut::new(self.address(), self.length as u64)
    }
}

impl<M: Machine> List<'_, M, u32> {
    /// For a kernel whose threads share it.
    pub(super) fn shared(&self) -> DeviceSlice<AtomicU32> {
        self.write().shared()
    }
}

impl<M: Machine, T: Pod> List<'_, M, T> {
    /// The elements.
    pub(super) fn download(&self) -> Result<Vec<T>, DeviceError> {
        let mut elements = bytemuck::allocation::zeroed_vec(self.length);
        if let Some(block) = &self.block {
            self.device.machine.read(block, 0, bytemuck::cast_slice_mut(&mut elements))?;
        }
        Ok(elements)
    }

    /// Some of the elements.
    pub(super) fn download_part(&self, range: Range<usize>) -> Result<Vec<T>, DeviceError> {
        let mut elements = bytemuck::allocation::zeroed_vec(range.len());
        if let Some(block) = &self.block {
            let bytes = bytemuck::cast_slice_mut(&mut elements);
            self.device.machine.read(block, range.start * size_of::<T>(), bytes)?;
        }
        Ok(elements)
    }

    /// The last element, if there is one.
    pub(super) fn last(&self) -> Result<Option<T>, DeviceError> {
        let Some(block) = &self.block else { return Ok(None) };
        let mut element = T::zeroed();
        let first = self.bytes() - size_of::<T>();
        self.device.machine.read(block, first, bytemuck::bytes_of_mut(&mut element))?;
        Ok(Some(element))
    }
}

/// A list that stays on the device when it is not looked at, with room to grow.
#[derive(Debug)]
pub(super) struct Kept<M: Machine, T> {
    block: Option<M::Block>,
    length: usize,
    room: usize,
    elements: PhantomData<fn() -> T>,
}

impl<M: Machine, T> Default for Kept<M, T> {
    fn default() -> Kept<M, T> {
        Kept { block: None, length: 0, room: 0, elements: PhantomData }
    }
}

impl<M: Machine, T: Pod> Kept<M, T> {
    pub(super) fn len(&self) -> usize {
        self.length
    }

    pub(super) fn room(&self) -> usize {
        self.room
    }

    pub(super) fn has_room(&self, more: usize) -> bool {
        self.length + more <= self.room
    }

    /// Forgets all elements, and has room for so many.
    pub(super) fn clear(&mut self, device: &Device<M>, room: usize) -> Result<(), DeviceError> {
        // What is there is for the next list.
        drop(List { device, block: self.block.take(), length: self.room, elements: self.elements });
        (self.length, self.room) = (0, 0);
        self.block = device.list::<T>(room)?.block.take();
        self.room = room;
        Ok(())
    }

    /// Adds elements, which it has room for.
    pub(super) fn extend(&mut self, device: &Device<M>, elements: &[T]) -> Result<(), DeviceError> {
        let list = device.upload(elements)?;
        if let (Some(from), Some(to)) = (&list.block, &self.block) {
            device.machine.copy(from, to, self.length * size_of::<T>(), list.bytes())?;
        }
        self.length += elements.len();
        Ok(())
    }

    /// For a kernel that reads it.
    pub(super) fn read(&self, device: &Device<M>) -> DeviceSlice<T> {
        let address = self.block.as_ref().map_or(0, |block| device.machine.address(block));
        DeviceSlice::new(address, self.length as u64)
    }
}

impl<M: Machine, T> Drop for List<'_, M, T> {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            self.device.pool.borrow_mut().free[class(self.bytes())].push(block);
        }
    }
}
