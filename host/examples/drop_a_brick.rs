//! A brick falls on the ground; its events and its contacts are printed as a simulator would read them.

use fracas::geometry::{Pose, shapes};
use fracas::world::{BodyDescription, Event, Representation, World, WorldError, WorldOptions};
use glam::DVec3;

fn main() -> Result<(), WorldError> {
    let mut world = World::new(&WorldOptions::default());
    let ground = world.add_ground(0.0)?;
    let size = DVec3::new(0.2, 0.1, 0.1);
    let brick = world.add(BodyDescription {
        pose: Pose::at(DVec3::new(0.0, 1.0, 0.0)),
        ..BodyDescription::new("brick", shapes::cuboid(size), Representation::Cuboid { half_extents: 0.5 * size })
    })?;
    for _ in 0..120 {
        world.step(1.0 / 60.0)?;
        for event in world.take_events() {
            if event == (Event::Touched { bodies: [ground, brick] }) {
                println!("{:.3} s: the brick hits the ground", world.time());
            }
        }
    }
    for touch in world.contacts() {
        println!("contact at {:.3}, depth {:.6}", touch.contact.point, touch.contact.depth);
    }
    println!("state hash {:016x}", world.hash());
    Ok(())
}
