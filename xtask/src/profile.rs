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
#[derive(Debug)]
struct Options {
    input: PathBuf,
    level: u32,
    frames: u32,
    json: Option<PathBuf>,
}

impl Options {
    fn parse(words: &[&str]) -> Result<Options, String> {
        let Some((input, rest)) = words.split_first().filter(|(input, _)| !input.starts_with("--")) else {
            return Err("gpu-profile: name a scene or a mesh file first".to_owned());
        };
        let mut options = Options { input: input.into(), level: 6, frames: 16, json: None };
        for pair in rest.chunks(2) {
            match *pair {
                ["--level", level] => options.level = number("--level", level)?,
                ["--frames", frames] => options.frames = number("--frames", frames)?,
                ["--json", file] => options.json = Some(file.into()),
                [option @ ("--level" | "--frames" | "--json")] => {
                    return Err(format!("gpu-profile: `{option}` has no value"));
                }
                _ => return Err(format!("gpu-profile: `{}` is not understood", pair.join(" "))),
            }
        }
        Ok(options)
    }

    fn has_extension(&self, extension: &str) -> bool {
        self.input.extension() == Some(OsStr::new(extension))
    }

    /// What can be said before the program is built, which takes minutes.
    fn check(&self) -> Result<(), String> {
        let input = self.input.display();
        if !self.input.is_file() {
            return Err(format!("{input}: there is no such file"));
        }
        let folder = self.json.as_deref().and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            return Err(format!("{}: there is no such folder", folder.display()));
        }
        if self.has_extension("toml") {
            let scene = fs::read_to_string(&self.input).map_err(|error| format!("{input}: {error}"))?;
            if !has_voxels(&scene) {
                return Err(format!("{input}: no body of this scene is of voxels, so no kernel would run"));
            }
        }
        Ok(())
    }
}

fn number(option: &str, value: &str) -> Result<u32, String> {
    value.parse().map_err(|_| format!("gpu-profile: `{option} {value}`: not a number"))
}

/// Whether a scene may have a body of voxels; which one it is, the program knows.
fn has_voxels(scene: &str) -> bool {
    scene.lines().map(|line| line.split('#').next().unwrap_or_default()).any(|line| line.contains("\"svo\""))
}

/// Runs a scene, or breaks a mesh, on the emulator and prints what each kernel did; or prints what the emulator wrote in a run
/// before, of this program or of another.
pub(crate) fn profile(words: &[&str]) -> Result<(), String> {
    let options = Options::parse(words)?;
    options.check()?;
    let is_written = options.has_extension("jsonl");
    let kernels = read(&if is_written { options.input.clone() } else { launches(&options)? })?;
    println!("\n{}", table(&kernels));
    let Some(path) = &options.json else { return Ok(()) };
    let rows: Vec<Value> = kernels.iter().map(Counts::json).collect();
    let text = serde_json::to_string_pretty(&rows).map_err(|error| error.to_string())? + "\n";
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Runs the program, and returns the file of its launches.
fn launches(options: &Options) -> Result<PathBuf, String> {
    // A folder of its own, so that the optimised program of the user is not replaced by one with other features.
    let target = target_folder().join("gpu-profile");
    let driver = Driver::optimised(&target)?;
    let mut build = cargo(["build", "--release", "--package", "fracas-cli", "--features", "cuda"]);
    step("build the program", driver.serve(build.arg("--target-dir").arg(&target)))?;

    let counts = target.join("launches.jsonl");
    let _ = fs::remove_file(&counts);
    let mut run = Command::new(target.join("release/fracas"));
    run.env("FRACAS_EMULATOR_PROFILE", &counts).args(arguments(options, &target));
    step("run it", driver.serve(&mut run))?;
    if counts.is_file() {
        Ok(counts)
    } else {
        Err("no kernel was launched: a scene may need more `--frames`".to_owned())
    }
}

/// What the program is told.
fn arguments(options: &Options, target: &Path) -> Vec<String> {
    let out = target.join("out");
    let word = |path: &Path| path.display().to_string();
    let (input, level, frames) = (word(&options.input), options.level.to_string(), options.frames.to_string());
    let (out, mesh) = (word(&out), word(&out.with_extension("glb")));
    let words: Vec<&str> = match options.has_extension("toml") {
        true => vec!["run", &input, "--frames", &frames, "--out", &out],
        false => vec!["fracture", &input, "--method", "svo", "--out", &mesh],
    };
    words.into_iter().chain(["--level", &level, "--backend", "cuda"]).map(str::to_owned).collect()
}

/// The counts of each kernel, those with the most instructions first.
fn read(path: &Path) -> Result<Vec<Counts>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut kernels: Vec<Counts> = Vec::new();
    for line in text.lines() {
        let launch: Value = serde_json::from_str(line).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = launch["kernel"].as_str().ok_or_else(|| format!("{}: a line names no kernel", path.display()))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_words_are_one_line_each() {
        let said = |words: &[&str]| Options::parse(words).unwrap_err();
        assert_eq!(said(&[]), "gpu-profile: name a scene or a mesh file first");
        assert_eq!(said(&["--level", "3"]), "gpu-profile: name a scene or a mesh file first");
        assert_eq!(said(&["a.obj", "--level"]), "gpu-profile: `--level` has no value");
        assert_eq!(said(&["a.obj", "--level", "x"]), "gpu-profile: `--level x`: not a number");
        assert_eq!(said(&["a.obj", "--depth", "3"]), "gpu-profile: `--depth 3` is not understood");
        let missing = Options::parse(&["missing.toml"]).unwrap().check();
        assert_eq!(missing.unwrap_err(), "missing.toml: there is no such file");
        let nowhere = Options::parse(&["Cargo.toml", "--json", "missing/counts.json"]).unwrap().check();
        assert_eq!(nowhere.unwrap_err(), "missing: there is no such folder");
        let nothing = Options::parse(&["Cargo.toml", "--json", "counts.json"]).unwrap().check();
        assert_eq!(nothing.unwrap_err(), "Cargo.toml: no body of this scene is of voxels, so no kernel would run");
    }

    #[test]
    fn voxels_are_found_in_a_scene() {
        assert!(has_voxels("[[body]]\nmethod = \"svo\" # voxels\n"));
        assert!(!has_voxels("[[body]]\nmethod = \"vacd\" # not \"svo\"\n"));
    }

    #[test]
    fn scenes_are_run_and_meshes_are_broken() {
        let told = |words: &[&str]| arguments(&Options::parse(words).unwrap(), Path::new("target")).join(" ");
        assert_eq!(
            told(&["a.toml", "--frames", "3"]),
            "run a.toml --frames 3 --out target/out --level 6 --backend cuda"
        );
        assert_eq!(
            told(&["a.obj", "--level", "5"]),
            "fracture a.obj --method svo --out target/out.glb --level 5 --backend cuda"
        );
    }
}
