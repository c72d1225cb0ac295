//! `fracas render`

use std::path::{Path, PathBuf};

use fracas::export::{ColorBy as Colors, Picture, draw_mesh, draw_recording};
use fracas::geometry::io;
use fracas::recording::{Recording, RecordingError};

use crate::arguments::{ColorBy, RenderArguments};
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::Progress;

pub(crate) fn render(arguments: &RenderArguments, quiet: bool) -> Result<(), Failure> {
    let picture = Picture {
        width: arguments.size.width,
        height: arguments.size.height,
        explode: arguments.explode,
        color: match arguments.color {
            ColorBy::Body => Colors::Body,
            ColorBy::Piece => Colors::Piece,
            ColorBy::Material => Colors::Material,
        },
    };
    match Recording::open(&arguments.input) {
        Ok(recording) => render_recording(&recording, &picture, arguments, quiet),
        Err(RecordingError::NotARecording { .. }) => render_mesh(&picture, arguments),
        Err(error) => Err(Failure::input(error)),
    }
}

fn render_mesh(picture: &Picture, arguments: &RenderArguments) -> Result<(), Failure> {
    if arguments.all || arguments.frame.is_some() {
        return Err(Failure::Input(format!(
            "{}: a mesh has no frames; leave out --frame and --all",
            arguments.input.display()
        )));
    }
    let mesh = io::read_tri_mesh(&arguments.input).map_err(Failure::input)?;
    let image = draw_mesh(&mesh, picture).map_err(Failure::input)?;
    image.write_png(&arguments.out).map_err(Failure::input)
}

fn render_recording(
    recording: &Recording,
    picture: &Picture,
    arguments: &RenderArguments,
    quiet: bool,
) -> Result<(), Failure> {
    let frames = recording.frames.len() as u32;
    if frames == 0 {
        return Err(Failure::Input(format!("{}: the recording has no frames", arguments.input.display())));
    }
    if let Some(frame) = arguments.frame.filter(|&frame| frame >= frames) {
        let message = format!("{}: there is no frame {frame}; the last is {}", arguments.input.display(), frames - 1);
        return Err(Failure::Input(message));
    }
    let draw = |frame: u32, path: &Path| {
        let image = draw_recording(recording, frame, picture).map_err(Failure::input)?;
        image.write_png(path).map_err(Failure::input)
    };
    if !arguments.all {
        return draw(arguments.frame.unwrap_or(frames - 1), &arguments.out);
    }
    interrupt::watch();
    let progress = Progress::new(u64::from(frames), "pictures", quiet);
    for frame in 0..frames {
        if interrupt::happened() {
            return Err(Failure::Interrupted);
        }
        draw(frame, &numbered(&arguments.out, frame))?;
        progress.set(u64::from(frame) + 1);
    }
    Ok(())
}

/// `fall.png` becomes `fall-0007.png`.
fn numbered(path: &Path, frame: u32) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map_or("png".into(), |extension| extension.to_string_lossy());
    path.with_file_name(format!("{stem}-{frame:04}.{extension}"))
}
