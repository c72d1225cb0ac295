//! One piece of device memory.

use std::alloc::Layout;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// Whose memory it is, and who may do what with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Asked for and freed by the host program.
    Buffer,
    /// A variable of a module.
    Variable,
    /// A constant variable: kernels only read it.
    Constant,
    /// Pinned or managed: the host reads and writes it under the same address, unseen.
    Host,
}

/// A piece of memory that kernels can reach. A launch holds on to it, so that a free meanwhile takes nothing away.
#[derive(Debug)]
pub(crate) struct Allocation {
    pub(crate) base: u64,
    pub(crate) size: u64,
    pub(crate) kind: Kind,
    pointer: NonNull<u8>,
    layout: Layout,
    /// One bit for each byte that was written; none for memory that the host may write unseen.
    written: Option<Box<[AtomicU8]>>,
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // SAFETY: `obtain` allocated the pointer with this layout, and only this drop frees it.
        unsafe { std::alloc::dealloc(self.pointer.as_ptr(), self.layout) };
    }
}

// SAFETY: the bytes are only touched through atomic operations, and the pointer stays valid until the drop.
unsafe impl Send for Allocation {}
// SAFETY: as above; shared access is atomic.
unsafe impl Sync for Allocation {}

/// Zeros, in whole words and aligned, so that every aligned access is a real atomic one.
fn obtain(size: u64) -> Option<(NonNull<u8>, Layout)> {
    let bytes = usize::try_from(size.max(1).checked_next_multiple_of(8)?).ok()?;
    let layout = Layout::from_size_align(bytes, 256).ok()?;
    // SAFETY: the layout has at least 8 bytes.
    NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) }).map(|pointer| (pointer, layout))
}

impl Allocation {
    /// Fresh memory, with nothing written, if the host has so much. The bytes hold a pattern that looks like no sensible
    /// value.
    pub(crate) fn new(base: u64, size: u64, kind: Kind) -> Option<Self> {
        let mut written = Vec::new();
        let words = usize::try_from(size.div_ceil(8)).ok()?;
        written.try_reserve_exact(words).ok()?;
        written.resize_with(words, || AtomicU8::new(0));
        let (pointer, layout) = obtain(size)?;
        // SAFETY: `obtain` gave so many bytes, and nothing else knows of them yet.
        unsafe { pointer.as_ptr().write_bytes(0xcd, layout.size()) };
        Some(Self { base, size, kind, pointer, layout, written: Some(written.into_boxed_slice()) })
    }

    /// Memory that the host uses too, under its own address.
    pub(crate) fn host(size: u64) -> Option<Self> {
        let (pointer, layout) = obtain(size)?;
        Some(Self { base: pointer.as_ptr() as u64, size, kind: Kind::Host, pointer, layout, written: None })
    }

    pub(crate) fn pointer(&self) -> NonNull<u8> {
        self.pointer
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.kind == Kind::Constant
    }

    pub(crate) fn end(&self) -> u64 {
        self.base + self.size
    }

    pub(crate) fn contains(&self, address: u64, size: u64) -> bool {
        address >= self.base && address - self.base < self.size && self.size - (address - self.base) >= size
    }

    /// Whether all bytes of an access inside of one word were written.
    pub(crate) fn is_written(&self, address: u64, size: u64) -> bool {
        let Some(written) = &self.written else { return true };
        let offset = address - self.base;
        let bits = byte_bits(offset, size);
        written[(offset / 8) as usize].load(Ordering::Relaxed) & bits == bits
    }

    pub(crate) fn mark_written(&self, address: u64, size: u64) {
        let Some(written) = &self.written else { return };
        let offset = address - self.base;
        let bits = byte_bits(offset, size);
        let word = &written[(offset / 8) as usize];
        // Most stores go where something was written before.
        if word.load(Ordering::Relaxed) & bits != bits {
            word.fetch_or(bits, Ordering::Relaxed);
        }
    }

    fn mark_range(&self, address: u64, size: u64) {
        let mut place = address;
        while place < address + size {
            let step = (8 - (place - self.base) % 8).min(address + size - place);
            self.mark_written(place, step);
            place += step;
        }
    }

    fn place(&self, address: u64) -> *mut u8 {
        // SAFETY: the callers found this allocation with `contains`, so the address lies in its `size` bytes.
        unsafe { self.pointer.as_ptr().add((address - self.base) as usize) }
    }

    /// Reads an aligned value of 1, 2, 4 or 8 bytes that lies in the allocation.
    pub(crate) fn load(&self, address: u64, size: u64) -> u64 {
        let place = self.place(address);
        // SAFETY: the caller checked bounds and alignment of the address; base and pointer are both multiples of 256, so
        // the place is aligned for the atomic of its size, and every access through the emulator is atomic too.
        unsafe {
            match size {
                1 => u64::from((*place.cast::<AtomicU8>()).load(Ordering::Relaxed)),
                2 => u64::from((*place.cast::<AtomicU16>()).load(Ordering::Relaxed)),
                4 => u64::from((*place.cast::<AtomicU32>()).load(Ordering::Relaxed)),
                _ => (*place.cast::<AtomicU64>()).load(Ordering::Relaxed),
            }
        }
    }

    /// Writes an aligned value of 1, 2, 4 or 8 bytes that lies in the allocation.
    pub(crate) fn store(&self, address: u64, size: u64, value: u64) {
        let place = self.place(address);
        // SAFETY: as in `load`.
        unsafe {
            match size {
                1 => (*place.cast::<AtomicU8>()).store(value as u8, Ordering::Relaxed),
                2 => (*place.cast::<AtomicU16>()).store(value as u16, Ordering::Relaxed),
                4 => (*place.cast::<AtomicU32>()).store(value as u32, Ordering::Relaxed),
                _ => (*place.cast::<AtomicU64>()).store(value, Ordering::Relaxed),
            }
        }
        self.mark_written(address, size);
    }

    /// Replaces an aligned value by a function of it, atomically, and answers with the old one.
    pub(crate) fn update(&self, address: u64, size: u64, function: &dyn Fn(u64) -> u64) -> u64 {
        let place = self.place(address);
        let order = Ordering::SeqCst;
        // SAFETY: as in `load`.
        unsafe {
            match size {
                2 => {
                    let cell = &*place.cast::<AtomicU16>();
                    u64::from(cell.update(order, order, |old| function(u64::from(old)) as u16))
                }
                4 => {
                    let cell = &*place.cast::<AtomicU32>();
                    u64::from(cell.update(order, order, |old| function(u64::from(old)) as u32))
                }
                _ => (*place.cast::<AtomicU64>()).update(order, order, function),
            }
        }
    }

    /// Copies bytes in, from the host.
    pub(crate) fn write(&self, address: u64, bytes: &[u8]) {
        for (place, byte) in (address..).zip(bytes) {
            // SAFETY: the caller checked that the range lies in the allocation; a byte is always aligned.
            unsafe { (*self.place(place).cast::<AtomicU8>()).store(*byte, Ordering::Relaxed) };
        }
        self.mark_range(address, bytes.len() as u64);
    }

    /// Copies bytes out, to the host.
    pub(crate) fn read(&self, address: u64, bytes: &mut [u8]) {
        for (place, byte) in (address..).zip(bytes) {
            // SAFETY: as in `write`.
            *byte = unsafe { (*self.place(place).cast::<AtomicU8>()).load(Ordering::Relaxed) };
        }
    }

    /// Which bytes of a range were written, for copies inside of the device.
    pub(crate) fn written_bytes(&self, address: u64, size: u64) -> Vec<bool> {
        (address..address + size).map(|place| self.is_written(place, 1)).collect()
    }

    /// Marks single bytes as never written: what a copy of such bytes leaves behind.
    pub(crate) fn forget(&self, address: u64) {
        let Some(written) = &self.written else { return };
        let offset = address - self.base;
        written[(offset / 8) as usize].fetch_and(!byte_bits(offset, 1), Ordering::Relaxed);
    }
}

fn byte_bits(offset: u64, size: u64) -> u8 {
    (((1_u16 << size) - 1) as u8) << (offset % 8)
}
