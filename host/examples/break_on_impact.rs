//! A stone slab falls, breaks where it hits the ground, and its pieces break once more.

use std::sync::Arc;

use fracas::geometry::{PolyMesh, Pose, shapes};
use fracas::pattern::VoronoiPattern;
use fracas::vacd::{Breakage, Compound, CompoundBody, CompoundOptions, PrepareOptions, parts_of};
use fracas::world::{BodyDescription, Event, FractureTrigger, World, WorldOptions};
use glam::DVec3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Any closed mesh will do; a concave one is decomposed.
    let mesh = PolyMesh::from(&shapes::cuboid(DVec3::new(2.0, 0.2, 1.0)));
    let slab = Compound::new(parts_of(&mesh, &PrepareOptions::default())?, &CompoundOptions::default())?;
    let pattern = VoronoiPattern { cells: 80, extent: 3.0, ..VoronoiPattern::default() }.pattern()?;
    let body = CompoundBody::new(slab, Arc::new(Breakage::new(pattern))).describe("slab");

    let mut world = World::new(&WorldOptions::default());
    world.add_ground(0.0)?;
    world.add(BodyDescription {
        pose: Pose::at(DVec3::Y * 3.0),
        trigger: Some(FractureTrigger { threshold: 200.0, depth_limit: 2, ..FractureTrigger::default() }),
        ..body
    })?;
    for _ in 0..180 {
        world.step(1.0 / 60.0)?;
        for event in world.take_events() {
            if let Event::Broke { body, pieces, .. } = event {
                println!("{:.2} s: body {body} broke into {}", world.time(), pieces.len());
            }
        }
    }
    println!("{} bodies in the end", world.bodies().count());
    Ok(())
}
