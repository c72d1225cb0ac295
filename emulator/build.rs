//! Names the shared library as NVIDIA's driver is named.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // A program linked against the emulator then asks for libcuda.so.1, which a real driver has too.
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
    }
}
