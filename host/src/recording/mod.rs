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
//! All numbers are little-endian. The tags are `HEAD` (JSON: version, scene, time step, camera), `MESH` (geometry that a
//! start or a fracture added), `BODY` (a body was born, with its mesh), `GONE` (bodies that ended), `FRAM` (the poses
//! that changed since the frame before, and the statistics) and `DONE` (JSON: the run's summary). A file without `DONE`
//! was cut short; everything up to the last whole chunk still opens.

mod chunk;
mod reader;
mod writer;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::whole_file::FileError;

pub use reader::{RecordedBody, RecordedFrame, Recording};
pub use writer::RecordingWriter;

/// The first bytes of every recording.
const MAGIC: &[u8; 8] = b"FRACASR\n";

/// The version of the format that this library writes, and the newest that it reads.
pub const VERSION: u32 = 1;

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
    /// The file was written by a newer Fracas.
    #[error("{path}: a recording of version {found}, but this program reads up to version {VERSION}; update Fracas")]
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
