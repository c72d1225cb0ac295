//! Faces of any size as triangles.

use glam::DVec3;

use crate::geometry::{PolyMesh, triangulate_face};

/// The largest face that need not be convex. Cutting such a face up may take time with the square of its corners, and
/// no file may take hours.
const MOST_CORNERS: usize = 1 << 14;

/// Appends the triangles of a face, as corner numbers of the face counted from zero.
///
/// A convex face becomes a fan, which needs no search; any other goes through [`triangulate_face`]. A face without
/// area, which has no inside to keep to, also becomes a fan, so that no face of the file is lost.
pub(super) fn triangulate(positions: &[DVec3], triangles: &mut Vec<[u32; 3]>) -> Result<(), String> {
    let corners = positions.len();
    match corners {
        0..3 => return Err(format!("a face has {corners} corners, but needs at least 3")),
        3 => {
            triangles.push([0, 1, 2]);
            return Ok(());
        }
        _ => {}
    }
    if !is_strictly_convex(positions) {
        if corners > MOST_CORNERS {
            return Err(format!(
                "a face that is not convex has {corners} corners, but at most {MOST_CORNERS} are taken; cut it up first"
            ));
        }
        let mut face = PolyMesh { positions: positions.to_vec(), ..PolyMesh::default() };
        let contour: Vec<u32> = (0..corners as u32).collect();
        face.push_face(&[&contour], 0);
        let inner = triangulate_face(&face, 0);
        if !inner.is_empty() {
            triangles.extend(inner);
            return Ok(());
        }
    }
    triangles.extend((1..corners as u32 - 1).map(|corner| [0, corner, corner + 1]));
    Ok(())
}

/// Whether all corners turn the same way and the fan from the first one does not fold: a star turns one way too.
fn is_strictly_convex(positions: &[DVec3]) -> bool {
    let corners = positions.len();
    let apex = positions[0];
    let fan = |corner: usize| (positions[corner] - apex).cross(positions[corner + 1] - apex);
    let normal: DVec3 = (1..corners - 1).map(fan).sum();
    (1..corners - 1).all(|corner| fan(corner).dot(normal) > 0.0)
        && (0..corners).all(|corner| {
            let before = positions[(corner + corners - 1) % corners];
            let after = positions[(corner + 1) % corners];
            (positions[corner] - before).cross(after - positions[corner]).dot(normal) > 0.0
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(positions: &[DVec3]) -> (f64, usize) {
        let mut triangles = Vec::new();
        triangulate(positions, &mut triangles).unwrap();
        let sum = triangles
            .iter()
            .map(|corners| corners.map(|corner| positions[corner as usize]))
            .map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length())
            .sum();
        (sum, triangles.len())
    }

    fn flat(points: &[(f64, f64)]) -> Vec<DVec3> {
        points.iter().map(|&(x, y)| DVec3::new(x, y, 0.5 * x)).collect()
    }

    #[test]
    fn convex_faces_become_fans() {
        let circle: Vec<DVec3> = (0..100_000)
            .map(|i| glam::DVec2::from_angle(f64::from(i) * std::f64::consts::TAU / 1e5).extend(1.0))
            .collect();
        let (sum, count) = area(&circle);
        assert_eq!(count, 99_998);
        assert!((sum - std::f64::consts::PI).abs() < 1e-6);
    }

    // Needs the real `triangulate_face`: an arrowhead and a comb, cut up inside their outlines.
    #[test]
    fn concave_faces_stay_inside_their_outline() {
        let slope = 1.25_f64.sqrt();
        let arrow = flat(&[(2.0, 0.0), (0.5, 0.5), (0.0, 2.0), (0.0, 0.0)]);
        let (sum, count) = area(&arrow);
        assert_eq!(count, 2);
        assert!((sum - 1.0 * slope).abs() < 1e-12, "{sum}");
        let comb =
            flat(&[(0.0, 0.0), (5.0, 0.0), (5.0, 2.0), (4.0, 2.0), (4.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)]);
        let (sum, count) = area(&comb);
        assert_eq!(count, 6);
        assert!((sum - 7.0 * slope).abs() < 1e-12, "{sum}");
    }

    #[test]
    fn faces_without_area_are_kept_and_small_or_huge_ones_refused() {
        assert_eq!(area(&[DVec3::ZERO; 5]).1, 3);
        assert!(triangulate(&[DVec3::ZERO; 2], &mut Vec::new()).is_err());
        assert!(triangulate(&vec![DVec3::ZERO; MOST_CORNERS + 1], &mut Vec::new()).is_err());
    }
}
