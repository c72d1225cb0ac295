use glam::{DAffine3, DVec3, Vec2, Vec3};
use proptest::prelude::*;

use super::{Repair, RepairOptions, repair};
use crate::geometry::mesh_report::{ReportOptions, mesh_report};
use crate::geometry::{MeshReport, TriMesh, shapes};

fn report(mesh: &TriMesh) -> MeshReport {
    mesh_report(mesh, &ReportOptions { self_intersections: true })
}

/// A ball of a latitude-longitude grid, with a material number per triangle.
fn ball(rings: u32, segments: u32, radius: f64) -> TriMesh {
    let mut mesh = TriMesh::default();
    mesh.positions.push(radius * DVec3::Z);
    for ring in 1..rings {
        for segment in 0..segments {
            let polar = std::f64::consts::PI * f64::from(ring) / f64::from(rings);
            let angle = std::f64::consts::TAU * f64::from(segment) / f64::from(segments);
            let direction = DVec3::new(polar.sin() * angle.cos(), polar.sin() * angle.sin(), polar.cos());
            mesh.positions.push(radius * direction);
        }
    }
    mesh.positions.push(-radius * DVec3::Z);
    let last = mesh.positions.len() as u32 - 1;
    let at = |ring: u32, segment: u32| 1 + (ring - 1) * segments + segment % segments;
    for segment in 0..segments {
        mesh.triangles.push([0, at(1, segment), at(1, segment + 1)]);
        for ring in 1..rings - 1 {
            let [a, b] = [at(ring, segment), at(ring + 1, segment)];
            let [c, d] = [at(ring + 1, segment + 1), at(ring, segment + 1)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
        mesh.triangles.push([last, at(rings - 1, segment + 1), at(rings - 1, segment)]);
    }
    mesh.materials = Some((0..mesh.triangles.len() as u32).collect());
    mesh
}

fn soup(mesh: &TriMesh, noise: f64) -> TriMesh {
    let jitter = |corner: usize| noise * DVec3::new((corner % 3) as f64, (corner % 5) as f64, (corner % 7) as f64);
    let positions = mesh.iter_corners().flatten().enumerate().map(|(corner, p)| p + jitter(corner)).collect();
    let triangles = (0..mesh.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    TriMesh { materials: mesh.materials.clone(), ..TriMesh::new(positions, triangles) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_broken_ball_is_mended(
        removed in prop::collection::btree_set(0usize..448, 0..30),
        turned in prop::collection::btree_set(0usize..448, 0..60),
        doubled in prop::collection::vec(0usize..448, 0..20),
        noise in prop_oneof![Just(0.0), Just(1e-8)],
    ) {
        let whole = ball(15, 16, 2.0);
        let mut broken = whole.clone();
        for &triangle in &turned {
            broken.triangles[triangle].swap(1, 2);
        }
        for &triangle in &doubled {
            let again = broken.triangles[triangle];
            broken.triangles.push(again);
            broken.materials.as_mut().unwrap().push(7);
        }
        // Duplicates of what is removed go too, or nothing would be missing.
        let gone: Vec<[u32; 3]> = removed.iter().map(|&t| broken.triangles[t]).collect();
        let keep: Vec<bool> = broken.triangles.iter().map(|t| !gone.contains(t)).collect();
        super::retain_triangles(&mut broken, &keep);
        let repaired = repair(soup(&broken, noise), &RepairOptions::default());
        prop_assert_eq!(repaired.mesh.check(), Ok(()));
        let found = report(&repaired.mesh);
        prop_assert!(found.watertight && found.oriented, "{:?}\n{}", repaired.changes, found);
        prop_assert_eq!((found.degenerate_triangles, found.duplicate_triangles), (0, 0));
        let volume = whole.volume();
        prop_assert!((found.volume.unwrap() - volume).abs() < 0.15 * volume, "{} {}", found.volume.unwrap(), volume);
        prop_assert_eq!(repaired.mesh.materials.as_ref().unwrap().len(), repaired.mesh.triangles.len());
        // What is mended stays as it is.
        let again = repair(repaired.mesh.clone(), &RepairOptions::default());
        prop_assert_eq!(again.changes, []);
        prop_assert_eq!(again.mesh, repaired.mesh);
    }
}

#[test]
fn welding_says_what_it_did_and_keeps_attributes() {
    let mut mesh = soup(&ball(6, 8, 1.0), 0.0);
    let uvs: Vec<Vec2> = mesh.positions.iter().map(|position| position.truncate().as_vec2()).collect();
    mesh.uvs = Some(uvs.clone());
    let repaired = repair(mesh, &RepairOptions { weld: Some(0.0), ..RepairOptions::default() });
    assert_eq!(repaired.changes[0].to_string(), "welded 240 vertices into 42");
    assert_eq!(repaired.changes[1], Repair::RemovedUnreferenced { vertices: 198 });
    assert_eq!(repaired.mesh.uvs.unwrap()[..3], uvs[..3]);
    assert_eq!(repaired.mesh.triangles.len(), 80);
}

#[test]
fn a_welded_vertex_is_the_first_within_the_radius_whatever_the_cell() {
    let mut positions = Vec::new();
    for i in 0..4000u32 {
        let fraction = |prime: u32| f64::from(i.wrapping_mul(prime) % 1009) / 1009.0;
        positions.push(DVec3::new(fraction(7919), fraction(104_729), fraction(1_299_709)));
    }
    let triangles: Vec<[u32; 3]> = (0..1333).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let mesh = TriMesh::new(positions.clone(), triangles);
    for tolerance in [0.003, 0.02, 0.2] {
        let radius = tolerance * mesh.aabb().diagonal();
        let mut kept: Vec<usize> = Vec::new();
        let mut expected = Vec::new();
        for vertex in 0..positions.len() {
            let near =
                kept.iter().copied().find(|&k| positions[k].distance_squared(positions[vertex]) <= radius * radius);
            expected.push(near.unwrap_or(vertex) as u32);
            if near.is_none() {
                kept.push(vertex);
            }
        }
        let mut welded = mesh.clone();
        super::weld::weld(&mut welded, tolerance);
        for (triangle, corners) in welded.triangles.iter().enumerate() {
            assert_eq!(*corners, mesh.triangles[triangle].map(|vertex| expected[vertex as usize]));
        }
    }
}

#[test]
fn shells_face_out_and_cavities_stay() {
    let inside_out = |mut mesh: TriMesh| {
        for triangle in &mut mesh.triangles {
            triangle.swap(1, 2);
        }
        mesh
    };
    // A ball in a cavity of a shell, the outer one and the innermost inside out.
    let mut mesh = inside_out(ball(10, 12, 3.0));
    mesh.append(&inside_out(ball(8, 9, 2.0)));
    mesh.append(&inside_out(ball(6, 8, 1.0)));
    let repaired = repair(mesh.clone(), &RepairOptions::default());
    assert_eq!(repaired.changes, [Repair::TurnedShells { shells: 2 }]);
    let expected = ball(10, 12, 3.0).volume() - ball(8, 9, 2.0).volume() + ball(6, 8, 1.0).volume();
    assert!((repaired.mesh.volume() - expected).abs() < 1e-9);
    // A part of its own within another stays so.
    let mut mesh = ball(10, 12, 3.0);
    mesh.append(&ball(6, 8, 1.0));
    assert_eq!(repair(mesh, &RepairOptions::default()).changes, []);
}

#[test]
fn triangles_in_line_go_without_leaving_a_hole() {
    // A box one of whose edges has a vertex on it, which only one of the two faces knows of; a triangle in line closes
    // the gap.
    let mut mesh = shapes::cuboid(DVec3::ONE);
    let [a, b, c] = mesh.triangles[0];
    let middle = mesh.positions.len() as u32;
    mesh.positions.push(0.5 * (mesh.positions[a as usize] + mesh.positions[b as usize]));
    mesh.triangles[0] = [a, middle, c];
    mesh.triangles.extend([[middle, b, c], [a, b, middle]]);
    mesh.materials = None;
    let before = report(&mesh);
    assert_eq!((before.watertight, before.degenerate_triangles), (true, 1));
    let repaired = repair(mesh, &RepairOptions { hole_edges: 0, ..RepairOptions::default() });
    assert_eq!(repaired.changes, [Repair::RemovedDegenerate { triangles: 1 }]);
    let after = report(&repaired.mesh);
    assert!(after.watertight && after.degenerate_triangles == 0 && after.triangles == 14);
    assert!((after.volume.unwrap() - 1.0).abs() < 1e-12);
}

#[test]
fn faces_back_to_back_cancel_unless_they_are_all_there_is() {
    let mut mesh = shapes::cuboid(DVec3::ONE);
    mesh.positions.push(DVec3::new(0.0, 0.0, 2.0));
    mesh.triangles.extend([[0, 1, 8], [1, 0, 8]]);
    mesh.materials = None;
    let repaired = repair(mesh, &RepairOptions::default());
    assert_eq!(repaired.changes[0].to_string(), "removed 2 duplicate triangles");
    assert_eq!(repaired.mesh.triangles.len(), 12);
    let mut double_sided = shapes::cuboid(DVec3::ONE);
    let backs: Vec<[u32; 3]> = double_sided.triangles.iter().map(|&[a, b, c]| [b, a, c]).collect();
    double_sided.triangles.extend(backs);
    double_sided.materials = None;
    assert!((repair(double_sided, &RepairOptions::default()).mesh.volume() - 1.0).abs() < 1e-12);
}

#[test]
fn two_holes_that_meet_at_a_vertex_are_two_holes() {
    let mut mesh = ball(15, 16, 2.0);
    let vertex = 100;
    let around: Vec<usize> =
        (0..mesh.triangles.len()).filter(|&triangle| mesh.triangles[triangle].contains(&vertex)).collect();
    assert_eq!(around.len(), 6);
    let opposite = around
        .iter()
        .copied()
        .find(|&other| mesh.triangles[other].iter().all(|v| *v == vertex || !mesh.triangles[around[0]].contains(v)));
    mesh.triangles.remove(opposite.unwrap().max(around[0]));
    mesh.triangles.remove(opposite.unwrap().min(around[0]));
    mesh.materials = None;
    let repaired = repair(mesh, &RepairOptions::default());
    assert_eq!(repaired.changes, [Repair::FilledHoles { holes: 2, triangles: 2 }]);
    assert!(report(&repaired.mesh).manifold);
}

#[test]
fn a_long_rim_is_filled_and_a_large_one_left() {
    let mut mesh = ball(30, 200, 1.0);
    // The polar cap: a rim of 200 edges.
    let keep: Vec<bool> = mesh.triangles.iter().map(|t| !t.contains(&0)).collect();
    super::retain_triangles(&mut mesh, &keep);
    let repaired = repair(mesh.clone(), &RepairOptions::default());
    assert_eq!(repaired.changes[0], Repair::FilledHoles { holes: 1, triangles: 198 });
    assert!(report(&repaired.mesh).watertight);
    for options in [
        RepairOptions { hole_size: 0.01, ..RepairOptions::default() },
        RepairOptions { hole_edges: 100, ..RepairOptions::default() },
    ] {
        assert_eq!(repair(mesh.clone(), &options).changes, [Repair::RemovedUnreferenced { vertices: 1 }]);
    }
}

#[test]
fn anything_can_be_repaired() {
    let mut mesh = shapes::cuboid(DVec3::ONE);
    mesh.positions.push(DVec3::NAN);
    mesh.triangles.extend([[0, 1, 8], [0, 1, 99]]);
    mesh.materials = Some(vec![0; mesh.triangles.len()]);
    let repaired = repair(mesh, &RepairOptions::default());
    assert_eq!(repaired.changes, [Repair::RemovedInvalid { triangles: 2 }]);
    assert_eq!(repaired.mesh.check(), Ok(()));
    assert!(repair(TriMesh::default(), &RepairOptions::default()).changes.is_empty());
    // A Moebius strip has no outside.
    let mut strip = TriMesh::default();
    for i in 0..12u32 {
        let angle = f64::from(i) * std::f64::consts::TAU / 12.0;
        let across =
            DVec3::new((angle / 2.0).cos() * angle.cos(), (angle / 2.0).cos() * angle.sin(), (angle / 2.0).sin());
        let center = 3.0 * DVec3::new(angle.cos(), angle.sin(), 0.0);
        strip.positions.extend([center - across, center + across]);
        let [a, b] = [2 * i, 2 * i + 1];
        let [c, d] = if i < 11 { [2 * i + 2, 2 * i + 3] } else { [1, 0] };
        strip.triangles.extend([[a, c, b], [b, c, d]]);
    }
    let repaired = repair(strip.clone().transformed(&DAffine3::IDENTITY), &RepairOptions::default());
    assert_eq!(repaired.mesh.check(), Ok(()));
    assert!(!report(&repaired.mesh).oriented);
}

#[test]
fn loose_sheets_get_no_backs() {
    let mut mesh = ball(15, 16, 2.0);
    mesh.materials = None;
    let far = mesh.positions.len() as u32;
    mesh.positions.extend([DVec3::X, DVec3::Y, DVec3::ZERO, DVec3::new(1.0, 1.0, 0.1)]);
    mesh.triangles.extend([[far, far + 1, far + 2], [far + 1, far, far + 3]]);
    assert_eq!(repair(mesh, &RepairOptions::default()).changes, []);
}

/// A unit box one edge of which carries points that only one of its two faces knows of, closed by triangles in line.
fn box_with_chained_triangles_in_line(points: u32) -> TriMesh {
    let mut mesh = shapes::cuboid(DVec3::ONE);
    mesh.materials = None;
    // Edges along an axis have coordinates that are exact.
    let along_axis = |&corner: &usize| {
        let [from, to] = [corner, (corner + 1) % 3].map(|c| mesh.positions[mesh.triangles[0][c] as usize]);
        (to - from).abs().to_array().iter().filter(|&&length| length > 0.0).count() == 1
    };
    let corner = (0..3).find(along_axis).unwrap();
    let [a, b, c] = [0, 1, 2].map(|shift| mesh.triangles[0][(corner + shift) % 3]);
    let (from, to) = (mesh.positions[a as usize], mesh.positions[b as usize]);
    let mut chain = vec![a];
    for point in 1..=points {
        chain.push(mesh.positions.len() as u32);
        mesh.positions.push(from + (to - from) * (f64::from(point) / f64::from(points + 1)));
    }
    chain.push(b);
    mesh.triangles.remove(0);
    mesh.triangles.extend(chain.windows(2).map(|pair| [pair[0], pair[1], c]));
    mesh.triangles.extend(chain[1..].windows(2).map(|pair| [a, pair[1], pair[0]]));
    mesh
}

#[test]
fn chained_triangles_in_line_all_go_and_are_counted_once() {
    for points in [1, 2, 10, 300] {
        let mesh = box_with_chained_triangles_in_line(points);
        let before = report(&mesh);
        assert_eq!((before.watertight, before.degenerate_triangles), (true, points as usize));
        let repaired = repair(mesh, &RepairOptions { hole_edges: 0, ..RepairOptions::default() });
        assert_eq!(repaired.changes, [Repair::RemovedDegenerate { triangles: points as usize }]);
        let after = report(&repaired.mesh);
        assert!(after.watertight && after.manifold && after.degenerate_triangles == 0);
        assert_eq!(after.self_intersections.unwrap().pairs, 0);
        assert!((after.volume.unwrap() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn triangles_in_line_back_to_back_go_too() {
    // Both faces at an edge know of a point on it, but not of the same one.
    let mut mesh = box_with_chained_triangles_in_line(1);
    let in_line = mesh.triangles.len() - 1;
    let [a, b, _] = mesh.triangles[in_line];
    let other = (0..in_line).find(|&t| [a, b].iter().all(|v| mesh.triangles[t].contains(v))).unwrap();
    let middle = mesh.positions.len() as u32;
    mesh.positions.push(mesh.positions[a as usize].lerp(mesh.positions[b as usize], 0.25));
    let halves = [a, b].map(|end| mesh.triangles[other].map(|vertex| if vertex == end { middle } else { vertex }));
    mesh.triangles[other] = halves[0];
    mesh.triangles.extend([halves[1], [b, a, middle]]);
    let before = report(&mesh);
    assert_eq!((before.watertight, before.degenerate_triangles), (true, 2));
    let repaired = repair(mesh, &RepairOptions { hole_edges: 0, ..RepairOptions::default() });
    assert_eq!(repaired.changes, [Repair::RemovedDegenerate { triangles: 2 }]);
    let after = report(&repaired.mesh);
    assert!(after.watertight && after.manifold && after.degenerate_triangles == 0);
}

#[test]
fn bad_models_are_repaired_in_one_go() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/models/bad");
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let Ok(mesh) = crate::geometry::io::read_tri_mesh(&path) else { continue };
        let once = repair(mesh, &RepairOptions::default());
        let twice = repair(once.mesh.clone(), &RepairOptions::default());
        assert_eq!(twice.changes, [], "{} after {:?}", path.display(), once.changes);
        assert_eq!(twice.mesh, once.mesh, "{}", path.display());
    }
}

#[test]
fn an_overlapping_shell_faces_out_whichever_triangle_is_first() {
    let mut inward = shapes::cuboid(DVec3::ONE).transformed(&DAffine3::from_translation(DVec3::new(0.55, 0.31, 0.17)));
    inward.materials = None;
    for triangle in &mut inward.triangles {
        triangle.swap(1, 2);
    }
    for first in 0..inward.triangles.len() {
        let mut rotated = inward.clone();
        rotated.triangles.rotate_left(first);
        let mut mesh = shapes::cuboid(DVec3::ONE);
        mesh.materials = None;
        mesh.append(&rotated);
        let repaired = repair(mesh, &RepairOptions::default());
        assert_eq!(repaired.changes, [Repair::TurnedShells { shells: 1 }]);
        assert_eq!(repaired.changes[0].to_string(), "turned 1 shell that was inside out");
        assert!((repaired.mesh.volume() - 2.0).abs() < 1e-12);
    }
}

/// A unit box whose faces have four vertices each, with the face's normal.
fn box_with_hard_edges() -> TriMesh {
    let shared = shapes::cuboid(DVec3::ONE);
    let mut mesh = TriMesh::default();
    let mut normals: Vec<Vec3> = Vec::new();
    for [a, b, c] in shared.iter_corners() {
        let normal = (b - a).cross(c - a).normalize().as_vec3();
        mesh.triangles.push([a, b, c].map(|position| {
            let known = (0..normals.len()).find(|&v| mesh.positions[v] == position && normals[v] == normal);
            known.unwrap_or_else(|| {
                mesh.positions.push(position);
                normals.push(normal);
                normals.len() - 1
            }) as u32
        }));
    }
    mesh.normals = Some(normals);
    mesh
}

#[test]
fn hard_edges_keep_their_normals() {
    let mesh = box_with_hard_edges();
    assert_eq!(mesh.positions.len(), 24);
    let repaired = repair(mesh.clone(), &RepairOptions::default());
    assert_eq!(repaired.changes, []);
    assert_eq!(repaired.mesh, mesh);
    assert!(report(&repaired.mesh).watertight);
    // Faces that do not quite meet are brought together.
    let mut loose = mesh.clone();
    for (vertex, position) in loose.positions.iter_mut().enumerate() {
        *position += 1e-9 * DVec3::new((vertex % 3) as f64, (vertex % 5) as f64, (vertex % 7) as f64);
    }
    assert!(!report(&loose).watertight);
    let repaired = repair(loose, &RepairOptions::default());
    assert!(matches!(repaired.changes[..], [Repair::MovedTogether { .. }]), "{:?}", repaired.changes);
    assert_eq!((repaired.mesh.positions.len(), &repaired.mesh.normals), (24, &mesh.normals));
    assert!(report(&repaired.mesh).watertight);
}
