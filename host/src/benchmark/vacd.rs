//! The suite `vacd`: blows on the arena (\[Mueller13\] Figures 1 and 7), and decompositions (Figure 10).

use std::time::Instant;

use glam::{DQuat, DVec3};
use rayon::prelude::*;

use super::{Row, median, median_milliseconds, milliseconds};
use crate::geometry::PolyMesh;
use crate::geometry::shapes::{self, Arena, Figure};
use crate::pattern::{Pattern, VoronoiPattern};
use crate::random::Random;
use crate::vacd::{
    AutoOptions, Compound, CompoundOptions, DecomposeOptions, FractureOptions, Part, PrepareOptions, decompose,
    decompose_auto, parts_of,
};

const SUITE: &str = "vacd";

/// How often the arena is hit.
const BLOWS: usize = 200;

/// How far each blow reaches, in metres.
const RADIUS: f64 = 0.5;

pub(super) fn run() -> Result<Vec<Row>, String> {
    let mut rows = arena()?;
    rows.extend(decompositions()?);
    Ok(rows)
}

fn arena() -> Result<Vec<Row>, String> {
    let solids = Arena::default().parts().map_err(|error| error.to_string())?;
    let clock = Instant::now();
    let options = PrepareOptions::overlapping();
    let parts: Result<Vec<Vec<Part>>, _> = solids.par_iter().map(|solid| parts_of(&solid.mesh, &options)).collect();
    let parts: Vec<Part> = parts.map_err(|error| error.to_string())?.into_iter().flatten().collect();
    let quarter: Vec<Part> = parts.iter().filter(|part| is_in_quarter(part.aabb().center())).cloned().collect();
    let joined = CompoundOptions { overlaps: true, ..CompoundOptions::default() };
    let mut whole = Compound::new(parts, &joined).map_err(|error| error.to_string())?;
    let prepared = milliseconds(clock);
    let quarter = Compound::new(quarter, &joined).map_err(|error| error.to_string())?;

    let pattern = VoronoiPattern { cells: 335, extent: 5.0, falloff: 2.5, ..VoronoiPattern::default() };
    let pattern = pattern.pattern().map_err(|error| error.to_string())?;
    let row = format!("arena, {} sub-meshes", solids.len());
    let mut rows = vec![
        Row::new(SUITE, row.clone(), "prepare", prepared, "ms"),
        Row::new(SUITE, row.clone(), "convexes and ghosts", whole.len() as f64, ""),
        Row::new(
            SUITE,
            row.clone(),
            "memory beyond visual meshes",
            whole.bytes() as f64 / whole.len() as f64,
            "B/convex",
        ),
    ];

    // The same blows on a quarter of the arena: what is not near must not matter.
    let aims: Vec<DVec3> = aims(&quarter, BLOWS / 4);
    let [on_quarter, on_whole] = [quarter, whole.clone()].map(|mut rest| strike(&mut rest, &pattern, &aims));
    let median_of = |blows: Result<Blows, String>| blows.map(|blows| blows.median());
    rows.push(
        Row::new(SUITE, row.clone(), "the same blows on all of it, median", median_of(on_whole)?, "ms")
            .against("on a quarter", median_of(on_quarter)?),
    );

    let aims = self::aims(&whole, BLOWS);
    let blows = strike(&mut whole, &pattern, &aims)?;
    let figure = |stage: &str, ours: f64, unit: &str| Row::new(SUITE, row.clone(), stage, ours, unit);
    rows.extend([
        figure("fracture, median", blows.median(), "ms"),
        Row { paper: Some(50.0), ..figure("fracture, maximum", blows.maximum(), "ms") },
        Row { paper: Some(20_000.0), ..figure("compounds in the end", (1 + blows.compounds) as f64, "") },
        Row { paper: Some(32_000.0), ..figure("convexes in them", blows.convexes as f64, "") },
    ]);
    rows.extend(blows.stages().map(|(stage, mean)| figure(&format!("{stage}, mean"), mean, "ms")));
    Ok(rows)
}

fn is_in_quarter(point: DVec3) -> bool {
    point.x > 0.0 && point.z > 0.0
}

/// Points of a compound that are hit: the middles of some of its parts.
fn aims(compound: &Compound, count: usize) -> Vec<DVec3> {
    let solid: Vec<DVec3> = compound
        .parts()
        .filter(|(_, part)| !part.is_ghost())
        .map(|(_, part)| part.mass_properties().centroid)
        .collect();
    let mut random = Random::new(7);
    (0..count).map(|_| solid[random.next_u64() as usize % solid.len()]).collect()
}

/// What some blows took and made.
struct Blows {
    /// The time of each step of each blow, in milliseconds.
    times: Vec<[f64; 4]>,
    compounds: usize,
    convexes: usize,
}

impl Blows {
    fn totals(&self) -> Vec<f64> {
        self.times.iter().map(|steps| steps.iter().sum()).collect()
    }

    fn median(&self) -> f64 {
        median(self.totals())
    }

    fn maximum(&self) -> f64 {
        self.totals().into_iter().fold(0.0, f64::max)
    }

    /// The mean time of each step.
    fn stages(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let mean = |stage: usize| self.times.iter().map(|steps| steps[stage]).sum::<f64>() / self.times.len() as f64;
        let names = crate::vacd::FractureTimes::default().rows().map(|(name, _)| name);
        let means: [f64; 4] = std::array::from_fn(mean);
        names.into_iter().zip(means)
    }
}

/// Hits a compound again and again.
fn strike(compound: &mut Compound, pattern: &Pattern, aims: &[DVec3]) -> Result<Blows, String> {
    let options = FractureOptions { radius: Some(RADIUS), ..FractureOptions::default() };
    let mut random = Random::new(11);
    let mut blows = Blows { times: Vec::new(), compounds: 0, convexes: 0 };
    for &aim in aims {
        let turn = DQuat::from_scaled_axis(std::f64::consts::PI * random.in_cube());
        let fractured = compound.fracture(&pattern.at(aim, turn), &options).map_err(|error| error.to_string())?;
        blows.times.push(fractured.times.rows().map(|(_, time)| 1e3 * time.as_secs_f64()));
        blows.compounds += fractured.pieces.len();
        let solid = fractured.pieces.iter().flat_map(Compound::parts).filter(|(_, part)| !part.is_ghost());
        blows.convexes += solid.count();
    }
    Ok(blows)
}

fn decompositions() -> Result<Vec<Row>, String> {
    let solid = |figure: Figure, triangles: u32| {
        shapes::figure(figure, triangles).map(|mesh| PolyMesh::from(&mesh)).map_err(|error| error.to_string())
    };
    let automatic = |mesh: &PolyMesh, cells: usize| {
        decompose_auto(mesh, cells, &AutoOptions::default()).map_err(|error| error.to_string())
    };
    let dragon = solid(Figure::Dragon, 80_000)?;
    // As an artist would: nodes in different limbs.
    let nodes: Vec<DVec3> =
        automatic(&dragon, 12)?.iter().take(12).map(|part| part.mass_properties().centroid).collect();
    let given = median_milliseconds(|| decompose(&dragon, &nodes, &DecomposeOptions::default()));
    let row = format!("dragon, {} triangles", dragon.face_count());
    let mut rows = vec![Row::new(SUITE, row, "decompose, 12 given nodes", given, "ms")];
    for (name, figure) in [("dragon", Figure::Dragon), ("senator", Figure::Senator), ("rabbit", Figure::Rabbit)] {
        let mesh = solid(figure, 100_000)?;
        let mut parts = Ok(Vec::new());
        let time = median_milliseconds(|| parts = automatic(&mesh, 32));
        let around: f64 = parts?.iter().map(|part| part.convex().mass_properties().volume).sum();
        let ratio = around / mesh.mass_properties().volume;
        let row = format!("{name}, {} triangles", mesh.face_count());
        rows.push(Row::new(SUITE, row.clone(), "decompose, 32 automatic cells", time, "ms"));
        rows.push(Row::new(SUITE, row, "volume of its convexes", ratio, "x solid"));
    }
    Ok(rows)
}
