//! What is connected to what, and how.

use crate::geometry::disjoint_sets::DisjointSets;
use crate::geometry::edge_sides::{EdgeSide, edge_sides, edges, names_twice};

/// A piece of surface that hangs together by edges.
pub(super) struct Component {
    pub watertight: bool,
    /// The handles of a piece that is closed, manifold and oriented.
    pub genus: Option<usize>,
}

/// The counts that need neighbours.
pub(super) struct Topology {
    pub edges: usize,
    pub border_edges: usize,
    pub border_loops: usize,
    pub non_manifold_edges: usize,
    pub misoriented_edges: usize,
    pub non_manifold_vertices: usize,
    pub duplicate_triangles: usize,
    pub components: Vec<Component>,
    /// The component of each triangle; without meaning for one that names a vertex twice.
    pub component_of: Vec<u32>,
}

/// What is summed up for a component.
#[derive(Clone, Default)]
struct Tally {
    triangles: usize,
    edges: usize,
    vertices: usize,
    /// Edges whose two directions are not equally frequent.
    unbalanced: usize,
    irregular: bool,
}

impl Topology {
    pub(super) fn new(triangles: &[[u32; 3]], vertices: usize) -> Topology {
        let sides = edge_sides(triangles, vertices);
        let (component_of, count) = components(triangles, &sides);
        let mut tallies = vec![Tally::default(); count];
        for (triangle, &component) in triangles.iter().zip(&component_of) {
            if !names_twice(*triangle) {
                tallies[component as usize].triangles += 1;
            }
        }
        let mut topology = Topology {
            edges: 0,
            border_edges: 0,
            border_loops: 0,
            non_manifold_edges: 0,
            misoriented_edges: 0,
            non_manifold_vertices: 0,
            duplicate_triangles: 0,
            components: Vec::new(),
            component_of,
        };
        let mut border = DisjointSets::new(vertices);
        let mut on_border = vec![false; vertices];
        let mut irregular = vec![false; vertices];
        let mut fans = DisjointSets::new(3 * triangles.len());
        for edge in edges(&sides) {
            let tally = &mut tallies[topology.component_of[edge[0].triangle() as usize] as usize];
            let reversed = edge.iter().filter(|side| side.reversed).count();
            topology.edges += 1;
            tally.edges += 1;
            tally.unbalanced += usize::from(2 * reversed != edge.len());
            let [low, high] = [edge[0].low, edge[0].high];
            match edge {
                [_] => {
                    topology.border_edges += 1;
                    border.join(low, high);
                    on_border[low as usize] = true;
                    on_border[high as usize] = true;
                }
                [first, second] => {
                    topology.misoriented_edges += usize::from(reversed != 1);
                    for (a, b) in first.end_corners().into_iter().zip(second.end_corners()) {
                        fans.join(a, b);
                    }
                }
                _ => {
                    topology.non_manifold_edges += 1;
                    tally.irregular = true;
                    irregular[low as usize] = true;
                    irregular[high as usize] = true;
                }
            }
            topology.duplicate_triangles += duplicates(triangles, edge);
        }
        topology.border_loops =
            (0..vertices as u32).filter(|&vertex| on_border[vertex as usize] && border.find(vertex) == vertex).count();
        count_fans(triangles, &mut fans, &mut irregular, |component_corner| {
            let tally = &mut tallies[topology.component_of[component_corner as usize / 3] as usize];
            tally.vertices += 1;
        });
        topology.non_manifold_vertices = irregular.iter().filter(|&&irregular| irregular).count();
        // A component may only touch itself at a vertex, which its own count of edges does not show.
        for (triangle, &component) in triangles.iter().zip(&topology.component_of) {
            if !names_twice(*triangle) && triangle.iter().any(|&vertex| irregular[vertex as usize]) {
                tallies[component as usize].irregular = true;
            }
        }
        topology.components = tallies.iter().map(Tally::finish).collect();
        topology
    }
}

impl Tally {
    fn finish(&self) -> Component {
        let watertight = self.unbalanced == 0;
        // V - E + F = 2 - 2g.
        let handles = (2 + self.edges).checked_sub(self.vertices + self.triangles).map(|twice| twice / 2);
        Component { watertight, genus: handles.filter(|_| watertight && !self.irregular) }
    }
}

/// The component of each triangle, numbered in the order of their first triangles, and how many there are.
fn components(triangles: &[[u32; 3]], sides: &[EdgeSide]) -> (Vec<u32>, usize) {
    let mut sets = DisjointSets::new(triangles.len());
    for edge in edges(sides) {
        for side in &edge[1..] {
            sets.join(edge[0].triangle(), side.triangle());
        }
    }
    let mut numbers = vec![0; triangles.len()];
    let mut count = 0;
    for (triangle, corners) in triangles.iter().enumerate() {
        let first = sets.find(triangle as u32) as usize;
        if first < triangle {
            numbers[triangle] = numbers[first];
        } else if !names_twice(*corners) {
            numbers[triangle] = count;
            count += 1;
        }
    }
    (numbers, count as usize)
}

/// Marks the vertices with more than one fan of triangles, and calls `visit` with one corner of each fan.
fn count_fans(triangles: &[[u32; 3]], fans: &mut DisjointSets, irregular: &mut [bool], mut visit: impl FnMut(u32)) {
    let mut seen = vec![false; irregular.len()];
    for (number, triangle) in triangles.iter().enumerate().filter(|(_, t)| !names_twice(**t)) {
        for (corner, &vertex) in triangle.iter().enumerate() {
            let corner = (3 * number + corner) as u32;
            if fans.find(corner) == corner {
                visit(corner);
                irregular[vertex as usize] |= std::mem::replace(&mut seen[vertex as usize], true);
            }
        }
    }
}

/// How many of the triangles at an edge repeat another. Each triangle is asked at the edge of its two smallest vertices.
fn duplicates(triangles: &[[u32; 3]], edge: &[EdgeSide]) -> usize {
    let third = |side: &EdgeSide| {
        let [a, b, c] = triangles[side.triangle() as usize];
        Some(a.max(b).max(c)).filter(|&third| third > side.high)
    };
    match edge {
        [_] => 0,
        [first, second] => usize::from(third(first).is_some() && third(first) == third(second)),
        _ => {
            let mut thirds: Vec<u32> = edge.iter().filter_map(third).collect();
            let all = thirds.len();
            thirds.sort_unstable();
            thirds.dedup();
            all - thirds.len()
        }
    }
}
