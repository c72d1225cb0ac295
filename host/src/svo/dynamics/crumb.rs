//! Bodies of a few voxels.
//!
//! "Small objects at lower SVO levels may not have volume at all and collision forces would not have affect on them"
//! (\[Domaradzki16\] 6.1): where all voxels are boundary, columns have no entry and exit that could be told apart. So that
//! crumbs do not fall through the ground, they are balls where columns find nothing. Specks, which hardly have a column to
//! themselves, always are; and so is any body that a fast fall has brought below the ground as a whole.

use std::f64::consts::PI;

use fracas_kernels::node::Node;
use glam::DVec3;

use super::body::VoxelBody;
use super::options::Pressure;
use super::press::Press;
use crate::geometry::Plane;
use crate::svo::Placed;

/// The most that a crumb has of voxels of the physics level.
const CRUMB: f64 = 64.0;

/// Whether a body is a crumb among voxels of some edge.
pub(super) fn is_crumb(body: &VoxelBody, cell: f64) -> bool {
    body.volume < CRUMB * cell * cell * cell
}

/// The largest side of a speck, in voxels of the physics level.
const SPECK: f64 = 3.0;

/// Whether a body is so small among voxels of some edge that it is always taken for a ball.
pub(super) fn is_speck(body: &VoxelBody, cell: f64) -> bool {
    body.bounds.size().max_element() <= SPECK * cell
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
        area,
        center: plane.project(body.center),
        lean: DVec3::ZERO,
        reach: [DVec3::ZERO; 2],
        // What sinks in by a part of a voxel that is larger than itself would be lost.
        cell: cell.min(2.0 * radius),
        pressure: Pressure::Even,
    })
}

/// What presses the ball that a body is taken for and another body. The ball is the first of the two.
pub(super) fn ball_in(body: &VoxelBody, other: &VoxelBody, bodies: [u32; 2], level: u32, cell: f64) -> Option<Press> {
    let plane = if is_speck(other, cell) && is_speck(body, cell) {
        let out = (body.center - other.center).normalize_or(DVec3::Y);
        Plane::through(other.center + radius(other) * out, out)
    } else {
        surface_near(body.center, radius(body), &other.placed(), level)?
    };
    ball_below(body, &plane, bodies, cell)
}

/// The plane through the boundary voxel of a body that is nearest to a point, if the point is inside or a ball of some radius
/// around it comes to the voxel.
pub(super) fn surface_near(point: DVec3, radius: f64, other: &Placed<'_>, level: u32) -> Option<Plane> {
    let level = other.physics_level(level);
    let cell = other.cell(level);
    let place = (other.pose.inverse().transform_point(point) - other.lattice.origin) / cell;
    let size = f64::from(1u32 << level);
    let is_there = place.to_array().iter().all(|coordinate| (0.0..size).contains(coordinate));
    let here = if is_there { other.tree.node_at(place.as_uvec3().to_array(), level) } else { Node::OUTSIDE };
    // From outside, as far as a corner of the voxel may be in the ball.
    let reach = if here.is_internal() { f64::INFINITY } else { radius / cell + 0.75 };
    let nearest = other.tree.nearest_boundary(place, level, reach)?;
    let normal = other.tree.normal(nearest.node).as_dvec3().normalize_or(DVec3::Y);
    let way = nearest.middle - place;
    // Of an edge or a thin plate, the normal may tell little of where the outside is.
    let out = match here.is_internal() {
        _ if here.is_boundary() => normal,
        true if normal.dot(way) < 0.5 * way.length() => way.normalize_or(normal),
        false if -normal.dot(way) < 0.5 * way.length() => -way.normalize_or(-normal),
        _ => normal,
    };
    let plane = Plane::through(other.lattice.origin + cell * nearest.middle, out);
    Some(plane.transformed(&other.pose))
}
