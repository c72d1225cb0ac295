//! The report of a benchmark.

use super::{Report, Table};
use crate::benchmark::{Bench, Row, figure};
use crate::export::Plot;

impl Report {
    /// The report of a benchmark that a command made, with its charts: a table for each suite.
    pub fn of_bench(bench: &Bench, plots: &[(String, Plot)], command: &str) -> Report {
        let mut suites: Vec<&str> = Vec::new();
        for row in &bench.rows {
            if !suites.contains(&row.suite.as_str()) {
                suites.push(&row.suite);
            }
        }
        let tables = suites.iter().map(|suite| table(suite, bench.rows.iter().filter(|row| row.suite == *suite)));
        Report {
            title: format!("Benchmark: {}", suites.join(", ")),
            subtitle: format!(
                "{} figures, the papers' and the peers' beside ours, measured in one run.",
                bench.rows.len()
            ),
            facts: vec![("Machine".into(), bench.machine.clone())],
            command: command.to_owned(),
            plots: plots.iter().map(|(_, plot)| plot.clone()).collect(),
            tables: tables.collect(),
            ..Report::default()
        }
    }
}

fn table<'a>(suite: &str, rows: impl Iterator<Item = &'a Row>) -> Table {
    let row = |row: &Row| {
        let (name, value, ratio) = match &row.baseline {
            Some(baseline) => (baseline.name.clone(), figure(baseline.value), figure(baseline.value / row.ours)),
            None => Default::default(),
        };
        let paper = row.paper.map(figure).unwrap_or_default();
        vec![row.row.clone(), row.stage.clone(), paper, figure(row.ours), row.unit.clone(), name, value, ratio]
    };
    let columns = ["what", "part", "paper", "ours", "unit", "beside", "its figure", "its over ours"];
    Table {
        heading: suite.to_owned(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: rows.map(row).collect(),
        ..Table::default()
    }
}
