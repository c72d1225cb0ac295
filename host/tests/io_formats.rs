//! What each reader makes of the corners of its format, by hand-written files.

#![allow(clippy::unwrap_used, reason = "the panic of a test is its report, in its helpers too")]

mod io_samples;

use fracas::geometry::io::{
    GlbChannel, GlbMaterial, GlbMesh, GlbNode, GlbScene, GlbValues, ReadError, TetFormat, TriFormat, glb_to_bytes,
    read_tet_mesh, read_tet_mesh_bytes, read_tetgen_bytes, read_tri_mesh, read_tri_mesh_bytes, write_tri_mesh,
};
use fracas::geometry::{Pose, TriMesh};
use glam::{DQuat, DVec3, Vec2, Vec3};
use io_samples::{
    ascii_msh, ascii_msh_22, ascii_stl, big_endian_ply, binary_msh, gltf, octahedron, tet_cube, tetgen, vtk,
};

fn read(format: TriFormat, text: impl AsRef<[u8]>) -> Result<TriMesh, ReadError> {
    read_tri_mesh_bytes(format, text.as_ref(), "file")
}

fn obj(text: &str) -> TriMesh {
    read(TriFormat::Obj, text).unwrap()
}

fn error(format: TriFormat, text: impl AsRef<[u8]>) -> String {
    read(format, text).unwrap_err().to_string()
}

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

#[test]
fn obj_vertices_keep_their_numbers_where_attributes_agree() {
    // Each vertex has one normal, though by different lines with the same value.
    let mesh = obj(&format!("{SQUARE}vn 0 0 1\nvn 0 0 1\nf 1//1 2//1 3//2\nf 3//1 4//1 1//1\n"));
    assert_eq!(mesh.triangles, [[0, 1, 2], [2, 3, 0]]);
    assert_eq!((mesh.positions.len(), mesh.normals.unwrap()), (4, vec![Vec3::Z; 4]));
}

#[test]
fn obj_seams_append_copies_behind_the_vertices_of_the_file() {
    let mesh = obj(&format!("{SQUARE}vt 0 0\nvt 1 0\nvt 1 1\nvt .5 .5\nf 1/1 2/2 3/3\nf 3/4 4/1 1/4\nf 1/4 3/4 2/2\n"));
    assert_eq!(mesh.triangles, [[0, 1, 2], [4, 3, 5], [5, 4, 1]]);
    assert_eq!(mesh.positions[4..], [DVec3::new(1.0, 1.0, 0.0), DVec3::ZERO]);
    assert_eq!(mesh.uvs.unwrap()[4..], [Vec2::splat(0.5); 2]);
    assert_eq!(mesh.normals, None);
}

#[test]
fn obj_comments_continuations_line_ends_and_materials() {
    let text = "# head\r\nmtllib a b.mtl\r\nv 0 0 0 # origin\r\nv 1 \\\r\n 0 0\r\n\tv 0 1 0 1.0\r\n\r\ng x\r\ns off\r\n\
                f 1 2 3\r\nusemtl red wood\r\nf -3 \\\r\n-2 -1\r\nl 1 2\r\nusemtl glass\r\nf 3 2 1\r\nusemtl red wood\r\nf 1 2 3";
    let mesh = obj(text);
    assert_eq!(mesh.positions, [DVec3::ZERO, DVec3::X, DVec3::Y]);
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 1, 2], [2, 1, 0], [0, 1, 2]]);
    // Faces before the first `usemtl` have a material of their own.
    assert_eq!(mesh.materials.unwrap(), [0, 1, 2, 1]);
    assert_eq!(obj("v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r").triangles.len(), 1);
    let wide: Vec<u8> = std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    assert_eq!(read(TriFormat::Obj, wide).unwrap().triangles.len(), 4);
}

#[test]
fn obj_colours_are_shares_or_bytes() {
    let shares = obj("v 0 0 0 1 0.5 0\nv 1 0 0\nv 0 1 0 0 0 1 0.2\nf 1 2 3\n").colors.unwrap();
    assert_eq!(shares, [[255, 128, 0, 255], [255; 4], [0, 0, 255, 51]]);
    let bytes = obj("v 0 0 0 255 128 0\nv 1 0 0 1 2 3\nv 0 1 0 0 0 0\nf 1 2 3\n").colors.unwrap();
    assert_eq!(bytes, [[255, 128, 0, 255], [1, 2, 3, 255], [0, 0, 0, 255]]);
}

#[test]
fn obj_errors_name_the_line_and_what_is_wrong() {
    let cases = [
        ("v 0 0\n", "file, line 1: z is missing at the end of the line"),
        ("v 0 0 nan\n", "file, line 1: z is NaN, which is not finite"),
        ("v 0 1e999 0\n", "line 1: y is inf"),
        ("\nv 0 0 0,5\n", "file, line 2: found `0,5` where a number (z) is expected; decimals need a point"),
        ("f 1 2\n", "file, line 1: a face has 2 corners, but needs at least 3"),
        ("f 1 2 x\n", "file, line 1: found `x` where a vertex number is expected"),
        ("f 1 2 3/\u{1}\n", "file"),
        ("f 0 1 2\n", "file, line 1: face names vertex 0, but OBJ counts from 1"),
        ("f 1 2 3\n", "file, line 1: face names vertex 1, but only 0 are defined before the end of the file"),
        ("v 0 0 0\nf 1 -1 -2\n", "file, line 2: face names vertex -2, counted back from there, but fewer are defined"),
        (
            "v 0 0 0\nf 1 1 99999999999999999999\n",
            "line 2: face names vertex 99999999999999999999, but only 1 is defined",
        ),
        ("v 0 0 0\nf 1 1 -4294967295\n", "line 2: face names vertex -4294967295"),
        ("v 0 0 0\nvt 0 0\nf 1/1 1/2 1/1\n", "file, line 3: face names texture coordinate 2, but only 1 is defined"),
        ("v 0 0 0\nf 1//1 1//1 1//1\n", "file, line 2: face names normal 1, but only 0 are defined"),
        ("v 0 0 0\n", "file: has no faces"),
        ("", "file: the file is empty"),
    ];
    for (text, words) in cases {
        let message = error(TriFormat::Obj, text);
        assert!(message.contains(words), "{text:?}: {message}");
    }
    // The line is right in a file of several chunks too.
    let long = "v 0.25 0.5 0.75\n".repeat(200_000) + "f 1 2 3\nf 1 2 200001\n";
    assert!(error(TriFormat::Obj, long).contains("line 200002: face names vertex 200001, but only 200000 are"));
}

#[test]
fn obj_chunks_join_as_one_file() {
    // Relative numbers and continuations across the places where a large file is cut.
    let quads = 40_000;
    let mut text = String::new();
    for quad in 0..quads {
        text.push_str(&format!("v 0 0 {quad}\nv 1 0 {quad}\nv 1 1 \\\n{quad}\nv 0 1 {quad}\nf -4 -3 \\\n -2 -1\n"));
    }
    let mesh = obj(&text);
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (4 * quads, 2 * quads));
    for quad in (0..quads).step_by(997) {
        let base = 4 * quad as u32;
        assert_eq!(mesh.triangles[2 * quad..2 * quad + 2], [[base, base + 1, base + 2], [base, base + 2, base + 3]]);
        assert_eq!(mesh.positions[4 * quad + 2], DVec3::new(1.0, 1.0, quad as f64));
    }
}

// Needs the real `triangulate_face`: a fan would fold over the notch.
#[test]
fn obj_concave_faces_keep_their_area() {
    let mesh = obj("v 2 0 0\nv .5 .5 0\nv 0 2 0\nv 0 0 0\nf 1 2 3 4\n");
    assert!((mesh.area() - 1.0).abs() < 1e-12, "{}", mesh.area());
}

#[test]
fn ply_in_every_encoding_gives_the_same_mesh() {
    let mesh = octahedron();
    let plain = TriMesh::new(mesh.positions.clone(), mesh.triangles.clone());
    assert_eq!(read(TriFormat::Ply, big_endian_ply(&mesh)).unwrap(), plain);
    assert_eq!(read(TriFormat::Ply, io_samples::bytes(TriFormat::Ply, &mesh, true)).unwrap(), mesh);
    assert_eq!(read(TriFormat::Ply, io_samples::bytes(TriFormat::Ply, &mesh, false)).unwrap(), mesh);
}

#[test]
fn ply_strips_quads_and_float_colours() {
    let head = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
                property float red\nproperty float green\nproperty float blue\n";
    let rows = "0 0 0 1 0 0\n1 0 0 0 1 0\n1 1 0 0 0 1\n0 1 0 .5 .5 .5\n";
    let quad = format!("{head}element face 1\nproperty list uchar int vertex_indices\nend_header\n{rows}4 0 1 2 3\n");
    let mesh = read(TriFormat::Ply, quad).unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(mesh.colors.unwrap()[..2], [[255, 0, 0, 255], [0, 255, 0, 255]]);
    let strip = format!(
        "{head}element tristrips 1\nproperty list int int vertex_indices\nend_header\n{rows}8 0 1 3 2 -1 0 1 2\n"
    );
    assert_eq!(read(TriFormat::Ply, strip).unwrap().triangles, [[0, 1, 3], [3, 1, 2], [0, 1, 2]]);
}

#[test]
fn ply_errors_name_the_line_or_the_byte() {
    let head = |vertices: &str, faces: &str, format: &str| {
        format!(
            "ply\nformat {format} 1.0\nelement vertex {vertices}\nproperty float x\nproperty float y\nproperty float z\n\
             element face {faces}\nproperty list uchar int vertex_indices\nend_header\n"
        )
    };
    let rows = "0 0 0\n1 0 0\n0 1 0\n";
    let cases = [
        ("plx\n".to_owned(), "line 1: found `plx`"),
        ("ply\nformat odd 1.0\n".to_owned(), "line 2: format `odd` is none of"),
        ("ply\nelement vertex x\n".to_owned(), "line 2: found `x` where the number of elements"),
        ("ply\nproperty float x\n".to_owned(), "line 2: a property stands before the first element"),
        ("ply\nelement vertex 3\nproperty half x\n".to_owned(), "line 3: `half` is no type"),
        ("ply\nelement vertex 3\nend_header\n".to_owned(), "line 3: the header has no line `format`"),
        (
            head("4000000000", "1", "binary_little_endian"),
            "byte 178: the 4000000000 vertices should take 48000000000 bytes",
        ),
        (
            head("4000000000", "1", "ascii"),
            "line 10: the header counts 4000000000 rows of vertex, but the file ends after 0",
        ),
        (head("3", "4000000000", "ascii") + rows + "3 0 1 2\n", "line 14: the header counts 4000000000 rows of face"),
        (head("3", "1", "ascii") + rows + "3 0 1 3\n", "line 13: a face names vertex 3, but there are 3"),
        (head("3", "1", "ascii") + rows + "3 0 1 -1\n", "line 13: a face names vertex -1"),
        (head("3", "1", "ascii") + rows + "3 0 1\n", "line 13: a vertex number is missing"),
        (head("3", "1", "ascii") + rows + "3 0 1 2 9\n", "line 13: the row goes on with `9`"),
        (head("3", "1", "ascii") + rows + "4000000000 0 1 2\n", "line 13: a vertex number is missing"),
        (head("3", "1", "ascii") + "0 0 inf\n", "line 10: vertex 0 has a coordinate that is not finite"),
        (head("3", "0", "ascii") + rows, "file: has no faces"),
    ];
    for (text, words) in cases {
        let message = error(TriFormat::Ply, &text);
        assert!(message.contains(words), "{text:?}: {message}");
    }
}

#[test]
fn stl_is_decided_by_its_size_and_joined_where_corners_are_equal() {
    let mesh = octahedron();
    let mut binary = io_samples::bytes(TriFormat::Stl, &mesh, false);
    binary[..6].copy_from_slice(b"solid ");
    for bytes in [binary.clone(), ascii_stl(&mesh)] {
        let read = read(TriFormat::Stl, bytes).unwrap();
        assert_eq!((read.positions.len(), read.triangles.len()), (6, 8));
        assert!(fracas::geometry::PolyMesh::from(&read).is_watertight());
        assert!((read.volume() - mesh.volume()).abs() < 1e-15);
    }
    let cut = &binary[..binary.len() - 7];
    assert!(
        error(TriFormat::Stl, cut)
            .contains("byte 80: the header counts 8 facets, which take 484 bytes, but the file has 477")
    );
    let mut infinite = binary.clone();
    infinite[84 + 50 + 12..][..4].copy_from_slice(&f32::INFINITY.to_le_bytes());
    assert!(
        error(TriFormat::Stl, infinite).contains("byte 146: corner 0 of facet 1 has a coordinate that is not finite")
    );
    assert!(
        error(TriFormat::Stl, "solid x\nfacet\nouter loop\nvertex 0 0 0\nendfacet\n")
            .contains("line 5: found `endfacet`")
    );
    assert!(error(TriFormat::Stl, "solid x\nfacet\nouter loop\nvertex 0 0 0\n").contains("cut short"));
    assert!(error(TriFormat::Stl, "solid x\nendsolid\n").contains("has no facets"));
    assert!(error(TriFormat::Stl, "hello").contains("is no STL file"));
}

#[test]
fn off_with_prefixes_comments_and_counts_on_the_first_line() {
    let text = "STCNOFF 3 1 0 # counts\n\n0 0 0  0 0 2  1 0 0 0.5  0.25 0.75\n1 0 0  0 0 1  0 1 0 1  0 0\n# more\n\
                0 1 0  0 0 1  0 0 1 1  1 1\n3 0 1 2  255 0 0\n";
    let mesh = read(TriFormat::Off, text).unwrap();
    assert_eq!(mesh.normals.unwrap(), [Vec3::Z; 3]);
    assert_eq!(mesh.uvs.unwrap()[0], Vec2::new(0.25, 0.75));
    assert_eq!(mesh.colors.unwrap(), [[255, 0, 0, 128], [0, 255, 0, 255], [0, 0, 255, 255]]);
    let bytes = "COFF\n3 1\n0 0 0 255 0 0\n1 0 0 0 7 0\n0 1 0 0 0 9\n3 0 1 2\n";
    assert_eq!(read(TriFormat::Off, bytes).unwrap().colors.unwrap()[1], [0, 7, 0, 255]);
    assert_eq!(read(TriFormat::Off, "3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n").unwrap().triangles.len(), 1);
    let cases = [
        ("XOFF\n", "line 1: found `XOFF` where `OFF` is expected"),
        ("4OFF\n", "has points of another dimension than 3"),
        ("OFF BINARY\n", "binary OFF is not read"),
        ("OFF\n3 1 0\n0 0 0\n1 0 0\n", "line 5: 3 vertices are announced, but the file ends after 2"),
        ("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "line 6: face 0 names vertex 3, but there are 3"),
        ("OFF\n3 9 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "line 7: 9 faces are announced, but the file ends after 1"),
        ("OFF\n3 0 0\n0 0 0\n1 0 0\n0 1 0\n", "line 2: the file has no faces"),
        ("OFF\n-3 1 0\n", "line 2: the number of vertices is -3, but must not be negative"),
    ];
    for (text, words) in cases {
        let message = error(TriFormat::Off, text);
        assert!(message.contains(words), "{text:?}: {message}");
    }
}

#[test]
fn gltf_scenes_become_one_mesh_in_the_world() {
    let mesh = read(TriFormat::Gltf, gltf()).unwrap();
    // A strip of a square, twice as large at x = 10; then a mirrored fan, whose third vertex a sparse value lifts.
    assert_eq!(mesh.positions[3], DVec3::new(12.0, 2.0, 0.0));
    assert_eq!(
        mesh.positions[4..8],
        [(10, 5.0), (9, 5.0), (10, 5.0), (9, 5.5)]
            .iter()
            .zip([0, 0, 1, 1])
            .map(|(&(x, z), y)| DVec3::new(f64::from(x), f64::from(y), z))
            .collect::<Vec<_>>()
    );
    assert_eq!(mesh.triangles, [[0, 1, 2], [1, 3, 2], [4, 7, 5], [4, 6, 7]]);
    assert_eq!(mesh.materials.as_deref(), Some(&[1, 1, 0, 0][..]));
}

#[test]
fn gltf_documents_that_ask_too_much_are_refused() {
    let text = String::from_utf8(gltf()).unwrap();
    let compact = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let change = |path: &str, value: serde_json::Value| {
        let mut document = compact(&text);
        *document.pointer_mut(path).unwrap() = value;
        error(TriFormat::Gltf, document.to_string())
    };
    let cases = [
        ("/nodes/1", serde_json::json!({ "children": [0] }), "node 0 is reached twice, but nodes must form a tree"),
        ("/nodes/0/children", serde_json::json!([7]), "node 7 is used but not defined"),
        ("/nodes/1/mesh", 9.into(), "mesh 9 is used but not defined"),
        ("/scene", 4.into(), "scene 4 is not defined"),
        (
            "/accessors/0/count",
            4_000_000_000_u64.into(),
            "accessor 0 has 4000000000 elements, which is more than the file can hold",
        ),
        (
            "/accessors/0/count",
            5.into(),
            "accessor 0 has 5 elements of 12 bytes from byte 0, but buffer view 0 has 48 bytes",
        ),
        ("/accessors/0/bufferView", 77.into(), "uses buffer view 77, which is not defined"),
        ("/accessors/0/type", "MAT4".into(), "accessor 0 is a `MAT4`"),
        ("/accessors/1/componentType", 5126.into(), "accessor 1 holds indices, but has the component type 5126"),
        ("/accessors/3/sparse/count", 9.into(), "the sparse part of accessor 3 has 9 elements"),
        ("/bufferViews/0/byteLength", u64::MAX.into(), "buffer view 0 has 18446744073709551615 bytes from byte 0"),
        ("/buffers/0/uri", "../secret.bin".into(), "needs the path of this one to be found"),
        ("/buffers/0/byteLength", 9999.into(), "buffer 0 should have 9999 bytes, but has 76"),
        ("/asset/version", "1.0".into(), "is glTF `1.0`, but only 2.0 is read"),
        ("/meshes/1/primitives/0/material", 3.into(), "material 3 is used but not defined"),
    ];
    for (path, value, words) in cases {
        let message = change(path, value);
        assert!(message.contains(words), "{path}: {message}");
    }
    assert!(error(TriFormat::Gltf, "{\n\"asset\": 3\n}").contains("file, line 2: is no glTF"));
    let draco = text.replacen('{', "{\"extensionsRequired\": [\"KHR_draco_mesh_compression\"],", 1);
    assert!(error(TriFormat::Gltf, draco).contains("requires the extension `KHR_draco_mesh_compression`"));
}

#[test]
fn a_small_gltf_cannot_fill_the_memory() {
    let mut document: serde_json::Value = serde_json::from_slice(&gltf()).unwrap();
    let many = 20_000;
    document["nodes"] = (0..many).map(|_| serde_json::json!({ "mesh": 0 })).collect();
    document["scenes"][0]["nodes"] = (0..many).collect();
    let primitive = document["meshes"][0]["primitives"][0].clone();
    document["meshes"][0]["primitives"] = (0..many).map(|_| primitive.clone()).collect();
    assert!(error(TriFormat::Gltf, document.to_string()).contains("the scene's nodes repeat meshes to more than"));
}

#[test]
fn glb_scenes_keep_names_poses_extras_and_materials() {
    let piece = octahedron();
    let mut placed = GlbNode::new("piece 1", 0, Pose::new(DQuat::from_rotation_z(0.5), DVec3::new(1.0, 2.0, 3.0)));
    placed.extras = Some(serde_json::json!({ "volume": 0.5625, "centroid": [0.0, 0.0, 0.0] }));
    let scene = GlbScene {
        meshes: vec![GlbMesh::new("shard", &piece)],
        nodes: vec![GlbNode::new("piece 0", 0, Pose::IDENTITY), placed],
        materials: vec![GlbMaterial::default(), GlbMaterial { name: "inside".to_owned(), ..GlbMaterial::default() }],
        ..GlbScene::default()
    };
    let bytes = glb_to_bytes(&scene, "pieces.glb").unwrap();
    // Another implementation agrees that the document is valid.
    let other = gltf::Gltf::from_slice(&bytes).unwrap();
    let names: Vec<_> = other.nodes().map(|node| node.name().unwrap().to_owned()).collect();
    assert_eq!(names, ["piece 0", "piece 1"]);
    let materials: Vec<_> = other.materials().map(|material| material.name().unwrap().to_owned()).collect();
    assert_eq!(materials, ["inside", "material_4"]);
    let blob = other.blob.as_deref().unwrap();
    let reader = other.meshes().next().unwrap().primitives().next().unwrap();
    let reader = reader.reader(|_| Some(blob));
    assert_eq!(reader.read_positions().unwrap().count(), 6);
    assert_eq!(reader.read_indices().unwrap().into_u32().count(), 12);
    let json: serde_json::Value =
        serde_json::from_slice(&bytes[20..20 + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize])
            .unwrap();
    assert_eq!(json["nodes"][1]["extras"]["volume"], 0.5625);
    assert_eq!(json["accessors"][0]["max"], serde_json::json!([0.75, 0.75, 0.75]));
    let mesh = read(TriFormat::Gltf, &bytes).unwrap();
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (12, 16));
    let expected = DQuat::from_rotation_z(0.5) * piece.positions[0] + DVec3::new(1.0, 2.0, 3.0);
    assert!((mesh.positions[6] - expected).length() < 1e-12);
    // What has no size is not to be seen.
    let mut scene = scene;
    scene.nodes[1].scale = 0.0;
    let bytes = glb_to_bytes(&scene, "pieces.glb").unwrap();
    assert_eq!(read(TriFormat::Gltf, &bytes).unwrap().triangles.len(), 8);
    // A node belongs to one that comes before it, and to no other.
    scene.nodes[0].children = vec![1];
    gltf::Gltf::from_slice(&glb_to_bytes(&scene, "pieces.glb").unwrap()).unwrap();
    for children in [vec![0], vec![1, 1], vec![7]] {
        scene.nodes[0].children = children;
        assert!(
            glb_to_bytes(&scene, "pieces.glb").unwrap_err().to_string().contains("cannot belong to node `piece 0`")
        );
    }
    scene.nodes[0].children = Vec::new();
    let channel = |times: &[f32], count: usize| GlbChannel {
        node: 0,
        times: times.to_vec(),
        values: GlbValues::Scale(vec![1.0; count]),
        is_stepped: true,
    };
    let refused = [
        channel(&[0.0, 0.0], 2),
        channel(&[-1.0], 1),
        channel(&[], 0),
        channel(&[0.0, f32::NAN], 2),
        channel(&[0.0], 2),
    ];
    for channel in refused {
        scene.channels = vec![channel];
        assert!(
            glb_to_bytes(&scene, "pieces.glb").unwrap_err().to_string().contains("the animation of node `piece 0` has")
        );
    }
    // An empty scene is a valid file too.
    gltf::Gltf::from_slice(&glb_to_bytes(&GlbScene::default(), "none.glb").unwrap()).unwrap();
    let nowhere = GlbScene { nodes: vec![GlbNode::new("x", 3, Pose::IDENTITY)], ..GlbScene::default() };
    assert!(glb_to_bytes(&nowhere, "none.glb").unwrap_err().to_string().contains("none.glb: node `x` names mesh 3"));
}

#[test]
fn gltf_buffers_beside_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut document: serde_json::Value = serde_json::from_slice(&gltf()).unwrap();
    let mut buffer = Vec::new();
    for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        buffer.extend([x as f32, y as f32, 0.0].iter().flat_map(|part| part.to_le_bytes()));
    }
    buffer.extend([0, 1, 2, 3]);
    buffer.resize(76, 0);
    std::fs::write(folder.path().join("a b.bin"), &buffer).unwrap();
    document["buffers"][0]["uri"] = "a%20b.bin".into();
    let path = folder.path().join("model.GLTF");
    std::fs::write(&path, document.to_string()).unwrap();
    assert_eq!(read_tri_mesh(&path).unwrap().triangles.len(), 4);
    document["buffers"][0]["uri"] = "../a%20b.bin".into();
    std::fs::write(&path, document.to_string()).unwrap();
    assert!(read_tri_mesh(&path).unwrap_err().to_string().contains("leads out of the file's folder"));
}

#[test]
fn tetrahedra_in_every_format_give_the_same_mesh() {
    let mesh = tet_cube();
    let files = [
        (TetFormat::Msh, ascii_msh(&mesh)),
        (TetFormat::Msh, ascii_msh_22(&mesh)),
        (TetFormat::Msh, binary_msh(&mesh, false)),
        (TetFormat::Msh, binary_msh(&mesh, true)),
        (TetFormat::Vtk, vtk(&mesh, false, false)),
        (TetFormat::Vtk, vtk(&mesh, true, false)),
        (TetFormat::Vtk, vtk(&mesh, false, true)),
        (TetFormat::Vtk, vtk(&mesh, true, true)),
    ];
    for (number, (format, bytes)) in files.iter().enumerate() {
        assert_eq!(read_tet_mesh_bytes(*format, bytes, "file").unwrap(), mesh, "file {number}");
    }
    let folder = tempfile::tempdir().unwrap();
    for base in [0, 1] {
        let [node, ele] = tetgen(&mesh, base);
        assert_eq!(read_tetgen_bytes(&node, &ele, ["a.node", "a.ele"]).unwrap(), mesh);
        std::fs::write(folder.path().join("a.1.node"), node).unwrap();
        std::fs::write(folder.path().join("a.1.ele"), ele).unwrap();
        for name in ["a.1.node", "a.1.ele"] {
            assert_eq!(read_tet_mesh(folder.path().join(name)).unwrap(), mesh);
        }
    }
    std::fs::remove_file(folder.path().join("a.1.ele")).unwrap();
    let error = read_tet_mesh(folder.path().join("a.1.node")).unwrap_err().to_string();
    assert!(error.ends_with("a.1.ele: there is no such file"), "{error}");
}

#[test]
fn tetrahedra_that_are_inside_out_are_turned() {
    let mut mesh = tet_cube();
    for tet in &mut mesh.tets {
        tet.swap(0, 1);
    }
    let read = read_tet_mesh_bytes(TetFormat::Msh, &ascii_msh(&mesh), "file").unwrap();
    assert!((0..5).all(|tet| read.tet_volume(tet) > 0.0));
}

#[test]
fn errors_of_tetrahedral_files_name_the_place() {
    let message =
        |format: TetFormat, text: &str| read_tet_mesh_bytes(format, text.as_bytes(), "file").unwrap_err().to_string();
    let msh = String::from_utf8(ascii_msh(&tet_cube())).unwrap();
    let cases = [
        (msh.replace("4.1 0 8", "4.0 0 8"), "line 2: version `4.0` of MSH is not read"),
        (msh.replace("2 8 10 99", "2 4000000000 10 99"), "line 8: the number of nodes is 4000000000, but only"),
        (msh.replace("\n12\n", "\n10\n"), "node 10 is defined twice"),
        (
            msh.replace("1 10 12 14\n", "1 10 12 14\n9 9 9 9\n"),
            "line 39: found `$EndElements` where a whole number (the tag of an element) is expected",
        ),
        (msh.replace("$EndNodes", ""), "the section `$Nodes` has no end"),
        (
            msh[..msh.find("$Elements").unwrap()].to_owned(),
            "file: has no tetrahedra with four nodes (0 cells of other kinds",
        ),
        ("hello".to_owned(), "line 1: `$MeshFormat` is expected"),
    ];
    for (text, words) in cases {
        let found = message(TetFormat::Msh, &text);
        assert!(found.contains(words), "{words}: {found}");
    }
    let vtk = String::from_utf8(vtk(&tet_cube(), false, false)).unwrap();
    let cases = [
        (vtk.replace("POINTS 8 double", "POINTS 4000000000 double"), "the points"),
        (vtk.replace("UNSTRUCTURED_GRID", "POLYDATA"), "line 4: the dataset is `POLYDATA`"),
        (vtk.replace("CELLS 6", "CELLS 7"), "cell 6 goes beyond the 29 numbers of the cell list"),
        (vtk.replace("CELL_TYPES 6", "CELL_TYPES 5"), "found `10`"),
        (vtk.replace("\n4\n", "\n3\n"), "cell"),
    ];
    for (text, words) in cases {
        let found = message(TetFormat::Vtk, &text);
        assert!(found.contains(words), "{words}: {found}");
    }
    let [node, ele] = tetgen(&tet_cube(), 1).map(|bytes| String::from_utf8(bytes).unwrap());
    let pair = |node: &str, ele: &str| {
        read_tetgen_bytes(node.as_bytes(), ele.as_bytes(), ["a.node", "a.ele"]).unwrap_err().to_string()
    };
    assert!(
        pair(&node.replace("8 3 1 1", "9 3 1 1"), &ele)
            .contains("a.node, line 11: 9 nodes are announced, but the file ends after 8")
    );
    assert!(pair(&node, &ele.replace("5 4 1", "5 10 1")).contains("a.ele, line 2: the tetrahedra have 10 nodes"));
    assert!(pair(&node, &ele.replace("\t", " 9")).contains("a.ele, line 3: a tetrahedron names node 9"));
}

#[test]
fn names_that_are_no_mesh_files() {
    let folder = tempfile::tempdir().unwrap();
    let missing = read_tri_mesh(folder.path().join("none.obj")).unwrap_err().to_string();
    assert!(missing.ends_with("none.obj: there is no such file"), "{missing}");
    let unknown = read_tri_mesh("a.fbx").unwrap_err().to_string();
    assert_eq!(
        unknown,
        "a.fbx: the extension `.fbx` is not known here; known are .obj, .ply, .stl, .off, .gltf and .glb"
    );
    assert!(read_tri_mesh("noextension").unwrap_err().to_string().contains("the extension (none) is not known"));
    assert!(read_tet_mesh("a.obj").unwrap_err().to_string().contains(".msh (Gmsh), .node with .ele (TetGen) and .vtk"));
    let mesh = octahedron();
    let error = write_tri_mesh(folder.path().join("a.fbx"), &mesh).unwrap_err().to_string();
    assert!(error.ends_with("cannot be written; known are .obj, .ply, .stl, .off and .glb"), "{error}");
    let error = write_tri_mesh(folder.path().join("a.obj"), &TriMesh::default()).unwrap_err().to_string();
    assert!(error.contains("no triangles"), "{error}");
    let mut large = mesh.clone();
    large.positions[0].x = 1e300;
    for name in ["a.stl", "a.glb"] {
        assert!(write_tri_mesh(folder.path().join(name), &large).unwrap_err().to_string().contains("single precision"));
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    write_tri_mesh(folder.path().join("A.OBJ"), &mesh).unwrap();
    assert_eq!(read_tri_mesh(folder.path().join("A.OBJ")).unwrap(), mesh);
}
