//! How fast large files load; run with
//! `cargo test --release -p fracas --test io_speed -- --ignored --nocapture`.

#![allow(clippy::unwrap_used, reason = "the panic of a test is its report, in its helpers too")]

use std::time::Instant;

use fracas::geometry::TriMesh;
use fracas::geometry::io::{read_tri_mesh, write_tri_mesh};
use glam::{DVec2, DVec3, Vec2};

/// A wavy sphere of rings and segments, with the digits of real data.
fn sphere(rings: u32, segments: u32) -> TriMesh {
    let mut mesh = TriMesh::default();
    for ring in 0..=rings {
        for segment in 0..segments {
            let height = std::f64::consts::PI * f64::from(ring) / f64::from(rings);
            let angle = std::f64::consts::TAU * f64::from(segment) / f64::from(segments);
            let radius = 1.0 + 0.05 * (7.0 * angle).sin() * (5.0 * height).cos();
            let around = DVec2::from_angle(angle) * height.sin();
            mesh.positions.push(radius * DVec3::new(around.x, around.y, height.cos()));
        }
    }
    for ring in 0..rings {
        for segment in 0..segments {
            let next = (segment + 1) % segments;
            let [a, b] = [segment, next].map(|segment| ring * segments + segment);
            let [c, d] = [a + segments, b + segments];
            mesh.triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    mesh
}

fn median_seconds(runs: usize, mut job: impl FnMut()) -> f64 {
    let mut seconds: Vec<f64> = (0..runs)
        .map(|_| {
            let start = Instant::now();
            job();
            start.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    seconds[runs / 2]
}

#[test]
#[ignore = "a measurement, for the release profile"]
fn a_hundred_megabytes_load_quickly() {
    let folder = tempfile::tempdir().unwrap();
    let plain = sphere(990, 1000);
    let mut full = sphere(500, 1000);
    full.normals = Some(full.vertex_normals());
    full.uvs = Some(full.positions.iter().map(|point| Vec2::new(point.x as f32, point.y as f32)).collect());
    // As most programs write them: six decimals.
    let mut short = String::new();
    for point in sphere(1240, 1240).positions {
        short.push_str(&format!("v {:.6} {:.6} {:.6}\n", point.x, point.y, point.z));
    }
    for [a, b, c] in sphere(1240, 1240).triangles {
        short.push_str(&format!("f {} {} {}\n", a + 1, b + 1, c + 1));
    }
    std::fs::write(folder.path().join("six decimals.obj"), short).unwrap();
    for (name, mesh) in [
        ("plain.obj", &plain),
        ("normals and uvs.obj", &full),
        ("plain.ply", &plain),
        ("plain.stl", &plain),
        ("plain.off", &plain),
        ("plain.glb", &plain),
    ] {
        write_tri_mesh(folder.path().join(name), mesh).unwrap();
    }
    for name in
        ["six decimals.obj", "plain.obj", "normals and uvs.obj", "plain.ply", "plain.stl", "plain.off", "plain.glb"]
    {
        let path = folder.path().join(name);
        let megabytes = std::fs::metadata(&path).unwrap().len() as f64 / 1e6;
        let bytes_only = median_seconds(5, || drop(std::hint::black_box(std::fs::read(&path).unwrap())));
        let mut triangles = 0;
        let seconds = median_seconds(5, || triangles = read_tri_mesh(&path).unwrap().triangles.len());
        println!(
            "{name:20} {megabytes:6.1} MB, {triangles} triangles: {seconds:.3} s ({bytes_only:.3} s for its bytes alone)"
        );
        if name.ends_with(".obj") {
            assert!(seconds < 3.0 * megabytes / 100.0, "{name} took {seconds} s");
        }
    }
}
