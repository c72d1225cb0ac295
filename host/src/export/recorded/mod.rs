//! Recordings as files for other programs.

mod film;
mod glb;
mod morph;
mod rigid;
mod sequence;
mod track;
mod usd;
mod usd_text;

#[cfg(test)]
mod glb_tests;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;
use std::path::Path;

use thiserror::Error;

use crate::geometry::io::WriteError;
use crate::recording::{RecordedBody, Recording};
use crate::whole_file::{self, FileError};
use film::Film;

/// What a recording can be exported as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// One animated GLB file: glTF 2.0 in binary, for engines, browsers and Blender.
    Glb,
    /// One USD stage as text, with time samples.
    Usd,
    /// A folder with an OBJ file for each frame.
    Obj,
    /// A folder with a PLY file for each frame.
    Ply,
}

/// How a recording is exported.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportOptions {
    /// How much room the forms of bodies that deform may take in an animated file, in units of 2²⁰ bytes. Where all would
    /// take more, every n-th form is a key, and so is one that stays for more than n frames; a straight line leads from key to key.
    pub form_megabytes: u32,
}

impl Default for ExportOptions {
    fn default() -> ExportOptions {
        ExportOptions { form_megabytes: 64 }
    }
}

/// What an export made.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Exported {
    /// How many frames the recording has.
    pub frames: u32,
    /// How many bodies are ever seen.
    pub bodies: usize,
    /// How many files there are now.
    pub files: usize,
    /// How large they are together.
    pub bytes: u64,
    /// Of the forms of bodies that deform every so many have a key, and those that stay for more frames: all, that is one,
    /// but for files that would be too large.
    pub form_stride: u32,
    /// How far a vertex of such a body is at most from where it should be, in the frames without a key.
    pub form_deviation: f64,
}

/// Why a recording was not exported.
#[derive(Debug, Error)]
pub enum ExportError {
    /// There is nothing to export.
    #[error("the recording has no frames, so there is nothing to export")]
    NoFrames,
    /// Nobody knows when frames are.
    #[error("the recording says that a frame takes {0} seconds; that makes no animation")]
    FrameTime(f64),
    /// It was asked to stop.
    #[error("the export was stopped, and nothing was written")]
    Stopped,
    /// The file cannot hold it.
    #[error(transparent)]
    Content(#[from] WriteError),
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Writes a recording as a file for other programs, or as a folder of files. It is there when it is complete, or not at
/// all. An earlier file of that name is replaced, and so is a folder with nothing but an earlier export.
///
/// Of a recording that was cut short, all whole frames are exported. `observe` is told how many frames are done, and can
/// end it.
///
/// # Errors
/// If the recording has no frames, or the format cannot hold it, or the file cannot be written.
pub fn export_recording(
    recording: &Recording,
    format: ExportFormat,
    path: &Path,
    options: &ExportOptions,
    mut observe: impl FnMut(u32) -> ControlFlow<()>,
) -> Result<Exported, ExportError> {
    let seconds = recording.header.seconds_per_frame;
    if recording.frames.is_empty() {
        return Err(ExportError::NoFrames);
    }
    // Files tell how many frames a second has, or how many seconds a frame.
    if !(seconds.is_finite() && seconds > 0.0 && seconds.recip().is_finite()) {
        return Err(ExportError::FrameTime(seconds));
    }
    if matches!(format, ExportFormat::Obj | ExportFormat::Ply) {
        return write_sequence(recording, format, path, observe);
    }
    let film = Film::new(recording, options);
    let name = path.display().to_string();
    let bytes = match format {
        ExportFormat::Glb => glb::to_bytes_of(&film, recording, &name)?,
        _ => usd::to_text(&film, recording).into_bytes(),
    };
    if observe(film.frames.end).is_break() {
        return Err(ExportError::Stopped);
    }
    whole_file::write(path, &bytes)?;
    Ok(Exported {
        frames: film.frames.end,
        bodies: film.actors.len(),
        files: 1,
        bytes: bytes.len() as u64,
        form_stride: film.stride,
        form_deviation: film.deviation,
    })
}

fn write_sequence(
    recording: &Recording,
    format: ExportFormat,
    folder: &Path,
    mut observe: impl FnMut(u32) -> ControlFlow<()>,
) -> Result<Exported, ExportError> {
    let frames = recording.frames.len() as u32;
    let library = (format == ExportFormat::Obj).then(|| Ok(sequence::materials(recording)));
    let (mut files, mut bytes) = (0, 0);
    let frame_file = |frame| match observe(frame) {
        ControlFlow::Continue(()) => Ok(sequence::frame_file(recording, frame, format)),
        ControlFlow::Break(()) => Err(ExportError::Stopped),
    };
    let count = |file: &Result<(String, Vec<u8>), ExportError>| {
        files += 1;
        bytes += file.as_ref().map_or(0, |(_, bytes)| bytes.len() as u64);
    };
    let all = library.into_iter().chain((0..frames).map(frame_file)).inspect(count);
    whole_file::write_folder(folder, sequence::is_ours, all)?;
    let is_seen = |body: &&RecordedBody| {
        let mut meshes = body.all_looks().iter().map(|look| &recording.meshes[look.mesh as usize]);
        body.born < frames && meshes.any(|mesh| !mesh.triangles.is_empty())
    };
    let bodies = recording.bodies.values().filter(is_seen).count();
    Ok(Exported { frames, bodies, files, bytes, form_stride: 1, form_deviation: 0.0 })
}
