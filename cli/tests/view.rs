//! `fracas view`, `fracas play` and what shows what it made, up to the browser.

#![allow(clippy::unwrap_used, reason = "the panic of a test is its report, in its helpers too")]
#![cfg(unix)]

mod program;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use program::fracas;

/// A command that serves, and its port.
struct Serving {
    child: Child,
    port: u16,
}

impl Serving {
    fn start(arguments: &[&str]) -> Serving {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fracas"));
        let mut child = command.args(arguments).arg("--no-open").stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.map_while(Result::ok).find_map(|line| {
            let after = line.split("http://127.0.0.1:").nth(1)?;
            after.split('/').next()?.parse().ok()
        });
        Serving { child, port: port.unwrap() }
    }

    fn get(&self, path: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", self.port).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let body = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
        answer.split_off(body)
    }

    /// The exit code after Ctrl-C.
    fn interrupt(&mut self) -> Option<i32> {
        assert!(Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const SCENE: &str = "version = 1\nframes = 3\n[ground]\n\
                     [[body]]\nname = \"box\"\nshape.cuboid = { size = [1, 1, 1] }\nposition = [0, 2, 0]\n";

#[test]
fn a_run_has_a_report_and_its_recording_is_served_until_an_interrupt() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("box.toml"), SCENE).unwrap();
    let run = fracas(&["run", &path("box.toml"), "--out", &path("out"), "--json", "-"]);
    let json: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let report = std::fs::read_to_string(json["report"].as_str().unwrap()).unwrap();
    assert!(report.contains(json["hash"].as_str().unwrap()) && report.contains("fracas run"));
    let recording = path("out/recording.fracas");
    let mut serving = Serving::start(&["view", &recording]);
    assert!(serving.get("/").starts_with(b"<!doctype html>"));
    let stream = fracas::export::stream::RecordedStream::open(Path::new(&recording)).unwrap().read_all().unwrap();
    assert_eq!(serving.get("/recording"), stream);
    assert_eq!(serving.get("/recording"), stream, "it is served more than once");
    let port = serving.port.to_string();
    let taken = fracas(&["view", &recording, "--no-open", "--port", &port]);
    assert_eq!(taken.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&taken.stderr).contains(&format!("--port {port}")));
    assert_eq!(serving.interrupt(), Some(130));
}

#[test]
fn a_scene_is_played_until_an_interrupt() {
    let folder = tempfile::tempdir().unwrap();
    let scene = folder.path().join("box.toml").display().to_string();
    std::fs::write(&scene, SCENE).unwrap();
    let mut serving = Serving::start(&["play", &scene]);
    let page = String::from_utf8(serving.get("/")).unwrap();
    assert!(page.contains(r#"{"live":"/live"}"#));
    assert_eq!(serving.interrupt(), Some(130));
}

#[test]
fn what_cannot_be_shown_or_played_gets_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("cut.fracas"), b"FRACASR\nab").unwrap();
    std::fs::write(path("bad.obj"), "v 0 0 0\nf 1 2 9\n").unwrap();
    std::fs::write(path("cloth.toml"), "version = 1\n[animation]\nname = \"cloth\"\n").unwrap();
    let cases: [(&[&str], &str); 6] = [
        (&["view", &path("none.fracas")], "no such file"),
        (&["view", &path("cut.fracas")], "byte 8"),
        (&["view", &path("bad.obj")], "line 2"),
        (&["view", &path("bad.obj"), "--port", "0"], "--port"),
        (&["play", &path("cloth.toml")], "plays by itself"),
        (&["play", &path("none.toml")], "no such file"),
    ];
    for (arguments, expected) in cases {
        let output = fracas(&[arguments, &["--no-open"]].concat());
        let line = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(line.contains(expected), "`{expected}` is not in: {line}");
    }
    // --port without --view asks for nothing.
    let output = fracas(&["fracture", &path("bad.obj"), "--out", &path("x.glb"), "--port", "80"]);
    assert_eq!(output.status.code(), Some(2));
}
