//! A launch: its arguments, its blocks, what comes out.

use super::block::Shuffle;
use super::{Launch, block};
use crate::detect::race::GlobalAccesses;
use crate::error::{Fault, FaultKind};
use crate::memory::Device;
use crate::module::LoadedModule;
use crate::options::Options;
use crate::profile::Profile;
use crate::program::Formal;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Threads that a block can have.
pub(crate) const MAXIMUM_THREADS: u32 = 1024;
/// Shared memory that a block can have, as on an H100 with the larger limit asked for.
pub(crate) const MAXIMUM_SHARED: u64 = 227 << 10;

/// The shape of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dimensions {
    /// Blocks in each direction.
    pub grid: [u32; 3],
    /// Threads of a block in each direction.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory of a block.
    pub shared_bytes: u32,
}

impl Dimensions {
    /// So many blocks of so many threads in a row.
    pub fn linear(blocks: u32, threads: u32) -> Self {
        Self { grid: [blocks, 1, 1], block: [threads, 1, 1], shared_bytes: 0 }
    }
}

/// An argument of a kernel: its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument(Vec<u8>);

impl Argument {
    /// The bytes of a value that is laid out as the kernel expects it.
    pub fn bytes(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

macro_rules! argument_from {
    ($($kind:ty),*) => {
        $(impl From<$kind> for Argument {
            fn from(value: $kind) -> Self {
                Self(value.to_le_bytes().to_vec())
            }
        })*
    };
}

argument_from!(u8, u16, u32, u64, i8, i16, i32, i64, f32, f64);

/// What a kernel needs, as `cuFuncGetAttribute` tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelAttributes {
    /// The most threads of a block that the kernel allows.
    pub maximum_threads: u32,
    /// Static shared memory in bytes.
    pub shared_bytes: u32,
    /// Local memory of a thread in bytes, without what it calls.
    pub local_bytes: u32,
    /// Registers as the text has them; a device packs them into fewer.
    pub registers: u32,
}

impl LoadedModule {
    /// What a kernel needs, if there is one of this name.
    pub fn kernel_attributes(&self, name: &str) -> Option<KernelAttributes> {
        let kernel = self.module.kernel(name)?;
        let function = &self.module.code.functions[kernel as usize];
        let allowed = function.required_threads.or(function.maximum_threads);
        let (_, shared_bytes, _) = self.shared_layout(kernel);
        Some(KernelAttributes {
            maximum_threads: allowed.map_or(MAXIMUM_THREADS, |extent| extent.iter().product()),
            shared_bytes,
            local_bytes: function.local_bytes,
            registers: function.registers.min(255),
        })
    }

    /// The sizes of the parameters of a kernel, in order.
    pub fn parameter_sizes(&self, name: &str) -> Option<Vec<usize>> {
        let kernel = self.module.kernel(name)?;
        let function = &self.module.code.functions[kernel as usize];
        Some(function.parameters.iter().map(|formal| formal_size(*formal)).collect())
    }

    /// The place of each shared variable that the kernel can reach, the bytes of the static ones, and the alignment of
    /// the dynamic part.
    fn shared_layout(&self, kernel: u32) -> (Vec<u32>, u32, u32) {
        let code = &self.module.code;
        let mut used: Vec<u32> = self
            .module
            .reachable(kernel)
            .iter()
            .flat_map(|&function| code.functions[function as usize].shared.iter().copied())
            .collect();
        used.sort_unstable();
        used.dedup();
        let mut offsets = vec![u32::MAX; code.shared.len()];
        let (mut end, mut dynamic_alignment) = (0_u64, 16);
        // More than fits into 32 bits is far more than a block can have, and is refused for that.
        let narrow = |offset: u64| u32::try_from(offset).unwrap_or(u32::MAX);
        for &index in &used {
            let variable = &code.shared[index as usize];
            if variable.unsized_array {
                dynamic_alignment = variable.alignment.max(dynamic_alignment);
                continue;
            }
            end = end.next_multiple_of(variable.alignment.into());
            offsets[index as usize] = narrow(end);
            end += variable.size;
        }
        // All dynamic arrays are one and the same.
        for &index in used.iter().filter(|&&index| code.shared[index as usize].unsized_array) {
            offsets[index as usize] = narrow(end.next_multiple_of(dynamic_alignment.into()));
        }
        (offsets, narrow(end), dynamic_alignment)
    }
}

fn formal_size(formal: Formal) -> usize {
    match formal {
        Formal::Memory { size, .. } => size as usize,
        Formal::Register { bits, .. } => bits as usize / 8,
    }
}

impl Device {
    /// Runs a kernel to its end. The first fault that is found stops the launch.
    pub fn launch(
        &self,
        loaded: &LoadedModule,
        kernel: &str,
        dimensions: Dimensions,
        arguments: &[Argument],
        options: &Options,
    ) -> Result<Profile, Fault> {
        static LAUNCHES: AtomicU64 = AtomicU64::new(1);
        let invalid = |message: String| Fault {
            kind: FaultKind::InvalidLaunch,
            kernel: kernel.to_owned(),
            thread: None,
            line: 0,
            source: None,
            message,
        };
        let index = loaded.module.kernel(kernel).ok_or_else(|| invalid("the module has no such kernel".to_owned()))?;
        let function = &loaded.module.code.functions[index as usize];
        check_dimensions(function.required_threads, function.maximum_threads, dimensions).map_err(&invalid)?;
        let mut parameters = vec![0; function.parameter_bytes as usize];
        if arguments.len() != function.parameters.len() {
            let expected = function.parameters.len();
            return Err(invalid(format!("{} arguments are given, the kernel takes {expected}", arguments.len())));
        }
        for (place, (argument, formal)) in arguments.iter().zip(&function.parameters).enumerate() {
            let (Formal::Memory { offset, size }, bytes) = (formal, &argument.0) else {
                return Err(invalid(format!("parameter {place} of a kernel is a register")));
            };
            if bytes.len() != *size as usize {
                return Err(invalid(format!("argument {place} has {} bytes, the kernel takes {size}", bytes.len())));
            }
            parameters[*offset as usize..][..bytes.len()].copy_from_slice(bytes);
        }
        let (shared_offsets, static_bytes, alignment) = loaded.shared_layout(index);
        let total = match dimensions.shared_bytes {
            0 => static_bytes,
            dynamic => static_bytes.checked_next_multiple_of(alignment).unwrap_or(u32::MAX).saturating_add(dynamic),
        };
        if u64::from(total) > MAXIMUM_SHARED {
            return Err(invalid(format!("{total} bytes of shared memory are more than {MAXIMUM_SHARED}")));
        }
        let launch = Launch {
            loaded,
            kernel: index,
            grid: dimensions.grid,
            block: dimensions.block,
            threads: dimensions.block.iter().product(),
            parameters,
            shared_offsets,
            dynamic_shared: dimensions.shared_bytes,
            total_shared: total,
            memory: self.view(),
            options,
            races: options.races.then(GlobalAccesses::new),
            number: LAUNCHES.fetch_add(1, Ordering::Relaxed),
            started: std::time::Instant::now(),
            failed: AtomicU32::new(u32::MAX),
        };
        let mut profile = run_blocks(&launch)?;
        profile.kernel = kernel.to_owned();
        profile.grid = dimensions.grid;
        profile.block = dimensions.block;
        profile.shared_bytes = u64::from(total);
        Ok(profile)
    }
}

fn check_dimensions(
    required: Option<[u32; 3]>,
    maximum: Option<[u32; 3]>,
    dimensions: Dimensions,
) -> Result<(), String> {
    let Dimensions { grid, block, .. } = dimensions;
    let threads: u64 = block.iter().map(|&extent| u64::from(extent)).product();
    let blocks: u128 = grid.iter().map(|&extent| u128::from(extent)).product();
    if blocks == 0 || threads == 0 {
        return Err(format!("a grid of {grid:?} blocks of {block:?} threads is empty"));
    }
    if threads > u64::from(MAXIMUM_THREADS) || block[0] > 1024 || block[1] > 1024 || block[2] > 64 {
        return Err(format!("a block of {block:?} threads is larger than any device takes"));
    }
    if grid[0] > i32::MAX as u32 || grid[1] > 65_535 || grid[2] > 65_535 || blocks > u128::from(u32::MAX) {
        return Err(format!("a grid of {grid:?} blocks is larger than any device takes"));
    }
    if let Some(required) = required.filter(|required| *required != block) {
        return Err(format!("the kernel requires blocks of {required:?} threads, not {block:?}"));
    }
    if let Some(maximum) = maximum.filter(|maximum| threads > maximum.iter().map(|&extent| u64::from(extent)).product())
    {
        return Err(format!("the kernel allows blocks of {maximum:?} threads, not {block:?}"));
    }
    Ok(())
}

/// Runs the blocks in parallel, or one by one in a shuffled order.
fn run_blocks(launch: &Launch<'_>) -> Result<Profile, Fault> {
    let count: u32 = launch.grid.iter().product();
    if let Some(seed) = launch.options.shuffle {
        let mut order: Vec<u32> = (0..count).collect();
        Shuffle::new(seed, 0).order(&mut order);
        let mut profile = Profile::default();
        for number in order {
            profile.add(&block::run(launch, number).map_err(|fault| *fault)?);
        }
        return Ok(profile);
    }
    // Blocks start in the order of their numbers, so that one that waits for an earlier one finds it running or done.
    let next = AtomicU32::new(0);
    let failed: Mutex<Option<(u32, Fault)>> = Mutex::new(None);
    let lock = || failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let workers = rayon::current_num_threads().min(count as usize).max(1);
    let profile = (0..workers)
        .into_par_iter()
        .map(|_| {
            let mut profile = Profile::default();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return profile;
                }
                match block::run(launch, number) {
                    Ok(more) => profile.add(&more),
                    Err(fault) => {
                        next.store(count, Ordering::Relaxed);
                        launch.failed.fetch_min(number, Ordering::Relaxed);
                        let mut failed = lock();
                        // The report is that of the first block that failed, whoever was faster.
                        if failed.as_ref().is_none_or(|(other, _)| number < *other) {
                            *failed = Some((number, *fault));
                        }
                        return profile;
                    }
                }
            }
        })
        .reduce(Profile::default, |mut sum, more| {
            sum.add(&more);
            sum
        });
    match failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        Some((_, fault)) => Err(fault),
        None => Ok(profile),
    }
}
