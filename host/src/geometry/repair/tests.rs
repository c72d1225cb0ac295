use glam::{DAffine3, DVec3, Vec2};
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
fn welding_says_what_it_did_and_keeps_the_first_attributes() {
    let mut mesh = soup(&ball(6, 8, 1.0), 0.0);
    mesh.uvs = Some((0..mesh.positions.len()).map(|vertex| Vec2::splat(vertex as f32)).collect());
    let repaired = repair(mesh, &RepairOptions { weld: Some(0.0), ..RepairOptions::default() });
    assert_eq!(repaired.changes[0].to_string(), "welded 240 vertices into 42");
    assert_eq!(repaired.changes[1], Repair::RemovedUnreferenced { vertices: 198 });
    assert_eq!(repaired.mesh.uvs.unwrap()[..3], [0.0, 1.0, 2.0].map(Vec2::splat));
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
