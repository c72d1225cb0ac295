//! Fragments that break in a world of Rapier's.

use std::sync::Arc;

use fracas::dynamics::rapier::{BreakError, BrokenFragment, FragmentBreaker, FragmentDispatcher, FragmentShape};
use fracas::fragment::{Fragment, FragmentBreakage, Solid, SolidOptions, cuboid_tets};
use fracas::pattern::{SeedPattern, VoronoiPattern};
use fracas::world::{FractureError, FractureTrigger, Impact};
use glam::DVec3;
use rapier3d::parry::query::{DefaultQueryDispatcher, QueryDispatcher};
use rapier3d::prelude::*;

fn world() -> PhysicsWorld {
    let mut world = PhysicsWorld::new();
    world.narrow_phase.set_query_dispatcher(FragmentDispatcher.chain(DefaultQueryDispatcher));
    world
}

fn breaker(threshold: f64) -> FragmentBreaker {
    let seeds = SeedPattern::Voronoi(VoronoiPattern { cells: 24, extent: 0.6, ..VoronoiPattern::default() });
    let trigger = FractureTrigger { threshold, ..FractureTrigger::default() };
    FragmentBreaker::new(Arc::new(FragmentBreakage::by_pattern(seeds)), trigger)
}

fn block() -> FragmentShape {
    let mesh = cuboid_tets(DVec3::new(0.5, 0.3, 0.4), [6, 4, 5]).expect("it has cells");
    let solid = Solid::new(&mesh, &SolidOptions::default()).expect("it has an inside");
    FragmentShape::new(Arc::new(Fragment::whole(&solid)))
}

/// Mass, linear momentum, and angular momentum about the origin.
fn momentum(world: &PhysicsWorld) -> (f64, DVec3, DVec3) {
    let mut sums = (0.0, DVec3::ZERO, DVec3::ZERO);
    for (_, body) in world.bodies.iter() {
        let mass = f64::from(body.mass());
        let linear = mass * body.linvel().as_dvec3();
        let inertia = body.mass_properties().local_mprops.reconstruct_inertia_matrix();
        let turn = body.position().rotation;
        let spin = (turn * (inertia * (turn.inverse() * body.angvel()))).as_dvec3();
        sums.0 += mass;
        sums.1 += linear;
        sums.2 += body.center_of_mass().as_dvec3().cross(linear) + spin;
    }
    sums
}

#[test]
fn pieces_carry_mass_and_momentum_on() {
    let mut world = world();
    let turned = RigidBodyBuilder::dynamic()
        .translation(Vector::new(3.0, -2.0, 1.0))
        .rotation(Vector::new(0.4, -0.9, 0.3))
        .linvel(Vector::new(1.0, 5.0, -2.0))
        .angvel(Vector::new(2.0, -3.0, 1.0));
    // A collider that is not where its body is.
    let collider = ColliderBuilder::new(block().shared())
        .translation(Vector::new(0.3, 0.1, -0.2))
        .density(700.0)
        .friction(0.9)
        .user_data(42);
    let (body, _) = world.insert(turned, collider);
    world.bodies[body].recompute_mass_properties_from_colliders(&world.colliders);
    let before = momentum(&world);
    let point = world.bodies[body].center_of_mass().as_dvec3();
    let broken = breaker(1.0).break_body(&mut world, body, &Impact { seed: 3, ..Impact::at(point) }).unwrap();
    assert!(broken.pieces.len() > 5 && !world.bodies.contains(body));
    assert_eq!(world.colliders.len(), broken.pieces.len());
    for &piece in &broken.pieces {
        world.bodies[piece].recompute_mass_properties_from_colliders(&world.colliders);
    }
    assert!(world.colliders.iter().all(|(_, collider)| collider.friction() == 0.9 && collider.user_data == 42));
    let after = momentum(&world);
    assert!((after.0 / before.0 - 1.0).abs() < 1e-5);
    assert!((after.1 - before.1).length() < 1e-4 * before.1.length(), "{} {}", before.1, after.1);
    assert!((after.2 - before.2).length() < 1e-3 * before.2.length(), "{} {}", before.2, after.2);
}

/// Drops a block, and returns what broke and where everything is in the end.
fn drop_block(threshold: f64, threads: usize) -> (Vec<BrokenFragment>, Vec<[u32; 3]>) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be had");
    pool.install(|| {
        let mut world = world();
        world.insert_collider(ColliderBuilder::cuboid(5.0, 0.5, 5.0).translation(Vector::new(0.0, -0.5, 0.0)), None);
        let falling = RigidBodyBuilder::dynamic().translation(Vector::Y).linvel(Vector::new(0.0, -6.0, 0.0));
        world.insert(falling.angvel(Vector::X), ColliderBuilder::new(block().shared()).density(1000.0));
        let mut breaker = breaker(threshold);
        let mut broken = Vec::new();
        for _ in 0..60 {
            breaker.before_step(&world);
            world.step();
            broken.extend(breaker.after_step(&mut world));
        }
        let bits = |body: &RigidBody| body.translation().to_array().map(f32::to_bits);
        (broken, world.bodies.iter().map(|(_, body)| bits(body)).collect())
    })
}

#[test]
fn what_falls_hard_breaks_once_and_the_same_way_every_time() {
    let (broken, places) = drop_block(500.0, 1);
    assert_eq!(broken.len(), 1);
    assert_eq!(broken[0].pieces.len(), places.len());
    assert!(broken[0].impulse > 500.0 && broken[0].point.y.abs() < 0.1 && broken[0].other.is_some());
    let height = |place: &[u32; 3]| f32::from_bits(place[1]);
    assert!(places.iter().all(|place| height(place) > 0.0), "a piece fell through the floor");
    assert_eq!(drop_block(500.0, 2), (broken, places));
    assert!(drop_block(1e6, 1).0.is_empty(), "a blow that is too weak broke something");
}

#[test]
fn what_cannot_break_is_an_error_and_changes_nothing() {
    let mut world = world();
    let mut breaker = breaker(1.0);
    let (ball, _) = world.insert(RigidBodyBuilder::dynamic(), ColliderBuilder::ball(0.5));
    let (gone, _) = world.insert(RigidBodyBuilder::dynamic(), ColliderBuilder::ball(0.5));
    let (both, _) = world.insert(RigidBodyBuilder::dynamic(), ColliderBuilder::new(block().shared()));
    world.insert_collider(ColliderBuilder::ball(0.1), Some(both));
    let (one, _) = world.insert(RigidBodyBuilder::dynamic(), ColliderBuilder::new(block().shared()));
    world.remove_body(gone);
    let mut outcome = |body, impact: Impact| breaker.break_body(&mut world, body, &impact).unwrap_err();
    assert!(matches!(outcome(gone, Impact::at(DVec3::ZERO)), BreakError::NoBody(_)));
    assert!(matches!(outcome(ball, Impact::at(DVec3::ZERO)), BreakError::NoFragment(_)));
    assert!(matches!(outcome(both, Impact::at(DVec3::ZERO)), BreakError::NoFragment(_)));
    let bad = outcome(one, Impact::at(DVec3::NAN));
    assert!(matches!(bad, BreakError::Fracture(FractureError::BadImpact("point"))), "{bad}");
    assert_eq!(world.bodies.len(), 3);
}

#[test]
fn what_was_put_in_fast_breaks_in_its_first_step() {
    let mut world = world();
    world.insert_collider(ColliderBuilder::cuboid(5.0, 0.5, 5.0).translation(Vector::new(0.0, -0.5, 0.0)), None);
    let close =
        RigidBodyBuilder::dynamic().translation(Vector::new(0.0, 0.301, 0.0)).linvel(Vector::new(0.0, -9.0, 0.0));
    world.insert(close, ColliderBuilder::new(block().shared()).density(1000.0));
    let mut breaker = breaker(500.0);
    breaker.before_step(&world);
    world.step();
    assert_eq!(breaker.after_step(&mut world).len(), 1);
}

#[test]
fn two_that_break_each_other_keep_their_momentum() {
    let mut world = world();
    world.gravity = Vector::ZERO;
    for side in [-1.0, 1.0] {
        let at = RigidBodyBuilder::dynamic().translation(Vector::X * 0.52 * side).linvel(Vector::X * -6.0 * side);
        world.insert(at, ColliderBuilder::new(block().shared()).density(1000.0));
    }
    let mut breaker = breaker(100.0);
    let mut broken = 0;
    for _ in 0..4 {
        let before = momentum(&world);
        breaker.before_step(&world);
        world.step();
        broken += breaker.after_step(&mut world).len();
        let after = momentum(&world);
        assert!((after.1 - before.1).length() < 1e-3 * 6.0 * before.0, "{} {}", before.1, after.1);
    }
    assert_eq!(broken, 2);
}
