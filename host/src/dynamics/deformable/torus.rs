//! Tori of tetrahedra.

use crate::geometry::TetMesh;
use crate::geometry::shapes::{ShapeError, Torus};

/// A torus filled with tetrahedra: a node in the middle of each cross-section, and wedges around it. Its surface has two
/// triangles for each major and minor segment, so 1,600 by default.
///
/// # Errors
/// As [`Torus::check`].
pub fn torus_tets(torus: &Torus) -> Result<TetMesh, ShapeError> {
    torus.check()?;
    let surface = torus.mesh()?;
    let (rings, around) = (torus.major_segments, torus.minor_segments);
    // Vertices of the surface stand minor segment by minor segment.
    let ring_of = |ring: u32| (0..around).map(move |minor| (minor * rings + ring) as usize);
    let mut positions = Vec::new();
    for ring in 0..rings {
        let corners: Vec<_> = ring_of(ring).map(|vertex| surface.positions[vertex]).collect();
        let middle = corners.iter().copied().sum::<glam::DVec3>() / f64::from(around);
        positions.extend(corners);
        positions.push(middle);
    }
    let mut tets = Vec::new();
    for ring in 0..rings {
        let (here, there) = (ring * (around + 1), (ring + 1) % rings * (around + 1));
        for minor in 0..around {
            // In one order, so that neighbours cut the side that they share along the same diagonal.
            let next = (minor + 1) % around;
            let [a, b, c] = [minor.min(next), minor.max(next), around];
            tets.extend([
                [here + a, here + b, here + c, there + c],
                [here + a, here + b, there + b, there + c],
                [here + a, there + a, there + b, there + c],
            ]);
        }
    }
    let mut mesh = TetMesh { positions, tets };
    mesh.orient();
    Ok(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_surface_is_that_of_the_torus() {
        let torus = Torus::default();
        let mesh = torus_tets(&torus).unwrap();
        let (surface, shape) = (mesh.surface(), torus.mesh().unwrap());
        assert_eq!(surface.triangles.len(), 1600);
        assert!(surface.is_watertight());
        assert!((surface.volume() - mesh.volume()).abs() < 1e-12);
        assert!((surface.volume() / shape.volume() - 1.0).abs() < 0.01);
        assert!((0..mesh.tets.len()).all(|tet| mesh.tet_volume(tet) > 0.0));
    }
}
