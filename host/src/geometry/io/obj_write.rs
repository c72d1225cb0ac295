//! Writing OBJ: every number in the digits that give back the same double.

use std::fmt::Write;

use super::attributes::material_name;
use crate::geometry::TriMesh;

pub(super) fn write(mesh: &TriMesh) -> Vec<u8> {
    let mut text = String::with_capacity(70 * mesh.positions.len() + 24 * mesh.triangles.len());
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
        let _ = writeln!(text, "vn {:?} {:?} {:?}", normal.x, normal.y, normal.z);
    }
    let mut material = None;
    for (number, triangle) in mesh.triangles.iter().enumerate() {
        if let Some(materials) = &mesh.materials
            && material != Some(materials[number])
        {
            material = Some(materials[number]);
            let _ = writeln!(text, "usemtl {}", material_name(materials[number]));
        }
        text.push('f');
        for vertex in triangle.map(|vertex| u64::from(vertex) + 1) {
            let _ = match (mesh.uvs.is_some(), mesh.normals.is_some()) {
                (false, false) => write!(text, " {vertex}"),
                (true, false) => write!(text, " {vertex}/{vertex}"),
                (false, true) => write!(text, " {vertex}//{vertex}"),
                (true, true) => write!(text, " {vertex}/{vertex}/{vertex}"),
            };
        }
        text.push('\n');
    }
    text.into_bytes()
}
