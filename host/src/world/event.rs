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
    /// A body broke; it is gone, and the pieces have been added.
    Broke {
        /// The body that is gone.
        body: BodyId,
        /// What it broke into.
        pieces: Vec<BodyId>,
    },
    /// Two bodies began to touch.
    Touched {
        /// The two bodies, the smaller number first.
        bodies: [BodyId; 2],
    },
}
