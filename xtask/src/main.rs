//! The developers' commands of Fracas: `cargo xtask COMMAND`.

#![forbid(unsafe_code)]

mod browser;
mod checks;
mod command;
mod counts;
mod gallery;
mod gpu;
mod occupancy;
mod profile;
mod ptx;
mod ptxas;
mod report;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test      everything that must hold before a change lands: format, lints, tests, documentation;
            and the tests in a browser where there is one
  browser-test
            open reports, the viewer and live play in a headless Chromium (FRACAS_SCREENSHOTS=FOLDER keeps pictures)
  soak vacd run 100,000 random fractures in the release profile (FRACAS_SOAK sets another number)
  gallery [SCENE...]
            run every scene, or some, and draw each for the documentation, into docs/gallery
  gpu-test  build the library and the program with CUDA against the emulator, and run their tests with a device
  gpu-profile SCENE|MESH|LAUNCHES.jsonl
            run a scene, or break a mesh, on the emulator and print what each kernel did; or what FRACAS_EMULATOR_PROFILE wrote
              --level L   the finest level of voxels [6]
              --frames N  frames of a scene [16]
              --json FILE write all counts
  ptx       compile the kernels into kernels/ptx/fracas.ptx
              --check   compile them and compare, or test them if another compiler made the committed text;
                        NVIDIA's assembler has to take them too, if it can be had
              --report  assemble them with NVIDIA's ptxas and write kernels/ptx/REPORT.md";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["test"] => checks::test(),
        ["browser-test"] => browser::test(),
        ["soak", "vacd"] => checks::soak(),
        ["gallery", scenes @ ..] => gallery::gallery(scenes),
        ["gpu-test"] => gpu::test(),
        ["gpu-profile", rest @ ..] => profile::profile(rest),
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
