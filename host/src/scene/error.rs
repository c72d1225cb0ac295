//! What is wrong with a scene file, and where.

use std::ops::Range;
use std::path::Path;

use thiserror::Error;

use crate::whole_file::FileError;

/// Why a scene cannot be loaded.
#[derive(Debug, Error)]
pub enum SceneError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Something in the file is wrong.
    #[error("{path}, line {line}, column {column}: {message}")]
    Mistake {
        /// The file.
        path: String,
        /// The line, counted from one.
        line: usize,
        /// The column in characters, counted from one.
        column: usize,
        /// What was found, and what was expected.
        message: String,
    },
}

/// Turns places in a scene's text into errors.
pub(super) struct Source<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
}

impl Source<'_> {
    /// A mistake at a place, in bytes, of the text.
    pub(super) fn mistake(&self, span: Range<usize>, message: impl Into<String>) -> SceneError {
        let before = &self.text[..self.text.floor_char_boundary(span.start.min(self.text.len()))];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        SceneError::Mistake {
            path: self.path.display().to_string(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: message.into(),
        }
    }

    /// A mistake that the TOML reader found, said in our words.
    pub(super) fn toml(&self, error: &toml::de::Error) -> SceneError {
        self.mistake(error.span().unwrap_or(0..0), explain(error.message()))
    }
}

/// The reader's message in one line, with the nearest valid name where a name is wrong.
fn explain(message: &str) -> String {
    let line = message.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
    for (kind, noun) in [("unknown field `", "key"), ("unknown variant `", "name")] {
        if let Some(rest) = line.strip_prefix(kind) {
            return unknown_name(noun, rest);
        }
    }
    if let Some(field) = line.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
        return format!("the key `{field}` is missing");
    }
    if line.contains("newtype variant") || line.contains("wanted ") {
        return "found something else, expected one name with a table, such as shape.sphere = { radius = 0.5 }".into();
    }
    for kind in ["invalid type: ", "invalid value: ", "invalid length "] {
        if let Some((found, expected)) = line.strip_prefix(kind).and_then(|rest| rest.split_once(", expected ")) {
            let expected = match expected {
                "f64" | "f32" => "a number",
                "u32" => "a whole number from 0 to 4294967295",
                "u64" | "usize" => "a whole number that is not negative",
                "a string" => "a text in quotes",
                "a boolean" => "true or false",
                other => other,
            };
            return format!("found {found}, expected {expected}");
        }
    }
    line
}

/// `rest` is what follows the opening quote: the name, then the list of names that would do.
fn unknown_name(noun: &str, rest: &str) -> String {
    let mut names = rest.split('`');
    // A key may be as long as its file.
    let found: &str = &names.next().unwrap_or_default().chars().take(60).collect::<String>();
    let valid: Vec<&str> = names.skip(1).step_by(2).collect();
    let suggestion = nearest(found, &valid).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
    if valid.is_empty() {
        return format!("unknown {noun} `{found}`; none is expected here");
    }
    format!("unknown {noun} `{found}`{suggestion} (expected one of: {})", valid.join(", "))
}

/// The valid name that is most like a name, if it is like it at all.
pub(super) fn nearest<'a>(found: &str, valid: &[&'a str]) -> Option<&'a str> {
    let likeness = |name: &str| strsim::jaro_winkler(found, name);
    valid.iter().copied().filter(|name| likeness(name) > 0.7).max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
}
