//! Bodies of voxels in a world.

use std::sync::Arc;

use glam::DVec3;

use super::*;
use crate::geometry::{Aabb, Pose, shapes};
use crate::pattern::SpherePattern;
use crate::world::{
    BodyDescription, BodyId, Event, FractureTrigger, Impact, Motion, Representation, Velocity, World, WorldError,
    WorldOptions,
};

fn breakage() -> VoxelBreakage {
    let pattern = SpherePattern { cells: 24, radius: 0.5, extent: 2.0, ..SpherePattern::default() };
    VoxelBreakage { look_level: 5, ..VoxelBreakage::new(SeedPattern::Spheres(pattern)) }
}

fn block(breakage: VoxelBreakage, name: &str) -> BodyDescription {
    let cube = shapes::cuboid(DVec3::new(1.0, 0.6, 0.8));
    let (lattice, tree) = voxelise(&cube, &VoxeliseOptions { level: 6, ..VoxeliseOptions::default() }).unwrap();
    SvoBody::new(tree, lattice, Arc::new(breakage)).describe(name)
}

fn world() -> World {
    World::new(&WorldOptions {
        voxels: VoxelWorldOptions { level: PhysicsLevel::Fixed(6), ..VoxelWorldOptions::default() },
        ..WorldOptions::default()
    })
}

fn momenta(world: &World, bodies: &[BodyId]) -> (f64, DVec3) {
    let parts = bodies.iter().map(|&id| {
        let mass = world.body(id).unwrap().mass();
        (mass, mass * world.velocity(id).unwrap().linear)
    });
    parts.fold((0.0, DVec3::ZERO), |(mass, sum), (part, momentum)| (mass + part, sum + momentum))
}

#[test]
fn pieces_carry_the_motion_on() {
    let mut world = world();
    let velocity = Velocity { linear: DVec3::new(1.0, 2.0, -0.5), angular: DVec3::new(0.3, -1.0, 0.2) };
    let whole = world.add(BodyDescription { velocity, ..block(breakage(), "block") }).unwrap();
    let (mass, momentum) = momenta(&world, &[whole]);
    let pieces = world.fracture(whole, &Impact::at(DVec3::new(0.2, 0.3, 0.1))).unwrap();
    assert!(pieces.len() > 8);
    let (mass_after, momentum_after) = momenta(&world, &pieces);
    assert!((mass_after / mass - 1.0).abs() < 1e-12, "{mass_after} of {mass}");
    assert!((momentum_after / mass_after - momentum / mass).length() < 0.02);
    for &piece in &pieces {
        assert!(world.body(piece).unwrap().is_breakable());
        assert!(world.velocity(piece).unwrap().angular.abs_diff_eq(velocity.angular, 1e-9));
        assert!(world.body(piece).unwrap().looks()[&0].mesh().is_watertight());
    }
}

#[test]
fn a_block_falls_breaks_by_its_trigger_and_comes_to_rest_between_walls() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = world();
            world.add_ground(0.0).unwrap();
            for side in [-1.0, 1.0] {
                let representation = Representation::HalfSpace { normal: DVec3::X * -side };
                let wall = BodyDescription::new("wall", crate::geometry::TriMesh::default(), representation);
                let pose = Pose::at(DVec3::X * side);
                world.add(BodyDescription { motion: Motion::Fixed, pose, ..wall }).unwrap();
            }
            let trigger = Some(FractureTrigger { threshold: 10.0, ..FractureTrigger::default() });
            let pose = Pose::at(DVec3::new(0.0, 1.2, 0.0));
            world.add(BodyDescription { pose, trigger, ..block(breakage(), "block") }).unwrap();
            let (mut broke, mut contacts, mut points) = (0, 0, 0);
            for _ in 0..250 {
                world.step(0.01).unwrap();
                contacts += world.contacts().len();
                points += world.statistics().colliding_points;
                broke += world.take_events().iter().filter(|event| matches!(event, Event::Broke { .. })).count();
            }
            assert_eq!(broke, 1, "it breaks where it lands, and its pieces do not");
            for (id, body) in world.bodies().filter(|(_, body)| body.motion() == Motion::Dynamic) {
                let center = world.pose(id).unwrap().transform_point(body.mass_properties().centroid);
                assert!(center.y > -0.05 && center.x.abs() < 1.05, "{} is at {center}", body.name());
                assert!(world.velocity(id).unwrap().linear.length() < 0.5, "{} still moves", body.name());
            }
            assert!(contacts > 0 && points > 0);
            world.hash()
        })
    };
    let hash = run(1);
    assert_eq!(hash, run(2));
    assert_eq!(hash, run(5));
}

#[test]
fn what_an_anchor_holds_stays() {
    let mut world = world();
    let anchor = Aabb { min: DVec3::new(-1.0, -0.4, -1.0), max: DVec3::new(1.0, -0.25, 1.0) };
    let held = VoxelBreakage { anchors: vec![anchor], radius: Some(0.3), ..breakage() };
    let whole = world.add(block(held, "block")).unwrap();
    assert_eq!(world.body(whole).unwrap().motion(), Motion::Fixed);
    let pieces = world.fracture(whole, &Impact::at(DVec3::new(0.4, 0.3, 0.3))).unwrap();
    // Exactly the pieces that come to the anchor, by their looks.
    let mut fixed = 0;
    for &piece in &pieces {
        let body = world.body(piece).unwrap();
        let lowest = body.looks()[&0].mesh().aabb().min.y;
        match body.motion() {
            Motion::Fixed => fixed += 1,
            Motion::Dynamic => assert!(lowest > -0.27, "{} at {lowest} comes to the anchor, but is free", body.name()),
        }
    }
    assert!(fixed > 0 && fixed < pieces.len(), "{fixed} of {}", pieces.len());
}

#[test]
fn voxels_and_solids_in_one_world_are_refused() {
    let mut world = world();
    world.add(block(breakage(), "block")).unwrap();
    let half_extents = DVec3::splat(0.1);
    let brick = BodyDescription::new("brick", shapes::cuboid(DVec3::ONE), Representation::Cuboid { half_extents });
    assert!(matches!(world.add(brick), Err(WorldError::NoNarrowPhase { .. })));
}
