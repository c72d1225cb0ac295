//! The program as a user meets it: arguments in; exit code, output and files out.

#![allow(clippy::unwrap_used, reason = "the panic of a test is its report, in its helpers too")]

mod program;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use program::{assert_refused, fracas, text};

fn scenes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes")
}

/// A scene of one falling box, in a folder of its own.
fn small_scene(folder: &Path, frames: u32) -> String {
    let path = folder.join("box.toml");
    let body = "[[body]]\nname = \"box\"\nshape.cuboid = { size = [1, 1, 1] }\nposition = [0, 2, 0]\n";
    std::fs::write(&path, format!("version = 1\nframes = {frames}\n[ground]\n{body}")).unwrap();
    path.display().to_string()
}

#[test]
fn run_writes_a_recording_a_picture_and_the_figures() {
    let folder = tempfile::tempdir().unwrap();
    let scene = small_scene(folder.path(), 20);
    let out = folder.path().join("out");
    let output = fracas(&["run", &scene, "--out", out.to_str().unwrap(), "--json", "-"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["scene"], "box");
    assert_eq!(json["frames"], 20);
    assert_eq!(json["steps"], 38);
    for stage in ["broad", "narrow", "response", "update", "fracture", "total"] {
        assert!(json["stages"][stage]["mean_ms"].is_number() && json["stages"][stage]["max_ms"].is_number(), "{stage}");
    }
    for key in ["contacts", "colliding_points"] {
        assert!(json[key]["mean"].is_number() && json[key]["max"].is_number(), "{key}");
    }
    assert_eq!((&json["fragments"], &json["triangles"], &json["backend"]), (&0.into(), &12.into(), &"cpu".into()));
    let picture = std::fs::read(out.join("last_frame.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG"));
    let recording = fracas::recording::Recording::open(&out.join("recording.fracas")).unwrap();
    assert_eq!(recording.frames.len(), 20);
    assert_eq!(recording.summary.unwrap()["hash"], json["hash"]);
}

#[test]
fn the_hash_is_the_same_for_every_thread_count_and_is_validated() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let scene = scenes().join("falling_bricks.toml").display().to_string();
    let run = |more: &[&str]| fracas(&[&["run", &scene, "--frames", "40", "--out", out, "--json", "-"], more].concat());
    let first: Value = serde_json::from_slice(&run(&["--threads", "1"]).stdout).unwrap();
    let hash = first["hash"].as_str().unwrap();
    for threads in ["2", "3"] {
        let output = run(&["--threads", threads, "--validate-hash", hash]);
        assert!(output.status.success(), "{threads} threads: {}", text(&output.stderr));
    }
    let other = run(&["--validate-hash", "123"]);
    assert_eq!(other.status.code(), Some(1));
    assert!(text(&other.stderr).contains(hash), "{}", text(&other.stderr));
}

#[test]
fn every_scene_that_is_shipped_loads() {
    let mut count = 0;
    for entry in std::fs::read_dir(scenes()).unwrap() {
        let path = entry.unwrap().path();
        let is_scene = path.extension().is_some_and(|extension| extension == "toml");
        count += usize::from(is_scene);
        if let Some(Err(error)) = is_scene.then(|| fracas::scene::Scene::load(&path)) {
            panic!("{error}");
        }
    }
    assert!(count >= 2, "{count} scenes");
}

#[test]
fn bad_input_gets_one_line_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let out = path("out");
    assert_refused(&fracas(&["run", &path("none.toml"), "--out", &out]), &["none.toml", "no such file"]);
    std::fs::write(path("bad.toml"), "version = 1\nframse = 3\n").unwrap();
    assert_refused(&fracas(&["run", &path("bad.toml"), "--out", &out]), &["bad.toml, line 2, column 1", "`frames`"]);
    let scene = small_scene(folder.path(), 2);
    assert_refused(&fracas(&["run", &scene, "--backend", "cuda", "--out", &out]), &["CUDA", "--backend cpu"]);
    assert!(!Path::new(&out).exists());

    std::fs::write(path("bad.obj"), "v 0 0 0\nv 1 0 0\nf 1 2 9\n").unwrap();
    let picture = path("picture.png");
    assert_refused(&fracas(&["render", &path("bad.obj"), "--out", &picture]), &["bad.obj, line 3", "vertex 9"]);
    std::fs::write(path("cut.fracas"), "FRACASR\nab").unwrap();
    assert_refused(&fracas(&["render", &path("cut.fracas"), "--out", &picture]), &["cut.fracas, byte 8"]);
    assert_refused(&fracas(&["bench", "geometri"]), &["geometri", "geometry"]);
    assert!(!Path::new(&picture).exists());

    let usage = fracas(&["render", &scene, "--size", "wide", "--out", &picture]);
    assert_eq!(usage.status.code(), Some(2));
    assert!(text(&usage.stderr).contains("1280x720"));
}

#[test]
fn a_run_that_cannot_be_drawn_still_gives_its_figures() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let body = "[[body]]\nname = \"box\"\nshape.cuboid = { size = [1, 1, 1] }\nposition = [1e30, 2, 0]\n";
    std::fs::write(path("far.toml"), format!("version = 1\nframes = 2\n{body}")).unwrap();
    std::fs::create_dir(path("out")).unwrap();
    std::fs::write(path("out/last_frame.png"), "of an earlier run").unwrap();
    let output = fracas(&["run", &path("far.toml"), "--out", &path("out"), "--json", "-"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(serde_json::from_slice::<Value>(&output.stdout).unwrap()["hash"].is_string());
    assert!(folder.path().join("out/summary.json").exists() && !folder.path().join("out/last_frame.png").exists());
}

#[test]
fn render_draws_meshes_and_any_frame_of_a_recording() {
    let folder = tempfile::tempdir().unwrap();
    let scene = small_scene(folder.path(), 3);
    let path = |name: &str| folder.path().join(name).display().to_string();
    assert!(fracas(&["run", &scene, "--out", &path("out"), "--quiet"]).status.success());
    let recording = path("out/recording.fracas");
    let size = ["--size", "64x48"];
    let draw = |more: &[&str]| fracas(&[&["render"], &size[..], more].concat());
    assert!(draw(&[&recording, "--frame", "1", "--out", &path("one.png")]).status.success());
    assert!(draw(&[&recording, "--all", "--separate", "--out", &path("all.png")]).status.success());
    assert!(draw(&[&recording, "--all", "--every", "2", "--out", &path("film.png")]).status.success());
    let film = std::fs::read(path("film.png")).unwrap();
    // The chunk that says how many pictures there are: two, and for ever.
    let control = film.windows(12).find(|bytes| bytes.starts_with(b"acTL")).unwrap();
    assert_eq!(control[4..], [0, 0, 0, 2, 0, 0, 0, 0]);
    let colors = |color: &str| draw(&[&recording, "--color", color, "--cut", "0,0,1,0", "--out", &path("colors.png")]);
    for color in ["piece", "material", "island", "distance", "contact-depth"] {
        assert!(colors(color).status.success(), "{color}");
        std::fs::remove_file(path("colors.png")).unwrap();
    }
    assert_refused(&colors("stress"), &[&recording, "stress"]);
    let usage = draw(&[&recording, "--cut", "0,0,0,1", "--out", &path("no.png")]);
    assert!(usage.status.code() == Some(2) && text(&usage.stderr).contains("0,0,1,0.5"), "{}", text(&usage.stderr));
    assert_refused(&draw(&[&recording, "--original", "a.obj", "--out", &path("no.png")]), &["--color distance"]);
    for name in ["one.png", "all-0000.png", "all-0001.png", "all-0002.png"] {
        assert!(folder.path().join(name).exists(), "{name}");
    }
    assert_refused(&draw(&[&recording, "--frame", "3", "--out", &path("no.png")]), &["no frame 3", "last is 2"]);
    std::fs::write(path("triangle.off"), "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n").unwrap();
    assert!(draw(&[&path("triangle.off"), "--explode", "0.5", "--out", &path("mesh.png")]).status.success());
    assert!(folder.path().join("mesh.png").exists());
    assert_refused(&draw(&[&path("triangle.off"), "--out", &path("mesh.jpg")]), &["mesh.jpg", ".png"]);
    assert_refused(&draw(&[&path("triangle.off"), "--out", &path("none/mesh.png")]), &["no such folder"]);
    assert_refused(&draw(&[&path("triangle.off"), "--frame", "1", "--out", &path("no.png")]), &["no frames"]);
    assert!(!folder.path().join("no.png").exists());
}

#[test]
fn info_completions_and_manual_are_printed() {
    let info: Value = serde_json::from_slice(&fracas(&["info", "--json", "-"]).stdout).unwrap();
    assert_eq!(info["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(info["backends"][0], "cpu");
    assert!(info["devices"].is_array() && info["kernels"].is_array());
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = fracas(&["completions", shell]);
        assert!(script.status.success() && text(&script.stdout).contains("fracas"), "{shell}");
    }
    assert!(text(&fracas(&["man"]).stdout).contains(".TH fracas 1"));
    let folder = tempfile::tempdir().unwrap();
    assert!(fracas(&["man", "--out", folder.path().to_str().unwrap()]).status.success());
    assert!(std::fs::read_to_string(folder.path().join("fracas-run.1")).unwrap().contains("validate\\-hash"));
}

/// A run that would take for ever, once its recording has begun to grow.
#[cfg(unix)]
fn start_endless_run(folder: &Path) -> (std::process::Child, PathBuf) {
    let scene = small_scene(folder, 4_000_000);
    let out = folder.join("out");
    let child = Command::new(env!("CARGO_BIN_EXE_fracas"))
        .args(["run", &scene, "--quiet", "--out", out.to_str().unwrap()])
        .spawn()
        .unwrap();
    let recording = out.join("recording.fracas");
    let started = Instant::now();
    while std::fs::metadata(&recording).map_or(0, |file| file.len()) < 4096 {
        assert!(started.elapsed() < Duration::from_secs(60), "the recording does not grow");
        std::thread::yield_now();
    }
    (child, recording)
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_a_run_cleanly_and_keeps_the_recording() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, recording) = start_endless_run(folder.path());
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let recording = fracas::recording::Recording::open(&recording).unwrap();
    assert!(!recording.frames.is_empty());
    assert_eq!(recording.summary.unwrap()["interrupted"], true);
}

#[cfg(unix)]
#[test]
fn a_killed_run_leaves_a_recording_that_opens() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, recording) = start_endless_run(folder.path());
    child.kill().unwrap();
    child.wait().unwrap();
    let picture = folder.path().join("picture.png").display().to_string();
    let output = fracas(&["render", recording.to_str().unwrap(), "--size", "64x48", "--out", &picture]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}
