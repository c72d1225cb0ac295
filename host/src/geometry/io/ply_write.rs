//! Writing PLY, with positions in double precision.

use std::fmt::Write;

use super::WriteOptions;
use crate::geometry::TriMesh;

pub(super) fn write(mesh: &TriMesh, options: &WriteOptions) -> Vec<u8> {
    let mut bytes = header(mesh, options).into_bytes();
    if options.ascii {
        let mut text = String::new();
        ascii_rows(mesh, &mut text);
        bytes.extend_from_slice(text.as_bytes());
    } else {
        binary_rows(mesh, &mut bytes);
    }
    bytes
}

fn header(mesh: &TriMesh, options: &WriteOptions) -> String {
    let mut text = String::new();
    let format = if options.ascii { "ascii" } else { "binary_little_endian" };
    // Writing to a string cannot fail.
    let _ = write!(text, "ply\nformat {format} 1.0\nelement vertex {}\n", mesh.positions.len());
    let mut properties = |type_name: &str, names: &[&str]| {
        for name in names {
            let _ = writeln!(text, "property {type_name} {name}");
        }
    };
    properties("double", &["x", "y", "z"]);
    if mesh.normals.is_some() {
        properties("float", &["nx", "ny", "nz"]);
    }
    if mesh.uvs.is_some() {
        properties("float", &["s", "t"]);
    }
    if mesh.colors.is_some() {
        properties("uchar", &["red", "green", "blue", "alpha"]);
    }
    let _ = write!(text, "element face {}\nproperty list uchar uint vertex_indices\n", mesh.triangles.len());
    if mesh.materials.is_some() {
        text.push_str("property uint material_index\n");
    }
    text.push_str("end_header\n");
    text
}

fn binary_rows(mesh: &TriMesh, bytes: &mut Vec<u8>) {
    bytes.reserve(48 * mesh.positions.len() + 17 * mesh.triangles.len());
    for (number, position) in mesh.positions.iter().enumerate() {
        bytes.extend(position.to_array().into_iter().flat_map(f64::to_le_bytes));
        if let Some(normals) = &mesh.normals {
            bytes.extend(normals[number].to_array().into_iter().flat_map(f32::to_le_bytes));
        }
        if let Some(uvs) = &mesh.uvs {
            bytes.extend(uvs[number].to_array().into_iter().flat_map(f32::to_le_bytes));
        }
        if let Some(colors) = &mesh.colors {
            bytes.extend(colors[number]);
        }
    }
    for (number, triangle) in mesh.triangles.iter().enumerate() {
        bytes.push(3);
        bytes.extend(triangle.iter().flat_map(|vertex| vertex.to_le_bytes()));
        if let Some(materials) = &mesh.materials {
            bytes.extend(materials[number].to_le_bytes());
        }
    }
}

fn ascii_rows(mesh: &TriMesh, text: &mut String) {
    for (number, position) in mesh.positions.iter().enumerate() {
        let _ = write!(text, "{:?} {:?} {:?}", position.x, position.y, position.z);
        if let Some(normals) = &mesh.normals {
            let normal = normals[number];
            let _ = write!(text, " {:?} {:?} {:?}", normal.x, normal.y, normal.z);
        }
        if let Some(uvs) = &mesh.uvs {
            let _ = write!(text, " {:?} {:?}", uvs[number].x, uvs[number].y);
        }
        if let Some(colors) = &mesh.colors {
            let [red, green, blue, alpha] = colors[number];
            let _ = write!(text, " {red} {green} {blue} {alpha}");
        }
        text.push('\n');
    }
    for (number, [a, b, c]) in mesh.triangles.iter().enumerate() {
        let _ = write!(text, "3 {a} {b} {c}");
        if let Some(materials) = &mesh.materials {
            let _ = write!(text, " {}", materials[number]);
        }
        text.push('\n');
    }
}
