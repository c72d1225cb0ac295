//! What a caller can choose.

/// How first contacts are looked for.
///
/// ```
/// use fracas::ccd::{Options, Outcome, Query};
/// use glam::DVec3;
///
/// let at = |height: f64| [DVec3::new(0.2, 0.2, height), DVec3::ZERO, DVec3::X, DVec3::Y];
/// let query = Query::vertex_face(at(1.0), at(0.01));
/// assert_eq!(query.first_contact(&Options::default()), Outcome::Miss);
/// let thick = Options { minimum_separation: 0.1, ..Options::default() };
/// assert!(query.first_contact(&thick).time().is_some_and(|t| t < 0.91));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// How much earlier than the true first contact a hit may be said to be, as a part of the step. With a minimum
    /// separation, how much farther apart than that they may be when they are said to be so near, as a part of how far
    /// things move.
    pub tolerance: f64,
    /// Things this near are in contact. With zero, they are where they share a point.
    pub minimum_separation: f64,
    /// How many parts of the step are looked at before the answer is [`Outcome::Undecided`](super::Outcome::Undecided).
    pub iterations: u32,
    /// Contacts that would be said to be after this time are none. Asking for less of the step takes less time and changes
    /// nothing about the contacts that are left.
    pub until: f64,
}

impl Default for Options {
    fn default() -> Options {
        Options { tolerance: 1e-8, minimum_separation: 0.0, iterations: 256, until: 1.0 }
    }
}
