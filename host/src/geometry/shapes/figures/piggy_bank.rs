//! A hollow piggy bank.

use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

use super::super::super::TriMesh;
use super::super::error::{Check, ShapeError};
use super::super::implicit::Sculpture;
use super::super::isosurface::isosurface_of_size;
use super::super::primitive::Primitive;
use super::sculptor::Sculptor;
use super::stand;

/// A pig of clay with a cavity inside, looking along +x and standing on y = 0: an outer and an inner surface, or one
/// through the slot if it has one. The default has about the 9,722 triangles of \[Glondu12\], Table 1.
///
/// ```
/// use fracas::geometry::shapes::PiggyBank;
///
/// let pig = PiggyBank { triangles: 6_000, ..PiggyBank::default() }.mesh()?;
/// assert!((pig.triangles.len() as f64 / 6_000.0 - 1.0).abs() < 0.05);
/// # Ok::<(), fracas::geometry::shapes::ShapeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PiggyBank {
    /// From the feet to the tips of the ears.
    pub height: f64,
    /// How thick the clay is, as a part of the height.
    pub wall: f64,
    /// Whether there is a slot for coins in the back.
    pub slot: bool,
    /// About how many triangles there are on both surfaces together.
    pub triangles: u32,
}

impl Default for PiggyBank {
    fn default() -> PiggyBank {
        PiggyBank { height: 0.16, wall: 0.07, slot: false, triangles: 9_722 }
    }
}

/// The height of the figure in its own units.
const HEIGHT: f64 = 1.13;

impl PiggyBank {
    /// Whether the parameters make a mesh.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), ShapeError> {
        let check = Check("piggy bank");
        check.length("height", self.height)?;
        check.range("wall", self.wall, 0.02..=0.2)?;
        // The lattice must have vertices within the wall, and its spacing goes with the square root of the count.
        let least = (20.0 / (self.wall * self.wall)).ceil() as u32;
        let expected = format!("at least {least} for a wall of {}", self.wall);
        check.require(self.triangles >= least, "triangles", self.triangles, expected)?;
        check.count("triangles", self.triangles, 1..=10_000_000)
    }

    /// The mesh.
    ///
    /// # Errors
    /// As [`PiggyBank::check`].
    pub fn mesh(&self) -> Result<TriMesh, ShapeError> {
        self.check()?;
        let mesh = isosurface_of_size(|spacing| pig(spacing, self.wall * HEIGHT, self.slot), self.triangles.into())?;
        Ok(stand(mesh, self.height))
    }
}

fn pig(spacing: f64, wall: f64, slot: bool) -> Sculpture {
    let mut s = Sculptor::new(spacing);
    s.ellipsoid([-0.05, 0.53, 0.0], [0.56, 0.41, 0.42], [0.0; 3], 0.0);
    s.ellipsoid([0.40, 0.64, 0.0], [0.27, 0.28, 0.29], [0.0; 3], 0.16);
    // Snout, nostrils, mouth.
    s.limb(&[([0.58, 0.58, 0.0], 0.15), ([0.70, 0.575, 0.0], 0.128)], 1, 0.08);
    s.ellipsoid([0.785, 0.575, 0.0], [0.055, 0.125, 0.145], [0.0, 0.0, 6.0], 0.03);
    for side in [1.0, -1.0] {
        s.carve([0.845, 0.585, 0.052 * side], [0.035, 0.042, 0.026], [0.0; 3], 0.015);
        s.ball([0.575, 0.745, 0.155 * side], 0.042, 0.01);
        // Ears that tip forward.
        s.ellipsoid([0.36, 0.955, 0.19 * side], [0.055, 0.17, 0.105], [22.0 * side, 12.0 * side, -18.0], 0.05);
        s.carve([0.425, 0.965, 0.205 * side], [0.034, 0.105, 0.06], [22.0 * side, 12.0 * side, -18.0], 0.03);
        // Legs with hooves.
        for x in [-0.33, 0.27] {
            s.cone(([x, 0.30, 0.21 * side], 0.15), ([x + 0.01, 0.10, 0.225 * side], 0.105), 0.08);
            s.cone(([x + 0.01, 0.085, 0.225 * side], 0.115), ([x + 0.01, 0.075, 0.225 * side], 0.115), 0.02);
            s.carve([x + 0.135, 0.06, 0.225 * side], [0.07, 0.10, 0.016], [0.0; 3], 0.015);
        }
    }
    // A curl of a tail.
    s.limb(
        &[
            ([-0.56, 0.60, 0.0], 0.050),
            ([-0.70, 0.60, 0.03], 0.042),
            ([-0.82, 0.66, 0.06], 0.040),
            ([-0.82, 0.78, 0.05], 0.038),
            ([-0.72, 0.82, 0.0], 0.036),
            ([-0.675, 0.74, -0.07], 0.034),
            ([-0.72, 0.66, -0.12], 0.032),
            ([-0.81, 0.66, -0.15], 0.026),
        ],
        3,
        0.04,
    );
    s.sculpture.wall = Some(wall);
    if slot {
        let half_extents = DVec3::new(0.17, 0.5, (0.035f64).max(0.75 * spacing));
        let center = DVec3::new(-0.08, 1.05, 0.0);
        let rounding = 0.02f64.min(0.5 * half_extents.z);
        let gap = Primitive::Block { center, axes: DMat3::IDENTITY, half_extents, rounding };
        s.sculpture.cuts.push((gap, 0.03));
    }
    s.sculpture
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{assert_embedded, assert_solid, component_volumes};
    use super::*;

    #[test]
    fn a_bank_is_a_shell_with_a_cavity() {
        for triangles in [4_500, 9_722] {
            let mesh = PiggyBank { triangles, ..PiggyBank::default() }.mesh().unwrap();
            assert!(
                (mesh.triangles.len() as f64 / f64::from(triangles) - 1.0).abs() < 0.05,
                "{}",
                mesh.triangles.len()
            );
            assert_solid(&mesh, 2, 4);
            assert_embedded(&mesh);
            let volumes = component_volumes(&mesh);
            let cavity = -volumes.iter().copied().fold(f64::INFINITY, f64::min);
            let whole = volumes.iter().copied().fold(0.0, f64::max);
            assert!(cavity > 0.3 * whole && cavity < 0.8 * whole, "{cavity} of {whole}");
            assert!((mesh.aabb().max.y - 0.16).abs() < 1e-9 && mesh.aabb().min.y.abs() < 1e-9);
        }
    }

    #[test]
    fn a_slot_joins_the_surfaces() {
        let mesh = PiggyBank { slot: true, triangles: 5_000, ..PiggyBank::default() }.mesh().unwrap();
        assert_solid(&mesh, 1, 2);
        assert_embedded(&mesh);
    }

    #[test]
    fn bad_banks_are_refused() {
        assert!(PiggyBank { triangles: 500, ..PiggyBank::default() }.mesh().is_err());
        assert!(PiggyBank { wall: f64::NAN, ..PiggyBank::default() }.mesh().is_err());
        assert!(PiggyBank { triangles: u32::MAX, ..PiggyBank::default() }.mesh().is_err());
    }
}
