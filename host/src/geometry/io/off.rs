//! OFF, the object file format of Geomview, with its prefixes for texture coordinates (ST), colours (C) and normals (N).

use glam::{DVec3, Vec2};

use super::attributes::{byte_of_share, unit_normal};
use super::error::{Fault, quoted};
use super::polygon::triangulate;
use super::text::{Cursor, decode};
use crate::geometry::TriMesh;

/// What stands on a vertex line after the position, in this order.
#[derive(Default)]
struct Columns {
    normals: bool,
    colors: bool,
    uvs: bool,
}

pub(super) fn read(bytes: &[u8]) -> Result<TriMesh, Fault> {
    let text = decode(bytes);
    let mut cursor = Cursor::new(&text);
    let columns = read_keyword(&mut cursor)?;
    if !cursor.skip_empty_lines() {
        return Err(cursor.fault("the file ends before the numbers of vertices and faces"));
    }
    // A coordinate and the blank after it take two bytes.
    let place = cursor.clone();
    let vertices = cursor.bounded_count("the number of vertices", 6)?;
    let faces = cursor.count("the number of faces")?;
    if !cursor.line_is_over() {
        cursor.count("the number of edges")?;
    }
    if !cursor.line_is_over() {
        return Err(cursor.fault("expected the numbers of vertices, faces and edges, and nothing more on that line"));
    }
    if faces == 0 {
        return Err(place.fault("the file has no faces"));
    }
    let mut mesh = read_vertices(&mut cursor, vertices, &columns)?;
    read_faces(&mut cursor, faces, &mut mesh)?;
    Ok(mesh)
}

/// The keyword, which may be missing.
fn read_keyword(cursor: &mut Cursor<'_>) -> Result<Columns, Fault> {
    if !cursor.skip_empty_lines() {
        return Err(cursor.fault("the file is empty; expected `OFF`"));
    }
    let place = cursor.clone();
    let start = cursor.offset();
    let word = cursor.word().unwrap_or_default();
    if word.first().is_some_and(u8::is_ascii_digit) && word.iter().all(u8::is_ascii_digit) {
        cursor.set_offset(start);
        return Ok(Columns::default());
    }
    let mut columns = Columns::default();
    let mut rest = word;
    if let Some(after) = rest.strip_prefix(b"ST") {
        columns.uvs = true;
        rest = after;
    }
    if let Some(after) = rest.strip_prefix(b"C") {
        columns.colors = true;
        rest = after;
    }
    if let Some(after) = rest.strip_prefix(b"N") {
        columns.normals = true;
        rest = after;
    }
    match rest {
        b"OFF" => {}
        b"4OFF" | b"nOFF" | b"4nOFF" => {
            return Err(place.fault(format!("{} has points of another dimension than 3", quoted(word))));
        }
        _ => return Err(place.fault(format!("found {} where `OFF` is expected; it is no OFF file", quoted(word)))),
    }
    let place = cursor.clone();
    if cursor.clone().word() == Some(b"BINARY") {
        return Err(place.fault("binary OFF is not read; save it as text"));
    }
    Ok(columns)
}

fn read_vertices(cursor: &mut Cursor<'_>, count: usize, columns: &Columns) -> Result<TriMesh, Fault> {
    let mut mesh = TriMesh {
        positions: Vec::with_capacity(count),
        normals: columns.normals.then(Vec::new),
        uvs: columns.uvs.then(Vec::new),
        ..TriMesh::default()
    };
    let mut colors: Vec<[f64; 4]> = Vec::new();
    let mut has_points = false;
    cursor.next_line();
    for number in 0..count {
        if !cursor.skip_empty_lines() {
            return Err(cursor.fault(format!("{count} vertices are announced, but the file ends after {number}")));
        }
        mesh.positions.push(cursor.point()?);
        if let Some(normals) = &mut mesh.normals {
            let mut part = || cursor.number("a part of a normal");
            normals.push(unit_normal(DVec3::new(part()?, part()?, part()?).as_vec3()));
        }
        if columns.colors {
            let color = read_color(cursor, columns.uvs, &mut has_points)?;
            colors.push(color);
        }
        if let Some(uvs) = &mut mesh.uvs {
            let mut part = || cursor.number("a texture coordinate");
            let uv = Vec2::new(part()? as f32, part()? as f32);
            uvs.push(if uv.is_finite() { uv } else { Vec2::ZERO });
        }
        cursor.next_line();
    }
    if columns.colors {
        // Shares of one by the format's definition; bytes by the habit of many programs.
        let shares = has_points || colors.iter().flatten().all(|&part| part <= 1.0);
        let to_byte = |part: f64| if shares { byte_of_share(part) } else { part.round() as u8 };
        let opacity = |part: f64| if part < 0.0 { 255 } else { to_byte(part) };
        mesh.colors =
            Some(colors.iter().map(|&[r, g, b, a]| [to_byte(r), to_byte(g), to_byte(b), opacity(a)]).collect());
    }
    Ok(mesh)
}

/// Three or four parts; a missing opacity is -1. Tells whether any part was written with a decimal point.
fn read_color(cursor: &mut Cursor<'_>, uv_follows: bool, has_points: &mut bool) -> Result<[f64; 4], Fault> {
    let words = {
        let mut line = cursor.clone();
        std::iter::from_fn(|| line.word()).take(7).count()
    };
    let parts = if words >= 4 + 2 * usize::from(uv_follows) { 4 } else { 3 };
    let mut color = [0.0, 0.0, 0.0, -1.0];
    for part in &mut color[..parts] {
        cursor.skip_blanks();
        let before = cursor.rest();
        *part = cursor.number("a part of a colour")?;
        *has_points |= before[..before.len() - cursor.remaining()].contains(&b'.');
    }
    Ok(color)
}

fn read_faces(cursor: &mut Cursor<'_>, count: usize, mesh: &mut TriMesh) -> Result<(), Fault> {
    mesh.triangles.reserve(count.min(cursor.remaining() / 8 + 1));
    let vertices = mesh.positions.len();
    let (mut face, mut positions, mut local) = (Vec::new(), Vec::new(), Vec::new());
    for number in 0..count {
        if !cursor.skip_empty_lines() {
            return Err(cursor.fault(format!("{count} faces are announced, but the file ends after {number}")));
        }
        let place = cursor.clone();
        let size = cursor.count("the number of corners")?;
        if size < 3 {
            return Err(place.fault(format!("face {number} has {size} corners, but needs at least 3")));
        }
        face.clear();
        for _ in 0..size {
            let vertex = cursor.integer("a vertex number")?;
            if vertex < 0 || vertex as usize >= vertices {
                return Err(place
                    .fault(format!("face {number} names vertex {vertex}, but there are {vertices} (the first is 0)")));
            }
            face.push(vertex as u32);
        }
        positions.clear();
        positions.extend(face.iter().map(|&vertex| mesh.positions[vertex as usize]));
        local.clear();
        triangulate(&positions, &mut local).map_err(|problem| place.fault(problem))?;
        mesh.triangles.extend(local.iter().map(|triangle| triangle.map(|corner| face[corner as usize])));
        // Colours of faces may follow.
        cursor.next_line();
    }
    Ok(())
}

/// Text with every number in the digits that give back the same double.
pub(super) fn write(mesh: &TriMesh) -> Vec<u8> {
    use std::fmt::Write;
    let mut text = String::with_capacity(60 * mesh.positions.len() + 24 * mesh.triangles.len());
    let prefix = |attribute: bool, letters: &'static str| if attribute { letters } else { "" };
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{}{}{}OFF\n{} {} 0",
        prefix(mesh.uvs.is_some(), "ST"),
        prefix(mesh.colors.is_some(), "C"),
        prefix(mesh.normals.is_some(), "N"),
        mesh.positions.len(),
        mesh.triangles.len()
    );
    for (number, position) in mesh.positions.iter().enumerate() {
        let _ = write!(text, "{:?} {:?} {:?}", position.x, position.y, position.z);
        if let Some(normals) = &mesh.normals {
            let normal = normals[number];
            let _ = write!(text, " {:?} {:?} {:?}", normal.x, normal.y, normal.z);
        }
        if let Some(colors) = &mesh.colors {
            for part in colors[number] {
                let _ = write!(text, " {:?}", f32::from(part) / 255.0);
            }
        }
        if let Some(uvs) = &mesh.uvs {
            let _ = write!(text, " {:?} {:?}", uvs[number].x, uvs[number].y);
        }
        text.push('\n');
    }
    for [a, b, c] in &mesh.triangles {
        let _ = writeln!(text, "3 {a} {b} {c}");
    }
    text.into_bytes()
}
