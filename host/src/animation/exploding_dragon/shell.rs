//! A surface that is divided along its edges.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::DVec3;
use rustc_hash::FxHashMap;

use crate::geometry::TriMesh;

/// The triangles of a mesh by the seed that is nearest along the surface; seeds are triangles too. What no seed can be
/// reached from belongs to the first.
pub(super) fn cells(mesh: &TriMesh, seeds: &[u32]) -> Vec<u32> {
    let middles: Vec<DVec3> = mesh.iter_corners().map(|[a, b, c]| (a + b + c) / 3.0).collect();
    let neighbours = neighbours(mesh);
    let mut cells = vec![u32::MAX; mesh.triangles.len()];
    // Positive doubles are in the order of their bits; of equal ways the smallest number goes first.
    let mut fronts: BinaryHeap<Reverse<(u64, u32, u32)>> =
        (0..).zip(seeds).map(|(number, &seed)| Reverse((0, seed, number))).collect();
    while let Some(Reverse((way, triangle, seed))) = fronts.pop() {
        if cells[triangle as usize] != u32::MAX {
            continue;
        }
        cells[triangle as usize] = seed;
        for &next in &neighbours[triangle as usize] {
            if next != u32::MAX && cells[next as usize] == u32::MAX {
                let step = middles[triangle as usize].distance(middles[next as usize]);
                fronts.push(Reverse(((f64::from_bits(way) + step).to_bits(), next, seed)));
            }
        }
    }
    cells.iter_mut().filter(|cell| **cell == u32::MAX).for_each(|cell| *cell = 0);
    cells
}

/// The triangles across each side of every triangle, `u32::MAX` where there is none.
fn neighbours(mesh: &TriMesh) -> Vec<[u32; 3]> {
    let mut neighbours = vec![[u32::MAX; 3]; mesh.triangles.len()];
    let mut sides: FxHashMap<[u32; 2], (usize, usize)> = FxHashMap::default();
    for (number, triangle) in mesh.triangles.iter().enumerate() {
        for side in 0..3 {
            let (from, to) = (triangle[side], triangle[(side + 1) % 3]);
            if let Some((other, other_side)) = sides.insert([from.min(to), from.max(to)], (number, side)) {
                neighbours[other][other_side] = number as u32;
                neighbours[number][side] = other as u32;
            }
        }
    }
    neighbours
}

/// Some triangles of a mesh, over the vertices that these have.
pub(super) struct Part {
    /// The number of each vertex in the mesh.
    pub(super) vertices: Vec<u32>,
    pub(super) triangles: Vec<[u32; 3]>,
}

impl Part {
    /// `numbers` is room for a number for each vertex of the mesh, all `u32::MAX`, and so again afterwards.
    pub(super) fn new(mesh: &TriMesh, triangles: &[u32], numbers: &mut [u32]) -> Part {
        let mut part = Part { vertices: Vec::new(), triangles: Vec::with_capacity(triangles.len()) };
        for &triangle in triangles {
            part.triangles.push(mesh.triangles[triangle as usize].map(|vertex| {
                let number = &mut numbers[vertex as usize];
                if *number == u32::MAX {
                    *number = part.vertices.len() as u32;
                    part.vertices.push(vertex);
                }
                *number
            }));
        }
        part.vertices.iter().for_each(|&vertex| numbers[vertex as usize] = u32::MAX);
        part
    }

    /// Values of its vertices, from those of all.
    pub(super) fn of<T: Copy>(&self, all: &[T]) -> Vec<T> {
        self.vertices.iter().map(|&vertex| all[vertex as usize]).collect()
    }
}
