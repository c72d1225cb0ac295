//! A device with the kernels on it, and lists that go there and back.

use std::fmt::Debug;
use std::sync::OnceLock;

use bytemuck::Pod;
use fracas_emulator::{Argument, Device, Dimensions, LoadedModule, Module, Options, Profile};
use fracas_kernels::arguments::{DeviceSlice, DeviceSliceMut, Kernel};

/// Around a warp, around a block, and what is no multiple of anything.
const SIZES: [usize; 9] = [0, 1, 31, 32, 33, 255, 256, 257, 1234];

/// A device and how it runs kernels.
pub(crate) struct Gpu {
    device: Device,
    module: LoadedModule,
    options: Options,
    /// The most blocks of a grid: with few, threads do several threads' work.
    blocks: u64,
}

/// Runs a test with all threads at once, and then with a few blocks in a strange order while races are looked for.
pub(crate) fn in_every_way(test: impl Fn(&Gpu)) {
    let races = Options { races: true, shuffle: Some(7), turn: 61, ..Options::default() };
    for (options, blocks) in [(Options::default(), u64::MAX), (races, 3)] {
        let device = Device::new();
        let module = device.load(Module::parse(&super::PTX).unwrap()).unwrap();
        test(&Gpu { device, module, options, blocks });
    }
}

impl Gpu {
    /// The module alone.
    pub(crate) fn load() -> &'static LoadedModule {
        static MODULE: OnceLock<LoadedModule> = OnceLock::new();
        MODULE.get_or_init(|| Device::new().load(Module::parse(&super::PTX).unwrap()).unwrap())
    }

    /// Whether to look for races makes everything slow.
    pub(crate) fn is_slow(&self) -> bool {
        self.options.races
    }

    /// The sizes that kernels run on; to look for races takes its time, so the largest is smaller then.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = usize> {
        SIZES.into_iter().chain([if self.is_slow() { 9000 } else { 70_000 }])
    }

    /// A copy of a list on the device.
    pub(crate) fn upload<T: Pod>(&self, list: &[T]) -> DeviceSlice<T> {
        self.upload_mut(list).read_only()
    }

    /// A copy of a list that a kernel changes.
    pub(crate) fn upload_mut<T: Pod>(&self, list: &[T]) -> DeviceSliceMut<T> {
        let output = self.output(list.len());
        self.device.write(output.address, bytemuck::cast_slice(list)).unwrap();
        output
    }

    /// Memory for a list that a kernel writes.
    pub(crate) fn output<T>(&self, length: usize) -> DeviceSliceMut<T> {
        let address = self.device.allocate((length * size_of::<T>()) as u64).unwrap();
        DeviceSliceMut::new(address, length as u64)
    }

    /// What is in a list now.
    pub(crate) fn download<T: Pod>(&self, list: DeviceSliceMut<T>) -> Vec<T> {
        let mut values = vec![T::zeroed(); list.length as usize];
        self.device.read(list.address, bytemuck::cast_slice_mut(&mut values)).unwrap();
        values
    }

    /// Launches the kernel that the arguments are for.
    pub(crate) fn launch<K: Kernel>(&self, arguments: &K) -> Profile {
        let blocks = arguments.threads().div_ceil(u64::from(K::INFO.block)).clamp(1, self.blocks) as u32;
        let bytes = [Argument::bytes(bytemuck::bytes_of(arguments))];
        let dimensions = Dimensions::linear(blocks, K::INFO.block);
        self.device
            .launch(&self.module, K::INFO.name, dimensions, &bytes, &self.options)
            .unwrap_or_else(|fault| panic!("{}: {fault}", K::INFO.name))
    }

    /// Checks that a list is, bit by bit, what was expected.
    pub(crate) fn expect<T: Pod + Debug>(&self, list: DeviceSliceMut<T>, expected: &[T]) {
        let found = self.download(list);
        assert_eq!(found.len(), expected.len());
        for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
            assert!(
                bytemuck::bytes_of(found) == bytemuck::bytes_of(expected),
                "element {index}: {found:?} instead of {expected:?}"
            );
        }
    }
}

/// What the host returns for each index.
pub(crate) fn map<T>(count: usize, body: impl Fn(usize) -> T) -> Vec<T> {
    (0..count).map(body).collect()
}

/// The sums of all elements before each, and the sum of all.
pub(crate) fn exclusive(counts: &[u32]) -> (Vec<u32>, usize) {
    let mut starts = vec![0];
    starts.extend(inclusive(counts));
    let sum = starts.pop().unwrap_or(0);
    (starts, sum as usize)
}

/// The sums of all elements up to and with each.
pub(crate) fn inclusive(counts: &[u32]) -> Vec<u32> {
    counts
        .iter()
        .scan(0, |sum, count| {
            *sum += count;
            Some(*sum)
        })
        .collect()
}

/// Numbers that look random and are the same everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// The next number below a limit.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(limit)) as u32
    }

    /// The next number of a range.
    pub(crate) fn between(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low) as u32) as i32
    }
}
