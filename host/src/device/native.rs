//! The kernels as functions of this process.

use std::cell::RefCell;

use fracas_kernels::arguments::NativeKernel;
use fracas_kernels::native::{Block, NativeMemory};
use rayon::prelude::*;

use super::machine::Machine;
use super::{Device, DeviceError};

/// This process as a device: kernels are functions, on as many threads as there are. Two threads of a launch that write the
/// same element, which on a device would go unnoticed, are a panic.
#[derive(Debug, Default)]
pub struct Native {
    memory: RefCell<NativeMemory>,
}

impl Device<Native> {
    /// This process as a device.
    pub fn native() -> Device<Native> {
        Device::new(Native::default())
    }
}

impl Machine for Native {
    type Block = Block;

    fn name(&self) -> String {
        format!("native: {} threads", rayon::current_num_threads())
    }

    fn allocate(&self, bytes: usize) -> Result<Block, DeviceError> {
        let block = self.memory.borrow_mut().allocate(bytes);
        block.ok_or_else(|| DeviceError::Memory { bytes, reason: "the allocator has none".to_owned() })
    }

    fn address(&self, block: &Block) -> u64 {
        self.memory.borrow().address(*block)
    }

    fn write(&self, block: &Block, bytes: &[u8]) -> Result<(), DeviceError> {
        self.memory.borrow_mut().write(*block, bytes);
        Ok(())
    }

    fn read(&self, block: &Block, first: usize, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.memory.borrow().read(*block, first, bytes);
        Ok(())
    }

    fn copy(&self, from: &Block, to: &Block, first: usize, bytes: usize) -> Result<(), DeviceError> {
        self.memory.borrow_mut().copy(*from, *to, first, bytes);
        Ok(())
    }

    fn launch<K: NativeKernel>(&self, arguments: &K) -> Result<(), DeviceError> {
        let mut memory = self.memory.borrow_mut();
        let launch = memory
            .launch(arguments)
            .map_err(|error| DeviceError::Launch { kernel: K::INFO.name, reason: error.to_string() })?;
        (0..launch.runs()).into_par_iter().for_each(|_| launch.run());
        Ok(())
    }
}
