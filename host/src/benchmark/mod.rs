//! Figures that `fracas bench` prints: ours, the papers' and the peers', measured in one run.
mod fastcd;
mod fragment;
mod geometry;
mod hull;
mod raytrace;
mod svo;
mod svo_physics;
mod vacd;
mod voronoi;

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::device::SharedBackend;
use crate::export::Plot;
use crate::scene::RunSummary;

/// Takes measurements on a backend.
pub type OnBackend = fn(&SharedBackend) -> Result<Vec<Row>, String>;

/// A named list of measurements.
pub struct Suite {
    /// The name on the command line.
    pub name: &'static str,
    /// Takes the measurements, on the CPU.
    pub run: fn() -> Result<Findings, String>,
    /// Takes those that there are on a backend.
    pub on_backend: Option<OnBackend>,
}

/// Every suite.
pub const SUITES: &[Suite] = &[
    Suite { name: "fastcd", run: fastcd::run, on_backend: None },
    Suite { name: "fragment", run: || fragment::run().map(Findings::from), on_backend: None },
    Suite { name: "geometry", run: || geometry::run().map(Findings::from), on_backend: None },
    Suite { name: "hull", run: || hull::run().map(Findings::from), on_backend: None },
    Suite { name: "raytrace", run: raytrace::run, on_backend: None },
    Suite { name: "svo", run: || svo::run().map(Findings::from), on_backend: Some(svo::run_on) },
    Suite { name: "vacd", run: || vacd::run().map(Findings::from), on_backend: None },
    Suite { name: "voronoi", run: || voronoi::run().map(Findings::from), on_backend: None },
];

/// What a suite found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The figures.
    pub rows: Vec<Row>,
    /// Charts of them over time, each with the name of its file without an ending.
    pub plots: Vec<(String, Plot)>,
}

impl From<Vec<Row>> for Findings {
    fn from(rows: Vec<Row>) -> Findings {
        Findings { rows, plots: Vec::new() }
    }
}

/// What a bench run found.
#[derive(Clone, Debug, Serialize)]
pub struct Bench {
    /// What it ran on.
    pub machine: String,
    /// The figures.
    pub rows: Vec<Row>,
}

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The suite.
    pub suite: String,
    /// What was measured.
    pub row: String,
    /// Which part of it.
    pub stage: String,
    /// The paper's figure, if there is one.
    pub paper: Option<f64>,
    /// Ours.
    pub ours: f64,
    /// The unit of both.
    pub unit: String,
    /// A peer or a simpler method, measured in the same run.
    pub baseline: Option<Baseline>,
}

/// What a figure is compared with.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Baseline {
    /// Whose it is.
    pub name: String,
    /// The figure, in the row's unit.
    pub value: f64,
}

impl Row {
    /// A row without paper or baseline.
    pub fn new(suite: &str, row: impl Into<String>, stage: &str, ours: f64, unit: &str) -> Row {
        Row {
            suite: suite.into(),
            row: row.into(),
            stage: stage.into(),
            paper: None,
            ours,
            unit: unit.into(),
            baseline: None,
        }
    }

    /// The same row beside a baseline.
    #[must_use]
    pub fn against(mut self, name: &str, value: f64) -> Row {
        self.baseline = Some(Baseline { name: name.into(), value });
        self
    }

    /// The rows of a scene's run: mean and maximum of each stage.
    pub fn of_run(summary: &RunSummary) -> Vec<Row> {
        let rows = summary.statistics.rows().flat_map(|(stage, milliseconds)| {
            [("mean", milliseconds.0.mean()), ("max", milliseconds.0.max)]
                .map(|(kind, value)| Row::new("scene", summary.scene.clone(), &format!("{stage} {kind}"), value, "ms"))
        });
        rows.collect()
    }
}

/// What a run found beside what a paper says of its scene; nothing if none does.
pub fn beside_the_paper(summary: &RunSummary) -> Vec<Row> {
    let of_voxels = || svo_physics::beside_the_paper("svo", summary);
    fragment::beside_the_paper(summary).or_else(of_voxels).unwrap_or_default()
}

/// The processor, the number of threads and the system.
pub fn machine() -> String {
    let processor = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?.to_owned();
        line.split_once(':').map(|(_, name)| name.trim().to_owned())
    });
    let processor = processor.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    format!("{processor}, {} threads, {}", rayon::current_num_threads(), std::env::consts::OS)
}

/// A figure as it is printed: three significant digits are what a noisy machine can tell.
pub fn figure(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// The median time of a piece of work in milliseconds: at least three rounds, and more within half a second.
///
/// The median, because a busy machine only ever makes a round slower.
pub(crate) fn median_milliseconds<T>(mut work: impl FnMut() -> T) -> f64 {
    const ENOUGH: Duration = Duration::from_millis(500);
    let started = Instant::now();
    let mut rounds = Vec::new();
    while rounds.len() < 3 || started.elapsed() < ENOUGH {
        let clock = Instant::now();
        std::hint::black_box(work());
        rounds.push(milliseconds(clock));
    }
    median(rounds)
}

/// The one in the middle of some numbers, the later of two; 0 if there are none.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}

/// What a clock says.
fn milliseconds(clock: Instant) -> f64 {
    1e3 * clock.elapsed().as_secs_f64()
}
