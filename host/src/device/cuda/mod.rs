//! An NVIDIA device, through the driver.
//!
//! Everything goes through one stream, so it happens in the order in which it was asked for. Copies to and from the host
//! go by way of memory that the device reads itself; the host waits only for what it asked for, and before it fills that
//! memory again.

#![allow(unsafe_code)]

#[cfg(target_os = "linux")]
mod driver;
mod staging;

use std::cell::RefCell;
use std::ffi::c_void;

use cust::context::{Context, CurrentContext};
use cust::device::Device as CudaDevice;
use cust::memory::{AsyncCopyDestination, DeviceBuffer};
use cust::module::Module;
use cust::prelude::{CudaFlags, Stream, StreamFlags};
use fracas_kernels::arguments::NativeKernel;
use fracas_kernels::native::Blocks;

use self::staging::Staging;
use super::machine::Machine;
use super::{Device, DeviceError};

/// The kernels, compiled for every device from compute capability 7.0 on; the driver compiles them for the one it has.
const PTX: &str = include_str!(env!("FRACAS_PTX"));

/// The most blocks of a grid. Kernels go on in steps of the grid, so more would not be more work at once.
const MOST_BLOCKS: u64 = 1 << 16;

/// An NVIDIA device.
pub struct Cuda {
    name: String,
    memory: RefCell<Memory>,
    staging: RefCell<Staging>,
    stream: Stream,
    module: Module,
    // Goes last, because all else is of it.
    context: Context,
}

// SAFETY: what it names belongs to the context, which every call makes the current one of its thread, and to no thread.
unsafe impl Send for Cuda {}

impl Drop for Cuda {
    fn drop(&mut self) {
        // Memory goes back to the context that is the current one. Without it there is nothing left to give back.
        let _ = self.enter();
    }
}

/// All blocks, and where they are.
#[derive(Default)]
struct Memory {
    buffers: Vec<DeviceBuffer<u8>>,
    blocks: Blocks,
}

/// The number of a block.
#[derive(Clone, Copy, Debug)]
pub struct CudaBlock(usize);

impl std::fmt::Debug for Cuda {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Cuda").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The devices that the driver has, by name.
///
/// # Errors
/// If there is no driver that works.
pub fn cuda_devices() -> Result<Vec<String>, DeviceError> {
    start()?;
    let devices = CudaDevice::devices().map_err(no_device)?;
    devices.map(|device| device?.name()).collect::<Result<Vec<String>, _>>().map_err(no_device)
}

/// Starts the driver, if there is one.
fn start() -> Result<(), DeviceError> {
    #[cfg(target_os = "linux")]
    if !driver::is_installed() {
        return Err(DeviceError::NoDevice { reason: format!("there is no {}", driver::NAME.to_string_lossy()) });
    }
    cust::init(CudaFlags::empty()).map_err(no_device)
}

fn no_device(error: cust::error::CudaError) -> DeviceError {
    DeviceError::NoDevice { reason: error.to_string() }
}

impl Device<Cuda> {
    /// The device with a number, from 0.
    ///
    /// # Errors
    /// If there is no such device, or it cannot run the kernels.
    pub fn cuda(number: u32) -> Result<Device<Cuda>, DeviceError> {
        start()?;
        Cuda::new(number).map(Device::new).map_err(no_device)
    }
}

impl Cuda {
    fn new(number: u32) -> Result<Cuda, cust::error::CudaError> {
        let device = CudaDevice::get_device(number)?;
        let name = device.name()?;
        let context = Context::new(device)?;
        let module = Module::from_ptx(PTX, &[])?;
        let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
        let (memory, staging) = (RefCell::default(), RefCell::default());
        Ok(Cuda { name, memory, staging, stream, module, context })
    }

    /// Makes the context the current one of this thread, whichever that is.
    fn enter(&self) -> Result<(), cust::error::CudaError> {
        CurrentContext::set_current(&self.context)
    }
}

impl Machine for Cuda {
    type Block = CudaBlock;

    fn name(&self) -> String {
        format!("cuda: {}", self.name)
    }

    fn allocate(&self, bytes: usize) -> Result<CudaBlock, DeviceError> {
        // SAFETY: any bytes are bytes, and kernels read only what others wrote.
        let buffer = self.enter().and_then(|()| unsafe { DeviceBuffer::<u8>::uninitialized(bytes) });
        let buffer = buffer.map_err(|error| DeviceError::Memory { bytes, reason: error.to_string() })?;
        let memory = &mut *self.memory.borrow_mut();
        memory.blocks.add(buffer.as_device_ptr().as_raw(), bytes as u64);
        memory.buffers.push(buffer);
        Ok(CudaBlock(memory.buffers.len() - 1))
    }

    fn address(&self, block: &CudaBlock) -> u64 {
        self.memory.borrow().buffers[block.0].as_device_ptr().as_raw()
    }

    fn write(&self, block: &CudaBlock, bytes: &[u8]) -> Result<(), DeviceError> {
        let buffer = &self.memory.borrow().buffers[block.0];
        let outcome = self.enter().and_then(|()| self.staging.borrow_mut().write(&self.stream, buffer, bytes));
        outcome.map_err(copy_failed("to the device", bytes.len()))
    }

    fn read(&self, block: &CudaBlock, first: usize, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let (buffer, count) = (&self.memory.borrow().buffers[block.0], bytes.len());
        let outcome = self.enter().and_then(|()| self.staging.borrow_mut().read(&self.stream, buffer, first, bytes));
        outcome.map_err(copy_failed("from the device", count))
    }

    fn copy(&self, from: &CudaBlock, to: &CudaBlock, first: usize, bytes: usize) -> Result<(), DeviceError> {
        let buffers = &self.memory.borrow().buffers;
        let (from, mut to) = (buffers[from.0].index(0..bytes), buffers[to.0].index(first..first + bytes));
        // SAFETY: both blocks stay until the stream is done with them, because they go with the machine.
        let outcome = self.enter().and_then(|()| unsafe { to.async_copy_from(&from, &self.stream) });
        outcome.map_err(copy_failed("on the device", bytes))
    }

    fn launch<K: NativeKernel>(&self, arguments: &K) -> Result<(), DeviceError> {
        let failed = |reason: String| DeviceError::Launch { kernel: K::INFO.name, reason };
        self.memory.borrow().blocks.check(arguments).map_err(|error| failed(error.to_string()))?;
        let blocks = arguments.threads().div_ceil(u64::from(K::INFO.block)).clamp(1, MOST_BLOCKS) as u32;
        let parameter = std::ptr::from_ref(arguments).cast_mut().cast::<c_void>();
        let function = self.enter().and_then(|()| self.module.get_function(K::INFO.name));
        let outcome = function.and_then(|function| {
            // SAFETY: the kernel of that name takes one such struct by value, which the driver copies before it returns. It
            // comes to memory by the struct's handles alone and within their bounds (`NativeKernel`), and these are within
            // blocks of the device that nothing of the host is in. What threads then write twice is a wrong result.
            unsafe { self.stream.launch(&function, blocks, K::INFO.block, 0, &[parameter]) }
        });
        outcome.map_err(|error| failed(error.to_string()))
    }
}

fn copy_failed(way: &'static str, bytes: usize) -> impl Fn(cust::error::CudaError) -> DeviceError {
    move |error| DeviceError::Copy { way, bytes, reason: error.to_string() }
}
