//! Voronoi cells of seeds on spheres around the impact.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use super::error::Check;
use super::voronoi::{direction, from_seeds};
use super::{MAX_CELLS, Pattern, PatternError};
use crate::geometry::{Aabb, shapes::LENGTHS};
use crate::random::Random;

/// Voronoi cells of random seeds on spheres of growing radii around the impact (\[Domaradzki16\] 4.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpherePattern {
    /// How many cells there are; the spheres share them evenly.
    pub cells: u32,
    /// How many spheres there are.
    pub spheres: u32,
    /// The radius of the largest sphere.
    pub radius: f64,
    /// The radius of each sphere over that of the one within it.
    pub growth: f64,
    /// How far the box reaches from the impact along each axis.
    pub extent: f64,
    /// Chooses the random numbers.
    pub seed: u64,
}

impl Default for SpherePattern {
    fn default() -> SpherePattern {
        SpherePattern { cells: 60, spheres: 4, radius: 2.0, growth: 1.8, extent: 10.0, seed: 1 }
    }
}

impl SpherePattern {
    /// Whether the parameters make a pattern.
    ///
    /// # Errors
    /// The first that does not.
    pub fn check(&self) -> Result<(), PatternError> {
        let check = Check("sphere");
        check.count("cells", self.cells, 1..=MAX_CELLS)?;
        check.count("spheres", self.spheres, 1..=1000)?;
        check.range("extent", self.extent, LENGTHS)?;
        check.range("radius", self.radius, 1e-3 * self.extent..=self.extent)?;
        check.range("growth", self.growth, 1.001..=100.0)
    }

    /// Where the cells' seeds stand around the impact.
    ///
    /// # Errors
    /// As [`SpherePattern::check`].
    pub fn seeds(&self) -> Result<Vec<DVec3>, PatternError> {
        self.check()?;
        let mut random = Random::new(self.seed);
        let radius = |sphere: u32| {
            let within = (self.spheres - 1 - sphere) as i32;
            // Below a millionth of the largest, spheres would be a point.
            self.radius * self.growth.powi(-within).max(1e-6)
        };
        Ok((0..self.cells).map(|cell| radius(cell % self.spheres) * direction(&mut random)).collect())
    }

    /// The pattern.
    ///
    /// # Errors
    /// As [`SpherePattern::check`].
    pub fn pattern(&self) -> Result<Pattern, PatternError> {
        let bounds = Aabb::around(DVec3::ZERO, DVec3::splat(self.extent));
        // Rounding may put a seed of the largest sphere outside of the box that it touches.
        let seeds: Vec<DVec3> = self.seeds()?.into_iter().map(|seed| seed.clamp(bounds.min, bounds.max)).collect();
        Ok(from_seeds(&seeds, bounds)?)
    }
}
