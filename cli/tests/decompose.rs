//! `fracas decompose` as a user meets it.

#![allow(clippy::unwrap_used, reason = "the panic of a test is its report, in its helpers too")]

mod program;

use std::path::Path;
use std::process::{Command, Output};

use fracas::geometry::io;
use fracas::geometry::shapes::{Figure, Torus, cuboid, figure};
use serde_json::Value;

use program::{assert_refused, fracas, text, written};

fn decompose(arguments: &[&str]) -> Output {
    fracas(&[&["decompose"], arguments].concat())
}

#[test]
fn a_mesh_is_divided_without_nodes_and_the_parts_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = written(folder.path(), "ring.ply", &Torus::default().mesh().unwrap());
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (out, more) in [("convexes.glb", &[][..]), ("visual.glb", &["--visual"])] {
        let output = decompose(&[&[&mesh[..], "--auto", "8", "--out", &path(out), "--json", "-"], more].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        let ratio = json["volume_ratio"].as_f64().unwrap();
        assert!((1.0..1.3).contains(&ratio), "{ratio}");
        assert!(json["convexes"].as_u64().unwrap() >= 8 && json["milliseconds"].is_number());
        assert!(json["hull_vertices"].as_u64().unwrap() >= 8 * json["convexes"].as_u64().unwrap());
        let parts = io::read_tri_mesh(folder.path().join(out)).unwrap();
        let volume = Torus::default().mesh().unwrap().volume() * if more.is_empty() { ratio } else { 1.0 };
        assert!((parts.volume() / volume - 1.0).abs() < 1e-5);
    }
}

#[test]
fn nodes_are_read_and_the_result_is_the_same_for_every_thread_count() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let mesh = written(folder.path(), "rabbit.obj", &figure(Figure::Rabbit, 2_000).unwrap());
    std::fs::write(path("nodes.txt"), "# belly\n0 0.3 0\n\n0.1,0.7,0.05 # head\n").unwrap();
    let mut files = Vec::new();
    for threads in ["1", "3"] {
        let out = path(&format!("{threads}.glb"));
        let output = Command::new(env!("CARGO_BIN_EXE_fracas"))
            .env("RAYON_NUM_THREADS", threads)
            .args(["decompose", &mesh, "--nodes", &path("nodes.txt"), "--fit", "dop14", "--out", &out])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        assert!(text(&output.stdout).contains("from 2 nodes"));
        files.push(std::fs::read(out).unwrap());
    }
    assert_eq!(files[0], files[1]);
}

#[test]
fn bad_input_gets_one_line_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let out = path("out.glb");
    let solid = written(folder.path(), "cube.obj", &cuboid(glam::DVec3::ONE));
    let mut open = figure(Figure::Rabbit, 2_000).unwrap();
    open.triangles.pop();
    let open = written(folder.path(), "open.obj", &open);
    let refused = |arguments: &[&str], words: &[&str]| {
        assert_refused(&decompose(&[arguments, &["--out", &out]].concat()), words);
        assert!(!Path::new(&out).exists());
    };
    refused(&[&path("none.obj")], &["none.obj"]);
    refused(&[&open, "--auto", "4"], &["open.obj", "3 border edges", "--repair", "--method svo"]);
    refused(&[&open], &["open.obj", "3 border edges"]);
    std::fs::write(path("nodes.txt"), "0 0 0\n0 0\n").unwrap();
    refused(&[&solid, "--nodes", &path("nodes.txt")], &["nodes.txt, line 2", "x y z", "`0 0`"]);
    std::fs::write(path("nodes.txt"), "# nothing\n").unwrap();
    refused(&[&solid, "--nodes", &path("nodes.txt")], &["nodes.txt", "no nodes"]);
    std::fs::write(path("nodes.txt"), "0 0 0\n7 0 0\n").unwrap();
    refused(&[&solid, "--nodes", &path("nodes.txt")], &["cube.obj", "7", "not in the box"]);
    refused(&[&solid, "--nodes", &path("none.txt")], &["none.txt"]);
    assert_refused(&decompose(&[&solid, "--out", &path("out.obj")]), &["out.obj", ".glb"]);
    assert_refused(&decompose(&[&solid, "--out", &path("none/out.glb")]), &["none", "folder"]);
    let usage = decompose(&[&solid, "--fit", "hull:3", "--out", &out]);
    assert_eq!(usage.status.code(), Some(2));
    assert!(text(&usage.stderr).contains("hull:20"));

    let mended = decompose(&[&open, "--repair", "--out", &out]);
    assert!(mended.status.success(), "{}", text(&mended.stderr));
    assert!(text(&mended.stdout).contains("1 convexes") && text(&mended.stdout).contains("repair:"));
}
