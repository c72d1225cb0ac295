//! Breaking by voxels (\[Domaradzki16\]).

use fracas::export::PieceMesh;
use fracas::geometry::MassProperties;
use fracas::random::Random;
use fracas::svo::{FractureOptions, Lattice, Seeds, Tree, VoxeliseOptions, mass_properties, smooth_surface};
use glam::DVec3;
use rayon::prelude::*;

use super::{Outcome, write};
use crate::arguments::FractureArguments;
use crate::backend;
use crate::failure::Failure;
use crate::pattern::Target;
use crate::solid::read_mesh;
use crate::stages::Clock;

/// Reads, breaks and writes.
pub(super) fn break_mesh(arguments: &FractureArguments) -> Result<Outcome, Failure> {
    let convexes = [
        ("--auto", arguments.auto.is_some()),
        ("--nodes", arguments.nodes.is_some()),
        ("--fit", arguments.fit.is_some()),
        ("--roughness", arguments.roughness.is_some()),
    ];
    if let Some((option, _)) = convexes.iter().find(|(_, is_given)| *is_given) {
        return Err(Failure::Input(format!(
            "{option} is for convexes; --method svo has none (leave it out, or take --method vacd)"
        )));
    }
    if arguments.radius.is_some() && arguments.colors.is_some() {
        return Err(Failure::Input(
            "--radius and --colors are not for --method svo together: what is beyond the radius is one piece"
                .to_owned(),
        ));
    }
    let backend = backend::open_any(arguments.backend)?;
    let mut clock = Clock::new();
    let (mesh, changes) = read_mesh(&arguments.input, arguments.repair)?;
    clock.lap("read");
    let defaults = VoxeliseOptions::default();
    let options = VoxeliseOptions { level: arguments.level.unwrap_or(defaults.level), ..defaults };
    let about = |failure: Failure| failure.about(&arguments.input);
    let (lattice, tree) = backend.voxelise(&mesh, &options).map_err(Failure::input).map_err(about)?;
    clock.lap("voxelise");
    let seeds = seeds(arguments, &lattice, &mesh)?;
    clock.lap("pattern");
    let coarser_islands = arguments.coarser_islands.unwrap_or_default();
    let options = FractureOptions { coarser_islands, ..FractureOptions::default() };
    let fractured = backend.fracture(&tree, &seeds, &options).map_err(Failure::input)?;
    for (stage, time) in fractured.times.rows() {
        clock.add(stage, 1e3 * time.as_secs_f64());
    }
    clock.restart();
    let has_colors = mesh.colors.is_some();
    let look = |piece: &Tree| look(piece, &lattice, has_colors);
    let meshes: Vec<PieceMesh> = fractured.pieces.par_iter().map(look).collect();
    clock.lap("meshes");
    let broken = meshes.len() > 1;
    let name = |number: usize| match arguments.radius.is_some() && broken && fractured.cells[number] == 0 {
        true if number == 0 => "rest".to_owned(),
        true => format!("rest_{number}"),
        false => format!("piece_{number}"),
    };
    let figures = write(&arguments.out, meshes, name, &mesh, arguments.density)?;
    clock.lap("write");

    let input_volume = mass_properties(&tree, &lattice).volume;
    let volume: f64 = figures.iter().map(|piece| piece.volume).sum();
    Ok(Outcome {
        pieces: figures,
        input_volume,
        volume_error: (volume - input_volume).abs() / input_volume,
        dropped: 0,
        dropped_volume: 0.0,
        broken,
        convexes: None,
        voxels: Some(fractured.voxels),
        quality: None,
        changes,
        milliseconds: clock.finish(),
    })
}

/// The pattern's seeds around the impact; with a radius, those farther away make one piece.
fn seeds(arguments: &FractureArguments, lattice: &Lattice, mesh: &fracas::geometry::TriMesh) -> Result<Seeds, Failure> {
    let bounds = mesh.aabb();
    let impact = arguments.impact.unwrap_or_else(|| bounds.center());
    let target = Target { bounds, impact, radius: arguments.radius };
    let points = arguments.pattern.seeds(&target, arguments.seed).map_err(Failure::Input)?;
    let seeds = match (arguments.radius, arguments.colors) {
        (Some(radius), _) => Seeds::local(lattice, &points, impact, radius),
        (None, Some(groups)) => {
            let mut random = Random::new(arguments.seed);
            let mut group = |point: DVec3| (point, (random.next_u64() % u64::from(groups)) as u32);
            Seeds::with_cells(lattice, points.into_iter().map(&mut group))
        }
        (None, None) => Seeds::new(lattice, &points),
    };
    seeds.map_err(Failure::input)
}

fn look(piece: &Tree, lattice: &Lattice, has_colors: bool) -> PieceMesh {
    let mut mesh = smooth_surface(piece, lattice, piece.level());
    if !has_colors {
        mesh.colors = None;
    }
    let mass: MassProperties = mass_properties(piece, lattice);
    PieceMesh { is_watertight: mesh.is_watertight(), mesh, mass }
}
