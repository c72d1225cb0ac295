//! Small valid files of every format, some of which the library reads but does not write.

#![allow(dead_code, clippy::unwrap_used, reason = "each test uses some of these, and a panic is its report")]

use fracas::geometry::io::{TriFormat, WriteOptions, tri_mesh_to_bytes};
use fracas::geometry::{TetMesh, TriMesh};
use glam::{DVec3, Vec2};

/// A closed octahedron with every attribute.
pub(crate) fn octahedron() -> TriMesh {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z];
    let mut triangles = Vec::new();
    for octant in 0..8 {
        let pick = |axis: u32| axis + if octant >> axis & 1 == 1 { 3 } else { 0 };
        let [x, y, z] = [pick(0), pick(1), pick(2)];
        triangles.push(if (octant as u32).count_ones().is_multiple_of(2) { [x, y, z] } else { [x, z, y] });
    }
    let mut mesh = TriMesh::new(axes.map(|axis| axis * 0.75).to_vec(), triangles);
    mesh.normals = Some(axes.map(|axis| axis.as_vec3()).to_vec());
    mesh.uvs = Some((0..6).map(|vertex| Vec2::new(vertex as f32 / 8.0, 0.5)).collect());
    mesh.colors = Some((0..6).map(|vertex| [40 * vertex, 255, 7, 200]).collect());
    mesh.materials = Some(vec![1, 1, 1, 4, 4, 4, 4, 1]);
    mesh
}

/// A cube of five tetrahedra.
pub(crate) fn tet_cube() -> TetMesh {
    let positions = (0..8).map(|i| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64)).collect();
    let tets = vec![[0, 1, 2, 4], [3, 2, 1, 7], [5, 4, 7, 1], [6, 7, 4, 2], [1, 2, 4, 7]];
    let mut mesh = TetMesh { positions, tets };
    mesh.orient();
    mesh
}

pub(crate) fn bytes(format: TriFormat, mesh: &TriMesh, ascii: bool) -> Vec<u8> {
    tri_mesh_to_bytes(format, mesh, &WriteOptions { ascii }, "sample").unwrap()
}

/// A PLY in the other byte order, with an element and properties that mean nothing here.
pub(crate) fn big_endian_ply(mesh: &TriMesh) -> Vec<u8> {
    let mut bytes = format!(
        "ply\r\nformat binary_big_endian 1.0\r\ncomment {0}\r\nelement odd 2\r\nproperty list ushort double numbers\r\n\
         element vertex {1}\r\nproperty uchar flag\r\nproperty float z\r\nproperty float y\r\nproperty float x\r\n\
         element face {2}\r\nproperty short kind\r\nproperty list int ushort vertex_index\r\nend_header\r\n",
        "not read",
        mesh.positions.len(),
        mesh.triangles.len()
    )
    .into_bytes();
    for numbers in [&[1.0_f64, 2.0][..], &[]] {
        bytes.extend((numbers.len() as u16).to_be_bytes());
        bytes.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
    }
    for position in &mesh.positions {
        bytes.push(9);
        for part in [position.z, position.y, position.x] {
            bytes.extend((part as f32).to_be_bytes());
        }
    }
    for triangle in &mesh.triangles {
        bytes.extend((-1_i16).to_be_bytes());
        bytes.extend(3_i32.to_be_bytes());
        bytes.extend(triangle.iter().flat_map(|&vertex| (vertex as u16).to_be_bytes()));
    }
    bytes
}

pub(crate) fn ascii_stl(mesh: &TriMesh) -> Vec<u8> {
    let mut text = "solid sample\n".to_owned();
    for corners in mesh.iter_corners() {
        text.push_str(" facet normal 0 0 0\n  outer loop\n");
        for corner in corners {
            text.push_str(&format!("   vertex {} {} {:e}\n", corner.x, corner.y, corner.z));
        }
        text.push_str("  endloop\n endfacet\n");
    }
    text.push_str("endsolid sample\n");
    text.into_bytes()
}

/// A glTF of a strip, a fan and a plain list over one buffer in a data URI, with a sparse accessor and two nodes.
pub(crate) fn gltf() -> Vec<u8> {
    let mut buffer = Vec::new();
    for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        buffer.extend([x as f32, y as f32, 0.0].iter().flat_map(|part| part.to_le_bytes()));
    }
    buffer.extend([0_u8, 1, 2, 3]);
    buffer.extend([0_u16, 1, 3, 2].iter().flat_map(|index| index.to_le_bytes()));
    // The sparse part: vertex 3 moves up.
    buffer.extend(3_u32.to_le_bytes());
    buffer.extend([1.0_f32, 1.0, 0.5].iter().flat_map(|part| part.to_le_bytes()));
    let document = serde_json::json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [
            { "children": [1, 2], "translation": [10.0, 0.0, 0.0] },
            { "mesh": 0, "scale": [2.0, 2.0, 2.0] },
            { "mesh": 1, "matrix": [-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 5, 1] },
        ],
        "meshes": [
            { "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1, "mode": 5 }] },
            { "primitives": [
                { "attributes": { "POSITION": 3 }, "indices": 2, "mode": 6, "material": 0 },
                { "attributes": { "POSITION": 0 }, "mode": 1 },
            ] },
        ],
        "materials": [{ "name": "glass" }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] },
            { "bufferView": 1, "componentType": 5121, "count": 4, "type": "SCALAR" },
            { "bufferView": 2, "componentType": 5123, "count": 4, "type": "SCALAR" },
            { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "sparse": { "count": 1,
                "indices": { "bufferView": 3, "componentType": 5125 }, "values": { "bufferView": 4 } } },
        ],
        "bufferViews": [
            { "buffer": 0, "byteOffset": 0, "byteLength": 48 },
            { "buffer": 0, "byteOffset": 48, "byteLength": 4 },
            { "buffer": 0, "byteOffset": 52, "byteLength": 8 },
            { "buffer": 0, "byteOffset": 60, "byteLength": 4 },
            { "buffer": 0, "byteOffset": 64, "byteLength": 12 },
        ],
        "buffers": [{ "byteLength": 76, "uri": format!("data:application/octet-stream;base64,{}", base64(&buffer)) }],
    });
    serde_json::to_vec_pretty(&document).unwrap()
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, at| bits << 8 | u32::from(group.get(at).copied().unwrap_or(0)));
        for at in 0..4 {
            text.push(if at <= group.len() { LETTERS[(bits >> (18 - 6 * at)) as usize & 63] as char } else { '=' });
        }
    }
    text
}

/// MSH 4.1 with a block of triangles before the tetrahedra and tags that do not begin at one.
pub(crate) fn ascii_msh(mesh: &TetMesh) -> Vec<u8> {
    let (nodes, tets) = (mesh.positions.len(), mesh.tets.len());
    let mut text =
        format!("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n$EndEntities\n$Nodes\n2 {nodes} 10 99\n");
    for (start, end) in [(0, 3), (3, nodes)] {
        text.push_str(&format!("3 1 0 {}\n", end - start));
        (start..end).for_each(|node| text.push_str(&format!("{}\n", 10 + 2 * node)));
        for position in &mesh.positions[start..end] {
            text.push_str(&format!("{} {} {}\n", position.x, position.y, position.z));
        }
    }
    text.push_str(&format!("$EndNodes\n$Elements\n2 {} 1 99\n2 1 2 1\n1 10 12 14\n3 1 4 {tets}\n", tets + 1));
    for (number, tet) in mesh.tets.iter().enumerate() {
        let [a, b, c, d] = tet.map(|node| 10 + 2 * node);
        text.push_str(&format!("{} {a} {b} {c} {d}\n", number + 2));
    }
    text.push_str("$EndElements\n");
    text.into_bytes()
}

pub(crate) fn ascii_msh_22(mesh: &TetMesh) -> Vec<u8> {
    let mut text = format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n", mesh.positions.len());
    for (number, position) in mesh.positions.iter().enumerate() {
        text.push_str(&format!("{} {} {} {}\n", number + 1, position.x, position.y, position.z));
    }
    text.push_str(&format!("$EndNodes\n$Elements\n{}\n1 15 2 0 1 1\n", mesh.tets.len() + 1));
    for (number, tet) in mesh.tets.iter().enumerate() {
        let [a, b, c, d] = tet.map(|node| node + 1);
        text.push_str(&format!("{} 4 2 0 1 {a} {b} {c} {d}\n", number + 2));
    }
    text.push_str("$EndElements\n");
    text.into_bytes()
}

/// MSH 4.1 in binary, with a parametric block, in either byte order.
pub(crate) fn binary_msh(mesh: &TetMesh, big_endian: bool) -> Vec<u8> {
    let order = |mut bytes: Vec<u8>| {
        if big_endian {
            bytes.reverse();
        }
        bytes
    };
    let int = |value: i32| order(value.to_le_bytes().to_vec());
    let size = |value: usize| order((value as u64).to_le_bytes().to_vec());
    let double = |value: f64| order(value.to_le_bytes().to_vec());
    let mut bytes = b"$MeshFormat\n4.1 1 8\n".to_vec();
    bytes.extend(int(1));
    bytes.extend(b"\n$EndMeshFormat\n$Nodes\n");
    for value in [2, mesh.positions.len(), 1, mesh.positions.len()] {
        bytes.extend(size(value));
    }
    for (start, end, parametric) in [(0, 2, 1), (2, mesh.positions.len(), 0)] {
        bytes.extend([int(2), int(1), int(parametric), size(end - start)].concat());
        (start..end).for_each(|node| bytes.extend(size(node + 1)));
        for position in &mesh.positions[start..end] {
            position.to_array().iter().for_each(|&part| bytes.extend(double(part)));
            (0..2 * parametric).for_each(|_| bytes.extend(double(0.25)));
        }
    }
    bytes.extend(b"\n$EndNodes\n$Elements\n");
    for value in [2, mesh.tets.len() + 1, 1, mesh.tets.len() + 1] {
        bytes.extend(size(value));
    }
    bytes.extend([int(2), int(1), int(2), size(1), size(1), size(1), size(2), size(3)].concat());
    bytes.extend([int(3), int(1), int(4), size(mesh.tets.len())].concat());
    for (number, tet) in mesh.tets.iter().enumerate() {
        bytes.extend(size(number + 2));
        tet.iter().for_each(|&node| bytes.extend(size(node as usize + 1)));
    }
    bytes.extend(b"\n$EndElements\n");
    bytes
}

/// TetGen's pair with attributes, markers and comments, counted from a base.
pub(crate) fn tetgen(mesh: &TetMesh, base: u32) -> [Vec<u8>; 2] {
    let mut node = format!("# nodes\n{} 3 1 1\n", mesh.positions.len());
    for (number, position) in (base..).zip(&mesh.positions) {
        node.push_str(&format!("  {number} {} {} {} 0.5 -1 # a marker\n", position.x, position.y, position.z));
    }
    let mut ele = format!("\n{} 4 1\n", mesh.tets.len());
    for (number, tet) in (base..).zip(&mesh.tets) {
        let [a, b, c, d] = tet.map(|node| node + base);
        ele.push_str(&format!("{number} {a} {b}\t{c} {d} 7\n"));
    }
    ele.push_str("# Generated by hand\n");
    [node.into_bytes(), ele.into_bytes()]
}

/// A legacy VTK file with a triangle before the tetrahedra.
pub(crate) fn vtk(mesh: &TetMesh, binary: bool, version_5: bool) -> Vec<u8> {
    let cells: Vec<Vec<u32>> = std::iter::once(vec![0, 1, 2]).chain(mesh.tets.iter().map(|tet| tet.to_vec())).collect();
    let mut bytes = format!(
        "# vtk DataFile Version {}\ntitle\n{}\nDATASET UNSTRUCTURED_GRID\nPOINTS {} double\n",
        if version_5 { "5.1" } else { "3.0" },
        if binary { "BINARY" } else { "ASCII" },
        mesh.positions.len()
    )
    .into_bytes();
    let doubles = |bytes: &mut Vec<u8>, values: Vec<f64>| {
        for value in values {
            if binary { bytes.extend(value.to_be_bytes()) } else { bytes.extend(format!("{value} ").bytes()) }
        }
        bytes.push(b'\n');
    };
    let integers = |bytes: &mut Vec<u8>, values: Vec<i64>, wide: bool| {
        for value in values {
            match (binary, wide) {
                (true, true) => bytes.extend(value.to_be_bytes()),
                (true, false) => bytes.extend((value as i32).to_be_bytes()),
                (false, _) => bytes.extend(format!("{value}\n").bytes()),
            }
        }
        bytes.push(b'\n');
    };
    doubles(&mut bytes, mesh.positions.iter().flat_map(|position| position.to_array()).collect());
    let corners: usize = cells.iter().map(Vec::len).sum();
    if version_5 {
        bytes.extend(format!("CELLS {} {corners}\nOFFSETS vtktypeint64\n", cells.len() + 1).bytes());
        let mut offsets = vec![0_i64];
        cells.iter().for_each(|cell| offsets.push(offsets[offsets.len() - 1] + cell.len() as i64));
        integers(&mut bytes, offsets, true);
        bytes.extend(b"CONNECTIVITY vtktypeint64\n");
        integers(&mut bytes, cells.iter().flatten().map(|&node| i64::from(node)).collect(), true);
    } else {
        bytes.extend(format!("CELLS {} {}\n", cells.len(), corners + cells.len()).bytes());
        let list = cells.iter().flat_map(|cell| std::iter::once(cell.len() as u32).chain(cell.iter().copied()));
        integers(&mut bytes, list.map(i64::from).collect(), false);
    }
    bytes.extend(format!("CELL_TYPES {}\n", cells.len()).bytes());
    integers(&mut bytes, cells.iter().map(|cell| if cell.len() == 4 { 10 } else { 5 }).collect(), false);
    bytes.extend(format!("CELL_DATA {}\nSCALARS x float\n", cells.len()).bytes());
    bytes
}
