//! `fracas fracture`

mod svo;
mod tet;
mod vacd;

use std::path::Path;

use fracas::export::PieceMesh;
use fracas::fragment::MeshQuality;
use fracas::geometry::TriMesh;
use serde::Serialize;

use super::run::thread_pool;
use super::view::view_pieces;
use crate::arguments::{FractureArguments, Method};
use crate::failure::Failure;
use crate::output::{check_folder, print, table, write_json};
use crate::pieces::{Looks, write_pieces};
use crate::solid::check_glb;
use crate::stages::Stages;

#[derive(Serialize)]
struct Outcome {
    pieces: Vec<PieceFigures>,
    input_volume: f64,
    /// What all pieces together have more or less than the input, relative to it.
    volume_error: f64,
    /// Shards that were nothing but rounding.
    dropped: usize,
    dropped_volume: f64,
    /// Whether anything broke.
    broken: bool,
    /// Convexes before the break; of the method vacd.
    #[serde(skip_serializing_if = "Option::is_none")]
    convexes: Option<usize>,
    /// Voxels in the surfaces of all pieces; of the method svo.
    #[serde(skip_serializing_if = "Option::is_none")]
    voxels: Option<u64>,
    /// The tetrahedra; of the method tet.
    #[serde(skip_serializing_if = "Option::is_none")]
    quality: Option<MeshQuality>,
    changes: Vec<String>,
    milliseconds: Stages,
}

#[derive(Serialize)]
struct PieceFigures {
    name: String,
    volume: f64,
    watertight: bool,
    triangles: usize,
    centroid: [f64; 3],
    fragment_of: usize,
}

impl PieceFigures {
    fn new(name: String, look: &PieceMesh, fragment_of: usize) -> PieceFigures {
        PieceFigures {
            name,
            volume: look.mass.volume,
            watertight: look.is_watertight,
            triangles: look.mesh.triangles.len(),
            centroid: look.mass.centroid.to_array(),
            fragment_of,
        }
    }
}

pub(crate) fn fracture(arguments: &FractureArguments, quiet: bool) -> Result<(), Failure> {
    check_glb(&arguments.out, "pieces")?;
    check_folder(arguments.json.as_deref())?;
    let outcome = thread_pool(arguments.threads)?.install(|| match arguments.method {
        Method::Vacd => vacd::break_mesh(arguments),
        Method::Svo => svo::break_mesh(arguments),
        Method::Tet => tet::break_mesh(arguments),
    })?;
    if let Some(path) = &arguments.json {
        write_json(path, &outcome)?;
    }
    if !quiet {
        outcome.changes.iter().for_each(|change| eprintln!("repair: {change}"));
        if arguments.json.as_deref() != Some(Path::new("-")) {
            print(describe(&outcome, arguments).as_bytes())?;
        }
    }
    match arguments.look.serve(arguments.json.as_deref()) {
        Some(serve) => {
            let name = |number: usize| outcome.pieces.get(number).map(|piece| piece.name.clone());
            view_pieces(&serve, &arguments.out, name)
        }
        None => Ok(()),
    }
}

/// Writes pieces of one solid under their names, and gives their figures.
fn write(
    path: &Path,
    meshes: Vec<PieceMesh>,
    name: impl Fn(usize) -> String,
    original: &TriMesh,
    density: f64,
) -> Result<Vec<PieceFigures>, Failure> {
    let figure = |(number, look)| PieceFigures::new(name(number), look, 0);
    let figures: Vec<PieceFigures> = meshes.iter().enumerate().map(figure).collect();
    let names = figures.iter().map(|figures| figures.name.clone()).collect();
    let extras = figures.iter().map(|figures| serde_json::to_value(figures).unwrap_or_default()).collect();
    write_pieces(path, Looks { names, meshes, extras, density, original })?;
    Ok(figures)
}

fn describe(outcome: &Outcome, arguments: &FractureArguments) -> String {
    let Outcome { pieces, input_volume, volume_error, .. } = outcome;
    let from = match (outcome.convexes, outcome.voxels) {
        (Some(convexes), _) => format!(" from {convexes} convexes"),
        (_, Some(voxels)) => format!(", {voxels} boundary voxels"),
        _ if outcome.quality.is_some() => {
            format!(" from {} tetrahedra", outcome.quality.as_ref().map_or(0, |quality| quality.tets))
        }
        _ => String::new(),
    };
    let triangles: usize = pieces.iter().map(|piece| piece.triangles).sum();
    let open = pieces.iter().filter(|piece| !piece.watertight).count();
    let watertight = if open == 0 { "all watertight".to_owned() } else { format!("{open} not watertight") };
    let nothing = if outcome.broken { "" } else { "nothing broke: the pattern or the radius leaves it whole\n" };
    let largest = pieces.iter().map(|piece| piece.volume).fold(0.0, f64::max);
    let smallest = pieces.iter().map(|piece| piece.volume).fold(f64::INFINITY, f64::min);
    let mut rows = vec![["stage", "ms"].map(str::to_owned).to_vec()];
    rows.extend(outcome.milliseconds.0.iter().map(|(stage, time)| vec![(*stage).to_owned(), format!("{time:.2}")]));
    let quality = outcome.quality.as_ref().map_or(String::new(), |quality| format!("{quality}\n"));
    format!(
        "{nothing}{quality}{}\n{} pieces{from}, {triangles} triangles, {watertight}\n\
         volume {input_volume:.6}, off by {volume_error:.1e}; pieces from {smallest:.3e} to {largest:.3e}\n\n{}",
        arguments.out.display(),
        pieces.len(),
        table(&rows)
    )
}
