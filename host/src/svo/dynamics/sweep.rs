//! Bodies that are so fast that a step would take them through the ground.

use super::body::VoxelBody;
use crate::geometry::Plane;

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
