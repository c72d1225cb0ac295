//! A backend for several bodies, worlds and threads.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fracas_kernels::scan::Segmented;

use super::machine::Machine;
use super::{Backend, Device, DeviceError, Scan};
use crate::geometry::TriMesh;
use crate::svo::{Encounter, FractureOptions, Fractured, Intersection, Lattice, Seeds, Tree, VoxeliseOptions};

/// A backend that is shared.
///
/// ```
/// use fracas::device::{Device, SharedBackend};
/// use fracas::world::{World, WorldOptions};
///
/// let mut world = World::new(&WorldOptions::default());
/// world.set_backend(Some(SharedBackend::device(Device::native())));
/// ```
///
/// A device does one thing after the other, behind a lock. While it does, the thread that called may take on other work of its
/// rayon pool; so worlds that share a device must not be stepped by one parallel iterator, where that other work would wait for
/// the same lock.
#[derive(Clone)]
pub struct SharedBackend(Arc<dyn Backend + Send + Sync>);

impl SharedBackend {
    /// For many to use.
    pub fn new(backend: impl Backend + Send + Sync + 'static) -> SharedBackend {
        SharedBackend(Arc::new(backend))
    }

    /// A device, behind a lock.
    pub fn device<M: Machine>(device: Device<M>) -> SharedBackend
    where
        Device<M>: Send + 'static,
    {
        SharedBackend::new(Mutex::new(device))
    }
}

impl Deref for SharedBackend {
    type Target = dyn Backend + Send + Sync;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl fmt::Debug for SharedBackend {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without its name, for which a device would have to be waited for.
        formatter.debug_struct("SharedBackend").finish_non_exhaustive()
    }
}

/// One call at a time.
impl<B: Backend> Backend for Mutex<B> {
    fn name(&self) -> String {
        locked(self).name()
    }

    fn scan(&self, elements: &[u32], kind: Scan) -> Result<Vec<u32>, DeviceError> {
        locked(self).scan(elements, kind)
    }

    fn scan_segments(&self, elements: &[Segmented], kind: Scan) -> Result<Vec<u32>, DeviceError> {
        locked(self).scan_segments(elements, kind)
    }

    fn sort(&self, keys: &[u64]) -> Result<(Vec<u64>, Vec<u32>), DeviceError> {
        locked(self).sort(keys)
    }

    fn islands(&self, codes: &[u32], groups: &[u32]) -> Result<Vec<u32>, DeviceError> {
        locked(self).islands(codes, groups)
    }

    fn voxelise(&self, mesh: &TriMesh, options: &VoxeliseOptions) -> Result<(Lattice, Tree), DeviceError> {
        locked(self).voxelise(mesh, options)
    }

    fn fracture(&self, tree: &Tree, seeds: &Seeds, options: &FractureOptions) -> Result<Fractured, DeviceError> {
        locked(self).fracture(tree, seeds, options)
    }

    fn intersect(&self, pairs: &[Encounter<'_>]) -> Result<Vec<Intersection>, DeviceError> {
        locked(self).intersect(pairs)
    }
}

/// A panic leaves no state half changed that matters: lists are whole or gone, and octrees are known when they are there.
fn locked<B>(backend: &Mutex<B>) -> MutexGuard<'_, B> {
    backend.lock().unwrap_or_else(PoisonError::into_inner)
}
