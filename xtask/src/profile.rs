//! What the kernels of a run do, counted by the emulator.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::command::{cargo, step, target_folder};
use crate::counts::{Counts, table};
use crate::gpu::Driver;

/// What `gpu-profile` is asked for.
struct Options {
    input: PathBuf,
    level: String,
    frames: String,
    json: Option<PathBuf>,
}

impl Options {
    fn parse(words: &[&str]) -> Result<Options, String> {
        let [input, rest @ ..] = words else { return Err("gpu-profile: name a scene or a mesh file".to_owned()) };
        let mut options = Options { input: input.into(), level: "6".to_owned(), frames: "16".to_owned(), json: None };
        for pair in rest.chunks(2) {
            match *pair {
                ["--level", level] => options.level = level.to_owned(),
                ["--frames", frames] => options.frames = frames.to_owned(),
                ["--json", file] => options.json = Some(file.into()),
                _ => return Err(format!("gpu-profile: `{}` is not understood", pair.join(" "))),
            }
        }
        Ok(options)
    }
}

/// Runs a scene, or breaks a mesh, on the emulator and prints what each kernel did; or prints what the emulator wrote in a run
/// before, of this program or of another.
pub(crate) fn profile(words: &[&str]) -> Result<(), String> {
    let options = Options::parse(words)?;
    let is_written = options.input.extension() == Some(OsStr::new("jsonl"));
    let kernels = read(&if is_written { options.input.clone() } else { launches(&options)? })?;
    println!("\n{}", table(&kernels));
    let Some(path) = &options.json else { return Ok(()) };
    let rows: Vec<Value> = kernels.iter().map(Counts::json).collect();
    let text = serde_json::to_string_pretty(&rows).map_err(|error| error.to_string())? + "\n";
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Runs the program, and returns the file of its launches.
fn launches(options: &Options) -> Result<PathBuf, String> {
    // A folder of its own, because what is built here does not start without the driver.
    let target = target_folder().join("gpu-profile");
    let driver = Driver::optimised(&target)?;
    let mut build = cargo(["build", "--release", "--package", "fracas-cli", "--features", "cuda"]);
    step("build the program", driver.serve(build.arg("--target-dir").arg(&target)))?;

    let counts = target.join("launches.jsonl");
    let _ = fs::remove_file(&counts);
    let mut run = Command::new(target.join("release/fracas"));
    run.env("FRACAS_EMULATOR_PROFILE", &counts).args(arguments(options, &target));
    step("run it", driver.serve(&mut run))?;
    Ok(counts)
}

/// What the program is told.
fn arguments(options: &Options, target: &Path) -> Vec<String> {
    let out = target.join("out");
    let word = |path: &Path| path.display().to_string();
    let (input, level) = (word(&options.input), options.level.clone());
    let words: Vec<String> = if options.input.extension() == Some(OsStr::new("toml")) {
        vec!["run".into(), input, "--frames".into(), options.frames.clone(), "--out".into(), word(&out)]
    } else {
        vec![
            "fracture".into(),
            input,
            "--method".into(),
            "svo".into(),
            "--out".into(),
            word(&out.with_extension("glb")),
        ]
    };
    words.into_iter().chain(["--level".into(), level, "--backend".into(), "cuda".into()]).collect()
}

/// The counts of each kernel, those with the most instructions first.
fn read(path: &Path) -> Result<Vec<Counts>, String> {
    let text =
        fs::read_to_string(path).map_err(|error| format!("no kernel was launched: {}: {error}", path.display()))?;
    let mut kernels: Vec<Counts> = Vec::new();
    for line in text.lines() {
        let launch: Value = serde_json::from_str(line).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = launch["kernel"].as_str().unwrap_or_default();
        match kernels.iter_mut().find(|counts| counts.kernel == name) {
            Some(counts) => counts.add(&launch),
            None => {
                let mut counts = Counts::new(name);
                counts.add(&launch);
                kernels.push(counts);
            }
        }
    }
    kernels.sort_by(|one, other| other.instructions().cmp(&one.instructions()).then(one.kernel.cmp(&other.kernel)));
    Ok(kernels)
}
