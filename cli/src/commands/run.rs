//! `fracas run`

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use fracas::export::{Picture, Replay, Report, draw_recording};
use fracas::recording::Recording;
use fracas::scene::{self, RunOptions, RunSummary, Scene, SceneOptions};

use crate::arguments::RunArguments;
use crate::backend;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{check_folder, command_line, make_folder, print, table, write_json};
use crate::progress::Progress;

pub(crate) fn run(arguments: &RunArguments, quiet: bool) -> Result<(), Failure> {
    let backend = backend::open(arguments.backend)?;
    let path = find_scene(&arguments.scene);
    let pool = thread_pool(arguments.threads)?;
    let limits = SceneOptions { most_level: arguments.level };
    let scene = pool.install(|| Scene::load_with(&path, &limits)).map_err(Failure::input)?;
    if backend.is_some() && !scene.has_voxels() {
        tracing::warn!("no body of this scene is of voxels, so nothing of it runs on the device");
    }
    if arguments.level.is_some() && !scene.has_voxels() {
        return Err(Failure::Input("--level is for voxels, and no body of this scene has any".to_owned()).about(&path));
    }
    let folder = arguments
        .out
        .clone()
        .unwrap_or_else(|| Path::new("out").join(path.file_stem().unwrap_or_else(|| "scene".as_ref())));
    check_folder(arguments.json.as_deref())?;
    make_folder(&folder)?;
    // What an earlier run left there would not belong to this one's recording.
    for name in ["last_frame.png", "summary.json", "report.html"] {
        let _ = std::fs::remove_file(folder.join(name));
    }
    interrupt::watch();
    tracing::info!(scene = %scene.name, bodies = scene.bodies.len(), frames = scene.frames, "the run begins");
    let options = RunOptions { frames: arguments.frames, recording: Some(folder.join("recording.fracas")), backend };
    let mut summary = run_scene(&pool, &scene, &options, quiet).map_err(|failure| failure.about(&path))?;
    match write_report(&summary, &folder) {
        Ok(report) => summary.report = Some(report),
        // What was computed is worth keeping without it.
        Err(failure) => tracing::warn!("no report: {}", failure.line().unwrap_or_default()),
    }
    write_json(&folder.join("summary.json"), &summary)?;
    if let Some(path) = &arguments.json {
        write_json(path, &summary)?;
    }
    let picture = pool.install(|| draw_last_frame(&folder));
    if let Err(failure) = &picture {
        tracing::warn!("no picture of the last frame: {}", failure.line().unwrap_or_default());
    }
    if !quiet && arguments.json.as_deref() != Some(Path::new("-")) {
        let picture = picture.map_or_else(|_| "none".to_owned(), |path| path.display().to_string());
        print(describe(&summary, &folder, &picture).as_bytes())?;
    }
    if summary.interrupted {
        return Err(Failure::Interrupted);
    }
    match arguments.validate_hash {
        Some(expected) if expected.0 != summary.hash => Err(Failure::Check(format!(
            "{}: the hash is {}, expected {:016x}",
            path.display(),
            summary.hash_text(),
            expected.0
        ))),
        _ => Ok(()),
    }
}

/// Runs a scene with a progress bar, until its end or Ctrl-C.
pub(crate) fn run_scene(
    pool: &rayon::ThreadPool,
    scene: &Scene,
    options: &RunOptions,
    quiet: bool,
) -> Result<RunSummary, Failure> {
    let progress = Progress::new(u64::from(options.frames.unwrap_or(scene.frames)), "frames", quiet);
    let observe = |step: scene::Progress<'_>| {
        progress.set(u64::from(step.frame));
        if interrupt::happened() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    pool.install(|| scene::run(scene, options, observe)).map_err(Failure::input)
}

/// The file itself, or the scene of that name in the folder `scenes`.
pub(crate) fn find_scene(given: &Path) -> PathBuf {
    let mut file = given.as_os_str().to_owned();
    file.push(".toml");
    let named = Path::new("scenes").join(file);
    if !given.exists() && named.exists() { named } else { given.to_owned() }
}

pub(crate) fn thread_pool(threads: Option<u16>) -> Result<rayon::ThreadPool, Failure> {
    let threads = threads.map_or(0, usize::from);
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::input)
}

fn write_report(summary: &RunSummary, folder: &Path) -> Result<PathBuf, Failure> {
    let replay = match &summary.recording {
        Some(recording) => Replay::of_recording(recording).map_err(Failure::input)?,
        None => Replay::None,
    };
    let path = folder.join("report.html");
    Report::of_run(summary, &command_line(), replay).write(&path).map_err(Failure::input)?;
    Ok(path)
}

fn draw_last_frame(folder: &Path) -> Result<PathBuf, Failure> {
    let recording = Recording::open(&folder.join("recording.fracas")).map_err(Failure::input)?;
    let last = recording.frames.len().saturating_sub(1) as u32;
    let image = draw_recording(&recording, last, &Picture::default()).map_err(Failure::input)?;
    let path = folder.join("last_frame.png");
    image.write_png(&path).map_err(Failure::input)?;
    Ok(path)
}

fn describe(summary: &RunSummary, folder: &Path, picture: &str) -> String {
    let mut rows = vec![["stage", "mean ms", "max ms"].map(str::to_owned).to_vec()];
    rows.extend(summary.statistics.rows().map(|(name, milliseconds)| {
        vec![name.to_owned(), format!("{:.3}", milliseconds.0.mean()), format!("{:.3}", milliseconds.0.max)]
    }));
    let statistics = &summary.statistics;
    rows.push(vec![
        "contacts".into(),
        format!("{:.1}", statistics.contacts.mean()),
        statistics.contacts.max.to_string(),
    ]);
    rows.push(vec![
        "colliding points".into(),
        format!("{:.1}", statistics.colliding_points.mean()),
        statistics.colliding_points.max.to_string(),
    ]);
    let state = if summary.interrupted { "interrupted after" } else { "done:" };
    format!(
        "{} {state} {} frames, {} steps, {} fragments, {} triangles, {} threads, hash {}\n\n{}\n\
         report     {}\nrecording  {}\npicture    {}\nsummary    {}\n",
        summary.scene,
        summary.frames,
        summary.steps,
        statistics.fragments,
        statistics.triangles,
        summary.threads,
        summary.hash_text(),
        table(&rows),
        folder.join("report.html").display(),
        folder.join("recording.fracas").display(),
        picture,
        folder.join("summary.json").display(),
    )
}
