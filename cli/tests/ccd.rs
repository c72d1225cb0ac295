//! `fracas ccd` as a user meets it.

#![allow(clippy::unwrap_used, reason = "the panic of a test is its report, in its helpers too")]

mod program;

use std::path::Path;
use std::process::Output;

use fracas::geometry::{TriMesh, io, shapes};
use glam::DVec3;
use serde_json::Value;

use program::{assert_refused, fracas, text, written};

fn ccd(arguments: &[&str]) -> Output {
    fracas(&[&["ccd"], arguments].concat())
}

fn json(arguments: &[&str]) -> Value {
    let output = ccd(&[arguments, &["--json", "-"]].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn write(folder: &Path, name: &str, content: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path.display().to_string()
}

/// Two triangles, after a vertex that no face has; the upper one is at a height and comes down with one corner.
fn falling(height: f64) -> TriMesh {
    let lower = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    let upper = [[1.0, 1.0, height], [0.0, 1.0, 9.0], [2.0, 1.0, 9.0]];
    let positions = [[7.0; 3]].into_iter().chain(lower).chain(upper).map(DVec3::from_array).collect();
    TriMesh::new(positions, vec![[1, 2, 3], [4, 5, 6]])
}

/// Two spheres, each in its own half of the mesh, that pass through each other.
fn spheres(shift: f64) -> TriMesh {
    let mut mesh = shapes::Sphere { radius: 1.0, frequency: 4 }.mesh().unwrap();
    let mut other = mesh.clone();
    other.positions.iter_mut().for_each(|p| *p = *p * 0.7 + DVec3::new(shift, 0.1, 0.05));
    mesh.append(&other);
    TriMesh::new(mesh.positions, mesh.triangles)
}

#[test]
fn contacts_have_the_numbers_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    for format in ["ply", "obj", "off"] {
        let [start, end] = [(2.0, "start"), (-2.0, "end")]
            .map(|(height, name)| written(folder.path(), &format!("{name}.{format}"), &falling(height)));
        let figures = json(&[&start, &end]);
        assert!(figures["first"]["t"].as_f64().is_some_and(|t| (0.5 - 1e-7..=0.5).contains(&t)), "{figures}");
        assert_eq!(figures["first"]["kind"], "vf");
        let contacts = figures["contacts"].as_array().unwrap();
        assert_eq!((&contacts[0]["kind"], &contacts[0]["ids"]), (&"vf".into(), &serde_json::json!([4, 0])));
        let edges: Vec<&Value> = contacts.iter().filter(|contact| contact["kind"] == "ee").collect();
        assert!(edges.iter().all(|contact| contact["ids"][0][1].is_u64() && contact["ids"][1][1].is_u64()));
        for key in ["vf", "ee"] {
            assert!(figures["tests"][key].is_u64(), "{key}");
        }
        for key in ["build", "traverse", "elementary", "total"] {
            assert!(figures["milliseconds"][key].as_f64().is_some_and(|time| time >= 0.0), "{key}");
        }
        assert!(figures["culled_ratio"].as_f64().is_some_and(|ratio| (0.0..=1.0).contains(&ratio)));
    }
    let [start, end] = ["start.ply", "end.ply"].map(|name| folder.path().join(name).display().to_string());
    let shown = text(&ccd(&[&start, &end]).stdout);
    for words in ["1 vertex-face", "first at 0.", "vertex 4 and face 0", "ms: build"] {
        assert!(shown.contains(words), "`{words}` is not in: {shown}");
    }
    let first = shown.split_once("first at ").and_then(|(_, rest)| rest.split(' ').next()?.parse::<f64>().ok());
    assert!(first.is_some_and(|first| first <= 0.5 && first > 0.5 - 1e-6), "{shown}");
    assert_eq!(json(&[&start, &start])["first"], Value::Null);
    assert!(text(&ccd(&[&start, &start]).stdout).starts_with("no contacts\n"));
}

#[test]
fn every_way_finds_the_same_contacts() {
    let folder = tempfile::tempdir().unwrap();
    let start = written(folder.path(), "start.ply", &spheres(2.5));
    let end = written(folder.path(), "end.ply", &spheres(-0.5));
    let all = json(&[&start, &end]);
    let contacts = all["contacts"].as_array().unwrap();
    assert!(contacts.len() > 100);
    assert!(all["culled_ratio"].as_f64().is_some_and(|ratio| ratio > 0.1), "{}", all["culled_ratio"]);
    for more in [&["--brute-force"][..], &["--culling", "off"], &["--culling", "contours", "--threads", "1", "--all"]] {
        let other = json(&[&[start.as_str(), end.as_str()], more].concat());
        assert!(other["contacts"] == all["contacts"] && other["first"] == all["first"], "{more:?}");
    }
    assert_eq!(json(&[&start, &end, "--brute-force"])["culled_ratio"], 0.0);
    let cones = json(&[&start, &end, "--culling", "dual-cones"]);
    assert!(cones["contacts"].as_array().unwrap().iter().all(|contact| contacts.contains(contact)));

    let earliest = contacts.iter().filter_map(|contact| contact["t"].as_f64()).fold(1.0, f64::min);
    for more in [&["--first"][..], &["--first", "--brute-force"], &["--first", "--threads", "3"]] {
        let first = json(&[&[start.as_str(), end.as_str()], more].concat());
        assert_eq!((&first["first"]["t"], &first["first"]), (&earliest.into(), &all["first"]));
        assert_eq!(first["contacts"].as_array().unwrap().len(), 1);
        assert_eq!(first["contacts"][0]["t"], earliest);
    }
}

#[test]
fn a_minimum_separation_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let [start, end] =
        [(2.0, "start.ply"), (0.5, "end.ply")].map(|(height, name)| written(folder.path(), name, &falling(height)));
    assert_eq!(json(&[&start, &end])["first"], Value::Null);
    assert_eq!(json(&[&start, &end, "--minimum-separation", "0.49"])["first"], Value::Null);
    let near = json(&[&start, &end, "--minimum-separation", "0.8"]);
    assert!(near["first"]["t"].as_f64().is_some_and(|t| (0.8 - 1e-6..=0.8).contains(&t)), "{near}");
    assert_eq!(json(&[&start, &end, "--minimum-separation", "0.8", "--brute-force"])["contacts"], near["contacts"]);
    assert!(json(&[&start, &end, "--minimum-separation", "1e300"])["first"]["t"] == 0.0);
    let output = ccd(&[&start, &end, "--minimum-separation", "-1"]);
    assert!(output.status.code() == Some(2) && text(&output.stderr).contains("expected a positive number"));
}

#[test]
fn frames_of_two_meshes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let start = written(folder.path(), "start.ply", &falling(2.0));
    let mut other = falling(1.0);
    other.triangles[1] = [4, 6, 5];
    let turned = written(folder.path(), "turned.ply", &other);
    assert_refused(
        &ccd(&[&start, &turned]),
        &["start.ply and ", "turned.ply are not two frames", "triangle 1 is of the vertices [4, 5, 6]", "[4, 6, 5]"],
    );
    other.triangles.pop();
    let fewer = written(folder.path(), "fewer.ply", &other);
    assert_refused(&ccd(&[&start, &fewer]), &["2 triangles in the one and 1 in the other"]);
    let mut other = falling(1.0);
    other.positions.push(DVec3::ZERO);
    let more = written(folder.path(), "more.ply", &other);
    assert_refused(&ccd(&[&start, &more]), &["7 vertices in the one and 8 in the other"]);
    assert_refused(&ccd(&[&start, "none.ply"]), &["none.ply", "no such file"]);
    let out = folder.path().join("none/out.json").display().to_string();
    assert_refused(&ccd(&[&start, &start, "--json", &out]), &["no such folder"]);
    assert_eq!(ccd(&[&start]).status.code(), Some(2));
    assert_eq!(ccd(&[&start, &start, "--all", "--first"]).status.code(), Some(2));
}

/// Vertices and lines of an OBJ file with a normal at each corner of each face: nothing but seams.
fn flat_shaded(mesh: &TriMesh) -> String {
    let mut lines: Vec<String> = mesh.positions.iter().map(|p| format!("v {} {} {}", p.x, p.y, p.z)).collect();
    for (face, [a, b, c]) in mesh.iter_corners().enumerate() {
        let normal = (b - a).cross(c - a).normalize_or_zero();
        lines.push(format!("vn {} {} {}", normal.x, normal.y, normal.z));
        let [a, b, c] = mesh.triangles[face].map(|vertex| format!("{0}//{1}", vertex + 1, face + 1));
        lines.push(format!("f {a} {b} {c}"));
    }
    lines.join("\n") + "\n"
}

#[test]
fn seams_and_files_without_numbers_open_no_gaps() {
    let folder = tempfile::tempdir().unwrap();
    let expected = {
        let [start, end] = [2.5, 0.5].map(|shift| written(folder.path(), &format!("{shift}.ply"), &spheres(shift)));
        json(&[&start, &end])
    };
    let [start, end] =
        [2.5, 0.5].map(|shift| write(folder.path(), &format!("{shift}.obj"), &flat_shaded(&spheres(shift))));
    assert_eq!(json(&[&start, &end])["contacts"], expected["contacts"]);

    // Single precision, and vertices numbered as they come up: as many contacts, but for the last digits.
    let rounded = |shift: f64| {
        let mut mesh = spheres(shift);
        mesh.positions.iter_mut().for_each(|p| *p = p.as_vec3().as_dvec3());
        mesh
    };
    let [plain, plain_end] = [2.5, 0.5].map(|shift| written(folder.path(), &format!("r{shift}.ply"), &rounded(shift)));
    let count = |figures: &Value| figures["contacts"].as_array().unwrap().len();
    let plain = json(&[&plain, &plain_end]);
    for format in ["stl", "glb"] {
        let [start, end] =
            [2.5, 0.5].map(|shift| written(folder.path(), &format!("{shift}.{format}"), &rounded(shift)));
        let figures = json(&[&start, &end]);
        assert_eq!((count(&figures), &figures["first"]), (count(&plain), &plain["first"]), "{format}");
    }
}

/// In the first frame the two triangles have a corner in common, as far as an STL file can tell; in the second not.
#[test]
fn vertices_of_stl_files_may_meet_in_one_frame() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = |gap: f32| {
        let low = [DVec3::ZERO, DVec3::X, DVec3::Y].map(|p| p - f64::from(gap) * DVec3::Z);
        let high = [DVec3::ZERO, DVec3::new(1.0, 0.0, 1.0), DVec3::new(0.0, 1.0, 1.0)];
        TriMesh::new([low, high].concat(), vec![[0, 1, 2], [3, 4, 5]])
    };
    let [start, end] =
        [(0.0, "start.stl"), (0.5, "end.stl")].map(|(gap, name)| written(folder.path(), name, &mesh(gap)));
    let figures = json(&[&start, &end]);
    assert_eq!(figures["first"]["t"], 0.0);
    let contact = |ids: Value| figures["contacts"].as_array().unwrap().iter().any(|contact| contact["ids"] == ids);
    assert!(contact(serde_json::json!([3, 0])) && contact(serde_json::json!([0, 1])), "{figures}");
}

#[test]
fn copies_are_welded_if_asked() {
    let folder = tempfile::tempdir().unwrap();
    // The same square twice over: each half with corners of its own.
    let square = |height: f64| {
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        TriMesh::new(corners.map(|[x, y]| DVec3::new(x, y, height)).to_vec(), vec![[0, 1, 2], [3, 4, 5]])
    };
    let [start, end] =
        [(0.0, "start.ply"), (1.0, "end.ply")].map(|(height, name)| written(folder.path(), name, &square(height)));
    assert_eq!(json(&[&start, &end])["first"]["t"], 0.0);
    assert!(text(&ccd(&[&start, &end]).stdout).contains("2 vertices are where another one is in both frames; --weld"));
    assert_eq!(json(&[&start, &end, "--weld"])["first"], Value::Null);
    assert!(!text(&ccd(&[&start, &end, "--weld"]).stdout).contains("--weld"));
}

/// A square that bends is cut along its other diagonal; it is the same square.
#[test]
fn faces_may_be_cut_up_in_two_ways() {
    let folder = tempfile::tempdir().unwrap();
    let square = |second: &str| format!("OFF 5 2 0\n0 0 0\n{second}\n2 2 0\n0 2 0\n1 1 5\n4 0 1 2 3\n3 0 1 4\n");
    let flat = write(folder.path(), "flat.off", &square("2 0 0"));
    // An arrowhead: only the diagonal through its notch is inside.
    let bent = write(folder.path(), "bent.off", &square("0.5 1.5 0"));
    let [flat_mesh, bent_mesh] = [&flat, &bent].map(|path| io::read_tri_mesh(path).unwrap());
    assert_ne!(flat_mesh.triangles, bent_mesh.triangles);
    // Cut as in the first frame, its corner moves over the diagonal.
    assert_eq!(json(&[&flat, &bent])["contacts"][0]["ids"], serde_json::json!([1, 1]));
}
