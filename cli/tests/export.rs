//! `fracas export`, and what GLB files say of pieces, as a user meets them.

#![allow(clippy::unwrap_used, reason = "the panic of a test is its report, in its helpers too")]

mod program;

use std::path::Path;

use fracas::geometry::shapes::subdivided_cuboid;
use fracas::geometry::{MassProperties, TriMesh, io};
use glam::DVec3;
use serde_json::Value;

use program::{assert_refused, fracas, text};

/// The JSON part of a GLB file.
fn document(path: &Path) -> Value {
    let bytes = std::fs::read(path).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    serde_json::from_slice(&bytes[20..20 + length]).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// What a node says of its mass is what its mesh has.
fn assert_mass(node: &Value, mesh: &TriMesh, density: f64) {
    let extras = &node["extras"];
    let MassProperties { volume, centroid, inertia } = mesh.mass_properties();
    let size = mesh.aabb().diagonal();
    let near = |found: &Value, expected: f64, scale: f64| {
        let found = found.as_f64().unwrap();
        assert!((found - expected).abs() < 1e-4 * scale, "{found} instead of {expected} in {node}");
    };
    near(&extras["volume"], volume, volume);
    near(&extras["mass"], density * volume, density * volume);
    let center = DVec3::from_slice(&numbers(&extras["center_of_mass"]));
    assert!(center.distance(centroid) < 1e-4 * size, "{center} instead of {centroid}");
    for (row, expected) in (0..3).map(|row| (row, inertia.row(row) * density)) {
        let scale = density * volume * size * size;
        numbers(&extras["inertia"][row]).iter().zip(expected.to_array()).for_each(|(found, expected)| {
            assert!((found - expected).abs() < 1e-4 * scale, "{found} instead of {expected}");
        });
    }
    assert_eq!(extras["fragment_of"], 0);
    assert!(extras["material"].as_str().is_some_and(|name| !name.is_empty() && !name.ends_with("break")), "{extras}");
}

#[test]
fn pieces_say_what_an_engine_needs_to_move_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (input, out) = (path("block.obj"), path("pieces.glb"));
    io::write_tri_mesh(&input, &subdivided_cuboid(DVec3::new(2.0, 1.0, 0.5), [4, 4, 4]).unwrap()).unwrap();
    let [input, out_name] = [&input, &out].map(|path| path.display().to_string());
    for (method, more) in [
        ("vacd", &["--density", "2500"][..]),
        ("svo", &["--level", "7", "--density", "2500"]),
        ("tet", &["--cells", "8", "--density", "2500"]),
    ] {
        let arguments =
            ["fracture", &input, "--method", method, "--pattern", "voronoi:6", "--seed", "4", "--out", &out_name];
        let output = fracas(&[&arguments, more].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let document = document(&out);
        let nodes = document["nodes"].as_array().unwrap();
        let meshes = io::read_tri_meshes(&out).unwrap();
        assert!(nodes.len() > 3 && nodes.len() == meshes.len(), "{method}: {}", nodes.len());
        if method != "svo" {
            nodes.iter().zip(&meshes).for_each(|(node, mesh)| assert_mass(node, mesh, 2500.0));
            continue;
        }
        // The mass of voxels is theirs, not that of the smooth surface around them: that of all together is the block's.
        let mass: f64 = nodes.iter().map(|node| node["extras"]["mass"].as_f64().unwrap()).sum();
        assert!((mass / 2500.0 - 1.0).abs() < 0.05, "{mass}");
        for (node, mesh) in nodes.iter().zip(&meshes) {
            let center = DVec3::from_slice(&numbers(&node["extras"]["center_of_mass"]));
            assert!(mesh.aabb().expanded(0.02).contains(center), "{center} is not in {:?}", mesh.aabb());
        }
    }
    assert_eq!(fracas(&["fracture", &input, "--density", "-1", "--out", &out_name]).status.code(), Some(2));
    assert!(fracas(&["decompose", &input, "--auto", "3", "--visual", "--out", &out_name]).status.success());
    let document = document(&out);
    let meshes = io::read_tri_meshes(&out).unwrap();
    let nodes = document["nodes"].as_array().unwrap();
    assert_eq!(nodes.len(), meshes.len());
    // The parts themselves, of the density of water.
    nodes.iter().zip(&meshes).for_each(|(node, mesh)| assert_mass(node, mesh, 1000.0));
}

/// Runs a small scene in which a box breaks, and gives the recording.
fn recording(folder: &Path) -> String {
    let scene = "version = 1\nframes = 12\n[ground]\n[[body]]\nname = \"box\"\nshape.cuboid = { size = [1, 1, 1] }\n\
                 position = [0, 2, 0]\n[body.fracture]\nmethod = \"vacd\"\npattern.voronoi = { cells = 60, extent = 2 }\n\
                 [[event]]\nat = 0.05\n[event.fracture]\nbody = \"box\"\npoint = [0, 2, 0]\nradius = 3\nburst = 1\nseed = 2\n";
    std::fs::write(folder.join("scene.toml"), scene).unwrap();
    let output = fracas(&[
        "run",
        folder.join("scene.toml").to_str().unwrap(),
        "--out",
        folder.join("out").to_str().unwrap(),
        "--quiet",
    ]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    folder.join("out/recording.fracas").display().to_string()
}

#[test]
fn a_recording_goes_into_every_format_and_says_what_was_made() {
    let folder = tempfile::tempdir().unwrap();
    let recording = recording(folder.path());
    let path = |name: &str| folder.path().join(name).display().to_string();
    let export = |to: &str, out: &str| {
        let output = fracas(&["export", &recording, "--to", to, "--out", out, "--json", "-"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let glb = export("glb", &path("film.glb"));
    assert_eq!((&glb["frames"], &glb["files"], &glb["cut_short"]), (&12.into(), &1.into(), &false.into()));
    let document = document(Path::new(&path("film.glb")));
    let pieces = document["nodes"].as_array().unwrap().iter().filter(|node| !node["extras"]["fragment_of"].is_null());
    assert!(pieces.count() >= 5);
    assert_eq!(glb["bytes"], std::fs::metadata(path("film.glb")).unwrap().len());
    assert!(std::fs::read_to_string(path("film.glb")).is_err());
    export("usd", &path("film.usda"));
    assert!(std::fs::read_to_string(path("film.usda")).unwrap().starts_with("#usda 1.0"));
    // Twice, because an earlier export may be replaced.
    for to in ["obj", "ply", "obj"] {
        let made = export(to, &path("frames"));
        let files = std::fs::read_dir(path("frames")).unwrap().count();
        assert_eq!((made["files"].as_u64(), files >= 12), (Some(files as u64), true));
    }
    assert!(io::read_tri_mesh(path("frames/frame_0011.obj")).unwrap().triangles.len() > 60);
}

#[test]
fn what_cannot_be_exported_is_one_line_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let recording = recording(folder.path());
    let path = |name: &str| folder.path().join(name).display().to_string();
    let export = |input: &str, to: &str, out: &str| fracas(&["export", input, "--to", to, "--out", &path(out)]);
    assert_eq!(export(&recording, "fbx", "film.fbx").status.code(), Some(2));
    assert_refused(&export(&recording, "glb", "film.gltf"), &["film.gltf", ".glb"]);
    assert_refused(&export(&recording, "usd", "film.glb"), &["film.glb", ".usda"]);
    assert_refused(&export(&recording, "glb", "none/film.glb"), &["none", "no such folder"]);
    assert_refused(&export(&path("scene.toml"), "glb", "film.glb"), &["scene.toml", "not a Fracas recording"]);
    std::fs::create_dir(path("mine")).unwrap();
    std::fs::write(path("mine/notes.txt"), "mine").unwrap();
    assert_refused(&export(&recording, "obj", "mine"), &["mine", "notes.txt"]);
    assert_refused(&export(&recording, "glb", "mine"), &["mine", "folder"]);
    let bytes = std::fs::read(&recording).unwrap();
    // Cut in the header of the first frame's first chunk: nothing but a header is left.
    let head = 8 + 24 + u32::from_le_bytes(bytes[16..20].try_into().unwrap()) as usize;
    std::fs::write(path("empty.fracas"), &bytes[..head + 5]).unwrap();
    let empty = fracas(&["--quiet", "export", &path("empty.fracas"), "--to", "glb", "--out", &path("film.glb")]);
    assert_eq!(empty.status.code(), Some(2));
    assert!(text(&empty.stderr).contains("empty.fracas: the recording has no frames"), "{}", text(&empty.stderr));
    assert!(!Path::new(&path("film.glb")).exists());
    std::fs::write(path("cut.fracas"), &bytes[..bytes.len() * 3 / 4]).unwrap();
    let cut = export(&path("cut.fracas"), "glb", "film.glb");
    assert!(cut.status.success() && text(&cut.stderr).contains("whole frames are exported"), "{}", text(&cut.stderr));
    assert!(Path::new(&path("film.glb")).exists());
}
