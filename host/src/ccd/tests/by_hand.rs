//! Cases with a name.

use glam::DVec3;

use crate::ccd::{Features, Options, Outcome, Query};

const FACE: [DVec3; 3] = [DVec3::ZERO, DVec3::X, DVec3::Y];

fn vertex(from: DVec3, to: DVec3) -> Query {
    let [a, b, c] = FACE;
    Query::vertex_face([from, a, b, c], [to, a, b, c])
}

fn outcome(query: &Query) -> Outcome {
    query.first_contact(&Options::default())
}

#[test]
fn coordinates_that_are_no_numbers_are_undecided_at_once() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for point in 0..8 {
            for axis in 0..3 {
                // Far apart along an axis, were it not for the one.
                let mut query = vertex(DVec3::splat(10.0), DVec3::splat(10.0));
                let points = if point < 4 { &mut query.start } else { &mut query.end };
                points[point % 4][axis] = bad;
                assert_eq!(outcome(&query), Outcome::Undecided { t: 0.0 });
                let options = Options { minimum_separation: 0.1, ..Options::default() };
                assert_eq!(query.first_contact(&options), Outcome::Undecided { t: 0.0 });
            }
        }
    }
}

#[test]
fn a_hit_says_where_and_which_way_out() {
    let query = vertex(DVec3::new(0.25, 0.5, -1.0), DVec3::new(0.25, 0.5, 1.0));
    let Outcome::Hit { t, features: Features::VertexFace(weights), normal } = outcome(&query) else { panic!() };
    assert!((0.5 - 1e-8..=0.5).contains(&t));
    assert_eq!((weights, normal), ([0.25, 0.25, 0.5], -DVec3::Z));

    let [x, y, z] = DVec3::AXES;
    let falling = Query::edge_edge([-x + z, x + z, -y, 3.0 * y], [-x - z, x - z, -y, 3.0 * y]);
    let Outcome::Hit { features: Features::EdgeEdge(along), normal, .. } = outcome(&falling) else { panic!() };
    assert_eq!((along, normal), ([0.5, 0.25], z));
}

#[test]
fn touching_at_either_end_is_a_hit() {
    let above = DVec3::new(0.25, 0.25, 1.0);
    let on = DVec3::new(0.25, 0.25, 0.0);
    assert_eq!(outcome(&vertex(on, above)).time(), Some(0.0));
    assert!(outcome(&vertex(above, on)).time().is_some_and(|t| t > 1.0 - 1e-7));
    assert_eq!(outcome(&vertex(on, on)).time(), Some(0.0));
    // On an edge and on a corner.
    assert_eq!(outcome(&vertex(DVec3::new(0.5, 0.5, 0.0), above)).time(), Some(0.0));
    assert_eq!(outcome(&vertex(DVec3::ZERO, above)).time(), Some(0.0));
}

#[test]
fn edges_that_shrink_to_where_they_meet_at_the_very_end_touch() {
    let v = DVec3::new;
    let o = DVec3::ZERO;
    let query = Query::edge_edge([o, o, v(-1.0, 2.0, 0.0), v(-1.0, 0.0, 0.0)], [v(0.0, -3.0, 3.0), o, o, o]);
    assert!(outcome(&query).time().is_some_and(|t| t > 1.0 - 1e-7));
}

#[test]
fn four_points_in_one_place_touch() {
    for place in [DVec3::ZERO, DVec3::splat(1e308), DVec3::splat(-1e-320)] {
        let query = Query::edge_edge([place; 4], [-place; 4]);
        assert_eq!(outcome(&query).time(), Some(0.0));
        assert!(matches!(outcome(&query), Outcome::Hit { normal, .. } if (normal.length() - 1.0).abs() < 1e-12));
    }
}

#[test]
fn the_largest_and_the_smallest_doubles() {
    let most = f64::MAX;
    let query = vertex(DVec3::new(0.1, 0.1, most), DVec3::new(0.1, 0.1, -most));
    assert!(outcome(&query).time().is_some_and(|t| (0.5 - 1e-8..=0.5).contains(&t)));
    let least = f64::from_bits(1);
    let query = vertex(DVec3::new(0.1, 0.1, least), DVec3::new(0.1, 0.1, 3.0 * least));
    assert_eq!(outcome(&query), Outcome::Miss);
    let query = vertex(DVec3::new(0.1, 0.1, 1e-200), DVec3::new(0.1, 0.1, -3e-200));
    assert!(outcome(&query).time().is_some_and(|t| (0.25 - 1e-8..=0.25).contains(&t)));
    // Too little beside a face of this size: known to touch, not when.
    let query = vertex(DVec3::new(0.1, 0.1, least), DVec3::new(0.1, 0.1, -3.0 * least));
    assert!(outcome(&query).time().is_some_and(|t| t <= 0.25));
}

#[test]
fn one_step_of_the_last_digit_beside_an_edge_is_a_miss() {
    let beside = 0.5f64.next_up();
    let query = vertex(DVec3::new(0.5, beside, 1.0), DVec3::new(0.5, beside, -1.0));
    assert_eq!(outcome(&query), Outcome::Miss);
    let query = vertex(DVec3::new(0.5, 0.5, 1.0), DVec3::new(0.5, 0.5, -1.0));
    assert!(outcome(&query).time().is_some());
}

#[test]
fn without_iterations_nothing_is_decided_that_the_filters_leave() {
    let query = vertex(DVec3::new(0.25, 0.25, 1.0), DVec3::new(0.25, 0.25, -1.0));
    for iterations in 0..4 {
        let options = Options { iterations, ..Options::default() };
        let time = query.first_contact(&options).time();
        assert!(time.is_some_and(|t| t <= 0.5), "{time:?}");
    }
    let options = Options { iterations: 0, ..Options::default() };
    assert_eq!(query.first_contact(&options), Outcome::Undecided { t: 0.0 });
    let separated = Options { minimum_separation: 0.1, ..options };
    assert_eq!(query.first_contact(&separated), Outcome::Undecided { t: 0.0 });
}

#[test]
fn options_that_make_no_sense_do_no_harm() {
    let query = vertex(DVec3::new(0.25, 0.25, 1.0), DVec3::new(0.25, 0.25, -1.0));
    for odd in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0] {
        let options = Options { tolerance: odd, ..Options::default() };
        assert!(query.first_contact(&options).time().is_some_and(|t| t <= 0.5));
        let options = Options { minimum_separation: odd, ..Options::default() };
        assert!(query.first_contact(&options).time().is_some_and(|t| t <= 0.5));
        let options = Options { tolerance: odd, minimum_separation: 0.1, ..Options::default() };
        assert!(query.first_contact(&options).time().is_some_and(|t| t <= 0.45));
    }
}
