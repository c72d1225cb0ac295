//! NVIDIA's assembler, and what it says of a kernel.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{step, target_folder};

/// A `ptxas` and its version.
pub(crate) struct Assembler {
    path: PathBuf,
    pub(crate) version: String,
}

/// What a kernel takes on one architecture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) kernel: String,
    pub(crate) registers: u32,
    pub(crate) shared: u32,
    pub(crate) stack: u32,
    pub(crate) spilled: u32,
}

impl Assembler {
    /// The assembler of a major version: from the path, from an earlier call or from the Python package of that name.
    pub(crate) fn find(major: u32, package: &str) -> Result<Assembler, String> {
        let folder = target_folder().join("tools").join(package);
        let installed = || programs_below(&folder).into_iter().find_map(|path| Assembler::at(path, major));
        if let Some(found) = Assembler::at("ptxas".into(), major).or_else(installed) {
            return Ok(found);
        }
        let mut install = Command::new("pip");
        install.args(["install", "--quiet", "--target"]).arg(&folder).arg(package);
        let problem = step(&format!("install {package}"), &mut install).err();
        installed().ok_or_else(|| problem.unwrap_or_else(|| format!("{package} has no ptxas {major}")))
    }

    fn at(path: PathBuf, major: u32) -> Option<Assembler> {
        let output = Command::new(&path).arg("--version").output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let version = text.split("release ").nth(1)?.split(',').next()?.trim().to_owned();
        (version.split('.').next()? == major.to_string()).then_some(Assembler { path, version })
    }

    /// The newest architecture that it knows, without the letter of a variant.
    pub(crate) fn newest(&self) -> Result<u32, String> {
        let output = Command::new(&self.path).arg("--help").output().map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&output.stdout);
        let numbers = text.split("'sm_").skip(1).filter_map(|rest| rest.split('\'').next()?.parse().ok());
        numbers.max().ok_or_else(|| format!("ptxas {} names no architecture", self.version))
    }

    /// Assembles a text for an architecture.
    pub(crate) fn assemble(&self, text: &Path, architecture: u32) -> Result<Vec<Usage>, String> {
        let out = target_folder().join("ptx").join(format!("fracas_{architecture}.cubin"));
        let mut command = Command::new(&self.path);
        command.arg(format!("-arch=sm_{architecture}")).arg("-v").arg(text).arg("-o").arg(&out);
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        if output.status.success() { Ok(usages(&said)) } else { Err(format!("sm_{architecture}: {said}")) }
    }
}

/// All programs called ptxas below a folder.
fn programs_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![];
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(programs_below(&path));
        } else if path.file_name().is_some_and(|name| name == "ptxas") {
            found.push(path);
        }
    }
    found
}

/// Reads what `ptxas -v` says: a line that names the kernel, one for the stack and one for all else.
fn usages(said: &str) -> Vec<Usage> {
    let mut usages: Vec<Usage> = vec![];
    for line in said.lines() {
        if let Some(rest) = line.split("Compiling entry function '").nth(1) {
            let kernel = rest.split('\'').next().unwrap_or_default().to_owned();
            usages.push(Usage { kernel, ..Usage::default() });
        }
        let Some(usage) = usages.last_mut() else { continue };
        if line.contains("bytes stack frame") {
            usage.stack = number_before(line, "bytes stack frame");
            usage.spilled = number_before(line, "bytes spill stores") + number_before(line, "bytes spill loads");
        }
        if line.contains(" registers") {
            usage.registers = number_before(line, "registers");
            usage.shared = number_before(line, "bytes smem");
        }
    }
    usages.sort_by(|one, other| one.kernel.cmp(&other.kernel));
    usages
}

/// The number that stands before some words; 0 if they do not occur.
fn number_before(line: &str, words: &str) -> u32 {
    let before = line.split(words).next().filter(|before| before.len() < line.len()).unwrap_or_default();
    before.trim_end().rsplit(|letter: char| !letter.is_ascii_digit()).next().unwrap_or_default().parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_assembler_says() {
        let said = "ptxas info    : Compiling entry function 'b' for 'sm_75'\n\
                    ptxas info    : Function properties for b\n\
                    \x20   120 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\n\
                    ptxas info    : Used 38 registers, used 1 barriers, 120 bytes cumulative stack size, 64 bytes smem, 440 bytes cmem[0]\n\
                    ptxas info    : Compiling entry function 'a' for 'sm_75'\n\
                    ptxas info    : Used 6 registers, 360 bytes cmem[0]\n";
        let usage = |kernel: &str, registers, shared, stack, spilled| Usage {
            kernel: kernel.to_owned(),
            registers,
            shared,
            stack,
            spilled,
        };
        assert_eq!(usages(said), [usage("a", 6, 0, 0, 0), usage("b", 38, 64, 120, 12)]);
    }
}
