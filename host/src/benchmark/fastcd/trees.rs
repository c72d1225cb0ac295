//! Building and refitting trees beside parry's.

use std::time::Instant;

use glam::DVec3;
use rapier3d::parry::bounding_volume::Aabb as ParryBox;
use rapier3d::parry::partitioning::{Bvh as ParryBvh, BvhBuildStrategy, BvhWorkspace};
use rayon::ThreadPoolBuilder;

use super::SUITE;
use crate::benchmark::{Row, median, median_milliseconds, milliseconds};
use crate::bvh::{BodyHandle, BuildMemory, Bvh, Culling, MeshTree, MeshTreeOptions};
use crate::geometry::{Aabb, TriMesh, shapes};

/// Spheres of 100,820 and 1,003,520 triangles.
const FREQUENCIES: [u32; 2] = [71, 224];

pub(super) fn run() -> Result<Vec<Row>, String> {
    let [small, large] = FREQUENCIES.map(|frequency| shapes::Sphere { radius: 1.0, frequency }.mesh());
    let (small, large) = (small.map_err(|error| error.to_string())?, large.map_err(|error| error.to_string())?);
    let mut rows = [build(&small, 1)?, build(&large, 2)?].concat();
    rows.extend(refit(&small)?);
    Ok(rows)
}

/// From nothing, and in the memory of the tree before, as who builds in every frame does. parry builds on one thread.
fn build(mesh: &TriMesh, threads: usize) -> Result<[Row; 2], String> {
    let boxes: Vec<Aabb> = mesh.iter_corners().map(Aabb::of_points).collect();
    let theirs: Vec<(usize, ParryBox)> = boxes.iter().map(parry_box).enumerate().collect();
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| error.to_string())?;
    let ours = pool.install(|| median_milliseconds(|| Bvh::build(&boxes)));
    let parry = median_milliseconds(|| ParryBvh::from_iter(BvhBuildStrategy::Binned, theirs.iter().copied()));
    let (mut bvh, mut memory) = (Bvh::default(), BuildMemory::default());
    let ours_again = pool.install(|| median_milliseconds(|| bvh.rebuild(&boxes, &mut memory)));
    let mut their_bvh = ParryBvh::from_iter(BvhBuildStrategy::Binned, theirs.iter().copied());
    let mut workspace = BvhWorkspace::default();
    let parry_again = median_milliseconds(|| their_bvh.rebuild(&mut workspace, BvhBuildStrategy::Binned));
    let row = |stage: &str, ours: f64, parry: f64| {
        let stage = format!("{stage}, {}", in_words(threads));
        Row::new(SUITE, sphere(mesh), &stage, ours, "ms").against("parry binned, one thread", parry)
    };
    Ok([row("build", ours, parry), row("build again", ours_again, parry_again)])
}

/// An update in which a body has moved, beside parry's refit of boxes whose leaves stay as they are; and both together with what comes before:
/// vertices that are told where they go, and leaves that follow them. By default a sphere, which is seen from its middle, needs boxes
/// only; to compare it is also refitted with cones and costs.
///
/// All take turns, so that each finds its memory as it does once in a frame, when much else has been done since.
fn refit(mesh: &TriMesh) -> Result<Vec<Row>, String> {
    let moved = mesh.positions.iter().map(|&place| place + 1e-3 * DVec3::new(place.y, place.z, place.x)).collect();
    let places: [Vec<DVec3>; 2] = [moved, mesh.positions.clone()];
    let pool = ThreadPoolBuilder::new().num_threads(1).build().map_err(|error| error.to_string())?;
    let tree_with = |culling: Culling| -> Result<(MeshTree, BodyHandle), String> {
        let mut tree = MeshTree::new(MeshTreeOptions { culling, ..MeshTreeOptions::default() });
        let body = tree.add(mesh).map_err(|error| error.to_string())?;
        tree.update();
        Ok((tree, body))
    };
    let (mut ours, mut with_cones) = (tree_with(Culling::default())?, tree_with(Culling::DualCones)?);
    let leaves = mesh.iter_corners().map(|corners| parry_box(&Aabb::of_points(corners))).enumerate();
    let (mut parry, mut workspace) = (ParryBvh::from_iter(BvhBuildStrategy::Binned, leaves), BvhWorkspace::default());

    // The whole, and the update alone.
    let update = |(tree, body): &mut (MeshTree, BodyHandle), places: &[DVec3]| -> Result<[f64; 2], String> {
        // The clock runs where the work is done.
        pool.install(|| {
            let whole = Instant::now();
            tree.move_to(*body, places).map_err(|error| error.to_string())?;
            let clock = Instant::now();
            tree.update();
            let update = milliseconds(clock);
            Ok([milliseconds(whole), update])
        })
    };
    let mut rounds: [Vec<f64>; 5] = Default::default();
    for places in places.iter().cycle().take(ROUNDS) {
        rounds[0].push(update(&mut ours, places)?[1]);
        let [whole, alone] = update(&mut with_cones, places)?;
        rounds[1].push(alone);
        rounds[2].push(whole);
        let clock = Instant::now();
        parry.refit(&mut workspace);
        rounds[3].push(milliseconds(clock));
        let clock = Instant::now();
        for (triangle, leaf) in mesh.triangles.iter().zip(0..) {
            let aabb = Aabb::of_points(triangle.map(|vertex| places[vertex as usize]));
            parry.insert_or_update_partially(parry_box(&aabb), leaf, 0.0);
        }
        parry.refit(&mut workspace);
        rounds[4].push(milliseconds(clock));
    }
    let [ours, with_cones, whole, plain, following] = rounds.map(median);
    let row = |stage: &str, time: f64| Row::new(SUITE, sphere(mesh), stage, time, "ms");
    Ok(vec![
        row("refit, seen from within, one thread", ours).against("parry, leaves as they are", plain),
        row("refit with cones, one thread", with_cones).against("parry, leaves as they are", plain),
        row("move and refit with cones, one thread", whole).against("parry, leaves that follow vertices", following),
    ])
}

/// How often each takes its turn.
const ROUNDS: usize = 101;

fn sphere(mesh: &TriMesh) -> String {
    format!("sphere, {} triangles", mesh.triangles.len())
}

pub(super) fn in_words(threads: usize) -> String {
    match threads {
        1 => "one thread".into(),
        2 => "two threads".into(),
        _ => format!("{threads} threads"),
    }
}

fn parry_box(aabb: &Aabb) -> ParryBox {
    ParryBox::new(aabb.min.as_vec3(), aabb.max.as_vec3())
}
