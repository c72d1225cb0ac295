//! The readers on real files, good and bad; passes where the folder of models is absent.

#![allow(clippy::unwrap_used, reason = "the panic of a test is its report, in its helpers too")]

use std::path::PathBuf;

use fracas::geometry::io::{read_tet_mesh, read_tri_mesh};
use fracas::geometry::{PolyMesh, TriMesh};

fn models() -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/models");
    folder.is_dir().then_some(folder)
}

fn volume_is(found: f64, expected: f64, name: &str) {
    assert!((found - expected).abs() <= 1e-4 * expected.abs(), "{name}: volume {found}, expected {expected}");
}

#[test]
fn surfaces_load_with_their_counts_and_volumes() {
    let Some(models) = models() else { return };
    let expected = [
        ("armadillo_29k_oded.obj", 14587, 29170, 0.068323),
        ("bunny_60k_oded.obj", 29834, 59664, 0.74545),
        ("bunny_7k_igl.off", 3485, 6966, 0.00075393),
        ("chain_link_440.obj", 220, 440, 0.10204),
        ("dragon_100k.obj", 50000, 100_000, 155.75),
        ("dragon_50k_splishsplash.obj", 25007, 50000, 0.10904),
        ("plate_16k_pymesh.ply", 8192, 16380, 239.9),
        ("torus_4.6k_oded.obj", 2304, 4608, 1.2188),
        ("torus_8.7k_trimesh.stl", 4350, 8700, 4.9175),
        ("wrecking_ball_624.obj", 312, 624, 32.431),
    ];
    for (name, vertices, triangles, volume) in expected {
        let mesh = read_tri_mesh(models.join("surface").join(name)).unwrap();
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (vertices, triangles), "{name}");
        assert_eq!(mesh.check(), Ok(()), "{name}");
        volume_is(mesh.volume(), volume, name);
        let watertight = name != "dragon_50k_splishsplash.obj";
        assert!(!watertight || PolyMesh::from(&mesh).is_watertight(), "{name}");
    }
}

#[test]
fn tetrahedra_load_with_their_counts_and_volumes() {
    let Some(models) = models() else { return };
    let expected = [
        ("armadillo_4k_pbd.node", 1180, 3717, 1.8596, 2102),
        ("armadillo_4k_pbd.ele", 1180, 3717, 1.8596, 2102),
        ("bunny_ipc.msh", 4670, 19379, 6.0104, 6266),
        ("plate1_ipc.msh", 3362, 9600, 0.0083333, 6720),
    ];
    for (name, vertices, tets, volume, faces) in expected {
        let mesh = read_tet_mesh(models.join("tet").join(name)).unwrap();
        assert_eq!((mesh.positions.len(), mesh.tets.len()), (vertices, tets), "{name}");
        assert_eq!(mesh.check(), Ok(()), "{name}");
        volume_is(mesh.volume(), volume, name);
        let surface = mesh.surface();
        assert_eq!(surface.triangles.len(), faces, "{name}");
        volume_is(surface.volume(), volume, name);
    }
}

/// What a bad file should give: a mesh of so many vertices and triangles, or a message with these words.
enum Outcome {
    Mesh(usize, usize),
    Error(&'static str),
}

#[test]
fn bad_files_give_a_clear_error_or_a_mesh() {
    use Outcome::{Error, Mesh};
    let Some(models) = models() else { return };
    let expected = [
        ("all_degen.off", Mesh(7, 7)),
        ("box_utf16be.obj", Mesh(8, 12)),
        (
            "box_with_infinites.glb",
            Error("primitive 0 of mesh 0: vertex 0 (accessor 2) has a coordinate that is not finite"),
        ),
        ("busted.stl", Mesh(1941, 3878)),
        ("caps_and_needles.off", Mesh(9, 3)),
        ("crash_30d6.ply", Error(", line 7: the header has no line `end_header`")),
        ("cube_crlf_header.ply", Mesh(8, 12)),
        ("cube_with_fold.ply", Mesh(26, 48)),
        // The file has six vertices, of which five are used.
        ("deg_faces.obj", Mesh(6, 4)),
        ("empty.obj", Error(": the file is empty")),
        ("empty.ply", Error(": the file is empty")),
        ("invalid.off", Error(", line 6: face 0 has 0 corners, but needs at least 3")),
        (
            "invalid_index.obj",
            Error(", line 12: face names vertex 7, but only 6 are defined before the end of the file"),
        ),
        ("kitchenpot_coacd.obj", Mesh(5808, 23288)),
        ("malformed.obj", Error(", line 28: face names vertex 0, but OBJ counts from 1")),
        ("negative_indices.obj", Mesh(24, 12)),
        ("non_manifold.off", Mesh(8, 4)),
        ("outofmemory.off", Error(", line 2: the number of vertices is 353535235358, but only")),
        ("overlapping_triangles.off", Mesh(4, 2)),
        ("soup.stl", Mesh(300, 100)),
        ("sphere_with_hole.stl", Mesh(146, 285)),
    ];
    let mut files: Vec<String> = std::fs::read_dir(models.join("bad"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    for name in &files {
        assert!(expected.iter().any(|(known, _)| known == name), "{name} has no expected outcome");
    }
    for (name, outcome) in expected {
        let read = read_tri_mesh(models.join("bad").join(name));
        match (outcome, read) {
            (Mesh(vertices, triangles), Ok(mesh)) => {
                assert_eq!((mesh.positions.len(), mesh.triangles.len()), (vertices, triangles), "{name}");
                assert_eq!(mesh.check(), Ok(()), "{name}");
            }
            (Error(words), Err(error)) => {
                let message = error.to_string();
                assert!(message.contains(&format!("{name}{words}")) || message.contains(words), "{name}: {message}");
                assert!(message.contains(name), "{message}");
                assert!(!message.contains('\n'), "{name}: more than one line: {message}");
            }
            (_, read) => panic!("{name}: {:?}", read.map(|mesh| (mesh.positions.len(), mesh.triangles.len()))),
        }
    }
}

#[test]
fn the_negative_indices_make_a_watertight_cube() {
    let Some(models) = models() else { return };
    let mesh = read_tri_mesh(models.join("bad/negative_indices.obj")).unwrap();
    // The eight vertices of the file come first; copies for the corners of other faces follow.
    let number = |position| mesh.positions.iter().position(|other| *other == position).unwrap() as u32;
    let triangles: Vec<[u32; 3]> =
        mesh.triangles.iter().map(|corners| corners.map(|vertex| number(mesh.positions[vertex as usize]))).collect();
    assert!(triangles.iter().flatten().all(|&vertex| vertex < 8));
    let joined = TriMesh::new(mesh.positions[..8].to_vec(), triangles);
    assert!(PolyMesh::from(&joined).is_watertight());
    volume_is(joined.volume(), 8.0, "cube");
}
