//! The program as all tests run it.

#![allow(dead_code, reason = "no test needs all of it")]
#![allow(clippy::unwrap_used, reason = "the panic of a test is its report, in its helpers too")]

use std::path::Path;
use std::process::{Command, Output, Stdio};

use fracas::geometry::{TriMesh, io};

/// Runs the program to its end.
pub(crate) fn fracas(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fracas")).args(arguments).stdin(Stdio::null()).output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Writes a mesh into a folder; returns its path.
pub(crate) fn written(folder: &Path, name: &str, mesh: &TriMesh) -> String {
    let path = folder.join(name);
    io::write_tri_mesh(&path, mesh).unwrap();
    path.display().to_string()
}

/// Asserts that the program failed with one line on standard error that contains some words.
pub(crate) fn assert_refused(output: &Output, words: &[&str]) {
    let line = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{line}");
    assert_eq!(line.lines().count(), 1, "{line}");
    for word in words {
        assert!(line.contains(word), "`{word}` is not in: {line}");
    }
}
