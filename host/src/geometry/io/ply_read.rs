//! PLY: the Stanford polygon format, in ASCII and in both binary orders.

use glam::{DVec3, Vec2, Vec3};

use super::attributes::{byte_of_share, unit_normal};
use super::error::{Fault, Place};
use super::ply_header::{Element, Encoding, Header, Kind, Shape, parse};
use super::ply_rows::{read_ascii, read_binary};
use super::polygon::triangulate;
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
pub(super) struct VertexColumns {
    position: [usize; 3],
    normal: Option<[usize; 3]>,
    uv: Option<[usize; 2]>,
    /// The columns of red, green, blue and, if there, opacity; and what to multiply them by to get bytes.
    color: Option<([usize; 3], Option<usize>, f64)>,
}

/// Which property of a face row is what.
pub(super) struct FaceColumns {
    pub(super) corners: usize,
    pub(super) material: Option<usize>,
    /// Strips of triangles, each closed by -1, and not polygons.
    pub(super) strips: bool,
}

/// Where a polygon's row stands, for messages.
type RowPlace<'a> = &'a dyn Fn() -> Place;

#[derive(Default)]
pub(super) struct Builder {
    pub(super) mesh: TriMesh,
    vertices_line: Option<usize>,
    polygons: Vec<DVec3>,
    local: Vec<[u32; 3]>,
}

impl VertexColumns {
    pub(super) fn of(element: &Element) -> Result<VertexColumns, Fault> {
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
    pub(super) fn of(element: &Element) -> Result<FaceColumns, Fault> {
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
    pub(super) fn begin_vertices(
        &mut self,
        element: &Element,
        columns: &VertexColumns,
        capacity: usize,
    ) -> Result<(), Fault> {
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

    pub(super) fn push_face(
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

pub(super) fn is_face(element: &Element) -> bool {
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
pub(super) struct Vertex {
    pub(super) position: DVec3,
    normal: Vec3,
    uv: Vec2,
    color: [u8; 4],
}

#[inline]
pub(super) fn vertex_of_row(columns: &VertexColumns, value: impl Fn(usize) -> f64) -> Vertex {
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
    pub(super) fn push_vertex(&mut self, vertex: Vertex) {
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
