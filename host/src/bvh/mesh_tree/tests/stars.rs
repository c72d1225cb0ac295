//! Closed surfaces that are seen from a point within, and some that only look like it.

use super::contacts::Trees;
use super::*;
use crate::ccd::Options;

pub(super) fn ball(frequency: u32) -> TriMesh {
    shapes::Sphere { radius: 1.0, frequency }.mesh().unwrap()
}

/// A ball whose vertices are moved in and out by up to a part of its radius.
fn bumpy(random: &mut Random, ball: &TriMesh, most: f64) -> Vec<DVec3> {
    ball.positions.iter().map(|&place| place * (1.0 + most * (2.0 * random.unit() - 1.0))).collect()
}

/// A closed surface that goes around an axis twice before it closes: seen from the middle every face is in front, and every
/// direction is met two times.
pub(super) fn twice_around(columns: u32, rows: u32, wave: f64) -> TriMesh {
    let at = |row: u32, column: u32| 2 + (row - 1) * columns + column % columns;
    let mut mesh = TriMesh::new(vec![DVec3::Z, -DVec3::Z], Vec::new());
    for row in 1..rows {
        let (high, across) = (std::f64::consts::PI * f64::from(row) / f64::from(rows)).sin_cos();
        for column in 0..columns {
            let (sin, cos) = (2.0 * std::f64::consts::TAU * f64::from(column) / f64::from(columns)).sin_cos();
            let radius = 1.0 + wave * (std::f64::consts::TAU * f64::from(column) / f64::from(columns)).sin();
            mesh.positions.push(radius * DVec3::new(high * cos, high * sin, across));
        }
    }
    for column in 0..columns {
        mesh.triangles.push([0, at(1, column), at(1, column + 1)]);
        mesh.triangles.push([1, at(rows - 1, column + 1), at(rows - 1, column)]);
        for row in 1..rows - 1 {
            let [a, b] = [at(row, column), at(row, column + 1)];
            let [c, d] = [at(row + 1, column), at(row + 1, column + 1)];
            mesh.triangles.extend([[a, c, b], [b, c, d]]);
        }
    }
    mesh
}

#[test]
fn what_is_seen_from_within_is_not_searched() {
    let mut random = Random::new(41);
    let mut tree = MeshTree::new(MeshTreeOptions::default());
    let mesh = ball(6);
    let start = TriMesh::new(bumpy(&mut random, &mesh, 0.2), mesh.triangles.clone());
    let body = tree.add(&start).unwrap();
    for _ in 0..3 {
        // Far away in one step, turned and with other bumps.
        let turn = DQuat::from_rotation_y(0.3 * random.unit());
        let way = 50.0 * random.in_cube();
        let to: Vec<DVec3> = bumpy(&mut random, &mesh, 0.2).iter().map(|&place| turn * place + way).collect();
        tree.move_to(body, &to).unwrap();
        tree.update();
        let (contacts, counts) = tree.contacts(&Options::default()).unwrap();
        assert!(contacts.is_empty() && counts.traversal.overlaps == 0 && counts.traversal.culled == 1);
        assert_eq!(tree.intersections_counted().1.overlaps, 0);
    }
    // A hole lets it see nothing.
    let open = TriMesh::new(mesh.positions.clone(), mesh.triangles[1..].to_vec());
    let mut tree = MeshTree::new(MeshTreeOptions::default());
    tree.add(&open).unwrap();
    tree.update();
    assert!(tree.intersections_counted().1.overlaps > 0);
}

#[test]
fn bodies_that_are_and_are_not_seen_from_within_lose_no_contact() {
    let mut trees = Trees::new();
    let mut random = Random::new(42);
    for round in 0..40 {
        let mesh = ball(1 + round % 4);
        // From what is nearly a ball to what is turned inside out in places, step by step, and back.
        let most = |step: u32| [0.1, 0.5, 0.9, 1.6, 0.4, 0.05][((step + round) % 6) as usize];
        trees.clear();
        let start = TriMesh::new(bumpy(&mut random, &mesh, most(0)), mesh.triangles.clone());
        let body = trees.call(|tree| tree.add(&start)).unwrap();
        for step in 1..6 {
            let to = bumpy(&mut random, &mesh, most(step));
            trees.call(|tree| tree.move_to(body, &to)).unwrap();
            trees.step();
        }
    }
    trees.report("bumpy balls");
    assert!(trees.steps == 200 && trees.contacts > 1000 && trees.tests[1] < trees.tests[0]);
}

#[test]
fn closed_surfaces_that_cover_twice_lose_no_contact() {
    let mut trees = Trees::new();
    let mut random = Random::new(43);
    for _ in 0..30 {
        let (columns, rows) = (10 + 2 * (random.next_u64() % 8) as u32, 3 + (random.next_u64() % 4) as u32);
        // The two layers change places.
        let (wave, after) = (0.3 * random.unit(), -0.3 * random.unit());
        let mesh = twice_around(columns, rows, wave);
        trees.scene(&[(mesh, twice_around(columns, rows, after).positions)]);
    }
    trees.report("closed double covers");
    assert!(trees.contacts > 1000);
}

#[test]
fn bodies_that_fly_together_do_not_meet_for_that() {
    // Two spheres side by side, a thousand times their size in a step, at nearly the same speed.
    let mut tree = MeshTree::new(MeshTreeOptions::default());
    let mesh = ball(8);
    let at =
        |x: f64| -> Vec<DVec3> { mesh.positions.iter().map(|&place| place + DVec3::new(x, 0.1 * x, 0.0)).collect() };
    let one = tree.add(&TriMesh::new(at(0.0), mesh.triangles.clone())).unwrap();
    let other = tree.add(&TriMesh::new(at(2.1), mesh.triangles.clone())).unwrap();
    tree.move_to(one, &at(2000.0)).unwrap();
    tree.move_to(other, &at(2002.2)).unwrap();
    tree.update();
    let (contacts, counts) = tree.contacts(&Options::default()).unwrap();
    assert!(contacts.is_empty() && counts.traversal.triangle_pairs < 100, "{counts:?}");
    // The first overtakes.
    tree.move_to(one, &at(4006.0)).unwrap();
    tree.move_to(other, &at(4002.0)).unwrap();
    tree.update();
    let (contacts, _) = tree.contacts(&Options::default()).unwrap();
    assert_eq!(contacts, tree.brute_force_contacts(&Options::default()).unwrap().0);
    assert!(!contacts.is_empty() && tree.intersections().is_empty());
}
