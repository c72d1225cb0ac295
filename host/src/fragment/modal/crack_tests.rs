use glam::{DMat3, DVec3, UVec3};
use proptest::prelude::*;

use super::grow::{Crack, Field, Run};
use super::response::Response;
use super::test_blocks::{bar, block};
use super::{Blow, Brittleness, Cracks, ModalModel, ModalOptions, NO_PIECE, SymmetricTensor};
use crate::geometry::{DisjointSets, TetMesh};
use crate::random::Random;

fn model(mesh: &TetMesh, modes: usize) -> ModalModel {
    ModalModel::new(mesh, &ModalOptions { modes, ..ModalOptions::default() }).unwrap()
}

/// What is promised of every break.
fn check(model: &ModalModel, cracks: &Cracks, nodes: &[u32], brittleness: &Brittleness) {
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
fn cut_places(model: &ModalModel, cracks: &Cracks) -> Vec<DVec3> {
    let place = |[a, b]: [u32; 2]| model.positions[a as usize].lerp(model.positions[b as usize], cracks.cut(a, b));
    cracks.cut_edges().map(place).collect()
}

fn all(model: &ModalModel) -> Vec<u32> {
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

/// A body under a stress that somebody made up.
fn under(model: &ModalModel, brittleness: &Brittleness, stress: impl Fn(DVec3) -> SymmetricTensor) -> Option<Cracks> {
    let response = Response { time: 0.0, energy: 1e9, stress: model.positions.iter().map(|&at| stress(at)).collect() };
    let body = model.body(None).unwrap();
    model.crack_under(&Field { model, body: &body, response: &response, brittleness })
}

/// A pull along a direction, in units of the strength.
fn pull(direction: DVec3, times: f64) -> SymmetricTensor {
    let traction = times * Brittleness::default().strength * direction;
    SymmetricTensor::of(DMat3::from_cols(direction.x * traction, direction.y * traction, direction.z * traction))
}

#[test]
fn an_even_pull_cracks_a_block_in_a_plane() {
    let model = model(&block(UVec3::new(9, 7, 5), DVec3::new(0.09, 0.07, 0.05)), 1);
    let direction = DVec3::new(3.0, 1.0, -0.5).normalize();
    let one = Brittleness { most_cracks: 1, ..Brittleness::default() };
    // A little more in the middle, so that the crack starts there.
    let cracks = under(&model, &one, |at| pull(direction, 2.0 - at.length())).unwrap();
    check(&model, &cracks, &all(&model), &one);
    assert_eq!(cracks.pieces(), 2);
    // Nodes keep five hundredths of an edge.
    let levels = || cut_places(&model, &cracks).into_iter().map(|at| at.dot(direction));
    let (low, high) = (levels().fold(f64::INFINITY, f64::min), levels().fold(f64::NEG_INFINITY, f64::max));
    assert!(high - low < 2.0 * 0.0501 * 0.0174, "{low} {high}");
}

#[test]
fn a_crack_follows_a_pull_that_turns() {
    let size = DVec3::new(0.1, 0.1, 0.02);
    let model = model(&block(UVec3::new(24, 24, 4), size), 1);
    let one = Brittleness { most_cracks: 1, ..Brittleness::default() };
    // Across this pull stands the curve along which x is the logarithm of a cosine.
    let bend = 15.0;
    let direction = |at: DVec3| DVec3::new((bend * at.y).cos(), (bend * at.y).sin(), 0.0);
    let cracks = under(&model, &one, |at| pull(direction(at), 2.0 - at.length())).unwrap();
    check(&model, &cracks, &all(&model), &one);
    let curve = |at: DVec3| (bend * at.y).cos().ln() / bend;
    let straightest = curve(DVec3::Y * 0.05);
    for at in cut_places(&model, &cracks) {
        assert!((at.x - curve(at)).abs() < 0.008, "{at} {}", curve(at));
    }
    assert!(straightest.abs() > 0.018, "a plane would not pass");
}

#[test]
fn a_crack_goes_around_a_hollow_body_and_stops_in_a_ring() {
    let inside = |at: DVec3, hole: DVec3| (at.abs().cmplt(hole)).all();
    let hollow = |hole: DVec3| {
        let mut mesh = block(UVec3::new(10, 10, 10), DVec3::splat(0.1));
        let keep: Vec<[u32; 4]> = (0..mesh.tets.len())
            .filter(|&tet| !inside(mesh.corners(tet).iter().sum::<DVec3>() / 4.0, hole))
            .map(|tet| mesh.tets[tet])
            .collect();
        mesh.tets = keep;
        let mut used: Vec<u32> = mesh.tets.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        mesh.positions = used.iter().map(|&node| mesh.positions[node as usize]).collect();
        mesh.tets.iter_mut().flatten().for_each(|node| *node = used.binary_search(node).unwrap() as u32);
        model(&mesh, 1)
    };
    let one = Brittleness { most_cracks: 1, ..Brittleness::default() };
    let start = DVec3::new(0.0, 0.05, 0.0);
    // The pull turns a little on the way around, so that a crack that follows it would not meet itself well.
    let stress = |at: DVec3| pull(DVec3::new(1.0, 0.0, 4.0 * at.z).normalize(), 2.0 - (at - start).length());
    let shell = hollow(DVec3::splat(0.03));
    let cracks = under(&shell, &one, stress).unwrap();
    check(&shell, &cracks, &all(&shell), &one);
    assert_eq!(cracks.pieces(), 2);
    // The same body with the hole all through it along z is a ring, and one crack does not part a ring.
    let ring = hollow(DVec3::new(0.03, 0.03, 1.0));
    let near = |at: DVec3| at.distance(start) < 0.015;
    assert!(under(&ring, &one, |at| pull(DVec3::X, if near(at) { 2.0 } else { 0.5 })).is_none());
}

#[test]
fn a_crack_that_stops_within_leaves_no_mark() {
    let model = model(&block(UVec3::new(12, 12, 2), DVec3::new(0.12, 0.12, 0.02)), 1);
    let stress = |at: DVec3| pull(DVec3::X, if at.y < -0.03 { 2.0 } else { 0.0 });
    let stubborn = Brittleness { arrest: 1.0, ..Brittleness::default() };
    assert!(under(&model, &stubborn, stress).is_none());
    let brittle = Brittleness { arrest: 0.1, ..Brittleness::default() };
    assert!(under(&model, &brittle, stress).is_some());
}

#[test]
fn cracks_take_no_more_energy_than_there_is() {
    let mesh = block(UVec3::new(10, 6, 6), DVec3::new(0.1, 0.06, 0.06));
    let model = model(&mesh, 1);
    let body = model.body(None).unwrap();
    let stress = model.positions.iter().map(|_| pull(DVec3::X, 3.0)).collect();
    let mut response = Response { time: 0.0, energy: 0.0, stress };
    let brittleness = Brittleness { toughness: 10.0, relief: 0.05, ..Brittleness::default() };
    let mut pieces = |energy: f64| {
        response.energy = energy;
        let field = Field { model: &model, body: &body, response: &response, brittleness: &brittleness };
        model.crack_under(&field).map_or(1, |cracks| cracks.pieces())
    };
    // A cut across takes 0.0036 square metres times ten.
    let counts = [0.0, 0.02, 0.05, 0.09, 0.125, 10.0].map(&mut pieces);
    assert_eq!(counts[..2], [1, 1], "{counts:?}");
    assert_eq!(counts[2..5], [2, 3, 4], "{counts:?}");
    assert!(counts[5] > 4);
}

#[test]
fn the_area_of_a_crack_is_that_of_its_plane() {
    let model = model(&block(UVec3::new(10, 9, 8), DVec3::new(0.1, 0.09, 0.08)), 1);
    let body = model.body(None).unwrap();
    let brittleness = Brittleness::default();
    let labels = vec![0; model.positions.len()];
    let mut crack = Crack::new(labels.len());
    for (direction, area) in
        [(DVec3::X, 0.09 * 0.08), (DVec3::new(1.0, 1.0, 0.0).normalize(), 0.09 * 2f64.sqrt() * 0.08)]
    {
        let stress = model.positions.iter().map(|_| pull(direction, 2.0)).collect();
        let response = Response { time: 0.0, energy: 1.0, stress };
        let seed =
            (0..labels.len()).min_by(|&a, &b| model.positions[a].length().total_cmp(&model.positions[b].length()));
        let field = Field { model: &model, body: &body, response: &response, brittleness: &brittleness };
        crack.grow(&field, &labels, seed.unwrap() as u32, Run::Bent);
        assert!((crack.area(&model) / area - 1.0).abs() < 0.15, "{} {area}", crack.area(&model));
    }
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
    #![proptest_config(ProptestConfig::with_cases(24))]

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
