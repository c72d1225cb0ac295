//! The pictures of the documentation.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{cargo, root, step, target_folder};

/// Runs every scene and draws its first, middle and last frame.
pub(crate) fn gallery() -> Result<(), String> {
    step("build", &mut cargo(["build", "--release", "--package", "fracas-cli"]))?;
    let program = target_folder().join("release").join(format!("fracas{}", std::env::consts::EXE_SUFFIX));
    let pictures = root().join("docs/gallery");
    std::fs::create_dir_all(&pictures).map_err(|error| format!("{}: {error}", pictures.display()))?;
    for scene in scenes()? {
        let name = scene.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let out = target_folder().join("gallery").join(&name);
        let mut run = Command::new(&program);
        step(&name, run.arg("run").arg(&scene).arg("--out").arg(&out))?;
        let recording = out.join("recording.fracas");
        let frames = frame_count(&out.join("summary.json"))?;
        for (moment, frame) in [("start", 0), ("middle", frames / 2), ("end", frames.saturating_sub(1))] {
            let picture = pictures.join(format!("{name}_{moment}.png"));
            let mut render = Command::new(&program);
            render.args(["render", "--size", "960x540", "--frame", &frame.to_string()]).arg("--out").arg(&picture);
            step(&format!("{name}, frame {frame}"), render.arg(&recording))?;
        }
    }
    Ok(())
}

/// All scene files, in the order of their names.
fn scenes() -> Result<Vec<PathBuf>, String> {
    let folder = root().join("scenes");
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut scenes: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension() == Some(OsStr::new("toml")))
        .collect();
    scenes.sort();
    Ok(scenes)
}

/// The number of frames in a run's summary, without a JSON reader for one number.
fn frame_count(summary: &Path) -> Result<u32, String> {
    let text = std::fs::read_to_string(summary).map_err(|error| format!("{}: {error}", summary.display()))?;
    let after = text.split("\"frames\":").nth(1).unwrap_or_default().trim_start();
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().map_err(|_| format!("{}: has no number of frames", summary.display()))
}
