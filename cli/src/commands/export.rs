//! `fracas export`

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use fracas::export::{ExportError, ExportFormat, ExportOptions, Exported, export_recording};
use fracas::recording::Recording;
use serde::Serialize;

use super::run::thread_pool;
use crate::arguments::{ExportArguments, FileFormat};
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{check_folder, print, write_json};
use crate::progress::Progress;

#[derive(Serialize)]
struct Outcome {
    out: PathBuf,
    format: &'static str,
    #[serde(flatten)]
    exported: Exported,
    /// Whether the recording ends before its run did.
    cut_short: bool,
    milliseconds: f64,
}

pub(crate) fn export(arguments: &ExportArguments, quiet: bool) -> Result<(), Failure> {
    let input = arguments.input.display();
    let (format, name) = match arguments.to {
        FileFormat::Glb => (ExportFormat::Glb, "glb"),
        FileFormat::Usd => (ExportFormat::Usd, "usd"),
        FileFormat::Obj => (ExportFormat::Obj, "obj"),
        FileFormat::Ply => (ExportFormat::Ply, "ply"),
    };
    let is_sequence = matches!(arguments.to, FileFormat::Obj | FileFormat::Ply);
    // A folder may be there already; whether it can go is seen when it is written.
    check_folder(Some(&arguments.out).filter(|out| !(is_sequence && out.is_dir())).map(PathBuf::as_path))?;
    check_ending(&arguments.out, arguments.to)?;
    check_folder(arguments.json.as_deref())?;
    let clock = Instant::now();
    let recording = Recording::open(&arguments.input).map_err(Failure::input)?;
    let cut_short = recording.summary.is_none();
    if cut_short {
        let frames = recording.frames.len();
        tracing::warn!("{input}: the recording was cut short; its {frames} whole frames are exported");
    }
    let options = ExportOptions { form_megabytes: arguments.form_megabytes };
    interrupt::watch();
    let progress = Progress::new(recording.frames.len() as u64, "frames", quiet);
    let observe = |frame: u32| {
        progress.set(u64::from(frame));
        if interrupt::happened() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let exported = thread_pool(arguments.threads)?
        .install(|| export_recording(&recording, format, &arguments.out, &options, observe))
        .map_err(|error| match error {
            ExportError::Stopped => Failure::Interrupted,
            // These name the file that is written, the others are about the recording.
            ExportError::Content(_) | ExportError::File(_) => Failure::input(error),
            _ => Failure::input(error).about(&arguments.input),
        })?;
    drop(progress);
    let milliseconds = clock.elapsed().as_secs_f64() * 1e3;
    let outcome = Outcome { out: arguments.out.clone(), format: name, exported, cut_short, milliseconds };
    if let Some(path) = &arguments.json {
        write_json(path, &outcome)?;
    }
    if !quiet && arguments.json.as_deref() != Some(Path::new("-")) {
        print(describe(&outcome).as_bytes())?;
    }
    Ok(())
}

/// Other programs go by the ending of a name.
fn check_ending(out: &Path, format: FileFormat) -> Result<(), Failure> {
    let (endings, what): (&[&str], &str) = match format {
        FileFormat::Glb => (&["glb"], "GLB; end the name in .glb"),
        FileFormat::Usd => (&["usda", "usd"], "USD as text; end the name in .usda"),
        FileFormat::Obj | FileFormat::Ply => return Ok(()),
    };
    let ending = out.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    if endings.contains(&ending.as_str()) {
        return Ok(());
    }
    Err(Failure::Input(format!("{}: what is written is {what}", out.display())))
}

fn describe(outcome: &Outcome) -> String {
    let Exported { frames, bodies, files, bytes, form_stride, form_deviation } = outcome.exported;
    let megabytes = bytes as f64 / f64::from(1 << 20);
    let files = if files == 1 { String::new() } else { format!("{files} files, ") };
    let forms = match form_stride {
        1 => String::new(),
        stride => format!(
            "of the forms of bodies that deform one in {stride} has a key; between them a vertex is off by {form_deviation:.2e} \
             at most (--form-megabytes for more)\n"
        ),
    };
    format!(
        "{}\n{files}{frames} frames, {bodies} bodies, {megabytes:.1} MB in {:.0} ms\n{forms}",
        outcome.out.display(),
        outcome.milliseconds,
    )
}
