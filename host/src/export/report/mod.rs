//! Reports: one page with what came of a run or of a benchmark, which opens from disk and asks for nothing else.

mod bench;
mod replay;
mod run;
#[cfg(test)]
mod tests;

use std::fmt::Write;
use std::path::Path;

use super::Plot;
use super::plot::escaped;
use crate::whole_file::{self, FileError};

pub use replay::Replay;

const STYLE: &str = include_str!("style.css");

/// A report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// What it is about.
    pub title: String,
    /// One line below the title.
    pub subtitle: String,
    /// Names and what they stand for.
    pub facts: Vec<(String, String)>,
    /// What somebody types to have the same again.
    pub command: String,
    /// What happened, to be looked at.
    pub replay: Replay,
    /// Charts.
    pub plots: Vec<Plot>,
    /// Figures.
    pub tables: Vec<Table>,
}

/// Figures in rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What stands above.
    pub heading: String,
    /// A line on how to read it.
    pub note: String,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// As many cells in each as there are columns; what begins with a digit is a number.
    pub rows: Vec<Vec<String>>,
}

impl Report {
    /// Writes the page to a file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        whole_file::write(path, self.html().as_bytes())
    }

    /// The page.
    pub fn html(&self) -> String {
        let mut page = String::new();
        let title = escaped(&self.title);
        // Writing to a string does not fail.
        let _ = write!(
            page,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title} · Fracas</title>\n\
             <link rel=\"icon\" href=\"data:,\">\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
             <h1>{title}</h1>\n<p class=\"quiet\">{}</p>\n<dl>\n",
            escaped(&self.subtitle)
        );
        for (name, value) in &self.facts {
            let _ = writeln!(page, "<dt>{}</dt><dd>{}</dd>", escaped(name), escaped(value));
        }
        let command = escaped(&self.command);
        let _ = writeln!(page, "</dl>\n<h2>To repeat it</h2>\n<pre tabindex=\"0\"><code>{command}</code></pre>");
        self.replay.put(&mut page);
        if !self.plots.is_empty() {
            page.push_str("<h2>Charts</h2>\n<p class=\"quiet\">A point says its numbers when it is pointed at.</p>\n");
        }
        self.plots.iter().for_each(|plot| _ = writeln!(page, "<figure>{}</figure>", plot.svg()));
        self.tables.iter().for_each(|table| table.put(&mut page));
        page.push_str("</main>\n</body>\n</html>\n");
        page
    }
}

impl Table {
    fn put(&self, page: &mut String) {
        let is_number = |column: usize| {
            let mut cells =
                self.rows.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.is_empty()).peekable();
            cells.peek().is_some()
                && cells.all(|cell| cell.starts_with(|first: char| first.is_ascii_digit() || first == '-'))
        };
        let class = |column: usize| if is_number(column) { " class=\"number\"" } else { "" };
        let heading = escaped(&self.heading);
        let _ = write!(
            page,
            "<h2>{heading}</h2>\n<div class=\"scrolls\" tabindex=\"0\" role=\"region\" aria-label=\"{heading}\">\n<table>\n"
        );
        if !self.note.is_empty() {
            let _ = writeln!(page, "<caption>{}</caption>", escaped(&self.note));
        }
        page.push_str("<thead><tr>");
        for (column, name) in self.columns.iter().enumerate() {
            let _ = write!(page, "<th scope=\"col\"{}>{}</th>", class(column), escaped(name));
        }
        page.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            page.push_str("<tr>");
            for (column, cell) in row.iter().enumerate() {
                let _ = write!(page, "<td{}>{}</td>", class(column), escaped(cell));
            }
            page.push_str("</tr>\n");
        }
        page.push_str("</tbody></table></div>\n");
    }
}
