//! Tests in a real browser.

use std::process::{Command, Stdio};

use crate::command::{cargo, root, step, target_folder};

/// The names that `tests/chromium.js` looks for.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// What is run, by Node: the page by itself, and what the program makes.
const TESTS: [(&str, &str); 2] = [
    ("the viewer's page in a browser", "host/src/export/viewer/tests/browser_check.js"),
    ("report, view and play in a browser", "cli/tests/browser/program.test.js"),
];

/// Runs the tests; a browser and Node have to be there.
pub(crate) fn test() -> Result<(), String> {
    match missing() {
        None => run(),
        Some(missing) => Err(format!("the tests in a browser need {missing}")),
    }
}

/// Runs the tests where a browser is, and says in one line that they were left out where none is.
pub(crate) fn test_if_possible() -> Result<(), String> {
    match missing() {
        None => run(),
        Some(missing) => {
            println!("\n== tests in a browser left out: they need {missing}");
            Ok(())
        }
    }
}

/// What is not there.
fn missing() -> Option<&'static str> {
    let answers = |program: &str| {
        let mut command = Command::new(program);
        command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    if !answers("node") {
        return Some("Node (Debian: nodejs)");
    }
    (!BROWSERS.into_iter().any(answers)).then_some("Chromium (Debian: chromium)")
}

fn run() -> Result<(), String> {
    step("the program", &mut cargo(["build", "--package", "fracas-cli"]))?;
    let program = target_folder().join("debug").join(format!("fracas{}", std::env::consts::EXE_SUFFIX));
    // A browser has threads enough: one test after the other, so that each is as fast as it can be.
    TESTS.into_iter().try_for_each(|(name, file)| {
        let mut node = Command::new("node");
        step(name, node.args(["--test", file]).current_dir(root()).env("FRACAS_PROGRAM", &program))
    })
}
