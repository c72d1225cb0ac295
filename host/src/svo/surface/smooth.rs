//! Smooth surfaces of octrees.
//!
//! The surface has the faces of the boundary voxels, as [`super::voxel_faces`] has; but their corners, shared now, are
//! moved inwards to where the solid's surface was. A voxel is a boundary voxel if the surface comes to it, so a face between
//! one and the outside says between which two parallels the surface passes, given its normal; corners start halfway, and
//! then slide along their normals until neighbours agree (as Gibson's constrained elastic surface nets do, 1998, but with
//! the octree's normals in place of tension, so that nothing shrinks).

use glam::Vec3;
use rayon::prelude::*;

use super::cells::{CORNERS, Cells};
use super::corners::{Quad, Quads};
use super::{material, relax};
use crate::geometry::TriMesh;
use crate::svo::tree::{Color, unit_vector};
use crate::svo::{Lattice, Tree};

/// A corner that slides along its normal.
#[derive(Clone, Copy, Default)]
pub(super) struct Vertex {
    /// Where it is.
    pub(super) position: Vec3,
    pub(super) normal: Vec3,
    /// How far it may still go back and forth.
    pub(super) back: f32,
    pub(super) forth: f32,
    /// Whether it has to stay near its corner.
    is_held: bool,
}

/// How far from its corner a vertex goes along an axis where the solid is a single voxel thick or has no normal: so far
/// that opposite sides do not meet.
const HELD: f32 = 0.4;

/// The share of the voxels' volume that is left at least; if less is, the solid is too small for its normals to mean
/// much, and all vertices are held.
const LEFT: f64 = 0.25;

/// Faces from which on a solid is not that small.
const MANY: usize = 4096;

/// A smooth surface around the solid of an octree, from the voxels of a level. Levels below the tree's finest are taken as
/// the finest.
///
/// It is watertight: for every directed edge there is its reverse. Where voxels touch at an edge or a corner only, four
/// triangles meet at an edge or two sheets at a vertex. Vertices have the octree's normals and colours; materials have the
/// bit [`crate::geometry::FRACTURE`] where a fracture laid the voxel open.
pub fn smooth_surface(tree: &Tree, lattice: &Lattice, level: u32) -> TriMesh {
    let level = level.min(tree.level());
    let Quads { quads, corners } = Quads::new(&Cells::new(tree, level));
    let colors_of = tree.colors_of(level);
    let normals_of = voxel_normals(tree, level);
    let (mut vertices, colors) = placed(&quads, &corners, &normals_of, &colors_of);
    relax::relax(&quads, &mut vertices);
    let is_small = quads.len() < MANY
        && volume(&quads, |corner| vertices[corner].position) < LEFT * volume(&quads, |corner| corners[corner]);
    for (vertex, corner) in vertices.iter_mut().zip(corners).filter(|(vertex, _)| vertex.is_held || is_small) {
        vertex.position = vertex.position.clamp(corner - HELD, corner + HELD);
    }

    let edge = f64::from(1u32 << (tree.level() - level));
    let mut triangles = Vec::with_capacity(2 * quads.len());
    let mut materials = Vec::with_capacity(2 * quads.len());
    for quad in &quads {
        let [a, b, c, d] = quad.corners;
        let across = |a: u32, b: u32| vertices[a as usize].position.distance_squared(vertices[b as usize].position);
        // The shorter diagonal folds less.
        triangles.extend(match across(a, c) <= across(b, d) {
            true => [[a, b, c], [a, c, d]],
            false => [[b, c, d], [b, d, a]],
        });
        materials.extend([material(colors_of[quad.voxel as usize]); 2]);
    }
    TriMesh {
        positions: vertices.iter().map(|vertex| lattice.outward(edge * vertex.position.as_dvec3())).collect(),
        triangles,
        normals: Some(vertices.iter().map(|vertex| vertex.normal.try_normalize().unwrap_or(Vec3::Z)).collect()),
        uvs: None,
        colors: Some(colors),
        materials: Some(materials),
    }
}

/// The volume inside of faces.
fn volume(quads: &[Quad], position: impl Fn(usize) -> Vec3) -> f64 {
    let Some(quad) = quads.first() else { return 0.0 };
    let reference = position(quad.corners[0] as usize);
    let pyramid = |quad: &Quad| {
        let [a, b, c, d] = quad.corners.map(|corner| position(corner as usize) - reference);
        f64::from((a + c).dot((b - d).cross(c - a)))
    };
    quads.iter().map(pyramid).sum::<f64>() / 12.0
}

/// The normals of a level's boundary voxels.
fn voxel_normals(tree: &Tree, level: u32) -> Vec<Vec3> {
    let nodes = tree.nodes_of(level);
    let Some(first) = nodes.iter().find(|node| node.is_boundary()) else { return Vec::new() };
    let count = nodes.iter().filter(|node| node.is_boundary()).count();
    let packed = &tree.normals()[first.attributes as usize..][..count];
    packed.par_iter().with_min_len(1 << 14).map(|&packed| unit_vector(packed)).collect()
}

/// The direction out of a side.
#[inline]
fn outward(side: u16) -> Vec3 {
    let mut direction = Vec3::ZERO;
    direction[side as usize / 2] = if side % 2 == 1 { 1.0 } else { -1.0 };
    direction
}

/// Sums at a corner.
#[derive(Clone, Copy, Default)]
struct Sum {
    /// Of the outward directions of faces.
    outward: Vec3,
    normal: Vec3,
    color: Vec3,
    weight: f32,
    offset: f32,
    area: f32,
    is_held: bool,
}

/// What counts for a normal that is across the corner's own direction, so that colours are there in any case.
const LEAST_WEIGHT: f32 = 1e-6;

/// Corners with their normals, halfway between the parallels, and their colours.
fn placed(quads: &[Quad], corners: &[Vec3], normals: &[Vec3], colors: &[Color]) -> (Vec<Vertex>, Vec<Color>) {
    let mut sums = vec![Sum::default(); corners.len()];
    for quad in quads {
        let outward = outward(quad.side);
        for corner in quad.corners {
            sums[corner as usize].outward += outward;
        }
    }
    for sum in &mut sums {
        sum.outward = sum.outward.normalize_or_zero();
    }
    for quad in quads {
        let normal = normals[quad.voxel as usize];
        let [red, green, blue, _] = colors[quad.voxel as usize].map(f32::from);
        for corner in quad.corners {
            let sum = &mut sums[corner as usize];
            // The voxels at an edge of the solid have normals between its sides'; where the corner lies in one of the
            // sides, that side's own count more.
            let weight = normal.dot(sum.outward).max(0.0).powi(8);
            sum.normal += weight * normal;
            let weight = weight + LEAST_WEIGHT;
            sum.color += weight * Vec3::new(red, green, blue);
            sum.weight += weight;
        }
    }
    for sum in &mut sums {
        let is_known = sum.normal.length_squared() > 1e-6;
        sum.normal = if is_known { sum.normal.normalize() } else { sum.outward };
        sum.is_held = !is_known;
    }
    for corner in quads.iter().filter(|quad| quad.is_thin).flat_map(|quad| quad.corners) {
        sums[corner as usize].is_held = true;
    }
    for quad in quads {
        let outward = outward(quad.side);
        for (&corner, place) in quad.corners.iter().zip(&CORNERS[quad.side as usize]) {
            let sum = &mut sums[corner as usize];
            // The surface n . x = c comes to a voxel if |n . middle - c| is at most half of |n| in the sum of its
            // coordinates; so it comes to the voxel and not to the one beyond the face if c is in an interval as long
            // as the step from one to the other.
            let step = sum.normal.dot(outward);
            if step > 0.0 {
                let middle = 0.5 - Vec3::new(place[0] as f32, place[1] as f32, place[2] as f32);
                let low = sum.normal.dot(middle) - 0.5 * sum.normal.abs().element_sum();
                sum.offset += step * (low + 0.5 * step);
                sum.area += step;
            }
        }
    }
    let vertices = sums.iter().zip(corners).map(|(sum, &corner)| {
        let offset = if sum.area > 0.0 { sum.offset / sum.area } else { 0.0 };
        Vertex {
            position: corner + offset * sum.normal,
            normal: sum.normal,
            back: 0.5,
            forth: 0.5,
            is_held: sum.is_held,
        }
    });
    let color = |sum: &Sum| {
        let [red, green, blue] = (sum.color / sum.weight).round().to_array().map(|channel| channel as u8);
        [red, green, blue, u8::MAX]
    };
    (vertices.collect(), sums.iter().map(color).collect())
}
