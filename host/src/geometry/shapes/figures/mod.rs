//! Organic figures for the scenes whose papers use scanned models: smooth blends of simple solids with relief, thin parts
//! and thick ones.

mod dragon;
mod piggy_bank;
mod rabbit;
mod sculptor;
mod senator;
mod statue;

use glam::{DAffine3, DVec3};
use serde::{Deserialize, Serialize};

use super::super::TriMesh;
use super::error::{Check, ShapeError};
use super::implicit::Sculpture;
use super::isosurface::cleaned_isosurface_of_size;

pub use piggy_bank::PiggyBank;

/// Which figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// A sitting rabbit that looks along +x, in place of the Stanford bunny.
    #[default]
    Rabbit,
    /// A seated figure on a lotus throne that looks along +z, in place of the Happy Buddha.
    Statue,
    /// A long dragon with a looped tail that looks along +x, in place of the Stanford dragon.
    Dragon,
    /// A standing figure in a toga that looks along +z, as on the roofs of the arena.
    Senator,
}

impl Figure {
    /// All figures.
    pub const ALL: [Figure; 4] = [Figure::Rabbit, Figure::Statue, Figure::Dragon, Figure::Senator];

    /// The figure as a field, in units of about its height, with nothing finer than a lattice of the spacing can see.
    pub fn sculpture(self, spacing: f64) -> Sculpture {
        match self {
            Figure::Rabbit => rabbit::rabbit(spacing),
            Figure::Statue => statue::statue(spacing),
            Figure::Dragon => dragon::dragon(spacing),
            Figure::Senator => senator::senator(spacing),
        }
    }
}

/// A figure of a given height and about a given number of triangles, standing on y = 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FigureOptions {
    /// Which one.
    pub figure: Figure,
    /// From the ground to the top.
    pub height: f64,
    /// About how many triangles; from 500 to ten million.
    pub triangles: u32,
}

impl Default for FigureOptions {
    fn default() -> FigureOptions {
        FigureOptions { figure: Figure::Rabbit, height: 1.0, triangles: 7_940 }
    }
}

impl FigureOptions {
    /// Whether the parameters make a mesh.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), ShapeError> {
        let check = Check("figure");
        check.length("height", self.height)?;
        check.count("triangles", self.triangles, 500..=10_000_000)
    }

    /// The mesh, in one piece, with normals.
    ///
    /// # Errors
    /// As [`FigureOptions::check`].
    pub fn mesh(&self) -> Result<TriMesh, ShapeError> {
        self.check()?;
        let sculpture = |spacing| self.figure.sculpture(spacing);
        Ok(stand(cleaned_isosurface_of_size(sculpture, self.triangles.into(), largest_component)?, self.height))
    }
}

/// A figure one metre high with about the given number of triangles (within 5 % from a thousand triangles up).
///
/// ```
/// use fracas::geometry::shapes::{Figure, figure};
///
/// let rabbit = figure(Figure::Rabbit, 2_000)?;
/// assert!((rabbit.triangles.len() as f64 / 2_000.0 - 1.0).abs() < 0.05);
/// # Ok::<(), fracas::geometry::shapes::ShapeError>(())
/// ```
///
/// # Errors
/// Too few or too many triangles.
pub fn figure(figure: Figure, triangles: u32) -> Result<TriMesh, ShapeError> {
    FigureOptions { figure, triangles, ..FigureOptions::default() }.mesh()
}

/// Scales a mesh to a height and stands it on y = 0, the middle of its box on the y axis.
fn stand(mesh: TriMesh, height: f64) -> TriMesh {
    let bounds = mesh.aabb();
    if bounds.is_empty() {
        return mesh;
    }
    let scale = height / (bounds.max.y - bounds.min.y);
    let foot = DVec3::new(0.5 * (bounds.min.x + bounds.max.x), bounds.min.y, 0.5 * (bounds.min.z + bounds.max.z));
    mesh.transformed(&(DAffine3::from_scale(DVec3::splat(scale)) * DAffine3::from_translation(-foot)))
}

/// The component with the most triangles: relief on a coarse lattice may leave crumbs beside it.
fn largest_component(mesh: TriMesh) -> TriMesh {
    // The first of the largest, so that the choice is one of numbers and not of chance.
    let largest = mesh.components().into_iter().rev().max_by_key(|component| component.triangles.len());
    largest.unwrap_or(mesh)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{
        assert_embedded, assert_same_for_any_thread_count, assert_solid, euler_characteristic, least_angles,
    };
    use super::*;

    #[test]
    fn figures_are_one_solid_of_the_size_asked_for() {
        for name in Figure::ALL {
            for triangles in [1_000, 8_000] {
                let mesh = figure(name, triangles).unwrap();
                let ratio = mesh.triangles.len() as f64 / f64::from(triangles);
                assert!((ratio - 1.0).abs() < 0.05, "{name:?} {triangles}: {ratio}");
                assert_solid(&mesh, 1, euler_characteristic(&mesh));
                assert!(euler_characteristic(&mesh) <= 2);
                assert_embedded(&mesh);
                assert!((mesh.aabb().max.y - 1.0).abs() < 1e-9 && mesh.aabb().min.y.abs() < 1e-9);
                let angles = least_angles(&mesh);
                let needles = angles.partition_point(|&angle| angle < 10.0);
                assert!(needles * 25 < angles.len(), "{name:?} {triangles}: {needles} needles of {}", angles.len());
            }
        }
    }

    #[test]
    fn the_thread_count_changes_no_figure() {
        assert_same_for_any_thread_count(|| figure(Figure::Dragon, 1_500).unwrap());
    }

    #[test]
    fn bad_figures_are_refused() {
        assert!(figure(Figure::Rabbit, 10).is_err());
        assert!(figure(Figure::Rabbit, u32::MAX).is_err());
        assert!(FigureOptions { height: 0.0, ..FigureOptions::default() }.mesh().is_err());
        assert!(toml::from_str::<FigureOptions>("figure = \"dragon\"\ntriangles = 80000").is_ok());
        assert!(toml::from_str::<FigureOptions>("figur = \"dragon\"").is_err());
    }
}
