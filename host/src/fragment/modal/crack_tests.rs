use glam::{DVec3, UVec3};
use proptest::prelude::*;

use super::test_blocks::{bar, block};
use super::{Blow, Brittleness, Cracks, ModalModel, ModalOptions, NO_PIECE};
use crate::geometry::{DisjointSets, TetMesh};
use crate::random::Random;

pub(super) fn model(mesh: &TetMesh, modes: usize) -> ModalModel {
    ModalModel::new(mesh, &ModalOptions { modes, ..ModalOptions::default() }).unwrap()
}

/// What is promised of every break.
pub(super) fn check(model: &ModalModel, cracks: &Cracks, nodes: &[u32], brittleness: &Brittleness) {
    let count = model.positions.len();
    let pieces = cracks.pieces() as usize;
    assert!(pieces > 1 && cracks.labels.len() == count);
    let mut sizes = vec![0; pieces];
    let mut seen = 0;
    for node in 0..count as u32 {
        let label = cracks.labels[node as usize];
        assert_eq!(label == NO_PIECE, !nodes.contains(&node));
        if label != NO_PIECE {
            assert!(label <= seen, "labels are in the order of the smallest nodes");
            seen = seen.max(label + 1);
            sizes[label as usize] += 1;
        }
    }
    assert_eq!(seen as usize, pieces);
    assert!(sizes.iter().all(|&size| size >= brittleness.least_nodes), "{sizes:?}");
    let (mut sets, mut joined, mut between) = (DisjointSets::new(count), 0, 0);
    for a in 0..count as u32 {
        for &b in model.graph.neighbours(a) {
            let (first, second) = (cracks.labels[a as usize], cracks.labels[b as usize]);
            if first == NO_PIECE || second == NO_PIECE {
                continue;
            }
            if first == second {
                joined += usize::from(sets.join(a, b));
            } else {
                let cut = cracks.cut(a, b);
                assert!(cut > 0.0 && cut < 1.0 && (cut + cracks.cut(b, a) - 1.0).abs() < 1e-15);
                between += usize::from(a < b);
            }
        }
    }
    assert_eq!(nodes.len() - joined, pieces, "every piece hangs together");
    assert_eq!(cracks.cut_edges().count(), between, "all edges between pieces are cut by a crack, and no others");
}

/// The places where edges are cut.
pub(super) fn cut_places(model: &ModalModel, cracks: &Cracks) -> Vec<DVec3> {
    let place = |[a, b]: [u32; 2]| model.positions[a as usize].lerp(model.positions[b as usize], cracks.cut(a, b));
    cracks.cut_edges().map(place).collect()
}

/// All nodes.
pub(super) fn all(model: &ModalModel) -> Vec<u32> {
    (0..model.positions.len() as u32).collect()
}

#[test]
fn a_bar_that_is_hit_in_its_middle_breaks_there_across_its_axis() {
    let model = model(&bar(), 20);
    let brittleness = Brittleness::default();
    for place in [0.0, 0.03] {
        // So long that the bar bends as under a load.
        let blow = Blow { duration: Some(2e-3), ..Blow::new(DVec3::new(place, 0.01, 0.0), -5.0 * DVec3::Y) };
        let cracks = model.crack(None, &blow, &Brittleness { most_cracks: 1, ..brittleness }).unwrap();
        check(&model, &cracks, &all(&model), &brittleness);
        assert_eq!(cracks.pieces(), 2);
        let places = cut_places(&model, &cracks);
        let mean = places.iter().sum::<DVec3>() / places.len() as f64;
        assert!((mean.x - place).abs() < 0.024, "{mean}");
        assert!(mean.y.abs() < 0.003 && mean.z.abs() < 0.003, "the crack goes through the whole section: {mean}");
        assert!(places.iter().all(|at| (at.x - mean.x).abs() < 0.01), "the crack stands across the axis");
    }
}

#[test]
fn a_weak_blow_breaks_nothing_and_harder_ones_break_more() {
    let brittleness = Brittleness::default();
    for (mesh, point) in [
        (bar(), DVec3::new(0.0, 0.01, 0.0)),
        (block(UVec3::new(16, 2, 16), DVec3::new(0.2, 0.01, 0.2)), DVec3::new(0.0, 0.005, 0.0)),
    ] {
        let model = model(&mesh, 20);
        let mass = 2300.0 * mesh.volume();
        let pieces = |speed: f64| {
            let cracks = model.crack(None, &Blow::new(point, -DVec3::Y * mass * speed), &brittleness);
            cracks
                .inspect(|cracks| check(&model, cracks, &all(&model), &brittleness))
                .map_or(1, |cracks| cracks.pieces())
        };
        assert_eq!(pieces(0.1), 1);
        let counts: Vec<u32> = [0.1, 0.5, 2.0, 4.0, 8.0, 16.0, 32.0].map(pieces).to_vec();
        assert!(counts.is_sorted() && counts[3] > 1 && counts[6] > 8, "{counts:?}");
    }
}

#[test]
fn fragments_break_again_and_leave_the_others_alone() {
    let model = model(&block(UVec3::new(16, 2, 16), DVec3::new(0.2, 0.01, 0.2)), 20);
    let brittleness = Brittleness::default();
    let impulse = -DVec3::Y * 8.0;
    let first = model.crack(None, &Blow::new(DVec3::new(0.03, 0.005, 0.0), impulse), &brittleness).unwrap();
    let mut broken = 0;
    for label in 0..first.pieces() {
        let nodes: Vec<u32> = all(&model).into_iter().filter(|&node| first.labels[node as usize] == label).collect();
        let point = model.positions[nodes[nodes.len() / 2] as usize];
        if let Some(cracks) = model.crack(Some(&nodes), &Blow::new(point, impulse), &brittleness) {
            check(&model, &cracks, &nodes, &brittleness);
            broken += 1;
        }
    }
    assert!(broken > 0);
}

#[test]
fn cracks_are_the_same_to_the_bit_for_every_number_of_threads() {
    let mesh = block(UVec3::new(16, 2, 16), DVec3::new(0.2, 0.01, 0.2));
    let cracks = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let blow = Blow::new(DVec3::new(0.01, 0.005, 0.02), -8.0 * DVec3::Y);
        pool.install(|| model(&mesh, 20).crack(None, &blow, &Brittleness::default()).unwrap())
    };
    let first = cracks(1);
    assert!(first.pieces() > 2 && (2..5).all(|threads| cracks(threads) == first));
}

#[test]
fn what_cannot_be_used_breaks_nothing() {
    let model = model(&bar(), 10);
    let hard = Blow::new(DVec3::new(0.0, 0.01, 0.0), -5.0 * DVec3::Y);
    let good = Brittleness::default();
    assert!(model.crack(None, &hard, &good).is_some());
    for bad in [
        Brittleness { strength: 0.0, ..good },
        Brittleness { arrest: 1.5, ..good },
        Brittleness { toughness: f64::NAN, ..good },
        Brittleness { relief: 0.0, ..good },
        Brittleness { most_cracks: 0, ..good },
        Brittleness { least_nodes: 0, ..good },
    ] {
        assert!(bad.check().is_err_and(|error| error.to_string().starts_with("brittleness: ")));
        assert!(model.crack(None, &hard, &bad).is_none());
    }
    assert!(model.crack(None, &hard, &Brittleness { least_nodes: usize::MAX, ..good }).is_none());
    assert!(model.crack(Some(&[5]), &hard, &good).is_none());
    assert!(model.crack(Some(&[5, 10_000]), &hard, &good).is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn random_blocks_break_into_whole_pieces(
        cells in prop::array::uniform3(1..6u32),
        seed in any::<u64>(),
        power in 0.0..3.0f64,
        least in 1..6usize,
        relief in 0.01..0.4f64,
    ) {
        let cells = UVec3::from_array(cells);
        let mut mesh = block(cells, 0.02 * cells.as_dvec3());
        let mut random = Random::new(seed);
        mesh.positions.iter_mut().for_each(|at| *at += 0.002 * random.in_cube());
        let model = model(&mesh, 12);
        let brittleness = Brittleness { least_nodes: least, relief, ..Brittleness::default() };
        let point = mesh.positions[random.next_u64() as usize % mesh.positions.len()];
        let blow = Blow::new(point, 10f64.powf(power) * mesh.volume() * 2e4 * random.in_cube());
        if let Some(cracks) = model.crack(None, &blow, &brittleness) {
            check(&model, &cracks, &all(&model), &brittleness);
            for label in 0..cracks.pieces() {
                let nodes: Vec<u32> = all(&model).into_iter().filter(|&n| cracks.labels[n as usize] == label).collect();
                let blow = Blow { point: mesh.positions[nodes[0] as usize], ..blow };
                if let Some(again) = model.crack(Some(&nodes), &blow, &brittleness) {
                    check(&model, &again, &nodes, &brittleness);
                }
            }
        }
    }
}
