//! Fragments of tetrahedral meshes: maximum-distance ordering, a fracture, contacts of two pieces.

use criterion::{Criterion, criterion_group, criterion_main};
use fracas::fragment::{
    Fragment, MesherOptions, PairMemory, QueryOptions, QueryScratch, SeedPartition, Solid, SolidOptions,
    maximum_distance_order, tetrahedralise,
};
use fracas::geometry::{Pose, shapes};
use fracas::random::Random;
use glam::DVec3;

fn ordering(criterion: &mut Criterion) {
    let mut random = Random::new(1);
    let points: Vec<DVec3> = (0..10_000).map(|_| random.in_cube()).collect();
    criterion.bench_function("fragment/order of 10,000 points", |bencher| {
        bencher.iter(|| maximum_distance_order(&points));
    });
}

/// The paper's reference sphere in three pieces.
fn sphere(criterion: &mut Criterion) {
    let surface = shapes::Sphere { radius: 1.0, frequency: 16 }.mesh().expect("a sphere");
    let options = MesherOptions { cell: Some(0.125), ..MesherOptions::default() };
    let meshed = tetrahedralise(&surface, &options).expect("it is closed");
    let solid = Solid::new(&meshed.mesh, &SolidOptions::default()).expect("a solid");
    let whole = Fragment::whole(&solid);
    let seeds = [DVec3::new(0.3, 0.4, 0.1), DVec3::new(-0.4, 0.1, 0.2), DVec3::new(0.0, -0.5, -0.3)];
    let partition = SeedPartition::new(solid.positions(), &seeds);
    criterion.bench_function("fragment/fracture of a sphere", |bencher| bencher.iter(|| whole.fracture(&partition)));
    criterion.bench_function("fragment/update of a sphere", |bencher| {
        bencher.iter_custom(|rounds| (0..rounds).map(|_| whole.fracture_timed(&partition).1).sum());
    });
    let pieces = whole.fracture(&partition);
    let (options, mut scratch) = (QueryOptions::for_radius(solid.radius()), QueryScratch::default());
    let mut ask = |memory: &mut PairMemory| {
        let mut found = [Vec::new(), Vec::new()];
        pieces[0].query_pair(&pieces[1], &Pose::IDENTITY, [options; 2], memory, &mut scratch, &mut found);
        found
    };
    criterion.bench_function("fragment/first query", |bencher| bencher.iter(|| ask(&mut PairMemory::default())));
    let mut memory = PairMemory::default();
    criterion.bench_function("fragment/query again", |bencher| bencher.iter(|| ask(&mut memory)));
}

criterion_group!(benches, ordering, sphere);
criterion_main!(benches);
