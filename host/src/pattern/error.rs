//! What is wrong with a pattern, and the checks that find it.

use std::fmt::Display;
use std::ops::RangeInclusive;

use thiserror::Error;

use crate::geometry::VoronoiError;
use crate::geometry::io::ReadError;

/// The most cells that any pattern has; more is taken for a slip of the pen, not for a wish.
pub const MAX_CELLS: u32 = 1_000_000;

/// Why a fracture pattern cannot be made.
#[derive(Debug, Error)]
pub enum PatternError {
    /// A parameter is out of its range.
    #[error("{pattern} pattern: {what} is {found}, expected {expected}")]
    Parameter {
        /// The kind of pattern.
        pattern: &'static str,
        /// The parameter.
        what: &'static str,
        /// Its value.
        found: String,
        /// What it may be.
        expected: String,
    },
    /// The seeds have no cells.
    #[error(transparent)]
    Voronoi(#[from] VoronoiError),
    /// The file of a pattern cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The mesh has no triangles.
    #[error("the mesh of the pattern has no cells")]
    Empty,
    /// A part of the mesh has a border.
    #[error("cell {cell} of the pattern (the part around {place}) is not closed")]
    NotClosed {
        /// Which part, counted from zero.
        cell: usize,
        /// The middle of its box.
        place: glam::DVec3,
    },
    /// A part of the mesh encloses nothing.
    #[error("cell {cell} of the pattern (the part around {place}) has no volume")]
    Flat {
        /// Which part, counted from zero.
        cell: usize,
        /// The middle of its box.
        place: glam::DVec3,
    },
    /// A part of the mesh is not convex.
    #[error("cell {cell} of the pattern (the part around {place}) is not convex: it fills {percent:.3} % of its hull")]
    NotConvex {
        /// Which part, counted from zero.
        cell: usize,
        /// The middle of its box.
        place: glam::DVec3,
        /// Its volume in percent of its hull's.
        percent: f64,
    },
    /// Two parts of the mesh overlap.
    #[error("cells {first} and {second} of the pattern overlap, in a volume of {volume:.3e}")]
    Overlap {
        /// The first of the two, counted from zero.
        first: usize,
        /// The second.
        second: usize,
        /// The volume that both cover.
        volume: f64,
    },
    /// The impact would be outside of the pattern.
    #[error("the cells of the pattern, from {min} to {max}, are not around the origin, where the impact is")]
    NotAroundOrigin {
        /// The lowest corner of the pattern's box.
        min: glam::DVec3,
        /// The highest corner.
        max: glam::DVec3,
    },
    /// The map moves the impact.
    #[error("a pattern is deformed about the impact, so the map must not translate, but it does by {translation}")]
    Translates {
        /// The translation.
        translation: glam::DVec3,
    },
    /// The map flattens space or is not finite.
    #[error("the map flattens the pattern or is not finite (its determinant is {determinant:e})")]
    Flattens {
        /// The determinant.
        determinant: f64,
    },
}

/// Checks the parameters of one kind of pattern; each method names the parameter that is wrong.
#[derive(Clone, Copy)]
pub(super) struct Check(pub(super) &'static str);

impl Check {
    pub(super) fn range(self, what: &'static str, value: f64, range: RangeInclusive<f64>) -> Result<(), PatternError> {
        let expected = format!("a number from {} to {}", range.start(), range.end());
        self.require(range.contains(&value), what, value, expected)
    }

    pub(super) fn count(self, what: &'static str, value: u32, range: RangeInclusive<u32>) -> Result<(), PatternError> {
        let expected = format!("a count from {} to {}", range.start(), range.end());
        self.require(range.contains(&value), what, value, expected)
    }

    fn require(
        self,
        holds: bool,
        what: &'static str,
        found: impl Display,
        expected: String,
    ) -> Result<(), PatternError> {
        if holds {
            return Ok(());
        }
        Err(PatternError::Parameter { pattern: self.0, what, found: found.to_string(), expected })
    }
}
