//! Taking out what does not belong.

use rustc_hash::FxHashMap;

use super::{Repair, connected_triangles, retain, retain_triangles};
use crate::geometry::TriMesh;
use crate::geometry::edge_sides::{EdgeSide, edge_sides, names_twice};
use crate::geometry::triangle_intersection::is_degenerate;

/// How often triangles in line are looked for again: an exchanged edge can make another one.
const ROUNDS: usize = 8;

pub(super) fn remove_invalid(mesh: &mut TriMesh) -> Option<Repair> {
    let valid = |&vertex: &u32| mesh.positions.get(vertex as usize).is_some_and(|position| position.is_finite());
    let keep: Vec<bool> = mesh.triangles.iter().map(|triangle| triangle.iter().all(valid)).collect();
    let triangles = retain_triangles(mesh, &keep);
    // Positions that are not finite would spoil every box around the mesh.
    if mesh.positions.iter().any(|position| !position.is_finite()) {
        remove_unreferenced(mesh);
    }
    (triangles > 0).then_some(Repair::RemovedInvalid { triangles })
}

/// Removes triangles that name a vertex twice, which leaves no hole. A triangle of three vertices in line would leave one
/// where its long side has a neighbour; it is made to share the neighbour's area instead.
pub(super) fn remove_degenerate(mesh: &mut TriMesh) -> Option<Repair> {
    let mut removed = 0;
    for _ in 0..ROUNDS {
        let triangles = connected_triangles(mesh);
        let mut keep: Vec<bool> = triangles.iter().map(|&triangle| !names_twice(triangle)).collect();
        let in_line: Vec<usize> =
            (0..triangles.len()).filter(|&triangle| keep[triangle] && is_degenerate(mesh.corners(triangle))).collect();
        let mut exchanged = 0;
        if !in_line.is_empty() {
            let sides = edge_sides(&triangles, mesh.positions.len());
            let mut touched = vec![false; triangles.len()];
            for triangle in in_line {
                exchanged += exchange_long_side(mesh, &triangles, &sides, triangle, (&mut touched, &mut keep));
            }
        }
        let dropped = retain_triangles(mesh, &keep);
        removed += dropped + exchanged;
        if exchanged + dropped == 0 {
            break;
        }
    }
    (removed > 0).then_some(Repair::RemovedDegenerate { triangles: removed })
}

/// For a triangle of three vertices in line: gives the middle vertex to the neighbour at the long side, which makes two
/// triangles of the two; or drops the triangle if it has no neighbour there. Returns how many triangles were mended.
fn exchange_long_side(
    mesh: &mut TriMesh,
    triangles: &[[u32; 3]],
    sides: &[EdgeSide],
    triangle: usize,
    (touched, keep): (&mut [bool], &mut [bool]),
) -> usize {
    let corners = mesh.corners(triangle);
    let length = |corner: usize| corners[corner].distance_squared(corners[(corner + 1) % 3]);
    let Some(long) = (0..3).max_by(|&a, &b| length(a).total_cmp(&length(b))) else { return 0 };
    let (from, to) = (triangles[triangle][long], triangles[triangle][(long + 1) % 3]);
    let key = (from.min(to), from.max(to));
    let first = sides.partition_point(|side| (side.low, side.high) < key);
    let end = first + sides[first..].partition_point(|side| (side.low, side.high) == key);
    match &sides[first..end] {
        [_] if !touched[triangle] => {
            keep[triangle] = false;
            0
        }
        [a, b] if a.reversed != b.reversed => {
            let other = if a.triangle() as usize == triangle { b } else { a };
            let neighbour = other.triangle() as usize;
            if touched[triangle] || touched[neighbour] || !keep[neighbour] {
                return 0;
            }
            touched[triangle] = true;
            touched[neighbour] = true;
            // In the neighbour, `from` is where its walk along the long side ends.
            let middle = mesh.triangles[triangle][(long + 2) % 3];
            let [start, stop] = [other.corner as usize % 3, other.next_corner() as usize % 3];
            let (mut first, mut second) = (mesh.triangles[neighbour], mesh.triangles[neighbour]);
            first[stop] = middle;
            second[start] = middle;
            mesh.triangles[neighbour] = first;
            mesh.triangles[triangle] = second;
            if let Some(materials) = &mut mesh.materials {
                materials[triangle] = materials[neighbour];
            }
            1
        }
        _ => 0,
    }
}

/// Of triangles with the same vertices one stays, facing the way that the majority does. Where as many face one way as
/// the other they enclose nothing between them and all go; but if that would be the whole mesh, as of one that was made
/// to be seen from both sides, the first ones stay.
pub(super) fn remove_duplicate(mesh: &mut TriMesh) -> Option<Repair> {
    let triangles = connected_triangles(mesh);
    let mut groups = FxHashMap::<[u32; 3], (usize, i64)>::default();
    let key = |triangle: [u32; 3]| {
        let mut sorted = triangle;
        sorted.sort_unstable();
        // Whether the walk goes round in the order of the numbers.
        let forward = [0, 1, 2].into_iter().any(|shift| (0..3).all(|i| triangle[(i + shift) % 3] == sorted[i]));
        (sorted, if forward { 1 } else { -1 })
    };
    for &triangle in &triangles {
        let (key, direction) = key(triangle);
        let group = groups.entry(key).or_default();
        group.0 += 1;
        group.1 += direction;
    }
    let double_sided = groups.values().all(|&(_, net)| net == 0);
    let keep: Vec<bool> = triangles
        .iter()
        .map(|&triangle| {
            let (key, direction) = key(triangle);
            let Some(group) = groups.get_mut(&key) else { return false };
            let stays = match group.1 {
                _ if group.0 == 0 => false,
                0 => double_sided,
                net => direction == net.signum(),
            };
            if stays {
                group.0 = 0;
            }
            stays
        })
        .collect();
    let triangles = retain_triangles(mesh, &keep);
    (triangles > 0).then_some(Repair::RemovedDuplicate { triangles })
}

pub(super) fn remove_unreferenced(mesh: &mut TriMesh) -> Option<Repair> {
    let mut used = vec![false; mesh.positions.len()];
    for &vertex in mesh.triangles.as_flattened() {
        used[vertex as usize] = true;
    }
    let vertices = used.iter().filter(|&&used| !used).count();
    if vertices == 0 {
        return None;
    }
    let mut next = 0;
    let numbers: Vec<u32> = used
        .iter()
        .map(|&used| {
            let number = next;
            next += u32::from(used);
            number
        })
        .collect();
    for triangle in &mut mesh.triangles {
        *triangle = triangle.map(|vertex| numbers[vertex as usize]);
    }
    retain(&mut mesh.positions, &used);
    if let Some(normals) = &mut mesh.normals {
        retain(normals, &used);
    }
    if let Some(uvs) = &mut mesh.uvs {
        retain(uvs, &used);
    }
    if let Some(colors) = &mut mesh.colors {
        retain(colors, &used);
    }
    Some(Repair::RemovedUnreferenced { vertices })
}
