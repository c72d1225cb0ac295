//! Moves vertices of the surface to the sharp edges and corners of the input, which stuffing cuts off.

use glam::DVec3;

use super::manifold::{Stars, outer_faces};
use super::quality::angles;
use super::stuff::Stuffed;
use crate::bvh::Bvh;
use crate::geometry::{Aabb, SharpEdges, SignedDistance, TriMesh, sharp_edges};

/// What moving came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sharpened {
    /// Vertices that are on a sharp edge or corner now.
    pub(super) vertices: usize,
    /// Edges of the surface that still cut a sharp edge off.
    pub(super) bevels: usize,
}

/// A vertex moves no farther than this, in cells.
const REACH: f64 = 0.75;

/// A vertex this near to an edge, in cells, is on it.
const ON_EDGE: f64 = 1e-6;

/// The dihedral angles that a move may leave, in degrees.
pub(super) const ANGLES: [f64; 2] = [10.7, 164.8];

/// Moves vertices: to each corner the nearest that can be moved there, then to the edges those that have a neighbour on the
/// other side, the nearest first. `angle`, in radians, is how much the surface turns at a sharp edge.
pub(super) fn sharpen(
    stuffed: &mut Stuffed,
    mesh: &TriMesh,
    distance: &SignedDistance,
    angle: f64,
    cell: f64,
) -> Sharpened {
    let sharp = sharp_edges(mesh, angle);
    if sharp.edges.is_empty() {
        return Sharpened::default();
    }
    let around = AroundEdges::new(stuffed, &sharp, distance, REACH * cell);
    let stars = Stars::new(stuffed);
    let there = (ON_EDGE * cell).powi(2);
    let mut is_placed: Vec<bool> = around.vertices.iter().map(|near| near.squared <= there).collect();
    let mut sharpened = Sharpened::default();
    let mut place = |stuffed: &mut Stuffed, is_placed: &mut [bool], near: usize, to: DVec3| {
        let is_moved = move_vertex(stuffed, &stars, around.vertices[near].vertex, to);
        is_placed[near] |= is_moved;
        sharpened.vertices += usize::from(is_moved);
        is_moved
    };
    let boxes: Vec<Aabb> = around.vertices.iter().map(|near| Aabb::around(near.position, DVec3::ZERO)).collect();
    let tree = Bvh::build(&boxes);
    for &corner in &sharp.corners {
        let mut near = Vec::new();
        tree.overlapping(&Aabb::around(corner, DVec3::splat(REACH * cell)), |number| {
            let squared = around.vertices[number as usize].position.distance_squared(corner);
            if squared <= (REACH * cell).powi(2) {
                near.push((squared, number as usize));
            }
        });
        near.sort_unstable_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
        for (squared, number) in near {
            if squared <= there {
                break;
            }
            if !is_placed[number] && place(stuffed, &mut is_placed, number, corner) {
                break;
            }
        }
    }
    let mut order: Vec<usize> = (0..around.vertices.len()).collect();
    order.sort_by(|&one, &other| around.vertices[one].squared.total_cmp(&around.vertices[other].squared));
    // Where one could not move before, its neighbours may have made room.
    for _ in 0..2 {
        for &number in &order {
            if !is_placed[number] && around.has_bevel(number, &is_placed, angle) {
                place(stuffed, &mut is_placed, number, around.vertices[number].on_edge);
            }
        }
    }
    let bevels = |number: usize| around.bevels(number, &is_placed, angle).filter(|&other| other > number).count();
    sharpened.bevels = (0..around.vertices.len()).filter(|&number| !is_placed[number]).map(bevels).sum();
    sharpened
}

/// A vertex of the surface near a sharp edge.
struct NearEdge {
    vertex: u32,
    position: DVec3,
    /// The nearest point of a sharp edge, and the square of its distance.
    on_edge: DVec3,
    squared: f64,
    /// Of the triangle that the vertex is on.
    normal: DVec3,
}

/// The vertices of the surface that are near sharp edges.
struct AroundEdges {
    vertices: Vec<NearEdge>,
    /// For each, those beside it.
    neighbours: Vec<Vec<usize>>,
}

impl AroundEdges {
    fn new(stuffed: &Stuffed, sharp: &SharpEdges, distance: &SignedDistance, reach: f64) -> AroundEdges {
        let boxes: Vec<Aabb> = sharp.edges.iter().map(|&edge| Aabb::of_points(edge)).collect();
        let tree = Bvh::build(&boxes);
        let on_edge = |edge: u32, point: DVec3| on_segment(point, sharp.edges[edge as usize]);
        let mut numbers = vec![u32::MAX; stuffed.is_outer.len()];
        let mut vertices = Vec::new();
        for vertex in (0..stuffed.is_outer.len()).filter(|&vertex| stuffed.is_outer[vertex]) {
            let position = stuffed.mesh.positions[vertex];
            let measure = |edge| on_edge(edge, position).distance_squared(position);
            if let Some((edge, squared)) = tree.nearest(position, reach * reach, measure) {
                numbers[vertex] = vertices.len() as u32;
                let on_edge = on_edge(edge, position);
                let normal = distance.nearest(position).normal;
                vertices.push(NearEdge { vertex: vertex as u32, position, on_edge, squared, normal });
            }
        }
        let mut pairs: Vec<(u32, u32)> = outer_faces(stuffed)
            .iter()
            .flat_map(|&([a, b, c], _)| [(a, b), (b, a), (b, c), (c, b), (c, a), (a, c)])
            .map(|(one, other)| (numbers[one as usize], numbers[other as usize]))
            .filter(|&(one, other)| one != u32::MAX && other != u32::MAX)
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut neighbours = vec![Vec::new(); vertices.len()];
        pairs.into_iter().for_each(|(one, other)| neighbours[one as usize].push(other as usize));
        AroundEdges { vertices, neighbours }
    }

    /// The neighbours beyond a sharp edge, if neither is on it.
    fn bevels<'a>(&'a self, number: usize, is_placed: &'a [bool], angle: f64) -> impl Iterator<Item = usize> + 'a {
        let normal = self.vertices[number].normal;
        let is_beyond =
            move |&other: &usize| !is_placed[other] && self.vertices[other].normal.angle_between(normal) > 0.75 * angle;
        self.neighbours[number].iter().copied().filter(is_beyond)
    }

    fn has_bevel(&self, number: usize, is_placed: &[bool], angle: f64) -> bool {
        self.bevels(number, is_placed, angle).next().is_some()
    }
}

/// Moves a vertex if the tetrahedra around it stay within [`ANGLES`]; says whether it did.
fn move_vertex(stuffed: &mut Stuffed, stars: &Stars, vertex: u32, to: DVec3) -> bool {
    let from = std::mem::replace(&mut stuffed.mesh.positions[vertex as usize], to);
    let is_good = |&tet: &u32| {
        let [least, most] = angles(stuffed.mesh.corners(tet as usize));
        least >= ANGLES[0] && most <= ANGLES[1]
    };
    let is_moved = stars.at(vertex).iter().all(is_good);
    if !is_moved {
        stuffed.mesh.positions[vertex as usize] = from;
    }
    is_moved
}

/// The point of a segment nearest to a point.
fn on_segment(point: DVec3, [from, to]: [DVec3; 2]) -> DVec3 {
    let along = to - from;
    let share = (point - from).dot(along) / along.length_squared();
    if share > 0.0 { from.lerp(to, share.min(1.0)) } else { from }
}
