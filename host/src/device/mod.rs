//! The seam between algorithms and what they run on.
//!
//! A [`Backend`] has few, coarse operations, with the same results on each: integers bit by bit. [`Cpu`] does them its own
//! way. [`Device`] drives the kernels of [`fracas_kernels`], on one of two machines:
//!
//! - [`Native`]: the kernels as functions of this process, with plain memory for that of a device; to test and to find faults;
//! - `Cuda`, with the feature `cuda`: an NVIDIA device, through its driver, which is looked for when a device is asked for.
//!   Where there is no driver, or no device, that is an error that says so in one line.
//!
//! ```
//! use fracas::device::{Backend, Cpu, Device, Scan};
//!
//! let counts = [3, 0, 4];
//! let starts = Cpu.scan(&counts, Scan::Exclusive)?;
//! assert_eq!(starts, [0, 3, 3]);
//! assert_eq!(Device::native().scan(&counts, Scan::Exclusive)?, starts);
//! # Ok::<(), fracas::device::DeviceError>(())
//! ```

mod build;
mod collide;
mod columns;
mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod extract;
mod fracture;
mod islands;
mod machine;
mod meet;
mod memory;
mod native;
mod operations;
mod residents;
mod scan;
mod shared;
mod sort;

use fracas_kernels::scan::Segmented;

pub use cpu::Cpu;
#[cfg(feature = "cuda")]
pub use cuda::{Cuda, cuda_devices};
pub use memory::Device;
pub use native::Native;
pub use shared::SharedBackend;

use crate::geometry::TriMesh;
use crate::svo::{
    Encounter, FractureOptions, Fractured, Intersection, Lattice, Seeds, SvoError, Tree, VoxeliseOptions,
};

/// The names of all kernels.
pub fn kernels() -> Vec<&'static str> {
    fracas_kernels::arguments::KERNELS.iter().map(|kernel| kernel.name).collect()
}

/// Which sums a scan gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scan {
    /// Those of all elements up to and with each.
    Inclusive,
    /// Those of all elements before each.
    Exclusive,
}

/// The operations that algorithms on many elements are made of.
pub trait Backend {
    /// What it runs on.
    fn name(&self) -> String;

    /// Sums, which wrap around at 2^32.
    ///
    /// # Errors
    /// If the device fails.
    fn scan(&self, elements: &[u32], kind: Scan) -> Result<Vec<u32>, DeviceError>;

    /// Sums that start again at each head; an exclusive one is 0 there.
    ///
    /// # Errors
    /// If the device fails.
    fn scan_segments(&self, elements: &[Segmented], kind: Scan) -> Result<Vec<u32>, DeviceError>;

    /// The keys in order, and the number that each had. Equal keys stay in their order.
    ///
    /// # Errors
    /// If the device fails.
    fn sort(&self, keys: &[u64]) -> Result<(Vec<u64>, Vec<u32>), DeviceError>;

    /// The label of each voxel, which is the number of the last voxel of its island. Voxels are Morton codes of 30 bits,
    /// sorted by group and, within a group, by code; those of a group that share a corner hang together.
    ///
    /// # Errors
    /// If the device fails.
    fn islands(&self, codes: &[u32], groups: &[u32]) -> Result<Vec<u32>, DeviceError>;

    /// The octree of a mesh, as [`voxelise`](crate::svo::voxelise()) makes it. The voxels and what is inside are found on the CPU,
    /// the octree is built on the backend.
    ///
    /// # Errors
    /// As [`voxelise`](crate::svo::voxelise()), and if the device fails.
    fn voxelise(&self, mesh: &TriMesh, options: &VoxeliseOptions) -> Result<(Lattice, Tree), DeviceError>;

    /// Breaks an octree by the cells of seeds, as [`Tree::fracture`] does.
    ///
    /// # Errors
    /// As [`Tree::fracture`], and if the device fails.
    fn fracture(&self, tree: &Tree, seeds: &Seeds, options: &FractureOptions) -> Result<Fractured, DeviceError>;

    /// What pairs of octrees share, each as [`intersect`](crate::svo::intersect) finds it. A device keeps the octrees for the
    /// next call.
    ///
    /// # Errors
    /// If the device fails.
    fn intersect(&self, pairs: &[Encounter<'_>]) -> Result<Vec<Intersection>, DeviceError>;
}

/// Why something could not be done on a device.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DeviceError {
    /// There is none to use.
    #[error("no CUDA device can be used: {reason}")]
    NoDevice {
        /// What the driver says, or that there is none.
        reason: String,
    },
    /// The device has no more memory.
    #[error("a device has no {bytes} bytes of memory left: {reason}")]
    Memory {
        /// How many were asked for.
        bytes: usize,
        /// What the driver says.
        reason: String,
    },
    /// Data did not get to the device or back.
    #[error("{bytes} bytes could not be copied {way}: {reason}")]
    Copy {
        /// From where to where.
        way: &'static str,
        /// How many.
        bytes: usize,
        /// What the driver says.
        reason: String,
    },
    /// A kernel did not start.
    #[error("the kernel {kernel} could not be launched: {reason}")]
    Launch {
        /// Its name.
        kernel: &'static str,
        /// What the driver says.
        reason: String,
    },
    /// The octrees of a call are too many.
    #[error("octrees with lists of {elements} elements are more than a device can number; compare fewer at a time")]
    Octrees {
        /// How long a list would have to be.
        elements: usize,
    },
    /// The voxels are at fault.
    #[error(transparent)]
    Voxels(#[from] SvoError),
}
