//! Making one vertex of those at one place.

use glam::DVec3;
use rustc_hash::FxHashMap;

use super::Repair;
use crate::geometry::TriMesh;
use crate::geometry::identical::first_of_identical;

/// The side of a grid cell in radii: long enough that most vertices have neighbours in their own cell only.
const CELL: f64 = 16.0;

/// Names the first vertex in place of every later one near it. The later ones stay, unnamed.
pub(super) fn weld(mesh: &mut TriMesh, tolerance: f64) -> Option<Repair> {
    let radius = tolerance * mesh.aabb().diagonal();
    let same = first_of_identical(&mesh.positions);
    let target = if radius > 0.0 && radius.is_finite() { near(&mesh.positions, &same, radius) } else { same };
    let mut named = vec![false; mesh.positions.len()];
    let before = count_named(mesh, &mut named);
    for triangle in &mut mesh.triangles {
        *triangle = triangle.map(|vertex| target[vertex as usize]);
    }
    let after = count_named(mesh, &mut named);
    (after < before).then_some(Repair::Welded { before, after })
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
