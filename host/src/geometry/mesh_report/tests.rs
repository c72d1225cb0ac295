use glam::{DAffine3, DVec3};

use super::{MeshReport, ReportOptions, mesh_report};
use crate::geometry::{TriMesh, shapes};

fn full(mesh: &TriMesh) -> MeshReport {
    mesh_report(mesh, &ReportOptions { self_intersections: true })
}

/// A torus of quads, cut into triangles.
pub(crate) fn torus(around: u32, across: u32) -> TriMesh {
    let angle = |i: u32, count: u32| std::f64::consts::TAU * f64::from(i) / f64::from(count);
    let mut mesh = TriMesh::default();
    for i in 0..around {
        for j in 0..across {
            let (u, v) = (angle(i, around), angle(j, across));
            let radius = 2.0 + 0.7 * v.cos();
            mesh.positions.push(DVec3::new(radius * u.cos(), radius * u.sin(), 0.7 * v.sin()));
            let at = |i: u32, j: u32| (i % around) * across + j % across;
            mesh.triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            mesh.triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    mesh
}

fn shifted(mesh: TriMesh, by: f64) -> TriMesh {
    mesh.transformed(&DAffine3::from_translation(DVec3::splat(by)))
}

/// Every triangle with three vertices of its own.
fn soup(mesh: &TriMesh) -> TriMesh {
    let positions: Vec<DVec3> = mesh.iter_corners().flatten().collect();
    let triangles = (0..mesh.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    TriMesh::new(positions, triangles)
}

#[test]
fn a_torus_is_a_solid_with_a_handle_even_as_a_soup() {
    for mesh in [torus(24, 12), soup(&torus(24, 12))] {
        let report = full(&mesh);
        assert_eq!((report.distinct_positions, report.edges), (288, 864));
        assert!(report.watertight && report.manifold && report.oriented);
        assert_eq!((report.components, report.closed_components, report.genus), (1, 1, Some(1)));
        assert_eq!((report.degenerate_triangles, report.duplicate_triangles), (0, 0));
        assert_eq!(report.self_intersections.as_ref().unwrap().pairs, 0);
        assert_eq!(report.solid_problem(), None);
        assert!((report.volume.unwrap() - mesh.volume()).abs() < 1e-9);
        assert!((report.area - mesh.area()).abs() < 1e-9);
    }
}

#[test]
fn what_is_wrong_is_counted() {
    let mut mesh = torus(24, 12);
    mesh.triangles.swap_remove(0);
    mesh.triangles.swap_remove(100);
    let report = full(&mesh);
    assert_eq!((report.border_edges, report.border_loops, report.watertight), (6, 2, false));
    assert_eq!((report.genus, report.volume), (None, None));
    assert!(report.solid_problem().unwrap().contains("6 border edges in 2 border loops"));

    let mut mesh = torus(24, 12);
    mesh.triangles[7].swap(0, 1);
    let report = full(&mesh);
    assert_eq!((report.misoriented_edges, report.oriented, report.manifold), (3, false, true));
    assert!(report.solid_problem().unwrap().ends_with("at 3 edges; a repair can turn them"));

    let mut mesh = torus(24, 12);
    let [a, b, c] = mesh.triangles[5];
    mesh.triangles.extend([[b, c, a], [b, a, c], [a, a, b]]);
    let report = full(&mesh);
    assert_eq!((report.duplicate_triangles, report.degenerate_triangles), (2, 1));
    assert_eq!((report.non_manifold_edges, report.non_manifold_vertices), (3, 3));
    assert_eq!(report.self_intersections.unwrap().first, [[5, 576], [5, 577], [576, 577]]);

    let mut mesh = torus(24, 12);
    for triangle in &mut mesh.triangles {
        triangle.swap(0, 1);
    }
    let report = full(&mesh);
    assert_eq!((report.inward_components, report.watertight), (1, true));
    assert!(report.solid_problem().unwrap().contains("inside out"));
}

#[test]
fn shells_that_touch_at_a_vertex_or_edge_are_told_apart_from_clean_ones() {
    let cube = || shapes::cuboid(DVec3::ONE);
    let mut at_vertex = cube();
    at_vertex.append(&shifted(cube(), 1.0));
    let report = full(&at_vertex);
    assert_eq!((report.components, report.closed_components, report.non_manifold_vertices), (2, 2, 1));
    assert!(report.watertight && !report.manifold);
    assert_eq!((report.genus, report.solid_problem()), (None, None));

    let mut at_edge = cube();
    at_edge.append(&cube().transformed(&DAffine3::from_translation(DVec3::new(1.0, 1.0, 0.0))));
    let report = full(&at_edge);
    assert_eq!((report.components, report.non_manifold_edges), (1, 1));
    assert!(report.watertight && !report.manifold);

    let mut crossing = cube();
    crossing.append(&shifted(cube(), 0.3));
    let report = full(&crossing);
    assert!(report.manifold && report.genus == Some(0));
    assert!(report.solid_problem().unwrap().contains("passes through itself"));
}

#[test]
fn anything_can_be_reported_on() {
    assert_eq!(full(&TriMesh::default()).solid_problem().unwrap(), "the mesh has no triangles");
    assert_eq!(full(&TriMesh::default()).genus, None);
    // Both sides of everything: closed, but nothing is inside.
    let mut mesh = torus(24, 12);
    mesh.triangles.extend(mesh.triangles.clone().iter().map(|&[a, b, c]| [b, a, c]));
    let report = mesh_report(&mesh, &ReportOptions::default());
    assert!(report.watertight && report.solid_problem().unwrap().contains("encloses nothing"));
    let mut mesh = shapes::cuboid(DVec3::ONE);
    mesh.positions[3].y = f64::INFINITY;
    mesh.triangles.push([0, 1, 8]);
    mesh.triangles.push([4_000_000_000, 1, 8]);
    let report = full(&mesh);
    assert_eq!((report.invalid_triangles, report.non_finite_vertices, report.degenerate_triangles), (2, 1, 0));
    assert!(report.to_string().contains("invalid faces        2"));
    assert!(serde_json::to_string(&report).unwrap().contains("\"invalid_triangles\":2"));
    let nothing_but_bad = TriMesh::new(Vec::new(), vec![[0, 1, 2]]);
    assert_eq!(full(&nothing_but_bad).invalid_triangles, 1);
}

#[test]
fn problems_name_no_command_line_flags_and_advise_only_repairs_that_help() {
    let mut open = torus(24, 12);
    open.triangles.pop();
    let mut crossing = shapes::cuboid(DVec3::ONE);
    crossing.append(&shifted(shapes::cuboid(DVec3::ONE), 0.3));
    let mut missing = torus(24, 12);
    missing.triangles.push([0, 1, 5000]);
    let mut flat = torus(24, 12);
    for position in &mut flat.positions {
        position.z = 0.0;
    }
    let mut inward = torus(24, 12);
    for triangle in &mut inward.triangles {
        triangle.swap(0, 1);
    }
    for (mesh, helps) in [(open, true), (crossing, false), (missing, false), (flat, false), (inward, true)] {
        let report = full(&mesh);
        let problem = report.solid_problem().unwrap();
        assert!(!problem.contains("--"), "{problem}");
        assert_eq!(report.repair_may_help(), helps, "{problem}");
        assert_eq!(problem.contains("a repair can"), helps, "{problem}");
    }
}
