//! Patterns that somebody chose for one blow.

use super::{Pattern, PatternError, SeedPattern, SpherePattern, VoronoiPattern, WebPattern};

/// How a break runs, whatever a body's own way is.
#[derive(Clone, Debug, PartialEq)]
pub enum ImpactPattern {
    /// Voronoi cells.
    Voronoi(VoronoiPattern),
    /// Cells on spheres around the blow.
    Spheres(SpherePattern),
    /// A spider web.
    Web(WebPattern),
}

impl ImpactPattern {
    /// The pattern with its cells.
    ///
    /// # Errors
    /// If the parameters make none.
    pub fn cells(&self) -> Result<Pattern, PatternError> {
        match self {
            ImpactPattern::Voronoi(pattern) => pattern.pattern(),
            ImpactPattern::Spheres(pattern) => pattern.pattern(),
            ImpactPattern::Web(pattern) => pattern.pattern(),
        }
    }

    /// The pattern as seeds alone; the cells of a web have none.
    pub fn seeds(&self) -> Option<SeedPattern> {
        match self {
            ImpactPattern::Voronoi(pattern) => Some(SeedPattern::Voronoi(pattern.clone())),
            ImpactPattern::Spheres(pattern) => Some(SeedPattern::Spheres(pattern.clone())),
            ImpactPattern::Web(_) => None,
        }
    }
}
