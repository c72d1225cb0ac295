//! What must hold before a change lands.

use std::time::Instant;

use crate::browser;
use crate::command::{cargo, step};

/// The one test command of the README.
pub(crate) fn test() -> Result<(), String> {
    let started = Instant::now();
    step("format", &mut cargo(["fmt", "--all", "--check"]))?;
    step("lints", &mut cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))?;
    let rust_cuda = ["clippy", "--package", "fracas-kernels", "--features", "rust-cuda", "--", "-D", "warnings"];
    step("lints of the kernels for rust-cuda", &mut cargo(rust_cuda))?;
    step("documentation", cargo(["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))?;
    step("documentation examples", &mut cargo(["test", "--workspace", "--doc"]))?;
    step("tests", &mut cargo(["test", "--workspace", "--lib", "--bins", "--tests", "--examples"]))?;
    browser::test_if_possible()?;
    println!("\nAll checks passed in {:.0} s.", started.elapsed().as_secs_f64());
    Ok(())
}

/// The long version of the random fractures that the test suite makes a few of.
pub(crate) fn soak() -> Result<(), String> {
    let count = std::env::var("FRACAS_SOAK").unwrap_or_else(|_| "100000".to_owned());
    let mut test = cargo(["test", "--release", "--package", "fracas", "--test", "vacd_soak", "--", "--nocapture"]);
    step(&format!("{count} random fractures"), test.env("FRACAS_SOAK", count))
}
