//! Reading mesh files from memory, in bytes a second.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fracas::geometry::io::{TriFormat, WriteOptions, read_tri_mesh_bytes, tri_mesh_to_bytes};
use fracas::geometry::shapes::Sphere;

fn loading(criterion: &mut Criterion) {
    let mesh = Sphere { radius: 1.0, frequency: 100 }.mesh().expect("the parameters are in range");
    let mut group = criterion.benchmark_group("loading 200,000 triangles");
    group.sample_size(10);
    for (name, format, ascii) in [
        ("obj", TriFormat::Obj, false),
        ("ply binary", TriFormat::Ply, false),
        ("ply ascii", TriFormat::Ply, true),
        ("stl", TriFormat::Stl, false),
        ("off", TriFormat::Off, false),
        ("glb", TriFormat::Gltf, false),
    ] {
        let bytes = tri_mesh_to_bytes(format, &mesh, &WriteOptions { ascii }, name).expect("a sphere can be written");
        group.throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
            bencher.iter(|| read_tri_mesh_bytes(format, &bytes, name).expect("what was written can be read"));
        });
    }
    group.finish();
}

criterion_group!(benches, loading);
criterion_main!(benches);
