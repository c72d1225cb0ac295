//! Random fractures of many shapes, repeated on the pieces five levels deep: every piece closed, no face turned over, and
//! the volumes together that of the whole. `cargo xtask soak vacd` runs 100,000 of them, the test suite a few hundred.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use fracas::geometry::{Aabb, Convex, PolyMesh, ReportOptions, TriMesh, io, mesh_report, shapes};
use fracas::pattern::{Pattern, SpherePattern, VoronoiPattern, WebPattern};
use fracas::random::Random;
use fracas::vacd::{Compound, CompoundOptions, DecomposeOptions, Fit, FractureOptions, Part, decompose};
use glam::{DAffine3, DMat3, DQuat, DVec3};
use rayon::prelude::*;

/// How many fractures are made, unless the environment says otherwise.
const QUICK: usize = 400;

const LEVELS: usize = 5;

#[test]
fn random_fractures_keep_every_piece_closed_and_every_volume() {
    let wanted = std::env::var("FRACAS_SOAK").ok().and_then(|text| text.parse().ok()).unwrap_or(QUICK);
    let solids = solids(wanted > QUICK);
    let patterns = patterns();
    let (fractures, pieces) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let trials: Vec<u64> = (0..wanted.div_ceil(LEVELS) as u64).collect();
    trials.par_iter().for_each(|&trial| {
        let mut random = Random::new(trial);
        let (name, solid) = &solids[trial as usize % solids.len()];
        let mut compound = solid.clone();
        let size = solid.aabb().diagonal();
        for level in 0..LEVELS {
            let label = format!("trial {trial} ({name}), level {level}");
            let pattern = &patterns[random.next_u64() as usize % patterns.len()];
            let report = fracture_and_check(&compound, pattern, &mut random, size, &label);
            fractures.fetch_add(1, Ordering::Relaxed);
            pieces.fetch_add(report.len(), Ordering::Relaxed);
            // The larger of two at random, so that there is something left to break on every level.
            let choice = [0, 1].map(|_| random.next_u64() as usize % report.len());
            let best = choice.into_iter().max_by(|&a, &b| report[a].volume().total_cmp(&report[b].volume())).unwrap();
            compound = report[best].clone();
            if random.unit() < 0.5 {
                compound = compound.clone().centered_at(compound.mass_properties().centroid);
            }
        }
        let done = fractures.load(Ordering::Relaxed);
        if wanted > QUICK && trial % 1000 == 0 {
            println!("{done} fractures, {} pieces", pieces.load(Ordering::Relaxed));
        }
    });
    println!("{} fractures of {} solids made {} pieces", fractures.into_inner(), solids.len(), pieces.into_inner());
}

/// Breaks a compound at a random place, holds the result to what must be true, and gives back all that is left.
fn fracture_and_check(
    whole: &Compound,
    pattern: &Pattern,
    random: &mut Random,
    first_size: f64,
    label: &str,
) -> Vec<Compound> {
    let bounds = whole.aabb();
    let size = bounds.diagonal();
    let impact = if random.unit() < 0.3 {
        let (_, part) = whole.parts().nth(random.next_u64() as usize % whole.len()).unwrap();
        part.convex().vertices()[random.next_u64() as usize % part.convex().vertices().len()]
    } else {
        bounds.center() + 0.5 * random.in_cube() * bounds.size()
    };
    // The pattern's own axes, or any; stretched, or not.
    let rotation = if random.unit() < 0.2 { DQuat::IDENTITY } else { DQuat::from_scaled_axis(3.0 * random.in_cube()) };
    let stretch = if random.unit() < 0.3 { DVec3::ONE + 0.5 * random.in_cube() } else { DVec3::ONE };
    let scale = size * (0.2 + random.unit());
    let map = DMat3::from_quat(rotation) * DMat3::from_diagonal(stretch * scale);
    let aligned = pattern.aligned(DAffine3::from_mat3_translation(map, impact)).unwrap();
    let options = FractureOptions {
        radius: (random.unit() < 0.6).then(|| size * (0.05 + 0.4 * random.unit())),
        fit: [Fit::Aabb, Fit::Dop14, Fit::Dop26][random.next_u64() as usize % 3],
        material: 3,
    };
    let mut rest = whole.clone();
    let fractured = rest.fracture(&aligned, &options).unwrap();
    let all: Vec<Compound> =
        [rest].into_iter().filter(|rest| !rest.is_empty()).chain(fractured.pieces.iter().cloned()).collect();
    let before = whole.volume();
    let after: f64 = all.iter().map(Compound::volume).sum::<f64>() + fractured.dropped_volume;
    assert!((after - before).abs() <= 1e-9 * before, "{label}: {before} became {after} ({options:?})");
    for compound in &all {
        check(compound, first_size, label);
    }
    all
}

/// `size` is that of the first whole: what was rounded at its coordinates stays so when a piece gets its own.
fn check(compound: &Compound, size: f64, label: &str) {
    assert_eq!(compound.islands().len(), 1, "{label}: a piece in parts");
    let mut solids = 0;
    for (number, part) in compound.parts() {
        let surface = part.convex().surface();
        let largest = surface.positions.iter().fold(0.1 * size, |largest, p| largest.max(p.abs().max_element()));
        assert!(surface.is_watertight(), "{label}: convex {number} is open");
        for (face, plane) in part.convex().planes().iter().enumerate() {
            let area = surface.vector_area(face);
            assert!(
                area.dot(plane.normal) > -1e-11 * largest * area.length().max(1e-11 * largest),
                "{label}: convex {number} face {face} is turned over"
            );
            let outside = surface.positions.iter().map(|&p| plane.signed_distance(p)).fold(0.0, f64::max);
            assert!(outside <= 1e-10 * largest, "{label}: convex {number} is not convex by {outside:e}");
        }
        if let Some(visual) = part.visual() {
            assert_eq!(visual.check(), Ok(()), "{label}");
            assert!(visual.is_watertight(), "{label}: visual mesh {number} is open");
            for plane in part.convex().planes() {
                let outside = visual.positions.iter().map(|&p| plane.signed_distance(p)).fold(0.0, f64::max);
                assert!(outside <= 1e-9 * largest, "{label}: visual {number} leaves its convex by {outside:e}");
            }
        }
        assert!(part.is_ghost() || part.volume() > 0.0, "{label}: part {number} encloses {:e}", part.volume());
        solids += usize::from(!part.is_ghost());
        for bond in compound.bonds(number) {
            let back = |other: &fracas::vacd::Bond| other.other == number && other.face == bond.other_face;
            assert!(compound.bonds(bond.other).iter().any(back), "{label}: a bond without its other side");
        }
    }
    assert!(solids > 0, "{label}: a piece without matter");
}

fn patterns() -> Vec<Pattern> {
    let mut patterns = Vec::new();
    for seed in 0..4 {
        patterns.push(VoronoiPattern { cells: 12 << seed, extent: 2.0, seed, ..VoronoiPattern::default() }.pattern());
        patterns.push(WebPattern { radius: 0.5, extent: 2.0, depth: 2.0, seed, ..WebPattern::default() }.pattern());
    }
    patterns.push(WebPattern { radius: 0.5, extent: 2.0, depth: 2.0, jitter: 0.0, ..WebPattern::default() }.pattern());
    patterns.push(SpherePattern { extent: 2.0, ..SpherePattern::default() }.pattern());
    let lattice: Vec<DVec3> = (0..125)
        .map(|n| DVec3::new(f64::from(n % 5), f64::from(n / 5 % 5), f64::from(n / 25)) * 0.5 - DVec3::ONE)
        .collect();
    patterns.push(Pattern::voronoi(&lattice, Aabb::around(DVec3::ZERO, DVec3::splat(1.25))));
    let mut patterns: Vec<Pattern> = patterns.into_iter().map(Result::unwrap).collect();
    patterns.push(patterns[4].clone().colored(6, 1).unwrap());
    patterns
}

/// Every procedural shape, whole and decomposed, and the watertight models where they are.
fn solids(is_long: bool) -> Vec<(String, Compound)> {
    let detail = if is_long { 8_000 } else { 1_500 };
    let mut meshes: Vec<(String, TriMesh)> = vec![
        ("cuboid".into(), shapes::cuboid(DVec3::new(1.0, 2.0, 0.5))),
        ("lattice".into(), shapes::subdivided_cuboid(DVec3::splat(2.0), [4, 4, 4]).unwrap()),
        ("brick".into(), shapes::Brick::default().mesh().unwrap()),
        ("sphere".into(), shapes::Sphere { radius: 0.7, frequency: 6 }.mesh().unwrap()),
        ("torus".into(), shapes::Torus::default().mesh().unwrap()),
        ("column".into(), shapes::Column { courses: 4, ..shapes::Column::default() }.mesh().unwrap()),
        ("cylinder".into(), shapes::Cylinder::default().mesh().unwrap()),
        ("plate".into(), shapes::Plate::default().mesh().unwrap()),
        ("dish".into(), shapes::Dish::default().mesh().unwrap()),
        ("shelf".into(), shapes::Shelf::default().mesh().unwrap()),
        ("piggy bank".into(), shapes::PiggyBank { triangles: detail.max(4_500), ..Default::default() }.mesh().unwrap()),
    ];
    for figure in [shapes::Figure::Rabbit, shapes::Figure::Statue, shapes::Figure::Dragon, shapes::Figure::Senator] {
        meshes.push((format!("{figure:?}"), shapes::figure(figure, detail).unwrap()));
    }
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/models/surface");
    let mut files: Vec<_> =
        std::fs::read_dir(models).map_or(Vec::new(), |all| all.flatten().map(|e| e.path()).collect());
    files.sort();
    for path in files.iter().filter(|_| is_long) {
        let Ok(mesh) = io::read_tri_mesh(path) else { continue };
        let report = mesh_report(&mesh, &ReportOptions { self_intersections: true });
        if report.solid_problem().is_none() && mesh.triangles.len() < 60_000 {
            meshes.push((path.file_name().unwrap().to_string_lossy().into_owned(), mesh));
        }
    }
    let mut solids: Vec<(String, Compound)> = meshes
        .into_par_iter()
        .flat_map_iter(|(name, mesh)| {
            let mesh = PolyMesh::from(&mesh);
            let bounds = mesh.aabb();
            let mut random = Random::new(mesh.positions.len() as u64);
            let nodes: Vec<DVec3> = (0..8).map(|_| bounds.center() + 0.5 * random.in_cube() * bounds.size()).collect();
            let compounds: Vec<(String, Compound)> = [("", &nodes[..0]), (" in eight", &nodes[..])]
                .into_iter()
                .filter_map(|(how, nodes)| {
                    let options = DecomposeOptions { fit: Fit::Hull(20), ..DecomposeOptions::default() };
                    let parts = decompose(&mesh, nodes, &options).ok()?;
                    let compound = Compound::new(parts, &CompoundOptions::default()).ok()?;
                    Some((format!("{name}{how}"), compound))
                })
                .collect();
            assert!(!compounds.is_empty(), "{name} has no decomposition");
            compounds
        })
        .collect();
    solids.push(("temple".into(), temple()));
    // A mesh of several solids is several compounds; the largest is enough here.
    for (_, compound) in &mut solids {
        let islands = compound.islands();
        let largest = islands.iter().max_by_key(|island| island.len()).unwrap();
        if islands.len() > 1 {
            let parts = largest.iter().map(|&number| Part::clone(compound.part(number).unwrap())).collect();
            *compound = Compound::new(parts, &CompoundOptions::default()).unwrap();
        }
    }
    solids
}

/// Sub-meshes that overlap.
fn temple() -> Compound {
    let cuboid =
        |min: [f64; 3], max: [f64; 3]| Part::internal(Convex::cuboid(Aabb { min: min.into(), max: max.into() }));
    let mut parts = vec![cuboid([-2.0, 2.8, -1.0], [2.0, 3.2, 1.0]), cuboid([-2.0, -0.2, -1.0], [2.0, 0.2, 1.0])];
    parts.extend([-1.5, -0.5, 0.5, 1.5].map(|x| cuboid([x - 0.2, 0.1, -0.2], [x + 0.2, 2.9, 0.2])));
    parts.push(cuboid([1.4, 2.85, -0.1], [1.6, 3.5, 0.1]));
    Compound::new(parts, &CompoundOptions { overlaps: true, ..CompoundOptions::default() }).unwrap()
}
