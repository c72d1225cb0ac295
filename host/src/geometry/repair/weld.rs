//! Making one vertex of those at one place.

use glam::DVec3;
use rustc_hash::FxHashMap;

use super::Repair;
use crate::geometry::TriMesh;
use crate::geometry::identical::first_of_identical;

/// The side of a grid cell in radii: long enough that most vertices have neighbours in their own cell only.
const CELL: f64 = 16.0;

/// Gives every vertex the position of the first one near it, and names the first of those with the same position and
/// attributes in place of them all. The others stay, unnamed. Vertices whose attributes differ (along seams of a texture
/// and hard edges) stay apart, because no single vertex could keep what both say.
pub(super) fn weld(mesh: &mut TriMesh, tolerance: f64) -> [Option<Repair>; 2] {
    let radius = tolerance * mesh.aabb().diagonal();
    let same = first_of_identical(&mesh.positions);
    let place = if radius > 0.0 && radius.is_finite() { near(&mesh.positions, &same, radius) } else { same };
    let target = first_alike(mesh, &place);
    let mut named = vec![false; mesh.positions.len()];
    let before = count_named(mesh, &mut named);
    for triangle in &mut mesh.triangles {
        *triangle = triangle.map(|vertex| target[vertex as usize]);
    }
    let after = count_named(mesh, &mut named);
    let mut moved = 0;
    for (vertex, &place) in place.iter().enumerate() {
        let position = mesh.positions[place as usize];
        if named[vertex] && mesh.positions[vertex] != position {
            mesh.positions[vertex] = position;
            moved += 1;
        }
    }
    [
        (after < before).then_some(Repair::Welded { before, after }),
        (moved > 0).then_some(Repair::MovedTogether { vertices: moved }),
    ]
}

/// For each vertex the first one with the same place and attributes, bit for bit.
fn first_alike(mesh: &TriMesh, place: &[u32]) -> Vec<u32> {
    if mesh.normals.is_none() && mesh.uvs.is_none() && mesh.colors.is_none() {
        return place.to_vec();
    }
    // The two zeros are one.
    let bits = |number: f32| (number + 0.0).to_bits();
    let mut first = FxHashMap::default();
    (0..mesh.positions.len())
        .map(|vertex| {
            let normal = mesh.normals.as_ref().and_then(|normals| normals.get(vertex));
            let uv = mesh.uvs.as_ref().and_then(|uvs| uvs.get(vertex));
            let color = mesh.colors.as_ref().and_then(|colors| colors.get(vertex)).copied();
            let key =
                (place[vertex], normal.map(|n| n.to_array().map(bits)), uv.map(|uv| uv.to_array().map(bits)), color);
            *first.entry(key).or_insert(vertex as u32)
        })
        .collect()
}

fn count_named(mesh: &TriMesh, named: &mut [bool]) -> usize {
    named.fill(false);
    for &vertex in mesh.triangles.as_flattened() {
        named[vertex as usize] = true;
    }
    named.iter().filter(|&&named| named).count()
}

/// For each vertex the first kept one within a radius; one that has none is kept. So kept ones are further apart.
fn near(positions: &[DVec3], same: &[u32], radius: f64) -> Vec<u32> {
    let side = CELL * radius;
    let low = positions.iter().fold(DVec3::INFINITY, |low, &position| low.min(position));
    let cell = |point: DVec3| ((point - low) / side).floor().to_array().map(|coordinate| coordinate as i64);
    // The kept vertices of a cell form a list, the last one first.
    let mut heads = FxHashMap::<[i64; 3], u32>::default();
    let mut rest = vec![u32::MAX; positions.len()];
    let mut target = vec![0; positions.len()];
    for (vertex, &position) in positions.iter().enumerate() {
        if (same[vertex] as usize) < vertex {
            target[vertex] = target[same[vertex] as usize];
            continue;
        }
        let (first, last) = (cell(position - radius), cell(position + radius));
        let mut found = u32::MAX;
        for x in first[0]..=last[0] {
            for y in first[1]..=last[1] {
                for z in first[2]..=last[2] {
                    let mut other = heads.get(&[x, y, z]).copied().unwrap_or(u32::MAX);
                    while other != u32::MAX {
                        if positions[other as usize].distance_squared(position) <= radius * radius {
                            found = found.min(other);
                        }
                        other = rest[other as usize];
                    }
                }
            }
        }
        if found == u32::MAX {
            found = vertex as u32;
            let head = heads.entry(cell(position)).or_insert(u32::MAX);
            rest[vertex] = std::mem::replace(head, found);
        }
        target[vertex] = found;
    }
    target
}
