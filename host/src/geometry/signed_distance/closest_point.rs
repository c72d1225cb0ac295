//! The point of a triangle that is nearest to another point.

use glam::DVec3;

/// The point of a triangle nearest to a point, and the weights of the corners that make it.
///
/// A weight is zero exactly where the point is on the opposite edge, so the weights tell whether it is a corner, on an edge
/// or within (Ericson, Real-Time Collision Detection, 5.1.5). A triangle without area is the longest of its edges.
///
/// ```
/// use fracas::geometry::closest_point_on_triangle;
/// use glam::DVec3;
///
/// let (point, weights) = closest_point_on_triangle(DVec3::new(0.5, -1.0, 2.0), [DVec3::ZERO, DVec3::X, DVec3::Y]);
/// assert_eq!((point, weights), (DVec3::new(0.5, 0.0, 0.0), [0.5, 0.5, 0.0]));
/// ```
pub fn closest_point_on_triangle(point: DVec3, corners: [DVec3; 3]) -> (DVec3, [f64; 3]) {
    let [a, b, c] = corners.map(|corner| corner - point);
    let (ab, ac, bc) = (b - a, c - a, c - b);
    // How far the point is along the edges, seen from their two ends.
    let [ab_from_a, ab_from_b] = [-ab.dot(a), ab.dot(b)];
    let [ac_from_a, ac_from_c] = [-ac.dot(a), ac.dot(c)];
    let [bc_from_b, bc_from_c] = [-bc.dot(b), bc.dot(c)];
    if ab_from_a <= 0.0 && ac_from_a <= 0.0 {
        return (corners[0], [1.0, 0.0, 0.0]);
    }
    if ab_from_b <= 0.0 && bc_from_b <= 0.0 {
        return (corners[1], [0.0, 1.0, 0.0]);
    }
    if ac_from_c <= 0.0 && bc_from_c <= 0.0 {
        return (corners[2], [0.0, 0.0, 1.0]);
    }
    // The areas between the point and the edges, seen along the normal. Ericson makes them of the products above, which
    // loses the digits of thin triangles.
    let normal = ab.cross(ac);
    let areas = [b.cross(c), c.cross(a), a.cross(b)].map(|cross| normal.dot(cross));
    let twice = normal.length_squared();
    let is_flat = twice <= FLAT * ab.length_squared().max(ac.length_squared()).powi(2);
    let edges = [
        (areas[2], 0, 1, ab_from_a, ab_from_b),
        (areas[1], 0, 2, ac_from_a, ac_from_c),
        (areas[0], 1, 2, bc_from_b, bc_from_c),
    ];
    let on_edge = |from: usize, to: usize, behind: f64, ahead: f64| {
        let share = behind / (behind + ahead);
        let mut weights = [0.0; 3];
        (weights[from], weights[to]) = (1.0 - share, share);
        (corners[from].lerp(corners[to], share), weights)
    };
    if !is_flat {
        for (area, from, to, behind, ahead) in edges {
            if area <= 0.0 && behind > 0.0 && ahead > 0.0 {
                return on_edge(from, to, behind, ahead);
            }
        }
        let sum: f64 = areas.iter().sum();
        if areas.iter().all(|&area| area > 0.0) && sum > 0.0 {
            let weights = areas.map(|area| area / sum);
            return (point + a * weights[0] + b * weights[1] + c * weights[2], weights);
        }
    }
    // No area, or none that rounding leaves: the nearest of the edges that the point is beside.
    edges
        .into_iter()
        .filter(|&(_, _, _, behind, ahead)| behind > 0.0 && ahead > 0.0)
        .map(|(_, from, to, behind, ahead)| on_edge(from, to, behind, ahead))
        .chain([0, 1, 2].map(|corner| (corners[corner], std::array::from_fn(|i| f64::from(u8::from(i == corner))))))
        .min_by(|one, other| one.0.distance_squared(point).total_cmp(&other.0.distance_squared(point)))
        .expect("there are three corners")
}

/// The square of the height of a triangle, relative to its length, below which it is its edges: far less than anyone can
/// see, and far more than the rounding of its normal.
const FLAT: f64 = 1e-24;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The minimum over the triangle by looking everywhere.
    fn sampled(point: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
        const STEPS: u32 = 40;
        let mut best = f64::INFINITY;
        for i in 0..=STEPS {
            for j in 0..=STEPS - i {
                let (u, v) = (f64::from(i) / f64::from(STEPS), f64::from(j) / f64::from(STEPS));
                best = best.min((a + (b - a) * u + (c - a) * v).distance(point));
            }
        }
        best
    }

    /// The point is nearest if no corner is farther along the way to it: the triangle is convex.
    fn assert_nearest(point: DVec3, corners: [DVec3; 3]) -> Result<(), TestCaseError> {
        let (nearest, weights) = closest_point_on_triangle(point, corners);
        let size = corners.iter().fold(1.0f64, |size, corner| size.max(corner.distance(point)));
        let sum: DVec3 = corners.iter().zip(weights).map(|(&corner, weight)| corner * weight).sum();
        prop_assert!(sum.distance(nearest) <= 1e-12 * size, "{} {}", sum, nearest);
        prop_assert!(weights.iter().all(|weight| (0.0..=1.0).contains(weight)));
        prop_assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        for corner in corners {
            prop_assert!((corner - nearest).dot(point - nearest) <= 1e-9 * size * size);
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn it_is_nearest_on_small_integers(points in prop::array::uniform4(prop::array::uniform3(-3i32..=3))) {
            let [point, a, b, c] = points.map(|p| DVec3::from_array(p.map(f64::from)));
            assert_nearest(point, [a, b, c])?;
            let (nearest, _) = closest_point_on_triangle(point, [a, b, c]);
            prop_assert!(nearest.distance(point) <= sampled(point, [a, b, c]) + 1e-12);
        }

        /// Needles and caps: the third corner almost on the line of the others.
        #[test]
        fn it_is_nearest_on_thin_triangles(points in prop::array::uniform3(prop::array::uniform3(-1.0..1.0f64)),
                                           along in -0.5..1.5f64, off in prop::array::uniform3(-1.0..1.0f64),
                                           exponent in 0..18i32) {
            let [point, a, b] = points.map(DVec3::from_array);
            assert_nearest(point, [a, b, a.lerp(b, along) + DVec3::from_array(off) * 10f64.powi(-exponent)])?;
        }
    }

    #[test]
    fn a_point_and_a_segment_are_triangles_too() {
        let [o, x] = [DVec3::ZERO, DVec3::X];
        assert_eq!(closest_point_on_triangle(DVec3::ONE, [o, o, o]).0, o);
        for corners in [[o, o, x], [o, x, o], [x, o, o], [o, x, x], [o, x, 0.5 * x]] {
            assert_eq!(closest_point_on_triangle(DVec3::new(0.75, 1.0, 0.0), corners).0, 0.75 * x);
        }
    }
}
