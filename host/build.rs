//! Which PTX goes into the library: the committed text, or the one that `FRACAS_PTX` names, so that what another compiler
//! makes of the kernels can be tested as a whole.

use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-env-changed=FRACAS_PTX");
    let committed = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../kernels/ptx/fracas.ptx");
    let text = std::env::var_os("FRACAS_PTX").map_or(committed, PathBuf::from);
    println!("cargo:rustc-env=FRACAS_PTX={}", text.display());
}
