//! The report of a run.

use super::{Replay, Report, Table};
use crate::benchmark::{Row, beside_the_paper, figure, machine};
use crate::export::{Plot, Series};
use crate::scene::RunSummary;
use crate::statistics::{Spread, Stage, StepHistory, StepStatistics};

/// A line of more points than this is a blot.
const MOST_POINTS: usize = 500;

impl Report {
    /// The report of a run that a command made, with a replay.
    pub fn of_run(summary: &RunSummary, command: &str, replay: Replay) -> Report {
        let statistics = &summary.statistics;
        let state = if summary.interrupted { "Interrupted after" } else { "Ran for" };
        let fact = |name: &str, value: String| (name.to_owned(), value);
        let mut facts = vec![
            fact("Hash", summary.hash_text()),
            fact("Machine", machine()),
            fact("Threads", summary.threads.to_string()),
            fact("Computed on", summary.backend.clone()),
            fact("Fragments at the end", statistics.fragments.to_string()),
            fact("Triangles at the end", statistics.triangles.to_string()),
        ];
        if statistics.debris > 0 {
            facts.push(fact("Debris at the end", statistics.debris.to_string()));
        }
        if statistics.lost > 0 {
            facts.push(fact("Pieces that could not be simulated", statistics.lost.to_string()));
        }
        let mut tables = vec![stages(summary)];
        let rows = beside_the_paper(summary);
        if !rows.is_empty() {
            tables.insert(0, paper(&rows));
        }
        Report {
            title: summary.scene.clone(),
            subtitle: format!("{state} {} frames, {} steps.", summary.frames, summary.steps),
            facts,
            command: command.to_owned(),
            replay,
            plots: plots(&summary.history),
            tables,
        }
    }
}

fn stages(summary: &RunSummary) -> Table {
    let statistics = &summary.statistics;
    let times = statistics.rows().map(|(name, time)| (format!("{name}, ms"), time.0));
    let counts = [("contacts", statistics.contacts), ("colliding points", statistics.colliding_points)];
    let counts = counts.map(|(name, spread)| (name.to_owned(), spread));
    let row = |(name, spread): (String, Spread)| vec![name, figure(spread.mean()), figure(spread.max)];
    Table {
        heading: "Each step".into(),
        columns: ["", "mean", "max"].map(str::to_owned).to_vec(),
        rows: times.chain(counts).map(row).collect(),
        ..Table::default()
    }
}

/// The paper's figures beside ours.
fn paper(rows: &[Row]) -> Table {
    let row = |row: &Row| {
        let paper = row.paper.map(figure);
        vec![row.stage.clone(), paper.unwrap_or_default(), figure(row.ours), row.unit.clone()]
    };
    Table {
        heading: "Beside the paper".into(),
        note: "The paper's machine was another one: times are there to be compared with care, counts are not.".into(),
        columns: ["", "paper", "ours", "unit"].map(str::to_owned).to_vec(),
        rows: rows.iter().map(row).collect(),
    }
}

/// Milliseconds, contacts and fragments, step by step.
fn plots(history: &StepHistory) -> Vec<Plot> {
    let entries = history.entries();
    if entries.len() < 2 {
        return Vec::new();
    }
    let together = entries.len().div_ceil(MOST_POINTS);
    let stride = together as u64 * history.stride();
    let series = |name: &str, value: &dyn Fn(&StepStatistics) -> f64| Series {
        name: name.to_owned(),
        points: entries
            .chunks(together)
            .enumerate()
            .map(|(place, steps)| [(place as u64 * stride + 1) as f64, steps.iter().map(value).fold(0.0, f64::max)])
            .collect(),
    };
    let x_label = if stride == 1 { "step".to_owned() } else { format!("step; the most of every {stride}") };
    let plot = |title: &str, y_label: &str, series: Vec<Series>| Plot {
        title: title.into(),
        x_label: x_label.clone(),
        y_label: y_label.into(),
        series,
        ..Plot::default()
    };
    let total = series("total", &|step| step.times.total().as_secs_f64() * 1e3);
    let stages = Stage::ALL.map(|stage| series(stage.name(), &|step| step.times[stage].as_secs_f64() * 1e3));
    let is_used = |series: &Series| series.points.iter().any(|point| point[1] > 0.0);
    let mut plots =
        vec![plot("Time of each step", "ms", std::iter::once(total).chain(stages).filter(is_used).collect())];
    let contacts = [
        series("contacts", &|step| step.contacts as f64),
        series("colliding points", &|step| step.colliding_points as f64),
    ];
    let fragments = [series("fragments", &|step| step.fragments as f64), series("debris", &|step| step.debris as f64)];
    for (title, lines) in [("Contacts", contacts), ("Fragments", fragments)] {
        let lines: Vec<Series> = lines.into_iter().filter(is_used).collect();
        if !lines.is_empty() {
            plots.push(plot(title, "", lines));
        }
    }
    plots
}
