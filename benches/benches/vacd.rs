//! Fractures: a blow on the arena, a pane of glass, and a figure that breaks altogether.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use fracas::geometry::shapes::{Arena, Figure, figure};
use fracas::geometry::{Aabb, Convex, PolyMesh};
use fracas::pattern::{Pattern, VoronoiPattern, WebPattern};
use fracas::vacd::{Compound, CompoundOptions, FractureOptions, Part, PrepareOptions, parts_of};
use glam::{DQuat, DVec3};
use rayon::prelude::*;

fn arena() -> Compound {
    let solids = Arena::default().parts().expect("the parameters are in range");
    let options = PrepareOptions::overlapping();
    let parts: Vec<Vec<Part>> =
        solids.par_iter().map(|solid| parts_of(&solid.mesh, &options).expect("a solid")).collect();
    let joined = CompoundOptions { overlaps: true, ..CompoundOptions::default() };
    Compound::new(parts.into_iter().flatten().collect(), &joined).expect("not too many overlap")
}

fn pane() -> Compound {
    let pane = Convex::cuboid(Aabb::around(DVec3::ZERO, DVec3::new(1.0, 1.5, 0.005)));
    Compound::new(vec![Part::internal(pane)], &CompoundOptions::default()).expect("a pane is a solid")
}

fn dragon() -> Compound {
    let mesh = PolyMesh::from(&figure(Figure::Dragon, 20_000).expect("the parameters are in range"));
    let parts = parts_of(&mesh, &PrepareOptions::default()).expect("the figure is a solid");
    Compound::new(parts, &CompoundOptions::default()).expect("its parts do not overlap")
}

fn blows(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("vacd");
    group.sample_size(10);
    let mut blow = |name: &str, compound: Compound, pattern: Pattern, impact: DVec3, radius: Option<f64>| {
        let options = FractureOptions { radius, ..FractureOptions::default() };
        group.bench_function(name, |bencher| {
            let strike = |mut compound: Compound| {
                let fractured = compound.fracture(&pattern.at(impact, DQuat::IDENTITY), &options);
                // Both are dropped outside of the measurement.
                (compound, fractured)
            };
            bencher.iter_batched(|| compound.clone(), strike, BatchSize::PerIteration);
        });
    };
    let voronoi = |cells, extent, falloff| {
        let pattern = VoronoiPattern { cells, extent, falloff, ..VoronoiPattern::default() };
        pattern.pattern().expect("the parameters are in range")
    };
    let arena = arena();
    let hit = arena.part(0).map_or(DVec3::ZERO, |part| part.mass_properties().centroid);
    blow("arena, one blow", arena, voronoi(400, 8.0, 2.5), hit, Some(0.8));
    let web = WebPattern::default().pattern().expect("the parameters are in range");
    blow("glass, one blow", pane(), web, DVec3::new(0.2, 0.3, 0.0), Some(0.3));
    blow("dragon of 20,000 triangles, 200 cells", dragon(), voronoi(200, 1.0, 0.0), DVec3::ZERO, None);
    group.finish();
}

criterion_group!(benches, blows);
criterion_main!(benches);
