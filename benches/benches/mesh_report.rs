//! Looking meshes over: topology alone, and with self-intersections.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fracas::geometry::shapes::Sphere;
use fracas::geometry::{ReportOptions, mesh_report, self_intersections};

fn report(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("mesh report");
    group.sample_size(10);
    for frequency in [22, 71] {
        let mesh = Sphere { radius: 1.0, frequency }.mesh().expect("the parameters are in range");
        let triangles = mesh.triangles.len();
        group.throughput(Throughput::Elements(triangles as u64));
        group.bench_function(BenchmarkId::new("topology", triangles), |bencher| {
            bencher.iter(|| mesh_report(&mesh, &ReportOptions::default()));
        });
        group.bench_function(BenchmarkId::new("self-intersections", triangles), |bencher| {
            bencher.iter(|| self_intersections(&mesh));
        });
    }
    group.finish();
}

criterion_group!(benches, report);
criterion_main!(benches);
