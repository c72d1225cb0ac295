//! The physics of the suite `svo`: \[Domaradzki16\] 6.3, the paper's four scenes.

use std::ops::ControlFlow;
use std::path::Path;

use super::Row;
use crate::device::SharedBackend;
use crate::scene::{RunOptions, RunSummary, Scene, run};

/// A scene, and the milliseconds that a step took in the paper.
struct Physics {
    name: &'static str,
    text: &'static str,
    paper: [f64; 2],
}

const SCENES: [Physics; 4] = [
    Physics { name: "svo_figure", text: include_str!("../../../scenes/svo_figure.toml"), paper: [4.0, 9.0] },
    Physics { name: "svo_columns", text: include_str!("../../../scenes/svo_columns.toml"), paper: [4.0, 8.0] },
    Physics { name: "svo_statue", text: include_str!("../../../scenes/svo_statue.toml"), paper: [5.0, 7.0] },
    Physics { name: "svo_dragons", text: include_str!("../../../scenes/svo_dragons.toml"), paper: [3.0, 11.0] },
];

/// The means and maxima of a step of each scene without its fractures; the paper gives the least and the most.
pub(super) fn physics(suite: &str, backend: Option<&SharedBackend>) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    let options = RunOptions { backend: backend.cloned(), ..RunOptions::default() };
    for physics in &SCENES {
        let scene = Scene::parse(physics.text, Path::new("scenes")).map_err(|error| error.to_string())?;
        let summary = run(&scene, &options, |_| ControlFlow::Continue(()));
        rows.extend(physics.rows(suite, &summary.map_err(|error| error.to_string())?));
    }
    Ok(rows)
}

/// What a run found beside what the paper says of its scene, if it does.
pub(super) fn beside_the_paper(suite: &str, summary: &RunSummary) -> Option<Vec<Row>> {
    SCENES.iter().find(|physics| physics.name == summary.scene).map(|physics| physics.rows(suite, summary).to_vec())
}

impl Physics {
    fn rows(&self, suite: &str, summary: &RunSummary) -> [Row; 2] {
        let [least, most] = self.paper;
        let is_physics = |stage: &str| !["fracture", "total"].contains(&stage);
        let stages = || summary.statistics.rows().filter(|(stage, _)| is_physics(stage));
        let mean = stages().map(|(_, milliseconds)| milliseconds.0.mean()).sum();
        let maximum = stages().map(|(_, milliseconds)| milliseconds.0.max).fold(0.0, f64::max);
        let of = |stage: &str, value: f64| Row::new(suite, &summary.scene, stage, value, "ms");
        [
            of(&format!("physics of a step, mean (paper {least} to {most})"), mean),
            of("physics of a step, its longest stage at most", maximum),
        ]
    }
}
