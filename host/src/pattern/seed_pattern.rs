//! Patterns that are seeds alone, for methods that need no cells.

use glam::DVec3;

use super::{PatternError, SpherePattern, VoronoiPattern};
use crate::random::Random;

/// Where the seeds of a blow stand around it.
#[derive(Clone, Debug, PartialEq)]
pub enum SeedPattern {
    /// On spheres (\[Domaradzki16\] 4.2).
    Spheres(SpherePattern),
    /// All over a box.
    Voronoi(VoronoiPattern),
}

impl SeedPattern {
    /// The seeds of one blow at a point; another number, other seeds.
    ///
    /// # Errors
    /// If the pattern cannot be made.
    pub fn seeds(&self, point: DVec3, number: u64) -> Result<Vec<DVec3>, PatternError> {
        let mix = |seed: u64| Random::new(seed ^ number.rotate_left(32)).next_u64();
        let seeds = match self {
            SeedPattern::Spheres(pattern) => SpherePattern { seed: mix(pattern.seed), ..pattern.clone() }.seeds(),
            SeedPattern::Voronoi(pattern) => VoronoiPattern { seed: mix(pattern.seed), ..pattern.clone() }.seeds(),
        };
        Ok(seeds?.into_iter().map(|seed| point + seed).collect())
    }
}
