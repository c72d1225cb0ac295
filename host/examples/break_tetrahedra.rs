//! A brick of tetrahedra falls on the floor and breaks where it is hit; prints what happens.

use std::sync::Arc;

use fracas::fragment::{Fragment, FragmentBody, FragmentBreakage, Solid, SolidOptions, cuboid_tets};
use fracas::geometry::{Pose, TriMesh};
use fracas::pattern::{SeedPattern, VoronoiPattern};
use fracas::world::{BodyDescription, Event, FractureTrigger, Motion, Representation, Velocity, World, WorldOptions};
use glam::DVec3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let solid = Solid::new(&cuboid_tets(DVec3::new(0.11, 0.03, 0.05), [8, 2, 4])?, &SolidOptions::default())?;
    let pattern = VoronoiPattern { cells: 24, extent: 0.12, ..VoronoiPattern::default() };
    let breakage = Arc::new(FragmentBreakage::by_pattern(SeedPattern::Voronoi(pattern)));

    let mut world = World::new(&WorldOptions::default());
    let floor = Representation::HalfSpace { normal: DVec3::Y };
    world.add(BodyDescription { motion: Motion::Fixed, ..BodyDescription::new("floor", TriMesh::default(), floor) })?;
    world.add(BodyDescription {
        pose: Pose::at(DVec3::Y * 0.5),
        velocity: Velocity { linear: DVec3::Y * -3.0, angular: DVec3::X },
        trigger: Some(FractureTrigger { threshold: 0.5, ..FractureTrigger::default() }),
        ..FragmentBody::new(Arc::new(Fragment::whole(&solid)), breakage).describe("brick")
    })?;
    for _ in 0..240 {
        world.step(1.0 / 120.0)?;
        for event in world.take_events() {
            if let Event::Broke { body, pieces, .. } = event {
                println!("{:.2} s: body {body} broke into {} pieces", world.time(), pieces.len());
            }
        }
    }
    println!("{} bodies, {} contacts", world.bodies().count(), world.contacts().len());
    Ok(())
}
