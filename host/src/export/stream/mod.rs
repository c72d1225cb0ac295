//! What the viewer's page reads: one stream of messages, from a recording, from meshes or from a world that goes on.
//!
//! `viewer/PROTOCOL.md` beside this folder says what every message is.

mod meshes;
mod messages;
mod payload;
mod recorded;
#[cfg(test)]
mod tests;

pub use meshes::stream_of_meshes;
pub use messages::{Birth, Choices, Domain, Frame, Hello, Messages, Slider, Status, Touch};
pub use recorded::RecordedStream;

pub(crate) use messages::{put_contacts, put_shape};
