//! Approximate hulls and fits of a figure of thirty thousand vertices.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fracas::geometry::shapes::{Figure, figure};
use fracas::geometry::{Aabb, Convex, convex_hull};
use fracas::vacd::{Fit, approximate_hull, fit};

fn hull(criterion: &mut Criterion) {
    let points = figure(Figure::Rabbit, 60_000).expect("the parameters are in range").positions;
    let start = Convex::cuboid(Aabb::of_points(points.iter().copied()));
    let mut group = criterion.benchmark_group("approximate hull");
    group.sample_size(20);
    group.throughput(Throughput::Elements(points.len() as u64));
    for vertices in [6, 20, 50, 100] {
        group.bench_function(BenchmarkId::new("vertices", vertices), |bencher| {
            bencher.iter(|| approximate_hull(&points, vertices, None));
        });
    }
    group.bench_function("true hull", |bencher| bencher.iter(|| convex_hull(&points)));
    for way in [Fit::Aabb, Fit::Dop14, Fit::Dop26] {
        group.bench_function(BenchmarkId::new("fit", way), |bencher| bencher.iter(|| fit(&start, &points, &way)));
    }
    group.finish();
}

criterion_group!(benches, hull);
criterion_main!(benches);
