use std::sync::Arc;

use glam::{DQuat, DVec3};
use proptest::prelude::*;

use super::*;
use crate::geometry::{Aabb, Convex, is_fracture};
use crate::pattern::{Pattern, VoronoiPattern, WebPattern};
use crate::random::Random;

fn cuboid(min: [f64; 3], max: [f64; 3]) -> Part {
    Part::internal(Convex::cuboid(Aabb { min: min.into(), max: max.into() }))
}

fn compound(parts: Vec<Part>) -> Compound {
    Compound::new(parts, &CompoundOptions::default()).unwrap()
}

fn voronoi(cells: u32, seed: u64) -> Pattern {
    VoronoiPattern { cells, seed, extent: 4.0, ..VoronoiPattern::default() }.pattern().unwrap()
}

fn volume(whole: &Compound, fractured: &Fractured) -> f64 {
    whole.volume() + fractured.pieces.iter().map(Compound::volume).sum::<f64>()
}

/// Which parts touch, by comparing each face with each.
fn bonds_by_brute_force(compound: &Compound) -> Vec<(u32, u32, u32, u32)> {
    let mut overlap = overlap::Overlap::default();
    let mut found = Vec::new();
    for (one, first) in compound.parts() {
        for (other, second) in compound.parts().filter(|(other, _)| *other != one) {
            for face in 0..first.convex().planes().len() as u32 {
                for opposite in 0..second.convex().planes().len() as u32 {
                    let (a, b) = ((&**first.convex(), face), (&**second.convex(), opposite));
                    let smaller = islands::face_area(a.0, a.1).min(islands::face_area(b.0, b.1));
                    let touching = crate::tolerance::TOUCHING * smaller;
                    if overlap::are_opposed(&a.0.planes()[face as usize], b, 1e-9) && overlap.area(a, b) > touching {
                        found.push((one, other, face, opposite));
                    }
                }
            }
        }
    }
    found.sort_unstable();
    found
}

fn bonds(compound: &Compound) -> Vec<(u32, u32, u32, u32)> {
    let of = |(number, _): (u32, &Arc<Part>)| {
        compound.bonds(number).iter().map(move |bond| (number, bond.other, bond.face, bond.other_face))
    };
    let mut all: Vec<_> = compound.parts().flat_map(of).collect();
    all.sort_unstable();
    all
}

#[test]
fn a_block_breaks_into_its_cells() {
    let mut block = compound(vec![cuboid([-1.0; 3], [1.0; 3])]);
    let pattern = voronoi(100, 1);
    let fractured = block.fracture(&pattern.at(DVec3::splat(0.2), DQuat::IDENTITY), &Default::default()).unwrap();
    assert!(block.is_empty() && fractured.removed == [0] && fractured.added.is_empty());
    assert!(fractured.pieces.len() >= 10);
    assert!((volume(&block, &fractured) - 8.0).abs() < 1e-12);
    for piece in &fractured.pieces {
        assert_eq!(piece.len(), 1);
        let part = piece.part(0).unwrap();
        assert!(Convex::new(part.convex().surface().clone(), 1e-12).is_ok());
        assert!(part.convex().surface().materials.iter().any(|&material| is_fracture(material)));
    }
    assert!(block.fracture(&pattern.at(DVec3::ZERO, DQuat::IDENTITY), &Default::default()).is_err());
}

#[test]
fn what_is_larger_than_the_pattern_is_cut_at_its_walls() {
    let mut block = compound(vec![cuboid([-9.0, -0.1, -0.1], [9.0, 0.1, 0.1])]);
    let pattern = VoronoiPattern { cells: 10, extent: 1.0, ..VoronoiPattern::default() }.pattern().unwrap();
    let aligned = pattern.at(DVec3::X, DQuat::from_rotation_y(0.4));
    let fractured = block.fracture(&aligned, &Default::default()).unwrap();
    assert!((volume(&block, &fractured) - 18.0 * 0.04).abs() < 1e-12);
    let longest = |piece: &Compound| piece.aabb().size().x;
    assert_eq!(fractured.pieces.iter().filter(|piece| longest(piece) > 6.0).count(), 2);
}

#[test]
fn a_cell_across_the_seam_is_welded_and_the_surface_is_kept() {
    // Two halves of a block; every cell inside is full.
    let mut block = compound(vec![cuboid([-1.0; 3], [0.0, 1.0, 1.0]), cuboid([0.0, -1.0, -1.0], [1.0; 3])]);
    assert_eq!(block.bonds(0).len(), 1);
    assert!(block.is_hidden(0, block.bonds(0)[0].face));
    let pattern = voronoi(400, 3);
    let fractured = block.fracture(&pattern.at(DVec3::ZERO, DQuat::IDENTITY), &Default::default()).unwrap();
    assert!((volume(&block, &fractured) - 8.0).abs() < 1e-11);
    let inside = |piece: &&Compound| {
        let Aabb { min, max } = piece.aabb();
        min.min_element() > -0.999 && max.max_element() < 0.999 && min.x < -0.01 && max.x > 0.01
    };
    let across: Vec<&Compound> = fractured.pieces.iter().filter(inside).collect();
    assert!(across.len() > 3 && across.iter().all(|piece| piece.len() == 1));
    let shown = |piece: &Compound| piece.parts().any(|(_, p)| p.look().materials.iter().any(|&m| !is_fracture(m)));
    assert!(fractured.pieces.iter().all(|piece| shown(piece) || piece.len() == 1));
}

#[test]
fn a_local_blow_leaves_the_rest_in_one_piece_with_its_seams_hidden() {
    let pane = cuboid([-1.0, 0.0, -0.005], [1.0, 1.0, 0.005]);
    let mut pane = compound(vec![pane]);
    let pattern = WebPattern { radius: 0.6, extent: 4.0, ..WebPattern::default() }.pattern().unwrap();
    let mut broken = 0;
    for (number, x) in [-0.6, 0.1, 0.7].into_iter().enumerate() {
        let before = pane.len();
        let aligned = pattern.at(DVec3::new(x, 0.5, 0.0), DQuat::from_rotation_z(x));
        let fractured = pane.fracture(&aligned, &FractureOptions { radius: Some(0.12), ..Default::default() }).unwrap();
        assert!((pane.islands().len(), pane.is_empty()) == (1, false), "blow {number}");
        assert!(fractured.pieces.len() > 5 && !fractured.added.is_empty());
        assert_eq!(pane.len(), before - fractured.removed.len() + fractured.added.len());
        broken += fractured.pieces.len();
        // Within the rest every face that is not on the outside or at the hole is hidden.
        for (part, _) in pane.parts() {
            for bond in pane.bonds(part) {
                assert!(bond.area > 0.0 && pane.part(bond.other).is_some());
            }
        }
    }
    assert!(broken > 20);
    assert_eq!(bonds(&pane), bonds_by_brute_force(&pane));
    let hidden = pane.parts().flat_map(|(part, p)| (0..p.convex().planes().len() as u32).map(move |face| (part, face)));
    assert!(hidden.filter(|&(part, face)| pane.is_hidden(part, face)).count() > 20);
}

#[test]
fn a_blow_that_misses_or_stays_in_a_cell_changes_nothing() {
    let mut block = compound(vec![cuboid([0.0; 3], [0.1; 3]), cuboid([0.1, 0.0, 0.0], [0.2, 0.1, 0.1])]);
    let coarse = VoronoiPattern { cells: 1, extent: 9.0, ..VoronoiPattern::default() }.pattern().unwrap();
    let whole = block.fracture(&coarse.at(DVec3::ZERO, DQuat::IDENTITY), &Default::default()).unwrap();
    assert!(!whole.is_broken() && block.len() == 2);
    let options = FractureOptions { radius: Some(0.3), ..Default::default() };
    let missed = block.fracture(&voronoi(50, 2).at(DVec3::ONE, DQuat::IDENTITY), &options).unwrap();
    assert!(!missed.is_broken() && block.len() == 2);
    let bad = FractureOptions { radius: Some(f64::NAN), ..Default::default() };
    assert!(block.fracture(&coarse.at(DVec3::ZERO, DQuat::IDENTITY), &bad).is_err());
}

#[test]
fn coloured_cells_stay_together_as_far_as_they_touch() {
    let mut block = compound(vec![cuboid([-1.0; 3], [1.0; 3])]);
    let pattern = voronoi(60, 7).colored(5, 1).unwrap();
    let fractured = block.fracture(&pattern.at(DVec3::ZERO, DQuat::IDENTITY), &Default::default()).unwrap();
    assert!((volume(&block, &fractured) - 8.0).abs() < 1e-12);
    assert!(fractured.pieces.len() >= 5 && fractured.pieces.len() < 12, "{}", fractured.pieces.len());
    for piece in &fractured.pieces {
        assert_eq!(piece.islands().len(), 1);
        assert_eq!(bonds(piece), bonds_by_brute_force(piece));
    }
}

/// A table on four legs, anchored at the feet.
fn table() -> Compound {
    let mut parts = vec![cuboid([-1.0, 1.0, -1.0], [1.0, 1.1, 1.0])];
    for (x, z) in [(-0.9, -0.9), (0.9, -0.9), (-0.9, 0.9), (0.9, 0.9)] {
        for level in 0..4 {
            let y = 0.25 * f64::from(level);
            parts.push(cuboid([x - 0.05, y, z - 0.05], [x + 0.05, y + 0.25, z + 0.05]));
        }
    }
    let anchors = vec![Aabb { min: DVec3::new(-2.0, -1.0, -2.0), max: DVec3::new(2.0, 0.01, 2.0) }];
    Compound::new(parts, &CompoundOptions { anchors, overlaps: false }).unwrap()
}

#[test]
fn what_loses_its_last_way_to_an_anchor_falls() {
    let mut table = table();
    assert!(table.is_anchored() && table.islands().len() == 1);
    let pattern = voronoi(30, 5);
    let blow = |table: &mut Compound, x: f64, z: f64| {
        let aligned = pattern.at(DVec3::new(x, 0.5, z), DQuat::IDENTITY);
        table.fracture(&aligned, &FractureOptions { radius: Some(0.1), ..Default::default() }).unwrap()
    };
    let whole = table.volume();
    let mut fallen = 0.0;
    for (blows, (x, z)) in [(-0.9, -0.9), (0.9, -0.9), (-0.9, 0.9), (0.9, 0.9)].into_iter().enumerate() {
        let fractured = blow(&mut table, x, z);
        assert!(fractured.pieces.iter().all(|piece| !piece.is_anchored()));
        fallen += fractured.pieces.iter().map(Compound::volume).sum::<f64>();
        let top = fractured.pieces.iter().any(|piece| piece.aabb().max.y > 1.05);
        assert_eq!(top, blows == 3, "the top falls with the last leg");
        assert!((table.volume() + fallen - whole).abs() < 1e-12);
        assert!(table.is_anchored() && table.aabb().max.y < if top { 0.6 } else { 1.2 });
    }
    // Four stumps are left, each anchored by itself.
    assert_eq!(table.islands().len(), 4);
}

#[test]
fn whole_parts_that_are_anchored_stay_where_they_are_however_they_break() {
    let parts = vec![cuboid([0.0; 3], [1.0; 3]).anchored(Anchor::Whole), cuboid([0.0, 1.0, 0.0], [1.0, 2.0, 1.0])];
    let mut tower = compound(parts);
    let aligned = voronoi(30, 5);
    let fractured = tower.fracture(&aligned.at(DVec3::splat(0.5), DQuat::IDENTITY), &Default::default()).unwrap();
    for piece in fractured.pieces {
        assert_eq!(piece.is_anchored(), piece.aabb().min.y < 1.0 - 1e-9);
    }
}

/// Columns that reach into a roof and into a floor.
fn temple() -> Compound {
    let mut parts = vec![cuboid([-2.0, 2.8, -1.0], [2.0, 3.2, 1.0]), cuboid([-2.0, -0.2, -1.0], [2.0, 0.2, 1.0])];
    for x in [-1.5, -0.5, 0.5, 1.5] {
        parts.push(cuboid([x - 0.2, 0.1, -0.2], [x + 0.2, 2.9, 0.2]));
    }
    // Three that overlap in one place.
    parts.push(cuboid([1.4, 2.85, -0.1], [1.6, 3.5, 0.1]));
    Compound::new(parts, &CompoundOptions { anchors: Vec::new(), overlaps: true }).unwrap()
}

#[test]
fn overlapping_sub_meshes_are_one_thing_and_weigh_what_they_fill() {
    let temple = temple();
    assert_eq!(temple.islands().len(), 1);
    let union = 2.0 * (4.0 * 0.4 * 2.0) + 4.0 * 0.16 * 2.6 + 0.2 * 0.2 * 0.3;
    assert!((temple.volume() - union).abs() < 1e-12, "{} {union}", temple.volume());
    let ghosts = temple.parts().filter(|(_, part)| part.is_ghost()).count();
    assert_eq!(ghosts, 8 + 2 + 1);
    assert!(temple.look(7).triangles.is_empty());
}

#[test]
fn overlapping_sub_meshes_break_together() {
    for (radius, seed) in [(None, 1), (Some(0.3), 2), (Some(0.8), 3), (Some(0.3), 4)] {
        let mut temple = temple();
        let whole = temple.volume();
        let pattern = voronoi(80, seed);
        let aligned = pattern.at(DVec3::new(0.5, 2.8, 0.0), DQuat::from_rotation_x(0.3));
        let fractured = temple.fracture(&aligned, &FractureOptions { radius, ..Default::default() }).unwrap();
        assert!(fractured.pieces.len() > 3);
        assert!((volume(&temple, &fractured) - whole).abs() < 1e-11, "{radius:?}");
        // What overlaps is in one compound: no solid of one reaches into a solid of another.
        let mut solids = Vec::new();
        for (home, compound) in [&temple].into_iter().chain(&fractured.pieces).enumerate() {
            solids.extend(compound.parts().filter(|(_, part)| !part.is_ghost()).map(|(_, part)| (home, part.clone())));
            assert!(compound.is_empty() || compound.islands().len() == 1);
        }
        let mut clipper = crate::geometry::ConvexClipper::new();
        for (place, (home, one)) in solids.iter().enumerate() {
            for (other_home, other) in solids[place + 1..].iter().filter(|(other_home, _)| other_home != home) {
                let common = ghost::intersection(one.convex(), other.convex(), &mut clipper);
                assert!(common.is_none(), "{radius:?} {home} {other_home}");
            }
        }
    }
}

#[test]
fn planes_through_vertices_edges_and_faces_partition_too() {
    // A lattice of cells whose planes are the planes of the block, its middle and its diagonals.
    let mut seeds = Vec::new();
    for x in -2..=2 {
        for y in -2..=2 {
            for z in -2..=2 {
                seeds.push(DVec3::new(f64::from(x), f64::from(y), f64::from(z)));
            }
        }
    }
    let lattice = Pattern::voronoi(&seeds, Aabb::around(DVec3::ZERO, DVec3::splat(2.5))).unwrap();
    let parts = || vec![cuboid([-1.5; 3], [0.5, 1.5, 1.5]), cuboid([0.5, -1.5, -1.5], [1.5; 3])];
    for (place, rotation) in [
        (DVec3::ZERO, DQuat::IDENTITY),
        (DVec3::splat(0.5), DQuat::IDENTITY),
        (DVec3::ZERO, DQuat::from_rotation_z(std::f64::consts::FRAC_PI_4)),
        (DVec3::ZERO, DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2)),
    ] {
        let mut block = compound(parts());
        let fractured = block.fracture(&lattice.at(place, rotation), &Default::default()).unwrap();
        assert!((volume(&block, &fractured) - 27.0).abs() < 1e-11, "{place} {rotation}");
        for piece in &fractured.pieces {
            assert_eq!(bonds(piece), bonds_by_brute_force(piece));
            for (_, part) in piece.parts() {
                assert!(Convex::new(part.convex().surface().clone(), 1e-11).is_ok());
            }
        }
    }
    // Exactly on the lattice: 27 unit cubes.
    let mut block = compound(parts());
    let fractured = block.fracture(&lattice.at(DVec3::ZERO, DQuat::IDENTITY), &Default::default()).unwrap();
    assert_eq!(fractured.pieces.len(), 27);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn bonds_are_those_of_brute_force_after_every_blow(seed in 0u64..1 << 32) {
        let mut random = Random::new(seed);
        let mut block = compound(vec![
            cuboid([-1.0; 3], [0.0, 1.0, 1.0]),
            cuboid([0.0, -1.0, -1.0], [1.0, 0.3, 1.0]),
            cuboid([0.0, 0.3, -1.0], [1.0; 3]),
        ]);
        let mut lost = 0.0;
        for _ in 0..4 {
            let pattern = voronoi(20 + (random.next_u64() % 60) as u32, random.next_u64());
            let aligned = pattern.at(random.in_cube(), DQuat::from_scaled_axis(3.0 * random.in_cube()));
            let options = FractureOptions { radius: Some(0.1 + 0.5 * random.unit()), ..Default::default() };
            let before = block.volume();
            let Ok(fractured) = block.fracture(&aligned, &options) else { break };
            lost += fractured.pieces.iter().map(Compound::volume).sum::<f64>();
            prop_assert!((block.volume() + lost - 8.0).abs() < 1e-11, "{before}");
            prop_assert_eq!(bonds(&block), bonds_by_brute_force(&block));
            prop_assert!(block.is_empty() || block.islands().len() == 1);
            for piece in &fractured.pieces {
                prop_assert_eq!(piece.islands().len(), 1);
                prop_assert_eq!(bonds(piece), bonds_by_brute_force(piece));
            }
        }
    }
}

#[test]
fn cells_from_a_file_in_single_precision_fit_as_well() {
    let mut mesh = crate::geometry::TriMesh::default();
    voronoi(300, 5).cells().iter().for_each(|cell| mesh.append(&cell.convex().to_tri_mesh()));
    mesh.positions.iter_mut().for_each(|position| *position = position.as_vec3().as_dvec3());
    let pattern = crate::pattern::LoadedPattern::from_mesh(&mesh).unwrap();
    for radius in [None, Some(0.6)] {
        let mut block = compound(vec![cuboid([-1.6; 3], [1.5; 3])]);
        let before = block.volume();
        let impact = pattern.at(DVec3::new(0.1, 0.2, 0.0), DQuat::IDENTITY);
        let fractured = block.fracture(&impact, &FractureOptions { radius, ..FractureOptions::default() }).unwrap();
        assert!(fractured.pieces.len() > 5);
        let after = volume(&block, &fractured) + fractured.dropped_volume;
        assert!((after - before).abs() < 1e-9 * before, "{before} became {after}");
        assert!(block.islands().len() <= 1, "the rest fell into {}", block.islands().len());
    }
}

#[test]
fn a_blow_beyond_the_pattern_drops_and_changes_nothing() {
    let mut mesh = crate::geometry::TriMesh::default();
    voronoi(20, 1).cells().iter().skip(4).for_each(|cell| mesh.append(&cell.convex().to_tri_mesh()));
    let pattern = crate::pattern::LoadedPattern::from_mesh(&mesh).unwrap();
    let mut block = compound(vec![cuboid([40.0; 3], [41.0; 3])]);
    let options = FractureOptions { radius: Some(80.0), ..FractureOptions::default() };
    let fractured = block.fracture(&pattern.at(DVec3::ZERO, DQuat::IDENTITY), &options).unwrap();
    assert!(!fractured.is_broken() && fractured.dropped_volume == 0.0);
    assert_eq!(block.volume(), 1.0);
}
