//! A backend for several bodies, worlds and threads.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fracas_kernels::scan::Segmented;

use super::{Backend, DeviceError, Scan};
use crate::geometry::TriMesh;
use crate::svo::{Encounter, FractureOptions, Fractured, Intersection, Lattice, Seeds, Tree, VoxeliseOptions};

/// A backend that is shared. A [`Device`](super::Device) does one thing after the other, so it goes in behind a lock:
///
/// ```
/// use std::sync::Mutex;
/// use fracas::device::{Device, SharedBackend};
/// use fracas::world::{World, WorldOptions};
///
/// let mut world = World::new(&WorldOptions::default());
/// world.set_backend(Some(SharedBackend::new(Mutex::new(Device::native()))));
/// ```
#[derive(Clone)]
pub struct SharedBackend(Arc<dyn Backend + Send + Sync>);

impl SharedBackend {
    /// For many to use.
    pub fn new(backend: impl Backend + Send + Sync + 'static) -> SharedBackend {
        SharedBackend(Arc::new(backend))
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
        formatter.debug_tuple("SharedBackend").field(&self.0.name()).finish()
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

/// A backend has no state that a panic could leave half changed and that would matter: lists are whole, or gone.
fn locked<B>(backend: &Mutex<B>) -> MutexGuard<'_, B> {
    backend.lock().unwrap_or_else(PoisonError::into_inner)
}
