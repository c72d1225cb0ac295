//! Elementary continuous collision tests, by how hard the query is.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fracas::ccd::{Kind, Options, Outcome, Query};
use fracas::random::Random;
use glam::DVec3;

/// How many queries are answered in a row, so that branches are not learnt by heart.
const QUERIES: usize = 4096;

/// A sort of queries and how to make one.
type Sort = (&'static str, fn(&mut Random, Kind) -> Query);

const SORTS: [Sort; 5] =
    [("passing", passing), ("near", near), ("random", random), ("hitting", hitting), ("sliding in a plane", sliding)];

/// Moving past each other at some distance: boxes or an axis tell.
fn passing(random: &mut Random, kind: Kind) -> Query {
    let mut query = hitting(random, kind);
    query.start[0].x += 3.0;
    query.end[0].x += 3.0;
    if kind == Kind::EdgeEdge {
        query.start[1].x += 3.0;
        query.end[1].x += 3.0;
    }
    query
}

/// Boxes overlap, and things stay where they are but for a little: the volume keeps its sign.
fn near(random: &mut Random, kind: Kind) -> Query {
    let start = std::array::from_fn(|_| random.in_cube());
    let end = start.map(|point: DVec3| point + 0.02 * random.in_cube());
    Query { kind, start, end }
}

/// Points from anywhere to anywhere.
fn random(random: &mut Random, kind: Kind) -> Query {
    Query { kind, start: std::array::from_fn(|_| random.in_cube()), end: std::array::from_fn(|_| random.in_cube()) }
}

/// Things that meet within the step.
fn hitting(random: &mut Random, kind: Kind) -> Query {
    let mut query = self::random(random, kind);
    let t = random.unit();
    let at = |point: usize| query.start[point].lerp(query.end[point], t);
    let (gap, moving) = match kind {
        Kind::VertexFace => (0.5 * at(1) + 0.25 * (at(2) + at(3)) - at(0), 1),
        Kind::EdgeEdge => (0.5 * (at(2) + at(3)) - 0.5 * (at(0) + at(1)), 2),
    };
    for point in 0..moving {
        query.start[point] += gap;
        query.end[point] += gap;
    }
    query
}

/// Everything in one plane all the time, which doubles cannot tell from a contact out of the plane.
fn sliding(random: &mut Random, kind: Kind) -> Query {
    let mut query = self::random(random, kind);
    query.start.iter_mut().chain(&mut query.end).for_each(|point| point.z = 0.5);
    query
}

fn elementary(criterion: &mut Criterion) {
    let options = Options::default();
    for (kind, name) in [(Kind::VertexFace, "vertex-face"), (Kind::EdgeEdge, "edge-edge")] {
        let mut group = criterion.benchmark_group(format!("ccd {name}"));
        group.throughput(Throughput::Elements(QUERIES as u64));
        for (sort, make) in SORTS {
            let mut random = Random::new(1);
            let queries: Vec<Query> = (0..QUERIES).map(|_| make(&mut random, kind)).collect();
            group.bench_function(BenchmarkId::new(sort, QUERIES), |bencher| {
                bencher.iter(|| queries.iter().filter(|query| query.first_contact(&options) != Outcome::Miss).count());
            });
        }
        let apart = Options { minimum_separation: 0.01, ..options };
        let mut random = Random::new(1);
        let queries: Vec<Query> = (0..QUERIES).map(|_| self::random(&mut random, kind)).collect();
        group.bench_function(BenchmarkId::new("random, with a minimum separation", QUERIES), |bencher| {
            bencher.iter(|| queries.iter().filter(|query| query.first_contact(&apart) != Outcome::Miss).count());
        });
        group.finish();
    }
}

criterion_group!(benches, elementary);
criterion_main!(benches);
