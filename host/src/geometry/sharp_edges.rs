//! The edges and corners of a surface that one would cut one's finger on.

use glam::DVec3;

use super::TriMesh;
use super::edge_sides::{edge_sides, edges};
use super::identical::first_of_identical;

/// The sharp edges of a surface, and the points where they end, meet or turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SharpEdges {
    /// The two ends of each edge.
    pub(crate) edges: Vec<[DVec3; 2]>,
    /// Where an edge does not simply go on.
    pub(crate) corners: Vec<DVec3>,
}

/// Finds the edges at which a surface turns by more than an angle, in radians. Vertices at one position are one; triangles
/// without area have no say.
pub(crate) fn sharp_edges(mesh: &TriMesh, angle: f64) -> SharpEdges {
    let same = first_of_identical(&mesh.positions);
    let triangles: Vec<[u32; 3]> =
        mesh.triangles.iter().map(|triangle| triangle.map(|vertex| same[vertex as usize])).collect();
    let normal = |triangle: u32| {
        let [a, b, c] = mesh.corners(triangle as usize);
        (b - a).cross(c - a).normalize_or_zero()
    };
    let mut sharp = SharpEdges::default();
    // At each vertex, the directions of the sharp edges there: how many, and their sum.
    let mut ends = vec![(0u32, DVec3::ZERO); mesh.positions.len()];
    for sides in edges(&edge_sides(&triangles, mesh.positions.len())) {
        let normals = sides.iter().map(|side| normal(side.triangle())).filter(|normal| *normal != DVec3::ZERO);
        let normals: Vec<DVec3> = normals.collect();
        let turns =
            |(number, one): (usize, &DVec3)| normals[..number].iter().any(|other| one.angle_between(*other) > angle);
        if normals.iter().enumerate().any(turns) {
            let [low, high] = [sides[0].low, sides[0].high].map(|vertex| mesh.positions[vertex as usize]);
            sharp.edges.push([low, high]);
            let direction = (high - low).normalize_or_zero();
            for (vertex, direction) in [(sides[0].low, direction), (sides[0].high, -direction)] {
                ends[vertex as usize].0 += 1;
                ends[vertex as usize].1 += direction;
            }
        }
    }
    // Two edges that go on straight have directions that cancel.
    let turn = 2.0 * (0.5 * angle).sin();
    let is_corner = |&(_, &(count, sum)): &(usize, &(u32, DVec3))| count > 0 && (count != 2 || sum.length() > turn);
    sharp.corners = ends.iter().enumerate().filter(is_corner).map(|(vertex, _)| mesh.positions[vertex]).collect();
    sharp
}

#[cfg(test)]
mod tests {
    use super::super::shapes::{self, Cylinder, Sphere};
    use super::*;

    #[test]
    fn boxes_have_twelve_edges_and_cylinders_two_rims() {
        let angle = 40f64.to_radians();
        let cuboid = sharp_edges(&shapes::cuboid(DVec3::ONE), angle);
        assert_eq!((cuboid.edges.len(), cuboid.corners.len()), (12, 8));
        let divided = sharp_edges(&shapes::subdivided_cuboid(DVec3::ONE, [3, 4, 5]).unwrap(), angle);
        assert_eq!((divided.edges.len(), divided.corners.len()), (48, 8));
        let cylinder = sharp_edges(&Cylinder { sides: 20, ..Cylinder::default() }.mesh().unwrap(), angle);
        assert_eq!((cylinder.edges.len(), cylinder.corners.len()), (40, 0));
        assert_eq!(sharp_edges(&Sphere::default().mesh().unwrap(), angle), SharpEdges::default());
    }
}
