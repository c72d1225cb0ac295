//! Corners that slide along their normals until neighbours agree on where the surface is.

use glam::{Mat3, Vec3};

use super::corners::Quad;
use super::smooth::Vertex;

/// How often all corners move.
const ROUNDS: usize = 6;

/// The cosine from which on neighbours' normals have nothing to do with each other.
const UNRELATED: f32 = 0.7;

/// An edge between two corners, and how much their normals agree.
struct Edge {
    ends: [u32; 2],
    weight: f32,
}

/// Moves corners along their normals to where their neighbours want them, those at edges of the solid to where its sides
/// meet, and all across their normals away from neighbours that they fell together with.
pub(super) fn relax(quads: &[Quad], vertices: &mut [Vertex]) {
    let mut edges = Vec::with_capacity(2 * quads.len());
    let mut means = vec![(Vec3::ZERO, 0.0f32); vertices.len()];
    for quad in quads {
        for corner in 0..4 {
            let ends = [quad.corners[corner], quad.corners[(corner + 1) % 4]];
            // The face beyond an edge walks along it the other way round.
            if ends[0] < ends[1] {
                let [one, other] = ends.map(|end| vertices[end as usize].normal);
                for (end, normal) in [(ends[0], other), (ends[1], one)] {
                    let mean = &mut means[end as usize];
                    mean.0 += normal;
                    mean.1 += 1.0;
                }
                let weight = one.dot(other) - UNRELATED;
                if weight > 0.0 {
                    edges.push(Edge { ends, weight });
                }
            }
        }
    }
    slide(&edges, vertices);
    let is_sharp = means.iter().map(|(sum, count)| sum.length_squared() < (SHARP * count) * (SHARP * count)).collect();
    sharpen(quads, vertices, is_sharp);
    spread(quads, vertices);
}

/// Moves corners along their normals to where the planes halfway to their neighbours would have them.
fn slide(edges: &[Edge], vertices: &mut [Vertex]) {
    let mut sums = vec![(0.0f32, 0.0f32); vertices.len()];
    for _ in 0..ROUNDS {
        for &Edge { ends: [one, other], weight } in edges {
            let [from, to] = [one, other].map(|end| &vertices[end as usize]);
            let step = 0.5 * weight * (from.normal + to.normal).dot(to.position - from.position);
            for (end, step) in [(one, step), (other, -step)] {
                let sum = &mut sums[end as usize];
                sum.0 += step;
                sum.1 += weight;
            }
        }
        for (vertex, sum) in vertices.iter_mut().zip(&mut sums) {
            let (step, weight) = std::mem::take(sum);
            if weight > 0.0 {
                let step = (step / weight).clamp(-vertex.back, vertex.forth);
                vertex.back += step;
                vertex.forth -= step;
                vertex.position += step * vertex.normal;
            }
        }
    }
}

/// The length of the mean of the neighbours' normals below which a corner is on an edge of the solid.
const SHARP: f32 = 0.92;

/// How strongly a corner stays, against planes that pull at it.
const STAY: f32 = 0.02;

/// Moves corners at edges of the solid to where the planes of its sides meet.
fn sharpen(quads: &[Quad], vertices: &mut [Vertex], is_sharp: Vec<bool>) {
    let sharp: Vec<u32> = (0..).zip(&is_sharp).filter(|(_, is_sharp)| **is_sharp).map(|(number, _)| number).collect();
    if sharp.is_empty() {
        return;
    }
    let mut numbers = vec![u32::MAX; vertices.len()];
    for (number, &vertex) in (0..).zip(&sharp) {
        numbers[vertex as usize] = number;
    }
    let mut planes = vec![(Mat3::ZERO, Vec3::ZERO); sharp.len()];
    for quad in quads.iter().filter(|quad| quad.corners.iter().any(|&corner| is_sharp[corner as usize])) {
        for own in quad.corners.into_iter().filter(|&corner| is_sharp[corner as usize]) {
            let plane = &mut planes[numbers[own as usize] as usize];
            for other in quad.corners.into_iter().filter(|&corner| !is_sharp[corner as usize]) {
                let Vertex { position, normal, .. } = vertices[other as usize];
                plane.0 += Mat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
                plane.1 += normal * normal.dot(position - vertices[own as usize].position);
            }
        }
    }
    for (&vertex, (squares, pull)) in sharp.iter().zip(planes) {
        let step = (squares + Mat3::from_diagonal(Vec3::splat(STAY))).inverse() * pull;
        if step.is_finite() {
            vertices[vertex as usize].position += step.clamp(Vec3::splat(-1.0), Vec3::ONE);
        }
    }
}

/// How often corners move across their normals, and how much of the way to the middle of their neighbours.
const SPREAD: (usize, f32) = (2, 0.5);

/// Moves corners across their normals towards the middle of their neighbours. A face across the surface shrinks to
/// nothing as its corners slide to the surface; this gives it back an area, and so a side.
fn spread(quads: &[Quad], vertices: &mut [Vertex]) {
    let (rounds, share) = SPREAD;
    let mut sums = vec![(Vec3::ZERO, 0.0f32); vertices.len()];
    for _ in 0..rounds {
        for quad in quads {
            for corner in 0..4 {
                let [one, other] = [corner, (corner + 1) % 4].map(|corner| quad.corners[corner] as usize);
                if one < other {
                    let way = vertices[other].position - vertices[one].position;
                    for (end, way) in [(one, way), (other, -way)] {
                        sums[end].0 += way;
                        sums[end].1 += 1.0;
                    }
                }
            }
        }
        for (vertex, sum) in vertices.iter_mut().zip(&mut sums) {
            let (way, count) = std::mem::take(sum);
            if count > 0.0 {
                let way = share / count * way;
                vertex.position += way - vertex.normal * vertex.normal.dot(way);
            }
        }
    }
}
