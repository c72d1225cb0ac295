//! The PTX of the kernels, from a stock compiler.
//!
//! It takes a compiler that has the source of its own core library, because that is compiled for the device too, and that
//! lets unstable features be used: Debian's `rustc-web`, or a nightly of rustup with `rust-src`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{cargo, root, step, target_folder};
use crate::{gpu, report};

/// What stands before the compiler's version in the first line.
const MADE_BY: &str = "// Made by `cargo xtask ptx` with ";

const NO_COMPILER: &str = "no compiler for PTX: install Debian's rustc-web, cargo-web and rust-web-src, or run \
     `rustup toolchain install nightly --component rust-src`";

/// The text that is committed.
pub(crate) fn committed() -> PathBuf {
    root().join("kernels/ptx/fracas.ptx")
}

/// Compiles the kernels into the committed text.
pub(crate) fn write() -> Result<(), String> {
    let text = compile(&Compiler::find()?)?;
    let path = committed();
    save(&path, &text)?;
    println!("{}: {} bytes", path.display(), text.len());
    Ok(())
}

/// Compiles the kernels and compares. What was compiled is left in the target folder.
pub(crate) fn check() -> Result<(), String> {
    let path = committed();
    let old = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let new = compile(&Compiler::find()?)?;
    // The tests that take it are called in other folders.
    let rebuilt = root().join(target_folder()).join("ptx/fracas.ptx");
    save(&rebuilt, &new)?;
    report::check(&rebuilt)?;
    match compare(&old, &new) {
        Comparison::Same => {
            println!("the committed text is what the kernels compile to");
            Ok(())
        }
        Comparison::OutOfDate(place) => {
            Err(format!("{} is out of date from {place} on: run `cargo xtask ptx`", path.display()))
        }
        Comparison::OtherCompiler(makers) => {
            println!("not compared but tested, because another compiler made the committed text:\n{makers}");
            let mut kernels = cargo(["test", "--package", "fracas-emulator", "--test", "fracas_kernels"]);
            step("run what this one makes", kernels.env("FRACAS_PTX", &rebuilt))?;
            gpu::suite(Some(&rebuilt))
        }
    }
}

/// How a text that was compiled now stands to the committed one.
#[derive(Debug, PartialEq, Eq)]
enum Comparison {
    Same,
    /// Where they begin to differ.
    OutOfDate(String),
    /// The first lines of both.
    OtherCompiler(String),
}

fn compare(old: &str, new: &str) -> Comparison {
    let [old_maker, new_maker] = [old, new].map(|text| text.lines().next().unwrap_or_default());
    if old_maker != new_maker {
        return Comparison::OtherCompiler(format!("  {old_maker}\n  {new_maker}"));
    }
    match (1..).zip(old.lines().zip(new.lines())).find(|(_, (old, new))| old != new) {
        Some((line, _)) => Comparison::OutOfDate(format!("line {line}")),
        None if old.len() == new.len() => Comparison::Same,
        None => Comparison::OutOfDate("its end".to_owned()),
    }
}

fn save(path: &Path, text: &str) -> Result<(), String> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// A compiler, its cargo and where the source of its library is.
struct Compiler {
    rustc: PathBuf,
    cargo: PathBuf,
    version: String,
    source: PathBuf,
}

impl Compiler {
    fn find() -> Result<Compiler, String> {
        if let Some(compiler) = Compiler::debian().or_else(Compiler::nightly) {
            return Ok(compiler);
        }
        let mut install = Command::new("apt-get");
        install.args(["install", "--yes", "--no-install-recommends", "rustc-web", "cargo-web", "rust-web-src"]);
        // That this fails is no more than that there is still no compiler.
        let _ = step("install a compiler", &mut install);
        Compiler::debian().ok_or_else(|| NO_COMPILER.to_owned())
    }

    fn debian() -> Option<Compiler> {
        Compiler::of("/usr/bin/rustc".into(), "/usr/bin/cargo".into())
    }

    fn nightly() -> Option<Compiler> {
        let which = |program| output(Command::new("rustup").args(["which", "--toolchain", "nightly", program]));
        Compiler::of(which("rustc")?.into(), which("cargo")?.into())
    }

    fn of(rustc: PathBuf, cargo: PathBuf) -> Option<Compiler> {
        let version = output(Command::new(&rustc).arg("--version"))?;
        let sysroot = output(Command::new(&rustc).args(["--print", "sysroot"]))?;
        let source = Path::new(&sysroot).join("lib/rustlib/src/rust");
        (source.join("library/core").is_dir() && cargo.is_file()).then_some(Compiler { rustc, cargo, version, source })
    }
}

/// The first line that a program writes, if it ends well.
fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8_lossy(&output.stdout).lines().next().map(|line| line.trim().to_owned())
}

fn compile(compiler: &Compiler) -> Result<String, String> {
    let target = target_folder().join("ptx");
    // Debian's folder of the source is a link, and the compiler may write either name.
    let real_source = compiler.source.canonicalize().unwrap_or_else(|_| compiler.source.clone());
    let places =
        [(root(), "fracas"), (compiler.source.clone(), "rust"), (real_source, "rust"), (cargo_home(), "cargo")];
    // A failed check of bounds is a trap. Loops over the rows of a tile are unrolled, or the rows would be in local memory.
    let flags = ["-Zunstable-options", "-Cpanic=immediate-abort", "-Cllvm-args=-unroll-threshold=600"];
    let mut flags = flags.map(str::to_owned).to_vec();
    // Nothing of the machine is in the text, so that it is the same from all of them.
    flags.extend(places.iter().map(|(place, name)| format!("--remap-path-prefix={}={name}", place.display())));
    let mut cargo = Command::new(&compiler.cargo);
    cargo.current_dir(root());
    cargo.args(["rustc", "--package", "fracas-kernels", "--lib", "--release", "--target", "nvptx64-nvidia-cuda"]);
    cargo.args(["-Zbuild-std=core", "--crate-type", "cdylib", "--target-dir"]).arg(&target);
    // The linker would make an archive that nobody needs.
    cargo.args(["--", "--emit=asm", "-Ctarget-cpu=sm_70", "-Clinker=/bin/true"]);
    cargo.env("RUSTC", &compiler.rustc).env("RUSTC_BOOTSTRAP", "1").env("CARGO_INCREMENTAL", "0");
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    cargo.env("CARGO_PROFILE_RELEASE_LTO", "fat").env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1");
    // Lines for Nsight, without the sections that would make a driver compile for a debugger.
    cargo.env("CARGO_PROFILE_RELEASE_DEBUG", "line-directives-only");
    step("compile the kernels", &mut cargo)?;

    let assembly = target.join("nvptx64-nvidia-cuda/release/deps/fracas_kernels.s");
    let text = fs::read_to_string(&assembly).map_err(|error| format!("{}: {error}", assembly.display()))?;
    if let Some(line) = text.lines().find(|line| line.contains(".file") && line.contains("\"/")) {
        return Err(format!("the PTX names a folder of this machine: {}", line.trim()));
    }
    Ok(format!("{MADE_BY}{}\n{text}", compiler.version))
}

fn cargo_home() -> PathBuf {
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cargo");
    std::env::var_os("CARGO_HOME").map_or_else(home, PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_if_one_compiler_made_them() {
        let made = |version: &str, rest: &str| format!("{MADE_BY}rustc {version}\n{rest}");
        let old = made("1.96.0", "a\nb\n");
        assert_eq!(compare(&old, &old), Comparison::Same);
        assert_eq!(compare(&old, &made("1.96.0", "a\nc\n")), Comparison::OutOfDate("line 3".to_owned()));
        assert_eq!(compare(&old, &made("1.96.0", "a\nb\nc\n")), Comparison::OutOfDate("its end".to_owned()));
        // Then it does not matter what else is in them.
        let makers = format!("  {MADE_BY}rustc 1.96.0\n  {MADE_BY}rustc 1.97.0");
        assert_eq!(compare(&old, &made("1.97.0", "a\nb\n")), Comparison::OtherCompiler(makers));
    }

    #[test]
    fn the_committed_text_says_who_made_it() {
        let text = fs::read_to_string(committed()).unwrap();
        assert!(text.starts_with(&format!("{MADE_BY}rustc ")), "{}", text.lines().next().unwrap_or_default());
    }
}
