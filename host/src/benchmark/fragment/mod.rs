//! The suite `fragment`: \[Glondu12\] Tables 2 and 3, the sphere of section 6, the plate of Figure 5, and Rapier's own colliders.

mod peers;
mod plate;

use std::ops::ControlFlow;
use std::path::Path;

use glam::DVec3;

use super::{Row, median, median_milliseconds};
use crate::fragment::{
    Fragment, MesherOptions, PairMemory, QueryOptions, QueryScratch, SeedPartition, Solid, SolidOptions,
    maximum_distance_order, tetrahedralise,
};
use crate::geometry::{Pose, shapes};
use crate::random::Random;
use crate::scene::{self, RunOptions, RunSummary, Scene};

const SUITE: &str = "fragment";

/// A scene, and what the paper says of it: fragments, contacts, colliding points, and milliseconds of collision detection, each
/// as mean and maximum.
struct Benchmark {
    name: &'static str,
    text: &'static str,
    fragments: f64,
    contacts: f64,
    colliding: Option<f64>,
    detection: [f64; 2],
}

const SCENES: [Benchmark; 5] = [
    Benchmark {
        name: "piggy_bank",
        text: include_str!("../../../../scenes/piggy_bank.toml"),
        fragments: 14.0,
        contacts: 93.0,
        colliding: Some(290.0),
        detection: [1.74, 9.46],
    },
    Benchmark {
        name: "drop_bunnies",
        text: include_str!("../../../../scenes/drop_bunnies.toml"),
        fragments: 166.0,
        contacts: 1235.0,
        colliding: Some(4993.0),
        detection: [23.0, 70.0],
    },
    Benchmark {
        name: "bricks",
        text: include_str!("../../../../scenes/bricks.toml"),
        fragments: 156.0,
        contacts: 671.0,
        colliding: Some(1334.0),
        detection: [10.7, 27.3],
    },
    Benchmark {
        name: "plates",
        text: include_str!("../../../../scenes/plates.toml"),
        fragments: 44.0,
        contacts: 309.0,
        colliding: None,
        detection: [6.78, 12.2],
    },
    Benchmark {
        name: "interactive_bunnies",
        text: include_str!("../../../../scenes/interactive_bunnies.toml"),
        fragments: 22.0,
        contacts: 326.0,
        colliding: None,
        detection: [1.64, 4.0],
    },
];

pub(super) fn run() -> Result<Vec<Row>, String> {
    let mut rows = sphere()?;
    rows.push(ordering());
    for scene in &SCENES {
        rows.extend(table(scene)?);
    }
    rows.extend(plate::rows()?);
    rows.extend(peers::rows()?);
    Ok(rows)
}

/// Maximum-distance ordering (5.1).
fn ordering() -> Row {
    let mut random = Random::new(1);
    let points: Vec<DVec3> = (0..10_000).map(|_| random.in_cube()).collect();
    let time = median_milliseconds(|| maximum_distance_order(&points));
    Row::new(SUITE, "10,000 points", "maximum-distance ordering", time, "ms")
}

fn of_paper(row: Row, paper: f64) -> Row {
    Row { paper: Some(paper), ..row }
}

/// A scene on one thread, as the paper's.
fn table(benchmark: &Benchmark) -> Result<Vec<Row>, String> {
    let scene = Scene::parse(benchmark.text, Path::new("scenes")).map_err(|error| error.to_string())?;
    let summary = on_one_thread(|| run_scene(&scene))??;
    Ok(benchmark.rows(&summary))
}

/// What a run found beside what the paper says of its scene, if it does.
pub(super) fn beside_the_paper(summary: &RunSummary) -> Option<Vec<Row>> {
    SCENES.iter().find(|benchmark| benchmark.name == summary.scene).map(|benchmark| benchmark.rows(summary))
}

impl Benchmark {
    fn rows(&self, summary: &RunSummary) -> Vec<Row> {
        let statistics = &summary.statistics;
        let stage = |name: &str| {
            let found = statistics.rows().find(|(stage, _)| *stage == name);
            found.map_or([0.0; 2], |(_, milliseconds)| [milliseconds.0.mean(), milliseconds.0.max])
        };
        let [broad, narrow] = [stage("broad"), stage("narrow")];
        let of = |stage: &str, value: f64, unit: &str| Row::new(SUITE, summary.scene.clone(), stage, value, unit);
        let [mean, most] = self.detection;
        let mut rows = vec![
            of_paper(of("collision detection, mean", broad[0] + narrow[0], "ms"), mean),
            of_paper(of("collision detection, max", broad[1] + narrow[1], "ms"), most),
            of("longest narrow phase over its mean", narrow[1] / narrow[0], ""),
            of_paper(of("contacts, mean", statistics.contacts.mean(), ""), self.contacts),
            of("fracture and update, max", stage("fracture")[1], "ms"),
            of("response, mean", stage("response")[0], "ms"),
            of_paper(of("fragments", statistics.fragments as f64, ""), self.fragments),
        ];
        if let Some(colliding) = self.colliding {
            rows.push(of_paper(
                of("overlapping points that the solver sees, mean", statistics.colliding_points.mean(), ""),
                colliding,
            ));
        }
        rows
    }
}

fn on_one_thread<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| error.to_string())?;
    Ok(pool.install(work))
}

fn run_scene(scene: &Scene) -> Result<RunSummary, String> {
    scene::run(scene, &RunOptions::default(), |_| ControlFlow::Continue(())).map_err(|error| error.to_string())
}

/// The reference sphere: the paper's has 2,500 triangles and 4,000 interior points, ours more triangles at as many points.
fn sphere() -> Result<Vec<Row>, String> {
    let surface = shapes::Sphere { radius: 1.0, frequency: 16 }.mesh().map_err(|error| error.to_string())?;
    let options = MesherOptions { cell: Some(0.125), ..MesherOptions::default() };
    let meshed = tetrahedralise(&surface, &options).map_err(|error| error.to_string())?;
    let solid = Solid::new(&meshed.mesh, &SolidOptions::default()).map_err(|error| error.to_string())?;
    let whole = Fragment::whole(&solid);
    let seeds = [DVec3::new(0.3, 0.4, 0.1), DVec3::new(-0.4, 0.1, 0.2), DVec3::new(0.0, -0.5, -0.3)];
    let partition = SeedPartition::new(solid.positions(), &seeds);
    let pieces = whole.fracture(&partition);
    let triangles = meshed.report.surface_triangles;
    // A closed surface like a ball has two more vertices than half its triangles.
    let name = format!("sphere, {triangles} triangles, {} interior points", solid.node_count() - triangles / 2 - 2);
    let updates = median((0..50).map(|_| 1e3 * whole.fracture_timed(&partition).1.as_secs_f64()).collect());
    let total = median_milliseconds(|| whole.fracture(&partition));
    let mut scratch = QueryScratch::default();
    let options = QueryOptions::for_radius(solid.radius());
    // With all contacts that are deep, for the first time, and again and again as in a simulation.
    let [mut all, mut first, mut again] = [Vec::new(), Vec::new(), Vec::new()];
    for (number, one) in pieces.iter().enumerate() {
        for other in &pieces[..number] {
            for overlap in [0.0, 0.001, 0.01] {
                let way = other.mass_properties().centroid - one.mass_properties().centroid;
                // The one moves towards the other, into it.
                let pose = Pose::at(overlap * way.normalize_or_zero());
                let mut contacts = Vec::new();
                all.push(median_milliseconds(|| {
                    contacts.clear();
                    one.contacts(other, &pose, options, &mut scratch, &mut contacts);
                }));
                let mut ask = |memory: &mut PairMemory| {
                    let mut found = [Vec::new(), Vec::new()];
                    one.query_pair(other, &pose.inverse(), [options; 2], memory, &mut scratch, &mut found);
                    found
                };
                first.push(median_milliseconds(|| ask(&mut PairMemory::default())));
                let mut memory = PairMemory::default();
                again.push(median_milliseconds(|| ask(&mut memory)));
            }
        }
    }
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len().max(1) as f64;
    let most = |times: &[f64]| times.iter().copied().fold(0.0, f64::max);
    let of = |stage: &str, value: f64| Row::new(SUITE, name.clone(), stage, value, "ms");
    Ok(vec![
        of_paper(of("update of fields, trees and masks upon fracture", updates), 1.54),
        of("the whole fracture", total),
        of_paper(of("query of two pieces again and again, mean", mean(&again)), 1.16),
        of_paper(of("query of two pieces again and again, max", most(&again)), 3.27),
        of("first query of two pieces, mean", mean(&first)),
        of("first query of two pieces, max", most(&first)),
        of("all deep contacts of two pieces at once, mean", mean(&all)),
    ])
}
