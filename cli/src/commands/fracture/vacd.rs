//! Breaking by convexes (\[Mueller13\]).

use fracas::export::{PieceMesh, crease_normals, piece_mesh};
use fracas::geometry::{Aabb, PolyMesh, TriMesh};
use fracas::vacd::{
    AutoOptions, Compound, CompoundOptions, DecomposeError, DecomposeOptions, FractureOptions, Roughness, decompose,
    decompose_auto, solids,
};
use glam::DVec3;
use rayon::prelude::*;

use super::{Outcome, PieceFigures};
use crate::arguments::{Backend, FractureArguments};
use crate::failure::Failure;
use crate::pattern::Target;
use crate::pieces::{Looks, material_numbers, write_pieces};
use crate::solid::{read_mesh, read_nodes};
use crate::stages::Clock;

/// Edges of the mesh that turn more than this many degrees are drawn sharp.
const CREASE: f64 = 40.0;

/// With a convex for each so many tests of a triangle against a cell of the pattern, cells have to look at less of the
/// mesh each. Below that, the time for the decomposition would not come back; and pieces without inner walls are worth
/// more to who draws them.
const TESTS_PER_CUT: usize = 10_000_000;

/// What a solid is divided into at most without being asked; and for a local blow, so that the rest holds together where
/// it really does.
const CELLS: usize = 12;

/// A piece, or what is left of a solid.
struct Piece {
    name: String,
    compound: Compound,
    fragment_of: usize,
}

/// Reads, breaks and writes.
pub(super) fn break_mesh(arguments: &FractureArguments) -> Result<Outcome, Failure> {
    if arguments.level.is_some() || arguments.coarser_islands.is_some() {
        return Err(Failure::Input(
            "--level and --coarser-islands are for voxels; --method vacd has none (--method svo does)".to_owned(),
        ));
    }
    if arguments.backend == Backend::Cuda {
        return Err(Failure::Input(
            "--method vacd does not run on CUDA devices (leave --backend out, or take --method svo)".to_owned(),
        ));
    }
    let mut clock = Clock::new();
    let given = arguments.nodes.as_deref().map(read_nodes).transpose()?;
    let (mesh, changes) = read_mesh(&arguments.input, arguments.repair)?;
    clock.lap("read");
    let about = |failure: Failure| failure.about(&arguments.input);
    let refuse = |error: DecomposeError| about(unfit(&error, arguments.repair));
    let bodies = solids(&solid_mesh(&mesh)).map_err(refuse)?;
    clock.lap("solids");
    let divisions = divisions_of(&bodies, given.as_deref(), arguments).map_err(about)?;
    let options = DecomposeOptions { fit: arguments.fit.unwrap_or_default(), ..DecomposeOptions::default() };
    let automatic = AutoOptions { parts: options.clone(), ..AutoOptions::default() };
    let divide = |(body, division): (&PolyMesh, &Division)| {
        let parts = match division {
            Division::Nodes(nodes) => decompose(body, nodes, &options),
            Division::Cells(count) => decompose_auto(body, *count, &automatic),
        };
        Compound::new(parts.map_err(Failure::input)?, &CompoundOptions::default()).map_err(Failure::input)
    };
    let wholes: Vec<Compound> =
        bodies.par_iter().zip(&divisions).map(divide).collect::<Result<_, _>>().map_err(about)?;
    let convexes = wholes.iter().map(Compound::len).sum();
    clock.lap("decompose");

    let bounds = bodies.iter().fold(Aabb::EMPTY, |all, body| all.union(body.aabb()));
    let impact = arguments.impact.unwrap_or_else(|| bounds.center());
    let target = Target { bounds, impact, radius: arguments.radius };
    let (mut pattern, map) = arguments.pattern.around(&target, arguments.seed).map_err(Failure::input)?;
    if let Some(groups) = arguments.colors {
        pattern = pattern.colored(groups, arguments.seed).map_err(Failure::input)?;
    }
    let pattern = pattern.aligned(map).map_err(Failure::input)?;
    clock.lap("pattern");

    let options = FractureOptions {
        radius: arguments.radius,
        fit: arguments.fit.unwrap_or_default(),
        ..FractureOptions::default()
    };
    let (mut rests, mut pieces) = (Vec::new(), Vec::new());
    let (mut dropped, mut dropped_volume, mut broken) = (0, 0.0, false);
    for (number, mut compound) in wholes.into_iter().enumerate() {
        let fractured = compound.fracture(&pattern, &options).map_err(Failure::input).map_err(about)?;
        dropped += fractured.dropped;
        dropped_volume += fractured.dropped_volume;
        broken |= fractured.is_broken();
        for (stage, time) in fractured.times.rows() {
            clock.add(stage, 1e3 * time.as_secs_f64());
        }
        rests.extend((!compound.is_empty()).then_some((compound, number)));
        pieces.extend(fractured.pieces.into_iter().map(|piece| (piece, number)));
    }
    let pieces = named(rests, pieces, arguments.radius.is_some() && broken);
    clock.restart();

    let roughness = arguments.roughness.map(|bumps| Roughness {
        amplitude: bumps.amplitude,
        frequency: bumps.frequency,
        seed: arguments.seed,
    });
    let meshes: Vec<PieceMesh> =
        pieces.par_iter().map(|piece| piece_mesh(&piece.compound, roughness.as_ref())).collect();
    clock.lap("meshes");
    let figures_of =
        |(piece, mesh): (&Piece, &PieceMesh)| PieceFigures::new(piece.name.clone(), mesh, piece.fragment_of);
    let figures: Vec<PieceFigures> = pieces.iter().zip(&meshes).map(figures_of).collect();
    let names: Vec<String> = pieces.into_iter().map(|piece| piece.name).collect();
    let extras = figures.iter().map(|figures| serde_json::to_value(figures).unwrap_or_default()).collect();
    write_pieces(&arguments.out, Looks { names, meshes, extras, density: arguments.density, original: &mesh })?;
    clock.lap("write");

    let input_volume: f64 = bodies.iter().map(|body| body.mass_properties().volume).sum();
    let volume: f64 = figures.iter().map(|piece| piece.volume).sum();
    Ok(Outcome {
        pieces: figures,
        input_volume,
        volume_error: (volume - input_volume).abs() / input_volume,
        dropped,
        dropped_volume,
        broken,
        convexes: Some(convexes),
        voxels: None,
        quality: None,
        changes,
        milliseconds: clock.finish(),
    })
}

/// Why a mesh does not break; to repair it is no advice to who has done so.
fn unfit(error: &DecomposeError, is_repaired: bool) -> Failure {
    match error {
        DecomposeError::NotSolid { problem } if is_repaired => {
            let problem = problem.split(';').next().unwrap_or_default();
            Failure::Input(format!("even repaired it is no solid: {problem}; --method svo needs no closed surface"))
        }
        _ => Failure::input(error),
    }
}

/// The mesh for cutting, with normals if the file has none: those of what is cut would be others.
fn solid_mesh(mesh: &TriMesh) -> PolyMesh {
    let mut solid = PolyMesh::from(mesh);
    if solid.corner_normals.is_none() {
        solid.corner_normals = Some(crease_normals(mesh, CREASE));
    }
    // Numbers are for the file; here they are places in a list, so that none has a bit that means something else.
    let known = material_numbers(mesh);
    let place = |material: &u32| known.binary_search(material).unwrap_or(0) as u32;
    solid.materials = solid.materials.iter().map(place).collect();
    solid
}

/// How a solid is divided before it breaks.
enum Division {
    Nodes(Vec<DVec3>),
    Cells(usize),
}

/// How each solid is divided.
fn divisions_of(
    bodies: &[PolyMesh],
    given: Option<&[DVec3]>,
    arguments: &FractureArguments,
) -> Result<Vec<Division>, Failure> {
    if let Some(nodes) = given {
        let boxes: Vec<Aabb> = bodies.iter().map(PolyMesh::aabb).collect();
        if let Some(node) = nodes.iter().find(|&&node| !boxes.iter().any(|bounds| bounds.contains(node))) {
            return Err(Failure::Input(format!("the node at {node} is in the box of no solid of the mesh")));
        }
        let inside = |bounds: &Aabb| nodes.iter().copied().filter(|&node| bounds.contains(node)).collect();
        return Ok(boxes.iter().map(inside).map(Division::Nodes).collect());
    }
    let faces: usize = bodies.iter().map(PolyMesh::face_count).sum();
    let tests = faces.saturating_mul(arguments.pattern.cell_count());
    let enough = if arguments.radius.is_some() { CELLS } else { CELLS.min(1 + tests / TESTS_PER_CUT) };
    let count = arguments.auto.map_or(enough, |count| count as usize);
    let volumes: Vec<f64> = bodies.iter().map(|body| body.mass_properties().volume).collect();
    let all: f64 = volumes.iter().sum();
    Ok(volumes.iter().map(|volume| Division::Cells((count as f64 * volume / all).round() as usize)).collect())
}

/// Pieces with their names: first what is left of the solids, then what broke off.
fn named(rests: Vec<(Compound, usize)>, pieces: Vec<(Compound, usize)>, has_rest: bool) -> Vec<Piece> {
    let rest_count = rests.len();
    let name = |number: usize| match number {
        0 if has_rest && rest_count > 0 => "rest".to_owned(),
        _ if has_rest && number < rest_count => format!("rest_{number}"),
        _ => format!("piece_{number}"),
    };
    let all = rests.into_iter().chain(pieces).enumerate();
    all.map(|(number, (compound, fragment_of))| Piece { name: name(number), compound, fragment_of }).collect()
}
