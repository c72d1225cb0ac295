//! Triangles without area.

use rustc_hash::FxHashMap;

use super::{connected_triangles, retain_triangles};
use crate::geometry::TriMesh;
use crate::geometry::edge_sides::names_twice;
use crate::geometry::triangle_intersection::is_degenerate;

/// Removes triangles that name a vertex twice, which leaves no hole; says how many.
pub(super) fn remove_collapsed(mesh: &mut TriMesh) -> usize {
    let keep: Vec<bool> = connected_triangles(mesh).iter().map(|&triangle| !names_twice(triangle)).collect();
    retain_triangles(mesh, &keep)
}

/// Mends triangles of three vertices in line, none of which may name a vertex twice; says how many fewer there are.
///
/// Taking one out would leave a hole where its long side has a neighbour. So a neighbour with area is cut in two at the
/// middle vertex, and one half takes the place of the triangle in line. That frees the ones at its short sides to do
/// the same, and so on outwards. Two in line that have their long side in common exchange it for the one between their
/// middle vertices: neither gains area, but their long sides become shorter, which cannot go on for ever. One without a
/// neighbour at the long side is dropped; at an edge of more than two sides it stays.
pub(super) fn exchange_in_line(mesh: &mut TriMesh) -> usize {
    let triangles = connected_triangles(mesh);
    let mut in_line: Vec<bool> = mesh.iter_corners().map(is_degenerate).collect();
    let before = in_line.iter().filter(|&&in_line| in_line).count();
    if before == 0 {
        return 0;
    }
    let mut exchange = Exchange { keep: vec![true; triangles.len()], sides: FxHashMap::default(), triangles };
    let mut work: Vec<u32> = (0..in_line.len() as u32).rev().filter(|&triangle| in_line[triangle as usize]).collect();
    for &triangle in &work {
        exchange.watch(exchange.long_side(mesh, triangle).0);
    }
    for triangle in 0..in_line.len() as u32 {
        exchange.attach(triangle);
    }
    while let Some(triangle) = work.pop() {
        if !in_line[triangle as usize] || !exchange.keep[triangle as usize] {
            continue;
        }
        let (edge, long) = exchange.long_side(mesh, triangle);
        let changed = match exchange.sides.get(&edge).map(Vec::as_slice) {
            Some(&[_]) => {
                exchange.detach(triangle);
                exchange.keep[triangle as usize] = false;
                [triangle; 2]
            }
            Some(&[a, b]) => {
                let neighbour = if a == triangle { b } else { a };
                let both = in_line[neighbour as usize];
                if both && exchange.long_side(mesh, neighbour).0 != edge {
                    // Its turn comes when the neighbour's long side is exchanged.
                    continue;
                }
                if !exchange.cut(mesh, triangle, long, neighbour) {
                    continue;
                }
                in_line[triangle as usize] = both;
                in_line[neighbour as usize] = both;
                [triangle, neighbour]
            }
            _ => continue,
        };
        // Those in line at the edges that changed have a new neighbour, or none.
        for triangle in changed {
            if in_line[triangle as usize] && exchange.keep[triangle as usize] {
                exchange.rewatch(mesh, triangle, &in_line);
                work.push(triangle);
            }
            for edge in edges_of(exchange.triangles[triangle as usize]) {
                let others = exchange.sides.get(&edge).into_iter().flatten();
                work.extend(others.filter(|&&other| other != triangle && in_line[other as usize]));
            }
        }
    }
    let after = (0..in_line.len()).filter(|&triangle| in_line[triangle] && exchange.keep[triangle]).count();
    retain_triangles(mesh, &exchange.keep);
    before - after
}

/// The two vertices of an edge, the smaller first.
type Edge = (u32, u32);

fn edges_of(triangle: [u32; 3]) -> [Edge; 3] {
    [0, 1, 2].map(|corner| {
        let (from, to) = (triangle[corner], triangle[(corner + 1) % 3]);
        (from.min(to), from.max(to))
    })
}

/// What changes as edges are exchanged.
struct Exchange {
    /// The triangles over vertices of which those at one position are one.
    triangles: Vec<[u32; 3]>,
    keep: Vec<bool>,
    /// The triangles at the edges that matter: the long sides of those in line, as they are or were.
    sides: FxHashMap<Edge, Vec<u32>>,
}

impl Exchange {
    /// The edge opposite the vertex between the other two, and the corner where it starts.
    fn long_side(&self, mesh: &TriMesh, triangle: u32) -> (Edge, usize) {
        let corners = mesh.corners(triangle as usize);
        // Lengths are rounded, but the order of points in line along each axis is not.
        let is_between = |middle: usize| {
            let [a, point, b] = [corners[(middle + 1) % 3], corners[middle], corners[(middle + 2) % 3]];
            a.min(b).cmple(point).all() && point.cmple(a.max(b)).all()
        };
        let long = (0..3).find(|&corner| is_between((corner + 2) % 3)).unwrap_or(0);
        (edges_of(self.triangles[triangle as usize])[long], long)
    }

    fn watch(&mut self, edge: Edge) {
        self.sides.entry(edge).or_default();
    }

    fn attach(&mut self, triangle: u32) {
        for edge in edges_of(self.triangles[triangle as usize]) {
            if let Some(sides) = self.sides.get_mut(&edge) {
                sides.push(triangle);
            }
        }
    }

    fn detach(&mut self, triangle: u32) {
        for edge in edges_of(self.triangles[triangle as usize]) {
            if let Some(sides) = self.sides.get_mut(&edge) {
                sides.retain(|&other| other != triangle);
            }
        }
    }

    /// Sees to it that the long side of a triangle in line that has just been made is among those that matter.
    fn rewatch(&mut self, mesh: &TriMesh, triangle: u32, in_line: &[bool]) {
        let edge = self.long_side(mesh, triangle).0;
        if self.sides.contains_key(&edge) {
            return;
        }
        // Rare enough to look through all.
        debug_assert!(in_line[triangle as usize]);
        let at_edge = (0..self.triangles.len() as u32)
            .filter(|&other| self.keep[other as usize] && edges_of(self.triangles[other as usize]).contains(&edge))
            .collect();
        self.sides.insert(edge, at_edge);
    }

    /// Cuts the neighbour at the middle vertex of a triangle in line, which becomes one of the halves. Not done if that
    /// would make a triangle that names a vertex twice.
    fn cut(&mut self, mesh: &mut TriMesh, triangle: u32, long: usize, neighbour: u32) -> bool {
        let [this, other] = [triangle as usize, neighbour as usize];
        let middle = self.triangles[this][(long + 2) % 3];
        if self.triangles[other].contains(&middle) {
            return false;
        }
        let ends = [self.triangles[this][long], self.triangles[this][(long + 1) % 3]];
        let corner = |vertex: u32| self.triangles[other].iter().position(|&corner| corner == vertex);
        let [Some(first), Some(second)] = ends.map(corner) else { return false };
        self.detach(triangle);
        self.detach(neighbour);
        let split = mesh.triangles[this][(long + 2) % 3];
        (mesh.triangles[this], self.triangles[this]) = (mesh.triangles[other], self.triangles[other]);
        (mesh.triangles[this][first], self.triangles[this][first]) = (split, middle);
        (mesh.triangles[other][second], self.triangles[other][second]) = (split, middle);
        if let Some(materials) = &mut mesh.materials {
            materials[this] = materials[other];
        }
        self.attach(triangle);
        self.attach(neighbour);
        true
    }
}
