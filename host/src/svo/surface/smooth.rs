//! Smooth surfaces of octrees.
//!
//! The surface has the faces of the boundary voxels, as [`super::voxel_faces`] has; but their corners, shared now, are
//! moved inwards to where the solid's surface was. A voxel is a boundary voxel if the surface comes to it, so a face between
//! one and the outside says between which two parallels the surface passes, given its normal; corners start halfway, and
//! then slide along their normals until neighbours agree (as Gibson's constrained elastic surface nets do, 1998, but with
//! the octree's normals in place of tension, so that nothing shrinks). Tension spreads them across their normals, and where
//! triangles would turn over or pass through each other all the same, vertices go back towards their corners.

use glam::Vec3;
use rayon::prelude::*;

use super::cells::{CORNERS, Cells};
use super::corners::{Quad, Quads};
use super::{material, relax, untangle};
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
    /// How far from its corner it may be along each axis.
    way: Vec3,
}

/// How far from its corner a vertex goes along an axis where the solid is a single voxel thick, or along all where it has no
/// normal: so far that opposite sides do not meet.
const HELD: f32 = 0.4;

/// How far one goes elsewhere, with some to spare: a plane that comes to a voxel only at the far corner has its foot up to
/// (1 + √3) / 2 away along an axis.
const FREE: f32 = 1.4;

/// The share of the voxels' volume that is left at least; if less is, the solid is too small for its normals to mean
/// much, and all vertices are held.
const LEFT: f64 = 0.25;

/// Faces from which on a solid is not that small.
const MANY: usize = 4096;

/// A smooth surface around the solid of an octree, from the voxels of a level. Levels below the tree's finest are taken as
/// the finest.
///
/// It is watertight and a manifold: two triangles at every edge, one each way, and one fan of them around every vertex,
/// also where voxels touch at an edge or a corner only. No triangle looks against the side of the voxel's face that it
/// comes from. Vertices have the octree's normals and colours; materials have the
/// bit [`crate::geometry::FRACTURE`] where a fracture laid the voxel open.
pub fn smooth_surface(tree: &Tree, lattice: &Lattice, level: u32) -> TriMesh {
    let level = level.min(tree.level());
    let mut faces = Quads::new(&Cells::new(tree, level));
    faces.split();
    let Quads { quads, corners } = faces;
    let colors_of = tree.colors_of(level);
    let normals_of = voxel_normals(tree, level);
    let (mut vertices, colors) = placed(&quads, &corners, &normals_of, &colors_of);
    relax::relax(&quads, &mut vertices);
    let is_small = quads.len() < MANY
        && volume(&quads, |corner| vertices[corner].position) < LEFT * volume(&quads, |corner| corners[corner]);
    for (vertex, &corner) in vertices.iter_mut().zip(&corners) {
        let way = if is_small { Vec3::splat(HELD) } else { vertex.way };
        vertex.position = vertex.position.clamp(corner - way, corner + way);
    }
    untangle::untangle(&quads, &corners, &mut vertices);

    let edge = f64::from(1u32 << (tree.level() - level));
    let mut triangles = Vec::with_capacity(2 * quads.len());
    let mut materials = Vec::with_capacity(2 * quads.len());
    for quad in &quads {
        triangles.extend(untangle::triangles(quad, |vertex| vertices[vertex as usize].position));
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
pub(super) fn outward(side: u16) -> Vec3 {
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
    way: Vec3,
}

/// What counts for a normal that is across the corner's own direction, so that colours are there in any case.
const LEAST_WEIGHT: f32 = 1e-6;

/// The cosine below which a voxel's normal does not belong to one of its faces.
const AGAINST: f32 = -0.2;

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
        // A voxel that surfaces come to from two sides has the normal of one of them, which says nothing of the other.
        let is_against = normal.dot(outward(quad.side)) < AGAINST;
        let [red, green, blue, _] = colors[quad.voxel as usize].map(f32::from);
        for corner in quad.corners {
            let sum = &mut sums[corner as usize];
            // The voxels at an edge of the solid have normals between its sides'; where the corner lies in one of the
            // sides, that side's own count more.
            let weight = if is_against { 0.0 } else { normal.dot(sum.outward).max(0.0).powi(8) };
            sum.normal += weight * normal;
            let weight = weight + LEAST_WEIGHT;
            sum.color += weight * Vec3::new(red, green, blue);
            sum.weight += weight;
        }
    }
    for sum in &mut sums {
        let is_known = sum.normal.length_squared() > 1e-6;
        sum.normal = if is_known { sum.normal.normalize() } else { sum.outward };
        sum.way = Vec3::splat(if is_known { FREE } else { HELD });
    }
    for quad in quads.iter().filter(|quad| quad.is_thin) {
        for corner in quad.corners {
            sums[corner as usize].way[quad.side as usize / 2] = HELD;
        }
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
        Vertex { position: corner + offset * sum.normal, normal: sum.normal, back: 0.5, forth: 0.5, way: sum.way }
    });
    let color = |sum: &Sum| {
        let [red, green, blue] = (sum.color / sum.weight).round().to_array().map(|channel| channel as u8);
        [red, green, blue, u8::MAX]
    };
    (vertices.collect(), sums.iter().map(color).collect())
}
