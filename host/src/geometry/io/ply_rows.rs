//! The rows of a PLY file, in binary and in ASCII.

use std::borrow::Cow;

use rayon::prelude::*;

use super::bytes::ByteCursor;
use super::error::{Fault, Place, quoted};
use super::ply_header::{Element, Header, Kind, Shape};
use super::ply_read::{Builder, FaceColumns, Vertex, VertexColumns, is_face, vertex_of_row};
use super::text::Cursor;

pub(super) fn read_binary(bytes: &[u8], header: &Header, big_endian: bool, builder: &mut Builder) -> Result<(), Fault> {
    let mut cursor = ByteCursor::new(bytes, header.length, big_endian);
    for element in &header.elements {
        if element.properties.is_empty() {
            continue;
        }
        if element.name == b"vertex" {
            binary_vertices(&mut cursor, element, big_endian, builder)?;
        } else if is_face(element) {
            binary_faces(&mut cursor, element, big_endian, builder)?;
        } else if let Some(size) = element.row_size() {
            cursor.records(element.count, size, "an element")?;
        } else {
            for _ in 0..element.count {
                binary_row(&mut cursor, element, big_endian, None, &mut Vec::new(), &mut Vec::new())?;
            }
        }
    }
    Ok(())
}

fn binary_vertices(
    cursor: &mut ByteCursor<'_>,
    element: &Element,
    big_endian: bool,
    builder: &mut Builder,
) -> Result<(), Fault> {
    let columns = VertexColumns::of(element)?;
    let what = format!("the {} vertices", element.count);
    let start = cursor.offset();
    let Some(size) = element.row_size() else {
        // Rows with lists differ in length, so they are read one by one.
        builder.begin_vertices(element, &columns, element.count.min(cursor.remaining()))?;
        let (mut scalars, mut list) = (Vec::new(), Vec::new());
        for number in 0..element.count {
            let at = cursor.offset();
            binary_row(cursor, element, big_endian, None, &mut scalars, &mut list)?;
            let vertex = vertex_of_row(&columns, |column| scalars[column]);
            check_finite(&vertex, number).map_err(|problem| Fault::byte(at, problem))?;
            builder.push_vertex(vertex);
        }
        return Ok(());
    };
    let rows = cursor.records(element.count, size, &what)?;
    builder.begin_vertices(element, &columns, element.count)?;
    let layout: Vec<(Kind, usize)> = element
        .properties
        .iter()
        .scan(0, |offset, property| match property.shape {
            Shape::Scalar(kind) => {
                *offset += kind.size();
                Some((kind, *offset - kind.size()))
            }
            Shape::List { .. } => None,
        })
        .collect();
    let decode = |row: &[u8]| {
        vertex_of_row(&columns, |column| {
            let (kind, offset) = layout[column];
            kind.decode(&row[offset..], big_endian)
        })
    };
    if builder.mesh.normals.is_none() && builder.mesh.uvs.is_none() && builder.mesh.colors.is_none() {
        rows.par_chunks_exact(size).map(|row| decode(row).position).collect_into_vec(&mut builder.mesh.positions);
    } else {
        for row in rows.chunks_exact(size) {
            builder.push_vertex(decode(row));
        }
    }
    match builder.mesh.positions.iter().position(|position| !position.is_finite()) {
        Some(number) => {
            Err(Fault::byte(start + number * size, format!("vertex {number} has a coordinate that is not finite")))
        }
        None => Ok(()),
    }
}

fn check_finite(vertex: &Vertex, number: usize) -> Result<(), String> {
    if vertex.position.is_finite() {
        Ok(())
    } else {
        Err(format!("vertex {number} has a coordinate that is not finite"))
    }
}

fn binary_faces(
    cursor: &mut ByteCursor<'_>,
    element: &Element,
    big_endian: bool,
    builder: &mut Builder,
) -> Result<(), Fault> {
    let columns = FaceColumns::of(element)?;
    // A triangle takes at least four bytes; more rows than that cannot follow.
    builder.mesh.triangles.reserve(element.count.min(cursor.remaining() / 4));
    if let [property] = &element.properties[..]
        && matches!(property.shape, Shape::List { count: Kind::U8 | Kind::I8, item: Kind::I32 | Kind::U32 })
        && !columns.strips
    {
        return plain_faces(cursor, element, builder);
    }
    let (mut scalars, mut corners) = (Vec::new(), Vec::new());
    for _ in 0..element.count {
        let at = cursor.offset();
        binary_row(cursor, element, big_endian, Some(columns.corners), &mut scalars, &mut corners)?;
        let material = columns.material.map(|column| scalars[column] as u32);
        builder.push_face(&corners, material, columns.strips, &|| Place::Byte(at))?;
    }
    Ok(())
}

/// Rows of one list with a byte for its length: what nearly every file has.
fn plain_faces(cursor: &mut ByteCursor<'_>, element: &Element, builder: &mut Builder) -> Result<(), Fault> {
    let mut corners = Vec::new();
    let vertices = builder.mesh.positions.len();
    for _ in 0..element.count {
        let at = cursor.offset();
        let size = cursor.u8("the size of a face")?;
        if size == 3 && builder.mesh.materials.is_none() {
            let triangle = [cursor.u32("a face")?, cursor.u32("a face")?, cursor.u32("a face")?];
            if triangle.iter().all(|&vertex| (vertex as usize) < vertices) {
                builder.mesh.triangles.push(triangle);
            } else {
                let signed = triangle.map(|vertex| i64::from(vertex as i32));
                builder.push_face(&signed, None, false, &|| Place::Byte(at))?;
            }
            continue;
        }
        corners.clear();
        for _ in 0..size {
            corners.push(i64::from(cursor.u32("a face")?));
        }
        builder.push_face(&corners, None, false, &|| Place::Byte(at))?;
    }
    Ok(())
}

/// Reads a row: all scalars (lists leave a zero), and the items of one list.
fn binary_row(
    cursor: &mut ByteCursor<'_>,
    element: &Element,
    big_endian: bool,
    wanted: Option<usize>,
    scalars: &mut Vec<f64>,
    list: &mut Vec<i64>,
) -> Result<(), Fault> {
    scalars.clear();
    list.clear();
    for (column, property) in element.properties.iter().enumerate() {
        match property.shape {
            Shape::Scalar(kind) => scalars.push(kind.read(cursor, big_endian, "a row")?),
            Shape::List { count, item } => {
                scalars.push(0.0);
                let at = cursor.offset();
                let length = count.read(cursor, big_endian, "the length of a list")?;
                if length < 0.0 {
                    return Err(Fault::byte(at, format!("a list has the length {length}")));
                }
                let items = cursor.records(length as usize, item.size(), "a list")?;
                if wanted == Some(column) {
                    list.extend(items.chunks_exact(item.size()).map(|bytes| item.decode(bytes, big_endian) as i64));
                }
            }
        }
    }
    Ok(())
}

pub(super) fn read_ascii(bytes: &[u8], header: &Header, builder: &mut Builder) -> Result<(), Fault> {
    let old_line_ends = bytes.get(3) == Some(&b'\r') && bytes.get(4) != Some(&b'\n');
    let text: Cow<'_, [u8]> = match old_line_ends {
        true => bytes.iter().map(|&byte| if byte == b'\r' { b'\n' } else { byte }).collect(),
        false => bytes.into(),
    };
    let mut cursor = Cursor::part(&text, header.length, text.len()).without_comments();
    let (mut scalars, mut list) = (Vec::new(), Vec::new());
    for element in header.elements.iter().filter(|element| !element.properties.is_empty()) {
        let vertices = if element.name == b"vertex" { Some(VertexColumns::of(element)?) } else { None };
        let faces = if is_face(element) { Some(FaceColumns::of(element)?) } else { None };
        // A value and the blank after it take two bytes.
        let capacity = element.count.min(cursor.remaining() / (2 * element.properties.len()) + 1);
        if let Some(columns) = &vertices {
            builder.begin_vertices(element, columns, capacity)?;
        } else if faces.is_some() {
            builder.mesh.triangles.reserve(capacity);
        }
        for number in 0..element.count {
            if !cursor.skip_empty_lines() {
                let name = String::from_utf8_lossy(&element.name).into_owned();
                let count = element.count;
                return Err(
                    cursor.fault(format!("the header counts {count} rows of {name}, but the file ends after {number}"))
                );
            }
            let place = cursor.clone();
            let wanted = faces.as_ref().map(|columns| columns.corners);
            ascii_row(&mut cursor, element, wanted, &mut scalars, &mut list)?;
            if let Some(columns) = &vertices {
                let vertex = vertex_of_row(columns, |column| scalars[column]);
                check_finite(&vertex, number).map_err(|problem| place.fault(problem))?;
                builder.push_vertex(vertex);
            } else if let Some(columns) = &faces {
                let material = columns.material.map(|column| scalars[column] as u32);
                builder.push_face(&list, material, columns.strips, &|| Place::Line(place.line()))?;
            }
        }
    }
    Ok(())
}

fn ascii_row(
    cursor: &mut Cursor<'_>,
    element: &Element,
    wanted: Option<usize>,
    scalars: &mut Vec<f64>,
    list: &mut Vec<i64>,
) -> Result<(), Fault> {
    scalars.clear();
    list.clear();
    for (column, property) in element.properties.iter().enumerate() {
        match property.shape {
            Shape::Scalar(_) => scalars.push(cursor.number("a property")?),
            Shape::List { .. } => {
                scalars.push(0.0);
                let length = cursor.count("the length of a list")?;
                for _ in 0..length {
                    if wanted == Some(column) {
                        list.push(cursor.integer("a vertex number")?);
                    } else {
                        cursor.number("an item of a list")?;
                    }
                }
            }
        }
    }
    if let Some(extra) = cursor.word() {
        let found = quoted(extra);
        return Err(cursor.fault(format!("the row goes on with {found} after all properties that the header names")));
    }
    Ok(())
}
