//! That nothing falls through what holds it, and that what is held comes to rest.

use glam::{DQuat, DVec3};

use super::tests::{block, body, broken, solid, world};
use super::*;
use crate::geometry::shapes::Sphere;
use crate::geometry::{Plane, Pose};

fn on_its_own(level: u32) -> VoxelWorld {
    let mut world = world(level);
    world.planes.clear();
    world.options.sleep = Some(SleepOptions::default());
    world
}

#[test]
fn small_bodies_do_not_fall_through_large_voxels() {
    for level in [3, 5, 6, 8] {
        let slab = block(DVec3::new(2.0, 0.5, 2.0), level);
        for (ball_level, turn) in [(3, 0.0), (5, 0.7)] {
            for radius in [0.3, 0.06, 0.02, 0.006, 0.001, 0.0001] {
                let ball = solid(&Sphere { radius, frequency: 8 }.mesh().unwrap(), ball_level);
                let mut world = on_its_own(level);
                world.add(body(&slab, Pose::new(DQuat::from_rotation_y(turn), DVec3::ZERO)).fixed());
                world.add(body(&ball, Pose::at(DVec3::new(0.123, 0.3 + radius, 0.077))));
                (0..200).for_each(|_| world.step(0.01));
                let ball = &world.bodies()[1];
                let height = ball.center().y - 0.25;
                let what = format!("level {level}, ball {radius} of level {ball_level}: {height}, {}", ball.speed());
                assert!(height > -1.5 * slab.0.voxel && height < radius + slab.0.voxel, "{what}");
                assert!(ball.speed() < 0.1, "{what}");
            }
        }
    }
}

#[test]
fn fast_bodies_do_not_pass_thin_plates() {
    for thickness in [0.02, 0.05, 0.3] {
        let plate = block(DVec3::new(2.0, thickness, 2.0), 7);
        for radius in [0.01, 0.05, 0.2] {
            let ball = solid(&Sphere { radius, frequency: 8 }.mesh().unwrap(), 5);
            for speed in [5.0, 30.0, 200.0, 500.0] {
                let mut world = on_its_own(7);
                world.options.gravity = DVec3::ZERO;
                world.add(body(&plate, Pose::IDENTITY).fixed());
                let above = body(&ball, Pose::at(DVec3::new(0.123, 1.0, 0.077)));
                world.add(above.moving(-speed * DVec3::Y, DVec3::ZERO).unwrap());
                (0..100).for_each(|_| world.step(0.01));
                let height = world.bodies()[1].center().y;
                assert!(height > -0.5 * thickness, "plate {thickness}, ball {radius}, {speed} m/s: {height}");
            }
        }
    }
}

#[test]
fn a_tower_of_turned_blocks_goes_to_sleep_upright() {
    for (level, reuse) in [(5, 0.25), (6, 0.25), (6, 0.0), (7, 0.25)] {
        let shape = block(DVec3::new(1.0, 0.5, 1.0), level);
        let mut world = world(level);
        world.options.sleep = Some(SleepOptions::default());
        world.options.reuse = reuse;
        for number in 0..8 {
            let number = f64::from(number);
            let turn = DQuat::from_rotation_y(0.3 * number);
            world.add(body(&shape, Pose::new(turn, DVec3::new(0.0, 0.25 + 0.5 * number, 0.0))));
        }
        (0..800).for_each(|_| world.step(0.01));
        let top = world.bodies()[7].center();
        assert!(world.bodies().iter().all(VoxelBody::is_asleep), "level {level}, reuse {reuse}");
        assert!(top.y > 3.4 && top.x.hypot(top.z) < 0.2, "level {level}, reuse {reuse}: {top}");
    }
}

#[test]
fn a_body_on_a_corner_does_not_drop_through_the_ground_and_back() {
    // A spike stands on a tip of a voxel, where no column has an entry and an exit, until it falls over.
    let spike = block(DVec3::splat(0.3), 6);
    let corner = DQuat::from_rotation_arc(DVec3::ONE.normalize(), DVec3::NEG_Y);
    let mut world = world(6);
    let height = 0.15 * 3f64.sqrt();
    world.add(body(&spike, Pose::new(corner, DVec3::new(0.0, height, 0.0))));
    for _ in 0..30 {
        world.step(0.01);
        let body = &world.bodies()[0];
        assert!(body.center().y > height - 2.0 * spike.0.voxel, "it has sunk to {}", body.center().y);
        assert!(body.velocity().y.abs() < 0.2, "it jumps at {}", body.velocity());
    }
}

#[test]
fn a_heap_of_pieces_between_walls_goes_to_sleep_and_does_not_rise() {
    for level in [5, 6] {
        let mut world = world(level);
        world.options.sleep = Some(SleepOptions::default());
        for wall in [DVec3::X, DVec3::NEG_X, DVec3::Z, DVec3::NEG_Z] {
            world.planes.push(Plane::through(-0.6 * wall, wall));
        }
        let (lattice, pieces) = broken(level, 40);
        let pose = Pose::at(DVec3::new(0.0, 0.8, 0.0));
        let fall = |piece: VoxelBody| {
            // Apart, so that they do not land as they were.
            let apart = piece.center() - pose.translation;
            piece.moving(2.0 * apart, DVec3::new(apart.z, 0.0, -apart.x)).unwrap()
        };
        world.add_pieces(pieces.iter().map(|tree| fall(VoxelBody::new(tree.clone(), lattice, 1000.0, pose).unwrap())));
        let height = |world: &VoxelWorld| -> f64 {
            let bodies = world.bodies().iter();
            bodies.clone().map(|body| body.mass() * body.center().y).sum::<f64>()
                / bodies.map(VoxelBody::mass).sum::<f64>()
        };
        (0..150).for_each(|_| world.step(0.01));
        let before = height(&world);
        let steps = (0..850).find(|_| {
            world.step(0.01);
            world.bodies().iter().all(VoxelBody::is_asleep)
        });
        let after = height(&world);
        println!("level {level}: {} pieces, asleep after {steps:?}, height {before} to {after}", pieces.len());
        assert!(steps.is_some(), "level {level}: {} are awake", world.statistics().awake);
        assert!(after < before + 0.25 * lattice.voxel, "level {level}: {before} {after}");
    }
}

#[test]
fn bodies_at_the_very_same_place_come_apart() {
    let shape = block(DVec3::splat(0.4), 5);
    let mut world = world(5);
    world.options.sleep = Some(SleepOptions::default());
    for _ in 0..2 {
        world.add(body(&shape, Pose::at(DVec3::new(0.0, 0.2, 0.0))));
    }
    (0..600).for_each(|_| world.step(0.01));
    let apart = (world.bodies()[0].center() - world.bodies()[1].center()).abs().max_element();
    assert!(apart > 0.4 - 2.0 * shape.0.voxel, "{apart}");
}

#[test]
fn what_sleeps_falls_when_what_held_it_does() {
    let (plate, cube) = (block(DVec3::new(1.0, 0.1, 1.0), 5), block(DVec3::splat(0.3), 5));
    let mut world = world(5);
    world.options.sleep = Some(SleepOptions::default());
    let support = world.add(body(&cube, Pose::at(DVec3::new(0.0, 0.15, 0.0))));
    world.add(body(&plate, Pose::at(DVec3::new(0.0, 0.35, 0.0))));
    let top = world.add(body(&cube, Pose::at(DVec3::new(0.1, 0.55, 0.0))));
    (0..100).for_each(|_| world.step(0.01));
    assert!(world.bodies().iter().all(VoxelBody::is_asleep));
    // The plate is awake, as if something else had kept it so, but not restless when it leaves what stands on it.
    world.bodies[1].is_asleep = false;
    world.bodies[1].still = 0.3;
    world.set_motion(support, 30.0 * DVec3::X, DVec3::ZERO).unwrap();
    (0..100).for_each(|_| world.step(0.01));
    let height = world.body(top).unwrap().center().y;
    assert!(height < 0.4, "it is at {height}");
}

#[test]
fn a_thin_plate_under_a_tower_stays_above_the_ground() {
    let (plate, cube) = (block(DVec3::new(1.0, 0.1, 1.0), 5), block(DVec3::splat(0.5), 5));
    let mut world = world(5);
    world.options.sleep = Some(SleepOptions::default());
    world.add(body(&plate, Pose::at(DVec3::new(0.0, 0.05, 0.0))));
    for number in 0..6 {
        world.add(body(&cube, Pose::at(DVec3::new(0.0, 0.35 + 0.5 * f64::from(number), 0.0))));
    }
    (0..300).for_each(|_| world.step(0.01));
    let height = world.bodies()[0].center().y;
    assert!(height > 0.05 - 0.75 * plate.0.voxel, "it is at {height}");
}
