//! The faces that a fracture lays open, where dust comes from (\[Mueller13\] 5).

use rustc_hash::FxHashSet;

use super::compound::Compound;
use crate::geometry::Plane;
use crate::world::ExposedFaces;

/// The faces of some parts that lie in one of the planes of a fracture and that no other part covers.
pub(super) fn exposed<'a>(
    parts: impl Iterator<Item = (&'a Compound, u32)>,
    planes: impl Iterator<Item = Plane>,
) -> ExposedFaces {
    // A cut leaves its plane in the face to the bit, one way round or the other.
    let key = |plane: &Plane| [plane.normal.x, plane.normal.y, plane.normal.z, plane.offset].map(f64::to_bits);
    let planes: FxHashSet<[u64; 4]> = planes.flat_map(|plane| [key(&plane), key(&plane.flipped())]).collect();
    let mut faces = ExposedFaces::default();
    for (compound, number) in parts {
        let Some(part) = compound.part(number).filter(|part| !part.is_ghost()) else { continue };
        let surface = part.convex().surface();
        for (face, plane) in part.convex().planes().iter().enumerate() {
            if planes.contains(&key(plane)) && !compound.is_hidden(number, face as u32) {
                let corners = surface.contours(face).flatten();
                faces.push(corners.map(|corner| surface.corner_position(corner)), plane.normal);
            }
        }
    }
    faces
}
