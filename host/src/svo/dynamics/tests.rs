use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::*;
use crate::geometry::shapes::{Sphere, cuboid};
use crate::geometry::{Plane, Pose, TriMesh};
use crate::svo::{FractureOptions, Lattice, Seeds, Tree, VoxeliseOptions, voxelise};

pub(super) fn solid(mesh: &TriMesh, level: u32) -> (Lattice, Arc<Tree>) {
    let (lattice, tree) = voxelise(mesh, &VoxeliseOptions { level, ..VoxeliseOptions::default() }).unwrap();
    (lattice, Arc::new(tree))
}

pub(super) fn block(size: DVec3, level: u32) -> (Lattice, Arc<Tree>) {
    solid(&cuboid(size), level)
}

pub(super) fn body((lattice, tree): &(Lattice, Arc<Tree>), pose: Pose) -> VoxelBody {
    VoxelBody::new(tree.clone(), *lattice, 1000.0, pose).unwrap()
}

pub(super) fn world(level: u32) -> VoxelWorld {
    let options = VoxelWorldOptions { level: PhysicsLevel::Fixed(level), sleep: None, ..VoxelWorldOptions::default() };
    let mut world = VoxelWorld::new(options);
    world.planes = vec![Plane { normal: DVec3::Y, offset: 0.0 }];
    world
}

fn momentum(world: &VoxelWorld) -> (DVec3, DVec3) {
    world.bodies().iter().fold((DVec3::ZERO, DVec3::ZERO), |(linear, angular), body| {
        let momentum = body.mass() * body.velocity();
        (linear + momentum, angular + body.center().cross(momentum) + body.angular_momentum())
    })
}

fn energy(world: &VoxelWorld) -> f64 {
    world.bodies().iter().map(VoxelBody::kinetic_energy).sum()
}

#[test]
fn mass_is_that_of_a_block() {
    let size = DVec3::new(1.0, 0.6, 0.8);
    let (lattice, tree) = block(size, 8);
    let (mass, aabb) = (crate::svo::mass_properties(&tree, &lattice), crate::svo::tight_box(&tree, &lattice));
    assert!((mass.volume / size.element_product() - 1.0).abs() < 0.02);
    assert!(mass.centroid.length() < lattice.voxel);
    let expected = size.element_product() / 12.0 * (DVec3::splat(size.length_squared()) - size * size);
    for axis in 0..3 {
        assert!((mass.inertia.col(axis)[axis] / expected[axis] - 1.0).abs() < 0.05);
    }
    assert!((aabb.size() - size).abs().max_element() < 3.0 * lattice.voxel);
}

#[test]
fn a_block_at_rest_stays() {
    let shape = block(DVec3::new(1.0, 0.5, 0.7), 6);
    for rotation in [DQuat::IDENTITY, DQuat::from_rotation_y(0.4)] {
        let mut world = world(6);
        world.add(body(&shape, Pose::new(rotation, DVec3::new(0.0, 0.251, 0.0))));
        (0..200).for_each(|_| world.step(0.01));
        let before = world.bodies()[0].pose();
        (0..500).for_each(|_| world.step(0.01));
        let after = world.bodies()[0].pose();
        let drift = after.translation.distance(before.translation) / shape.0.voxel;
        println!("height {} drift {drift} voxels", (after.translation.y - 0.25) / shape.0.voxel);
        assert!(drift < 0.01);
        assert!(after.rotation.angle_between(before.rotation) < 1e-4);
        assert!((after.translation.y - 0.25).abs() < shape.0.voxel);
    }
}

#[test]
fn what_presses_stays_with_its_bodies_when_another_goes() {
    let shape = block(DVec3::splat(0.4), 5);
    let mut world = world(5);
    let gone = world.add(body(&shape, Pose::at(DVec3::new(9.0, 0.2, 0.0))));
    let resting = world.add(body(&shape, Pose::at(DVec3::new(0.0, 0.2, 0.0))));
    let falling = world.add(body(&shape, Pose::at(DVec3::new(-3.0, 20.0, 0.0))));
    (0..10).for_each(|_| world.step(0.01));
    let height = world.body(resting).unwrap().center().y;
    world.remove(gone);
    (0..10).for_each(|_| world.step(0.01));
    let falling = world.body(falling).unwrap();
    assert_eq!((falling.velocity().x, falling.velocity().z, falling.angular_momentum()), (0.0, 0.0, DVec3::ZERO));
    assert!((falling.velocity().y + 9.81 * 0.2).abs() < 1e-9, "{}", falling.velocity());
    assert!((world.body(resting).unwrap().center().y - height).abs() < 1e-3);
}

#[test]
fn a_fast_block_does_not_pass_the_ground() {
    let shape = block(DVec3::new(1.0, 0.5, 0.7), 6);
    for speed in [30.0, 200.0, 5000.0] {
        let mut world = world(6);
        let start = Pose::new(DQuat::from_rotation_z(0.3), DVec3::new(0.0, 7.0, 0.0));
        world.add(body(&shape, start).moving(DVec3::new(1.0, -speed, 0.0), DVec3::ZERO).unwrap());
        let mut lowest = f64::INFINITY;
        // It lands on an edge and spins, which takes it up again for a while.
        for _ in 0..3000 {
            world.step(0.01);
            lowest = lowest.min(world.bodies()[0].center().y);
        }
        let body = &world.bodies()[0];
        println!("{speed}: lowest {lowest}, now {} at {}", body.center().y, body.speed());
        // However fast, its middle comes no deeper than half of it before it turns.
        assert!(lowest > if speed < 1000.0 { 0.1 } else { -0.25 }, "{speed}: {lowest}");
        if speed < 1000.0 {
            assert!(body.speed() < 1.0 && body.center().y < 1.0, "{speed}: {} at {}", body.speed(), body.center().y);
        }
    }
}

#[test]
fn a_fast_ball_does_not_pass_a_plate() {
    let ball = solid(&Sphere { radius: 0.05, frequency: 12 }.mesh().unwrap(), 5);
    let plate = block(DVec3::new(0.4, 0.4, 0.05), 7);
    for (speed, height) in [(5.0, 0.43), (40.0, 0.43), (90.0, 0.43), (5.0, 0.0765), (40.0, 0.0765)] {
        let mut world = world(7);
        world.options.gravity = DVec3::ZERO;
        world.planes.clear();
        world.add(body(&plate, Pose::IDENTITY).fixed());
        // From afar, and from where it touches but shares nothing yet.
        let start = body(&ball, Pose::at(DVec3::new(0.05, 0.1, height)));
        world.add(start.moving(DVec3::new(0.0, 0.0, -speed), DVec3::ZERO).unwrap());
        let mut touched = 0.0;
        for _ in 0..60 {
            world.step(0.01);
            touched += world.touches().iter().map(|touch| touch.impulse).sum::<f64>();
            assert!(world.bodies()[1].center().z > 0.0, "{speed}: {}", world.bodies()[1].center());
        }
        let momentum = speed * world.bodies()[1].mass();
        assert!(touched > 0.9 * momentum, "{speed}: pushed by {touched} of {momentum}");
    }
}

#[test]
fn a_dropped_block_falls_over_and_comes_to_rest() {
    let shape = block(DVec3::new(1.0, 0.5, 0.7), 6);
    let mut world = world(6);
    let spin = DQuat::from_scaled_axis(DVec3::new(0.7, 0.3, 0.5));
    world.add(body(&shape, Pose::new(spin, DVec3::new(0.0, 1.2, 0.0))));
    let mut highest = 0.0f64;
    for step in 0..600 {
        world.step(0.01);
        if step > 100 {
            highest = highest.max(world.bodies()[0].velocity().length());
        }
    }
    let body = &world.bodies()[0];
    println!("speed {} height {} highest {highest}", body.speed(), body.center().y);
    assert!(body.speed() < 0.01);
    let flat =
        (0..3).map(|axis| DVec3::AXES[axis].dot(body.pose().rotation.inverse() * DVec3::Y).abs()).fold(0.0, f64::max);
    assert!(flat > 0.9999, "{flat}");
    assert!(highest < 3.0);
}

#[test]
fn a_stack_stands() {
    let shape = block(DVec3::new(1.0, 0.5, 1.0), 6);
    let mut world = world(6);
    world.add(body(&shape, Pose::at(DVec3::new(0.0, 0.25, 0.0))));
    world.add(body(&shape, Pose::new(DQuat::from_rotation_y(0.3), DVec3::new(0.05, 0.75, 0.02))));
    (0..200).for_each(|_| world.step(0.01));
    let before: Vec<DVec3> = world.bodies().iter().map(|body| body.center()).collect();
    (0..500).for_each(|_| world.step(0.01));
    for (body, before) in world.bodies().iter().zip(before) {
        println!(
            "tilt {} {} drift {} voxels speed {}",
            (body.pose().rotation * DVec3::Y).y,
            body.center(),
            body.center().distance(before) / shape.0.voxel,
            body.speed()
        );
        assert!(body.center().distance(before) < 0.5 * shape.0.voxel);
        // The pressure acts in the middle of the area, so a load beside the middle tilts what carries it.
        assert!((body.pose().rotation * DVec3::Y).y > 0.9995);
    }
    assert!((world.bodies()[1].center().y - 0.75).abs() < 2.0 * shape.0.voxel);
}

#[test]
fn momentum_is_conserved_and_energy_does_not_grow() {
    let ball = solid(&Sphere { radius: 0.4, frequency: 24 }.mesh().unwrap(), 6);
    let shape = block(DVec3::new(0.9, 0.5, 0.7), 6);
    let mut world = VoxelWorld::new(VoxelWorldOptions { gravity: DVec3::ZERO, ..world(6).options });
    let spin = DQuat::from_scaled_axis(DVec3::new(0.7, 0.3, 0.5));
    world.add(body(&ball, Pose::at(DVec3::ZERO)).moving(DVec3::X, DVec3::new(0.0, 1.0, 2.0)).unwrap());
    let second = body(&shape, Pose::new(spin, DVec3::new(1.2, 0.2, 0.1)));
    world.add(second.moving(DVec3::new(-1.5, 0.1, 0.0), DVec3::new(3.0, 1.0, 0.0)).unwrap());
    let before = momentum(&world);
    let first = energy(&world);
    let mut met = 0;
    for _ in 0..100 {
        world.step(0.01);
        met += world.statistics().touching;
        // What repulsion gives back is what it took.
        assert!(energy(&world) < first * 1.001, "{} {first}", energy(&world));
    }
    let after = momentum(&world);
    assert!(met > 0);
    assert!((after.0 - before.0).length() < 1e-10 * before.0.length(), "{after:?} {before:?}");
    assert!((after.1 - before.1).length() < 1e-10 * before.1.length(), "{after:?} {before:?}");
}

#[test]
fn deep_penetration_ends_gently() {
    let shape = block(DVec3::ONE, 6);
    let mut world = VoxelWorld::new(VoxelWorldOptions { gravity: DVec3::ZERO, ..world(6).options });
    world.add(body(&shape, Pose::IDENTITY));
    let spin = DQuat::from_scaled_axis(DVec3::new(0.3, 0.5, 0.1));
    world.add(body(&shape, Pose::new(spin, DVec3::new(0.5, 0.1, 0.2))));
    let limit = world.options.response.separation * shape.0.voxel;
    let mut fastest = 0.0f64;
    for _ in 0..600 {
        world.step(0.01);
        fastest = fastest.max((world.bodies()[1].velocity() - world.bodies()[0].velocity()).length());
    }
    println!("fastest {fastest}, limit {limit}");
    assert!(fastest < 1.5 * limit);
    assert_eq!(world.statistics().touching, 0);
}

pub(super) fn broken(level: u32, cells: usize) -> (Lattice, Vec<Arc<Tree>>) {
    let (lattice, tree) = solid(&Sphere { radius: 0.5, frequency: 24 }.mesh().unwrap(), level);
    let mut state = 7u64;
    let mut random = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1u64 << 31) as f64 - 0.5
    };
    let points: Vec<DVec3> = (0..cells).map(|_| DVec3::new(random(), random(), random())).collect();
    let seeds = Seeds::new(&lattice, &points).unwrap();
    let pieces = tree.fracture(&seeds, &FractureOptions::default()).unwrap().pieces;
    (lattice, pieces.into_iter().map(Arc::new).collect())
}

#[test]
fn pieces_that_touch_from_birth_do_not_explode() {
    let (lattice, pieces) = broken(6, 20);
    let mut world = VoxelWorld::new(VoxelWorldOptions { gravity: DVec3::ZERO, ..world(6).options });
    world.add_pieces(pieces.iter().map(|tree| VoxelBody::new(tree.clone(), lattice, 1000.0, Pose::IDENTITY).unwrap()));
    let before: Vec<DVec3> = world.bodies().iter().map(|body| body.center()).collect();
    for _ in 0..100 {
        world.step(0.01);
    }
    let fastest = world.bodies().iter().map(|body| body.speed()).fold(0.0, f64::max) / lattice.voxel;
    let farthest =
        world.bodies().iter().zip(&before).map(|(body, before)| body.center().distance(*before)).fold(0.0, f64::max);
    println!("after a second: {fastest} voxels a second, moved {} voxels", farthest / lattice.voxel);
    assert!(farthest < 3.0 * lattice.voxel);
}

#[test]
fn every_number_of_threads_gives_the_same() {
    let (lattice, pieces) = broken(6, 12);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = world(5);
            world.options.sleep = Some(SleepOptions::default());
            world.add_pieces(
                pieces
                    .iter()
                    .map(|tree| VoxelBody::new(tree.clone(), lattice, 1000.0, Pose::at(0.6 * DVec3::Y)).unwrap()),
            );
            (0..150).for_each(|_| world.step(0.01));
            world.state_hash()
        })
    };
    let hashes = [1, 2, 5].map(run);
    assert_eq!(hashes, [hashes[0]; 3]);
}

#[test]
fn a_pile_goes_to_sleep_and_wakes_when_hit() {
    let (lattice, pieces) = broken(6, 12);
    let mut world = world(6);
    world.options.sleep = Some(SleepOptions::default());
    world.add_pieces(
        pieces.iter().map(|tree| VoxelBody::new(tree.clone(), lattice, 1000.0, Pose::at(0.6 * DVec3::Y)).unwrap()),
    );
    let mut steps = 0;
    while world.bodies().iter().any(|body| !body.is_asleep()) && steps < 4000 {
        world.step(0.01);
        steps += 1;
        if steps % 100 == 0 {
            let mut speeds: Vec<f64> = world.bodies().iter().map(|b| (b.speed() / lattice.voxel).round()).collect();
            speeds.sort_by(f64::total_cmp);
            println!("{steps} {speeds:?}");
        }
    }
    println!("asleep after {steps} steps");
    assert!(world.bodies().iter().all(|body| body.is_asleep()));
    let sleeping = world.state_hash();
    world.step(0.01);
    assert_eq!(world.state_hash(), sleeping);
    assert_eq!(world.statistics().pairs, 0);
    let stone = solid(&Sphere { radius: 0.2, frequency: 12 }.mesh().unwrap(), 5);
    let above = world.bodies()[0].center() + 0.6 * DVec3::Y;
    world.add(body(&stone, Pose::at(above)).moving(-3.0 * DVec3::Y, DVec3::ZERO).unwrap());
    (0..40).for_each(|_| world.step(0.01));
    assert!(world.bodies().iter().filter(|body| !body.is_asleep()).count() > 1);
}

#[test]
fn levels_fall_with_distance() {
    let level = PhysicsLevel::ByDistance { level: 8, camera: DVec3::ZERO, distance: 2.0, least: 5 };
    let at = [0.0, 1.9, 2.1, 4.1, 8.1, 100.0, f64::NAN].map(|x| level.at(DVec3::X * x));
    assert_eq!(at, [8, 8, 7, 6, 5, 5, 8]);
}

#[test]
fn bodies_that_cannot_be_are_errors() {
    let (lattice, tree) = block(DVec3::ONE, 4);
    assert!(VoxelBody::new(tree.clone(), lattice, 0.0, Pose::IDENTITY).is_err());
    assert!(VoxelBody::new(tree.clone(), lattice, 1.0, Pose::at(DVec3::NAN)).is_err());
    assert!(VoxelBody::new(tree.clone(), Lattice { level: 5, ..lattice }, 1.0, Pose::IDENTITY).is_err());
    let body = VoxelBody::new(tree, lattice, 1.0, Pose::IDENTITY).unwrap();
    assert!(body.moving(DVec3::NAN, DVec3::ZERO).is_err());
}

#[test]
fn a_crumb_does_not_fall_through() {
    // A rod of a single row of voxels has no inside.
    let rod = block(DVec3::new(1.0, 0.05, 0.05), 3);
    assert_eq!(rod.1.counts().internal, 0);
    let mut world = world(3);
    world.add(body(&rod, Pose::at(DVec3::new(0.0, 0.5, 0.0))));
    (0..300).for_each(|_| world.step(0.01));
    println!("{} {}", world.bodies()[0].center(), world.bodies()[0].speed());
    assert!(world.bodies()[0].center().y.abs() < 2.0 * rod.0.voxel);
    assert!(world.bodies()[0].speed() < 0.01);
}
