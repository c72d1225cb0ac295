//! Bodies of a few voxels.
//!
//! "Small objects at lower SVO levels may not have volume at all and collision forces would not have affect on them"
//! (\[Domaradzki16\] 6.1): where all voxels are boundary, columns have no entry and exit that could be told apart. So that
//! crumbs do not fall through the ground, they are balls where columns find nothing. So is any body that a fast fall has
//! brought below the ground as a whole.

use std::f64::consts::PI;

use glam::{DMat3, DVec3};

use super::body::VoxelBody;
use super::press::Press;
use crate::geometry::Plane;
use crate::svo::Placed;

/// The most that a crumb has of voxels of the physics level.
const CRUMB: f64 = 64.0;

/// Whether a body is a crumb among voxels of some edge.
pub(super) fn is_crumb(body: &VoxelBody, cell: f64) -> bool {
    body.volume < CRUMB * cell * cell * cell
}

/// The radius of a ball as large as a body.
fn radius(body: &VoxelBody) -> f64 {
    (0.75 / PI * body.volume).cbrt()
}

/// Whether a body has sunk below a plane so far that no gradient shows it the way out.
pub(super) fn is_sunk(body: &VoxelBody, plane: &Plane) -> bool {
    plane.signed_distance(body.center) < -0.5 * radius(body)
}

/// What presses the ball that a body is taken for and what is below a plane; the body is the first of the two.
pub(super) fn ball_below(body: &VoxelBody, plane: &Plane, bodies: [u32; 2], cell: f64) -> Option<Press> {
    let radius = radius(body);
    let depth = (radius - plane.signed_distance(body.center)).min(2.0 * radius);
    if depth.is_nan() || depth <= 0.0 {
        return None;
    }
    // Sunk in wholly, it is still pressed by its great circle.
    let level = depth.min(radius);
    let area = PI * level * (2.0 * radius - level);
    Some(Press {
        bodies,
        volume: PI * depth * depth * (3.0 * radius - depth) / 3.0,
        gradient: -area * plane.normal,
        turning: DVec3::ZERO,
        area,
        center: plane.project(body.center),
        spread: DMat3::from_diagonal(DVec3::splat(area / (4.0 * PI))),
        cell,
    })
}

/// What presses a crumb and another body, of which the crumb's middle is in the boundary or inside. The crumb is the first
/// of the bodies.
pub(super) fn crumb_in(body: &VoxelBody, other: &Placed<'_>, bodies: [u32; 2], level: u32, cell: f64) -> Option<Press> {
    if !is_crumb(body, cell) {
        return None;
    }
    let level = other.physics_level(level);
    let local = other.pose.inverse().transform_point(body.center);
    let place = other.lattice.inward(local) / f64::from(1u32 << (other.tree.level() - level));
    let size = f64::from(1u32 << level);
    if !place.to_array().iter().all(|coordinate| (0.0..size).contains(coordinate)) {
        return None;
    }
    let voxel = place.floor();
    let node = other.tree.node_at(voxel.as_uvec3().to_array(), level);
    let plane = if node.is_boundary() {
        // The surface through the middle of the voxel.
        let normal = other.tree.normal(node).as_dvec3().normalize_or(DVec3::Y);
        Plane::through(other.lattice.origin + other.cell(level) * (voxel + 0.5), normal)
    } else if node.is_internal() {
        // Anywhere out; away from the middle is as good as any.
        let out = (local - other.lattice.aabb().center()).normalize_or(DVec3::Y);
        Plane::through(local, out)
    } else {
        return None;
    };
    ball_below(body, &plane.transformed(&other.pose), bodies, cell)
}

impl Press {
    /// The same with the bodies exchanged.
    pub(super) fn swapped(self) -> Press {
        let [first, second] = self.bodies;
        Press { bodies: [second, first], gradient: -self.gradient, turning: -self.turning, ..self }
    }
}
