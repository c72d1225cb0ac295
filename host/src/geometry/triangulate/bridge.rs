//! Joining holes to the outer contour.

use glam::DVec2;

use super::ring::Ring;
use crate::geometry::predicates::orient_2d;

/// Joins the rings of the holes to that of the outer contour, which is the first, by edges walked both ways.
///
/// The holes are taken in the order of their leftmost corners. A bridge goes to the left, so it meets no hole that is
/// not yet joined.
pub(super) fn join_holes(ring: &mut Ring, contours: &[u32]) {
    let outer = contours[0];
    let mut starts: Vec<u32> = contours[1..].iter().map(|&hole| leftmost(ring, hole)).collect();
    starts.sort_by(|&a, &b| compare_positions(ring.position(a), ring.position(b)).then(a.cmp(&b)));
    for start in starts {
        let end = visible_node(ring, outer, start);
        let (end_copy, start_copy) = (ring.duplicate(end), ring.duplicate(start));
        let after_end = ring.node(end).next;
        let before_start = ring.node(start).previous;
        ring.link(end, start);
        ring.link(before_start, start_copy);
        ring.link(start_copy, end_copy);
        ring.link(end_copy, after_end);
    }
}

fn compare_positions(a: DVec2, b: DVec2) -> std::cmp::Ordering {
    a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y))
}

fn leftmost(ring: &Ring, hole: u32) -> u32 {
    let lowest = ring.iter(hole).min_by(|&a, &b| compare_positions(ring.position(a), ring.position(b)));
    lowest.unwrap_or(hole)
}

/// A node of the outer ring that `start` sees, on its left.
///
/// A ray to the left, a hair above `start`, first meets an edge that goes down; its end on the left is `target`. The
/// corners in the triangle of `start`, the meeting point and `target` are hidden by none but each other; of these
/// (`target` is one) the one nearest to the ray by angle is visible. No meeting point is ever computed: all comes from
/// orientations.
fn visible_node(ring: &Ring, outer: u32, start: u32) -> u32 {
    let eye = ring.position(start);
    let mut nearest: Option<(DVec2, DVec2, u32)> = None;
    for node in ring.iter(outer) {
        let (upper, lower) = (ring.position(node), ring.position(ring.node(node).next));
        let crosses = upper.y > eye.y && lower.y <= eye.y && orient_2d(upper, lower, eye) >= 0.0;
        if crosses && nearest.is_none_or(|(top, bottom, _)| is_right_of((upper, lower), (top, bottom))) {
            nearest = Some((upper, lower, node));
        }
    }
    let Some((upper, lower, upper_node)) = nearest else {
        // The hole is not inside the contour: any bridge is as good.
        return closest(ring, outer, eye);
    };
    // Where the triangle is above the ray, left and right change places.
    let (mut best, target, side) =
        if lower.x <= upper.x { (ring.node(upper_node).next, lower, 1.0) } else { (upper_node, upper, -1.0) };
    let mut best_position = target;
    for node in ring.iter(outer) {
        let position = ring.position(node);
        let hides = (position.y <= eye.y) == (side > 0.0)
            && position.x <= eye.x
            && orient_2d(upper, lower, position) >= 0.0
            && side * orient_2d(target, eye, position) >= 0.0;
        if hides {
            // Nearer to the ray by angle, then to the eye.
            let turn = side * orient_2d(best_position, eye, position);
            let nearer = position.distance_squared(eye) < best_position.distance_squared(eye);
            if turn > 0.0 || (turn == 0.0 && nearer) {
                (best, best_position) = (node, position);
            }
        }
    }
    copy_that_opens_to(ring, outer, best, start)
}

/// Whether a downward edge is to the right of another where both cross one height; neither crosses the other.
fn is_right_of((upper, lower): (DVec2, DVec2), (other_upper, other_lower): (DVec2, DVec2)) -> bool {
    let below = if lower.y >= other_lower.y {
        orient_2d(other_upper, other_lower, lower)
    } else {
        -orient_2d(upper, lower, other_lower)
    };
    if below != 0.0 {
        return below > 0.0;
    }
    if upper.y <= other_upper.y {
        orient_2d(other_upper, other_lower, upper) > 0.0
    } else {
        orient_2d(upper, lower, other_upper) < 0.0
    }
}

fn closest(ring: &Ring, outer: u32, eye: DVec2) -> u32 {
    let distance = |node: u32| ring.position(node).distance_squared(eye);
    ring.iter(outer).min_by(|&a, &b| distance(a).total_cmp(&distance(b))).unwrap_or(outer)
}

/// Of the nodes at the position of `node` (earlier bridges have made copies), one whose inside holds the bridge.
fn copy_that_opens_to(ring: &Ring, outer: u32, node: u32, start: u32) -> u32 {
    let position = ring.position(node);
    // A hole that touches the contour has a bridge of no length; its first edge must lie in the inside instead.
    let towards =
        if ring.position(start) == position { ring.position(ring.node(start).next) } else { ring.position(start) };
    let opens = |candidate: u32| {
        let (before, after) = (ring.position(ring.node(candidate).previous), ring.position(ring.node(candidate).next));
        let left_of_before = orient_2d(before, position, towards) > 0.0;
        let left_of_after = orient_2d(position, after, towards) > 0.0;
        if orient_2d(before, position, after) > 0.0 {
            left_of_before && left_of_after
        } else {
            left_of_before || left_of_after
        }
    };
    ring.iter(outer).find(|&candidate| ring.position(candidate) == position && opens(candidate)).unwrap_or(node)
}
