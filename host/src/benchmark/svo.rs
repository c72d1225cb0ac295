//! The suite `svo`: \[Domaradzki16\] Table 1, stage by stage.

use std::time::Duration;

use glam::DVec3;

use super::svo_physics::physics;
use super::{Row, median, median_milliseconds};
use crate::device::{Cpu, SharedBackend};
use crate::geometry::TriMesh;
use crate::geometry::shapes::{Column, Figure, figure};
use crate::pattern::SpherePattern;
use crate::svo::{
    FractureOptions, FractureTimes, Fractured, Lattice, Seeds, Tree, VoxeliseOptions, ray_errors, surface_voxels,
    voxelise,
};

const SUITE: &str = "svo";

/// How often each fracture is done before it is measured: the first ones wait for the system's memory.
const WARM_UP: usize = 2;

/// How often each fracture is measured.
const ROUNDS: usize = 7;

/// A line of the paper's table: extraction, sorting, islands, building, internal nodes, in milliseconds.
struct Scene {
    name: &'static str,
    level: u32,
    seeds: u32,
    /// How far a local fracture reaches, as a part of the largest extent.
    local: Option<f64>,
    paper: [f64; 5],
}

const BUNNY: [Scene; 3] = [
    Scene { name: "rabbit", level: 8, seeds: 90, local: None, paper: [2.5, 1.1, 2.7, 4.1, 2.5] },
    Scene { name: "rabbit", level: 9, seeds: 90, local: None, paper: [6.4, 2.5, 9.2, 5.9, 6.7] },
    Scene { name: "rabbit", level: 10, seeds: 90, local: None, paper: [21.0, 10.4, 40.1, 13.8, 25.5] },
];
const COLUMNS: [Scene; 1] =
    [Scene { name: "column", level: 10, seeds: 70, local: None, paper: [17.5, 9.5, 38.8, 11.8, 22.2] }];
const BUDDHA: [Scene; 1] =
    [Scene { name: "statue", level: 10, seeds: 40, local: Some(0.25), paper: [5.1, 3.4, 12.9, 6.3, 17.6] }];
const DRAGONS: [Scene; 3] = [
    Scene { name: "dragon", level: 9, seeds: 15, local: None, paper: [2.1, 1.7, 6.8, 4.5, 7.0] },
    Scene { name: "dragon", level: 9, seeds: 35, local: None, paper: [2.5, 2.1, 7.3, 4.9, 7.7] },
    Scene { name: "dragon", level: 9, seeds: 50, local: None, paper: [2.7, 2.2, 8.5, 5.4, 8.8] },
];

pub(super) fn run() -> Result<Vec<Row>, String> {
    let rabbit = solid(Figure::Rabbit)?;
    let mut rows = voxelising(&rabbit)?;
    rows.extend(table(&rabbit, &SharedBackend::new(Cpu))?);
    rows.extend(physics(SUITE, None)?);
    Ok(rows)
}

/// Fractures and collisions; surfaces are made into voxels on the CPU alone.
pub(super) fn run_on(backend: &SharedBackend) -> Result<Vec<Row>, String> {
    let mut rows = table(&solid(Figure::Rabbit)?, backend)?;
    rows.extend(physics(SUITE, Some(backend))?);
    Ok(rows)
}

fn solid(kind: Figure) -> Result<TriMesh, String> {
    figure(kind, 70_000).map_err(|error| error.to_string())
}

/// The fractures of the paper's table.
fn table(rabbit: &TriMesh, backend: &SharedBackend) -> Result<Vec<Row>, String> {
    let column = Column::default().mesh().map_err(|error| error.to_string())?;
    let mut rows = fractures(rabbit, &BUNNY, backend)?;
    rows.extend(fractures(&column, &COLUMNS, backend)?);
    rows.extend(fractures(&solid(Figure::Statue)?, &BUDDHA, backend)?);
    rows.extend(fractures(&solid(Figure::Dragon)?, &DRAGONS, backend)?);
    Ok(rows)
}

fn voxelising(mesh: &TriMesh) -> Result<Vec<Row>, String> {
    let row = format!("rabbit, {} triangles, 1024^3", mesh.triangles.len());
    let (_, codes) = surface_voxels(mesh, 10).map_err(|error| error.to_string())?;
    let surface = median_milliseconds(|| surface_voxels(mesh, 10));
    let options = VoxeliseOptions { level: 10, ..VoxeliseOptions::default() };
    let tree = median_milliseconds(|| voxelise(mesh, &options));
    let coarse = VoxeliseOptions { level: 8, ..options };
    let (_, coarse) = voxelise(mesh, &coarse).map_err(|error| error.to_string())?;
    let wrong = 100.0 * ray_errors(&coarse).share();
    Ok(vec![
        Row::new(SUITE, row.clone(), "surface voxels", codes.len() as f64, ""),
        Row::new(SUITE, row.clone(), "voxelise the surface", surface, "ms"),
        Row::new(SUITE, row.clone(), "the octree with its inside", tree, "ms"),
        Row::new(SUITE, row, "nodes that the paper's rays get wrong, level 8", wrong, "%"),
    ])
}

fn fractures(mesh: &TriMesh, scenes: &[Scene], backend: &SharedBackend) -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    let mut voxelised: Option<(Lattice, Tree)> = None;
    for scene in scenes {
        if voxelised.as_ref().is_none_or(|(lattice, _)| lattice.level != scene.level) {
            let options = VoxeliseOptions { level: scene.level, ..VoxeliseOptions::default() };
            voxelised = Some(voxelise(mesh, &options).map_err(|error| error.to_string())?);
        }
        if let Some((lattice, tree)) = &voxelised {
            let seeds = seeds(mesh, lattice, scene)?;
            rows.extend(fracture(tree, &seeds, scene, backend)?);
        }
    }
    Ok(rows)
}

/// A stage: its name, the paper's figure and how to read ours.
type Stage = (&'static str, f64, fn(&FractureTimes) -> Duration);

fn fracture(tree: &Tree, seeds: &Seeds, scene: &Scene, backend: &SharedBackend) -> Result<Vec<Row>, String> {
    let mut times = Vec::new();
    let mut last = None;
    for round in 0..WARM_UP + ROUNDS {
        // One at a time, because a program keeps one.
        drop(last.take());
        let fractured =
            backend.fracture(tree, seeds, &FractureOptions::default()).map_err(|error| error.to_string())?;
        if round >= WARM_UP {
            times.push(fractured.times);
        }
        last = Some(fractured);
    }
    let Some(Fractured { pieces, voxels, .. }) = last else { return Ok(Vec::new()) };
    let median = |time: fn(&FractureTimes) -> Duration| {
        median(times.iter().map(|round| 1e3 * time(round).as_secs_f64()).collect())
    };
    let row = format!("{}, level {}, {} seeds", scene.name, scene.level, scene.seeds);
    let [extraction, sorting, islands, building, internal] = scene.paper;
    let stages: [Stage; 5] = [
        ("extraction", extraction, |times| times.extraction),
        ("sorting", sorting, |times| times.sorting),
        ("islands", islands, |times| times.islands),
        ("building, internal nodes", building + internal, |times| times.building),
        ("total", scene.paper.iter().sum(), FractureTimes::total),
    ];
    let staged = |(stage, paper, time): Stage| Row {
        paper: Some(paper),
        ..Row::new(SUITE, row.clone(), stage, median(time), "ms")
    };
    let mut rows: Vec<Row> = stages.into_iter().map(staged).collect();
    let bytes: usize = pieces.iter().map(Tree::bytes).sum();
    let rate = voxels as f64 / median(|times| times.islands) / 1e3;
    rows.extend([
        Row::new(SUITE, row.clone(), "islands", rate, "M voxels/s"),
        Row::new(SUITE, row.clone(), "pieces", pieces.len() as f64, ""),
        Row::new(SUITE, row.clone(), "boundary voxels", voxels as f64, ""),
        Row::new(SUITE, row.clone(), "bytes", bytes as f64 / voxels as f64, "B/voxel"),
    ]);
    rows.extend(peak_memory().map(|bytes| Row::new(SUITE, row, "peak memory so far", bytes / 1e6, "MB")));
    Ok(rows)
}

/// The most memory that the process has had, in bytes, where the system tells.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = peak.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024.0 * kilobytes)
}

/// Seeds on spheres around the point of the surface that is in front of the middle.
fn seeds(mesh: &TriMesh, lattice: &Lattice, scene: &Scene) -> Result<Seeds, String> {
    let front = mesh.aabb().center() + DVec3::new(0.0, 0.0, 0.5 * mesh.aabb().size().z);
    let distance = |point: &DVec3| point.distance_squared(front);
    let impact = mesh.positions.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or_default();
    let extent = mesh.aabb().largest();
    let pattern = SpherePattern { cells: scene.seeds, spheres: 5, radius: 0.5 * extent, extent, ..Default::default() };
    let points = pattern.seeds().map_err(|error| error.to_string())?;
    let points: Vec<DVec3> = points.into_iter().map(|point| impact + point).collect();
    let seeds = match scene.local {
        Some(part) => Seeds::local(lattice, &points, impact, part * extent),
        None => Seeds::new(lattice, &points),
    };
    seeds.map_err(|error| error.to_string())
}
