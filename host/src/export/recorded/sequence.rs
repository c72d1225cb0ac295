//! A recording as a folder of mesh files, one for each frame.
//!
//! Meshes are as they were recorded, in their places. An OBJ file has an object for each body, and the folder a file with
//! its materials; a PLY file has all bodies as one mesh with colours. Particles are left out.

use std::fmt::Write;

use glam::Vec3;
use rayon::prelude::*;

use super::ExportFormat;
use super::usd_text::identifier;
use crate::export::color::{breaks, to_bytes, to_linear};
use crate::export::still::whole_color;
use crate::geometry::io::{ObjObject, ply_to_bytes, write_obj_objects};
use crate::geometry::{TriMesh, is_fracture};
use crate::recording::Recording;

/// The name of the file with the materials.
const LIBRARY: &str = "materials.mtl";

/// A body in a frame.
struct Placed {
    id: u32,
    name: String,
    mesh: TriMesh,
}

/// Whether a file of this name can be from an earlier export.
pub(super) fn is_ours(name: &str) -> bool {
    let number = |name: &str| name.strip_prefix("frame_")?.split_once('.').map(|(number, _)| number.to_owned());
    let is_frame =
        number(name).is_some_and(|number| number.len() >= 4 && number.bytes().all(|byte| byte.is_ascii_digit()));
    name == LIBRARY || is_frame && (name.ends_with(".obj") || name.ends_with(".ply"))
}

/// The name and the bytes of the file of a frame.
pub(super) fn frame_file(recording: &Recording, frame: u32, format: ExportFormat) -> (String, Vec<u8>) {
    let bodies = placed(recording, frame);
    if format == ExportFormat::Ply {
        return (format!("frame_{frame:04}.ply"), ply_to_bytes(&together(recording, bodies)));
    }
    let material_of = |id: u32, is_colored: bool| {
        move |number: u32| match (is_colored, is_fracture(number)) {
            (true, _) => "vertex_colors".to_owned(),
            (false, false) => format!("body_{id}"),
            (false, true) => format!("body_{id}_break"),
        }
    };
    let names: Vec<_> = bodies.iter().map(|body| material_of(body.id, body.mesh.colors.is_some())).collect();
    let objects: Vec<ObjObject<'_>> = bodies
        .iter()
        .zip(&names)
        .map(|(body, material)| ObjObject { name: body.name.clone(), mesh: &body.mesh, material })
        .collect();
    (format!("frame_{frame:04}.obj"), write_obj_objects(&objects, LIBRARY))
}

/// The materials that the OBJ files name.
pub(super) fn materials(recording: &Recording) -> (String, Vec<u8>) {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let mut put = |name: &str, linear: Vec3| {
        let [red, green, blue, _] = to_bytes(linear).map(|byte| f32::from(byte) / 255.0);
        let _ = writeln!(text, "newmtl {name}\nKd {red:.4} {green:.4} {blue:.4}\n");
    };
    put("vertex_colors", Vec3::ONE);
    for (&id, body) in &recording.bodies {
        let color = to_linear(whole_color(recording, id, body));
        put(&format!("body_{id}"), color);
        put(&format!("body_{id}_break"), breaks(color));
    }
    (LIBRARY.to_owned(), text.into_bytes())
}

/// What is seen in a frame, each body as one mesh in its place.
fn placed(recording: &Recording, frame: u32) -> Vec<Placed> {
    let bodies: Vec<_> = recording.bodies_at(frame).collect();
    let place = |(id, body, pose): &(u32, &crate::recording::RecordedBody, crate::geometry::Pose)| {
        let mut mesh = TriMesh::default();
        for look in body.looks(frame) {
            mesh.append(&recording.mesh(body, look, frame));
        }
        let name = format!("{}_{id}", identifier(&body.name));
        (!mesh.triangles.is_empty()).then(|| Placed { id: *id, name, mesh: mesh.transformed(&pose.to_affine()) })
    };
    bodies.par_iter().filter_map(place).collect()
}

/// All bodies as one mesh; those without colours get the one that they are drawn in.
fn together(recording: &Recording, bodies: Vec<Placed>) -> TriMesh {
    let mut all = TriMesh::default();
    for Placed { id, mut mesh, .. } in bodies {
        let count = mesh.positions.len();
        let color = || to_bytes(to_linear(whole_color(recording, id, &recording.bodies[&id])));
        mesh.colors.get_or_insert_with(|| vec![color(); count]);
        all.append(&mesh);
    }
    all
}
