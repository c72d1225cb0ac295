//! Fractures of octrees, held to the same done voxel by voxel.

use fracas_kernels::{cells, morton, normal};
use glam::DVec3;
use proptest::prelude::*;

use super::dense::{Dense, Voxel};
use super::*;
use crate::geometry::TriMesh;
use crate::geometry::shapes;
use crate::random::Random;

fn ball(radius: f64, center: DVec3) -> TriMesh {
    let mut mesh = shapes::Sphere { radius, frequency: 6 }.mesh().unwrap();
    mesh.positions.iter_mut().for_each(|point| *point += center);
    mesh
}

fn shell() -> TriMesh {
    let mut mesh = ball(1.0, DVec3::ZERO);
    let mut hole = ball(0.4, DVec3::new(0.1, 0.05, -0.1));
    hole.triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    mesh.append(&hole);
    mesh
}

fn two_balls() -> TriMesh {
    let mut mesh = ball(0.5, DVec3::new(-0.8, 0.0, 0.0));
    mesh.append(&ball(0.6, DVec3::new(0.7, 0.1, 0.0)));
    mesh
}

fn voxels(mesh: &TriMesh, level: u32) -> (Lattice, Tree) {
    voxelise(mesh, &VoxeliseOptions { level, ..VoxeliseOptions::default() }).unwrap()
}

fn seeds(lattice: &Lattice, count: usize, cells: u64, seed: u64) -> Seeds {
    let mut random = Random::new(seed);
    let aabb = lattice.aabb();
    let point = |random: &mut Random| aabb.center() + 0.6 * aabb.size() * random.in_cube();
    Seeds::with_cells(lattice, (0..count).map(|_| (point(&mut random), (random.next_u64() % cells) as u32))).unwrap()
}

/// A piece of the oracle: boundary voxels with their normals, voxels inside.
#[derive(Debug, PartialEq)]
struct Expected {
    cell: u32,
    boundary: Vec<(u32, u16)>,
    inside: Vec<u32>,
}

fn code([x, y, z]: [i32; 3]) -> u32 {
    morton::encode_30(x as u32, y as u32, z as u32)
}

/// \[Domaradzki16\] 4 without any tree: every voxel, every seed, a flood.
fn oracle(tree: &Tree, seeds: &Seeds) -> Vec<Expected> {
    let dense = Dense::new(tree);
    let codes = tree.boundary_codes();
    let mut pieces = Vec::new();
    for cell in 0..seeds.cells {
        let mut own: Vec<Option<(Voxel, u16)>> = vec![None; dense.voxels.len()];
        for voxel in dense.all().filter(|&voxel| dense.get(voxel) != Voxel::Outside) {
            let nearest = cells::of_voxel(&seeds.seeds, voxel.map(|coordinate| coordinate as u32));
            let of_cell = |number: &u32| seeds.seeds[*number as usize].cell == cell;
            let (is_in, is_cut) = (nearest.iter().any(of_cell), !nearest.iter().all(of_cell));
            let normal = match dense.get(voxel) {
                Voxel::Boundary => codes.binary_search(&code(voxel)).map_or(0, |place| tree.normals()[place]),
                _ if is_in && is_cut => cells::fracture_normal(&seeds.seeds, &nearest, cell),
                _ => 0,
            };
            let what = if is_cut { Voxel::Boundary } else { dense.get(voxel) };
            own[dense.index(voxel)] = is_in.then_some((what, normal));
        }
        let mut islands: Vec<Expected> = Vec::new();
        let mut is_new = vec![true; own.len()];
        for start in dense.all() {
            if own[dense.index(start)].is_none() || !std::mem::take(&mut is_new[dense.index(start)]) {
                continue;
            }
            let mut island = vec![start];
            let mut next = 0;
            while next < island.len() {
                for near in dense.around(island[next], |_| true) {
                    if own[dense.index(near)].is_some() && std::mem::take(&mut is_new[dense.index(near)]) {
                        island.push(near);
                    }
                }
                next += 1;
            }
            let mut piece = Expected { cell, boundary: Vec::new(), inside: Vec::new() };
            for voxel in island {
                match own[dense.index(voxel)] {
                    Some((Voxel::Boundary, normal)) => piece.boundary.push((code(voxel), normal)),
                    _ => piece.inside.push(code(voxel)),
                }
            }
            piece.boundary.sort_unstable();
            piece.inside.sort_unstable();
            islands.push(piece);
        }
        islands.sort_by_key(|piece| piece.boundary.last().copied());
        pieces.extend(islands);
    }
    pieces
}

fn found(fractured: &Fractured) -> Vec<Expected> {
    let piece = |(tree, &cell): (&Tree, &u32)| {
        tree.check();
        let dense = Dense::new(tree);
        let mut inside: Vec<u32> = dense.all().filter(|&voxel| dense.get(voxel) == Voxel::Inside).map(code).collect();
        inside.sort_unstable();
        let boundary = tree.boundary_codes().into_iter().zip(tree.normals().iter().copied()).collect();
        Expected { cell, boundary, inside }
    };
    fractured.pieces.iter().zip(&fractured.cells).map(piece).collect()
}

fn check(mesh: &TriMesh, level: u32, count: usize, cells: u64, seed: u64) {
    let (lattice, tree) = voxels(mesh, level);
    let seeds = seeds(&lattice, count, cells, seed);
    let fractured = tree.fracture(&seeds, &FractureOptions::default()).unwrap();
    let expected = oracle(&tree, &seeds);
    let found = found(&fractured);
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected);
    }
    assert_eq!(fractured.voxels as usize, expected.iter().map(|piece| piece.boundary.len()).sum::<usize>());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn pieces_are_those_of_the_oracle(
        shape in 0usize..3,
        level in 3u32..6,
        count in 1usize..40,
        cells in 1u64..40,
        seed in any::<u64>(),
    ) {
        check(&[ball(1.0, DVec3::ZERO), shell(), two_balls()][shape], level, count, cells, seed);
    }

    #[test]
    fn pieces_of_pieces_are_those_of_the_oracle(count in 2usize..9, seed in any::<u64>()) {
        let (lattice, tree) = voxels(&shell(), 5);
        let first = tree.fracture(&seeds(&lattice, count, 4, seed), &FractureOptions::default()).unwrap();
        for (number, piece) in (1..).zip(&first.pieces) {
            let seeds = seeds(&lattice, count, 5, seed.wrapping_add(number));
            let again = piece.fracture(&seeds, &FractureOptions::default()).unwrap();
            let expected = oracle(piece, &seeds);
            prop_assert_eq!(found(&again), expected);
        }
    }
}

#[test]
fn a_fine_fracture_is_that_of_the_oracle() {
    check(&shell(), 6, 60, 60, 5);
    check(&two_balls(), 6, 30, 6, 6);
}

#[test]
fn the_wall_of_a_cavity_belongs_to_the_solid_around_it() {
    let (lattice, tree) = voxels(&shell(), 6);
    let one = Seeds::new(&lattice, &[DVec3::ZERO]).unwrap();
    let whole = tree.fracture(&one, &FractureOptions::default()).unwrap();
    assert_eq!(whole.pieces, [tree]);
}

#[test]
fn separate_solids_are_islands_and_coarser_levels_close_gaps() {
    let (lattice, tree) = voxels(&two_balls(), 6);
    let one = Seeds::new(&lattice, &[DVec3::ZERO]).unwrap();
    let count = |coarser_islands: u32| {
        let options = FractureOptions { coarser_islands, ..FractureOptions::default() };
        tree.fracture(&one, &options).unwrap().pieces.len()
    };
    assert_eq!([count(0), count(3)], [2, 1]);
    let options = FractureOptions { coarser_islands: 4, ..FractureOptions::default() };
    assert_eq!(tree.fracture(&one, &options).unwrap_err(), SvoError::CoarserIslands { levels: 4 });
}

#[test]
fn a_local_blow_leaves_the_rest_whole() {
    let (lattice, tree) = voxels(&ball(1.0, DVec3::ZERO), 6);
    let mut random = Random::new(4);
    let impact = DVec3::new(0.0, 0.9, 0.0);
    let mut points: Vec<DVec3> = (0..60).map(|_| random.in_cube()).collect();
    points.extend((0..20).map(|_| impact + 0.2 * random.in_cube()));
    let seeds = Seeds::local(&lattice, &points, impact, 0.3).unwrap();
    let fractured = tree.fracture(&seeds, &FractureOptions::default()).unwrap();
    assert_eq!(found(&fractured), oracle(&tree, &seeds));
    assert_eq!(fractured.cells[0], 0, "the rest comes first");
    assert!(fractured.pieces[0].counts().internal > tree.counts().internal / 2);
    assert!(fractured.pieces.len() > 5);
}

#[test]
fn voxels_are_accounted_for() {
    let (lattice, tree) = voxels(&shell(), 7);
    let seeds = seeds(&lattice, 25, 25, 9);
    let fractured = tree.fracture(&seeds, &FractureOptions::default()).unwrap();
    let (whole, parts) = (Dense::new(&tree), fractured.pieces.iter().map(Dense::new).collect::<Vec<Dense>>());
    for voxel in whole.all() {
        let inside = parts.iter().filter(|part| part.get(voxel) == Voxel::Inside).count();
        let boundary = parts.iter().filter(|part| part.get(voxel) == Voxel::Boundary).count();
        match whole.get(voxel) {
            Voxel::Outside => assert_eq!((inside, boundary), (0, 0)),
            Voxel::Boundary => assert!(inside == 0 && boundary > 0),
            Voxel::Inside => assert!((inside, boundary) == (1, 0) || inside == 0 && boundary > 1, "{voxel:?}"),
        }
    }
    parts.iter().for_each(Dense::check_separated);
}

#[test]
fn threads_do_not_matter() {
    let made: Vec<(Tree, Vec<Tree>)> = [1, 2, 5]
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let (lattice, tree) = voxels(&shell(), 7);
                let seeds = seeds(&lattice, 50, 30, 2);
                let fractured = tree.fracture(&seeds, &FractureOptions::default()).unwrap();
                (tree, fractured.pieces)
            })
        })
        .into();
    assert!(made[0] == made[1] && made[0] == made[2]);
}

#[test]
fn original_and_fractured_voxels_can_be_told_apart() {
    let (lattice, tree) = voxels(&ball(1.0, DVec3::ZERO), 5);
    let seeds = Seeds::new(&lattice, &[DVec3::new(-0.5, 0.01, 0.0), DVec3::new(0.5, 0.01, 0.0)]).unwrap();
    let fractured = tree.fracture(&seeds, &FractureOptions::default()).unwrap();
    let codes = tree.boundary_codes();
    for (piece, direction) in fractured.pieces.iter().zip([1, -1]) {
        for (place, &code) in piece.boundary_codes().iter().enumerate() {
            let is_original = codes.binary_search(&code).is_ok();
            assert_eq!(piece.colors()[place][3], if is_original { ORIGINAL } else { FRACTURED });
            if !is_original {
                assert_eq!(normal::unpack(piece.normals()[place]), [direction * normal::SCALE, 0, 0]);
            }
        }
    }
}

#[test]
fn seeds_that_divide_nothing_are_errors() {
    let (lattice, _) = voxels(&ball(1.0, DVec3::ZERO), 4);
    assert_eq!(Seeds::new(&lattice, &[]).unwrap_err(), SvoError::NoSeeds);
    assert_eq!(Seeds::new(&lattice, &[DVec3::NAN]).unwrap_err(), SvoError::SeedNotFinite { seed: 0 });
}
