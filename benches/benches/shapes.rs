//! Making procedural shapes.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use fracas::geometry::shapes::{Arena, Column, Figure, PiggyBank, Sphere, figure};

fn shapes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("shapes");
    group.sample_size(10);
    group.bench_function("sphere, 100,820 triangles", |bencher| {
        bencher.iter(|| Sphere { radius: 1.0, frequency: 71 }.mesh());
    });
    group.bench_function("column", |bencher| bencher.iter(|| Column::default().mesh()));
    group.bench_function("piggy bank", |bencher| bencher.iter(|| PiggyBank::default().mesh()));
    for triangles in [8_000, 80_000] {
        group.bench_function(BenchmarkId::new("dragon", triangles), |bencher| {
            bencher.iter(|| figure(Figure::Dragon, triangles));
        });
    }
    group.bench_function("arena, a million vertices", |bencher| bencher.iter(|| Arena::default().parts()));
    group.finish();
}

criterion_group!(benches, shapes);
criterion_main!(benches);
