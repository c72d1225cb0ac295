//! Cutting simple polygons into triangles, by clipping ears with exact predicates.

use glam::{DVec2, DVec3};

use super::super::predicates::orient_2d;

/// The triangles of a simple planar polygon, counter-clockwise as the polygon is, as numbers of its corners. Every corner
/// is kept, also one on a straight edge, so that neighbouring faces still fit.
pub(super) fn triangulate(corners: &[DVec3]) -> Vec<[usize; 3]> {
    match corners.len() {
        0..=2 => return Vec::new(),
        3 => return vec![[0, 1, 2]],
        _ => {}
    }
    let flat = flattened(corners);
    let mut left: Vec<usize> = (0..corners.len()).collect();
    let mut triangles = Vec::with_capacity(corners.len() - 2);
    let mut at = 0;
    let mut misses = 0;
    while left.len() > 3 {
        let count = left.len();
        let place = at % count;
        let [a, b, c] = [left[(place + count - 1) % count], left[place], left[(place + 1) % count]];
        // A polygon that is not simple has no more ears at some point; its rest is fanned as it comes.
        if is_ear(&flat, &left, [a, b, c]) || misses > count {
            triangles.push([a, b, c]);
            left.remove(place);
            // Skipping a corner after each ear keeps a long convex polygon from becoming a fan of needles.
            at = place + 1;
            misses = 0;
        } else {
            at = place + 1;
            misses += 1;
        }
    }
    triangles.push([left[0], left[1], left[2]]);
    triangles
}

/// The polygon seen along the axis that its normal is nearest to, counter-clockwise.
fn flattened(corners: &[DVec3]) -> Vec<DVec2> {
    let normal: DVec3 =
        (1..corners.len() - 1).map(|i| (corners[i] - corners[0]).cross(corners[i + 1] - corners[0])).sum();
    let along = normal.abs();
    let axis = if along.x >= along.y.max(along.z) {
        0
    } else if along.y >= along.z {
        1
    } else {
        2
    };
    let (u, v) = if normal[axis] > 0.0 { ((axis + 1) % 3, (axis + 2) % 3) } else { ((axis + 2) % 3, (axis + 1) % 3) };
    corners.iter().map(|corner| DVec2::new(corner[u], corner[v])).collect()
}

fn is_ear(flat: &[DVec2], left: &[usize], [a, b, c]: [usize; 3]) -> bool {
    let [p, q, r] = [flat[a], flat[b], flat[c]];
    orient_2d(p, q, r) > 0.0
        && left.iter().filter(|&&other| other != a && other != b && other != c).all(|&other| {
            let point = flat[other];
            orient_2d(p, q, point) < 0.0 || orient_2d(q, r, point) < 0.0 || orient_2d(r, p, point) < 0.0
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn area(corners: &[DVec3]) -> DVec3 {
        (1..corners.len() - 1).map(|i| 0.5 * (corners[i] - corners[0]).cross(corners[i + 1] - corners[0])).sum()
    }

    proptest! {
        #[test]
        fn triangles_cover_a_star_shaped_polygon(radii in prop::collection::vec(0.1f64..1.0, 3..40), turn in 0.0f64..6.0) {
            let count = radii.len() as f64;
            let map = glam::DMat3::from_rotation_x(turn) * glam::DMat3::from_rotation_y(0.7 * turn);
            let corners: Vec<DVec3> = radii.iter().enumerate().map(|(number, radius)| {
                let (sin, cos) = (std::f64::consts::TAU * number as f64 / count).sin_cos();
                map * DVec3::new(radius * cos, radius * sin, 0.3)
            }).collect();
            let triangles = triangulate(&corners);
            prop_assert_eq!(triangles.len(), corners.len() - 2);
            let normal = map * DVec3::Z;
            let mut sum = 0.0;
            for triangle in triangles {
                let part = area(&triangle.map(|corner| corners[corner])).dot(normal);
                prop_assert!(part > 0.0);
                sum += part;
            }
            prop_assert!((sum - area(&corners).dot(normal)).abs() < 1e-12);
        }
    }

    #[test]
    fn corners_on_straight_edges_are_kept() {
        let corners: Vec<DVec3> = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 1.0], [2.0, 2.0], [0.0, 2.0]]
            .map(|[x, z]| DVec3::new(x, 0.0, -z))
            .to_vec();
        let triangles = triangulate(&corners);
        let mut used: Vec<usize> = triangles.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        assert_eq!(used.len(), 6);
        assert!(triangles.iter().all(|triangle| area(&triangle.map(|corner| corners[corner])).y > 1e-9));
    }
}
