mod contacts;
mod contours;
mod extremes;
mod pieces;
mod stars;

use glam::{DQuat, DVec3};

use super::*;
use crate::geometry::{TriMesh, shapes, triangles_intersect};
use crate::random::Random;

/// A grid of squares, each of two triangles, bent by a function of the unit square.
fn sheet(columns: u32, rows: u32, place: impl Fn(f64, f64) -> DVec3) -> TriMesh {
    let mut positions = Vec::new();
    for row in 0..=rows {
        for column in 0..=columns {
            positions.push(place(f64::from(column) / f64::from(columns), f64::from(row) / f64::from(rows)));
        }
    }
    let mut triangles = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let (a, c) = (row * (columns + 1) + column, (row + 1) * (columns + 1) + column);
            // Diagonals both ways, so that contours are jagged.
            if (row + column) % 2 == 0 {
                triangles.extend([[a, a + 1, c], [a + 1, c + 1, c]]);
            } else {
                triangles.extend([[a, a + 1, c + 1], [a, c + 1, c]]);
            }
        }
    }
    TriMesh::new(positions, triangles)
}

/// A ribbon that winds more than once around an axis without leaving its plane by much, and meets itself there. All of its
/// normals point up.
fn winding(columns: u32, rows: u32, turns: f64, wave: f64) -> TriMesh {
    sheet(columns, rows, |u, v| {
        let (sin, cos) = (std::f64::consts::TAU * turns * u).sin_cos();
        let radius = 1.5 - v;
        DVec3::new(radius * cos, radius * sin, 0.05 * (wave * u).sin())
    })
}

/// Meshes of one scene, and where each goes.
fn scene(random: &mut Random) -> Vec<(TriMesh, Vec<DVec3>)> {
    let mut bodies = Vec::new();
    for _ in 0..1 + random.next_u64() % 3 {
        let size = 3 + (random.next_u64() % 10) as u32;
        let (fold, lean) = (4.0 * random.unit(), random.in_cube());
        let mesh = match random.next_u64() % 6 {
            // A sheet that folds onto itself.
            0 => sheet(2 * size, size, |u, v| DVec3::new((fold * u).cos(), v, (fold * u).sin()) + 0.2 * lean * u * v),
            1 => winding(4 * size, 3, 0.6 + random.unit(), 9.0 * random.unit()),
            2 => shapes::Sphere { radius: 0.3 + random.unit(), frequency: 1 + size / 4 }.mesh().unwrap(),
            // In one plane, on whole numbers.
            3 => sheet(size, size, |u, v| DVec3::new((4.0 * u).round(), 0.0, (4.0 * v).round()) * 0.25),
            4 => sheet(size, 2 * size, |u, v| DVec3::new(u, v, 0.3 * (7.0 * u + fold).sin() * (5.0 * v).cos())),
            _ => {
                let corners = (0..30).map(|_| random.in_cube()).collect();
                let pick = |random: &mut Random| [0; 3].map(|_: u32| (random.next_u64() % 30) as u32);
                TriMesh::new(
                    corners,
                    (0..20).map(|_| pick(random)).filter(|t| t[0] != t[1] && t[1] != t[2] && t[0] != t[2]).collect(),
                )
            }
        };
        // Some go far in a step, some hardly move.
        let speed = [1.0, 0.1, 0.02][(random.next_u64() % 3) as usize];
        let (turn, shift) = (DQuat::from_scaled_axis(0.8 * speed * random.in_cube()), 0.6 * speed * random.in_cube());
        let shake = 0.15 * speed * random.unit();
        let to = mesh.positions.iter().map(|&p| turn * p + shift + shake * random.in_cube()).collect();
        bodies.push((mesh, to));
    }
    bodies
}

fn tree_of(bodies: &[(TriMesh, Vec<DVec3>)], culling: Culling) -> (MeshTree, Vec<BodyHandle>) {
    let mut tree = MeshTree::new(MeshTreeOptions { culling, ..Default::default() });
    let handles: Vec<BodyHandle> = bodies.iter().map(|(mesh, _)| tree.add(mesh).unwrap()).collect();
    (tree, handles)
}

fn move_all(tree: &mut MeshTree, handles: &[BodyHandle], bodies: &[(TriMesh, Vec<DVec3>)]) {
    for (&handle, (_, to)) in handles.iter().zip(bodies) {
        tree.move_to(handle, to).unwrap();
    }
    tree.update();
    tree.assert_well_formed();
}

/// All triangles, with their vertices as numbers of the whole scene.
fn all_faces(tree: &MeshTree) -> Vec<(Feature, [u32; 3], [DVec3; 3])> {
    let mut faces = Vec::new();
    for body in tree.bodies.iter().flatten() {
        for (number, &triangle) in body.triangles.iter().enumerate() {
            let feature = Feature { body: body.handle, number: number as u32 };
            faces.push((feature, triangle, triangle.map(|vertex| body.to[vertex as usize])));
        }
    }
    faces
}

fn brute_force_intersections(tree: &MeshTree) -> Vec<[Feature; 2]> {
    let faces = all_faces(tree);
    let mut pairs = Vec::new();
    for (i, (a, vertices, corners)) in faces.iter().enumerate() {
        for (b, others, other_corners) in &faces[i + 1..] {
            let neighbours = a.body == b.body && vertices.iter().any(|vertex| others.contains(vertex));
            if !neighbours && triangles_intersect(*corners, *other_corners) {
                let mut pair = [*a, *b];
                pair.sort_unstable();
                pairs.push(pair);
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Whether four moving points, a vertex and a face or two edges, clearly touch: between two times at which they are on
/// different sides they are in one plane, and there they are clearly within each other.
fn clearly_touch(candidate: &Candidate, motion: &candidates::Motion) -> bool {
    const STEPS: u32 = 64;
    let at = |time: f64| -> [DVec3; 4] { std::array::from_fn(|i| motion[0][i].lerp(motion[1][i], time)) };
    let side = |time: f64| {
        let [a, b, c, d] = at(time);
        (b - a).cross(c - a).dot(d - a)
    };
    (0..STEPS).any(|step| {
        let (mut low, mut high) = (f64::from(step) / f64::from(STEPS), f64::from(step + 1) / f64::from(STEPS));
        if side(low) * side(high) >= 0.0 {
            return false;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if side(low) * side(middle) <= 0.0 { high = middle } else { low = middle }
        }
        let [a, b, c, d] = at(low);
        const INSIDE: f64 = 1e-6;
        match candidate {
            Candidate::VertexFace { .. } => {
                let normal = (c - b).cross(d - b);
                let area = normal.length_squared();
                let part = |p: DVec3, q: DVec3| (q - p).cross(a - p).dot(normal) / area;
                area > 1e-12 && part(b, c) > INSIDE && part(c, d) > INSIDE && part(d, b) > INSIDE
            }
            Candidate::EdgeEdge { .. } => {
                let (u, v, w) = (b - a, d - c, c - a);
                let normal = u.cross(v);
                let area = normal.length_squared();
                let (s, t) = (w.cross(v).dot(normal) / area, w.cross(u).dot(normal) / area);
                area > 1e-12 && s > INSIDE && s < 1.0 - INSIDE && t > INSIDE && t < 1.0 - INSIDE
            }
        }
    })
}

#[test]
fn intersections_are_those_of_brute_force() {
    let mut random = Random::new(11);
    let (mut total, mut missed_by_cones) = (0, 0);
    for _ in 0..300 {
        let bodies = scene(&mut random);
        let expected = {
            let (mut tree, handles) = tree_of(&bodies, Culling::Off);
            tree.update();
            move_all(&mut tree, &handles, &bodies);
            let expected = brute_force_intersections(&tree);
            assert_eq!(tree.intersections(), expected);
            expected
        };
        let (mut tree, handles) = tree_of(&bodies, Culling::Contours);
        tree.update();
        move_all(&mut tree, &handles, &bodies);
        assert_eq!(tree.intersections(), expected);
        // At rest, cones are narrower and more is culled.
        tree.update();
        assert_eq!(tree.intersections(), expected);
        let (mut tree, handles) = tree_of(&bodies, Culling::DualCones);
        move_all(&mut tree, &handles, &bodies);
        tree.update();
        let found = tree.intersections();
        assert!(found.iter().all(|pair| expected.binary_search(pair).is_ok()));
        total += expected.len();
        missed_by_cones += expected.len() - found.len();
    }
    println!("{total} pairs, of which the paper's cones miss {missed_by_cones}");
    assert!(total > 10_000);
}

#[test]
fn candidates_are_those_of_brute_force_and_culling_loses_no_contact() {
    let mut random = Random::new(12);
    let (mut touching, mut missed_by_cones, mut all, mut left) = (0, 0, 0, 0);
    for _ in 0..100 {
        let bodies = scene(&mut random);
        let candidates = |culling| {
            let (mut tree, handles) = tree_of(&bodies, culling);
            tree.update();
            move_all(&mut tree, &handles, &bodies);
            let (found, _) = tree.collect_candidates(|candidate, motion| {
                assert_eq!(tree.motion(&candidate).unwrap(), *motion);
                Some(clearly_touch(&candidate, motion))
            });
            assert!(found.windows(2).all(|pair| pair[0].0 < pair[1].0), "a candidate is there twice");
            (found, tree)
        };
        let (found, tree) = candidates(Culling::Off);
        assert!(found.iter().map(|(candidate, _)| *candidate).eq(tree.brute_force_candidates()));
        let contacts = |found: Vec<(Candidate, bool)>| -> Vec<Candidate> {
            found.into_iter().filter(|(_, touches)| *touches).map(|(candidate, _)| candidate).collect()
        };
        all += found.len();
        let expected = contacts(found);
        touching += expected.len();
        let (culled, _) = candidates(Culling::Contours);
        left += culled.len();
        assert_eq!(contacts(culled), expected);
        missed_by_cones += expected.len() - contacts(candidates(Culling::DualCones).0).len();
    }
    println!("{touching} contacts, of which the paper's cones miss {missed_by_cones}; {left} of {all} candidates");
    assert!(touching > 1000 && left < all);
}

/// What section 4.2 of the paper warns of: all normals point up, and the boundary of the mesh is never in one half.
#[test]
fn a_ribbon_that_winds_twice_is_not_culled_where_it_meets_itself() {
    for (columns, rows) in [(40, 2), (60, 4), (200, 6)] {
        let mesh = winding(columns, rows, 1.7, 11.0);
        for culling in [Culling::Off, Culling::Contours] {
            let (mut tree, _) = tree_of(&[(mesh.clone(), Vec::new())], culling);
            tree.update();
            let expected = brute_force_intersections(&tree);
            assert!(!expected.is_empty());
            assert_eq!(tree.intersections(), expected);
        }
    }
}

#[test]
fn flat_parts_are_culled() {
    let mesh = sheet(60, 60, |u, v| DVec3::new(u, v, 0.02 * (20.0 * u).sin()));
    let count = |culling| {
        let (mut tree, handles) = tree_of(&[(mesh.clone(), Vec::new())], culling);
        tree.update();
        let to: Vec<DVec3> =
            mesh.positions.iter().map(|&p| p + DVec3::new(0.0, 0.003 * (9.0 * p.x).sin(), 0.02)).collect();
        tree.move_to(handles[0], &to).unwrap();
        tree.update();
        (tree.collect_candidates(|_, _| Some(())).0.len(), tree.intersections_counted().1.overlaps)
    };
    let (off, contours) = (count(Culling::Off), count(Culling::Contours));
    let (mut tree, handles) = tree_of(&[(mesh.clone(), Vec::new())], Culling::Contours);
    tree.update();
    let [normals, binormals] = tree.cones(handles[0]).unwrap();
    assert!(normals.contains(DVec3::Z, 0.0) && normals.half_angle < 1.0);
    assert_eq!(binormals, crate::geometry::Cone::FULL);
    assert!(2 * contours.0 < off.0 && 2 * contours.1 < off.1, "{contours:?} of {off:?}");
}

/// Calls at random; now and then, all that the tree answers is what one built from scratch does.
#[test]
fn ten_thousand_calls_leave_a_tree_that_answers_as_a_new_one() {
    let mut random = Random::new(13);
    let mut tree = MeshTree::new(MeshTreeOptions {
        restructure: RestructureOptions { build_cost: 0.0, share: 1.0, ..Default::default() },
        ..Default::default()
    });
    // What each body is and where it was before.
    let mut known: Vec<(BodyHandle, TriMesh, Vec<DVec3>)> = Vec::new();
    let mut gone: Vec<BodyHandle> = Vec::new();
    let piece = |random: &mut Random| {
        let (mut mesh, _) = scene(random).swap_remove(0);
        let shift = 3.0 * random.in_cube();
        mesh.positions.iter_mut().for_each(|p| *p = 0.4 * *p + shift);
        mesh
    };
    for call in 0..10_000 {
        let pick = |random: &mut Random, count: usize| (random.next_u64() % count.max(1) as u64) as usize;
        match random.next_u64() % 12 {
            0 if known.len() < 20 => {
                let mesh = piece(&mut random);
                known.push((tree.add(&mesh).unwrap(), mesh.clone(), mesh.positions));
            }
            1 if known.len() > 8 => {
                let (handle, ..) = known.swap_remove(pick(&mut random, known.len()));
                tree.delete(handle).unwrap();
                gone.push(handle);
            }
            2 if !known.is_empty() && known.len() < 20 => {
                let (handle, ..) = known.swap_remove(pick(&mut random, known.len()));
                let pieces = [piece(&mut random), piece(&mut random)];
                for (handle, mesh) in tree.split(handle, &pieces).unwrap().into_iter().zip(pieces) {
                    known.push((handle, mesh.clone(), mesh.positions));
                }
                gone.push(handle);
            }
            3 if known.len() > 2 => {
                let (a, mut mesh, _) = known.swap_remove(pick(&mut random, known.len()));
                let (b, other, _) = known.swap_remove(pick(&mut random, known.len()));
                mesh = TriMesh::new(mesh.positions, mesh.triangles);
                mesh.append(&TriMesh::new(other.positions, other.triangles));
                // Not too large, because brute force has to follow.
                mesh.triangles.truncate(600);
                known.push((tree.merge(&[a, b], &mesh).unwrap(), mesh.clone(), mesh.positions));
                gone.extend([a, b]);
            }
            4 if !gone.is_empty() => {
                let handle = gone[pick(&mut random, gone.len())];
                assert_eq!(tree.delete(handle), Err(UpdateError::UnknownBody));
                assert_eq!(tree.move_to(handle, &[]), Err(UpdateError::UnknownBody));
                assert!(
                    tree.split(handle, &[] as &[TriMesh]).is_err()
                        && tree.merge(&[handle], &TriMesh::default()).is_err()
                );
            }
            _ if !known.is_empty() => {
                let chosen = pick(&mut random, known.len());
                let (handle, mesh, _) = &mut known[chosen];
                let (shift, shake) = (0.3 * random.in_cube(), 0.05 * random.unit());
                for p in &mut mesh.positions {
                    *p = (*p + shift + shake * random.in_cube()).clamp(DVec3::splat(-9.0), DVec3::splat(9.0));
                }
                tree.move_to(*handle, &mesh.positions).unwrap();
            }
            _ => {}
        }
        if call % 7 == 0 {
            tree.update();
            tree.assert_well_formed();
            if call % 105 == 0 {
                let mut fresh = MeshTree::new(MeshTreeOptions { culling: Culling::Off, ..Default::default() });
                let handles: Vec<BodyHandle> = known
                    .iter()
                    .map(|(_, mesh, before)| fresh.add(&TriMesh::new(before.clone(), mesh.triangles.clone())).unwrap())
                    .collect();
                fresh.update();
                for (&handle, (_, mesh, _)) in handles.iter().zip(&known) {
                    fresh.move_to(handle, &mesh.positions).unwrap();
                }
                fresh.update();
                let old = |feature: Feature| Feature {
                    body: known[handles.iter().position(|&handle| handle == feature.body).unwrap()].0,
                    ..feature
                };
                let mut expected: Vec<[Feature; 2]> =
                    fresh.intersections().into_iter().map(|pair| pair.map(old)).collect();
                expected.iter_mut().for_each(|pair| pair.sort_unstable());
                expected.sort_unstable();
                assert_eq!(tree.intersections(), expected);
                let contacts = |tree: &MeshTree| {
                    tree.collect_candidates(|c, motion| clearly_touch(&c, motion).then_some(())).0.len()
                };
                assert_eq!(contacts(&tree), contacts(&fresh));
            }
            for (_, mesh, before) in &mut known {
                before.clone_from(&mesh.positions);
            }
        }
    }
    assert_eq!(tree.bodies().count(), known.len());
}

#[test]
fn every_number_of_threads_gives_the_same_answers() {
    let mesh = winding(900, 8, 1.4, 30.0);
    let to: Vec<DVec3> = mesh.positions.iter().map(|&p| 0.9 * p + DVec3::new(0.0, 0.01, 0.05)).collect();
    let other = sheet(80, 80, |u, v| DVec3::new(2.0 * u - 1.0, 2.0 * v - 1.0, 0.1 * (9.0 * u).sin()));
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (mut tree, handles) =
                tree_of(&[(mesh.clone(), to.clone()), (other.clone(), other.positions.clone())], Culling::Contours);
            tree.update();
            tree.move_to(handles[0], &to).unwrap();
            tree.update();
            let nodes: Vec<_> = tree.bodies.iter().flatten().map(|body| body.nodes.clone()).collect();
            (nodes, tree.intersections_counted(), tree.collect_candidates(|_, motion| Some(*motion)))
        })
    };
    let one = run(1);
    assert!(!one.1.0.is_empty());
    assert!(one == run(3));
}

/// Rings around a vertex that close after two turns: every triangle is seen from the front, and the contour turns by 4π.
fn double_cover(sides: u32, rings: u32) -> TriMesh {
    let mut positions = vec![DVec3::ZERO];
    for ring in 1..=rings {
        for side in 0..sides {
            let angle = 2.0 * std::f64::consts::TAU * f64::from(side) / f64::from(sides);
            let radius = f64::from(ring) / f64::from(rings);
            positions.push(DVec3::new(
                radius * angle.cos(),
                radius * angle.sin(),
                0.1 * radius * (0.5 * angle + 0.3).sin(),
            ));
        }
    }
    let at = |ring: u32, side: u32| 1 + (ring - 1) * sides + side % sides;
    let mut triangles: Vec<[u32; 3]> = (0..sides).map(|side| [0, at(1, side), at(1, side + 1)]).collect();
    for ring in 1..rings {
        for side in 0..sides {
            let (a, b, c, d) = (at(ring, side), at(ring + 1, side), at(ring + 1, side + 1), at(ring, side + 1));
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    TriMesh::new(positions, triangles)
}

#[test]
fn a_surface_that_covers_twice_is_not_culled() {
    let (mut tree, _) = tree_of(&[(double_cover(24, 5), Vec::new())], Culling::Contours);
    tree.update();
    let expected = brute_force_intersections(&tree);
    assert!(!expected.is_empty());
    assert_eq!(tree.intersections(), expected);
}

/// Whether a whole mesh passes the contour test while it moves, the same wherever on the contour the test starts.
fn passes(mesh: &TriMesh, to: &[DVec3]) -> bool {
    let features = features::Features::of(&mesh.triangles, mesh.positions.len());
    let places: Vec<u32> = (0..mesh.triangles.len() as u32).collect();
    let surface = contour::Surface { triangles: &mesh.triangles, twins: &features.twins, places: &places };
    let patch = 0..mesh.triangles.len() as u32;
    let starts = (0..3 * patch.end).filter(|&half_edge| features.twins[half_edge as usize] == features::NONE);
    let answers: Vec<bool> =
        starts.map(|start| surface.turns_forward(start, &patch, DVec3::Z, [&mesh.positions, to])).collect();
    assert!(answers.iter().all(|&answer| answer == answers[0]), "the start matters");
    answers[0]
}

#[test]
fn contours_pass_until_they_turn_back_by_half_a_turn() {
    let ribbon = |turns: f64| winding(40, 3, turns, 0.0);
    for (turns, pass) in [(0.2, true), (0.45, true), (0.55, false), (0.9, false), (1.6, false)] {
        assert_eq!(passes(&ribbon(turns), &ribbon(turns).positions), pass, "{turns} turns");
    }
    assert!(passes(&ribbon(0.3), &ribbon(0.4).positions));
    assert!(!passes(&ribbon(0.3), &ribbon(0.6).positions) && !passes(&ribbon(0.6), &ribbon(0.3).positions));
    let cover = double_cover(24, 5);
    assert!(!passes(&cover, &cover.positions));
}
