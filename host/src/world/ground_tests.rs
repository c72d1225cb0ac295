//! Half-spaces have no end and no seams, although they are laid as tiles.

use glam::DVec3;

use super::*;

fn cuboid(half_extents: DVec3, position: DVec3) -> BodyDescription {
    BodyDescription {
        pose: Pose::at(position),
        ..BodyDescription::new("box", TriMesh::default(), Representation::Cuboid { half_extents })
    }
}

fn plane(normal: DVec3, point: DVec3) -> BodyDescription {
    BodyDescription {
        motion: Motion::Fixed,
        pose: Pose::at(point),
        material: Material { friction: 0.0, restitution: 0.0, ..Material::default() },
        ..BodyDescription::new("plane", TriMesh::default(), Representation::HalfSpace { normal })
    }
}

#[test]
fn a_box_slides_over_the_seams_up_to_a_wall() {
    let mut world = World::new(&WorldOptions::default());
    let ground = world.add(plane(DVec3::Y, DVec3::Y * -0.5)).unwrap();
    let wall = world.add(plane(DVec3::NEG_X * 3.0, DVec3::X * 30.0)).unwrap();
    let id = world
        .add(BodyDescription {
            velocity: Velocity { linear: DVec3::new(5.0, 0.0, 1.3), angular: DVec3::ZERO },
            material: Material { friction: 0.0, restitution: 0.0, ..Material::default() },
            ..cuboid(DVec3::splat(0.1), DVec3::new(0.0, -0.4, 0.0))
        })
        .unwrap();
    for step in 0..480 {
        world.step(1.0 / 60.0).unwrap();
        let (pose, velocity) = (world.pose(id).unwrap(), world.velocity(id).unwrap());
        assert!((pose.translation.y + 0.4).abs() < 0.01, "step {step}: {}", pose.translation);
        assert!((velocity.linear.z - 1.3).abs() < 0.02, "step {step}: {}", velocity.linear);
        if pose.translation.x < 29.5 {
            assert!((velocity.linear.x - 5.0).abs() < 0.02, "step {step}: {}", velocity.linear);
        }
    }
    let reached = world.pose(id).unwrap().translation.x;
    assert!((28.0..29.95).contains(&reached), "the wall sends it back: {reached}");
    let touched: Vec<_> =
        world.take_events().into_iter().filter(|event| matches!(event, Event::Touched { .. })).collect();
    assert!(touched.contains(&Event::Touched { bodies: [ground, id] }));
    assert!(touched.contains(&Event::Touched { bodies: [wall, id] }));
}

#[test]
fn large_small_and_far_bodies_rest_alike_until_the_ground_is_taken_away() {
    let mut world = World::new(&WorldOptions::default());
    let mesh = std::sync::Arc::new(crate::geometry::shapes::cuboid(DVec3::ONE));
    let shifted = crate::geometry::shapes::cuboid(DVec3::ONE);
    let positions = shifted.positions.iter().map(|&position| position + DVec3::X * 20.0).collect();
    let shifted = std::sync::Arc::new(TriMesh { positions, ..shifted });
    let ids = [
        cuboid(DVec3::new(150.0, 0.5, 150.0), DVec3::new(0.0, 0.52, 0.0)),
        cuboid(DVec3::splat(0.01), DVec3::new(500.0, 0.012, 0.0)),
        cuboid(DVec3::splat(0.5), DVec3::new(5000.0, 0.52, -3000.0)),
        BodyDescription {
            pose: Pose::at(DVec3::new(-400.0, 0.52, 0.0)),
            ..BodyDescription::new("shell", mesh, Representation::Surface(shifted))
        },
    ]
    .map(|description| world.add(description).unwrap());
    // Bodies that are there before their ground find it too.
    let ground = world.add_ground(0.0).unwrap();
    for _ in 0..120 {
        world.step(1.0 / 60.0).unwrap();
    }
    let heights = |world: &World| ids.map(|id| world.pose(id).unwrap().translation.y);
    for (height, expected) in heights(&world).into_iter().zip([0.5, 0.01, 0.5, 0.5]) {
        assert!((height - expected).abs() < 0.02, "{height} {expected}");
    }
    assert!(ids.iter().any(|&id| world.is_sleeping(id).unwrap()));
    world.remove(ground).unwrap();
    for _ in 0..30 {
        world.step(1.0 / 60.0).unwrap();
    }
    assert!(heights(&world).iter().all(|&height| height < -0.5), "{:?}", heights(&world));
}

#[test]
fn a_body_that_was_shot_into_the_ground_comes_up_again() {
    let mut world = World::new(&WorldOptions::default());
    world.add_ground(0.0).unwrap();
    let id = world
        .add(BodyDescription {
            velocity: Velocity { linear: DVec3::new(300.0, -300.0, 0.0), angular: DVec3::ZERO },
            ..cuboid(DVec3::splat(0.1), DVec3::Y * 8.0)
        })
        .unwrap();
    for _ in 0..600 {
        world.step(1.0 / 60.0).unwrap();
    }
    assert!(world.pose(id).unwrap().translation.y > 0.05);
}
