//! What a world reports.

use super::BodyId;
use crate::contact::Contact;

/// A contact and the bodies that have it, the smaller number first. The contact's normal pushes the first body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyContact {
    /// The two bodies.
    pub bodies: [BodyId; 2],
    /// Where, which way and how deep, in the world's coordinates.
    pub contact: Contact,
    /// How hard the last step pushed the bodies apart there, in N s.
    pub impulse: f64,
}

/// Something that happened in a world.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A body was added, as a piece or on its own.
    Added {
        /// The body.
        body: BodyId,
    },
    /// A body was taken out.
    Removed {
        /// The body.
        body: BodyId,
    },
    /// A body of debris was taken out, because it was the oldest of too many or had its time.
    Retired {
        /// The body.
        body: BodyId,
    },
    /// A body broke; the pieces have been added.
    Broke {
        /// The body.
        body: BodyId,
        /// What came off it.
        pieces: Vec<BodyId>,
        /// Whether the body is still there, with other parts.
        remains: bool,
        /// Pieces that could not become bodies, because they have no volume or none that single precision can hold.
        lost: usize,
    },
    /// Two bodies began to touch.
    Touched {
        /// The two bodies, the smaller number first.
        bodies: [BodyId; 2],
    },
}
