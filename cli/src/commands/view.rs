//! `fracas view`

use std::path::Path;

use fracas::export::stream::{RecordedStream, stream_of_meshes};
use fracas::geometry::{TriMesh, io};
use fracas::recording::RecordingError;

use crate::arguments::{ServeArguments, ViewArguments};
use crate::failure::Failure;
use crate::serving::show;

pub(crate) fn view(arguments: &ViewArguments) -> Result<(), Failure> {
    match RecordedStream::open(&arguments.input) {
        Ok(recording) => {
            check(&recording, &arguments.input)?;
            show(&arguments.serve, &arguments.input.display().to_string(), move |output| {
                // It was read to its end a moment ago.
                recording.clone().map_while(Result::ok).try_for_each(|messages| output.write_all(&messages))
            })
        }
        Err(RecordingError::NotARecording { .. }) => view_pieces(&arguments.serve, &arguments.input, |_| None),
        Err(error) => Err(Failure::input(error)),
    }
}

/// Shows the meshes of a file, as pieces that may have names.
pub(crate) fn view_pieces(
    serve: &ServeArguments,
    path: &Path,
    name: impl Fn(usize) -> Option<String>,
) -> Result<(), Failure> {
    let meshes = io::read_tri_meshes(path).map_err(Failure::input)?;
    let named = |(number, mesh)| (name(number).unwrap_or_else(|| format!("piece {number}")), mesh);
    let pieces: Vec<(String, TriMesh)> = meshes.into_iter().enumerate().map(named).collect();
    let title = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let stream = stream_of_meshes(&title, &pieces);
    show(serve, &path.display().to_string(), move |output| output.write_all(&stream))
}

/// Looks through a recording, so that what is wrong with it is said here and not in the browser.
fn check(recording: &RecordedStream, path: &Path) -> Result<(), Failure> {
    let (mut has_frames, mut is_whole) = (false, false);
    for messages in recording.clone() {
        match messages.map_err(Failure::input)?.first() {
            Some(11) => has_frames = true,
            Some(12) => is_whole = true,
            _ => {}
        }
    }
    if !has_frames {
        return Err(Failure::Input(format!("{}: the recording has no frames", path.display())));
    }
    if !is_whole {
        tracing::warn!("{}: the recording was cut short", path.display());
    }
    Ok(())
}
