//! `fracas voxelize` and `fracas fracture --method svo` as a user meets them.

#![allow(clippy::unwrap_used, reason = "the panic of a test is its report, in its helpers too")]

mod program;

use std::path::Path;

use fracas::geometry::shapes::{Sphere, UvSphere, cuboid};
use fracas::geometry::{TriMesh, io};
use glam::DVec3;
use serde_json::Value;

use program::{fracas, written};

fn json(arguments: &[&str]) -> Value {
    let output = fracas(&[arguments, &["--json", "-"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The figures of a fracture at level 6.
fn broken(mesh: &str, out: &Path, more: &[&str]) -> Value {
    let out = out.to_str().unwrap();
    json(&[&["fracture", mesh, "--method", "svo", "--level", "6", "--out", out], more].concat())
}

#[test]
fn a_ball_is_voxelised_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let ball = Sphere { radius: 1.0, frequency: 20 }.mesh().unwrap();
    let path = written(folder.path(), "ball.ply", &ball);
    for (out, more) in [("faces.obj", &[][..]), ("smooth.glb", &["--smooth"])] {
        let out = folder.path().join(out);
        let arguments = [&["voxelize", &path, "--level", "6", "--out", out.to_str().unwrap()], more].concat();
        let figures = json(&arguments);
        assert_eq!(figures["level"], 6);
        let solid = figures["solid_volume"].as_f64().unwrap();
        assert!((solid / ball.volume() - 1.0).abs() < 0.01, "{solid}");
        let bytes = figures["bytes"].as_f64().unwrap() / figures["boundary"].as_f64().unwrap();
        assert!(bytes < 32.0 && figures["internal"].as_u64().unwrap() > 0);
        let mesh = io::read_tri_mesh(&out).unwrap();
        assert!((mesh.volume() / ball.volume() - 1.0).abs() < 0.15, "{}", mesh.volume());
    }
}

#[test]
fn solids_and_open_surfaces_break_into_watertight_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let cube = cuboid(DVec3::ONE);
    let open = TriMesh { triangles: cube.triangles[1..].to_vec(), ..cube.clone() };
    for (name, mesh) in [("cube.obj", &cube), ("open.obj", &open)] {
        let path = written(folder.path(), name, mesh);
        let out = folder.path().join("pieces.glb");
        let pieces = |threads: &str| broken(&path, &out, &["--pattern", "spheres:20", "--threads", threads]);
        let (one, other) = (pieces("1"), pieces("3"));
        assert_eq!(one["pieces"], other["pieces"], "the result does not depend on the threads");
        let pieces = one["pieces"].as_array().unwrap();
        assert!(pieces.len() > 5 && pieces.iter().all(|piece| piece["watertight"] == true));
        assert!(one["volume_error"].as_f64().unwrap() < 0.02, "{}", one["volume_error"]);
        assert_eq!(io::read_tri_meshes(&out).unwrap().len(), pieces.len());
    }
}

#[test]
fn coarser_islands_are_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "cube.obj", &cuboid(DVec3::ONE));
    let out = folder.path().join("pieces.glb");
    let pieces = |coarser: &str| {
        let figures = broken(&path, &out, &["--pattern", "voronoi:30", "--coarser-islands", coarser]);
        figures["pieces"].as_array().unwrap().len()
    };
    assert!(pieces("2") <= pieces("0") && pieces("2") > 1);
}

#[test]
fn pieces_do_not_depend_on_the_backend() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "cube.obj", &cuboid(DVec3::ONE));
    let out = folder.path().join("pieces.glb");
    let pieces = |backend: &str| broken(&path, &out, &["--backend", backend])["pieces"].clone();
    assert_eq!(pieces("auto"), pieces("cpu"));
    if cfg!(feature = "cuda") {
        assert_eq!(pieces("cuda"), pieces("cpu"));
        return;
    }
    let refused = fracas(&["fracture", &path, "--method", "svo", "--backend", "cuda", "--out", "none.glb"]);
    let told = String::from_utf8(refused.stderr).unwrap();
    assert_eq!((refused.status.code(), told.lines().count()), (Some(2), 1), "{told}");
    assert!(told.contains("no CUDA backend"), "{told}");
}

#[test]
fn a_local_blow_leaves_a_rest() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "cube.obj", &cuboid(DVec3::ONE));
    let out = folder.path().join("pieces.glb");
    let figures = broken(&path, &out, &["--pattern", "voronoi:80", "--impact", "0.5,0.5,0.5", "--radius", "0.3"]);
    let pieces = figures["pieces"].as_array().unwrap();
    assert_eq!(pieces[0]["name"], "rest");
    assert!(pieces[0]["volume"].as_f64().unwrap() > 0.8 && pieces.len() > 2);
}

#[test]
fn what_voxels_cannot_do_is_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "cube.obj", &cuboid(DVec3::ONE));
    let out = folder.path().join("pieces.glb");
    let out = out.to_str().unwrap();
    for (more, expected) in [
        (&["--pattern", "web"][..], "voronoi:N"),
        (&["--auto", "3"], "--auto"),
        (&["--fit", "aabb"], "--fit"),
        (&["--level", "11"], "11"),
        (&["--coarser-islands", "4"], "4"),
    ] {
        let output = fracas(&[&["fracture", &path, "--method", "svo", "--out", out], more].concat());
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(expected), "{told}");
        assert!(!Path::new(out).exists());
    }
}

#[test]
fn a_scene_of_voxels_runs_at_a_coarser_level() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let scene = |name: &str, level: u32, shape: &str| {
        let text = format!(
            "version = 1\nframes = 12\ntime_step = 0.01\n[ground]\n[method.voxels]\nlevel = {level}\n\
             [[body]]\nname = \"box\"\nposition = [0, 0.505, 0]\n{shape}\
             [[event]]\nat = 0.02\n[event.fracture]\nbody = \"box\"\npoint = [0, 0.5, 0.5]\n"
        );
        std::fs::write(path(name), text).unwrap();
    };
    let shape = |level: u32| {
        format!(
            "shape.cuboid = {{ size = [1, 1, 1] }}\n[body.fracture]\nmethod = \"svo\"\nlevel = {level}\n\
             pattern.spheres = {{ cells = 12, radius = 0.5 }}\n"
        )
    };
    scene("fine.toml", 7, &shape(7));
    scene("coarse.toml", 5, &shape(5));
    let run = |name: &str, more: &[&str]| json(&[&["run", &path(name), "--out", &path("out")], more].concat());
    let coarse = run("coarse.toml", &[]);
    assert!(coarse["fragments"].as_u64().unwrap() > 3, "{coarse}");
    let limited = run("fine.toml", &["--level", "5"]);
    assert_eq!((&limited["hash"], &limited["triangles"]), (&coarse["hash"], &coarse["triangles"]));
    assert_ne!(run("fine.toml", &[])["hash"], coarse["hash"]);
    assert_eq!(run("coarse.toml", &["--level", "9"])["hash"], coarse["hash"], "no scene becomes finer");

    scene("solid.toml", 5, "shape.cuboid = { size = [1, 1, 1] }\n[body.fracture]\npattern.voronoi = { cells = 5 }\n");
    let refused = fracas(&["run", &path("solid.toml"), "--level", "6", "--out", &path("none")]);
    let told = String::from_utf8(refused.stderr).unwrap();
    assert_eq!((refused.status.code(), told.lines().count()), (Some(2), 1), "{told}");
    assert!(told.contains("solid.toml") && told.contains("--level is for voxels"), "{told}");
    assert!(!folder.path().join("none").exists());
}

#[test]
fn contacts_of_two_solids() {
    let folder = tempfile::tempdir().unwrap();
    let cube = |x: f64, name: &str| {
        let mut mesh = cuboid(DVec3::ONE);
        mesh.positions.iter_mut().for_each(|point| point.x += x);
        written(folder.path(), name, &mesh)
    };
    let (first, near, far) = (cube(0.0, "first.obj"), cube(0.8, "near.obj"), cube(3.0, "far.obj"));
    let found = json(&["collide", &first, &near, "--level", "7"]);
    assert!(
        (found["intersection_volume"].as_f64().unwrap() / 0.2 - 1.0).abs() < 0.03,
        "{}",
        found["intersection_volume"]
    );
    let contacts = found["contacts"].as_array().unwrap();
    assert!(!contacts.is_empty());
    for contact in contacts {
        assert!(contact["normal"][0].as_f64().unwrap() < -0.99, "the first has to go to the left: {contact}");
        assert!((contact["depth"].as_f64().unwrap() - 0.2).abs() < 0.03, "{contact}");
    }
    assert!(json(&["collide", &first, &far])["contacts"].as_array().unwrap().is_empty());
    let refused = fracas(&["collide", &first, &near, "--method", "convex"]);
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn contacts_by_rays() {
    let folder = tempfile::tempdir().unwrap();
    let ball = UvSphere::default().mesh().unwrap();
    let moved = |way: DVec3| TriMesh { positions: ball.positions.iter().map(|&p| p + way).collect(), ..ball.clone() };
    let radius = ball.aabb().size().y / 2.0;
    let first = written(folder.path(), "first.obj", &ball);
    let near = written(folder.path(), "near.obj", &moved(1.8 * radius * DVec3::Y));
    let far = written(folder.path(), "far.obj", &moved(3.0 * radius * DVec3::Y));
    let contacts = json(&["collide", &first, &near, "--method", "ray"])["contacts"].as_array().unwrap().clone();
    assert!(!contacts.is_empty());
    for contact in &contacts {
        let depth = contact["depth"].as_f64().unwrap();
        assert!(depth > 0.0 && depth < 0.21 * radius, "{contact}");
        assert!(contact["normal"][1].as_f64().unwrap() < -0.8, "the first has to go down: {contact}");
    }
    assert!(json(&["collide", &first, &far, "--method", "ray"])["contacts"].as_array().unwrap().is_empty());
}

#[test]
fn contacts_of_two_distance_fields() {
    let folder = tempfile::tempdir().unwrap();
    let cube = cuboid(DVec3::ONE);
    let first = written(folder.path(), "first.obj", &cube);
    let moved = |way: DVec3| TriMesh { positions: cube.positions.iter().map(|&p| p + way).collect(), ..cube.clone() };
    let near = written(folder.path(), "near.obj", &moved(DVec3::new(0.03, 0.9, 0.02)));
    let far = written(folder.path(), "far.obj", &moved(DVec3::Y * 2.0));
    let collide = |other: &str, more: &[&str]| {
        let arguments = [&["collide", &first, other, "--method", "sdf", "--cells", "8"], more].concat();
        json(&arguments)["contacts"].as_array().unwrap().clone()
    };
    let contacts = collide(&near, &["--all"]);
    assert!(contacts.len() > 8);
    for contact in &contacts {
        let depth = contact["depth"].as_f64().unwrap();
        assert!((-0.01..0.15).contains(&depth), "{contact}");
    }
    assert!(contacts.iter().any(|contact| (contact["depth"].as_f64().unwrap() - 0.1).abs() < 0.01));
    assert!(contacts.iter().any(|contact| contact["normal"][1].as_f64().unwrap() < -0.99));
    assert!(collide(&far, &[]).is_empty());
}
