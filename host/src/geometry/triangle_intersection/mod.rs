//! Whether triangles meet, decided by exact predicates: no tolerance, and right for triangles without area too.

mod separation;
mod straddling;

use glam::{DVec2, DVec3};

use super::predicates::{orient_2d, orient_3d, scale_to_one};
pub(super) use separation::{apart, apart_but_for};

/// Whether two closed triangles share a point. Touching counts; a triangle may be a segment or a point.
///
/// ```
/// use fracas::geometry::triangles_intersect;
/// use glam::DVec3;
///
/// let floor = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let standing_on_it = [DVec3::new(0.2, 0.2, 0.0), DVec3::new(0.2, 0.2, 1.0), DVec3::new(0.4, 0.2, 1.0)];
/// assert!(triangles_intersect(floor, standing_on_it));
/// assert!(!triangles_intersect(floor, standing_on_it.map(|corner| corner + 1e-300 * DVec3::Z)));
/// ```
pub fn triangles_intersect(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    match scale_to_one(&[a[0], a[1], a[2], b[0], b[1], b[2]]) {
        None => triangles_meet(a, b),
        Some([half, rest]) => {
            let scaled = |triangle: [DVec3; 3]| triangle.map(|corner| corner * half * rest);
            triangles_meet(scaled(a), scaled(b))
        }
    }
}

/// [`triangles_intersect`] for coordinates that the predicates can take.
pub(super) fn triangles_meet(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    // What has just broken has its corners in common.
    if a.iter().any(|corner| b.contains(corner)) {
        return true;
    }
    // Most pairs are clear.
    straddling::meet_clearly(a, b).unwrap_or_else(|| meet_exactly(a, b))
}

/// [`triangles_meet`] where that is not clear.
fn meet_exactly(a: [DVec3; 3], b: [DVec3; 3]) -> bool {
    // Triangles in one plane that lie beside each other end here.
    if apart(a, b) {
        return false;
    }
    let a_sides = sides_of(b, a);
    if same_strict_side(&a_sides) {
        return false;
    }
    if a_sides == [0.0; 3]
        && let Some(axis) = nondegenerate_axis(b)
    {
        // In one plane: a side of the one meets the other, or the other lies within the one (if it has an inside).
        return (0..3).any(|corner| edge_meets_in_plane(a[corner], a[(corner + 1) % 3], b, axis))
            || (!is_degenerate(a) && edge_meets_in_plane(b[0], b[1], a, axis));
    }
    let b_sides = sides_of(a, b);
    if same_strict_side(&b_sides) {
        return false;
    }
    // Convex sets that meet do so on the border of one of them: an edge of one meets the other.
    (0..3).any(|corner| {
        let next = (corner + 1) % 3;
        edge_meets(a[corner], a[next], a_sides[corner], a_sides[next], b)
            || edge_meets(b[corner], b[next], b_sides[corner], b_sides[next], a)
    })
}

/// The sides of a triangle's plane that three points are on.
#[inline]
fn sides_of([a, b, c]: [DVec3; 3], points: [DVec3; 3]) -> [f64; 3] {
    [orient_3d(a, b, c, points[0]), orient_3d(a, b, c, points[1]), orient_3d(a, b, c, points[2])]
}

/// Whether a closed segment and a closed triangle share a point.
pub fn segment_meets_triangle(from: DVec3, to: DVec3, triangle: [DVec3; 3]) -> bool {
    let [a, b, c] = triangle;
    edge_meets(from, to, orient_3d(a, b, c, from), orient_3d(a, b, c, to), triangle)
}

/// Whether three points are in line.
pub(super) fn is_degenerate(triangle: [DVec3; 3]) -> bool {
    nondegenerate_axis(triangle).is_none()
}

fn same_strict_side(sides: &[f64; 3]) -> bool {
    sides.iter().all(|&side| side > 0.0) || sides.iter().all(|&side| side < 0.0)
}

/// [`segment_meets_triangle`] with the sides of the triangle's plane known.
fn edge_meets(from: DVec3, to: DVec3, from_side: f64, to_side: f64, triangle: [DVec3; 3]) -> bool {
    if (from_side > 0.0 && to_side > 0.0) || (from_side < 0.0 && to_side < 0.0) {
        return false;
    }
    let [a, b, c] = triangle;
    if from_side == 0.0 && to_side == 0.0 {
        return match nondegenerate_axis(triangle) {
            Some(axis) => edge_meets_in_plane(from, to, triangle, axis),
            None => segments_meet(from, to, a, b) || segments_meet(from, to, b, c) || segments_meet(from, to, c, a),
        };
    }
    // The segment crosses the plane in one point; the line through it must pass all edges on one side.
    let (first, second) = (orient_3d(from, to, a, b), orient_3d(from, to, b, c));
    if (first > 0.0 && second < 0.0) || (first < 0.0 && second > 0.0) {
        return false;
    }
    let turns = [first, second, orient_3d(from, to, c, a)];
    turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0)
}

/// The axis along which a triangle can be looked at without becoming a line; `None` if it is one.
pub(super) fn nondegenerate_axis([a, b, c]: [DVec3; 3]) -> Option<usize> {
    (0..3).find(|&axis| orient_2d(project(a, axis), project(b, axis), project(c, axis)) != 0.0)
}

/// A point seen along an axis.
pub(super) fn project(point: DVec3, axis: usize) -> DVec2 {
    match axis {
        0 => DVec2::new(point.y, point.z),
        1 => DVec2::new(point.z, point.x),
        _ => DVec2::new(point.x, point.y),
    }
}

/// A segment and a triangle in one plane.
fn edge_meets_in_plane(from: DVec3, to: DVec3, triangle: [DVec3; 3], axis: usize) -> bool {
    let (from, to) = (project(from, axis), project(to, axis));
    let corners = triangle.map(|corner| project(corner, axis));
    let turns = [0, 1, 2].map(|i| orient_2d(corners[i], corners[(i + 1) % 3], from));
    let inside = turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0);
    // Either it starts inside or it meets the border.
    inside || (0..3).any(|i| segments_meet_2d(from, to, corners[i], corners[(i + 1) % 3]))
}

/// Whether two closed segments in space share a point; either may be a point.
fn segments_meet(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> bool {
    if orient_3d(a, b, c, d) != 0.0 {
        return false;
    }
    let axis = [[a, b, c], [a, b, d], [a, c, d], [b, c, d]].into_iter().find_map(nondegenerate_axis);
    match axis {
        Some(axis) => segments_meet_2d(project(a, axis), project(b, axis), project(c, axis), project(d, axis)),
        // All in line: their boxes are as good as themselves.
        None => a.min(b).cmple(c.max(d)).all() && c.min(d).cmple(a.max(b)).all(),
    }
}

fn segments_meet_2d(a: DVec2, b: DVec2, c: DVec2, d: DVec2) -> bool {
    let boxes_meet = a.min(b).cmple(c.max(d)).all() && c.min(d).cmple(a.max(b)).all();
    let straddles = |p, q, r, s| {
        let (first, second) = (orient_2d(p, q, r), orient_2d(p, q, s));
        !((first > 0.0 && second > 0.0) || (first < 0.0 && second < 0.0))
    };
    boxes_meet && straddles(a, b, c, d) && straddles(c, d, a, b)
}

#[cfg(test)]
pub(super) mod oracle;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn corner() -> impl Strategy<Value = [i64; 3]> {
        prop::array::uniform3(-2i64..=2)
    }

    fn real(triangle: [[i64; 3]; 3], scale: f64) -> [DVec3; 3] {
        triangle.map(|corner| DVec3::from_array(corner.map(|c| c as f64 * scale)))
    }

    #[test]
    fn triangles_of_extreme_sizes_meet_as_those_of_size_one_do() {
        let floor = real([[0, 0, 0], [4, 0, 0], [0, 4, 0]], 1.0);
        let piercing = real([[1, 1, -1], [1, 1, 1], [2, 1, 1]], 1.0);
        let above = real([[1, 1, 1], [1, 1, 2], [2, 1, 2]], 1.0);
        for scale in [1e-200, 1e-108, 1e103, 1e200] {
            let scaled = |triangle: [DVec3; 3]| triangle.map(|corner| corner * scale);
            assert!(triangles_intersect(scaled(floor), scaled(piercing)), "at {scale}");
            assert!(!triangles_intersect(scaled(floor), scaled(above)), "at {scale}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(6000))]

        #[test]
        fn small_integer_triangles_agree_with_exact_clipping(a in prop::array::uniform3(corner()),
                                                             b in prop::array::uniform3(corner()),
                                                             flat in 0..4usize, scale in prop_oneof![Just(1.0), Just(0.1)]) {
            // A quarter of the cases each lie in a plane of one axis.
            let flatten = |mut triangle: [[i64; 3]; 3]| {
                if flat < 3 { for corner in &mut triangle { corner[flat] = 1; } }
                triangle
            };
            let (a, b) = (flatten(a), flatten(b));
            let expected = oracle::triangles_meet(a, b);
            prop_assert_eq!(triangles_intersect(real(a, 1.0), real(b, 1.0)), expected);
            prop_assert_eq!(triangles_intersect(real(b, 1.0), real(a, 1.0)), expected);
            // Scaling by what is not a power of two rounds, but equal integers stay equal and zero stays zero.
            let rounded = triangles_intersect(real(a, scale), real(b, scale));
            prop_assert_eq!(rounded, triangles_intersect(real(b, scale), real(a, scale)));
        }
    }
}
