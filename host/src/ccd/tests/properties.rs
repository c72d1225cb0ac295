//! Queries of every sort against the oracle: nothing is missed, and times are never late.

use glam::DVec3;
use proptest::prelude::*;

use super::oracle;
use crate::ccd::{Kind, Options, Outcome, Query};

/// What the oracle says must be what the query says; the times may differ by the tolerance.
fn check(query: &Query, truth: Option<[f64; 2]>) -> Result<(), TestCaseError> {
    let options = Options::default();
    match (query.first_contact(&options), truth) {
        (Outcome::Miss, None) => {}
        (Outcome::Hit { t, normal, .. }, Some([low, high])) => {
            prop_assert!(t <= high && t >= low - options.tolerance - 1e-12, "{t} instead of {low}..{high}: {query:?}");
            prop_assert!((normal.length() - 1.0).abs() < 1e-12, "{normal}: {query:?}");
        }
        (outcome, truth) => prop_assert!(false, "{outcome:?} instead of {truth:?}: {query:?}"),
    }
    Ok(())
}

fn kinds() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(Kind::VertexFace), Just(Kind::EdgeEdge)]
}

fn points(coordinate: impl Strategy<Value = f64> + Clone) -> impl Strategy<Value = [DVec3; 4]> {
    prop::array::uniform4(prop::array::uniform3(coordinate).prop_map(DVec3::from_array))
}

fn queries(coordinate: impl Strategy<Value = f64> + Clone) -> impl Strategy<Value = Query> {
    (kinds(), points(coordinate.clone()), points(coordinate)).prop_map(|(kind, start, end)| Query { kind, start, end })
}

/// Small integers: half of the queries touch exactly, are flat, in line, or degenerate.
fn integers(most: i32) -> impl Strategy<Value = f64> + Clone {
    (-most..=most).prop_map(f64::from)
}

/// A double a few steps beside a third of an integer.
fn nearly_thirds() -> impl Strategy<Value = f64> + Clone {
    (-6i32..=6, -2i64..=2).prop_map(|(third, steps)| {
        let value = f64::from(third) / 3.0;
        if value == 0.0 {
            steps as f64 * 2f64.powi(-56)
        } else {
            f64::from_bits((value.to_bits() as i64 + steps) as u64)
        }
    })
}

/// The points of a query, flattened into a plane that turns while they move.
fn flattened(query: Query, slopes: [[i32; 2]; 2]) -> Query {
    let flat = |points: [DVec3; 4], [x, y]: [i32; 2]| {
        points.map(|point| DVec3::new(point.x, point.y, f64::from(x) * point.x + f64::from(y) * point.y))
    };
    Query { kind: query.kind, start: flat(query.start, slopes[0]), end: flat(query.end, slopes[1]) }
}

/// Moves the first point, or the first edge, so that at `t` it touches at (u, v) of the domain, up to rounding.
fn aimed(query: Query, t: f64, [u, v]: [f64; 2]) -> Query {
    let at = |point: usize| query.start[point].lerp(query.end[point], t);
    let gap = match query.kind {
        Kind::VertexFace => at(1) + u * (at(2) - at(1)) + v * (at(3) - at(1)) - at(0),
        Kind::EdgeEdge => at(2).lerp(at(3), v) - at(0).lerp(at(1), u),
    };
    let touching = if query.kind == Kind::VertexFace { 1 } else { 2 };
    let mut query = query;
    for point in 0..touching {
        query.start[point] += gap;
        query.end[point] += gap;
    }
    query
}

/// What is said about the first part of a step is what is said about all of it, as far as it goes.
fn check_parts(query: &Query, options: &Options, until: f64) -> Result<(), TestCaseError> {
    let whole = query.first_contact(options);
    for until in [until, 0.0, 1.0, whole.time().unwrap_or(0.5), whole.time().map_or(0.5, f64::next_down)] {
        let is_after = whole.time().is_some_and(|t| t > until);
        let part = query.first_contact(&Options { until, ..*options });
        prop_assert_eq!(part, if is_after { Outcome::Miss } else { whole }, "until {}: {:?}", until, query);
    }
    Ok(())
}

fn moved(query: &Query, change: impl Fn(DVec3) -> DVec3) -> Query {
    Query { kind: query.kind, start: query.start.map(&change), end: query.end.map(&change) }
}

proptest! {
    #[test]
    fn on_a_coarse_grid(query in queries(integers(2))) {
        check(&query, oracle::first_contact(&query))?;
    }

    #[test]
    fn on_a_fine_grid(query in queries(integers(9))) {
        check(&query, oracle::first_contact(&query))?;
    }

    #[test]
    fn anywhere(query in queries(-1.0..1.0f64)) {
        check(&query, oracle::first_contact(&query))?;
    }

    #[test]
    fn beside_where_it_touches(query in queries(nearly_thirds())) {
        check(&query, oracle::first_contact(&query))?;
    }

    /// At the middle of the domain, on its border and on its corners, at the ends of the step and within.
    #[test]
    fn aimed_at_a_place(query in queries(-1.0..1.0f64), t in prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64],
                        at in prop::array::uniform2(prop_oneof![Just(0.0), Just(0.5), Just(1.0), 0.0..1.0f64])) {
        let query = aimed(query, t, at);
        check(&query, oracle::first_contact(&query))?;
    }

    #[test]
    fn in_one_plane_all_the_time(query in queries(integers(3)), slopes in prop::array::uniform2(prop::array::uniform2(-1..=1))) {
        let query = flattened(query, slopes);
        check(&query, oracle::first_contact(&query))?;
    }

    #[test]
    fn parts_of_the_step(query in prop_oneof![queries(integers(3)), queries(-1.0..1.0f64)], t in 0.0..1.0f64, until in 0.0..1.0f64,
                         separation in prop_oneof![Just(0.0), Just(0.1)], iterations in prop_oneof![Just(256u32), 0..9u32]) {
        let options = Options { minimum_separation: separation, iterations, ..Options::default() };
        check_parts(&query, &options, until)?;
        check_parts(&aimed(query, t, [0.25, 0.5]), &options, until)?;
        check_parts(&flattened(query, [[1, 0], [0, 1]]), &options, until)?;
    }

    /// Both things start in one plane, but for rounding, and one lifts off it or turns out of it, as pieces along a crack do.
    #[test]
    fn parting_at_once(mut query in queries(nearly_thirds()), lifts in prop::array::uniform2(1i32..=3), slopes in prop::array::uniform2(-2..=2i32)) {
        for point in &mut query.start {
            point.z = (f64::from(slopes[0]) * point.x + f64::from(slopes[1]) * point.y) / 3.0;
        }
        let movers = if query.kind == Kind::VertexFace { 1 } else { 2 };
        query.end = query.start;
        for (point, lift) in query.end.iter_mut().zip(lifts).take(movers) {
            *point += f64::from(lift) * DVec3::new(0.01, 0.02, 0.3);
        }
        // A gap of the thirtieth digit counts as none, and most of these have one: so a contact too many is not held against it.
        if let Some(truth) = oracle::first_contact(&query) {
            check(&query, Some(truth))?;
        }
    }

    #[test]
    fn standing_still(mut query in queries(integers(2))) {
        query.end = query.start;
        check(&query, oracle::first_contact(&query))?;
    }

    #[test]
    fn fast(query in queries(integers(3)), speed in prop::array::uniform3(-20..=20)) {
        let mut query = query;
        query.end[0] += 4096.0 * DVec3::from_array(speed.map(f64::from));
        check(&query, oracle::first_contact(&query))?;
    }

    #[test]
    fn far_from_the_origin(query in queries(integers(3)), shift in prop::array::uniform3(-1i64 << 50..1 << 50)) {
        let truth = oracle::first_contact(&query);
        check(&moved(&query, |point| point + DVec3::from_array(shift.map(|x| x as f64))), truth)?;
    }

    #[test]
    fn huge_and_tiny(query in queries(integers(3)), power in -1073..1020) {
        let truth = oracle::first_contact(&query);
        let halves = [power / 2, power - power / 2].map(|half| 2f64.powi(half));
        check(&moved(&query, |point| point * halves[0] * halves[1]), truth)?;
    }
}
