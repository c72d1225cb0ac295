//! `fracas mesh`

use std::path::Path;

use fracas::geometry::{MeshReport, RepairOptions, ReportOptions, io, mesh_report, repair};
use serde::Serialize;

use crate::arguments::MeshArguments;
use crate::failure::Failure;
use crate::output::{print, write_json};

#[derive(Serialize)]
struct Outcome {
    #[serde(flatten)]
    report: MeshReport,
    changes: Vec<String>,
    /// Why the mesh is not a solid, if it is not.
    problem: Option<String>,
}

pub(crate) fn mesh(arguments: &MeshArguments, quiet: bool) -> Result<(), Failure> {
    let mut mesh = io::read_tri_mesh(&arguments.input).map_err(Failure::input)?;
    let mut changes = Vec::new();
    if arguments.repair {
        let repaired = repair(mesh, &RepairOptions::default());
        changes = repaired.changes.iter().map(ToString::to_string).collect();
        mesh = repaired.mesh;
    }
    let report = mesh_report(&mesh, &ReportOptions { self_intersections: arguments.self_intersections });
    if let Some(path) = &arguments.out {
        io::write_tri_mesh(path, &mesh).map_err(Failure::input)?;
    }
    let problem = report.solid_problem();
    let outcome = Outcome { report, changes, problem };
    if let Some(path) = &arguments.json {
        write_json(path, &outcome)?;
    }
    if !quiet && arguments.json.as_deref() != Some(Path::new("-")) {
        print(describe(&outcome, arguments).as_bytes())?;
    }
    Ok(())
}

fn describe(outcome: &Outcome, arguments: &MeshArguments) -> String {
    let mut text = format!("{}\n{}", arguments.input.display(), outcome.report);
    if !text.ends_with('\n') {
        text.push('\n');
    }
    for change in &outcome.changes {
        text.push_str(&format!("repair: {change}\n"));
    }
    if arguments.repair && outcome.changes.is_empty() {
        text.push_str("repair: nothing to change\n");
    }
    match &outcome.problem {
        Some(problem) if !arguments.repair && outcome.report.repair_may_help() => {
            text.push_str(&format!("not a solid: {problem}; try --repair\n"));
        }
        Some(problem) => text.push_str(&format!("not a solid: {problem}\n")),
        None => text.push_str("a solid\n"),
    }
    text
}
