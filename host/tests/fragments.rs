//! Fragments of tetrahedral meshes in worlds: they rest, keep momentum, and meet every shape of Rapier's.

use std::sync::Arc;

use fracas::dynamics::rapier::{FragmentDispatcher, FragmentShape};
use fracas::fragment::{Fragment, FragmentBody, FragmentBreakage, SeedPartition, Solid, SolidOptions, cuboid_tets};
use fracas::geometry::Pose;
use fracas::pattern::{SeedPattern, VoronoiPattern};
use fracas::random::Random;
use fracas::world::{BodyDescription, Impact, Velocity, World, WorldOptions};
use glam::DVec3;
use rapier3d::parry::query::{DefaultQueryDispatcher, QueryDispatcher};
use rapier3d::parry::utils::Array2;
use rapier3d::prelude::{
    ColliderBuilder, PhysicsWorld, Pose as Pose3, RigidBodyBuilder, RigidBodyHandle, Rotation as Quat, SharedShape,
    Vector,
};

fn brick() -> Arc<Fragment> {
    let tets = cuboid_tets(DVec3::new(0.11, 0.035, 0.055), [6, 2, 3]).expect("a brick");
    Arc::new(Fragment::whole(&Solid::new(&tets, &SolidOptions { grid_cells: 24 }).expect("a solid")))
}

fn physics() -> PhysicsWorld {
    let mut world = PhysicsWorld::new();
    world.integration_parameters.length_unit = 0.1;
    world.integration_parameters.dt = 0.01;
    world.narrow_phase.set_query_dispatcher(FragmentDispatcher.chain(DefaultQueryDispatcher));
    world
}

fn add(world: &mut PhysicsWorld, fragment: Arc<Fragment>, height: f32) -> RigidBodyHandle {
    let shape = FragmentShape::new(fragment);
    let origin = shape.origin();
    let body = RigidBodyBuilder::dynamic().can_sleep(false).translation(Vector::new(0.0, height, 0.0));
    let body = world.insert_body(body);
    world.insert_collider(
        ColliderBuilder::new(shape.shared()).translation(origin).density(1900.0).friction(0.6),
        Some(body),
    );
    body
}

/// Floors of every kind, with their surface at a height of zero.
fn floors() -> Vec<(&'static str, ColliderBuilder)> {
    let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, z]| Vector::new(x, 0.0, z));
    let below = Vector::new(0.0, -0.5, 0.0);
    let turned = Pose3::from_parts(below, Quat::from_rotation_x(std::f32::consts::PI));
    let lowered: Vec<Vector> = corners
        .iter()
        .flat_map(|&corner| [0.2, 0.8].map(|depth| 0.9 * corner + depth * 2.0 * below + 0.1 * Vector::Y))
        .collect();
    let tile = |x: f32| {
        (Pose3::from_parts(below + Vector::new(x, 0.0, 0.0), Quat::IDENTITY), SharedShape::cuboid(0.5, 0.5, 1.0))
    };
    let tiles = [tile(-0.5), tile(0.5)];
    let triangle = [[-4.0, -3.0], [0.0, 5.0], [4.0, -3.0]].map(|[x, z]| Vector::new(x, 0.0, z));
    let wires = [-0.06, 0.06].map(|x| [-1.0, 1.0].map(|z| Vector::new(x, 0.0, z))).concat();
    let points: Vec<Vector> = corners.iter().flat_map(|&corner| [corner, corner + 2.0 * below]).collect();
    vec![
        ("half-space", ColliderBuilder::new(SharedShape::halfspace(Vector::Y))),
        ("box", ColliderBuilder::cuboid(1.0, 0.5, 1.0).translation(below)),
        ("convex", ColliderBuilder::convex_hull(&points).expect("a hull")),
        ("ball", ColliderBuilder::ball(20.0).translation(Vector::new(0.0, -20.0, 0.0))),
        ("mesh", ColliderBuilder::trimesh(corners.to_vec(), vec![[0, 2, 1], [0, 3, 2]]).expect("a mesh")),
        ("height field", ColliderBuilder::heightfield(Array2::repeat(8, 8, 0.0), Vector::new(2.0, 1.0, 2.0))),
        ("cylinder", ColliderBuilder::cylinder(0.5, 1.0).translation(below)),
        ("cone", ColliderBuilder::cone(0.5, 1.0).position(turned)),
        ("capsule", ColliderBuilder::capsule_x(1.0, 0.5).translation(below)),
        ("round box", ColliderBuilder::round_cuboid(0.9, 0.4, 0.9, 0.1).translation(below)),
        ("round cylinder", ColliderBuilder::round_cylinder(0.4, 0.9, 0.1).translation(below)),
        ("round cone", ColliderBuilder::round_cone(0.4, 0.8, 0.1).position(turned)),
        ("round convex", ColliderBuilder::round_convex_hull(&lowered, 0.1).expect("a hull")),
        ("compound", ColliderBuilder::compound(tiles.to_vec())),
        ("triangle", ColliderBuilder::triangle(triangle[0], triangle[1], triangle[2])),
        // What is narrower than the mesh of the brick, so that no point of the brick is in it.
        ("rail", ColliderBuilder::cuboid(0.008, 0.5, 1.0).translation(below)),
        ("thin capsule", ColliderBuilder::capsule_z(1.0, 0.005).translation(Vector::new(0.0, -0.005, 0.0))),
        ("segments", ColliderBuilder::polyline(wires.to_vec(), Some(vec![[0, 1], [2, 3]]))),
    ]
}

#[test]
fn a_brick_lands_on_every_shape_of_rapier() {
    for (name, floor) in floors() {
        let mut world = physics();
        world.insert_collider(floor.friction(0.7), None);
        let body = add(&mut world, brick(), 0.06);
        (0..200).for_each(|_| world.step());
        let body = &world.bodies[body];
        let height = body.center_of_mass().y;
        assert!((height - 0.035).abs() < 0.003, "{name}: its middle is {height} above the floor");
        assert!(body.linvel().length() < 0.01, "{name}: it moves at {}", body.linvel());
    }
}

#[test]
fn a_ball_and_a_box_land_on_a_fragment() {
    let shapes = [("ball", SharedShape::ball(0.03)), ("box", SharedShape::cuboid(0.03, 0.03, 0.03))];
    for (name, shape) in shapes {
        let mut world = physics();
        world.insert_collider(ColliderBuilder::cuboid(1.0, 0.5, 1.0).translation(Vector::new(0.0, -0.5, 0.0)), None);
        add(&mut world, brick(), 0.036);
        let body = RigidBodyBuilder::dynamic().translation(Vector::new(0.005, 0.12, 0.003)).angular_damping(5.0);
        let body = world.insert_body(body);
        world.insert_collider(ColliderBuilder::new(shape).density(2000.0), Some(body));
        (0..200).for_each(|_| world.step());
        let height = world.bodies[body].translation().y;
        assert!((height - 0.1).abs() < 0.004, "{name}: its middle is at {height}");
    }
}

/// Lets three broken bricks on each other come to rest, then simulates more steps: nothing drifts or gains energy.
fn assert_a_stack_stays(steps: usize) {
    let mut world = physics();
    world.insert_collider(ColliderBuilder::new(SharedShape::halfspace(Vector::Y)).friction(0.7), None);
    let mut random = Random::new(5);
    let whole = brick();
    for level in 0u8..3 {
        let seeds: Vec<DVec3> = (0..4).map(|_| random.in_cube() * DVec3::new(0.1, 0.03, 0.05)).collect();
        for piece in whole.fracture(&SeedPartition::new(whole.solid().positions(), &seeds)) {
            add(&mut world, Arc::new(piece), 0.036 + 0.072 * f32::from(level));
        }
    }
    (0..300).for_each(|_| world.step());
    let places =
        |world: &PhysicsWorld| -> Vec<Vector> { world.bodies.iter().map(|(_, body)| body.center_of_mass()).collect() };
    let energy = |world: &PhysicsWorld| world.bodies.iter().map(|(_, body)| body.kinetic_energy()).sum::<f32>();
    let before = places(&world);
    assert!(energy(&world) < 1e-3, "{} J", energy(&world));
    let mut most = 0.0f32;
    for _ in 0..steps {
        world.step();
        most = most.max(energy(&world));
    }
    assert!(most < 1e-3, "{most} J");
    for (before, after) in before.iter().zip(places(&world)) {
        assert!(before.distance(after) < 0.002, "{before} went to {after}");
    }
}

#[test]
fn a_stack_of_fragments_comes_to_rest_and_stays() {
    assert_a_stack_stays(1000);
}

#[test]
#[ignore = "a minute of the stack's time takes long in a build for tests; .ci/run runs it"]
fn a_stack_of_fragments_stays_for_a_minute() {
    assert_a_stack_stays(6000);
}

#[test]
fn momentum_and_volume_are_the_same_after_a_fracture() {
    let pattern = VoronoiPattern { cells: 40, extent: 0.12, ..VoronoiPattern::default() };
    let breakage = Arc::new(FragmentBreakage::by_pattern(SeedPattern::Voronoi(pattern)));
    let mut world = World::new(&WorldOptions { gravity: DVec3::ZERO, ..WorldOptions::default() });
    let velocity = Velocity { linear: DVec3::new(1.0, -2.0, 0.5), angular: DVec3::new(3.0, 1.0, -2.0) };
    let whole = brick();
    let body = FragmentBody::new(whole.clone(), breakage).describe("brick");
    let body = world.add(BodyDescription { velocity, pose: Pose::at(DVec3::ONE), ..body }).expect("a body");
    let momentum = |world: &World| -> [DVec3; 2] {
        let mut sums = [DVec3::ZERO; 2];
        for (id, body) in world.bodies() {
            let (pose, velocity) = (world.pose(id).expect("a pose"), world.velocity(id).expect("a velocity"));
            let mass = body.mass_properties();
            let place = pose.transform_point(mass.centroid);
            let turn = glam::DMat3::from_quat(pose.rotation);
            sums[0] += mass.volume * velocity.linear;
            sums[1] +=
                mass.volume * place.cross(velocity.linear) + turn * mass.inertia * turn.transpose() * velocity.angular;
        }
        sums
    };
    let before = momentum(&world);
    let pieces = world.fracture(body, &Impact::at(DVec3::ONE)).expect("it breaks");
    assert!(pieces.len() > 4, "{} pieces", pieces.len());
    for (before, after) in before.into_iter().zip(momentum(&world)) {
        assert!(before.distance(after) < 1e-5 * before.length(), "{before} became {after}");
    }
    let volume: f64 = world.bodies().map(|(_, body)| body.mass_properties().volume).sum();
    assert!((volume / whole.mass_properties().volume - 1.0).abs() < 1e-9);
}
