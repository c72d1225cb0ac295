//! Boxes as exact structured meshes.

use glam::DVec3;

use super::order::along_curve;
use super::{MAX_TETS, MesherError};
use crate::geometry::TetMesh;

/// The corners of a cell that the tetrahedron in the middle has; bit 0 is x, bit 1 y, bit 2 z. The other corners are cut off
/// by its faces.
const MIDDLE: [u32; 4] = [0b000, 0b011, 0b101, 0b110];

/// A box around the origin as tetrahedra, five to a cell: one in the middle, and one at each corner that it leaves.
/// Neighbouring cells are mirror images, so that their faces match. Volume and faces are exact.
///
/// # Errors
/// If a half extent is not a positive number, or there are no cells along an axis or too many.
///
/// ```
/// use fracas::fragment::cuboid_tets;
/// use glam::DVec3;
///
/// let brick = cuboid_tets(DVec3::new(0.1, 0.03, 0.05), [6, 2, 3])?;
/// assert_eq!(brick.tets.len(), 5 * 6 * 2 * 3);
/// assert!((brick.volume() - 0.2 * 0.06 * 0.1).abs() < 1e-15);
/// # Ok::<(), fracas::fragment::MesherError>(())
/// ```
pub fn cuboid_tets(half_extents: DVec3, cells: [u32; 3]) -> Result<TetMesh, MesherError> {
    let is_length = |length: f64| length > 0.0 && length.is_finite();
    if let Some(&value) = half_extents.to_array().iter().find(|&&length| !is_length(length)) {
        return Err(MesherError::BadLength { what: "a half extent", value });
    }
    let count = cells.iter().map(|&cells| f64::from(cells)).product::<f64>();
    if count == 0.0 {
        return Err(MesherError::NoCells);
    }
    if 5.0 * count > MAX_TETS as f64 {
        return Err(MesherError::TooManyTets { tets: 5.0 * count, limit: MAX_TETS });
    }
    let points = cells.map(|cells| cells + 1);
    let vertex = |[x, y, z]: [u32; 3]| (z * points[1] + y) * points[0] + x;
    let mut mesh = TetMesh::default();
    for_each_place(points, |place| {
        let share = |axis: usize| f64::from(place[axis]) / f64::from(cells[axis]);
        // From both ends, so that the box is as far out on one side as on the other.
        let shares: [f64; 3] = std::array::from_fn(share);
        mesh.positions
            .push(half_extents * (DVec3::from_array(shares) - DVec3::from_array(shares.map(|share| 1.0 - share))));
    });
    for_each_place(cells, |place| {
        let is_mirrored = place.iter().sum::<u32>() % 2 == 1;
        let corner = |bits: u32| {
            let bits = if is_mirrored { bits ^ 1 } else { bits };
            vertex(std::array::from_fn(|axis| place[axis] + (bits >> axis & 1)))
        };
        mesh.tets.push(MIDDLE.map(corner));
        mesh.tets.extend([0b001, 0b010, 0b100, 0b111].map(|bits| [bits, bits ^ 1, bits ^ 2, bits ^ 4].map(corner)));
    });
    mesh.orient();
    Ok(along_curve(&mesh).0)
}

fn for_each_place(counts: [u32; 3], mut visit: impl FnMut([u32; 3])) {
    for z in 0..counts[2] {
        for y in 0..counts[1] {
            for x in 0..counts[0] {
                visit([x, y, z]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::MeshQuality;
    use super::super::tests::assert_solid;
    use super::*;

    #[test]
    fn boxes_are_exact_and_their_faces_match() {
        for cells in [[1, 1, 1], [2, 1, 1], [4, 3, 5], [1, 7, 2]] {
            let half = DVec3::new(0.1, 0.3, 0.2);
            let mesh = cuboid_tets(half, cells).unwrap();
            assert_solid(&mesh, 1);
            assert_eq!((mesh.aabb().min, mesh.aabb().max), (-half, half));
            assert!((mesh.volume() / (8.0 * half.element_product()) - 1.0).abs() < 1e-13);
            assert_eq!(mesh.tets.len() as u32, 5 * cells.iter().product::<u32>());
            let [x, y, z] = cells;
            assert_eq!(MeshQuality::of(&mesh).surface_triangles as u32, 4 * (x * y + y * z + z * x));
        }
    }

    #[test]
    fn what_is_no_box_is_refused() {
        for half in [DVec3::ZERO, DVec3::new(1.0, -1.0, 1.0), DVec3::new(1.0, f64::NAN, 1.0), DVec3::INFINITY] {
            assert!(matches!(cuboid_tets(half, [1, 1, 1]), Err(MesherError::BadLength { .. })));
        }
        assert_eq!(cuboid_tets(DVec3::ONE, [1, 0, 1]), Err(MesherError::NoCells));
        assert!(matches!(cuboid_tets(DVec3::ONE, [u32::MAX; 3]), Err(MesherError::TooManyTets { .. })));
    }
}
