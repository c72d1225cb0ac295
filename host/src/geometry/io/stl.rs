//! STL, in ASCII and binary.
//!
//! The format numbers no vertices, so corners at equal coordinates become one vertex, in the order in which they come
//! up; a closed surface in the file is then a closed mesh. Facet normals and the attribute bytes are not read: the first
//! follow from the corners, and the second mean something else to each program.

use glam::DVec3;

use super::error::{Fault, quoted};
use super::polygon::triangulate;
use super::text::Cursor;
use super::weld::{Welder, double_key, single_key};
use crate::geometry::TriMesh;

const HEADER_BYTES: usize = 84;
const FACET_BYTES: usize = 50;

/// The word `solid` proves nothing, because binary headers begin with it too; the size of the file does.
pub(super) fn read(bytes: &[u8]) -> Result<TriMesh, Fault> {
    let facets = bytes.get(80..84).map(|count| u32::from_le_bytes([count[0], count[1], count[2], count[3]]) as usize);
    let expected = facets.map(|facets| HEADER_BYTES + FACET_BYTES * facets);
    let mesh = match (facets, expected) {
        (Some(facets), Some(expected)) if expected == bytes.len() => read_binary(bytes, facets)?,
        _ if is_text(bytes) => read_ascii(&super::text::decode(bytes))?,
        (Some(facets), Some(expected)) if expected < bytes.len() => read_binary(bytes, facets)?,
        (Some(facets), Some(expected)) => {
            return Err(Fault::byte(
                80,
                format!(
                    "the header counts {facets} facets, which take {expected} bytes, but the file has {}; it is cut short \
                     or no STL file",
                    bytes.len()
                ),
            ));
        }
        _ => {
            return Err(Fault::file(format!(
                "is no STL file: {} bytes are too few for a binary one, and it does not begin with `solid`",
                bytes.len()
            )));
        }
    };
    if mesh.triangles.is_empty() {
        return Err(Fault::file("has no facets"));
    }
    Ok(mesh)
}

/// Text begins with `solid` and names a facet, or the end, before long.
fn is_text(bytes: &[u8]) -> bool {
    let text = super::text::decode(&bytes[..bytes.len().min(4096)]).trim_ascii_start().to_ascii_lowercase();
    let has = |word: &[u8]| text.windows(word.len()).any(|window| window == word);
    text.starts_with(b"solid") && (has(b"facet") || has(b"endsolid"))
}

fn read_binary(bytes: &[u8], facets: usize) -> Result<TriMesh, Fault> {
    let (records, _) = bytes[HEADER_BYTES..HEADER_BYTES + FACET_BYTES * facets].as_chunks::<FACET_BYTES>();
    let mut welder = Welder::for_triangles(facets);
    let mut triangles = Vec::with_capacity(facets);
    for (facet, record) in records.iter().enumerate() {
        let mut triangle = [0; 3];
        for (corner, vertex) in triangle.iter_mut().enumerate() {
            let at = 12 * (corner + 1);
            let part = |at: usize| f32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]);
            let point = [part(at), part(at + 4), part(at + 8)];
            if !point.iter().all(|coordinate| coordinate.is_finite()) {
                let problem = format!("corner {corner} of facet {facet} has a coordinate that is not finite");
                return Err(Fault::byte(HEADER_BYTES + FACET_BYTES * facet + at, problem));
            }
            *vertex = welder.number(single_key(point), || DVec3::from_array(point.map(f64::from)));
        }
        triangles.push(triangle);
    }
    Ok(TriMesh::new(welder.positions, triangles))
}

fn read_ascii(text: &[u8]) -> Result<TriMesh, Fault> {
    let mut cursor = Cursor::new(text).without_comments();
    // A facet takes seven lines, of well over a hundred bytes.
    let facets = text.len() / 128;
    let mut welder = Welder::for_triangles(facets);
    let mut triangles = Vec::with_capacity(facets);
    let mut outline: Vec<DVec3> = Vec::new();
    let mut local = Vec::new();
    let mut in_loop = false;
    while cursor.skip_empty_lines() {
        let place = cursor.clone();
        let word = cursor.word().unwrap_or_default().to_ascii_lowercase();
        match word.as_slice() {
            b"vertex" if in_loop => {
                outline.push(cursor.point()?);
                continue;
            }
            b"outer" if !in_loop => in_loop = true,
            b"endloop" if in_loop => {
                in_loop = false;
                local.clear();
                triangulate(&outline, &mut local).map_err(|problem| place.fault(problem))?;
                for corners in &local {
                    let points = corners.map(|corner| outline[corner as usize]);
                    triangles.push(points.map(|point| welder.number(double_key(point), || point)));
                }
                outline.clear();
                continue;
            }
            b"facet" | b"endfacet" | b"solid" | b"endsolid" | b"color" if !in_loop => {}
            _ => {
                let expected = if in_loop { "`vertex` or `endloop`" } else { "`facet`, `outer loop` or `endsolid`" };
                return Err(place.fault(format!("found {} where {expected} is expected", quoted(&word))));
            }
        }
        cursor.next_line();
    }
    if in_loop {
        return Err(cursor.fault("the file ends within a facet; it is cut short"));
    }
    Ok(TriMesh::new(welder.positions, triangles))
}

/// A binary file with facet normals.
pub(super) fn write(mesh: &TriMesh) -> Result<Vec<u8>, String> {
    let facets =
        u32::try_from(mesh.triangles.len()).map_err(|_| "STL holds at most 4,294,967,295 facets".to_owned())?;
    let mut bytes = Vec::with_capacity(HEADER_BYTES + FACET_BYTES * mesh.triangles.len());
    // Not `solid`: some readers take that for a text file.
    bytes.extend_from_slice(b"binary STL");
    bytes.resize(80, 0);
    bytes.extend_from_slice(&facets.to_le_bytes());
    for corners in mesh.iter_corners() {
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
        for point in [normal].iter().chain(&corners) {
            let single = point.as_vec3();
            if !single.is_finite() {
                return Err(format!("the coordinate {point} is too large for STL's single precision"));
            }
            bytes.extend(single.to_array().into_iter().flat_map(f32::to_le_bytes));
        }
        bytes.extend_from_slice(&[0, 0]);
    }
    Ok(bytes)
}
