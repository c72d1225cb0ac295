//! What is wrong with the parameters of a shape, and the checks that find it.

use std::fmt::Display;
use std::ops::RangeInclusive;

use thiserror::Error;

/// The most triangles that any generator makes; more is taken for a slip of the pen, not for a wish.
pub const MAX_TRIANGLES: u64 = 50_000_000;

/// Lengths outside of this range are refused: below it rounding eats details, above it squares and cubes lose them.
pub const LENGTHS: RangeInclusive<f64> = 1e-6..=1e6;

/// Why a shape cannot be made.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ShapeError {
    /// A parameter is out of its range.
    #[error("{shape}: {what} is {found}, expected {expected}")]
    Parameter {
        /// The shape.
        shape: &'static str,
        /// The parameter.
        what: &'static str,
        /// Its value.
        found: String,
        /// What it may be.
        expected: String,
    },
    /// The mesh would be larger than memory should hold.
    #[error("{shape}: {triangles} triangles asked for, expected at most {MAX_TRIANGLES}")]
    TooManyTriangles {
        /// The shape.
        shape: &'static str,
        /// How many the parameters ask for.
        triangles: u64,
    },
}

/// Checks the parameters of one shape; each method names the parameter that is wrong.
#[derive(Clone, Copy)]
pub(super) struct Check(pub(super) &'static str);

impl Check {
    /// Something else than a plain range must hold.
    pub(super) fn require(
        self,
        holds: bool,
        what: &'static str,
        found: impl Display,
        expected: impl Display,
    ) -> Result<(), ShapeError> {
        if holds {
            return Ok(());
        }
        Err(ShapeError::Parameter { shape: self.0, what, found: found.to_string(), expected: expected.to_string() })
    }

    /// A length must be finite, positive and sane.
    pub(super) fn length(self, what: &'static str, value: f64) -> Result<(), ShapeError> {
        self.range(what, value, LENGTHS)
    }

    /// Three lengths, as of a box.
    pub(super) fn lengths(self, what: &'static str, values: [f64; 3]) -> Result<(), ShapeError> {
        values.into_iter().try_for_each(|value| self.length(what, value))
    }

    /// A number must lie in a range; one that is not a number lies in none.
    pub(super) fn range(self, what: &'static str, value: f64, range: RangeInclusive<f64>) -> Result<(), ShapeError> {
        let expected = format!("a number from {} to {}", range.start(), range.end());
        self.require(range.contains(&value), what, value, expected)
    }

    /// A count must lie in a range.
    pub(super) fn count(self, what: &'static str, value: u32, range: RangeInclusive<u32>) -> Result<(), ShapeError> {
        let expected = format!("a count from {} to {}", range.start(), range.end());
        self.require(range.contains(&value), what, value, expected)
    }

    /// The whole must not have too many triangles.
    pub(super) fn budget(self, triangles: u64) -> Result<(), ShapeError> {
        if triangles <= MAX_TRIANGLES {
            return Ok(());
        }
        Err(ShapeError::TooManyTriangles { shape: self.0, triangles })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_was_found_and_what_was_expected() {
        let error = Check("sphere").length("radius", f64::NAN).unwrap_err();
        assert_eq!(error.to_string(), "sphere: radius is NaN, expected a number from 0.000001 to 1000000");
        let error = Check("cloth").budget(u64::MAX).unwrap_err();
        assert_eq!(error.to_string(), "cloth: 18446744073709551615 triangles asked for, expected at most 50000000");
    }
}
