//! Decomposition of a dragon of 80,000 triangles: with twelve given nodes, as [Mueller13] figure 10, and without any.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use fracas::geometry::PolyMesh;
use fracas::geometry::shapes::{Figure, figure};
use fracas::vacd::{AutoOptions, DecomposeOptions, Fit, decompose, decompose_auto};
use glam::DVec3;

fn dragon(criterion: &mut Criterion) {
    let mesh = PolyMesh::from(&figure(Figure::Dragon, 80_000).expect("the parameters are in range"));
    let mut group = criterion.benchmark_group("decompose");
    group.sample_size(10);
    let parts = decompose_auto(&mesh, 12, &AutoOptions::default()).expect("the figure is a solid");
    let nodes: Vec<DVec3> = parts.iter().take(12).map(|part| part.mass_properties().centroid).collect();
    for fit in [Fit::Aabb, Fit::Dop14, Fit::Hull(20)] {
        let options = DecomposeOptions { fit, ..DecomposeOptions::default() };
        group.bench_function(BenchmarkId::new("12 nodes", fit), |bencher| {
            bencher.iter(|| decompose(&mesh, &nodes, &options));
        });
    }
    for count in [12, 32] {
        group.bench_function(BenchmarkId::new("automatic", count), |bencher| {
            bencher.iter(|| decompose_auto(&mesh, count, &AutoOptions::default()));
        });
    }
    group.finish();
}

criterion_group!(benches, dragon);
criterion_main!(benches);
