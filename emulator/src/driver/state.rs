//! The one driver of a process: its device and its handles.

use super::code::{Answer, Code};
use super::settings::Settings;
use crate::memory::Device;
use crate::module::LoadedModule;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

/// A handle as the caller holds it: a number that looks like a pointer and is none.
pub(crate) type Handle = *mut c_void;

/// A kernel of a module.
#[derive(Debug, Clone)]
pub(crate) struct Kernel {
    pub(crate) module: Arc<LoadedModule>,
    pub(crate) name: String,
    /// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`
    pub(crate) dynamic_shared_limit: u32,
}

/// A stream: only its properties, because its work is always done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stream {
    pub(crate) flags: u32,
    pub(crate) priority: i32,
}

/// How memory of the host was asked for, which is how it must be freed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostMemory {
    Pinned,
    Managed,
}

/// Everything that has a handle.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    next: usize,
    /// Contexts with their flags.
    pub(crate) contexts: FxHashMap<usize, u32>,
    pub(crate) primary: Option<usize>,
    pub(crate) primary_users: u32,
    pub(crate) primary_flags: u32,
    pub(crate) modules: FxHashMap<usize, Arc<LoadedModule>>,
    pub(crate) kernels: FxHashMap<usize, Kernel>,
    pub(crate) streams: FxHashMap<usize, Stream>,
    /// Events, with the time of their record.
    pub(crate) events: FxHashMap<usize, Option<Instant>>,
    /// Pinned and managed memory.
    pub(crate) host_memory: FxHashMap<usize, HostMemory>,
    /// The error of the first fault.
    pub(crate) broken: Option<Code>,
    /// Limits of the context by number, as set.
    pub(crate) limits: FxHashMap<i32, usize>,
}

impl Tables {
    /// A handle that was never given out.
    pub(crate) fn handle(&mut self) -> usize {
        self.next += 1;
        // Far from anything that could be dereferenced.
        0x1000 + 16 * self.next
    }
}

/// The driver.
#[derive(Debug)]
pub(crate) struct Driver {
    pub(crate) device: Device,
    pub(crate) settings: Settings,
    tables: Mutex<Tables>,
}

static DRIVER: OnceLock<Driver> = OnceLock::new();

thread_local! {
    /// The stack of current contexts of this thread.
    static CURRENT: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// `cuInit`
pub(crate) fn initialise() -> Answer {
    if DRIVER.get().is_none() {
        let settings = Settings::from_environment()?;
        if settings.is_bare {
            return Err(Code::NO_DEVICE);
        }
        // Another thread may have been faster; its driver is as good.
        let _ = DRIVER.set(Driver { device: Device::new(), settings, tables: Mutex::default() });
    }
    Ok(())
}

/// The driver, once it is initialised.
pub(crate) fn driver() -> Answer<&'static Driver> {
    DRIVER.get().ok_or(Code::NOT_INITIALISED)
}

/// The driver with a current context in which nothing has gone wrong.
pub(crate) fn working() -> Answer<&'static Driver> {
    let driver = driver()?;
    let context = current()?;
    let tables = driver.tables();
    // Another thread may have destroyed the context that is current here.
    if !tables.contexts.contains_key(&context) {
        return Err(Code::CONTEXT_IS_DESTROYED);
    }
    match tables.broken {
        Some(code) => Err(code),
        None => Ok(driver),
    }
}

impl Driver {
    pub(crate) fn tables(&self) -> MutexGuard<'_, Tables> {
        // A panic leaves at worst a handle that nobody holds.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The current context.
pub(crate) fn current() -> Answer<usize> {
    CURRENT.with_borrow(|stack| stack.last().copied().filter(|context| *context != 0).ok_or(Code::INVALID_CONTEXT))
}

pub(crate) fn with_stack<T>(work: impl FnOnce(&mut Vec<usize>) -> T) -> T {
    CURRENT.with_borrow_mut(work)
}
