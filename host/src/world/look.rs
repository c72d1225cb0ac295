//! What is seen of a body.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::geometry::TriMesh;

/// What is seen of a body, in the body's own coordinates: a mesh for each of its parts that can be seen.
///
/// A key that a body's [convex parts](super::ConvexParts) have too names the same part.
pub type Looks = BTreeMap<u32, LazyMesh>;

/// A mesh that is there, or is made when somebody first asks for it.
///
/// A fracture makes hundreds of parts at once. To triangulate them at that moment would be felt; most are first seen a
/// frame later, and some are gone by then. Copies share what was made.
#[derive(Clone)]
pub struct LazyMesh(Source);

#[derive(Clone)]
enum Source {
    Ready(Arc<TriMesh>),
    Lazy(Arc<Lazy>),
}

struct Lazy {
    triangles: usize,
    make: Box<dyn Fn() -> TriMesh + Send + Sync>,
    made: OnceLock<Arc<TriMesh>>,
}

impl LazyMesh {
    /// A mesh that is made on first demand. `triangles` is how many triangles it will have, which statistics want to
    /// know before.
    ///
    /// ```
    /// use fracas::geometry::shapes;
    /// use fracas::world::LazyMesh;
    /// use glam::DVec3;
    ///
    /// let look = LazyMesh::lazy(12, || shapes::cuboid(DVec3::ONE));
    /// assert_eq!(look.triangle_count(), look.mesh().triangles.len());
    /// ```
    pub fn lazy(triangles: usize, make: impl Fn() -> TriMesh + Send + Sync + 'static) -> LazyMesh {
        LazyMesh(Source::Lazy(Arc::new(Lazy { triangles, make: Box::new(make), made: OnceLock::new() })))
    }

    /// The mesh, which is made now if nobody asked before.
    pub fn mesh(&self) -> &Arc<TriMesh> {
        match &self.0 {
            Source::Ready(mesh) => mesh,
            Source::Lazy(lazy) => lazy.made.get_or_init(|| Arc::new((lazy.make)())),
        }
    }

    /// How many triangles the mesh has or will have.
    pub fn triangle_count(&self) -> usize {
        match &self.0 {
            Source::Ready(mesh) => mesh.triangles.len(),
            Source::Lazy(lazy) => lazy.triangles,
        }
    }

    /// A number that copies of one mesh share, and no other mesh that lives has.
    pub(crate) fn address(&self) -> usize {
        match &self.0 {
            Source::Ready(mesh) => Arc::as_ptr(mesh).addr(),
            Source::Lazy(lazy) => Arc::as_ptr(lazy).addr(),
        }
    }
}

impl From<Arc<TriMesh>> for LazyMesh {
    fn from(mesh: Arc<TriMesh>) -> LazyMesh {
        LazyMesh(Source::Ready(mesh))
    }
}

impl From<TriMesh> for LazyMesh {
    fn from(mesh: TriMesh) -> LazyMesh {
        Arc::new(mesh).into()
    }
}

impl fmt::Debug for LazyMesh {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "LazyMesh({} triangles)", self.triangle_count())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use glam::DVec3;

    use super::*;
    use crate::geometry::shapes;

    #[test]
    fn a_mesh_is_made_once_for_all_copies_and_not_before() {
        let made = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&made);
        let look = LazyMesh::lazy(12, move || {
            count.fetch_add(1, Ordering::SeqCst);
            shapes::cuboid(DVec3::ONE)
        });
        let copy = look.clone();
        assert_eq!((look.triangle_count(), made.load(Ordering::SeqCst)), (12, 0));
        assert_eq!(look.address(), copy.address());
        assert!(Arc::ptr_eq(look.mesh(), copy.mesh()));
        assert_eq!(made.load(Ordering::SeqCst), 1);
    }
}
