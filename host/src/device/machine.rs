//! What a device is to the algorithms: memory, copies and launches, in the order in which they are asked for.

use fracas_kernels::arguments::NativeKernel;

use super::DeviceError;

/// Runs kernels. All that is asked for happens in that order, though maybe later; only [`Machine::read`] waits. Blocks stay
/// until the machine goes, so that no handle outlives what it names.
pub trait Machine {
    /// Names a piece of the machine's memory.
    type Block: std::fmt::Debug;

    /// What it is.
    fn name(&self) -> String;

    /// Memory of some bytes, aligned for every element.
    fn allocate(&self, bytes: usize) -> Result<Self::Block, DeviceError>;

    /// Where a kernel finds the memory.
    fn address(&self, block: &Self::Block) -> u64;

    /// Copies bytes to the start of a block.
    fn write(&self, block: &Self::Block, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Copies bytes of a block, from the first one asked for, when all before is done.
    fn read(&self, block: &Self::Block, first: usize, bytes: &mut [u8]) -> Result<(), DeviceError>;

    /// Copies so many bytes from the start of a block to a place of another.
    fn copy(&self, from: &Self::Block, to: &Self::Block, first: usize, bytes: usize) -> Result<(), DeviceError>;

    /// Runs a kernel that has something to do. This is safe whatever the arguments are: the machine looks at their handles
    /// before it runs the kernel, and those that are not of its blocks, or of memory that the kernel writes twice, are an error.
    fn launch<K: NativeKernel>(&self, arguments: &K) -> Result<(), DeviceError>;
}
