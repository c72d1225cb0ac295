//! Recordings: what happened in a run, frame by frame, in a compact file that is readable at any moment.
//!
//! A recording is a magic number and a list of chunks, each complete in itself and checked by a checksum:
//!
//! | bytes | what |
//! |---|---|
//! | 4 | tag, ASCII |
//! | 4 | flags; bit 0: the payload is compressed (raw deflate, which browsers inflate themselves) |
//! | 4 | length of the payload as it stands in the file |
//! | 4 | length of the payload once it is inflated |
//! | 4 | CRC-32 of the payload as it stands in the file |
//! | 4 | CRC-32 of the twenty bytes before |
//! | n | payload |
//!
//! All numbers are little-endian, `u32` or `f32` where nothing else is said. A body is seen as a number of looks: meshes,
//! each under a key that is the body's own. The chunks, in the order in which a frame has them:
//!
//! | tag | payload |
//! |---|---|
//! | `HEAD` | JSON: version, scene, time step, camera. First in the file, once |
//! | `GONE` | the numbers of bodies that are no longer there |
//! | `MESH` | number, vertices V, triangles T, flags; V positions; T triples of vertices; then, by flag bit: 0: V normals, 1: V texture coordinates, 2: V colours of four bytes, 3: T materials. Numbered from zero |
//! | `BODY` | a body begins: number, parent or 2³² - 1, looks L; colour (NaN for none), mass, volume; L pairs of key and mesh; name in UTF-8 |
//! | `LOOK` | a body's looks change: number, removed R, added A; R keys; A pairs of key and mesh. What is removed goes before what is added comes |
//! | `FORM` | a look deforms, and keeps its triangles: body, key, vertices V; the corner of a box x, y, z and the steps along its sides x, y, z; for each axis V low bytes, then V high bytes, of the steps from the corner (of the first vertex, then from one vertex to the next, modulo 2¹⁶) |
//! | `PART` | particles P; P each of x, y, z and radius; P bytes of opacity, 255 for opaque. Missing where there are none |
//! | `CONT` | contacts C; C points, x y z of each; C normals; C depths; C numbers of the first bodies; C of the second. Missing where there are none |
//! | `FRAM` | frame, bodies moved B, contacts, colliding points; five stages' milliseconds; B numbers; B each of the quaternion's x, y, z, w and the position's x, y, z |
//! | `DONE` | JSON: the run's summary. Last in the file, once |
//!
//! A file without `DONE` was cut short; everything up to the last whole chunk still opens. A `MESH` comes before the first
//! chunk that names it.

mod changes;
pub(crate) mod chunk;
pub(crate) mod fields;
pub(crate) mod form;
mod reader;
mod writer;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::whole_file::FileError;

pub(crate) use reader::parse_header;
pub use reader::{RecordedBody, RecordedContact, RecordedFrame, RecordedLook, Recording};
pub use writer::RecordingWriter;
pub(crate) use writer::{seven, touches};

/// The first bytes of every recording.
pub(crate) const MAGIC: &[u8; 8] = b"FRACASR\n";

/// The version of the format that this library writes, and the only one that it reads.
pub const VERSION: u32 = 3;

/// What a viewer needs to know before the first frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordingHeader {
    /// The version of the format.
    pub version: u32,
    /// The name of the scene.
    pub scene: String,
    /// Seconds between two frames.
    pub seconds_per_frame: f64,
    /// How many frames the run is meant to have.
    pub frames: u32,
    /// Where the camera is: eye, target, up.
    pub camera: Option<[[f64; 3]; 3]>,
    /// The camera's vertical field of view, in degrees.
    pub field_of_view: Option<f64>,
    /// The height of the ground.
    pub ground: Option<f64>,
}

/// Why a recording cannot be written or read.
#[derive(Debug, Error)]
pub enum RecordingError {
    /// The file cannot be read or written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is something else.
    #[error("{path}: not a Fracas recording (it does not begin with FRACASR)")]
    NotARecording {
        /// The file.
        path: String,
    },
    /// The file was written by another Fracas.
    #[error("{path}: a recording of version {found}, but this program reads version {VERSION}; {}", if *found > VERSION { "update Fracas" } else { "record it again" })]
    Version {
        /// The file.
        path: String,
        /// Its version.
        found: u32,
    },
    /// The file is damaged.
    #[error("{path}, byte {byte}: {reason}")]
    Damaged {
        /// The file.
        path: String,
        /// Where.
        byte: usize,
        /// What is wrong there.
        reason: String,
    },
}

#[cfg(test)]
mod tests;
