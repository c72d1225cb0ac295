//! Writing OBJ: every number in the digits that give back the same double.

use std::fmt::Write;

use super::attributes::material_name;
use crate::geometry::TriMesh;

/// A mesh under a name, and what its materials are called.
pub(crate) struct ObjObject<'a> {
    pub(crate) name: String,
    pub(crate) mesh: &'a TriMesh,
    pub(crate) material: &'a dyn Fn(u32) -> String,
}

pub(super) fn write(mesh: &TriMesh) -> Vec<u8> {
    let mut text = String::with_capacity(70 * mesh.positions.len() + 24 * mesh.triangles.len());
    put(&mut text, mesh, [0; 3], mesh.materials.is_some().then_some(&material_name));
    text.into_bytes()
}

/// Meshes as objects of one file, with the file that says what their materials are.
pub(crate) fn write_objects(objects: &[ObjObject<'_>], library: &str) -> Vec<u8> {
    let mut text = format!("mtllib {library}\n");
    let mut before = [0; 3];
    for ObjObject { name, mesh, material } in objects {
        let _ = writeln!(text, "o {name}");
        put(&mut text, mesh, before, Some(material));
        before[0] += mesh.positions.len() as u64;
        before[1] += mesh.uvs.as_ref().map_or(0, Vec::len) as u64;
        before[2] += mesh.normals.as_ref().map_or(0, Vec::len) as u64;
    }
    text.into_bytes()
}

/// Writes a mesh behind so many vertices, texture coordinates and normals.
fn put(text: &mut String, mesh: &TriMesh, before: [u64; 3], material: Option<&dyn Fn(u32) -> String>) {
    // Writing to a string cannot fail.
    for (number, position) in mesh.positions.iter().enumerate() {
        let _ = write!(text, "v {:?} {:?} {:?}", position.x, position.y, position.z);
        if let Some(colors) = &mesh.colors {
            let [red, green, blue, alpha] = colors[number].map(|part| f32::from(part) / 255.0);
            let _ = write!(text, " {red:?} {green:?} {blue:?}");
            if alpha < 1.0 {
                let _ = write!(text, " {alpha:?}");
            }
        }
        text.push('\n');
    }
    for uv in mesh.uvs.iter().flatten() {
        let _ = writeln!(text, "vt {:?} {:?}", uv.x, uv.y);
    }
    for normal in mesh.normals.iter().flatten() {
        let normal = if normal.is_finite() { *normal } else { glam::Vec3::Z };
        let _ = writeln!(text, "vn {:?} {:?} {:?}", normal.x, normal.y, normal.z);
    }
    let mut last = None;
    for (number, triangle) in mesh.triangles.iter().enumerate() {
        let own = mesh.materials.as_ref().map_or(0, |materials| materials[number]);
        if let Some(material) = material.filter(|_| last != Some(own)) {
            last = Some(own);
            let _ = writeln!(text, "usemtl {}", material(own));
        }
        text.push('f');
        for corner in triangle.map(|vertex| u64::from(vertex) + 1) {
            let [vertex, uv, normal] = before.map(|before| before + corner);
            let _ = match (mesh.uvs.is_some(), mesh.normals.is_some()) {
                (false, false) => write!(text, " {vertex}"),
                (true, false) => write!(text, " {vertex}/{uv}"),
                (false, true) => write!(text, " {vertex}//{normal}"),
                (true, true) => write!(text, " {vertex}/{uv}/{normal}"),
            };
        }
        text.push('\n');
    }
}
