//! What is right and wrong with a mesh.

mod text;
mod topology;

use glam::DVec3;
use serde::Serialize;

use super::edge_sides::names_twice;
use super::identical::first_of_identical;
use super::triangle_intersection::is_degenerate;
use super::{Aabb, TriMesh, TrianglePair, self_intersections};
use topology::Topology;

/// How many self-intersections a report lists.
const LISTED: usize = 8;

/// What a report should look for.
#[derive(Clone, Debug, Default)]
pub struct ReportOptions {
    /// Whether to look for triangles that pass through each other, which takes longer than all the rest.
    pub self_intersections: bool,
}

/// What is right and wrong with a mesh.
///
/// Vertices at the very same position count as one wherever the question is what is connected, because many formats
/// split them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MeshReport {
    /// How many vertices there are.
    pub vertices: usize,
    /// How many triangles.
    pub triangles: usize,
    /// How many different positions the vertices have.
    pub distinct_positions: usize,
    /// Vertices with a coordinate that is infinite or not a number.
    pub non_finite_vertices: usize,
    /// Triangles that name a vertex which is not there; nothing below counts them.
    pub invalid_triangles: usize,

    /// Whether the surface is closed and says what is inside: every edge has as many sides one way as the other.
    pub watertight: bool,
    /// Whether every edge has at most two sides and the triangles around every vertex form one fan.
    pub manifold: bool,
    /// Whether neighbours agree on which side is out: no edge of two sides has them run the same way.
    pub oriented: bool,

    /// How many edges there are.
    pub edges: usize,
    /// Edges with one side.
    pub border_edges: usize,
    /// Connected pieces of border: holes, as a rule.
    pub border_loops: usize,
    /// Edges with more than two sides.
    pub non_manifold_edges: usize,
    /// Edges with two sides that run the same way.
    pub misoriented_edges: usize,
    /// Vertices whose triangles do not form one fan, or which are on an edge with more than two sides.
    pub non_manifold_vertices: usize,

    /// Pieces of surface that hang together by edges.
    pub components: usize,
    /// Those that are watertight on their own.
    pub closed_components: usize,
    /// Those of the closed ones with a negative volume: cavities, or shells that are inside out.
    pub inward_components: usize,
    /// Handles, over all components; known if all are closed, manifold and oriented.
    pub genus: Option<usize>,

    /// Triangles without area, exactly: two corners at one position, or three in line.
    pub degenerate_triangles: usize,
    /// Triangles whose three vertices an earlier one has already, in any order.
    pub duplicate_triangles: usize,
    /// Triangles that pass through each other, if that was asked for.
    pub self_intersections: Option<SelfIntersections>,

    /// The enclosed volume; known if the mesh is watertight.
    pub volume: Option<f64>,
    /// The area of all triangles.
    pub area: f64,
    /// The lowest and the highest corner of the box around the finite vertices, if there are any.
    pub bounds: Option<[[f64; 3]; 2]>,
}

/// Triangles that pass through each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SelfIntersections {
    /// How many pairs there are.
    pub pairs: usize,
    /// The first few.
    pub first: Vec<TrianglePair>,
}

/// Looks a mesh over. Takes any mesh, even one that [`TriMesh::check`] rejects.
///
/// ```
/// use fracas::geometry::{ReportOptions, mesh_report, shapes};
/// use glam::DVec3;
///
/// let mut mesh = shapes::cuboid(DVec3::ONE);
/// let report = mesh_report(&mesh, &ReportOptions::default());
/// assert!(report.watertight && report.solid_problem().is_none());
/// mesh.triangles.pop();
/// let report = mesh_report(&mesh, &ReportOptions::default());
/// assert_eq!((report.border_edges, report.border_loops), (3, 1));
/// ```
pub fn mesh_report(mesh: &TriMesh, options: &ReportOptions) -> MeshReport {
    let same = first_of_identical(&mesh.positions);
    let mut invalid_triangles = 0;
    let triangles: Vec<[u32; 3]> = mesh
        .triangles
        .iter()
        .map(|triangle| {
            if triangle.iter().any(|&vertex| vertex as usize >= same.len()) {
                invalid_triangles += 1;
                // Numbers stay those of the input; a triangle of one vertex is part of nothing.
                return [0; 3];
            }
            triangle.map(|vertex| same[vertex as usize])
        })
        .collect();
    let bounds = Aabb::of_points(mesh.positions.iter().copied().filter(|position| position.is_finite()));
    let topology = Topology::new(&triangles, mesh.positions.len());
    let (component_volumes, area) = measure(mesh, &triangles, &topology, &bounds);
    let corners = |triangle: [u32; 3]| triangle.map(|vertex| mesh.positions[vertex as usize]);
    let is_degenerate = |triangle: [u32; 3]| names_twice(triangle) || is_degenerate(corners(triangle));
    let closed = topology.components.iter().filter(|component| component.watertight).count();
    let watertight = closed == topology.components.len() && closed > 0;
    let inward = |(component, volume): &(&topology::Component, &f64)| component.watertight && **volume < 0.0;
    MeshReport {
        vertices: mesh.positions.len(),
        triangles: mesh.triangles.len(),
        distinct_positions: same.iter().enumerate().filter(|&(vertex, &first)| vertex as u32 == first).count(),
        non_finite_vertices: mesh.positions.iter().filter(|position| !position.is_finite()).count(),
        invalid_triangles,
        watertight,
        manifold: topology.non_manifold_edges == 0 && topology.non_manifold_vertices == 0,
        oriented: topology.misoriented_edges == 0,
        edges: topology.edges,
        border_edges: topology.border_edges,
        border_loops: topology.border_loops,
        non_manifold_edges: topology.non_manifold_edges,
        misoriented_edges: topology.misoriented_edges,
        non_manifold_vertices: topology.non_manifold_vertices,
        components: topology.components.len(),
        closed_components: closed,
        inward_components: topology.components.iter().zip(&component_volumes).filter(inward).count(),
        genus: topology
            .components
            .iter()
            .map(|component| component.genus)
            .sum::<Option<usize>>()
            .filter(|_| closed > 0),
        degenerate_triangles: triangles.iter().filter(|&&t| is_degenerate(t)).count() - invalid_triangles,
        duplicate_triangles: topology.duplicate_triangles,
        self_intersections: options.self_intersections.then(|| {
            let pairs = self_intersections(mesh);
            SelfIntersections { pairs: pairs.len(), first: pairs.into_iter().take(LISTED).collect() }
        }),
        volume: watertight.then(|| component_volumes.iter().sum()),
        area,
        bounds: (!bounds.is_empty()).then(|| [bounds.min.to_array(), bounds.max.to_array()]),
    }
}

/// The signed volume of each component, and the area of all.
fn measure(mesh: &TriMesh, triangles: &[[u32; 3]], topology: &Topology, bounds: &Aabb) -> (Vec<f64>, f64) {
    let reference = bounds.center();
    let mut volumes = vec![0.0; topology.components.len()];
    let mut area = 0.0;
    for (triangle, &component) in triangles.iter().zip(&topology.component_of) {
        if names_twice(*triangle) {
            continue;
        }
        let [a, b, c]: [DVec3; 3] = triangle.map(|vertex| mesh.positions[vertex as usize] - reference);
        volumes[component as usize] += a.dot(b.cross(c)) / 6.0;
        area += 0.5 * (b - a).cross(c - a).length();
    }
    (volumes, area)
}

#[cfg(test)]
mod tests;
