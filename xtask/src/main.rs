//! The developers' commands of Fracas: `cargo xtask COMMAND`.

#![forbid(unsafe_code)]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test      everything that must hold before a change lands: format, lints, tests, documentation
  soak vacd run 100,000 random fractures in the release profile (FRACAS_SOAK sets another number)
  gallery   run every scene and draw it for the documentation, into docs/gallery";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["test"] => test(),
        ["soak", "vacd"] => soak(),
        ["gallery"] => gallery(),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The one test command of the README.
fn test() -> Result<(), String> {
    let started = Instant::now();
    step("format", &mut cargo(["fmt", "--all", "--check"]))?;
    step("lints", &mut cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    step("documentation", cargo(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))?;
    step("documentation examples", &mut cargo(["test", "--workspace", "--doc"]))?;
    step("tests", &mut cargo(["test", "--workspace", "--lib", "--bins", "--tests", "--examples"]))?;
    println!("\nAll checks passed in {:.0} s.", started.elapsed().as_secs_f64());
    Ok(())
}

/// The long version of the random fractures that the test suite makes a few of.
fn soak() -> Result<(), String> {
    let count = std::env::var("FRACAS_SOAK").unwrap_or_else(|_| "100000".to_owned());
    let mut test = cargo(["test", "--release", "--package", "fracas", "--test", "vacd_soak", "--", "--nocapture"]);
    step(&format!("{count} random fractures"), test.env("FRACAS_SOAK", count))
}

/// Runs every scene and draws its first, middle and last frame.
fn gallery() -> Result<(), String> {
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

fn cargo<const N: usize>(arguments: [&str; N]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Runs one step, and says which it was if it fails.
fn step(name: &str, command: &mut Command) -> Result<(), String> {
    println!("\n== {name}");
    let status = command.status().map_err(|error| format!("{name}: {command:?} did not start: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name} failed ({status})")) }
}

/// The folder of the workspace.
fn root() -> PathBuf {
    // That of the checkout in which `cargo xtask` was called: checkouts that share a target folder share the program.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let here = Path::new(&here);
    here.parent().unwrap_or(here).to_owned()
}

fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
