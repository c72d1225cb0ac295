//! The developers' commands of Fracas: `cargo xtask COMMAND`.

#![forbid(unsafe_code)]

mod checks;
mod command;
mod gallery;
mod gpu;
mod occupancy;
mod ptx;
mod ptxas;
mod report;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test      everything that must hold before a change lands: format, lints, tests, documentation
  soak vacd run 100,000 random fractures in the release profile (FRACAS_SOAK sets another number)
  gallery   run every scene and draw it for the documentation, into docs/gallery
  gpu-test  build the library with CUDA against the emulator, and run the suite of all backends
  ptx       compile the kernels into kernels/ptx/fracas.ptx
              --check   compile them and compare, if the compiler is the one that made the committed text
              --report  assemble them with NVIDIA's ptxas and write kernels/ptx/REPORT.md";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["test"] => checks::test(),
        ["soak", "vacd"] => checks::soak(),
        ["gallery"] => gallery::gallery(),
        ["gpu-test"] => gpu::test(),
        ["ptx"] => ptx::write(),
        ["ptx", "--check"] => ptx::check(),
        ["ptx", "--report"] => report::write(),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
