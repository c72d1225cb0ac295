//! `fracas render`

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use fracas::export::{Animation, ColorBy as Colors, Picture, draw_mesh, draw_meshes, draw_recording};
use fracas::geometry::{SignedDistance, io};
use fracas::recording::{Recording, RecordingError};
use serde::Serialize;

use crate::arguments::{ColorBy, RenderArguments};
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{check_folder, write_json};
use crate::progress::Progress;

#[derive(Serialize)]
struct Outcome {
    pictures: Vec<PathBuf>,
    milliseconds: f64,
}

pub(crate) fn render(arguments: &RenderArguments, quiet: bool) -> Result<(), Failure> {
    let picture = Picture {
        width: arguments.size.width,
        height: arguments.size.height,
        explode: arguments.explode,
        color: match arguments.color {
            ColorBy::Body => Colors::Body,
            ColorBy::Piece => Colors::Piece,
            ColorBy::Material => Colors::Material,
            ColorBy::Island => Colors::Island,
            ColorBy::Distance => Colors::Distance,
            ColorBy::ContactDepth => Colors::ContactDepth,
            ColorBy::Stress => Colors::Stress,
        },
        cuts: arguments.cut.clone(),
        original: None,
    };
    if arguments.original.is_some() && arguments.color != ColorBy::Distance {
        return Err(Failure::Input("--original is for --color distance".to_owned()));
    }
    check_folder(Some(&arguments.out))?;
    check_folder(arguments.json.as_deref())?;
    if !arguments.out.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        return Err(Failure::Input(format!("{}: pictures are PNG; end the name in .png", arguments.out.display())));
    }
    let clock = Instant::now();
    let pictures = match Recording::open(&arguments.input) {
        Ok(recording) => render_recording(&recording, &picture, arguments, quiet)?,
        Err(RecordingError::NotARecording { .. }) => render_mesh(picture, arguments)?,
        Err(error) => return Err(Failure::input(error)),
    };
    match &arguments.json {
        Some(path) => write_json(path, &Outcome { pictures, milliseconds: clock.elapsed().as_secs_f64() * 1e3 }),
        None => Ok(()),
    }
}

fn render_mesh(mut picture: Picture, arguments: &RenderArguments) -> Result<Vec<PathBuf>, Failure> {
    let input = arguments.input.display();
    if arguments.all || arguments.frame.is_some() {
        return Err(Failure::Input(format!("{input}: a mesh has no frames; leave out --frame and --all")));
    }
    let meshes = io::read_tri_meshes(&arguments.input).map_err(Failure::input)?;
    if let Some(path) = &arguments.original {
        let original = io::read_shape(path).map_err(Failure::input)?;
        let solid = SignedDistance::new(&original).map_err(|error| Failure::input(error).about(path))?;
        picture.original = Some(Arc::new(solid));
    }
    let image = match &meshes[..] {
        [mesh] => draw_mesh(mesh, &picture),
        pieces => draw_meshes(pieces, &picture),
    };
    let image = image.map_err(|error| Failure::input(error).about(&arguments.input))?;
    image.write_png(&arguments.out).map_err(Failure::input)?;
    Ok(vec![arguments.out.clone()])
}

fn render_recording(
    recording: &Recording,
    picture: &Picture,
    arguments: &RenderArguments,
    quiet: bool,
) -> Result<Vec<PathBuf>, Failure> {
    let input = arguments.input.display();
    if arguments.original.is_some() {
        return Err(Failure::Input(format!("{input}: --original is for mesh files; bodies of a recording move")));
    }
    let Some(last) = recording.frames.len().checked_sub(1) else {
        return Err(Failure::Input(format!("{input}: the recording has no frames")));
    };
    let last = last as u32;
    if recording.summary.is_none() {
        tracing::warn!("{input}: the recording was cut short after frame {last}");
    }
    let wanted: Vec<(u32, PathBuf)> = match arguments.frame {
        Some(frame) if frame > last => {
            return Err(Failure::Input(format!("{input}: there is no frame {frame}; the last is {last}")));
        }
        _ if arguments.all => {
            let frames = (0..=last).step_by(arguments.every as usize);
            frames.map(|frame| (frame, numbered(&arguments.out, frame))).collect()
        }
        frame => vec![(frame.unwrap_or(last), arguments.out.clone())],
    };
    interrupt::watch();
    let progress = Progress::new(wanted.len() as u64, "pictures", quiet);
    let mut animation = None;
    if arguments.all && !arguments.separate {
        let seconds = recording.header.seconds_per_frame * f64::from(arguments.every);
        let Picture { width, height, .. } = *picture;
        let begun = Animation::new(width, height, wanted.len() as u32, seconds).map_err(Failure::input)?;
        animation = Some(begun);
    }
    let mut pictures = Vec::with_capacity(wanted.len());
    for (frame, path) in wanted {
        if interrupt::happened() {
            return Err(Failure::Interrupted);
        }
        let image = draw_recording(recording, frame, picture);
        let image = image.map_err(|error| Failure::input(error).about(&arguments.input))?;
        match &mut animation {
            Some(animation) => animation.push(&image).map_err(Failure::input)?,
            None => image.write_png(&path).map_err(Failure::input)?,
        }
        pictures.push(path);
        progress.set(pictures.len() as u64);
    }
    if let Some(animation) = animation {
        animation.write(&arguments.out).map_err(Failure::input)?;
        pictures = vec![arguments.out.clone()];
    }
    Ok(pictures)
}

/// `fall.png` becomes `fall-0007.png`.
fn numbered(path: &Path, frame: u32) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map_or("png".into(), |extension| extension.to_string_lossy());
    path.with_file_name(format!("{stem}-{frame:04}.{extension}"))
}
