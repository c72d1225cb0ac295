//! The kernels of Fracas, as committed in PTX, against the same device functions called on the host.
//!
//! Each kernel runs on sizes around those of a warp and of a block, with every detector of the emulator, on grids that are
//! large enough and on grids whose threads have several turns.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod build;
mod columns;
mod discretise;
mod extract;
mod fill;
mod gpu;
mod islands;
mod meeting;
mod octree;
mod pieces;
mod radix;
mod scan;

use std::sync::LazyLock;

use fracas_emulator::Module;
use fracas_kernels::arguments::KERNELS;

/// The committed text, or the one that the environment names.
static PTX: LazyLock<String> = LazyLock::new(|| match std::env::var_os("FRACAS_PTX") {
    Some(path) => std::fs::read_to_string(path).unwrap(),
    None => include_str!("../../../kernels/ptx/fracas.ptx").to_owned(),
});

#[test]
fn the_table_of_kernels_is_that_of_the_text() {
    let module = Module::parse(&PTX).unwrap();
    let mut found: Vec<&str> = module.kernels().collect();
    let mut expected: Vec<&str> = KERNELS.iter().map(|kernel| kernel.name).collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
    let module = gpu::Gpu::load();
    for kernel in KERNELS {
        let attributes = module.kernel_attributes(kernel.name).unwrap();
        assert_eq!(attributes.shared_bytes, kernel.shared, "{}", kernel.name);
        assert_eq!(module.parameter_sizes(kernel.name).unwrap(), [kernel.parameter], "{}", kernel.name);
    }
}

#[test]
fn the_text_names_its_compiler_and_no_folder_of_a_machine() {
    assert!(PTX.starts_with("// Made by `cargo xtask ptx` with rustc "));
    let files = PTX.lines().filter(|line| line.trim_start().starts_with(".file"));
    assert!(files.clone().count() > 0);
    for line in files {
        let name = line.split('"').nth(1).unwrap();
        assert!(["fracas/", "rust/", "cargo/"].iter().any(|folder| name.starts_with(folder)), "{line}");
    }
}
