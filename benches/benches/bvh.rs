//! Hierarchies beside parry's, and the tree over meshes that deform: refits, the search for what may touch, a frame in which
//! bodies break, and spatial hashing beside it.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use fracas::animation::{Change, Player, apply, by_name};
use fracas::bvh::baseline::{Surface, spatial_hash};
use fracas::bvh::{Bvh, Culling, MeshTree, MeshTreeOptions};
use fracas::geometry::{Aabb, TriMesh, shapes};
use glam::DVec3;
use rapier3d::parry::bounding_volume::Aabb as ParryBox;
use rapier3d::parry::partitioning::{Bvh as ParryBvh, BvhBuildStrategy, BvhWorkspace};

/// 100,820 and 1,003,520 triangles.
const FREQUENCIES: [u32; 2] = [71, 224];

fn build(criterion: &mut Criterion) {
    for frequency in FREQUENCIES {
        let mesh = shapes::Sphere { radius: 1.0, frequency }.mesh().expect("a sphere");
        let boxes: Vec<Aabb> = mesh.iter_corners().map(Aabb::of_points).collect();
        let theirs = parry_boxes(&mesh);
        let mut group = criterion.benchmark_group(format!("build {}", boxes.len()));
        group.sample_size(10);
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            group.bench_function(format!("threads {threads}"), |bencher| {
                bencher.iter(|| pool.install(|| Bvh::build(&boxes)));
            });
        }
        group.bench_function("parry binned", |bencher| {
            bencher.iter(|| ParryBvh::from_iter(BvhBuildStrategy::Binned, theirs.iter().copied()));
        });
    }
}

/// A folded cloth of 92,450 triangles, which moves a little in every step.
fn cloth(criterion: &mut Criterion) {
    const SIDE: u32 = 215;
    let place = |row: u32, column: u32| {
        let (u, v) = (f64::from(column) / f64::from(SIDE), f64::from(row) / f64::from(SIDE));
        DVec3::new(u, 0.2 * (40.0 * u).sin() * v, v)
    };
    let positions = (0..=SIDE).flat_map(|row| (0..=SIDE).map(move |column| place(row, column))).collect();
    let square = |row: u32, column: u32| {
        let (a, b) = (row * (SIDE + 1) + column, (row + 1) * (SIDE + 1) + column);
        [[a, b, a + 1], [a + 1, b, b + 1]]
    };
    let triangles = (0..SIDE).flat_map(|row| (0..SIDE).flat_map(move |column| square(row, column))).collect();
    let mesh = TriMesh::new(positions, triangles);
    let moved: Vec<DVec3> = mesh.positions.iter().map(|&p| p + DVec3::new(0.0, 0.002, 0.003 * p.x)).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("threads");
    let mut group = criterion.benchmark_group("cloth, one thread");
    group.sample_size(10);
    for culling in [Culling::Off, Culling::DualCones, Culling::Contours] {
        let mut tree = MeshTree::new(MeshTreeOptions { culling, ..Default::default() });
        let body = tree.add(&mesh).expect("a mesh");
        tree.update();
        tree.move_to(body, &moved).expect("as many vertices");
        tree.update();
        group.bench_function(format!("candidates, {culling:?}"), |bencher| {
            bencher.iter(|| pool.install(|| tree.collect_candidates(|_, _| None::<()>)));
        });
    }
    let mut tree = MeshTree::new(MeshTreeOptions::default());
    let body = tree.add(&mesh).expect("a mesh");
    tree.update();
    group.bench_function("refit", |bencher| {
        bencher.iter(|| {
            tree.move_to(body, &moved).expect("as many vertices");
            pool.install(|| tree.update());
        });
    });
    let (mut parry, mut workspace) =
        (ParryBvh::from_iter(BvhBuildStrategy::Binned, parry_boxes(&mesh)), BvhWorkspace::default());
    group.bench_function("parry's refit", |bencher| bencher.iter(|| parry.refit(&mut workspace)));
}

/// Walls that break, a tenth of the paper's size: the frame of the first break and the one after, with all that is asked of
/// the tree in it.
fn breaking(criterion: &mut Criterion) {
    let mut player = Player::new(by_name("breaking_walls", 0.1).expect("an animation"), MeshTreeOptions::default());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("threads");
    let mut group = criterion.benchmark_group("walls, one thread");
    group.sample_size(10);
    player.step().expect("a frame");
    let mut left = 2;
    while left > 0 {
        let before = (player.tree.clone(), player.handles.clone());
        player.step().expect("a frame");
        let breaks = player.changes.iter().any(Change::is_topological);
        if breaks || left == 1 {
            left -= 1;
            let name = if breaks { "a frame that breaks" } else { "the frame after" };
            group.bench_function(name, |bencher| {
                let frame = |(mut tree, mut handles): (MeshTree, _)| {
                    pool.install(|| {
                        apply(&player.changes, &mut tree, &mut handles).expect("a frame");
                        tree.update();
                        (tree.intersections(), tree)
                    })
                };
                bencher.iter_batched(|| before.clone(), frame, BatchSize::LargeInput);
            });
        }
    }
}

/// Balls, a tenth of the paper's size: the tree and spatial hashing.
fn hashing(criterion: &mut Criterion) {
    let mut player = Player::new(by_name("n_body", 0.1).expect("an animation"), MeshTreeOptions::default());
    let mut surfaces: Vec<Surface> = Vec::new();
    for _ in 0..60 {
        player.step().expect("a frame");
        surfaces.iter_mut().for_each(Surface::begin_step);
        for change in &player.changes {
            match change {
                Change::Add { key, mesh } => surfaces.push(Surface::new(player.handles[key], mesh)),
                Change::Move { key, positions } => {
                    let body = player.handles[key];
                    let surface = surfaces.iter_mut().find(|surface| surface.body() == body);
                    surface.expect("it was added").move_to(positions);
                }
                _ => {}
            }
        }
    }
    assert_eq!(spatial_hash::intersections(&surfaces), player.tree.intersections());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("threads");
    let mut group = criterion.benchmark_group("balls, one thread");
    group.sample_size(20);
    group.bench_function("spatial hashing", |bencher| {
        bencher.iter(|| pool.install(|| spatial_hash::intersections(&surfaces)));
    });
    group.bench_function("update and intersections", |bencher| {
        bencher.iter(|| {
            pool.install(|| {
                for surface in &surfaces {
                    player.tree.move_to(surface.body(), surface.positions()[1]).expect("a body");
                }
                player.tree.update();
                player.tree.intersections()
            })
        });
    });
}

fn parry_boxes(mesh: &TriMesh) -> Vec<(usize, ParryBox)> {
    let around = |aabb: Aabb| ParryBox::new(aabb.min.as_vec3(), aabb.max.as_vec3());
    mesh.iter_corners().map(|corners| around(Aabb::of_points(corners))).enumerate().collect()
}

criterion_group!(benches, build, cloth, breaking, hashing);
criterion_main!(benches);
