//! What is inside of a mesh that is not closed.
//!
//! Winding numbers along rows mean nothing if the surface has holes or is not turned one way. Then the generalised
//! winding number decides, where its absolute value is above a half; and voxels inside that share a face with one outside
//! become boundary voxels, which close the holes.

mod field;
mod grid;
mod local;
mod winding;

use glam::DVec3;
use rayon::prelude::*;

use self::field::Field;
use self::grid::{Content, Grid};
use self::winding::Winding;
use super::triangle::{CHUNK, STEPS};
use super::{Made, Surface};
use crate::geometry::TriMesh;
use crate::svo::bits::{or, to_rows};
use crate::svo::build::empty_nodes;

/// Whether each edge is walked as often one way as the other, corners at the same rounded place being one. This is what
/// makes the winding numbers of rows agree.
pub(super) fn is_closed(triangles: &[[u32; 3]], corners: &[[i64; 3]]) -> bool {
    // Edges are summed as hashes, with their direction as sign; only a balance leaves nothing, but for odds of 2^-64.
    let sum = |triangle: &[u32; 3]| {
        let keys = triangle.map(|corner| {
            let [x, y, z] = corners[corner as usize].map(|coordinate| coordinate as u64);
            x << 42 | y << 21 | z
        });
        (0..3).fold(0u64, |sum, corner| {
            let (from, to) = (keys[corner], keys[(corner + 1) % 3]);
            match from.cmp(&to) {
                std::cmp::Ordering::Less => sum.wrapping_add(mixed(mixed(from) ^ to)),
                std::cmp::Ordering::Equal => sum,
                std::cmp::Ordering::Greater => sum.wrapping_sub(mixed(mixed(to) ^ from)),
            }
        })
    };
    triangles.par_iter().with_min_len(4096).map(sum).reduce(|| 0, u64::wrapping_add) == 0
}

/// Whether there is for each triangle one that faces the other way, so that the mesh encloses nothing as it is.
pub(super) fn is_two_sided(mesh: &TriMesh) -> bool {
    // Summed as the edges are; the two zeros are one place.
    let key = |corner: DVec3| corner.to_array().iter().fold(0, |key, axis| mixed(key ^ (axis + 0.0).to_bits()));
    let sum = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|corner| key(mesh.positions[corner as usize]));
        let first = a.min(b).min(c);
        let [next, last] = if first == a {
            [b, c]
        } else if first == b {
            [c, a]
        } else {
            [a, b]
        };
        let face = mixed(mixed(mixed(first) ^ next.min(last)) ^ next.max(last));
        match next.cmp(&last) {
            std::cmp::Ordering::Less => face,
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => face.wrapping_neg(),
        }
    };
    mesh.triangles.par_iter().with_min_len(4096).map(sum).reduce(|| 0, u64::wrapping_add) == 0
}

/// The finaliser of splitmix64.
fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

/// Decides anew what is inside of the chunks, adds the boundary voxels that close holes, and gives the chunks that are
/// inside, in Morton order.
pub(super) fn close(surface: &Surface<'_>, made: &mut Vec<Made>) -> Vec<u32> {
    let scale = (STEPS as f64).recip();
    let corners: Vec<DVec3> =
        surface.corners.iter().map(|corner| scale * DVec3::from_array(corner.map(|step| step as f64))).collect();
    let triangles = surface.mesh.triangles.iter().map(|triangle| triangle.map(|corner| corners[corner as usize]));
    let winding = Winding::new(triangles.collect());
    let top = surface.lattice.level - 3;

    let mut grid = Grid::new(surface.lattice.size() / CHUNK as u32);
    let mut nodes: Vec<(u32, u32)> = made.iter().map(|made| (made.chunk.code, 0)).collect();
    nodes.extend(empty_nodes(made.iter().map(|made| made.chunk.code), top));
    nodes.par_sort_unstable_by_key(|&(code, height)| code << (3 * height));
    let parts: Vec<Vec<(u32, u32, Content)>> = local::each(&winding, top, &nodes, |number, above| {
        let (code, height) = nodes[number];
        let field = Field(above);
        match made.binary_search_by_key(&code, |made| made.chunk.code) {
            Ok(own) if height == 0 => {
                let boundary = to_rows(&made[own].chunk.boundary);
                let matter = or(&boundary, &field.inside(code, &boundary));
                vec![(code, 0, Content::Mixed(Box::new(matter)))]
            }
            _ => {
                let mut found = Vec::new();
                field.divide(code, height, &mut found);
                found
            }
        }
    });
    for (code, height, content) in parts.into_iter().flatten() {
        for code in code << (3 * height)..(code + 1) << (3 * height) {
            grid.put(code, content.clone());
        }
    }
    grid.finish(&winding, surface.color, made)
}

#[cfg(test)]
mod tests;
