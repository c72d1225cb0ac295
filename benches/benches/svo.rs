//! Voxels: surfaces, octrees, fractures, contacts.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fracas::geometry::Pose;
use fracas::geometry::shapes::{Figure, figure};
use fracas::pattern::SpherePattern;
use fracas::svo::{
    CollideOptions, FractureOptions, Placed, Seeds, VoxeliseOptions, intersect, surface_voxels, voxelise,
};
use glam::DVec3;

fn octrees(criterion: &mut Criterion) {
    let mesh = figure(Figure::Rabbit, 70_000).expect("the parameters are in range");
    let mut group = criterion.benchmark_group("svo");
    group.sample_size(10);
    for level in [8, 9, 10] {
        let (_, codes) = surface_voxels(&mesh, level).expect("the level is one of an octree");
        group.throughput(Throughput::Elements(codes.len() as u64));
        group.bench_function(format!("surface of 70,000 triangles, level {level}"), |bencher| {
            bencher.iter(|| surface_voxels(&mesh, level));
        });
        let options = VoxeliseOptions { level, ..VoxeliseOptions::default() };
        group.bench_function(format!("octree of 70,000 triangles, level {level}"), |bencher| {
            bencher.iter(|| voxelise(&mesh, &options));
        });
        let (lattice, tree) = voxelise(&mesh, &options).expect("the level is one of an octree");
        let bounds = mesh.aabb();
        let top = DVec3::new(bounds.center().x, bounds.max.y, bounds.center().z);
        let pattern = SpherePattern { cells: 90, radius: 0.5 * bounds.largest(), ..SpherePattern::default() };
        let points = pattern.seeds().expect("the parameters are in range");
        let points: Vec<DVec3> = points.into_iter().map(|point| top + point).collect();
        let seeds = Seeds::new(&lattice, &points).expect("there are seeds");
        let options = FractureOptions::default();
        let voxels = tree.fracture(&seeds, &options).expect("the options are in range").voxels;
        group.throughput(Throughput::Elements(voxels));
        group.bench_function(format!("fracture by 90 seeds, level {level}"), |bencher| {
            bencher.iter(|| tree.fracture(&seeds, &options));
        });
    }
    group.finish();
}

/// Two rabbits that are pushed into each other by a few voxels and by a tenth of their size.
fn collisions(criterion: &mut Criterion) {
    let mesh = figure(Figure::Rabbit, 70_000).expect("the parameters are in range");
    let mut group = criterion.benchmark_group("svo contacts");
    group.sample_size(20);
    let options = VoxeliseOptions { level: 9, ..VoxeliseOptions::default() };
    let (lattice, tree) = voxelise(&mesh, &options).expect("the level is one of an octree");
    let size = mesh.aabb().size().x;
    for (name, depth) in [("touching", 3.0 * lattice.voxel), ("deep", 0.1 * size)] {
        let place = |pose: Pose| Placed { tree: &tree, lattice: &lattice, pose };
        let aside = Pose { translation: DVec3::X * (size - depth), ..Pose::IDENTITY };
        for level in [7, 8, 9] {
            let options = CollideOptions { level, ..CollideOptions::default() };
            group.bench_function(format!("{name}, level {level}"), |bencher| {
                bencher.iter(|| intersect(&place(Pose::IDENTITY), &place(aside), &options));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, octrees, collisions);
criterion_main!(benches);
