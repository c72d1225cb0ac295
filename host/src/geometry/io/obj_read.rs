//! Wavefront OBJ.
//!
//! The file is cut at line ends into chunks that are parsed side by side and joined in order.
//!
//! # Vertices and their numbers
//! The vertices of the mesh are the `v` lines of the file, in order and unused ones included, so that vertex numbers are
//! those of the file less one. Where the faces around a `v` disagree about its texture coordinate or normal, the first
//! face's stay with it, and each further pair (by value, not by number) makes one more vertex at the same place, after
//! all of the file's own. Such a seam opens no gap: positions stay bit-identical along it, which is what the mesh report
//! and the repair take for one vertex.

use std::ops::Range;

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use super::attributes::{byte_of_share, fill_missing_normals, material_numbers};
use super::error::Fault;
use super::hash::SeededMap;
use super::obj_parse::{Chunk, MISSING, MOST, parse_chunk};
use super::polygon::triangulate;
use super::text::{Cursor, decode};
use crate::geometry::TriMesh;

/// Small enough for a balanced load on many cores, large enough that joining costs nothing.
const CHUNK_BYTES: usize = 1 << 20;

pub(super) fn read(bytes: &[u8]) -> Result<TriMesh, Fault> {
    read_parts(bytes, true)
}

/// Without attributes that belong to corners, so that no vertex has copies.
pub(super) fn read_shape(bytes: &[u8]) -> Result<TriMesh, Fault> {
    read_parts(bytes, false)
}

fn read_parts(bytes: &[u8], with_corners: bool) -> Result<TriMesh, Fault> {
    let text = decode(bytes);
    let parsed: Vec<_> = cut(&text).into_par_iter().map(|range| parse_chunk(&text, range.start, range.end)).collect();
    // The first fault in the file is reported, whichever chunk was read first.
    let mut chunks = parsed.into_iter().collect::<Result<Vec<Chunk<'_>>, Fault>>()?;
    resolve(&text, &mut chunks)?;
    let mut mesh = TriMesh {
        positions: chunks.iter().flat_map(|chunk| chunk.positions.iter().copied()).collect(),
        colors: join_colors(&chunks),
        ..TriMesh::default()
    };
    if with_corners {
        split_seams(&mut mesh, &mut chunks);
    }
    let faces: Vec<(Vec<[u32; 3]>, Vec<u32>)> = chunks
        .par_iter()
        .map(|chunk| triangles_of(&text, chunk, &mesh))
        .collect::<Vec<_>>()
        .into_iter()
        .collect::<Result<_, Fault>>()?;
    mesh.triangles.reserve_exact(faces.iter().map(|(triangles, _)| triangles.len()).sum());
    for (triangles, _) in &faces {
        mesh.triangles.extend_from_slice(triangles);
    }
    if mesh.triangles.is_empty() {
        return Err(Fault::file("has no faces (lines that begin with `f`)"));
    }
    mesh.materials = materials_of(&chunks, &faces);
    fill_missing_normals(&mut mesh);
    Ok(mesh)
}

/// Stretches of whole lines; a line that a backslash continues is not cut.
fn cut(text: &[u8]) -> Vec<Range<usize>> {
    let mut ranges = Vec::with_capacity(text.len() / CHUNK_BYTES + 1);
    let mut start = 0;
    while start < text.len() {
        let mut end = (start + CHUNK_BYTES).min(text.len());
        let is_within_line = |end: usize| {
            end < text.len() && (text[end - 1] != b'\n' || text[start..end - 1].trim_ascii_end().ends_with(b"\\"))
        };
        while is_within_line(end) {
            end += match text[end..].iter().position(|&byte| byte == b'\n') {
                Some(length) => length + 1,
                None => text.len() - end,
            };
        }
        ranges.push(start..end);
        start = end;
    }
    ranges
}

/// Makes all references count from the beginning of the file, and checks them.
fn resolve(text: &[u8], chunks: &mut [Chunk<'_>]) -> Result<(), Fault> {
    let mut totals = [0_usize; 3];
    let counts = |chunk: &Chunk<'_>| [chunk.positions.len(), chunk.uvs.len(), chunk.normals.len()];
    let before: Vec<[usize; 3]> = chunks
        .iter()
        .map(|chunk| {
            let before = totals;
            totals = std::array::from_fn(|list| before[list] + counts(chunk)[list]);
            before
        })
        .collect();
    if totals.iter().any(|&total| total > MOST) {
        return Err(Fault::file(format!("has more than {MOST} vertices, texture coordinates or normals")));
    }
    let worst = chunks
        .par_iter_mut()
        .zip(before)
        .enumerate()
        .filter_map(|(number, (chunk, before))| {
            let lists = [&mut chunk.corners, &mut chunk.corner_uvs, &mut chunk.corner_normals];
            let bad = |(list, references): (usize, &mut super::obj_parse::References)| {
                references.resolve(before[list], totals[list], list > 0).map(|corner| (number, corner, list))
            };
            lists.into_iter().enumerate().filter_map(bad).min()
        })
        .min();
    match worst {
        Some((chunk, corner, list)) => Err(out_of_range(text, &chunks[chunk], corner, list, totals[list])),
        None => Ok(()),
    }
}

/// Finds the line of a corner again, to say what stands there.
#[cold]
fn out_of_range(text: &[u8], chunk: &Chunk<'_>, corner: usize, list: usize, total: usize) -> Fault {
    let mut cursor = Cursor::part(text, chunk.start, chunk.end);
    let what = ["vertex", "texture coordinate", "normal"][list];
    let mut seen = 0;
    loop {
        let mut line = cursor.clone();
        if line.word() == Some(b"f") {
            while let Some(word) = line.word() {
                if seen == corner {
                    let number = word.split(|&byte| byte == b'/').nth(list).unwrap_or_default();
                    let number = String::from_utf8_lossy(number);
                    let until = if number.starts_with('-') { "it" } else { "the end of the file" };
                    let problem = match total {
                        _ if number.starts_with('-') => {
                            format!(
                                "face names {what} {number}, counted back from there, but fewer are defined before {until}"
                            )
                        }
                        1 => format!("face names {what} {number}, but only 1 is defined before {until}"),
                        _ => format!("face names {what} {number}, but only {total} are defined before {until}"),
                    };
                    return line.fault(problem);
                }
                seen += 1;
            }
            cursor = line;
        }
        if !cursor.next_line() {
            return Fault::file(format!("a face names a {what} that is not defined"));
        }
    }
}

/// Colours are shares of one, but some programs write bytes: then some share is above one.
fn join_colors(chunks: &[Chunk<'_>]) -> Option<Vec<[u8; 4]>> {
    if chunks.iter().all(|chunk| chunk.colors.is_empty()) {
        return None;
    }
    let shares = || chunks.iter().flat_map(|chunk| &chunk.colors);
    let bytes = shares().any(|color| color[..3].iter().any(|&share| share > 1.0));
    let to_byte = |share: f32| if bytes { share.round() as u8 } else { byte_of_share(f64::from(share)) };
    let mut colors = Vec::with_capacity(chunks.iter().map(|chunk| chunk.positions.len()).sum());
    for chunk in chunks {
        colors.extend(chunk.colors.iter().map(|&[red, green, blue, alpha]| {
            let opacity = if bytes && alpha > 1.0 { alpha.round() as u8 } else { byte_of_share(f64::from(alpha)) };
            [to_byte(red), to_byte(green), to_byte(blue), opacity]
        }));
        colors.resize(colors.len() + chunk.positions.len() - chunk.colors.len(), [255; 4]);
    }
    Some(colors)
}

/// A texture coordinate and a normal, each if there, as something to compare.
type AttributeBits = (Option<[u32; 2]>, Option<[u32; 3]>);

/// Gives each vertex one texture coordinate and one normal; see the top of this file for the rule.
fn split_seams(mesh: &mut TriMesh, chunks: &mut [Chunk<'_>]) {
    const UNSEEN: u32 = u32::MAX - 1;
    let has_uvs = chunks.iter().any(|chunk| !chunk.corner_uvs.values.is_empty());
    let has_normals = chunks.iter().any(|chunk| !chunk.corner_normals.values.is_empty());
    if !has_uvs && !has_normals {
        return;
    }
    let uvs: Vec<Vec2> = chunks.iter().flat_map(|chunk| chunk.uvs.iter().copied()).collect();
    let normals: Vec<Vec3> = chunks.iter().flat_map(|chunk| chunk.normals.iter().copied()).collect();
    let bits = |[uv, normal]: [u32; 2]| -> AttributeBits {
        let uv = uvs.get(uv as usize).map(|uv| uv.to_array().map(f32::to_bits));
        let normal = normals.get(normal as usize).map(|normal| normal.to_array().map(f32::to_bits));
        (uv, normal)
    };
    let mut attributes = vec![[UNSEEN; 2]; mesh.positions.len()];
    let mut copies: SeededMap<(u32, AttributeBits), u32> = SeededMap::default();
    for chunk in chunks.iter_mut() {
        for corner in 0..chunk.corners.values.len() {
            let of = |list: &[u32]| list.get(corner).copied().unwrap_or(MISSING);
            let pair = [of(&chunk.corner_uvs.values), of(&chunk.corner_normals.values)];
            let vertex = &mut chunk.corners.values[corner];
            let first = &mut attributes[*vertex as usize];
            if *first == [UNSEEN; 2] {
                *first = pair;
            } else if *first != pair && bits(*first) != bits(pair) {
                let next = attributes.len() as u32;
                let original = *vertex as usize;
                *vertex = *copies.entry((*vertex, bits(pair))).or_insert(next);
                if *vertex == next {
                    attributes.push(pair);
                    mesh.positions.push(mesh.positions[original]);
                    if let Some(colors) = &mut mesh.colors {
                        colors.push(colors[original]);
                    }
                }
            }
        }
    }
    if has_uvs {
        mesh.uvs = Some(attributes.iter().map(|&[uv, _]| uvs.get(uv as usize).copied().unwrap_or_default()).collect());
    }
    if has_normals {
        let of = |&[_, normal]: &[u32; 2]| normals.get(normal as usize).copied().unwrap_or_default();
        mesh.normals = Some(attributes.iter().map(of).collect());
    }
}

/// The triangles of a chunk and, where not all faces are triangles, how many each face became.
fn triangles_of(text: &[u8], chunk: &Chunk<'_>, mesh: &TriMesh) -> Result<(Vec<[u32; 3]>, Vec<u32>), Fault> {
    let corners = &chunk.corners.values;
    if chunk.only_triangles {
        return Ok((corners.as_chunks::<3>().0.to_vec(), Vec::new()));
    }
    let mut triangles = Vec::with_capacity(corners.len() - 2 * chunk.face_sizes.len());
    let mut parts = Vec::with_capacity(chunk.face_sizes.len());
    let mut positions = Vec::new();
    let mut local = Vec::new();
    let mut first = 0;
    for &size in &chunk.face_sizes {
        let face = &corners[first..first + size as usize];
        if let &[a, b, c] = face {
            triangles.push([a, b, c]);
            parts.push(1);
        } else {
            positions.clear();
            positions.extend(face.iter().map(|&vertex| mesh.positions[vertex as usize]));
            local.clear();
            triangulate(&positions, &mut local).map_err(|problem| too_large(text, chunk, size, problem))?;
            triangles.extend(local.iter().map(|triangle| triangle.map(|corner| face[corner as usize])));
            parts.push(local.len() as u32);
        }
        first += size as usize;
    }
    Ok((triangles, parts))
}

/// Finds the first face of a size again.
#[cold]
fn too_large(text: &[u8], chunk: &Chunk<'_>, size: u32, problem: String) -> Fault {
    let mut cursor = Cursor::part(text, chunk.start, chunk.end);
    loop {
        let mut line = cursor.clone();
        if line.word() == Some(b"f") {
            let place = line.clone();
            if std::iter::from_fn(|| line.word()).count() == size as usize {
                return place.fault(problem);
            }
            cursor = line;
        }
        if !cursor.next_line() {
            return Fault::file(problem);
        }
    }
}

/// A material for each triangle, numbered as their names come into use.
fn materials_of(chunks: &[Chunk<'_>], faces: &[(Vec<[u32; 3]>, Vec<u32>)]) -> Option<Vec<u32>> {
    if chunks.iter().all(|chunk| chunk.material_changes.is_empty()) {
        return None;
    }
    let mut names: Vec<&[u8]> = Vec::new();
    let mut numbers: SeededMap<&[u8], u32> = SeededMap::default();
    let mut materials = Vec::new();
    let mut name: &[u8] = b"";
    for (chunk, (triangles, parts)) in chunks.iter().zip(faces) {
        let mut changes = chunk.material_changes.iter().peekable();
        let mut first_face = 0;
        while first_face < chunk.face_sizes.len() || changes.peek().is_some() {
            while let Some(&(_, next)) = changes.next_if(|&&(face, _)| face <= first_face) {
                name = next;
            }
            let last_face = changes.peek().map_or(chunk.face_sizes.len(), |&&(face, _)| face);
            let count: usize = if chunk.only_triangles {
                last_face - first_face
            } else {
                parts[first_face..last_face].iter().map(|&part| part as usize).sum()
            };
            if count > 0 {
                let number = *numbers.entry(name).or_insert_with(|| {
                    names.push(name);
                    names.len() as u32 - 1
                });
                materials.resize(materials.len() + count, number);
            }
            first_face = last_face;
        }
        debug_assert!(materials.len() <= u32::MAX as usize && triangles.len() <= materials.len());
    }
    let renumbered = material_numbers(names.iter().copied());
    Some(materials.into_iter().map(|number| renumbered[number as usize]).collect())
}
