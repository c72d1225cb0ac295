//! The incremental hull of \[Mueller13\] Algorithm 1: of all points, the one that adds most volume comes next.

use glam::DVec3;

use super::candidates::{Candidates, Change, FacePlane};
use crate::geometry::predicates::orient_3d;
use crate::geometry::{Aabb, HullError, farthest};
use crate::tolerance;

/// A volume too small to be told from the rounding of the sums, of a set as large as a unit box, times six.
const NOTHING: f64 = 1e-13;

/// A sketch has this many vertices at least, or three times those asked for.
const LEAST_SKETCH: usize = 32;

/// A triangle of the hull, counter-clockwise from outside.
struct Face {
    corners: [u32; 3],
    plane: FacePlane,
}

/// What has grown.
pub(super) struct GrownHull {
    /// The unit normals of the triangles of the hull when it had the vertices asked for.
    pub normals: Vec<DVec3>,
    /// The vertices of a somewhat larger hull: what the points look like from outside, roughly.
    pub sketch: Vec<DVec3>,
    /// The points that are not certainly inside of the hull: whichever reaches farthest in a direction is, but for
    /// rounding, one of them.
    pub outermost: Vec<DVec3>,
    /// Whether this is the true hull, so that no directions are better.
    pub is_whole: bool,
}

/// Whether points are flat to within [`tolerance::FIT`].
pub(super) fn is_flat(points: &[DVec3]) -> bool {
    first_corners(&localised(points)).is_none()
}

/// Grows a hull to a number of vertices (at least four, and no more than enclose a volume).
///
/// # Errors
/// [`HullError::Flat`] if the points are flat to within [`tolerance::FIT`].
pub(super) fn grow(points: &[DVec3], vertices: usize) -> Result<GrownHull, HullError> {
    let local = localised(points);
    let corners = first_corners(&local).ok_or(HullError::Flat)?;
    let mut faces: Vec<Face> = tetrahedron(corners).map(|corners| face(&local, corners)).into();
    let mut chosen = corners.to_vec();
    let mut candidates = Candidates::new(&local);
    let mut changes: Vec<Change> = faces.iter().map(|face| Change { plane: face.plane, sign: 1.0 }).collect();
    let sketched = (3 * vertices.min(points.len())).max(LEAST_SKETCH);
    let mut normals = None;
    while let Some(best) = candidates.update(&changes) {
        if chosen.len() >= vertices && normals.is_none() {
            normals = Some(unit_normals(&faces));
        }
        if chosen.len() >= sketched || best.volume <= NOTHING {
            break;
        }
        changes.clear();
        insert(&local, &mut faces, best.point, &mut changes);
        if changes.is_empty() {
            break;
        }
        chosen.push(best.point);
    }
    let sketch: Vec<DVec3> = chosen.into_iter().map(|point| points[point as usize]).collect();
    let outside = candidates.remaining().map(|point| points[point as usize]);
    let outermost = sketch.iter().copied().chain(outside).collect();
    let normals = normals.unwrap_or_else(|| unit_normals(&faces));
    Ok(GrownHull { normals, sketch, outermost, is_whole: false })
}

fn unit_normals(faces: &[Face]) -> Vec<DVec3> {
    faces.iter().filter_map(|face| face.plane.normal.try_normalize()).collect()
}

/// The points moved and scaled into the box from -1 to 1, so that no product over- or underflows.
///
/// This rounds; but only directions are taken from what is found here.
fn localised(points: &[DVec3]) -> Vec<DVec3> {
    let bounds = Aabb::of_points(points.iter().copied());
    // Halves first, because the size itself may not be a number.
    let half_size = (0.5 * bounds.max - 0.5 * bounds.min).max_element();
    let center = 0.5 * bounds.min + 0.5 * bounds.max;
    if half_size <= 0.0 {
        return vec![DVec3::ZERO; points.len()];
    }
    points.iter().map(|&point| ((point - center) / half_size).clamp(DVec3::NEG_ONE, DVec3::ONE)).collect()
}

/// The first four points of Algorithm 1, in an order that has the fourth inside of the plane of the others.
fn first_corners(points: &[DVec3]) -> Option<[u32; 4]> {
    let first = farthest(points, |point| point.x)?;
    let a = points[first];
    let second = farthest(points, |point| point.distance_squared(a))?;
    let b = points[second];
    let third = farthest(points, |point| (b - a).cross(point - a).length_squared())?;
    let c = points[third];
    let normal = (b - a).cross(c - a).try_normalize()?;
    let fourth = farthest(points, |point| normal.dot(point - a).abs())?;
    let width = (b - a).cross(c - a).length() / (b - a).length();
    if width <= tolerance::FIT || normal.dot(points[fourth] - a).abs() <= tolerance::FIT {
        return None;
    }
    let (second, third) = if orient_3d(a, b, c, points[fourth]) < 0.0 { (second, third) } else { (third, second) };
    Some([first, second, third, fourth].map(|corner| corner as u32))
}

fn tetrahedron([a, b, c, d]: [u32; 4]) -> [[u32; 3]; 4] {
    [[a, b, c], [a, c, d], [b, a, d], [c, b, d]]
}

fn face(points: &[DVec3], corners: [u32; 3]) -> Face {
    let [a, b, c] = corners.map(|corner| points[corner as usize]);
    Face { corners, plane: FacePlane::new(a, b, c) }
}

/// Takes in a point: the faces that it sees give way to a cone over their border.
///
/// A face is visible from a point strictly outside, decided exactly; so what is seen is in one piece and no face without
/// area is made. There are few faces, which is what the algorithm is for, so all are asked.
fn insert(points: &[DVec3], faces: &mut Vec<Face>, point: u32, changes: &mut Vec<Change>) {
    let position = points[point as usize];
    let mut border = Vec::new();
    faces.retain(|face| {
        let volume = face.plane.volume(position);
        let visible = if volume.abs() > face.plane.slack {
            volume > 0.0
        } else {
            let [a, b, c] = face.corners.map(|corner| points[corner as usize]);
            orient_3d(a, b, c, position) > 0.0
        };
        if visible {
            let [a, b, c] = face.corners;
            border.extend([(a, b), (b, c), (c, a)]);
            changes.push(Change { plane: face.plane, sign: -1.0 });
        }
        !visible
    });
    border.sort_unstable();
    for &(from, to) in &border {
        if border.binary_search(&(to, from)).is_err() {
            let face = face(points, [from, to, point]);
            changes.push(Change { plane: face.plane, sign: 1.0 });
            faces.push(face);
        }
    }
}
