//! Voronoi cells and fracture patterns, on one thread.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fracas::geometry::{Aabb, voronoi};
use fracas::pattern::{SpherePattern, VoronoiPattern, WebPattern};
use fracas::random::Random;
use glam::DVec3;
use meshless_voronoi::{Dimensionality, Voronoi};

fn random_points(count: usize) -> Vec<DVec3> {
    let mut random = Random::new(1);
    (0..count).map(|_| 0.5 * (random.in_cube() + 1.0)).collect()
}

fn cells(criterion: &mut Criterion) {
    // Both use rayon's pool; one thread in it compares the algorithms.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be started");
    let mut group = criterion.benchmark_group("voronoi");
    group.sample_size(10);
    for count in [10_000, 100_000] {
        let points = random_points(count);
        let bounds = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(BenchmarkId::new("fracas", count), |bencher| {
            pool.install(|| bencher.iter(|| voronoi(&points, bounds)));
        });
        let theirs: Vec<[f64; 3]> = points.iter().map(|point| point.to_array()).collect();
        let theirs: Vec<_> = theirs.into_iter().map(Into::into).collect();
        group.bench_function(BenchmarkId::new("meshless_voronoi", count), |bencher| {
            pool.install(|| {
                bencher
                    .iter(|| Voronoi::build(&theirs, [0.0; 3].into(), [1.0; 3].into(), Dimensionality::ThreeD, false));
            });
        });
    }
    group.finish();
}

fn patterns(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pattern");
    let voronoi = VoronoiPattern { cells: 1000, ..VoronoiPattern::default() };
    group.bench_function("voronoi, 1000 cells", |bencher| bencher.iter(|| voronoi.pattern()));
    let spheres = SpherePattern { cells: 1000, spheres: 8, ..SpherePattern::default() };
    group.bench_function("spheres, 1000 cells", |bencher| bencher.iter(|| spheres.pattern()));
    let web = WebPattern { rings: 24, spokes: 40, ..WebPattern::default() };
    group.bench_function("web, 1000 cells", |bencher| bencher.iter(|| web.pattern()));
    group.finish();
}

criterion_group!(benches, cells, patterns);
criterion_main!(benches);
