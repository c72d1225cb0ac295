//! Turning the planes of an approximate hull until they lie flat against the points.
//!
//! This is beyond \[Mueller13\]: the normals of Algorithm 1 are those of an inner hull, and a plane that only moves along
//! its normal mostly ends up on a single point. In the smallest solid around a convex body with so many faces, each face
//! touches the body in its centroid, or else turning it towards there would cut off more than it adds. So each plane is
//! turned about what it touches towards the middle of its face, until it rests on three points. With the same number of
//! faces, that leaves about a third of the volume in excess.

use glam::DVec3;

use super::fit::{Reach, clip_to_reach};
use super::growing_hull::GrownHull;
use crate::geometry::{Convex, Plane, PolyMesh};

/// Later rounds gain next to nothing.
const ROUNDS: usize = 4;

/// A point nearer than this to the axis of a turn, relative to the diagonal of the solid's box, does not stop it: how far
/// the turn may go would be a quotient of rounding errors.
const LEVER: f64 = 1e-5;

/// A convex clipped by planes across the normals of a hull, as they are or turned, whichever makes it smaller; `None` if
/// nothing is left.
pub(super) fn clip_by_turned(start: &Convex, hull: &GrownHull) -> Option<Convex> {
    let clip = |normals: &[DVec3]| clip_to_reach(start.clone(), &Reach::of_outermost(&hull.outermost, normals));
    let straight = clip(&hull.normals)?;
    if hull.is_whole {
        return Some(straight);
    }
    let turned = turned_normals(start, hull).and_then(|normals| clip(&normals));
    let is_smaller = |convex: &Convex| convex.mass_properties().volume < straight.mass_properties().volume;
    Some(turned.filter(is_smaller).unwrap_or(straight))
}

/// The normals turned as long as that makes a convex around the sketch smaller: there are few points in it, and what
/// suits them suits the others.
fn turned_normals(start: &Convex, hull: &GrownHull) -> Option<Vec<DVec3>> {
    let points = &hull.sketch;
    let mut reach = Reach::of_outermost(points, &hull.normals);
    let mut best = clip_to_reach(start.clone(), &reach)?;
    let mut volume = best.mass_properties().volume;
    let lever = LEVER * start.aabb().diagonal();
    let normals = |reach: &Reach| -> Vec<DVec3> { reach.planes.iter().map(|plane| plane.normal).collect() };
    for _ in 0..ROUNDS {
        let mut turning = normals(&reach);
        for (face, plane) in best.planes().iter().enumerate() {
            let number = reach.planes.iter().position(|other| other == plane);
            if let (Some(number), Some(middle)) = (number, centroid(best.surface(), face, plane)) {
                turning[number] = turned(plane.normal, middle, points, lever);
            }
        }
        let next_reach = Reach::of_outermost(points, &turning);
        let Some(next) = clip_to_reach(start.clone(), &next_reach) else { break };
        let next_volume = next.mass_properties().volume;
        if next_volume >= volume || next_volume.is_nan() {
            break;
        }
        (reach, best, volume) = (next_reach, next, next_volume);
    }
    Some(normals(&reach))
}

/// The normal of the plane that touches points across a normal, turned towards a point in front of it: first about the
/// point that it touches until it touches another, then about the line through both.
fn turned(normal: DVec3, towards: DVec3, points: &[DVec3], lever: f64) -> DVec3 {
    let mut normal = normal;
    let Some(pivot) = farthest(points, normal) else { return normal };
    let mut axis = DVec3::ZERO;
    for _ in 0..2 {
        let arm = towards - pivot;
        let arm = arm - normal * normal.dot(arm);
        let arm = arm - axis * axis.dot(arm);
        if arm.length() <= lever {
            break;
        }
        let Some(down) = arm.try_normalize() else { break };
        // The tangent of the largest turn that leaves all points behind the plane; half a right angle is plenty.
        let (mut tangent, mut stop) = (1.0, None);
        for &point in points {
            let (depth, reach) = (normal.dot(pivot - point).max(0.0), down.dot(point - pivot));
            if reach > lever && depth < tangent * reach {
                (tangent, stop) = (depth / reach, Some(point));
            }
        }
        normal = (normal + tangent * down).try_normalize().unwrap_or(normal);
        match stop.and_then(|point| (point - pivot).try_normalize()) {
            Some(direction) => axis = direction,
            None => break,
        }
    }
    normal
}

fn farthest(points: &[DVec3], direction: DVec3) -> Option<DVec3> {
    let mut best = *points.first()?;
    let mut most = direction.dot(best);
    for &point in points {
        let place = direction.dot(point);
        if place > most {
            (best, most) = (point, place);
        }
    }
    Some(best)
}

/// The centroid of a face's outer contour; `None` if it has no area.
fn centroid(surface: &PolyMesh, face: usize, plane: &Plane) -> Option<DVec3> {
    let contour = surface.contours(face).next()?;
    let apex = surface.corner_position(contour.start);
    let (mut area, mut moment) = (0.0, DVec3::ZERO);
    for corner in contour.start + 1..contour.end.saturating_sub(1) {
        let [u, v] = [corner, corner + 1].map(|corner| surface.corner_position(corner) - apex);
        let share = u.cross(v).dot(plane.normal);
        area += share;
        moment += share * (u + v);
    }
    let middle = apex + moment / (3.0 * area);
    middle.is_finite().then_some(middle)
}
