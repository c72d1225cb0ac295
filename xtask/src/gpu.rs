//! The library with its feature `cuda` on a machine without a GPU: the emulator stands in for NVIDIA's driver.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{cargo, step, target_folder};

/// What programs look for when they are linked, and when they start.
const NAMES: [&str; 2] = ["libcuda.so", "libcuda.so.1"];

/// Builds the library with CUDA against the emulator and runs the suite of all backends.
pub(crate) fn test() -> Result<(), String> {
    let folder = driver()?;
    // Without a CUDA at hand cust is only type-checked, and then its build script is not run again when there is one.
    step("forget how cust was linked", &mut cargo(["clean", "--quiet", "--package", "cust", "--package", "cust_raw"]))?;
    let mut suite = cargo(["test", "--package", "fracas", "--features", "cuda", "--test", "device_suite"]);
    suite.env("CUDA_LIBRARY_PATH", &folder).env("LD_LIBRARY_PATH", folder.join("lib64")).env_remove("DOCS_RS");
    step("run the suite of all backends", &mut suite)
}

/// Builds the emulator as a driver. Returns the folder whose `lib64` has it.
fn driver() -> Result<PathBuf, String> {
    step("build the emulator", &mut cargo(["build", "--package", "fracas-emulator"]))?;
    let built = target_folder().join("debug/libfracas_emulator.so");
    let folder = target_folder().join("cuda");
    let libraries = folder.join("lib64");
    fs::create_dir_all(&libraries).map_err(|error| format!("{}: {error}", libraries.display()))?;
    for name in NAMES {
        replace(&built, &libraries.join(name))?;
    }
    Ok(folder)
}

/// Copies a file so that a program that runs with the old one goes on with it.
fn replace(from: &Path, to: &Path) -> Result<(), String> {
    let next = to.with_extension("next");
    fs::copy(from, &next).map_err(|error| format!("{}: {error}", from.display()))?;
    fs::rename(&next, to).map_err(|error| format!("{}: {error}", to.display()))
}
