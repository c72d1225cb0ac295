//! Deformable bodies: octrees, matches by rays and by distance, whole steps.

use criterion::{Criterion, criterion_group, criterion_main};
use fracas::dynamics::deformable::{DeformableScene, tori_drop, tori_pile};
use fracas::raytrace::{Detector, Surface};

/// The surfaces of a scene where its bodies start.
fn surfaces(scene: &DeformableScene) -> Vec<Surface> {
    let world = scene.world().expect("the scene is sound");
    (0..world.len()).map(|body| world.surface(body).clone()).collect()
}

fn detection(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("raytrace");
    let pile = tori_pile(16).expect("there is such a pile");
    let mut moved = surfaces(&pile);
    group.bench_function("octree of 1,600 triangles", |bencher| bencher.iter(|| moved[0].rebuild_octree()));
    for (name, scene) in [("rays", pile.clone()), ("proximity", pile.with_proximity())] {
        let (mut surfaces, mut detector) = (surfaces(&scene), Detector::default());
        group.bench_function(format!("matches of 16 tori, {name}"), |bencher| {
            bencher.iter(|| detector.detect(&mut surfaces, &scene.options.detection));
        });
    }
    group.finish();
}

fn steps(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("deformable");
    group.sample_size(10);
    let drop = tori_drop().expect("there is such a scene");
    for (name, scene) in [("rays", drop.clone()), ("proximity", drop.with_proximity())] {
        group.bench_function(format!("20 steps of two tori, {name}"), |bencher| {
            bencher.iter(|| {
                let mut world = scene.world().expect("the scene is sound");
                (0..20).for_each(|_| {
                    world.step(scene.step).expect("it goes on");
                });
                world.hash()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, detection, steps);
criterion_main!(benches);
