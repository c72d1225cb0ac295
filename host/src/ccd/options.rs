//! What a caller can choose.

/// How first contacts are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// How much earlier than the true first contact a hit may be said to be, as a part of the step.
    pub tolerance: f64,
    /// Things this near are in contact. With zero, they are where they share a point.
    pub minimum_separation: f64,
    /// How many parts of the step are looked at before the answer is [`Outcome::Undecided`](super::Outcome::Undecided).
    pub iterations: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { tolerance: 1e-8, minimum_separation: 0.0, iterations: 256 }
    }
}
