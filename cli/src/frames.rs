//! Two frames of one mesh.

use std::collections::HashMap;
use std::path::Path;

use fracas::geometry::{TriMesh, io};
use glam::DVec3;

use crate::failure::Failure;

/// A mesh and where its vertices go.
pub(crate) struct Frames {
    /// The mesh of the first frame, without attributes.
    pub(crate) mesh: TriMesh,
    /// Where its vertices are in the second frame.
    pub(crate) to: Vec<DVec3>,
    /// How many vertices are where an earlier one is, in both frames, and are not one with it.
    pub(crate) copies: usize,
}

/// The largest face that may be cut into triangles in two ways.
const MOST_CORNERS: usize = 64;

/// Reads two frames of one mesh: the same faces over vertices that moved. With `weld`, and for formats that keep copies of
/// vertices, those at the same place in both frames are one, the first of them.
pub(crate) fn read_frames(first: &Path, second: &Path, weld: bool) -> Result<Frames, Failure> {
    let [start, end] = [first, second].map(|path| io::read_shape(path).map_err(Failure::input));
    let (mut start, mut end) = (start?, end?);
    let differ = |what: String| {
        let line = format!("{} and {} are not two frames of one mesh: {what}", first.display(), second.display());
        Err(Failure::Input(line))
    };
    let [faces, other_faces] = [&start, &end].map(|mesh| mesh.triangles.len());
    if faces != other_faces {
        return differ(format!("{faces} triangles in the one and {other_faces} in the other"));
    }
    if [first, second].iter().all(|path| extension(path) == "stl") {
        [start, end] = numbered_together(&start, &end);
    }
    let [vertices, other_vertices] = [&start, &end].map(|mesh| mesh.positions.len());
    if vertices != other_vertices {
        return differ(format!("{vertices} vertices in the one and {other_vertices} in the other"));
    }
    if let Some(face) = first_difference(&start.triangles, &end.triangles) {
        let [one, other] = [&start, &end].map(|mesh| mesh.triangles[face]);
        return differ(format!("triangle {face} is of the vertices {one:?} in the one and {other:?} in the other"));
    }
    let keeps_copies = matches!(extension(first).as_str(), "stl" | "gltf" | "glb");
    let (originals, mut copies) = originals(&start.positions, &end.positions);
    if weld || keeps_copies {
        copies = 0;
        start.triangles.iter_mut().flatten().for_each(|vertex| *vertex = originals[*vertex as usize]);
    }
    Ok(Frames { mesh: start, to: end.positions, copies })
}

fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Two meshes that number their vertices as they come up, each for itself, with vertices where both agree: one that meets
/// another in one frame only is two in both.
fn numbered_together(start: &TriMesh, end: &TriMesh) -> [TriMesh; 2] {
    let mut numbers = HashMap::new();
    let mut together = [TriMesh::default(), TriMesh::default()];
    for (one, other) in start.triangles.iter().zip(&end.triangles) {
        let corners = [0, 1, 2].map(|corner| {
            let pair = [one[corner], other[corner]];
            *numbers.entry(pair).or_insert_with(|| {
                together[0].positions.push(start.positions[pair[0] as usize]);
                together[1].positions.push(end.positions[pair[1] as usize]);
                together[0].positions.len() as u32 - 1
            })
        });
        together.iter_mut().for_each(|mesh| mesh.triangles.push(corners));
    }
    together
}

/// The first triangle that is another one, and not of a face that is cut up in another way: a face that bends may be.
fn first_difference(one: &[[u32; 3]], other: &[[u32; 3]]) -> Option<usize> {
    let mut place = 0;
    while let Some(equal) = one[place..].iter().zip(&other[place..]).position(|(one, other)| one != other) {
        place += equal;
        let most = (MOST_CORNERS - 2).min(one.len() - place);
        let same_outline =
            |&count: &usize| outline(&one[place..place + count]) == outline(&other[place..place + count]);
        match (2..=most).find(same_outline) {
            Some(count) => place += count,
            None => return Some(place),
        }
    }
    None
}

/// The edges around some triangles, from their first to their second end, sorted.
fn outline(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut edges: Vec<[u32; 2]> = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    edges.sort_unstable();
    edges.iter().copied().filter(|&[a, b]| edges.binary_search(&[b, a]).is_err()).collect()
}

/// The first vertex at the same place in both frames as each vertex, and how many are not the first.
fn originals(start: &[DVec3], end: &[DVec3]) -> (Vec<u32>, usize) {
    // Adding zero makes both zeros one.
    let key = |point: DVec3| (point + 0.0).to_array().map(f64::to_bits);
    let mut first = HashMap::with_capacity(start.len());
    let originals: Vec<u32> = (start.iter().zip(end).zip(0u32..))
        .map(|((&start, &end), vertex)| *first.entry([key(start), key(end)]).or_insert(vertex))
        .collect();
    let copies = originals.iter().zip(0u32..).filter(|&(&original, vertex)| original != vertex).count();
    (originals, copies)
}
