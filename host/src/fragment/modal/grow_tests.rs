use glam::{DMat3, DVec3, UVec3};

use super::crack_tests::{all, check, cut_places, model};
use super::grow::{Crack, Field, Run};
use super::response::Response;
use super::test_blocks::{block, without};
use super::{Brittleness, Cracks, ModalModel, SymmetricTensor};

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
    let full = block(UVec3::splat(10), DVec3::splat(0.1));
    let hollow = |hole: DVec3| model(&without(&full, |middle| middle.abs().cmplt(hole).all()), 1);
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
