//! Vertices that go back towards their corners where triangles would turn over or pass through each other.
//!
//! Corners themselves have neither, so vertices that go back far enough always come to an end.

use glam::Vec3;
use rayon::prelude::*;

use super::corners::Quad;
use super::smooth::{Vertex, outward};
use crate::geometry::{TriMesh, self_intersections};

/// How much of a triangle's area has to look the way that its face does, in squares of a voxel's edge, times two.
const LEAST: f32 = 1e-3;

/// What is left of a vertex's way from its corner after a step back.
const SHARE: f32 = 0.8;

/// Steps after which a vertex is at its corner.
const STEPS: u8 = 20;

/// Steps at once where triangles pass through each other: about half of the way.
const LEAP: u8 = 3;

/// How often that is looked for.
const ROUNDS: usize = 8;

/// The two triangles of a face: along the shorter diagonal, which folds less, unless it turns one over and the other
/// diagonal does not.
pub(super) fn triangles(quad: &Quad, position: impl Fn(u32) -> Vec3) -> [[u32; 3]; 2] {
    let [a, b, c, d] = quad.corners;
    let across = |a: u32, b: u32| position(a).distance_squared(position(b));
    let [mut first, mut second] = [[[a, b, c], [a, c, d]], [[b, c, d], [b, d, a]]];
    if across(a, c) > across(b, d) {
        std::mem::swap(&mut first, &mut second);
    }
    if is_turned(quad, &first, &position) && !is_turned(quad, &second, &position) { second } else { first }
}

/// Whether one of two triangles looks against the side of their face.
fn is_turned(quad: &Quad, triangles: &[[u32; 3]; 2], position: impl Fn(u32) -> Vec3) -> bool {
    let outward = outward(quad.side);
    triangles.iter().any(|triangle| {
        let [a, b, c] = triangle.map(&position);
        (b - a).cross(c - a).dot(outward) <= LEAST
    })
}

/// Moves vertices back until no triangle looks against the side of its face, and where a solid is thin or a gap narrow,
/// until no triangles pass through each other.
pub(super) fn untangle(quads: &[Quad], corners: &[Vec3], vertices: &mut [Vertex]) {
    let goals = vertices.iter().map(|vertex| vertex.position).collect();
    let mut untangling = Untangling { quads, corners, goals, steps: vec![0; vertices.len()], vertices };
    untangling.turn_back(vec![true; corners.len()]);
    let narrow = narrow(quads, corners);
    for _ in 0..ROUNDS {
        let crossed = untangling.crossed(&narrow);
        if crossed.is_empty() {
            break;
        }
        let moved = untangling.step_back(&crossed, LEAP);
        untangling.turn_back(moved);
    }
}

struct Untangling<'a> {
    quads: &'a [Quad],
    corners: &'a [Vec3],
    /// Where the vertices would be.
    goals: Vec<Vec3>,
    /// How often each went back.
    steps: Vec<u8>,
    vertices: &'a mut [Vertex],
}

impl Untangling<'_> {
    fn position(&self, vertex: u32) -> Vec3 {
        self.vertices[vertex as usize].position
    }

    /// Moves vertices back until no triangle is turned; only faces at vertices that moved can have such.
    fn turn_back(&mut self, mut is_moved: Vec<bool>) {
        loop {
            let is_turned = |quad: &Quad| {
                let position = |vertex| self.position(vertex);
                quad.corners.iter().any(|&corner| is_moved[corner as usize])
                    && is_turned(quad, &triangles(quad, position), position)
            };
            let numbers = (0..self.quads.len() as u32).into_par_iter().with_min_len(4096);
            let turned: Vec<u32> = numbers.filter(|&number| is_turned(&self.quads[number as usize])).collect();
            if turned.is_empty() {
                return;
            }
            is_moved = self.step_back(&turned, 1);
        }
    }

    /// Moves the vertices of some faces back, each by some steps however often it is named, and tells which did.
    fn step_back(&mut self, quads: &[u32], steps: u8) -> Vec<bool> {
        let mut is_moved = vec![false; self.corners.len()];
        for vertex in quads.iter().flat_map(|&quad| self.quads[quad as usize].corners).map(|vertex| vertex as usize) {
            if !std::mem::replace(&mut is_moved[vertex], true) {
                self.steps[vertex] = (self.steps[vertex] + steps).min(STEPS);
                let corner = self.corners[vertex];
                self.vertices[vertex].position = match self.steps[vertex] {
                    STEPS => corner,
                    steps => corner + SHARE.powi(steps.into()) * (self.goals[vertex] - corner),
                };
            }
        }
        is_moved
    }

    /// Those of some faces that pass through each other.
    fn crossed(&self, quads: &[u32]) -> Vec<u32> {
        let mut numbers = vec![u32::MAX; self.corners.len()];
        let mut mesh = TriMesh::default();
        for &quad in quads {
            let triangles = triangles(&self.quads[quad as usize], |vertex| self.position(vertex));
            mesh.triangles.extend(triangles.map(|triangle| {
                triangle.map(|vertex| {
                    let number = &mut numbers[vertex as usize];
                    if *number == u32::MAX {
                        *number = mesh.positions.len() as u32;
                        mesh.positions.push(self.position(vertex).as_dvec3());
                    }
                    *number
                })
            }));
        }
        let pairs = self_intersections(&mesh);
        let mut crossed: Vec<u32> = pairs.into_iter().flatten().map(|triangle| quads[triangle as usize / 2]).collect();
        crossed.sort_unstable();
        crossed.dedup();
        crossed
    }
}

/// The edge of the cells in which faces are looked for that look the other way, in voxels.
const CELL: f32 = 4.0;

/// How far from a face others can be that pass through it: both have gone towards each other.
const REACH: f32 = 2.0;

/// The faces near others that look the other way, without which nothing is thin.
fn narrow(quads: &[Quad], corners: &[Vec3]) -> Vec<u32> {
    let low = corners.iter().copied().fold(Vec3::INFINITY, Vec3::min) - REACH;
    let high = corners.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max) + REACH;
    if corners.is_empty() {
        return Vec::new();
    }
    let size = ((high - low) / CELL).as_uvec3() + 1;
    let slot = |place: Vec3| {
        let cell = ((place - low) / CELL).as_uvec3();
        ((cell.z * size.y + cell.y) * size.x + cell.x) as usize
    };
    let mut sides = vec![0u8; slot(high) + 1];
    for quad in quads {
        let place = corners[quad.corners[0] as usize];
        for octant in 0..8 {
            let is_high = Vec3::new((octant & 1) as f32, (octant >> 1 & 1) as f32, (octant >> 2) as f32);
            sides[slot(place + REACH * (2.0 * is_high - 1.0))] |= 1 << quad.side;
        }
    }
    let is_narrow = |quad: &Quad| {
        let sides = sides[slot(corners[quad.corners[0] as usize])];
        sides & sides >> 1 & 0b01_0101 != 0
    };
    (0..).zip(quads).filter(|(_, quad)| is_narrow(quad)).map(|(number, _)| number).collect()
}
