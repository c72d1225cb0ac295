//! `fracas ccd-queries` as a user meets it.

#![allow(clippy::unwrap_used, reason = "the panic of a test is its report, in its helpers too")]

mod program;

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use program::{fracas, text};

/// A vertex that falls through a face, or stops above it, with a truth for all rows.
fn falling(to: i32, truth: u8) -> String {
    let row = |x: i32, y: i32, z: i32| format!("{x},3,{y},3,{z},3,{truth}\n");
    let face = row(0, 0, 0) + &row(3, 0, 0) + &row(0, 3, 0);
    row(1, 1, 3) + &face + &row(1, 1, to) + &face
}

fn write(folder: &Path, name: &str, content: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path.display().to_string()
}

#[test]
fn truths_that_hold_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    // The third is above the face and said to touch: what is a false negative with the truth 1 is none with 0.
    let faces = write(folder.path(), "vertex-face.csv", &(falling(-6, 1) + &falling(3, 0) + &falling(-3, 0)));
    let edges = write(folder.path(), "ee.csv", &"0,1,0,1,0,1,1\n".repeat(8));
    let output = fracas(&["ccd-queries", &faces, &edges, "--json", "-"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    for (key, count) in [("queries", 4), ("positives", 2), ("false_negatives", 0), ("false_positives", 1)] {
        assert_eq!(json[key], count, "{key}");
    }
    for time in [&json["median_us"]["vf"], &json["median_us"]["ee"], &json["max_us"]] {
        assert!(time.as_f64().is_some_and(|time| time > 0.0), "{json}");
    }
    let shown = text(&fracas(&["ccd-queries", &faces]).stdout);
    for words in ["3 queries, 1 positives", "0 false negatives, 1 false positives", "us vertex-face", "at most"] {
        assert!(shown.contains(words), "`{words}` is not in: {shown}");
    }
}

#[test]
fn a_false_negative_fails_with_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "queries.csv", &(falling(-6, 1) + &falling(3, 1)));
    let figures = folder.path().join("figures.json");
    let output = fracas(&["ccd-queries", &path, "--kind", "vf", "--json", figures.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let line = text(&output.stderr);
    assert!(line.contains("queries.csv: rows 9 to 16"), "{line}");
    let json: Value = serde_json::from_slice(&std::fs::read(figures).unwrap()).unwrap();
    assert_eq!((&json["false_negatives"], &json["median_us"]["ee"]), (&1.into(), &Value::Null));
}

#[test]
fn bad_input_is_one_line_that_names_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let nameless = write(folder.path(), "queries.csv", &falling(-6, 1));
    let broken = write(folder.path(), "vf.csv", &(falling(-6, 1) + "1,2,3\n"));
    let missing = folder.path().join("edge-edge/none.csv").display().to_string();
    for (path, words) in [(&nameless, "try --kind"), (&broken, "vf.csv, line 9: 3 numbers"), (&missing, "no such file")]
    {
        let output = fracas(&["ccd-queries", path]);
        let line = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(line.lines().count() == 1 && line.contains(words), "{line}");
    }
    assert_eq!(fracas(&["ccd-queries"]).status.code(), Some(2));
}

#[test]
fn the_folder_that_one_is_in_says_the_kind() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("vertex-face");
    std::fs::create_dir(&inner).unwrap();
    write(&inner, "0.csv", &falling(-6, 1));
    let mut program = Command::new(env!("CARGO_BIN_EXE_fracas"));
    let output = program.args(["ccd-queries", "0.csv"]).current_dir(&inner).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}
