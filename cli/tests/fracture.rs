//! `fracas fracture` as a user meets it.

#![allow(clippy::unwrap_used, reason = "the panic of a test is its report, in its helpers too")]

mod program;

use std::path::Path;
use std::process::Output;

use fracas::geometry::shapes::{Figure, PiggyBank, Torus, cuboid, figure, subdivided_cuboid};
use fracas::geometry::{TriMesh, io};
use glam::{DAffine3, DVec3, Vec2};
use serde_json::Value;

use program::{assert_refused, fracas, text, written};

fn fracture(arguments: &[&str]) -> Output {
    fracas(&[&["fracture"], arguments].concat())
}

/// Breaks a mesh; the figures and the meshes of the nodes.
fn broken(mesh: &str, out: &Path, more: &[&str]) -> (Value, Vec<TriMesh>) {
    let output = fracture(&[&[mesh, "--out", out.to_str().unwrap(), "--json", "-"], more].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    (json, io::read_tri_meshes(out).unwrap())
}

fn pieces(json: &Value) -> &[Value] {
    json["pieces"].as_array().unwrap()
}

/// What the figures say is what is in the file, and nothing is lost.
fn assert_sound(json: &Value, nodes: &[TriMesh], volume: f64) {
    assert_eq!(pieces(json).len(), nodes.len());
    assert!((json["input_volume"].as_f64().unwrap() / volume - 1.0).abs() < 1e-6);
    assert!(json["volume_error"].as_f64().unwrap() < 1e-9, "{}", json["volume_error"]);
    for (piece, node) in pieces(json).iter().zip(nodes) {
        assert_eq!(piece["watertight"], true);
        assert_eq!(piece["triangles"], node.triangles.len());
        assert!(node.normals.is_some() && piece["volume"].as_f64().unwrap() > 0.0);
        let center = piece["centroid"].as_array().unwrap().iter().map(|part| part.as_f64().unwrap());
        let center = DVec3::from_slice(&center.collect::<Vec<f64>>());
        let bounds = node.aabb().expanded(1e-6);
        assert!(bounds.contains(center), "{center} is not in the box of its piece");
    }
    let sum: f64 = nodes.iter().map(TriMesh::volume).sum();
    assert!((sum / volume - 1.0).abs() < 1e-4, "{sum} is in the file, {volume} was in the mesh");
}

#[test]
fn figures_rings_and_hollow_things_break_into_watertight_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let meshes = [
        ("ring.ply", Torus::default().mesh().unwrap()),
        ("rabbit.obj", figure(Figure::Rabbit, 3_000).unwrap()),
        ("bank.stl", PiggyBank { slot: false, ..PiggyBank::default() }.mesh().unwrap()),
        ("cube.glb", cuboid(DVec3::ONE)),
    ];
    for (name, mesh) in meshes {
        let path = written(folder.path(), name, &mesh);
        for more in [&["--method", "vacd", "--pattern", "voronoi:30"][..], &["--pattern", "spheres:20", "--auto", "6"]]
        {
            let (json, nodes) = broken(&path, &folder.path().join("pieces.glb"), more);
            assert_sound(&json, &nodes, mesh.volume());
            assert!(nodes.len() >= 10, "{name}: {} pieces", nodes.len());
            assert!(pieces(&json).iter().all(|piece| piece["fragment_of"] == 0));
            assert!(json["dropped"].is_u64() && json["milliseconds"]["total"].is_number());
        }
    }
}

#[test]
fn every_solid_of_a_mesh_breaks_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let mut mesh = cuboid(DVec3::ONE);
    mesh.append(&cuboid(DVec3::ONE).transformed(&DAffine3::from_translation(DVec3::X)));
    let path = written(folder.path(), "pair.obj", &mesh);
    let (json, nodes) = broken(&path, &folder.path().join("pieces.glb"), &["--pattern", "voronoi:20"]);
    assert_sound(&json, &nodes, 2.0);
    for (piece, node) in pieces(&json).iter().zip(&nodes) {
        let bounds = node.aabb();
        assert!(bounds.max.x <= 0.5 + 1e-6 || bounds.min.x >= 0.5 - 1e-6, "a piece of both cubes");
        assert_eq!(piece["fragment_of"], u64::from(bounds.center().x > 0.5));
    }
}

#[test]
fn a_pane_breaks_in_a_web_across_its_thinnest_side() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "pane.obj", &cuboid(DVec3::new(2.0, 0.02, 1.0)));
    let (json, nodes) = broken(&path, &folder.path().join("web.glb"), &["--pattern", "web", "--impact", "0.3,0,-0.1"]);
    assert_sound(&json, &nodes, 0.04);
    assert!(nodes.len() > 50, "{}", nodes.len());
    for node in &nodes {
        assert!((node.aabb().size().y - 0.02).abs() < 1e-6, "cracks go all through the pane");
    }
}

#[test]
fn a_local_blow_leaves_the_rest_in_one_piece() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "block.obj", &cuboid(DVec3::new(4.0, 1.0, 1.0)));
    let out = folder.path().join("pieces.glb");
    let (json, nodes) = broken(&path, &out, &["--impact", "2,0.5,0", "--radius", "0.3"]);
    assert_sound(&json, &nodes, 4.0);
    assert_eq!((&pieces(&json)[0]["name"], &pieces(&json)[1]["name"]), (&"rest".into(), &"piece_1".into()));
    assert!(pieces(&json)[0]["volume"].as_f64().unwrap() > 3.5);
    for node in &nodes[1..] {
        assert!(node.aabb().min.x > 0.5, "broken off far from the impact");
    }
    let json_of =
        |bytes: Vec<u8>| text(&bytes[20..20 + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize]);
    let document: Value = serde_json::from_str(&json_of(std::fs::read(&out).unwrap())).unwrap();
    assert_eq!(document["nodes"][0]["name"], "rest");
    // A blow that misses says so and is no failure.
    let missed = fracture(&[&path, "--impact", "9,0,0", "--radius", "0.5", "--out", out.to_str().unwrap()]);
    assert!(missed.status.success() && text(&missed.stdout).contains("nothing broke"), "{}", text(&missed.stderr));
    let (json, nodes) = broken(&path, &out, &["--impact", "9,0,0", "--radius", "0.5"]);
    assert_sound(&json, &nodes, 4.0);
    assert_eq!((nodes.len(), &json["broken"]), (1, &false.into()));
    // Without a radius a blow from outside breaks it all the same.
    assert!(broken(&path, &out, &["--impact", "-3,0,0"]).1.len() > 1);
}

#[test]
fn materials_and_texture_coordinates_stay_and_breaks_have_their_own_material() {
    let folder = tempfile::tempdir().unwrap();
    let mut mesh = cuboid(DVec3::ONE);
    mesh.materials = Some((0..12).map(|triangle| 3 + 4 * (triangle % 2)).collect());
    mesh.uvs = Some(mesh.positions.iter().map(|position| Vec2::new(position.x as f32, position.y as f32)).collect());
    let path = written(folder.path(), "cube.obj", &mesh);
    let out = folder.path().join("pieces.glb");
    let (json, nodes) = broken(&path, &out, &["--pattern", "voronoi:10", "--roughness", "0.02:8"]);
    assert_sound(&json, &nodes, 1.0);
    assert!(nodes.iter().any(|node| node.uvs.is_some()));
    let bytes = std::fs::read(&out).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let document: Value = serde_json::from_slice(&bytes[20..20 + length]).unwrap();
    let mut names: Vec<&str> =
        document["materials"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    // OBJ numbers materials in the order in which they are used, unless their names are numbers.
    assert_eq!(names, ["break", "material_3", "material_7"]);
}

#[test]
fn the_file_is_the_same_for_every_thread_count_and_other_for_another_seed() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "rabbit.ply", &figure(Figure::Rabbit, 2_000).unwrap());
    let bytes = |name: &str, more: &[&str]| {
        let out = folder.path().join(name);
        broken(&path, &out, &[&["--auto", "5", "--pattern", "voronoi:40", "--colors", "12"], more].concat());
        std::fs::read(out).unwrap()
    };
    let first = bytes("1.glb", &["--threads", "1"]);
    assert!(first == bytes("2.glb", &["--threads", "2"]), "another file with two threads");
    assert!(first == bytes("3.glb", &["--threads", "3"]), "another file with three threads");
    assert!(first != bytes("4.glb", &["--seed", "2"]), "the seed changes nothing");
}

#[test]
fn nodes_are_read_and_holes_are_mended() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let mut open = subdivided_cuboid(DVec3::ONE, [4; 3]).unwrap();
    open.triangles.pop();
    let open = written(folder.path(), "open.obj", &open);
    std::fs::write(path("nodes.txt"), "0.2 0 0\n-0.2 0 0 # left\n").unwrap();
    let more = ["--repair", "--nodes", &path("nodes.txt"), "--out", &path("out.glb")];
    let output = fracture(&[&[&open[..]], &more[..]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("repair: filled 1 hole"), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("from 2 convexes"), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("all watertight"));
}

#[test]
fn bad_input_gets_one_line_and_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let out = path("out.glb");
    let solid = written(folder.path(), "cube.obj", &cuboid(DVec3::ONE));
    let mut open = cuboid(DVec3::ONE);
    open.triangles.pop();
    let open = written(folder.path(), "open.obj", &open);
    std::fs::write(path("empty.obj"), "").unwrap();
    std::fs::write(path("far.obj"), "v inf 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
    std::fs::write(path("nodes.txt"), "7 0 0\n").unwrap();
    let refused = |arguments: &[&str], words: &[&str]| {
        assert_refused(&fracture(&[arguments, &["--out", &out]].concat()), words);
        assert!(!Path::new(&out).exists());
    };
    refused(&[&path("none.obj")], &["none.obj"]);
    refused(&[&path("empty.obj")], &["empty.obj", "empty"]);
    refused(&[&path("far.obj")], &["far.obj, line 1"]);
    refused(&[&open], &["open.obj", "3 border edges", "--repair", "--method svo"]);
    let lone =
        written(folder.path(), "lone.obj", &TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]));
    refused(&[&lone, "--repair"], &["lone.obj", "even repaired", "--method svo"]);
    refused(&[&open, "--method", "tet"], &["open.obj", "border edges", "--repair"]);
    refused(&[&solid, "--method", "tet", "--level", "5"], &["--level", "voxels"]);
    refused(&[&solid, "--nodes", &path("nodes.txt")], &["cube.obj", "7", "no solid"]);
    refused(&[&solid, "--pattern", "voronoi:5", "--colors", "6"], &["6", "from 1 to 5"]);
    refused(&[&solid, "--impact", "1e300,0,0"], &["not finite"]);
    refused(&[&solid, "--json", &path("none/figures.json")], &["no such folder"]);
    assert_refused(&fracture(&[&solid, "--out", &path("none/out.glb")]), &["no such folder"]);
    assert_refused(&fracture(&[&solid, "--out", &path("out.obj")]), &["out.obj", ".glb"]);
    std::fs::create_dir(path("folder.glb")).unwrap();
    assert_refused(&fracture(&[&solid, "--out", &path("folder.glb")]), &["folder.glb"]);

    let usage = [
        (["--impact", "nan,0,0"], "0,1.5,-2"),
        (["--impact", "1,2"], "0,1.5,-2"),
        (["--radius", "0"], "positive"),
        (["--radius", "-1"], "positive"),
        (["--radius", "inf"], "positive"),
        (["--pattern", "voronoi:0"], "voronoi:50"),
        (["--pattern", "voronoi:99999999999"], "1000000"),
        (["--pattern", "cracks"], "voronoi:50"),
        (["--colors", "0"], "--colors"),
        (["--auto", "0"], "--auto"),
        (["--roughness", "-1"], "positive"),
        (["--roughness", "1:nan"], "positive"),
        (["--fit", "box"], "dop14"),
        (["--level", "7"], "--method svo"),
    ];
    for (arguments, word) in usage {
        let output = fracture(&[&[&solid[..], "--out", &out], &arguments[..]].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(word), "{}", text(&output.stderr));
    }
    assert!(!Path::new(&out).exists());
}

#[test]
fn tetrahedra_break_into_all_of_the_volume() {
    let folder = tempfile::tempdir().unwrap();
    let cube = written(folder.path(), "cube.obj", &cuboid(DVec3::ONE));
    let out = folder.path().join("pieces.glb").to_string_lossy().into_owned();
    let run = |threads: &str| -> Value {
        let output = fracture(&[
            &cube,
            "--method",
            "tet",
            "--cells",
            "8",
            "--pattern",
            "voronoi:10",
            "--threads",
            threads,
            "--out",
            &out,
            "--json",
            "-",
        ]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let [one, two] = ["1", "2"].map(run);
    assert_eq!(one["pieces"], two["pieces"]);
    let pieces = one["pieces"].as_array().unwrap();
    assert!(pieces.len() >= 8 && pieces.iter().all(|piece| piece["watertight"] == true));
    assert!(one["volume_error"].as_f64().unwrap() < 1e-12);
    assert!(one["quality"]["smallest_angle"].as_f64().unwrap() > 10.0);
}
