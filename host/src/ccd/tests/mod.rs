//! The tests against exact arithmetic, and by hand.

mod by_hand;
mod oracle;
mod polynomial;
mod properties;
mod separation;
