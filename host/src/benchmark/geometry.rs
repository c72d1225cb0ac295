//! The suite `geometry`: loading, reports, hulls, hierarchies and shapes.

use std::fmt::Write;
use std::time::Instant;

use rapier3d::parry::bounding_volume::Aabb as ParryBox;
use rapier3d::parry::math::Vector;
use rapier3d::parry::partitioning::{Bvh as ParryBvh, BvhBuildStrategy};

use super::{Row, median_milliseconds};
use crate::bvh::Bvh;
use crate::geometry::io::{TriFormat, read_tri_mesh_bytes};
use crate::geometry::{Aabb, ReportOptions, TriMesh, convex_hull, mesh_report, shapes};

const SUITE: &str = "geometry";

pub(super) fn run() -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    let sphere = shapes::Sphere { radius: 1.0, frequency: 71 }.mesh().map_err(|error| error.to_string())?;
    load(&mut rows)?;
    report(&mut rows, &sphere);
    hull(&mut rows, &sphere)?;
    hierarchy(&mut rows, &sphere);
    generate(&mut rows)?;
    Ok(rows)
}

/// A file of about a hundred megabytes.
fn load(rows: &mut Vec<Row>) -> Result<(), String> {
    let text = large_obj(100_000_000);
    let megabytes = text.len() as f64 / 1e6;
    let clock = Instant::now();
    let mesh = read_tri_mesh_bytes(TriFormat::Obj, text.as_bytes(), "large.obj").map_err(|error| error.to_string())?;
    let seconds = clock.elapsed().as_secs_f64();
    let row = format!("OBJ of {megabytes:.0} MB, {} triangles", mesh.triangles.len());
    rows.push(Row::new(SUITE, row, "load", seconds * 1e3, "ms"));
    Ok(())
}

/// A bumpy grid as OBJ text, of at least so many bytes.
fn large_obj(bytes: usize) -> String {
    const WIDTH: usize = 1000;
    // A vertex line has about 32 bytes, and its share of face lines about 48.
    let rows = (bytes / (80 * WIDTH)).max(2);
    let mut text = String::with_capacity(bytes + bytes / 8);
    for row in 0..rows {
        for column in 0..WIDTH {
            let (x, z) = (column as f64 * 0.013, row as f64 * 0.017);
            let _ = writeln!(text, "v {x:.6} {:.6} {z:.6}", (x * 3.1).sin() * (z * 2.3).cos());
        }
    }
    for row in 1..rows {
        for column in 1..WIDTH {
            let here = row * WIDTH + column + 1;
            let _ = writeln!(text, "f {} {} {here}", here - WIDTH - 1, here - 1);
            let _ = writeln!(text, "f {} {here} {}", here - WIDTH - 1, here - WIDTH);
        }
    }
    text
}

fn report(rows: &mut Vec<Row>, mesh: &TriMesh) {
    let row = format!("report, {} triangles", mesh.triangles.len());
    for (stage, self_intersections) in [("topology", false), ("with self-intersections", true)] {
        let options = ReportOptions { self_intersections };
        let time = median_milliseconds(|| mesh_report(mesh, &options));
        rows.push(Row::new(SUITE, row.clone(), stage, time, "ms"));
    }
}

fn hull(rows: &mut Vec<Row>, sphere: &TriMesh) -> Result<(), String> {
    let mut random = crate::random::Random::new(1);
    let ball: Vec<_> =
        std::iter::repeat_with(|| random.in_cube()).filter(|point| point.length() < 1.0).take(100_000).collect();
    for (name, points) in [("in a ball", &ball), ("on a sphere", &sphere.positions)] {
        convex_hull(points).map_err(|error| error.to_string())?;
        let ours = median_milliseconds(|| convex_hull(points));
        let single: Vec<Vector> = points.iter().map(|point| point.as_vec3()).collect();
        let parry = median_milliseconds(|| rapier3d::parry::transformation::try_convex_hull(&single).is_ok());
        let row = format!("hull of {} points {name}", points.len());
        rows.push(Row::new(SUITE, row, "build", ours, "ms").against("parry", parry));
    }
    Ok(())
}

/// One thread on both sides: parry's builder uses one.
fn hierarchy(rows: &mut Vec<Row>, mesh: &TriMesh) {
    let boxes: Vec<Aabb> = mesh.iter_corners().map(Aabb::of_points).collect();
    let theirs: Vec<(usize, ParryBox)> =
        boxes.iter().map(|aabb| ParryBox::new(aabb.min.as_vec3(), aabb.max.as_vec3())).enumerate().collect();
    let row = format!("hierarchy, {} triangles", boxes.len());
    let measure = || {
        let ours = median_milliseconds(|| Bvh::build(&boxes));
        let parry = median_milliseconds(|| ParryBvh::from_iter(BvhBuildStrategy::Binned, theirs.iter().copied()));
        let tree = Bvh::build(&boxes);
        let pairs = median_milliseconds(|| tree.collect_self_pairs().len());
        (ours, parry, pairs)
    };
    let (ours, parry, pairs) = match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(measure),
        Err(_) => measure(),
    };
    rows.push(Row::new(SUITE, row.clone(), "build, one thread", ours, "ms").against("parry binned", parry));
    rows.push(Row::new(SUITE, row, "self-pairs, one thread", pairs, "ms"));
}

fn generate(rows: &mut Vec<Row>) -> Result<(), String> {
    let sphere = shapes::Sphere { radius: 1.0, frequency: 71 };
    let time = median_milliseconds(|| sphere.mesh());
    rows.push(Row::new(SUITE, "sphere, 100,820 triangles", "generate", time, "ms"));
    for triangles in [8_000, 80_000] {
        let dragon = shapes::figure(shapes::Figure::Dragon, triangles).map_err(|error| error.to_string())?;
        let row = format!("dragon, {} triangles", dragon.triangles.len());
        let time = median_milliseconds(|| shapes::figure(shapes::Figure::Dragon, triangles));
        rows.push(Row::new(SUITE, row, "generate", time, "ms"));
    }
    let clock = Instant::now();
    let parts = shapes::Arena::default().parts().map_err(|error| error.to_string())?;
    let time = clock.elapsed().as_secs_f64() * 1e3;
    let vertices: usize = parts.iter().map(|part| part.mesh.positions.len()).sum();
    let faces: usize = parts.iter().map(|part| part.mesh.face_count()).sum();
    let row = format!("arena, {} parts, {vertices} vertices, {faces} faces", parts.len());
    rows.push(Row::new(SUITE, row, "generate", time, "ms"));
    Ok(())
}
