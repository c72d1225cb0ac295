//! A thin plate flies at a thin wall, far faster than its own thickness in a step, and does not get through.

use fracas::dynamics::RigidOptions;
use fracas::geometry::{Pose, shapes};
use fracas::world::{BodyDescription, Motion, Representation, Velocity, World, WorldError, WorldOptions};
use glam::DVec3;

fn slab(name: &str, size: DVec3) -> BodyDescription {
    BodyDescription::new(name, shapes::cuboid(size), Representation::Cuboid { half_extents: 0.5 * size })
}

fn main() -> Result<(), WorldError> {
    for continuous in [false, true] {
        for speed in [50.0, 1_000.0, 20_000.0] {
            let rigid = RigidOptions { continuous, length_unit: 0.1, ..RigidOptions::default() };
            let mut world = World::new(&WorldOptions { gravity: DVec3::ZERO, rigid, ..WorldOptions::default() });
            world.add(BodyDescription { motion: Motion::Fixed, ..slab("wall", DVec3::new(0.01, 2.0, 2.0)) })?;
            let plate = world.add(BodyDescription {
                pose: Pose::at(DVec3::X * -1.2),
                velocity: Velocity { linear: DVec3::X * speed, angular: DVec3::new(5.0, 40.0, 9.0) },
                ..slab("plate", DVec3::new(0.005, 0.1, 0.1))
            })?;
            for _ in 0..30 {
                world.step(1.0 / 120.0)?;
            }
            let is_through = world.pose(plate).is_some_and(|pose| pose.translation.x > 0.0);
            let outcome = if is_through { "through the wall" } else { "stopped" };
            println!("continuous = {continuous}, {speed} m/s: {outcome}");
        }
    }
    Ok(())
}
