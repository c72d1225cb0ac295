//! Filling holes.

use glam::DVec3;

use super::{RepairOptions, connected_triangles};
use crate::geometry::disjoint_sets::DisjointSets;
use crate::geometry::edge_sides::{EdgeSide, edge_sides, edges};
use crate::geometry::{Aabb, PolyMesh, TriMesh, triangulate_face};

/// Rims up to this length get the triangles of the least area, which takes cubic time; longer ones are cut in the plane
/// they are nearest to.
const LEAST_AREA: usize = 96;

/// What an edge that the mesh already has costs, in units of the area of the rim's box: more than any triangles.
const KNOWN_EDGE: f64 = 1e6;

/// Fills holes; says how many.
pub(super) fn fill_holes(mesh: &mut TriMesh, options: &RepairOptions) -> usize {
    let triangles = connected_triangles(mesh);
    let sides = edge_sides(&triangles, mesh.positions.len());
    let size = options.hole_size * mesh.aabb().diagonal();
    let mut sheets = Sheets::new(&triangles, mesh.positions.len());
    let mut holes = 0;
    for rim in rims(mesh, &triangles, &sides) {
        let bounds = Aabb::of_points(rim.vertices.iter().map(|&vertex| mesh.positions[vertex as usize]));
        if rim.vertices.len() > options.hole_edges || bounds.diagonal() > size || sheets.end_at(&rim) {
            continue;
        }
        let positions: Vec<DVec3> = rim.vertices.iter().map(|&vertex| mesh.positions[vertex as usize]).collect();
        let patch = if rim.vertices.len() <= LEAST_AREA {
            least_area(&rim.vertices, &positions, &sides)
        } else {
            let mut face = PolyMesh { positions, ..PolyMesh::default() };
            face.push_face(&[&(0..rim.vertices.len() as u32).collect::<Vec<_>>()], 0);
            triangulate_face(&face, 0)
        };
        holes += 1;
        mesh.triangles.extend(patch.iter().map(|corners| corners.map(|corner| rim.vertices[corner as usize])));
        if let Some(materials) = &mut mesh.materials {
            let material = materials[rim.triangle as usize];
            materials.resize(mesh.triangles.len(), material);
        }
    }
    holes
}

/// The vertices around a hole, in the direction that the triangles in it will walk, and a triangle at it.
struct Rim {
    vertices: Vec<u32>,
    triangle: u32,
}

/// The vertices that hang together, to tell a hole in a surface from the outer border of a loose sheet.
struct Sheets {
    sets: DisjointSets,
    /// How many vertices each set has, by its name.
    sizes: Vec<usize>,
}

impl Sheets {
    fn new(triangles: &[[u32; 3]], vertices: usize) -> Sheets {
        let mut sets = DisjointSets::new(vertices);
        for &[a, b, c] in triangles {
            sets.join(a, b);
            sets.join(b, c);
        }
        let mut sizes = vec![0; vertices];
        for vertex in 0..vertices as u32 {
            sizes[sets.find(vertex) as usize] += 1;
        }
        Sheets { sets, sizes }
    }

    /// Whether nothing is left of the surface without the rim: filling it would only make a back for it.
    fn end_at(&mut self, rim: &Rim) -> bool {
        rim.vertices.len() >= self.sizes[self.sets.find(rim.vertices[0]) as usize]
    }
}

/// A step along a rim, against the walk of the triangle at it.
struct Step {
    from: u32,
    to: u32,
    triangle: u32,
    /// The fans of triangles that it leaves and comes to.
    from_fan: u32,
    to_fan: u32,
}

fn steps(triangles: &[[u32; 3]], sides: &[EdgeSide]) -> Vec<Step> {
    let mut fans = DisjointSets::new(3 * triangles.len());
    for edge in edges(sides) {
        if let [a, b] = edge {
            for (a, b) in a.end_corners().into_iter().zip(b.end_corners()) {
                fans.join(a, b);
            }
        }
    }
    let vertex = |corner: u32| triangles[corner as usize / 3][corner as usize % 3];
    let mut steps: Vec<Step> = edges(sides)
        .filter(|edge| edge.len() == 1)
        .map(|edge| Step {
            from: vertex(edge[0].next_corner()),
            to: vertex(edge[0].corner),
            triangle: edge[0].triangle(),
            from_fan: fans.find(edge[0].next_corner()),
            to_fan: fans.find(edge[0].corner),
        })
        .collect();
    steps.sort_unstable_by_key(|step| (step.from, step.to, step.triangle));
    steps
}

/// The closed rims. Where several holes meet at a vertex, a rim goes over to another fan of triangles, because the hole
/// is what lies between two fans; of several, to the one at the smallest angle.
fn rims(mesh: &TriMesh, triangles: &[[u32; 3]], sides: &[EdgeSide]) -> Vec<Rim> {
    let steps = steps(triangles, sides);
    let mut taken = vec![false; steps.len()];
    let direction =
        |from: u32, to: u32| (mesh.positions[to as usize] - mesh.positions[from as usize]).normalize_or_zero();
    let following: Vec<Option<usize>> = steps
        .iter()
        .map(|step| {
            let first = steps.partition_point(|other| other.from < step.to);
            let back = direction(step.to, step.from);
            let next = (first..steps.len())
                .take_while(|&other| steps[other].from == step.to)
                .filter(|&other| !taken[other])
                .min_by(|&a, &b| {
                    let rank = |other: usize| {
                        let turn = -back.dot(direction(step.to, steps[other].to));
                        (steps[other].from_fan == step.to_fan, turn)
                    };
                    let (a, b) = (rank(a), rank(b));
                    a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
                });
            next.inspect(|&next| taken[next] = true)
        })
        .collect();
    let mut visited = vec![false; steps.len()];
    let mut rims = Vec::new();
    for start in 0..steps.len() {
        let mut vertices = Vec::new();
        let mut here = Some(start);
        while let Some(step) = here.filter(|&step| !std::mem::replace(&mut visited[step], true)) {
            vertices.push(steps[step].from);
            here = following[step];
        }
        if here == Some(start) && vertices.len() >= 3 {
            rims.push(Rim { vertices, triangle: steps[start].triangle });
        }
    }
    rims
}

/// The triangles over a closed rim with the least area, by dynamic programming over the parts of the rim (Barequet and
/// Sharir 1995, Filling gaps in the boundary of a polyhedron).
fn least_area(vertices: &[u32], positions: &[DVec3], sides: &[EdgeSide]) -> Vec<[u32; 3]> {
    let count = vertices.len();
    let known = KNOWN_EDGE * Aabb::of_points(positions.iter().copied()).area();
    let chord = |i: usize, j: usize| {
        let key = (vertices[i].min(vertices[j]), vertices[i].max(vertices[j]));
        let is_known = sides.binary_search_by(|side| (side.low, side.high).cmp(&key)).is_ok() || key.0 == key.1;
        if (i, j) != (0, count - 1) && is_known { known } else { 0.0 }
    };
    // The cost of the part of the rim from i to j, and the corner of the triangle over its ends.
    let mut best = vec![(0.0, 0u32); count * count];
    for span in 2..count {
        for i in 0..count - span {
            let j = i + span;
            let mut least = (f64::INFINITY, i as u32 + 1);
            for k in i + 1..j {
                let area = 0.5 * (positions[k] - positions[i]).cross(positions[j] - positions[i]).length();
                let cost = best[i * count + k].0 + best[k * count + j].0 + area;
                if cost < least.0 {
                    least = (cost, k as u32);
                }
            }
            best[i * count + j] = (least.0 + chord(i, j), least.1);
        }
    }
    let mut triangles = Vec::with_capacity(count - 2);
    let mut parts = vec![(0, count - 1)];
    while let Some((i, j)) = parts.pop() {
        if j - i >= 2 {
            let k = best[i * count + j].1 as usize;
            triangles.push([i as u32, k as u32, j as u32]);
            parts.extend([(i, k), (k, j)]);
        }
    }
    triangles
}
