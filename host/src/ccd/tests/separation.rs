//! Contacts within a minimum separation.

use glam::DVec3;
use proptest::prelude::*;

use crate::ccd::closest::Instant;
use crate::ccd::motion::Motion;
use crate::ccd::{Kind, Options, Outcome, Query};

fn distance(query: &Query, t: f64) -> f64 {
    let now = Instant::of(&Motion::of(query), t);
    now.gap(now.closest(query.kind)).length()
}

#[test]
fn it_stops_at_the_separation() {
    let face = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let at = |height: f64| [DVec3::new(0.25, 0.25, height), face[0], face[1], face[2]];
    let options = Options { minimum_separation: 0.5, ..Options::default() };
    let time = |from: f64, to: f64| Query::vertex_face(at(from), at(to)).first_contact(&options).time();
    assert!(time(2.5, -1.5).is_some_and(|t| (0.5 - 1e-7..=0.5).contains(&t)));
    assert_eq!(time(2.5, 0.51), None);
    assert_eq!(time(0.4, 3.0), Some(0.0));
    assert_eq!(time(-0.6, -5.0), None);
}

#[test]
fn passing_by_takes_no_time() {
    let edge = [DVec3::ZERO, DVec3::X];
    let past = |x: f64| [DVec3::new(x, -1.0, 0.1), DVec3::new(x, 1.0, 0.1), edge[0], edge[1]];
    let query = Query::edge_edge(past(-1e6), past(1e6));
    let options = Options { minimum_separation: 0.0999999, iterations: 16, tolerance: 1e-18, ..Options::default() };
    assert_eq!(query.first_contact(&options), Outcome::Miss);
    let near = Options { minimum_separation: 0.1000001, iterations: 100, ..Options::default() };
    assert!(query.first_contact(&near).time().is_some_and(|t| t < 0.5));
}

proptest! {
    #[test]
    fn nothing_is_nearer_before(
        kind in prop_oneof![Just(Kind::VertexFace), Just(Kind::EdgeEdge)],
        coordinates in prop::array::uniform24(-1.0..1.0f64),
        separation in 1e-6..0.3f64,
    ) {
        let point = |i: usize| DVec3::from_slice(&coordinates[3 * i..]);
        let query = Query { kind, start: [0, 1, 2, 3].map(point), end: [4, 5, 6, 7].map(point) };
        let options = Options { minimum_separation: separation, ..Options::default() };
        let outcome = query.first_contact(&options);
        let until = outcome.time().unwrap_or(1.0);
        // Some start out nearer.
        for sample in 0..=if until > 0.0 { 64 } else { -1 } {
            let t = until * f64::from(sample) / 64.0;
            prop_assert!(distance(&query, t) >= separation - 1e-12, "{outcome:?}, but at {t} {}", distance(&query, t));
        }
        if let Outcome::Hit { t, normal, .. } = outcome {
            let fastest = 8.0 * 3f64.sqrt();
            prop_assert!(t == 0.0 || distance(&query, t) <= separation + 2.0 * options.tolerance * fastest);
            prop_assert!((normal.length() - 1.0).abs() < 1e-12);
        }
        // Touching is nearer than any separation.
        if let Outcome::Hit { t, .. } = query.first_contact(&Options::default()) {
            prop_assert!(until <= t + 1e-8);
        }
    }
}
