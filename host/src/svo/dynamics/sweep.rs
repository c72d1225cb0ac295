//! Bodies that are so fast that a step would take them through the ground or each other.

use glam::DVec3;

use super::body::VoxelBody;
use crate::bvh::Bvh;
use crate::geometry::{Aabb, Plane};

/// How deep a body may come into the ground in a step, as a part of its height above it.
const DEPTH: f64 = 0.1;

/// Moves a body on by a step. Once it comes to a plane it gets no farther in a step than the response can see to: it keeps
/// its speed, which is the response's to take.
pub(super) fn advance(body: &mut VoxelBody, planes: &[Plane], dt: f64) {
    let (before, aabb) = (body.center, body.aabb());
    body.advance(dt);
    for plane in planes {
        let [low, high] = plane.range_of_box(&aabb);
        let most = low.max(0.0) + (DEPTH * (high - low)).max(2.0 * body.lattice.voxel);
        let fall = plane.normal.dot(before - body.center);
        if low + high > 0.0 && fall > most {
            body.center += (fall - most) * plane.normal;
        }
    }
}

/// A step is done in no more parts than this.
const MOST_PARTS: u32 = 16;

/// In how many parts a step has to be done so that no body passes another unseen: in none of them do two come nearer by
/// more than half of what both are thick.
pub(super) fn parts(bodies: &[VoxelBody], dt: f64) -> u32 {
    let way = |body: &VoxelBody| if body.is_moving() { dt * body.velocity } else { DVec3::ZERO };
    let thickness = |body: &VoxelBody| body.bounds.size().min_element();
    let fastest = bodies.iter().map(|body| way(body).length()).fold(0.0, f64::max);
    let thinnest = bodies.iter().map(thickness).fold(f64::INFINITY, f64::min);
    if 2.0 * fastest <= thinnest {
        return 1;
    }
    let swept: Vec<Aabb> = bodies
        .iter()
        .map(|body| {
            let (aabb, way) = (body.aabb(), way(body));
            Aabb { min: aabb.min + way.min(DVec3::ZERO), max: aabb.max + way.max(DVec3::ZERO) }
        })
        .collect();
    let needed = |one: u32, other: u32| {
        let [one, other] = [one, other].map(|body| &bodies[body as usize]);
        (way(one) - way(other)).length() / (0.5 * (thickness(one) + thickness(other)))
    };
    let fast = Bvh::build(&swept).collect_self_pairs_where(|one, other| needed(one, other) > 1.0);
    let most = fast.iter().map(|&[one, other]| needed(one, other)).fold(1.0, f64::max);
    (most.ceil() as u32).min(MOST_PARTS)
}
