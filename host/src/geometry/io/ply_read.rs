//! PLY: the Stanford polygon format, in ASCII and in both binary orders.

use glam::{DVec3, Vec2, Vec3};
use rayon::prelude::*;

use super::attributes::{byte_of_share, unit_normal};
use super::bytes::ByteCursor;
use super::error::{Fault, Place};
use super::ply_header::{Element, Encoding, Header, Kind, Shape, parse};
use super::polygon::triangulate;
use super::text::Cursor;
use crate::geometry::TriMesh;

pub(super) fn read(bytes: &[u8]) -> Result<TriMesh, Fault> {
    let header = parse(bytes)?;
    let mut mesh = Builder::default();
    match header.encoding {
        Encoding::Ascii => read_ascii(bytes, &header, &mut mesh)?,
        Encoding::LittleEndian => read_binary(bytes, &header, false, &mut mesh)?,
        Encoding::BigEndian => read_binary(bytes, &header, true, &mut mesh)?,
    }
    mesh.finish(&header)
}

/// Which property of a vertex row is what.
struct VertexColumns {
    position: [usize; 3],
    normal: Option<[usize; 3]>,
    uv: Option<[usize; 2]>,
    /// The columns of red, green, blue and, if there, opacity; and what to multiply them by to get bytes.
    color: Option<([usize; 3], Option<usize>, f64)>,
}

/// Which property of a face row is what.
struct FaceColumns {
    corners: usize,
    material: Option<usize>,
    /// Strips of triangles, each closed by -1, and not polygons.
    strips: bool,
}

/// Where a polygon's row stands, for messages.
type RowPlace<'a> = &'a dyn Fn() -> Place;

#[derive(Default)]
struct Builder {
    mesh: TriMesh,
    vertices_line: Option<usize>,
    polygons: Vec<DVec3>,
    local: Vec<[u32; 3]>,
}

impl VertexColumns {
    fn of(element: &Element) -> Result<VertexColumns, Fault> {
        let scalar = |names: &[&str]| {
            element.find(names).filter(|&column| matches!(element.properties[column].shape, Shape::Scalar(_)))
        };
        let all3 = |names: [&[&str]; 3]| Some([scalar(names[0])?, scalar(names[1])?, scalar(names[2])?]);
        let all2 = |u: &str, v: &str| Some([scalar(&[u])?, scalar(&[v])?]);
        let Some(position) = all3([&["x"], &["y"], &["z"]]) else {
            let place = Place::Line(element.line);
            return Err(Fault { place, problem: "element vertex lacks one of the properties x, y and z".to_owned() });
        };
        let color =
            all3([&["red", "r", "diffuse_red"], &["green", "g", "diffuse_green"], &["blue", "b", "diffuse_blue"]]).map(
                |columns| {
                    let scale = match element.properties[columns[0]].shape {
                        Shape::Scalar(Kind::F32 | Kind::F64) => 255.0,
                        Shape::Scalar(Kind::U16 | Kind::I16) => 1.0 / 257.0,
                        _ => 1.0,
                    };
                    (columns, scalar(&["alpha", "a", "diffuse_alpha"]), scale)
                },
            );
        Ok(VertexColumns {
            position,
            normal: all3([&["nx"], &["ny"], &["nz"]]),
            uv: all2("u", "v").or(all2("s", "t")).or(all2("texture_u", "texture_v")).or(all2("texture_s", "texture_t")),
            color,
        })
    }
}

impl FaceColumns {
    fn of(element: &Element) -> Result<FaceColumns, Fault> {
        let list = |names: &[&str]| {
            element.find(names).filter(|&column| matches!(element.properties[column].shape, Shape::List { .. }))
        };
        match list(&["vertex_indices", "vertex_index"]) {
            Some(corners) => Ok(FaceColumns {
                corners,
                material: element
                    .find(&["material_index", "material"])
                    .filter(|&column| matches!(element.properties[column].shape, Shape::Scalar(_))),
                strips: element.name == b"tristrips",
            }),
            None => Err(Fault {
                place: Place::Line(element.line),
                problem: "the faces lack a property list `vertex_indices`".to_owned(),
            }),
        }
    }
}

impl Builder {
    /// Room for the vertices, which the caller has checked against the size of the file.
    fn begin_vertices(&mut self, element: &Element, columns: &VertexColumns, capacity: usize) -> Result<(), Fault> {
        if self.vertices_line.is_some() {
            let place = Place::Line(element.line);
            return Err(Fault { place, problem: "there are two elements called vertex".to_owned() });
        }
        self.vertices_line = Some(element.line);
        self.mesh.positions.reserve_exact(capacity);
        self.mesh.normals = columns.normal.map(|_| Vec::with_capacity(capacity));
        self.mesh.uvs = columns.uv.map(|_| Vec::with_capacity(capacity));
        self.mesh.colors = columns.color.map(|_| Vec::with_capacity(capacity));
        Ok(())
    }

    fn push_face(
        &mut self,
        corners: &[i64],
        material: Option<u32>,
        strips: bool,
        place: RowPlace<'_>,
    ) -> Result<(), Fault> {
        let fault = |problem: String| Fault { place: place(), problem };
        let first = self.mesh.triangles.len();
        if strips {
            push_strips(corners, &mut self.mesh.triangles).map_err(fault)?;
        } else {
            let vertex =
                |number: i64| u32::try_from(number).map_err(|_| fault(format!("a face names vertex {number}")));
            match *corners {
                [a, b, c] => self.mesh.triangles.push([vertex(a)?, vertex(b)?, vertex(c)?]),
                _ => {
                    self.polygons.clear();
                    for &number in corners {
                        let position = usize::try_from(number)
                            .ok()
                            .and_then(|number| self.mesh.positions.get(number))
                            .ok_or_else(|| {
                                fault(format!(
                                    "a face names vertex {number}, but there are {}",
                                    self.mesh.positions.len()
                                ))
                            })?;
                        self.polygons.push(*position);
                    }
                    self.local.clear();
                    triangulate(&self.polygons, &mut self.local).map_err(fault)?;
                    let numbered = |triangle: &[u32; 3]| triangle.map(|corner| corners[corner as usize] as u32);
                    self.mesh.triangles.extend(self.local.iter().map(numbered));
                }
            }
        }
        let vertices = self.mesh.positions.len();
        if let Some(vertex) = self.mesh.triangles[first..].iter().flatten().find(|&&vertex| vertex as usize >= vertices)
        {
            return Err(fault(format!(
                "a face names vertex {vertex}, but there are {vertices} (the first is 0; the element vertex must come first)"
            )));
        }
        if let Some(material) = material {
            let materials = self.mesh.materials.get_or_insert_with(|| vec![0; first]);
            materials.resize(self.mesh.triangles.len(), material);
        } else if let Some(materials) = &mut self.mesh.materials {
            materials.resize(self.mesh.triangles.len(), 0);
        }
        Ok(())
    }

    fn finish(self, header: &Header) -> Result<TriMesh, Fault> {
        if self.vertices_line.is_none() {
            return Err(Fault::file("the header has no element called vertex"));
        }
        if self.mesh.triangles.is_empty() {
            let faces = header.elements.iter().any(is_face);
            return Err(Fault::file(if faces {
                "has no faces"
            } else {
                "has no element called face: it is a point cloud"
            }));
        }
        Ok(self.mesh)
    }
}

fn is_face(element: &Element) -> bool {
    element.name == b"face" || element.name == b"tristrips"
}

/// The triangles of strips that -1 closes; every second one is turned round.
fn push_strips(corners: &[i64], triangles: &mut Vec<[u32; 3]>) -> Result<(), String> {
    for strip in corners.split(|&number| number == -1) {
        for (step, window) in strip.windows(3).enumerate() {
            let vertex =
                |at: usize| u32::try_from(window[at]).map_err(|_| format!("a strip names vertex {}", window[at]));
            let [a, b, c] = [vertex(0)?, vertex(1)?, vertex(2)?];
            // A repeated vertex only leads the strip to its next place.
            if a != b && b != c && a != c {
                triangles.push(if step % 2 == 0 { [a, b, c] } else { [b, a, c] });
            }
        }
    }
    Ok(())
}

/// A vertex from the numbers of its row.
struct Vertex {
    position: DVec3,
    normal: Vec3,
    uv: Vec2,
    color: [u8; 4],
}

#[inline]
fn vertex_of_row(columns: &VertexColumns, value: impl Fn(usize) -> f64) -> Vertex {
    let triple = |columns: [usize; 3]| DVec3::from_array(columns.map(&value));
    let uv = columns.uv.map_or(Vec2::ZERO, |columns| Vec2::from_array(columns.map(|column| value(column) as f32)));
    Vertex {
        position: triple(columns.position),
        normal: columns.normal.map_or(Vec3::ZERO, |columns| unit_normal(triple(columns).as_vec3())),
        uv: if uv.is_finite() { uv } else { Vec2::ZERO },
        color: columns.color.map_or([255; 4], |(columns, alpha, scale)| {
            let byte = |column: usize| byte_of_share(value(column) * scale / 255.0);
            [byte(columns[0]), byte(columns[1]), byte(columns[2]), alpha.map_or(255, byte)]
        }),
    }
}

impl Builder {
    fn push_vertex(&mut self, vertex: Vertex) {
        self.mesh.positions.push(vertex.position);
        if let Some(normals) = &mut self.mesh.normals {
            normals.push(vertex.normal);
        }
        if let Some(uvs) = &mut self.mesh.uvs {
            uvs.push(vertex.uv);
        }
        if let Some(colors) = &mut self.mesh.colors {
            colors.push(vertex.color);
        }
    }
}

fn read_binary(bytes: &[u8], header: &Header, big_endian: bool, builder: &mut Builder) -> Result<(), Fault> {
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

fn read_ascii(bytes: &[u8], header: &Header, builder: &mut Builder) -> Result<(), Fault> {
    let old_line_ends = bytes.get(3) == Some(&b'\r') && bytes.get(4) != Some(&b'\n');
    let text: std::borrow::Cow<'_, [u8]> = match old_line_ends {
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
        let place = super::error::quoted(extra);
        return Err(cursor.fault(format!("the row goes on with {place} after all properties that the header names")));
    }
    Ok(())
}
