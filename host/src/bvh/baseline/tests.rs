use glam::{DQuat, DVec3};

use super::*;
use crate::bvh::{Culling, MeshTree, MeshTreeOptions};
use crate::geometry::{TriMesh, shapes};
use crate::random::Random;

/// Triangles anywhere, of any size, which share vertices.
fn soup(random: &mut Random) -> TriMesh {
    let size = random.unit();
    let positions = (0..60).map(|_| random.in_cube() * if random.unit() < 0.9 { size } else { 2.0 }).collect();
    let corner = |random: &mut Random| (random.next_u64() % 60) as u32;
    let triangles = std::iter::repeat_with(|| [corner(random), corner(random), corner(random)])
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .take(40)
        .collect();
    TriMesh::new(positions, triangles)
}

/// Bodies that move, in a tree and as lists of triangles.
fn scene(random: &mut Random) -> (MeshTree, Vec<Surface>) {
    let mut tree = MeshTree::new(MeshTreeOptions { culling: Culling::Off, ..Default::default() });
    let mut bodies = Vec::new();
    for _ in 0..1 + random.next_u64() % 4 {
        let scale = [1.0, 0.3, 1e-3][(random.next_u64() % 3) as usize];
        let mut mesh = match random.next_u64() % 3 {
            0 => shapes::Sphere { radius: 1.0, frequency: 1 + (random.next_u64() % 4) as u32 }.mesh().unwrap(),
            1 => shapes::cuboid(DVec3::splat(1.0)),
            _ => soup(random),
        };
        // Some on whole numbers, where boxes touch and cells end.
        let shift = if random.unit() < 0.3 { random.in_cube().round() } else { random.in_cube() };
        mesh.positions.iter_mut().for_each(|position| *position = scale * *position + shift);
        bodies.push(Surface::new(tree.add(&mesh).unwrap(), &mesh));
    }
    for _ in 0..2 {
        tree.update();
        for body in &mut bodies {
            body.begin_step();
            if random.unit() < 0.2 {
                continue;
            }
            let speed = [1.0, 0.1, 0.01][(random.next_u64() % 3) as usize];
            let (turn, shift) = (DQuat::from_scaled_axis(speed * random.in_cube()), speed * random.in_cube());
            let to: Vec<DVec3> = body.end.iter().map(|&place| turn * place + shift).collect();
            body.move_to(&to);
            tree.move_to(body.body(), &to).unwrap();
        }
    }
    tree.update();
    (tree, bodies)
}

#[test]
fn hashing_finds_what_brute_force_and_the_tree_find() {
    let mut random = Random::new(21);
    let (mut pairs, mut candidates) = (0, 0);
    for _ in 0..150 {
        let (tree, bodies) = scene(&mut random);
        let expected = brute_force::intersections(&bodies);
        assert_eq!(spatial_hash::intersections(&bodies), expected);
        assert_eq!(published_hash::intersections(&bodies), expected);
        assert_eq!(tree.intersections(), expected);
        pairs += expected.len();
        let found = spatial_hash::collect_candidates(&bodies, |candidate, motion| {
            assert_eq!(tree.motion(&candidate).unwrap(), *motion);
            Some(())
        });
        let expected = tree.brute_force_candidates();
        assert!(found.into_iter().map(|(candidate, ())| candidate).eq(expected.iter().copied()));
        candidates += expected.len();
    }
    assert!(pairs > 1000 && candidates > 10_000, "{pairs} pairs, {candidates} candidates");
}

#[test]
fn threads_do_not_change_what_hashing_finds() {
    let mut random = Random::new(22);
    let scenes: Vec<_> = (0..5).map(|_| scene(&mut random).1).collect();
    let answers = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let of = |bodies: &Vec<Surface>| {
            let candidates = spatial_hash::collect_candidates(bodies, |_, motion| Some(*motion));
            (spatial_hash::intersections(bodies), candidates)
        };
        pool.install(|| scenes.iter().map(of).collect::<Vec<_>>())
    };
    let one = answers(1);
    for threads in 2..=5 {
        assert_eq!(answers(threads), one);
    }
}

/// Two triangles that span the scene among thousands of small ones: cells have to be larger than an edge.
#[test]
fn large_triangles_among_small_ones_do_not_eat_memory() {
    let mut tree = MeshTree::new(MeshTreeOptions { culling: Culling::Off, ..Default::default() });
    let mut ball = shapes::Sphere { radius: 1e-4, frequency: 12 }.mesh().unwrap();
    ball.positions.iter_mut().for_each(|place| place.x += 1e-6);
    let corner = |x: f64, y: f64| DVec3::new(x, y, 0.5 * (x + y));
    let floor = TriMesh::new(
        vec![corner(-1e3, -1e3), corner(1e3, -1e3), corner(1e3, 1e3), corner(-1e3, 1e3)],
        vec![[0, 1, 2], [0, 2, 3]],
    );
    let bodies = [&ball, &floor].map(|mesh| Surface::new(tree.add(mesh).unwrap(), mesh));
    tree.update();
    let expected = tree.intersections();
    assert!(!expected.is_empty());
    assert_eq!(spatial_hash::intersections(&bodies), expected);
    assert_eq!(published_hash::intersections(&bodies), expected);
}

#[test]
fn nothing_is_found_where_nothing_is() {
    assert!(spatial_hash::intersections(&[]).is_empty());
    assert!(published_hash::intersections(&[]).is_empty());
    assert!(brute_force::intersections(&[]).is_empty());
    assert!(spatial_hash::collect_candidates(&[], |_, _| Some(())).is_empty());
}
