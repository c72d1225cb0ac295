//! The program with the feature `cuda`, on a device or on the emulator: `cargo xtask gpu-test` runs this.

#![cfg(feature = "cuda")]
#![allow(clippy::unwrap_used, reason = "the panic of a test is its report, in its helpers too")]

use std::path::Path;
use std::process::{Command, Output, Stdio};

use fracas::geometry::io;
use fracas::geometry::shapes::{Sphere, cuboid};
use glam::DVec3;
use serde_json::Value;

/// The program on a machine with so many devices. Without the emulator there is one, whatever this says.
fn fracas(devices: u32, arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_fracas"));
    program.args(arguments).env("FRACAS_EMULATOR_DEVICES", devices.to_string()).stdin(Stdio::null());
    program.output().unwrap()
}

fn json(devices: u32, arguments: &[&str]) -> Value {
    let output = fracas(devices, &[arguments, &["--json", "-"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn is_emulator() -> bool {
    json(1, &["info"])["devices"].to_string().contains("emulator")
}

#[test]
fn info_names_the_device() {
    let info = json(1, &["info"]);
    assert_eq!(info["backends"], serde_json::json!(["cpu", "cuda"]));
    assert!(info["devices"].as_array().unwrap().iter().any(|name| name.as_str().unwrap().starts_with("cuda: ")));
    assert!(info["kernels"].as_array().unwrap().len() > 60);
}

#[test]
fn without_a_device_it_is_one_line_or_the_cpu() {
    if !is_emulator() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (mesh, out) = (folder.path().join("ball.ply"), folder.path().join("pieces.glb"));
    io::write_tri_mesh(&mesh, &Sphere { radius: 1.0, frequency: 8 }.mesh().unwrap()).unwrap();
    let (mesh, out) = (mesh.to_str().unwrap(), out.to_str().unwrap());
    let fracture = |backend| ["fracture", mesh, "--method", "svo", "--level", "5", "--out", out, "--backend", backend];

    let info = fracas(0, &["info", "--json", "-"]);
    let found: Value = serde_json::from_slice(&info.stdout).unwrap();
    assert_eq!(found["devices"].as_array().unwrap().len(), 1, "the CPU alone: {found}");

    let refused = fracas(0, &fracture("cuda"));
    let told = String::from_utf8(refused.stderr).unwrap();
    assert_eq!((refused.status.code(), told.lines().count()), (Some(2), 1), "{told}");
    assert!(told.contains("no CUDA device"), "{told}");
    assert!(!Path::new(out).exists());

    let pieces = |devices, backend| json(devices, &fracture(backend))["pieces"].clone();
    let expected = pieces(1, "cpu");
    assert!(expected.as_array().unwrap().len() > 5);
    assert_eq!(pieces(0, "auto"), expected);
    assert_eq!(pieces(1, "auto"), expected);
    assert_eq!(pieces(1, "cuda"), expected);
}

/// Without `libcuda.so.1` it starts all the same.
#[test]
fn without_a_driver_it_is_one_line_or_the_cpu() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = folder.path().join("ball.ply");
    io::write_tri_mesh(&mesh, &Sphere { radius: 1.0, frequency: 8 }.mesh().unwrap()).unwrap();
    let voxelise = |backend: &str| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_fracas"));
        program.arg("voxelize").arg(&mesh).args(["--level", "5", "--json", "-", "--backend", backend]);
        program.env_remove("LD_LIBRARY_PATH").stdin(Stdio::null()).output().unwrap()
    };
    let refused = voxelise("cuda");
    if refused.status.success() {
        // This machine has a driver of its own.
        return;
    }
    let told = String::from_utf8(refused.stderr).unwrap();
    assert_eq!((refused.status.code(), told.lines().count()), (Some(2), 1), "{told}");
    assert!(told.contains("no CUDA device can be used"), "{told}");
    let boundary = |backend: &str| {
        let output = voxelise(backend);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["boundary"].clone()
    };
    assert!(boundary("cpu").as_u64().unwrap() > 100);
    assert_eq!(boundary("auto"), boundary("cpu"));
}

#[test]
fn voxels_and_contacts_are_the_same_on_every_backend() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (ball, block) = (path("ball.ply"), path("block.ply"));
    io::write_tri_mesh(&ball, &Sphere { radius: 0.6, frequency: 8 }.mesh().unwrap()).unwrap();
    io::write_tri_mesh(&block, &cuboid(DVec3::new(1.0, 0.7, 0.5))).unwrap();
    let on = |arguments: &[&str], backend: &str, figures: &[&str]| {
        let found = json(1, &[arguments, &["--level", "5", "--backend", backend]].concat());
        figures.iter().map(|&figure| found[figure].clone()).collect::<Vec<Value>>()
    };
    let commands: [(&[&str], &[&str]); 2] = [
        (&["voxelize", &ball], &["boundary", "internal", "solid_volume", "bytes"]),
        (&["collide", &ball, &block], &["contacts", "intersection_volume", "colliding_points"]),
    ];
    for (command, figures) in commands {
        let expected = on(command, "cpu", figures);
        assert!(expected.iter().all(|figure| !figure.is_null()), "{expected:?}");
        assert_eq!(on(command, "cuda", figures), expected);
    }
}

/// Runs a scene on the CPU and on the device, far enough that something broke and touches.
fn same_hash(scene: &str, frames: u32) {
    let folder = tempfile::tempdir().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes").join(scene).with_extension("toml");
    let (out, frames) = (folder.path().to_str().unwrap(), frames.to_string());
    let run = ["run", path.to_str().unwrap(), "--level", "6", "--frames", &frames, "--out", out];
    let cpu = json(1, &[&run[..], &["--backend", "cpu"]].concat());
    assert!(cpu["fragments"].as_u64().unwrap() > 1 && cpu["colliding_points"]["max"].as_f64().unwrap() > 0.0, "{cpu}");
    let hash = cpu["hash"].as_str().unwrap();
    json(1, &[&run[..], &["--backend", "cuda", "--validate-hash", hash]].concat());
}

#[test]
fn a_figure_breaks_the_same_on_every_backend() {
    same_hash("svo_figure", 16);
}

#[test]
fn columns_break_the_same_on_every_backend() {
    same_hash("svo_columns", 28);
}

#[test]
fn a_statue_breaks_the_same_on_every_backend() {
    same_hash("svo_statue", 16);
}

#[test]
fn dragons_break_the_same_on_every_backend() {
    same_hash("svo_dragons", 26);
}
