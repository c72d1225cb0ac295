//! The library and the program with their feature `cuda` on a machine without a GPU: the emulator stands in for NVIDIA's
//! driver.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{cargo, step, target_folder};

/// What programs look for when they are linked, and when they start.
const NAMES: [&str; 2] = ["libcuda.so", "libcuda.so.1"];

/// What makes the library and the program ask for a device.
const FEATURES: &str = "fracas/cuda,fracas-cli/cuda";

/// The emulator as a driver, in a folder whose `lib64` has it.
pub(crate) struct Driver {
    folder: PathBuf,
}

/// Builds the library and the program with CUDA against the emulator, and runs the suite of all backends and the tests of the
/// program with a device.
pub(crate) fn test() -> Result<(), String> {
    let driver = Driver::for_tests()?;
    let features = "fracas/cuda,fracas/nvtx,fracas-cli/cuda,fracas-cli/nvtx";
    let mut lints = cargo(["clippy", "--workspace", "--all-targets", "--features", features, "--", "-D", "warnings"]);
    step("lints with CUDA and ranges", driver.serve(&mut lints))?;
    suite(None)
}

/// The same with another PTX than the committed one.
pub(crate) fn suite(ptx: Option<&Path>) -> Result<(), String> {
    let driver = Driver::for_tests()?;
    // All of the workspace, so that its dependencies have the same features as in the other tests.
    let mut suite = cargo(["test", "--workspace", "--features", FEATURES, "--test", "device_suite", "--test", "cuda"]);
    if let Some(ptx) = ptx {
        suite.env("FRACAS_PTX", ptx);
    }
    step("run the suite of all backends and the scenes", driver.serve(&mut suite))
}

impl Driver {
    /// For tests. It is built as a part of them, so that its dependencies have the features that they have there.
    fn for_tests() -> Result<Driver, String> {
        let build = cargo(["test", "--workspace", "--features", FEATURES, "--no-run", "--test", "fracas_kernels"]);
        Driver::build(&target_folder(), "debug", build)
    }

    /// Optimised, in a target folder of its own.
    pub(crate) fn optimised(target: &Path) -> Result<Driver, String> {
        Driver::build(target, "release", cargo(["build", "--release", "--package", "fracas-emulator"]))
    }

    fn build(target: &Path, profile: &str, mut build: Command) -> Result<Driver, String> {
        let outputs = target.join(profile);
        let driver = Driver { folder: target.join("cuda") };
        let libraries = driver.libraries();
        fs::create_dir_all(&libraries).map_err(|error| format!("{}: {error}", libraries.display()))?;
        forget_how_cust_was_linked(&outputs)?;
        step("build the emulator", driver.serve(build.arg("--target-dir").arg(target)))?;
        for name in NAMES {
            replace(&outputs.join("deps/libfracas_emulator.so"), &libraries.join(name))?;
        }
        Ok(driver)
    }

    fn libraries(&self) -> PathBuf {
        self.folder.join("lib64")
    }

    /// Lets a command link with the driver, and its programs find it.
    pub(crate) fn serve<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env("CUDA_LIBRARY_PATH", &self.folder).env("LD_LIBRARY_PATH", self.libraries()).env_remove("DOCS_RS")
    }
}

/// With `DOCS_RS`, cust is only type-checked, and its build script does not ask to be run again without.
fn forget_how_cust_was_linked(outputs: &Path) -> Result<(), String> {
    let built = fs::read_dir(outputs.join("build")).into_iter().flatten().flatten();
    let is_unlinked = |folder: fs::DirEntry| {
        let is_cust = folder.file_name().to_string_lossy().starts_with("cust");
        let said = fs::read_to_string(folder.path().join("output"));
        is_cust && said.is_ok_and(|said| !said.contains("rustc-link-lib"))
    };
    if !built.into_iter().any(is_unlinked) {
        return Ok(());
    }
    let mut clean = cargo(["clean", "--quiet", "--package", "cust", "--package", "cust_raw", "--target-dir"]);
    step("forget how cust was linked", clean.arg(outputs.parent().unwrap_or(outputs)))
}

/// Copies a file so that a program that runs with the old one goes on with it.
fn replace(from: &Path, to: &Path) -> Result<(), String> {
    let next = to.with_extension("next");
    fs::copy(from, &next).map_err(|error| format!("{}: {error}", from.display()))?;
    fs::rename(&next, to).map_err(|error| format!("{}: {error}", to.display()))
}
