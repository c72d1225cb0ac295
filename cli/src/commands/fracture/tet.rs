//! Breaking by tetrahedra (\[Glondu12\]).

use fracas::export::PieceMesh;
use fracas::fragment::{Fragment, SeedPartition, Solid, SolidOptions};
use fracas::geometry::{TetMesh, TriMesh};
use rayon::prelude::*;

use super::{Outcome, write};
use crate::arguments::FractureArguments;
use crate::failure::Failure;
use crate::pattern::Target;
use crate::solid::{Tetrahedra, read_tetrahedra};
use crate::stages::Clock;

/// Reads, breaks and writes.
pub(super) fn break_mesh(arguments: &FractureArguments) -> Result<Outcome, Failure> {
    let others = [
        ("--auto", arguments.auto.is_some(), "convexes"),
        ("--nodes", arguments.nodes.is_some(), "convexes"),
        ("--fit", arguments.fit.is_some(), "convexes"),
        ("--roughness", arguments.roughness.is_some(), "convexes"),
        ("--colors", arguments.colors.is_some(), "convexes and voxels"),
        ("--level", arguments.level.is_some(), "voxels"),
        ("--coarser-islands", arguments.coarser_islands.is_some(), "voxels"),
    ];
    if let Some((option, _, what)) = others.iter().find(|(_, is_given, _)| *is_given) {
        return Err(Failure::Input(format!("{option} is for {what}; --method tet has none (leave it out)")));
    }
    let mut clock = Clock::new();
    let about = |failure: Failure| failure.about(&arguments.input);
    let Tetrahedra { mesh: tets, quality, changes } =
        read_tetrahedra(&arguments.input, arguments.cells, arguments.repair)?;
    clock.lap("mesh");
    let solid = Solid::new(&tets, &SolidOptions::default()).map_err(Failure::input).map_err(about)?;
    let whole = Fragment::whole(&solid);
    clock.lap("prepare");
    let pieces = broken(arguments, &tets, &whole)?;
    clock.lap("fracture");
    let broken = pieces.len() > 1;
    let meshes: Vec<PieceMesh> = pieces.par_iter().map(look).collect();
    clock.lap("meshes");
    let figures =
        write(&arguments.out, meshes, |number| format!("piece_{number}"), &TriMesh::default(), arguments.density)?;
    clock.lap("write");

    let input_volume = whole.mass_properties().volume;
    let volume: f64 = figures.iter().map(|piece| piece.volume).sum();
    Ok(Outcome {
        pieces: figures,
        input_volume,
        volume_error: (volume - input_volume).abs() / input_volume,
        dropped: 0,
        dropped_volume: 0.0,
        broken,
        convexes: None,
        voxels: None,
        quality: Some(quality),
        changes,
        milliseconds: clock.finish(),
    })
}

/// The pieces that the pattern makes; the whole if it makes none.
fn broken(arguments: &FractureArguments, tets: &TetMesh, whole: &Fragment) -> Result<Vec<Fragment>, Failure> {
    let bounds = tets.aabb();
    let impact = arguments.impact.unwrap_or_else(|| bounds.center());
    let target = Target { bounds, impact, radius: arguments.radius };
    let seeds = arguments.pattern.seeds(&target, arguments.seed).map_err(Failure::Input)?;
    let partition = SeedPartition::new(&tets.positions, &seeds);
    let partition = match arguments.radius {
        Some(radius) => partition.within(impact, radius),
        None => partition,
    };
    let pieces = whole.fracture(&partition);
    Ok(if pieces.is_empty() { vec![whole.clone()] } else { pieces })
}

fn look(piece: &Fragment) -> PieceMesh {
    let mesh = piece.surface_mesh();
    PieceMesh { is_watertight: mesh.is_watertight(), mesh, mass: piece.mass_properties() }
}
