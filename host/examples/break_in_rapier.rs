//! A block that falls and breaks in a Rapier world of one's own.

use std::sync::Arc;

use fracas::dynamics::rapier::{FragmentBreaker, FragmentDispatcher, FragmentShape};
use fracas::fragment::{Fragment, FragmentBreakage, Solid, SolidOptions, cuboid_tets};
use fracas::pattern::{SeedPattern, VoronoiPattern};
use fracas::world::FractureTrigger;
use glam::DVec3;
use rapier3d::parry::query::{DefaultQueryDispatcher, QueryDispatcher};
use rapier3d::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = PhysicsWorld::new();
    world.narrow_phase.set_query_dispatcher(FragmentDispatcher.chain(DefaultQueryDispatcher));
    world.insert_collider(ColliderBuilder::cuboid(5.0, 0.5, 5.0).translation(Vector::new(0.0, -0.5, 0.0)), None);

    let solid = Solid::new(&cuboid_tets(DVec3::new(0.5, 0.3, 0.4), [8, 5, 6])?, &SolidOptions::default())?;
    let block = FragmentShape::new(Arc::new(Fragment::whole(&solid)));
    let falling = RigidBodyBuilder::dynamic().translation(Vector::new(0.0, 3.0, 0.0)).angvel(Vector::X);
    world.insert(falling, ColliderBuilder::new(block.shared()).density(2000.0));

    // What is hit with 500 N s and more breaks into the cells of a pattern around the blow.
    let seeds = SeedPattern::Voronoi(VoronoiPattern { cells: 30, extent: 0.6, ..VoronoiPattern::default() });
    let trigger = FractureTrigger { threshold: 500.0, ..FractureTrigger::default() };
    let mut breaker = FragmentBreaker::new(Arc::new(FragmentBreakage::by_pattern(seeds)), trigger);
    for step in 0..240 {
        breaker.before_step(&world);
        world.step();
        for broken in breaker.after_step(&mut world) {
            println!("step {step}: {:.0} N s at {:.2}, {} pieces", broken.impulse, broken.point, broken.pieces.len());
        }
    }
    let highest = world.bodies.iter().map(|(_, body)| body.translation().y).fold(0.0, f32::max);
    println!("after four seconds {} bodies lie on the floor, the highest at {highest:.2} m", world.bodies.len());
    Ok(())
}
