//! The solids that a mesh file holds.

use super::decompose::{DecomposeError, check_solid};
use super::visual::islands;
use crate::geometry::PolyMesh;

/// The connected solids of a mesh, each with its cavities, in the order of their first faces.
///
/// Each breaks by itself: what only touches, or is only one file, does not hold together.
///
/// # Errors
/// If the mesh is not the closed surface of a solid turned outwards.
///
/// ```
/// use fracas::geometry::{PolyMesh, shapes};
/// use fracas::vacd::solids;
/// use glam::{DAffine3, DVec3};
///
/// let mut mesh = shapes::cuboid(DVec3::ONE);
/// mesh.append(&shapes::cuboid(DVec3::ONE).transformed(&DAffine3::from_translation(DVec3::X)));
/// assert_eq!(solids(&PolyMesh::from(&mesh))?.len(), 2);
/// # Ok::<(), fracas::vacd::DecomposeError>(())
/// ```
pub fn solids(mesh: &PolyMesh) -> Result<Vec<PolyMesh>, DecomposeError> {
    let welded = check_solid(mesh, false)?;
    Ok(islands(welded.unwrap_or_else(|| mesh.clone())))
}
