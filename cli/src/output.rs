//! Files, JSON and tables.

use std::io::Write;
use std::path::Path;

use fracas::whole_file;
use serde::Serialize;

use crate::failure::Failure;

/// Writes a value as JSON to a file, or to standard output for `-`. A file appears whole or not at all.
pub(crate) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_vec_pretty(value).map_err(Failure::input)?;
    text.push(b'\n');
    if path.as_os_str() == "-" {
        return print(&text);
    }
    whole_file::write(path, &text).map_err(Failure::input)
}

/// Whether the folder of a file that is to be written later is there, so that no work is done for nothing.
pub(crate) fn check_folder(path: Option<&Path>) -> Result<(), Failure> {
    if let Some(path) = path.filter(|path| path.is_dir()) {
        return Err(Failure::Input(format!("{}: is a folder; name a file", path.display())));
    }
    let folder = path.and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => {
            Err(Failure::Input(format!("{}: there is no such folder; make it first", folder.display())))
        }
        _ => Ok(()),
    }
}

/// Prints to standard output. A reader that went away, such as `head`, is no failure.
pub(crate) fn print(text: &[u8]) -> Result<(), Failure> {
    match std::io::stdout().write_all(text) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Input(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// The command line as somebody would type it again.
pub(crate) fn command_line() -> String {
    let mut words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let program = words.next().unwrap_or_default();
    let program = Path::new(&program).file_stem().map_or("fracas".into(), |name| name.to_string_lossy());
    let is_plain =
        |word: &str| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_./,:=+@%".contains(c));
    let quoted = |word: String| if is_plain(&word) { word } else { format!("'{}'", word.replace('\'', "'\\''")) };
    std::iter::once(program.into_owned()).chain(words.map(quoted)).collect::<Vec<_>>().join(" ")
}

/// Makes a folder and those above it.
pub(crate) fn make_folder(path: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(path)
        .map_err(|error| Failure::Input(format!("{}: cannot be made: {error}", path.display())))
}

/// Lines up the columns of a table, whose first row is its head: words to the left, numbers to the right.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let widths: Vec<usize> =
        (0..columns).map(|column| cells(column).map(|cell| cell.chars().count()).max().unwrap_or(0)).collect();
    let is_number = |cell: &String| cell == "-" || cell.parse::<f64>().is_ok();
    let numbers: Vec<bool> = (0..columns).map(|column| cells(column).skip(1).all(is_number)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for ((cell, &width), &number) in row.iter().zip(&widths).zip(&numbers) {
            line += &if number { format!("{cell:>width$}  ") } else { format!("{cell:<width$}  ") };
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        assert_eq!(table(&[row(["stage", "ms"]), row(["broad", "10.25"])]), "stage     ms\nbroad  10.25\n");
    }
}
