//! An NVIDIA device, through the driver.
//!
//! Everything goes through one stream, so it happens in the order in which it was asked for. Copies to and from the host
//! go by way of memory that the device reads itself; the host waits only for what it asked for, and before it fills that
//! memory again.

#![allow(unsafe_code)]

mod staging;

use std::cell::RefCell;
use std::ffi::c_void;
use std::marker::PhantomData;

use cust::context::Context;
use cust::device::Device as CudaDevice;
use cust::memory::{AsyncCopyDestination, DeviceBuffer};
use cust::module::Module;
use cust::prelude::{CudaFlags, Stream, StreamFlags};
use fracas_kernels::arguments::NativeKernel;

use self::staging::Staging;
use super::machine::Machine;
use super::{Device, DeviceError};

/// The kernels, compiled for every device from compute capability 7.0 on; the driver compiles them for the one it has.
const PTX: &str = include_str!("../../../../kernels/ptx/fracas.ptx");

/// The most blocks of a grid. Kernels go on in steps of the grid, so more would not be more work at once.
const MOST_BLOCKS: u64 = 1 << 16;

/// An NVIDIA device.
pub struct Cuda {
    name: String,
    staging: RefCell<Staging>,
    stream: Stream,
    module: Module,
    // Goes last, because all else is of it.
    _context: Context,
    /// The context is the current one of the thread that made it, so this stays there.
    _thread: PhantomData<*const ()>,
}

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
    cust::init(CudaFlags::empty()).map_err(no_device)?;
    let devices = CudaDevice::devices().map_err(no_device)?;
    devices.map(|device| device?.name()).collect::<Result<Vec<String>, _>>().map_err(no_device)
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
        Cuda::new(number).map(Device::new).map_err(no_device)
    }
}

impl Cuda {
    fn new(number: u32) -> Result<Cuda, cust::error::CudaError> {
        cust::init(CudaFlags::empty())?;
        let device = CudaDevice::get_device(number)?;
        let name = device.name()?;
        let context = Context::new(device)?;
        let module = Module::from_ptx(PTX, &[])?;
        let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
        Ok(Cuda { name, staging: RefCell::default(), stream, module, _context: context, _thread: PhantomData })
    }
}

impl Machine for Cuda {
    type Block = DeviceBuffer<u8>;

    fn name(&self) -> String {
        format!("cuda: {}", self.name)
    }

    fn allocate(&self, bytes: usize) -> Result<DeviceBuffer<u8>, DeviceError> {
        // SAFETY: any bytes are bytes, and kernels read only what others wrote.
        let block = unsafe { DeviceBuffer::uninitialized(bytes) };
        block.map_err(|error| DeviceError::Memory { bytes, reason: error.to_string() })
    }

    fn address(&self, block: &DeviceBuffer<u8>) -> u64 {
        block.as_device_ptr().as_raw()
    }

    fn write(&self, block: &DeviceBuffer<u8>, bytes: &[u8]) -> Result<(), DeviceError> {
        let outcome = self.staging.borrow_mut().write(&self.stream, block, bytes);
        outcome.map_err(copy_failed("to the device", bytes.len()))
    }

    fn read(&self, block: &DeviceBuffer<u8>, first: usize, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let count = bytes.len();
        let outcome = self.staging.borrow_mut().read(&self.stream, block, first, bytes);
        outcome.map_err(copy_failed("from the device", count))
    }

    fn copy(
        &self,
        from: &DeviceBuffer<u8>,
        to: &DeviceBuffer<u8>,
        first: usize,
        bytes: usize,
    ) -> Result<(), DeviceError> {
        // SAFETY: both blocks stay until the stream is done with them: their memory is only given to later calls.
        let outcome = unsafe { to.index(first..first + bytes).async_copy_from(&from.index(0..bytes), &self.stream) };
        outcome.map_err(copy_failed("on the device", bytes))
    }

    unsafe fn launch<K: NativeKernel>(&self, arguments: &K) -> Result<(), DeviceError> {
        let blocks = arguments.threads().div_ceil(u64::from(K::INFO.block)).clamp(1, MOST_BLOCKS) as u32;
        let parameter = std::ptr::from_ref(arguments).cast_mut().cast::<c_void>();
        let outcome = self.module.get_function(K::INFO.name).and_then(|function| {
            // SAFETY: the kernel of that name takes one such struct by value, which the driver copies before it returns;
            // the rest is this function's own promise.
            unsafe { self.stream.launch(&function, blocks, K::INFO.block, 0, &[parameter]) }
        });
        outcome.map_err(|error| DeviceError::Launch { kernel: K::INFO.name, reason: error.to_string() })
    }
}

fn copy_failed(way: &'static str, bytes: usize) -> impl Fn(cust::error::CudaError) -> DeviceError {
    move |error| DeviceError::Copy { way, bytes, reason: error.to_string() }
}
