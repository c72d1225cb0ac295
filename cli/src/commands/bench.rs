//! `fracas bench`

use std::path::Path;

use fracas::benchmark::{Bench, Findings, Row, SUITES, figure, machine};
use fracas::device::SharedBackend;
use fracas::export::Report;
use fracas::scene::{RunOptions, Scene};

use super::run::{find_scene, run_scene, thread_pool};
use crate::arguments::{Backend, BenchArguments};
use crate::backend;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{check_folder, command_line, make_folder, print, table, write_json};

pub(crate) fn bench(arguments: &BenchArguments, quiet: bool) -> Result<(), Failure> {
    check_folder(arguments.json.as_deref())?;
    if let Some(folder) = &arguments.out {
        make_folder(folder)?;
    }
    let backend = backend::open(arguments.backend)?;
    interrupt::watch();
    let names: Vec<&str> = match arguments.what.as_slice() {
        [] => SUITES.iter().map(|suite| suite.name).collect(),
        some => some.iter().map(String::as_str).collect(),
    };
    let (mut rows, mut plots) = (Vec::new(), Vec::new());
    for name in names {
        match SUITES.iter().find(|suite| suite.name == name) {
            Some(suite) => {
                tracing::info!(suite = suite.name, "suite begins");
                let run = match (&suite.on_backend, &backend) {
                    (_, None) => (suite.run)(),
                    (Some(run), Some(backend)) => run(backend).map(Findings::from),
                    (None, Some(_)) if arguments.backend == Backend::Auto => (suite.run)(),
                    (None, Some(_)) if arguments.what.is_empty() => continue,
                    (None, Some(_)) => {
                        Err(format!("the suite `{name}` has nothing that runs on a device; leave --backend out"))
                    }
                };
                let found = run.map_err(Failure::Input)?;
                rows.extend(found.rows);
                plots.extend(found.plots);
            }
            None => rows.extend(bench_scene(name, backend.clone(), quiet)?),
        }
        if interrupt::happened() {
            return Err(Failure::Interrupted);
        }
    }
    let bench = Bench { machine: machine(), rows };
    if let Some(path) = &arguments.json {
        write_json(path, &bench)?;
    }
    if let Some(folder) = &arguments.out {
        write_json(&folder.join("bench.json"), &bench)?;
        for (name, plot) in &plots {
            plot.write(&folder.join(name).with_extension("svg")).map_err(Failure::input)?;
        }
        let report = Report::of_bench(&bench, &plots, &command_line());
        report.write(&folder.join("report.html")).map_err(Failure::input)?;
    }
    if !quiet && arguments.json.as_deref() != Some(Path::new("-")) {
        print(describe(&bench).as_bytes())?;
    }
    Ok(())
}

fn bench_scene(name: &str, backend: Option<SharedBackend>, quiet: bool) -> Result<Vec<Row>, Failure> {
    let path = find_scene(Path::new(name));
    if !path.exists() {
        let suites: Vec<&str> = SUITES.iter().map(|suite| suite.name).collect();
        let message = format!("`{name}` is neither a suite ({}) nor a scene file", suites.join(", "));
        return Err(Failure::Input(message));
    }
    let pool = thread_pool(None)?;
    let scene = pool.install(|| Scene::load(&path)).map_err(Failure::input)?;
    let options = RunOptions { backend, ..RunOptions::default() };
    let summary = run_scene(&pool, &scene, &options, quiet).map_err(|failure| failure.about(&path))?;
    if summary.interrupted {
        return Err(Failure::Interrupted);
    }
    Ok(Row::of_run(&summary))
}

fn describe(bench: &Bench) -> String {
    let mut rows = vec![["suite", "row", "stage", "paper", "ours", "unit", "baseline", ""].map(str::to_owned).to_vec()];
    for row in &bench.rows {
        let (baseline, ratio) = match &row.baseline {
            Some(baseline) => {
                (format!("{} {}", baseline.name, figure(baseline.value)), format!("{:.2}x", baseline.value / row.ours))
            }
            None => ("-".into(), String::new()),
        };
        rows.push(vec![
            row.suite.clone(),
            row.row.clone(),
            row.stage.clone(),
            row.paper.map_or("-".into(), figure),
            figure(row.ours),
            row.unit.clone(),
            baseline,
            ratio,
        ]);
    }
    format!("{}\n{}", bench.machine, table(&rows))
}
