//! Tori and cylinders of tetrahedra: rings of nodes around a middle, one behind the other.

use std::f64::consts::TAU;

use glam::DVec3;

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
    let corner = |ring: u32, minor: u32| surface.positions[(minor * rings + ring) as usize];
    Ok(tube([rings, around], corner, true))
}

/// A cylinder of some sides along z, filled with tetrahedra, its middle at the origin; rings of nodes stand about as far
/// apart as half a radius. Of fewer than three sides it has three.
pub fn cylinder_tets(sides: u32, radius: f64, length: f64) -> TetMesh {
    let sides = sides.max(3);
    let segments = (2.0 * length / radius).round().clamp(1.0, 1000.0) as u32;
    let corner = |ring: u32, side: u32| {
        let (sine, cosine) = (TAU * f64::from(side) / f64::from(sides)).sin_cos();
        let place = length * (f64::from(ring) / f64::from(segments) - 0.5);
        DVec3::new(radius * cosine, radius * sine, place)
    };
    tube([segments + 1, sides], corner, false)
}

/// Rings of nodes with a middle each; the last is joined to the first if the tube is closed.
fn tube([rings, around]: [u32; 2], corner: impl Fn(u32, u32) -> DVec3, is_closed: bool) -> TetMesh {
    let mut positions = Vec::new();
    for ring in 0..rings {
        let corners = (0..around).map(|minor| corner(ring, minor));
        positions.extend(corners.clone());
        positions.push(corners.sum::<DVec3>() / f64::from(around));
    }
    let mut tets = Vec::new();
    for ring in 0..if is_closed { rings } else { rings - 1 } {
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
    mesh
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

    #[test]
    fn a_cylinder_is_a_prism_of_its_sides() {
        for sides in [3, 10, 31, 150] {
            let (radius, length) = (2.0, 5.0);
            let mesh = cylinder_tets(sides, radius, length);
            let surface = mesh.surface();
            assert!(surface.is_watertight());
            assert!((0..mesh.tets.len()).all(|tet| mesh.tet_volume(tet) > 0.0));
            let section = 0.5 * f64::from(sides) * radius * radius * (TAU / f64::from(sides)).sin();
            assert!((surface.volume() / (section * length) - 1.0).abs() < 1e-12);
        }
    }
}
