//! What can go wrong with a mesh file, said with the place where it went wrong.

use std::fmt;
use std::path::Path;

use thiserror::Error;

use crate::whole_file::FileError;

/// Where in a file something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line of a text file, counted from one as editors do.
    Line(usize),
    /// A byte of a binary file, counted from zero.
    Byte(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::File => Ok(()),
            Place::Line(line) => write!(formatter, ", line {line}"),
            Place::Byte(byte) => write!(formatter, ", byte {byte}"),
        }
    }
}

/// Why a mesh could not be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The file could not be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The extension says nothing about the format.
    #[error("{file}: the extension {} is not known here; {known}", quote_extension(extension))]
    UnknownExtension {
        /// The file that was asked for.
        file: String,
        /// Its extension, without the dot.
        extension: String,
        /// The extensions that are known.
        known: &'static str,
    },
    /// The content is not what the format asks for.
    #[error("{file}{place}: {problem}")]
    Content {
        /// The file.
        file: String,
        /// Where in it.
        place: Place,
        /// What was found, what was expected and, where known, how to mend it.
        problem: String,
    },
}

/// Why a mesh could not be written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The extension says nothing about the format.
    #[error("{file}: the extension {} cannot be written; {known}", quote_extension(extension))]
    UnknownExtension {
        /// The file that was to be written.
        file: String,
        /// Its extension, without the dot.
        extension: String,
        /// The extensions that are known.
        known: &'static str,
    },
    /// The mesh cannot be expressed in the format.
    #[error("{file}: {problem}")]
    Content {
        /// The file that was to be written.
        file: String,
        /// What about the mesh is in the way.
        problem: String,
    },
}

fn quote_extension(extension: &str) -> String {
    if extension.is_empty() { "(none)".to_owned() } else { format!("`.{extension}`") }
}

/// What a parser reports: everything but the name of the file, which only the entry points know.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) place: Place,
    pub(super) problem: String,
}

impl Fault {
    pub(super) fn file(problem: impl Into<String>) -> Fault {
        Fault { place: Place::File, problem: problem.into() }
    }

    pub(super) fn byte(byte: usize, problem: impl Into<String>) -> Fault {
        Fault { place: Place::Byte(byte), problem: problem.into() }
    }

    pub(super) fn named(self, file: &str) -> ReadError {
        ReadError::Content { file: file.to_owned(), place: self.place, problem: self.problem }
    }
}

/// A path as error messages show it.
pub(super) fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Some bytes of a file as error messages show them: short, printable, in backquotes.
pub(super) fn quoted(bytes: &[u8]) -> String {
    const LONGEST: usize = 32;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST)]);
    let dots = if bytes.len() > LONGEST { "..." } else { "" };
    format!("`{}{dots}`", text.escape_debug())
}
