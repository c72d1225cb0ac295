//! Surfaces made to get through the contour test: what meets itself within a patch that looks flat.

use std::collections::{BTreeMap, BTreeSet};

use super::contacts::Trees;
use super::*;

/// A whole number below `most`.
fn pick(random: &mut Random, most: u64) -> u64 {
    random.next_u64() % most
}

/// A ribbon along a curve in the plane that turns at random, nearly flat, with all normals up.
struct Ribbon {
    columns: u32,
    rows: u32,
    /// How far it turns in each of some parts of its length, in half turns.
    turns: Vec<f64>,
    width: f64,
    wave: DVec3,
}

impl Ribbon {
    fn mesh(&self) -> TriMesh {
        let mut spine = vec![(DVec3::ZERO, 0.0f64)];
        for column in 0..self.columns {
            let part = (column as usize * self.turns.len()) / self.columns as usize;
            let (place, angle) = spine[column as usize];
            let angle =
                angle + std::f64::consts::PI * self.turns[part] * self.turns.len() as f64 / f64::from(self.columns);
            let step = DVec3::new(angle.cos(), angle.sin(), 0.0) * 6.0 / f64::from(self.columns);
            spine.push((place + step, angle));
        }
        sheet(self.columns, self.rows, |u, v| {
            let (place, angle) = spine[(u * f64::from(self.columns)).round() as usize];
            let across = DVec3::new(-angle.sin(), angle.cos(), 0.0);
            let height = 0.02 * (self.wave.x + 9.0 * self.wave.y * u + 3.0 * self.wave.z * v).sin();
            place + self.width * (v - 0.5) * across + DVec3::Z * height
        })
    }
}

#[test]
fn ribbons_that_wind_in_a_plane_lose_no_contact() {
    let mut trees = Trees::new();
    let mut random = Random::new(31);
    for _ in 0..100 {
        let parts = 1 + pick(&mut random, 4) as usize;
        let turns: Vec<f64> = (0..parts).map(|_| 5.0 * random.unit() - 2.5).collect();
        let ribbon = Ribbon {
            columns: 16 + pick(&mut random, 40) as u32,
            rows: 1 + pick(&mut random, 3) as u32,
            turns,
            width: 0.1 + 0.5 * random.unit(),
            wave: 3.0 * random.in_cube(),
        };
        let speed = [0.02, 0.3, 1.0][pick(&mut random, 3) as usize];
        let turns = ribbon.turns.iter().map(|turn| turn + speed * (2.0 * random.unit() - 1.0)).collect();
        let after = Ribbon { turns, wave: ribbon.wave + speed * random.in_cube(), ..ribbon };
        let before = Ribbon { turns: ribbon.turns.clone(), ..after };
        trees.scene(&[(before.mesh(), after.mesh().positions)]);
    }
    trees.report("ribbons");
    assert!(trees.contacts > 5000 && trees.undecided == 0 && trees.tests[1] < trees.tests[0]);
}

#[test]
fn surfaces_that_cover_twice_lose_no_contact() {
    let mut trees = Trees::new();
    let mut random = Random::new(32);
    for _ in 0..60 {
        let mesh = double_cover(6 + 2 * pick(&mut random, 10) as u32, 1 + pick(&mut random, 5) as u32);
        let (speed, shift) = ([0.01, 0.1, 0.5][pick(&mut random, 3) as usize], random.in_cube());
        let to = mesh.positions.iter().map(|&p| p + speed * (shift * p.length() + 0.3 * random.in_cube())).collect();
        trees.scene(&[(mesh, to)]);
    }
    trees.report("double covers");
    assert!(trees.contacts > 1000);
}

/// The same with the point that all turns around well inside of a part of the tree: no border of the mesh is in it, all
/// normals point up, and it crosses itself. This is what the paper's cones miss.
#[test]
fn what_crosses_itself_inside_of_a_patch_is_found() {
    let mut trees = Trees::new();
    let mut mesh = double_cover(48, 8);
    for p in &mut mesh.positions {
        // Where it crosses itself is between the axes, and there are rings near to the middle.
        *p = DQuat::from_rotation_z(1.4) * (p.truncate().length() * *p);
    }
    // Halving this box three times leaves the middle in the corner of a small one.
    mesh.append(&sheet(1, 1, |u, v| DVec3::new(5.5 + u, 5.5 + v, 0.0)));
    // The two layers change places.
    let to: Vec<DVec3> = mesh.positions.iter().map(|&p| DVec3::new(p.x, p.y, -p.z)).collect();
    trees.scene(&[(mesh, to)]);
    trees.report("a branch point");
    assert!(trees.contacts > 100 && trees.missed_by_cones > 0);
}

/// Squares on whole numbers that hang together: rooms and corridors, rings with a gap, tips that nearly touch.
fn polyomino(random: &mut Random, squares: usize) -> TriMesh {
    let mut cells = BTreeSet::from([(0i32, 0i32)]);
    let mut here = (0, 0);
    while cells.len() < squares {
        let (x, y) = here;
        here = [(x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)][pick(random, 4) as usize];
        // Walks along itself rather than fills, so that it bends around gaps.
        let beside =
            [(1, 0), (0, 1), (-1, 0), (0, -1)].iter().filter(|d| cells.contains(&(here.0 + d.0, here.1 + d.1)));
        if !cells.contains(&here) && beside.count() > 1 && pick(random, 4) > 0 {
            here = (x, y);
        }
        cells.insert(here);
    }
    let mut numbers = BTreeMap::new();
    let mut mesh = TriMesh::default();
    for &(x, y) in &cells {
        let [a, b, c, d] = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)].map(|(x, y)| {
            *numbers.entry((x, y)).or_insert_with(|| {
                mesh.positions.push(DVec3::new(f64::from(x), f64::from(y), 0.0));
                mesh.positions.len() as u32 - 1
            })
        });
        mesh.triangles.extend([[a, b, c], [a, c, d]]);
    }
    mesh
}

/// All in one plane and on whole numbers: tips touch in one point, vertices run along edges and through the contour.
#[test]
fn patches_that_touch_themselves_exactly_lose_no_contact() {
    let mut trees = Trees::new();
    let mut random = Random::new(33);
    for round in 0..200 {
        let squares = 4 + pick(&mut random, 24) as usize;
        let mesh = polyomino(&mut random, squares);
        let chosen = 1 + pick(&mut random, 12);
        let way = |random: &mut Random| (pick(random, 5) as f64 - 2.0) / if round % 2 == 0 { 1.0 } else { 4.0 };
        let to = mesh.positions.iter().map(|&p| {
            let moves = pick(&mut random, 12) < chosen;
            let step = DVec3::new(way(&mut random), way(&mut random), 0.0);
            p + if moves { step } else { DVec3::ZERO }
        });
        let to: Vec<DVec3> = to.collect();
        trees.scene(&[(mesh, to)]);
    }
    trees.report("polyominoes");
    assert!(trees.contacts > 1000 && trees.undecided == 0 && trees.tests[1] < trees.tests[0]);
}

/// A ring with a gap whose two ends come together in one point, in one edge, and not quite.
#[test]
fn ends_that_meet_in_a_point_are_found() {
    let cells = [(0, 0), (1, 0), (2, 0), (3, 0), (3, 1), (3, 2), (2, 2), (1, 2), (0, 2), (0, 1)];
    // The last square is cut off from the first by a narrow gap, and its lower corners go down.
    for (down, meets) in [([0.5, 0.5], true), ([0.5, 0.0], true), ([0.25, 0.375], false), ([1.0, 0.25], true)] {
        let mut numbers = BTreeMap::new();
        let mut mesh = TriMesh::default();
        for (x, y) in cells {
            let corners = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)].map(|(column, row)| {
                let is_tip = (x, y) == (0, 1) && row == 1;
                *numbers.entry((column, row, is_tip)).or_insert_with(|| {
                    let height = f64::from(row) + if is_tip { 0.5 } else { 0.0 };
                    mesh.positions.push(DVec3::new(f64::from(column), height, 0.0));
                    mesh.positions.len() as u32 - 1
                })
            });
            let [a, b, c, d] = corners;
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
        let mut to = mesh.positions.clone();
        for (column, down) in down.into_iter().enumerate() {
            to[numbers[&(column as i32, 1, true)] as usize].y -= down;
        }
        let mut trees = Trees::new();
        trees.scene(&[(mesh, to)]);
        assert_eq!(trees.contacts > 0, meets, "{down:?}");
    }
}

/// Triangles without area, vertices in one place, edges of three faces, faces twice, at random on few whole numbers.
#[test]
fn degenerate_meshes_lose_no_contact() {
    let mut trees = Trees::new();
    let mut random = Random::new(34);
    for round in 0..120 {
        let flat = round % 3 == 0;
        let corner = |random: &mut Random| {
            let [x, y, z] = std::array::from_fn(|_| pick(random, 4) as f64);
            DVec3::new(x, y, if flat { 0.0 } else { z })
        };
        let vertices = 6 + pick(&mut random, 12);
        let positions: Vec<DVec3> = (0..vertices).map(|_| corner(&mut random)).collect();
        let faces = 4 + pick(&mut random, 24);
        let triangles = (0..faces).map(|_| std::array::from_fn(|_| pick(&mut random, vertices) as u32)).collect();
        let collapse = corner(&mut random);
        let to = positions.iter().map(|&p| match pick(&mut random, 4) {
            0 => collapse,
            1 => p,
            _ => corner(&mut random),
        });
        let to: Vec<DVec3> = to.collect();
        trees.scene(&[(TriMesh::new(positions, triangles), to)]);
    }
    trees.report("degenerate meshes");
    // Edges that shrink to a point just where they touch, at the end of the step: taken for contacts.
    assert!(trees.contacts > 10_000 && trees.undecided < trees.contacts / 1000);
}

/// Sheets some of whose triangles shrink to lines and points within the step, or turn over, or lie twice in one place.
#[test]
fn sheets_that_collapse_lose_no_contact() {
    let mut trees = Trees::new();
    let mut random = Random::new(35);
    for _ in 0..60 {
        let mut mesh = sheet(8, 8, |u, v| DVec3::new(8.0 * u, 8.0 * v, 0.0));
        let count = mesh.positions.len() as u64;
        let mut to: Vec<DVec3> = mesh.positions.iter().map(|&p| p + 0.1 * random.in_cube() * DVec3::Z).collect();
        for _ in 0..pick(&mut random, 6) {
            let [one, other] = [pick(&mut random, count) as usize, pick(&mut random, count) as usize];
            to[one] = to[other];
        }
        if pick(&mut random, 3) == 0 {
            let twice = mesh.triangles[pick(&mut random, 128) as usize];
            mesh.triangles.extend([twice, [twice[0], twice[2], twice[1]]]);
        }
        trees.scene(&[(mesh, to)]);
    }
    trees.report("sheets that collapse");
    assert!(trees.contacts > 1000);
}
