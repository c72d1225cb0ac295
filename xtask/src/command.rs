//! Programs that the commands call, and where they run.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A call of cargo in the workspace.
pub(crate) fn cargo<const N: usize>(arguments: [&str; N]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Runs one step, and says which it was if it fails.
pub(crate) fn step(name: &str, command: &mut Command) -> Result<(), String> {
    println!("\n== {name}");
    let status = command.status().map_err(|error| format!("{name}: {command:?} did not start: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name} failed ({status})")) }
}

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    // That of the checkout in which `cargo xtask` was called: checkouts that share a target folder share the program.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let here = Path::new(&here);
    here.parent().unwrap_or(here).to_owned()
}

/// Where everything that is built goes.
pub(crate) fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
