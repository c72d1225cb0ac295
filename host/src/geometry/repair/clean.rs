//! Taking out what does not belong.

use rustc_hash::FxHashMap;

use super::degenerate::{exchange_in_line, remove_collapsed};
use super::{Repair, RepairOptions, connected_triangles, retain, retain_triangles};
use crate::geometry::TriMesh;

/// Removes triangles without area and those that are there twice. Each can keep the other from being mended (an edge of
/// four sides cannot be exchanged, and an exchange can make a triangle that is there already), so they take turns. That
/// ends: every turn but the last leaves fewer triangles, or
/// fewer without area.
pub(super) fn clean(mesh: &mut TriMesh, options: &RepairOptions) -> [Option<Repair>; 2] {
    let (mut degenerate, mut duplicate) = (0, 0);
    loop {
        let before = mesh.triangles.len();
        if options.remove_degenerate {
            degenerate += remove_collapsed(mesh);
        }
        if options.remove_duplicate {
            duplicate += remove_duplicate(mesh);
        }
        let in_line = if options.remove_degenerate { exchange_in_line(mesh) } else { 0 };
        degenerate += in_line;
        if in_line == 0 && mesh.triangles.len() == before {
            break;
        }
    }
    [
        (degenerate > 0).then_some(Repair::RemovedDegenerate { triangles: degenerate }),
        (duplicate > 0).then_some(Repair::RemovedDuplicate { triangles: duplicate }),
    ]
}

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

/// Of triangles with the same vertices one stays, facing the way that the majority does. Where as many face one way as
/// the other they enclose nothing between them and all go; but if that would be the whole mesh, as of one that was made
/// to be seen from both sides, the first ones stay.
fn remove_duplicate(mesh: &mut TriMesh) -> usize {
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
    retain_triangles(mesh, &keep)
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
