//! `fracas voxelize`

use std::path::Path;
use std::time::Instant;

use fracas::geometry::io;
use fracas::svo::{VoxeliseOptions, mass_properties, smooth_surface, voxel_faces};
use serde::Serialize;

use super::run::thread_pool;
use crate::arguments::VoxelizeArguments;
use crate::backend;
use crate::failure::Failure;
use crate::output::{check_folder, print, write_json};
use crate::solid::read_mesh;

#[derive(Serialize)]
struct Outcome {
    level: u32,
    /// Voxels that the surface comes to, and voxels inside.
    boundary: u64,
    internal: u64,
    /// Boundary voxels count by half.
    solid_volume: f64,
    /// What the octree takes with its attributes.
    bytes: usize,
    /// The edge of a voxel.
    voxel: f64,
    milliseconds: f64,
    changes: Vec<String>,
}

pub(crate) fn voxelize(arguments: &VoxelizeArguments, quiet: bool) -> Result<(), Failure> {
    check_folder(arguments.out.as_deref())?;
    check_folder(arguments.json.as_deref())?;
    let outcome = thread_pool(arguments.threads)?.install(|| voxels_of(arguments))?;
    if let Some(path) = &arguments.json {
        write_json(path, &outcome)?;
    }
    if !quiet {
        outcome.changes.iter().for_each(|change| eprintln!("repair: {change}"));
        if arguments.json.as_deref() != Some(Path::new("-")) {
            print(describe(&outcome).as_bytes())?;
        }
    }
    Ok(())
}

fn voxels_of(arguments: &VoxelizeArguments) -> Result<Outcome, Failure> {
    let backend = backend::open_any(arguments.backend)?;
    let (mesh, changes) = read_mesh(&arguments.input, arguments.repair)?;
    let clock = Instant::now();
    let options = VoxeliseOptions { level: arguments.level, ..VoxeliseOptions::default() };
    let about = |failure: Failure| failure.about(&arguments.input);
    let (lattice, tree) = backend.voxelise(&mesh, &options).map_err(Failure::input).map_err(about)?;
    let milliseconds = 1e3 * clock.elapsed().as_secs_f64();
    if let Some(path) = &arguments.out {
        let surface = if arguments.smooth { smooth_surface } else { voxel_faces };
        io::write_tri_mesh(path, &surface(&tree, &lattice, tree.level())).map_err(Failure::input)?;
    }
    let counts = tree.counts();
    Ok(Outcome {
        level: arguments.level,
        boundary: counts.boundary,
        internal: counts.internal,
        solid_volume: mass_properties(&tree, &lattice).volume,
        bytes: tree.bytes(),
        voxel: lattice.voxel,
        milliseconds,
        changes,
    })
}

fn describe(outcome: &Outcome) -> String {
    let Outcome { level, boundary, internal, solid_volume, bytes, voxel, milliseconds, .. } = outcome;
    let each = *bytes as f64 / *boundary as f64;
    format!(
        "level {level}: voxels of {voxel:.6}, {boundary} boundary and {internal} internal\n\
         volume {solid_volume:.6}\n{:.1} MB, {each:.1} bytes for each boundary voxel\n{milliseconds:.1} ms\n",
        *bytes as f64 / 1e6
    )
}
