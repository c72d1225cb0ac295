//! What NVIDIA's assembler makes of the kernels, as a table.

use std::fmt::Write;
use std::path::Path;

use fracas_kernels::arguments::KERNELS;

use crate::command::root;
use crate::occupancy;
use crate::ptx;
use crate::ptxas::{Assembler, Usage};

/// One architecture and the usage of each kernel on it, by name.
struct Column {
    architecture: u32,
    usages: Vec<Usage>,
}

/// The assemblers of two major versions.
fn assemblers() -> Result<[Assembler; 2], String> {
    Ok([Assembler::find(12, "nvidia-cuda-nvcc-cu12")?, Assembler::find(13, "nvidia-cuda-nvcc")?])
}

/// Whether the assemblers take a text; where they cannot be had, says so.
pub(crate) fn check(text: &Path) -> Result<(), String> {
    match assemblers() {
        Ok(assemblers) => {
            println!("{}", summary(&columns(text, &assemblers)?));
            Ok(())
        }
        Err(reason) => {
            println!("not assembled: {reason}");
            Ok(())
        }
    }
}

/// Assembles the committed text for several architectures and writes the table beside it.
pub(crate) fn write() -> Result<(), String> {
    let assemblers = assemblers()?;
    let columns = columns(&ptx::committed(), &assemblers)?;
    let text = table(&columns, assemblers.each_ref().map(|assembler| assembler.version.as_str()));
    let path = root().join("kernels/ptx/REPORT.md");
    std::fs::write(&path, &text).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("{}", summary(&columns));
    Ok(())
}

fn columns(text: &Path, [older, newer]: &[Assembler; 2]) -> Result<Vec<Column>, String> {
    let newest = newer.newest()?;
    let mut columns = vec![];
    for (assembler, architecture) in [(older, 75), (older, 80), (older, 90), (newer, newest)] {
        let usages = assembler.assemble(text, architecture)?;
        let is_complete = usages.len() == KERNELS.len()
            && KERNELS.iter().all(|kernel| usages.iter().any(|usage| usage.kernel == kernel.name));
        if !is_complete {
            return Err("the kernels of the PTX are not those of the table: run `cargo xtask ptx`".to_owned());
        }
        columns.push(Column { architecture, usages });
    }
    Ok(columns)
}

fn table(columns: &[Column], versions: [&str; 2]) -> String {
    let mut text = String::from("# What the kernels take\n\n");
    let _ = writeln!(
        text,
        "Written by `cargo xtask ptx --report` with NVIDIA's ptxas {} and, for the newest architecture, {}.\n\
         Registers of a thread, theoretical occupancy in blocks of {} threads, bytes of local memory of a thread (arrays that\n\
         are indexed by data) and of static shared memory of a block. {}\n",
        versions[0],
        versions[1],
        KERNELS[0].block,
        summary(columns)
    );
    let names = columns.iter().map(|column| format!(" sm_{} |", column.architecture));
    let _ = writeln!(text, "| kernel |{} local | shared |", names.collect::<String>());
    let _ = writeln!(text, "|---|{}---:|---:|", "---:|".repeat(columns.len()));
    for (row, usage) in columns[0].usages.iter().enumerate() {
        let _ = write!(text, "| `{}` |", usage.kernel);
        for column in columns {
            let Usage { registers, shared, .. } = column.usages[row];
            let percent = occupancy::percent(column.architecture, KERNELS[0].block, registers, shared);
            let _ = write!(text, " {registers}, {percent} % |");
        }
        let _ = writeln!(text, " {} | {} |", usage.stack, usage.shared);
    }
    text
}

fn summary(columns: &[Column]) -> String {
    let all = || columns.iter().flat_map(|column| &column.usages);
    let registers = all().map(|usage| usage.registers).max().unwrap_or(0);
    let spilling =
        columns[0].usages.iter().filter(|kernel| all().any(|usage| usage.kernel == kernel.kernel && usage.spilled > 0));
    format!("{} kernels, at most {registers} registers; {} of them spill.", columns[0].usages.len(), spilling.count())
}
