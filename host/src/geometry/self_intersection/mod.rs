//! Triangles of a mesh that pass through each other.

mod fans;

use glam::DVec3;
use rayon::prelude::*;

use super::identical::first_of_identical;
use super::predicates::{orient_2d, orient_3d, scale_to_one};
use super::triangle_intersection::{
    apart_but_for, is_degenerate, nondegenerate_axis, project, segment_meets_triangle, triangles_meet,
};
use super::{Aabb, TriMesh};
use crate::bvh::Bvh;
use fans::Fans;

/// Two triangles of one mesh, the smaller number first.
pub type TrianglePair = [u32; 2];

/// All pairs of triangles that meet where a surface should not meet itself, sorted.
///
/// Vertices at the very same position are one vertex. Triangles without a common vertex must not even touch; with one
/// in common they must meet there only; with two, along that edge only (they are reported if one is folded onto the
/// other); with three they are the same triangle and reported. Every decision is exact. A triangle without area can
/// have no neighbour folded onto it; otherwise it counts as the segment or point that it is. The size of the mesh does not
/// matter, but what is smaller than the largest coordinate by 1e-100 and more may be lost.
///
/// Triangles with a corner that is missing or not finite are left out.
///
/// ```
/// use fracas::geometry::{self_intersections, shapes};
/// use glam::{DAffine3, DVec3};
///
/// let mut mesh = shapes::cuboid(DVec3::ONE);
/// assert!(self_intersections(&mesh).is_empty());
/// mesh.append(&shapes::cuboid(DVec3::ONE).transformed(&DAffine3::from_translation(DVec3::splat(0.4))));
/// assert!(!self_intersections(&mesh).is_empty());
/// ```
pub fn self_intersections(mesh: &TriMesh) -> Vec<TrianglePair> {
    let same = first_of_identical(&mesh.positions);
    let scaled: Vec<DVec3>;
    let positions = match scale_to_one(&mesh.positions) {
        None => &mesh.positions,
        Some([half, rest]) => {
            scaled = mesh.positions.iter().map(|&position| position * half * rest).collect();
            &scaled
        }
    };
    let position = |vertex: u32| positions.get(vertex as usize).copied().unwrap_or(DVec3::NAN);
    let vertex = |vertex: u32| same.get(vertex as usize).copied().unwrap_or(u32::MAX);
    let triangles: Vec<[u32; 3]> = mesh.triangles.iter().map(|triangle| triangle.map(vertex)).collect();
    let boxes: Vec<Aabb> = triangles
        .iter()
        .map(|t| {
            let corners = t.map(position);
            let finite = corners.iter().all(|corner| corner.is_finite());
            if finite { Aabb::of_points(corners) } else { Aabb::EMPTY }
        })
        .collect();
    // Tested as they are found, because there can be too many to keep.
    let cross = |a: u32, b: u32| cross(triangles[a as usize], triangles[b as usize], position);
    let fans = Fans::new(&triangles, mesh.positions.len());
    let mut pairs = Bvh::build(&boxes).collect_self_pairs_where(|a, b| !fans.have_both(a, b) && cross(a, b));
    pairs.extend(fans.pairs(&triangles, position, cross));
    pairs.par_sort_unstable();
    pairs
}

/// Whether two triangles, given by vertices of which no two share a position, meet beyond what they have in common.
fn cross(a: [u32; 3], b: [u32; 3], position: impl Fn(u32) -> DVec3 + Copy) -> bool {
    let corners = |triangle: [u32; 3]| triangle.map(position);
    // Common vertices, each once: a triangle can name one twice.
    let mut common = [0; 3];
    let mut count = 0;
    for (corner, vertex) in a.into_iter().enumerate() {
        if b.contains(&vertex) && !a[..corner].contains(&vertex) {
            common[count] = vertex;
            count += 1;
        }
    }
    match count {
        0 => triangles_meet(corners(a), corners(b)),
        1 => cross_beyond(a, b, common[0], position),
        2 => folded(a, b, [common[0], common[1]], position),
        _ => true,
    }
}

/// Whether triangles with one common vertex meet elsewhere too.
///
/// From the common vertex to another common point both triangles hold the segment, and going on they hold it until one
/// of them ends, at its far edge. So it is enough to ask whether the far edge of one meets the other.
fn cross_beyond(a: [u32; 3], b: [u32; 3], common: u32, position: impl Fn(u32) -> DVec3 + Copy) -> bool {
    let apex = position(common);
    let far = |triangle: [u32; 3]| {
        let mut others = triangle.into_iter().filter(|&vertex| vertex != common);
        let first = others.next()?;
        Some([position(first), position(others.next().unwrap_or(first))])
    };
    // A triangle that is no more than the vertex meets nothing else.
    let (Some(a), Some(b)) = (far(a), far(b)) else { return false };
    if apart_but_for(apex, a, b) {
        return false;
    }
    let a_sides = a.map(|end| orient_3d(apex, b[0], b[1], end));
    let b_sides = b.map(|end| orient_3d(apex, a[0], a[1], end));
    let apart = |sides: [f64; 2]| (sides[0] > 0.0 && sides[1] > 0.0) || (sides[0] < 0.0 && sides[1] < 0.0);
    if apart(a_sides) && apart(b_sides) {
        return false;
    }
    let (wedge, other) = (Wedge::new(apex, a), Wedge::new(apex, b));
    (!apart(a_sides) && wedge.end_meets(&other)) || (!apart(b_sides) && other.end_meets(&wedge))
}

/// A triangle as seen from a corner: one blade with a far edge, or, without area, two blades that end in points.
struct Wedge {
    blades: [[DVec3; 3]; 2],
    count: usize,
}

impl Wedge {
    fn new(apex: DVec3, [first, second]: [DVec3; 2]) -> Wedge {
        if is_degenerate([apex, first, second]) {
            Wedge { blades: [[apex, first, first], [apex, second, second]], count: 2 }
        } else {
            Wedge { blades: [[apex, first, second]; 2], count: 1 }
        }
    }

    /// Whether a far end of this meets the other.
    fn end_meets(&self, other: &Wedge) -> bool {
        self.blades[..self.count]
            .iter()
            .any(|end| other.blades[..other.count].iter().any(|&blade| segment_meets_triangle(end[1], end[2], blade)))
    }
}

/// Whether triangles with a common edge lie in one plane and on one side of the edge.
fn folded(a: [u32; 3], b: [u32; 3], [from, to]: [u32; 2], position: impl Fn(u32) -> DVec3) -> bool {
    let apex = |triangle: [u32; 3]| triangle.into_iter().find(|&vertex| vertex != from && vertex != to);
    let (Some(a), Some(b)) = (apex(a), apex(b)) else { return false };
    let [from, to, a, b] = [from, to, a, b].map(position);
    if orient_3d(from, to, a, b) != 0.0 {
        return false;
    }
    let Some(axis) = nondegenerate_axis([from, to, a]) else { return false };
    let side = |point: DVec3| orient_2d(project(from, axis), project(to, axis), project(point, axis));
    let (a_side, b_side) = (side(a), side(b));
    (a_side > 0.0 && b_side > 0.0) || (a_side < 0.0 && b_side < 0.0)
}

#[cfg(test)]
mod tests {
    use super::super::shapes;
    use super::super::triangle_intersection::oracle;
    use super::*;
    use glam::DAffine3;
    use proptest::prelude::*;

    /// The documented rule, on integers, without the shortcuts.
    fn expected(positions: &[[i64; 3]], a: [usize; 3], b: [usize; 3]) -> bool {
        let [a, b] = [a, b].map(|triangle| triangle.map(|vertex| positions[vertex]));
        let mut common: Vec<[i64; 3]> = a.into_iter().filter(|corner| b.contains(corner)).collect();
        common.sort_unstable();
        common.dedup();
        match common[..] {
            [] => oracle::triangles_meet(a, b),
            [apex] => oracle::meet_beyond(a, b, apex),
            [p, q] => {
                let cross = |r: [i64; 3]| {
                    let (u, v) = ([0, 1, 2].map(|i| q[i] - p[i]), [0, 1, 2].map(|i| r[i] - p[i]));
                    [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
                };
                let far = |triangle: [[i64; 3]; 3]| triangle.into_iter().find(|corner| ![p, q].contains(corner));
                let (Some(r), Some(s)) = (far(a), far(b)) else { return false };
                let (m, n) = (cross(r), cross(s));
                let parallel = (0..3).all(|i| m[i] * n[(i + 1) % 3] == m[(i + 1) % 3] * n[i]);
                parallel && (0..3).map(|i| m[i] * n[i]).sum::<i64>() > 0
            }
            _ => true,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        #[test]
        fn pairs_follow_the_rule(positions in prop::collection::vec(prop::array::uniform3(-2i64..=2), 4..7),
                                 picks in prop::collection::vec(prop::array::uniform3(0usize..100), 2..5),
                                 flat in prop::bool::ANY) {
            let positions: Vec<[i64; 3]> =
                positions.into_iter().map(|p| if flat { [p[0], p[1], p[0] + p[1]] } else { p }).collect();
            let triangles: Vec<[usize; 3]> = picks.iter().map(|t| t.map(|pick| pick % positions.len())).collect();
            let mesh = TriMesh::new(
                positions.iter().map(|p| DVec3::from_array(p.map(|c| c as f64))).collect(),
                triangles.iter().map(|t| t.map(|vertex| vertex as u32)).collect(),
            );
            let mut pairs = Vec::new();
            for (i, &a) in triangles.iter().enumerate() {
                for (j, &b) in triangles.iter().enumerate().skip(i + 1) {
                    if expected(&positions, a, b) {
                        pairs.push([i as u32, j as u32]);
                    }
                }
            }
            prop_assert_eq!(self_intersections(&mesh), pairs);
        }
    }

    /// All triangles of a cap are around one vertex, and those of a ring in it have large boxes for their size.
    #[test]
    fn caps_of_many_sides_do_not_cross() {
        for (sides, cap_rings) in [(2000, 1), (800, 3)] {
            let cylinder = shapes::Cylinder { sides, cap_rings, ..Default::default() };
            let turned = DAffine3::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
            let mesh = cylinder.mesh().unwrap();
            assert!(self_intersections(&mesh).is_empty());
            assert!(self_intersections(&mesh.transformed(&turned)).is_empty());
        }
    }

    /// Blades of random width around one vertex, some in its plane and some not, against all pairs.
    #[test]
    fn fans_report_what_all_pairs_do() {
        let mut random = crate::random::Random::new(1);
        let mut next = |count: u64| random.next_u64() % count;
        let mut positions = vec![DVec3::ZERO];
        let mut triangles = Vec::new();
        for blade in 0..200u32 {
            for _ in 0..2 {
                let height = if blade % 3 == 0 { next(7) as f64 - 3.0 } else { 0.0 };
                positions.push(DVec3::new(next(41) as f64 - 20.0, next(41) as f64 - 20.0, height));
            }
            triangles.push([0, 2 * blade + 1, 2 * blade + 2]);
        }
        let mesh = TriMesh::new(positions, triangles);
        let found = self_intersections(&mesh);
        let mut expected = Vec::new();
        for a in 0..200u32 {
            for b in a + 1..200 {
                let [first, second] = [a, b].map(|triangle| mesh.triangles[triangle as usize]);
                let pair = TriMesh::new(mesh.positions.clone(), vec![first, second]);
                if !self_intersections(&pair).is_empty() {
                    expected.push([a, b]);
                }
            }
        }
        assert!(expected.len() > 100 && expected.len() < 15_000, "{}", expected.len());
        assert_eq!(found, expected);
    }

    #[test]
    fn a_cube_of_extreme_size_does_not_intersect_itself() {
        for scale in [1e-300, 1e-108, 1e-40, 1e40, 1e103, 1e300] {
            let mut mesh = shapes::cuboid(DVec3::ONE);
            mesh.append(&mesh.clone().transformed(&DAffine3::from_translation(DVec3::splat(3.0))));
            mesh = mesh.transformed(&DAffine3::from_scale(DVec3::splat(scale)));
            assert_eq!(self_intersections(&mesh), [[0; 2]; 0], "at {scale}");
            mesh.append(&mesh.clone().transformed(&DAffine3::from_translation(DVec3::splat(0.25 * scale))));
            assert!(!self_intersections(&mesh).is_empty(), "at {scale}");
        }
    }

    #[test]
    fn corners_that_are_missing_or_not_finite_are_left_out() {
        let mut mesh = shapes::cuboid(DVec3::ONE);
        mesh.positions[0].x = f64::NAN;
        mesh.triangles.push([1, 2, 99]);
        assert!(self_intersections(&mesh).is_empty());
    }
}
