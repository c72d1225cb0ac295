//! The pictures of the documentation.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{cargo, root, step, target_folder};

/// The size of all pictures: small, because they stand in the repository.
const SIZE: &str = "480x270";

/// How a scene is drawn.
struct Shot {
    scene: &'static str,
    /// Which part of the run has passed, in percent.
    percent: u32,
    /// What is run of it, where all of it would take minutes.
    limits: &'static [&'static str],
}

/// Scenes of which another moment than the middle tells most, or which are run in part.
#[rustfmt::skip]
const SHOTS: &[Shot] = &[
    Shot { scene: "arena", percent: 100, limits: &["--frames", "150"] },
    Shot { scene: "bricks", percent: 12, limits: &[] },
    Shot { scene: "bullet_wall", percent: 78, limits: &[] },
    Shot { scene: "cloth", percent: 80, limits: &["--frames", "50"] },
    Shot { scene: "drop_bunnies", percent: 40, limits: &[] },
    Shot { scene: "exploding_dragon", percent: 77, limits: &["--frames", "100"] },
    Shot { scene: "falling_bricks", percent: 22, limits: &[] },
    Shot { scene: "first_light", percent: 40, limits: &[] },
    Shot { scene: "glass_window", percent: 55, limits: &[] },
    Shot { scene: "impact_trigger", percent: 16, limits: &[] },
    Shot { scene: "interactive_bunnies", percent: 20, limits: &[] },
    Shot { scene: "piggy_bank", percent: 30, limits: &[] },
    Shot { scene: "plates", percent: 30, limits: &[] },
    Shot { scene: "rolling_plate", percent: 14, limits: &[] },
    Shot { scene: "statue_vacd", percent: 55, limits: &[] },
    Shot { scene: "svo_columns", percent: 50, limits: &["--level", "8"] },
    Shot { scene: "svo_dragons", percent: 33, limits: &["--level", "8"] },
    Shot { scene: "svo_figure", percent: 21, limits: &[] },
    Shot { scene: "svo_statue", percent: 78, limits: &["--level", "8"] },
    Shot { scene: "tori_pile", percent: 50, limits: &["--frames", "60"] },
];

/// The same scene at other levels, which looks the same.
const LEFT_OUT: [&str; 2] = ["svo_figure_9", "svo_figure_10"];

/// Pictures of what colours can tell: the name, the scene, and how it is drawn.
#[rustfmt::skip]
const COLORS: &[(&str, &str, &[&str])] = &[
    ("color_island", "sphere_resolution", &["--color", "island"]),
    ("color_distance", "sphere_resolution", &["--color", "distance", "--frame", "8", "--cut", "0.5,0,1,0.02"]),
    ("color_contact_depth", "tori_interpenetrating", &["--color", "contact-depth", "--frame", "0", "--cut", "0,0,1,0"]),
];

/// Runs the scenes, all or those named, and draws one moment of each.
pub(crate) fn gallery(wanted: &[&str]) -> Result<(), String> {
    step("build", &mut cargo(["build", "--release", "--package", "fracas-cli"]))?;
    let program = target_folder().join("release").join(format!("fracas{}", std::env::consts::EXE_SUFFIX));
    let pictures = root().join("docs/gallery");
    std::fs::create_dir_all(&pictures).map_err(|error| format!("{}: {error}", pictures.display()))?;
    let recordings = target_folder().join("gallery");
    let draw = |name: &str, scene: &str, more: &[&str]| {
        let mut render = Command::new(&program);
        render.args(["render", "--size", SIZE]).args(more).arg(recordings.join(scene).join("recording.fracas"));
        step(name, render.arg("--out").arg(pictures.join(format!("{name}.png"))))
    };
    let is_wanted = |name: &str| wanted.is_empty() || wanted.contains(&name);
    for scene in scenes()? {
        let name = scene.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let is_shown = COLORS.iter().any(|&(color, of, _)| of == name && is_wanted(color));
        if LEFT_OUT.contains(&name.as_str()) || !(is_wanted(&name) || is_shown) {
            continue;
        }
        let shot = SHOTS.iter().find(|shot| shot.scene == name);
        let (percent, limits) = shot.map_or((50, &[][..]), |shot| (shot.percent, shot.limits));
        let out = recordings.join(&name);
        let mut run = Command::new(&program);
        step(&format!("run {name}"), run.args(["run", "--quiet"]).args(limits).arg(&scene).arg("--out").arg(&out))?;
        if is_wanted(&name) {
            let last = frame_count(&out.join("summary.json"))?.saturating_sub(1);
            draw(&name, &name, &["--frame", &(last * percent / 100).to_string()])?;
        }
    }
    COLORS.iter().filter(|(name, ..)| is_wanted(name)).try_for_each(|(name, scene, more)| draw(name, scene, more))
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
