//! Breaking, asked of exact geometry.

use std::sync::Arc;

use glam::DVec3;
use proptest::prelude::*;
use rustc_hash::FxHashMap;

use super::*;
use crate::geometry::{Pose, SignedDistance, TetMesh, TriMesh};
use crate::random::Random;

/// A block of cubes, each of six tetrahedra around a diagonal, the size of one.
fn block(cells: [u32; 3]) -> TetMesh {
    let [nx, ny, nz] = cells;
    let largest = f64::from(nx.max(ny).max(nz));
    let node = |x: u32, y: u32, z: u32| x + (nx + 1) * (y + (ny + 1) * z);
    let positions = (0..=nz).flat_map(|z| (0..=ny).flat_map(move |y| (0..=nx).map(move |x| [x, y, z])));
    let positions = positions.map(|place| DVec3::from_array(place.map(f64::from)) / largest).collect();
    let mut tets = Vec::new();
    for (x, y, z) in (0..nz).flat_map(|z| (0..ny).flat_map(move |y| (0..nx).map(move |x| (x, y, z)))) {
        for steps in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]] {
            let mut place = [x, y, z];
            let mut tet = [node(x, y, z); 4];
            for (corner, axis) in (1..).zip(steps) {
                place[axis] += 1;
                tet[corner] = node(place[0], place[1], place[2]);
            }
            tets.push(tet);
        }
    }
    let mut mesh = TetMesh { positions, tets };
    mesh.orient();
    mesh
}

fn whole(cells: [u32; 3]) -> Fragment {
    let options = SolidOptions { grid_cells: 12 };
    Fragment::whole(&Solid::new(&block(cells), &options).expect("a block is a solid"))
}

fn seeds(random: &mut Random, aabb: crate::geometry::Aabb, count: usize) -> Vec<DVec3> {
    (0..count).map(|_| aabb.min + 0.5 * (random.in_cube() + 1.0) * aabb.size()).collect()
}

fn assert_closed(surface: &TriMesh) {
    let mut sides: FxHashMap<[u32; 2], i32> = FxHashMap::default();
    for [a, b, c] in &surface.triangles {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            assert_ne!(from, to);
            let side = if from < to { 1 } else { -1 };
            *sides.entry([*from.min(to), *from.max(to)]).or_default() += side;
        }
    }
    assert!(sides.values().all(|&sum| sum == 0), "an edge has one side only");
}

/// Breaks a block again and again, each time the largest piece, by seeds.
fn broken(cells: [u32; 3], rounds: usize, count: usize, seed: u64) -> (Fragment, Vec<Fragment>) {
    let mut random = Random::new(seed);
    let whole = whole(cells);
    let mut pieces = vec![whole.clone()];
    for _ in 0..rounds {
        let largest = (0..pieces.len()).max_by_key(|&piece| pieces[piece].node_count()).unwrap_or(0);
        let seeds = seeds(&mut random, pieces[largest].aabb(), count);
        let broken = pieces[largest].fracture(&SeedPartition::new(whole.solid().positions(), &seeds));
        if !broken.is_empty() {
            pieces.remove(largest);
            pieces.extend(broken);
        }
    }
    (whole, pieces)
}

#[test]
fn a_plane_between_two_seeds_is_flat() {
    let whole = whole([6, 5, 4]);
    let seeds = [DVec3::new(0.2, 0.3, 0.1), DVec3::new(0.7, 0.5, 0.6)];
    let pieces = whole.fracture(&SeedPartition::new(whole.solid().positions(), &seeds));
    assert_eq!(pieces.len(), 2);
    let (middle, normal) = (0.5 * (seeds[0] + seeds[1]), (seeds[1] - seeds[0]).normalize());
    let mut worst = 0.0f64;
    for triangle in pieces[0].crack_triangles() {
        worst = triangle.iter().map(|point| (point - middle).dot(normal).abs()).fold(worst, f64::max);
    }
    // Nodes so near to the plane that the cut is moved away from them are rare.
    assert!(worst < 1.0 / 6.0 / 32.0, "{worst}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn pieces_are_an_exact_partition(rounds in 1usize..5, count in 2usize..7, seed: u64) {
        let (whole, pieces) = broken([5, 4, 3], rounds, count, seed);
        let volume: f64 = pieces.iter().map(|piece| piece.mass_properties().volume).sum();
        prop_assert!((volume / whole.mass_properties().volume - 1.0).abs() < 1e-12, "{volume}");
        let mut owned = vec![0; whole.node_count()];
        for piece in &pieces {
            piece.nodes().for_each(|node| owned[node as usize] += 1);
            let surface = piece.surface_mesh();
            assert_closed(&surface);
            prop_assert!(piece.mass_properties().volume > 0.0);
            prop_assert!((surface.volume() - piece.mass_properties().volume).abs() < 1e-12);
            piece.tree.assert_well_formed();
        }
        prop_assert!(owned.iter().all(|&owners| owners == 1));
    }

    #[test]
    fn every_point_is_inside_the_piece_that_its_surface_says(rounds in 1usize..5, count in 2usize..7, seed: u64) {
        let (_, pieces) = broken([4, 4, 3], rounds, count, seed);
        let surfaces: Vec<SignedDistance> =
            pieces.iter().map(|piece| SignedDistance::new(&piece.surface_mesh()).expect("a piece is closed")).collect();
        let mut random = Random::new(seed ^ 1);
        for _ in 0..2000 {
            let point = 0.5 * (random.in_cube() * 1.1 + 1.0);
            for (piece, surface) in pieces.iter().zip(&surfaces) {
                let distance = surface.at(point);
                if distance.abs() > 1e-7 {
                    prop_assert_eq!(piece.is_inside(point), distance < 0.0, "{} is {} away", point, distance);
                }
            }
        }
    }
}
