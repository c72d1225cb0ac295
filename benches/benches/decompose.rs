//! Decomposition of a dragon of 80,000 triangles: with twelve given nodes, as [Mueller13] figure 10, and with placed ones.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use fracas::geometry::PolyMesh;
use fracas::geometry::shapes::{Figure, figure};
use fracas::vacd::{DecomposeOptions, Fit, NodeOptions, decompose, place_nodes};

fn dragon(criterion: &mut Criterion) {
    let mesh = PolyMesh::from(&figure(Figure::Dragon, 80_000).expect("the parameters are in range"));
    let mut group = criterion.benchmark_group("decompose");
    group.sample_size(10);
    let nodes = place_nodes(&mesh, 12, &NodeOptions::default()).expect("the figure is a solid");
    for fit in [Fit::Aabb, Fit::Dop14, Fit::Hull(20)] {
        let options = DecomposeOptions { fit, ..DecomposeOptions::default() };
        group.bench_function(BenchmarkId::new("12 nodes", fit), |bencher| {
            bencher.iter(|| decompose(&mesh, &nodes, &options));
        });
    }
    for count in [12, 32] {
        group.bench_function(BenchmarkId::new("place nodes", count), |bencher| {
            bencher.iter(|| place_nodes(&mesh, count, &NodeOptions::default()));
        });
    }
    group.finish();
}

criterion_group!(benches, dragon);
criterion_main!(benches);
