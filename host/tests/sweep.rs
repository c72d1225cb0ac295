//! What is fast does not pass through what is thin.

#![allow(clippy::unwrap_used, reason = "the panic of a test is its report, in its helpers too")]

use std::sync::{Arc, Mutex};

use glam::{DQuat, DVec3};

use fracas::dynamics::RigidOptions;
use fracas::geometry::{Aabb, Convex, PolyMesh, Pose, TriMesh, convex_hull, shapes};
use fracas::pattern::VoronoiPattern;
use fracas::random::Random;
use fracas::vacd::{Breakage, Compound, CompoundBody, CompoundOptions, PrepareOptions, parts_of};
use fracas::world::{
    Body, BodyDescription, BodyId, Fracture, FractureError, FractureTrigger, Fractured, Impact, Material, Motion,
    Representation, RepresentationKind, Velocity, World, WorldOptions,
};

const STEPS: usize = 200;

/// A body, and the points that it is the hull of.
struct Thing {
    representation: Representation,
    points: Vec<DVec3>,
    /// Around each point.
    radius: f64,
}

impl Thing {
    fn cuboid(half_extents: DVec3) -> Thing {
        let points = Aabb::around(DVec3::ZERO, half_extents).corners().to_vec();
        Thing { representation: Representation::Cuboid { half_extents }, points, radius: 0.0 }
    }

    fn convexes(parts: Vec<Convex>) -> Thing {
        let points = parts.iter().flat_map(|part| part.vertices().to_vec()).collect();
        Thing { representation: Representation::convexes(parts.into_iter().map(Arc::new)), points, radius: 0.0 }
    }

    /// A thin plate, a ball, a small cube, a hull, or two plates across each other.
    fn random(random: &mut Random) -> Thing {
        let thin = 0.5e-3 + 1e-3 * random.unit();
        let [wide, high] = [0.02 + 0.05 * random.unit(), 0.02 + 0.05 * random.unit()];
        match random.next_u64() % 5 {
            0 => Thing::cuboid(DVec3::new(thin, wide, high)),
            1 => {
                let radius = 0.002 + 0.05 * random.unit();
                let representation = Representation::Ball { radius };
                Thing { representation, points: vec![DVec3::ZERO], radius }
            }
            2 => Thing::cuboid(DVec3::splat(0.003 + 0.02 * random.unit())),
            3 => {
                let points: Vec<DVec3> =
                    (0..8).map(|_| DVec3::new(wide, high, 4.0 * thin) * random.in_cube()).collect();
                Thing::convexes(vec![convex_hull(&points).unwrap()])
            }
            _ => {
                let plate = |half: DVec3, center: DVec3| Convex::cuboid(Aabb::around(center, half));
                Thing::convexes(vec![
                    plate(DVec3::new(thin, wide, high), DVec3::X * thin),
                    plate(DVec3::new(wide, thin, high), DVec3::X * -wide),
                ])
            }
        }
    }

    fn describe(&self, pose: Pose, velocity: Velocity, material: &Material) -> BodyDescription {
        let mesh = TriMesh::default();
        BodyDescription {
            pose,
            velocity,
            material: material.clone(),
            ..BodyDescription::new("thing", mesh, self.representation.clone())
        }
    }

    /// Not more than its least width.
    fn width(&self) -> f64 {
        match &self.representation {
            Representation::Cuboid { half_extents } => 2.0 * half_extents.min_element(),
            Representation::Convexes(parts) => {
                let size = |part: &Arc<Convex>| part.aabb().size().min_element();
                parts.values().map(size).fold(f64::INFINITY, f64::min)
            }
            _ => 2.0 * self.radius,
        }
    }

    /// How far it gets from the middle along any axis of a pose, at most.
    fn farthest(&self, pose: &Pose) -> DVec3 {
        let points = self.points.iter().map(|&point| pose.transform_point(point).abs() + self.radius);
        points.fold(DVec3::ZERO, DVec3::max)
    }
}

fn turned(random: &mut Random) -> DQuat {
    DQuat::from_axis_angle(random.in_cube().try_normalize().unwrap_or(DVec3::X), 6.0 * random.unit())
}

/// From a snail's to a hundred kilometres a second.
fn thrown(random: &mut Random) -> Velocity {
    let speed = 10f64.powf(5.0 * random.unit());
    let spin = 10f64.powf(4.0 * random.unit());
    Velocity { linear: speed * random.in_cube().normalize(), angular: spin * random.in_cube() }
}

fn world(gravity: f64) -> World {
    let rigid = RigidOptions { continuous: true, length_unit: 0.1, ..RigidOptions::default() };
    World::new(&WorldOptions { gravity: DVec3::Y * -gravity, rigid, ..WorldOptions::default() })
}

/// The six walls of a box from -0.5 to 0.5, each a few millimetres thick and overlapping at the edges.
fn walls(thickness: f64) -> Vec<Aabb> {
    let mut walls = Vec::new();
    for axis in DVec3::AXES {
        for side in [-1.0, 1.0] {
            let half = 0.5 * thickness * axis + (0.5 + thickness) * (DVec3::ONE - axis);
            walls.push(Aabb::around(side * (0.5 + 0.5 * thickness) * axis, half));
        }
    }
    walls
}

fn fixed(representation: Representation, pose: Pose) -> BodyDescription {
    BodyDescription {
        motion: Motion::Fixed,
        pose,
        material: Material { restitution: 1.0, ..Material::default() },
        ..BodyDescription::new("wall", TriMesh::default(), representation)
    }
}

/// Throws things about in a box and tells of those that got out.
fn escaped_from_a_box(seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    let mut world = world(if seed.is_multiple_of(3) { 9.81 } else { 0.0 });
    let thickness = 0.002 + 0.003 * random.unit();
    let kind = seed % 4;
    match kind {
        0 => {
            for wall in walls(thickness) {
                let representation = Representation::Cuboid { half_extents: 0.5 * wall.size() };
                world.add(fixed(representation, Pose::at(wall.center()))).unwrap();
            }
        }
        1 => {
            let parts = walls(thickness).into_iter().map(|wall| Arc::new(Convex::cuboid(wall)));
            world.add(fixed(Representation::convexes(parts), Pose::IDENTITY)).unwrap();
        }
        2 => {
            let mesh = shapes::subdivided_cuboid(DVec3::ONE, [4, 4, 4]).unwrap();
            world.add(fixed(Representation::Surface(Arc::new(mesh)), Pose::IDENTITY)).unwrap();
        }
        _ => {
            for normal in DVec3::AXES.into_iter().flat_map(|axis| [axis, -axis]) {
                world.add(fixed(Representation::HalfSpace { normal }, Pose::at(-0.5 * normal))).unwrap();
            }
        }
    }
    let material = Material { restitution: random.unit(), friction: random.unit(), ..Material::default() };
    let mut things: Vec<(BodyId, Thing)> = Vec::new();
    for place in 0..8u32 {
        let thing = Thing::random(&mut random);
        let pose = Pose::new(turned(&mut random), octant(place));
        let description = thing.describe(pose, thrown(&mut random), &material);
        things.push((world.add(description).unwrap(), thing));
    }
    let time_step = 1.0 / (60.0 + 180.0 * random.unit());
    let mut escaped = vec![false; things.len()];
    let mut reports = Vec::new();
    for step in 0..STEPS {
        if let Err(error) = world.step(time_step) {
            reports.push(format!("seed {seed} kind {kind} step {step}: {error}"));
            break;
        }
        for (number, (id, thing)) in things.iter().enumerate() {
            let farthest = thing.farthest(&world.pose(*id).unwrap()).max_element();
            // A surface and a half-space have no thickness of their own.
            let depth = if kind < 2 { thickness.min(thing.width()) } else { thing.width() };
            if farthest > 0.5 + 0.25 * depth && !escaped[number] {
                escaped[number] = true;
                reports.push(format!(
                    "seed {seed} kind {kind} step {step}: {} {number} at {farthest}",
                    kind_of(&thing.representation)
                ));
            }
        }
    }
    reports
}

/// The middle of one of eight parts of a box.
fn octant(place: u32) -> DVec3 {
    let sign = |axis: u32| if place >> axis & 1 == 0 { -0.25 } else { 0.25 };
    DVec3::new(sign(0), sign(1), sign(2))
}

/// Steps a world until something is found wrong with it; tells what and when.
fn watched(world: &mut World, time_step: f64, wrong: impl Fn(&World) -> Vec<String>) -> Vec<String> {
    for step in 0..STEPS {
        let found = match world.step(time_step) {
            Ok(_) => wrong(world),
            Err(error) => vec![error.to_string()],
        };
        if !found.is_empty() {
            return found.into_iter().map(|report| format!("step {step}: {report}")).collect();
        }
    }
    Vec::new()
}

fn kind_of(representation: &Representation) -> &'static str {
    match representation {
        Representation::Ball { .. } => "ball",
        Representation::Cuboid { .. } => "cuboid",
        Representation::Convexes(parts) if parts.len() == 1 => "hull",
        Representation::Convexes(_) => "cross",
        _ => "other",
    }
}

#[test]
fn nothing_escapes_from_a_box_of_thin_walls() {
    let escaped: Vec<String> = (0..24).flat_map(escaped_from_a_box).collect();
    assert!(escaped.is_empty(), "{} of {}:\n{}", escaped.len(), 24 * 8, escaped.join("\n"));
}

/// Things in a closed shell of six thin plates that flies and spins itself; gives those that got out of it.
fn escaped_from_a_shell(seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    let mut world = world(0.0);
    let thickness = 0.002 + 0.003 * random.unit();
    let shell = Thing::convexes(walls(thickness).into_iter().map(Convex::cuboid).collect());
    let material = Material { restitution: random.unit(), friction: random.unit(), ..Material::default() };
    let start = Pose::new(turned(&mut random), random.in_cube());
    let shell = world.add(shell.describe(start, thrown(&mut random), &material)).unwrap();
    let mut things: Vec<(BodyId, Thing)> = Vec::new();
    for place in 0..8u32 {
        let thing = Thing::random(&mut random);
        let pose = start * Pose::new(turned(&mut random), octant(place));
        things.push((world.add(thing.describe(pose, thrown(&mut random), &material)).unwrap(), thing));
    }
    let time_step = 1.0 / (60.0 + 180.0 * random.unit());
    let escaped = |world: &World| {
        let inside = world.pose(shell).unwrap().inverse();
        let escaped = |(id, thing): &(BodyId, Thing)| {
            let farthest = thing.farthest(&(inside * world.pose(*id).unwrap())).max_element();
            // Far from the origin single precision is coarse.
            let rounding = 1e-6 * world.pose(*id).unwrap().translation.length();
            (farthest > 0.5 + 0.25 * thickness.min(thing.width()) + rounding)
                .then(|| format!("{} {id} at {farthest}", kind_of(&thing.representation)))
        };
        things.iter().filter_map(escaped).collect()
    };
    watched(&mut world, time_step, escaped).into_iter().map(|report| format!("seed {seed} {report}")).collect()
}

#[test]
fn nothing_escapes_from_a_shell_that_flies() {
    let escaped: Vec<String> = (100..116).flat_map(escaped_from_a_shell).collect();
    assert!(escaped.is_empty(), "{} of {}:\n{}", escaped.len(), 16 * 8, escaped.join("\n"));
}

/// A thin dynamic plate fills the middle of a box but for a slit; gives what got from one side of it to the other.
fn past_a_piston(seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    let mut world = world(0.0);
    for wall in walls(0.004) {
        let representation = Representation::Cuboid { half_extents: 0.5 * wall.size() };
        world.add(fixed(representation, Pose::at(wall.center()))).unwrap();
    }
    let material = Material { restitution: random.unit(), friction: random.unit(), ..Material::default() };
    let thin = 0.0005 + 0.001 * random.unit();
    // Two plates and a web between, because one alone could tilt and let something by.
    let plates = [(0.1, 0.0, thin, 0.499), (-0.1, 0.0, thin, 0.499), (0.0, 0.0, 0.1 - thin, thin)];
    let plate = |(x, z, half_x, half_z): (f64, f64, f64, f64)| {
        Convex::cuboid(Aabb::around(DVec3::new(x, 0.0, z), DVec3::new(half_x, 0.499, half_z)))
    };
    let piston = Thing::convexes(plates.map(plate).to_vec());
    let heavy = Material { density: 10f64.powf(3.0 * random.unit()) * 100.0, ..material.clone() };
    let piston = world.add(piston.describe(Pose::IDENTITY, Velocity::default(), &heavy)).unwrap();
    let mut things: Vec<(BodyId, Thing, f64)> = Vec::new();
    for place in 0..8u32 {
        // Nothing that fits through the slit.
        let thing = loop {
            let thing = Thing::random(&mut random);
            if thing.width() > 0.004 {
                break thing;
            }
        };
        let pose = Pose::new(turned(&mut random), octant(place));
        things.push((world.add(thing.describe(pose, thrown(&mut random), &material)).unwrap(), thing, octant(place).x));
    }
    let time_step = 1.0 / (60.0 + 180.0 * random.unit());
    let passed = |world: &World| {
        let inside = world.pose(piston).unwrap().inverse();
        let passed = |(id, thing, side): &(BodyId, Thing, f64)| {
            let center = thing.points.iter().sum::<DVec3>() / thing.points.len() as f64;
            let center = inside.transform_point(world.pose(*id).unwrap().transform_point(center));
            (center.x * side < 0.0).then(|| format!("{} {id}", kind_of(&thing.representation)))
        };
        things.iter().filter_map(passed).collect()
    };
    watched(&mut world, time_step, passed).into_iter().map(|report| format!("seed {seed} {report}")).collect()
}

#[test]
fn nothing_passes_a_thin_plate_that_moves() {
    let passed: Vec<String> = (200..216).flat_map(past_a_piston).collect();
    assert!(passed.is_empty(), "{} of {}:\n{}", passed.len(), 16 * 8, passed.join("\n"));
}

/// A wall across the x axis, two metres wide and high, of one of seven sorts; the last four fly and spin.
fn wall(random: &mut Random, sort: u64, thickness: f64) -> BodyDescription {
    let half = DVec3::new(0.5 * thickness, 1.0, 1.0);
    // Four by four tiles whose seams are as good a target as any.
    let tiles = || {
        let center = |tile: u32| DVec3::new(0.0, f64::from(tile % 4) - 1.5, f64::from(tile / 4) - 1.5) * 0.5;
        (0..16)
            .map(move |tile| Arc::new(Convex::cuboid(Aabb::around(center(tile), half * DVec3::new(1.0, 0.25, 0.25)))))
    };
    let representation = match sort {
        0 | 3 => Representation::Cuboid { half_extents: half },
        1 | 4 => Representation::convexes(tiles()),
        2 => Representation::Surface(Arc::new(shapes::subdivided_cuboid(2.0 * half, [1, 6, 6]).unwrap())),
        5 => Representation::convexes([Arc::new(Convex::cuboid(Aabb::around(DVec3::ZERO, half)))]),
        _ => Representation::HalfSpace { normal: DVec3::NEG_X },
    };
    if !(3..6).contains(&sort) {
        return fixed(representation, Pose::IDENTITY);
    }
    let density = 10f64.powf(2.0 + 2.0 * random.unit());
    BodyDescription {
        material: Material { density, restitution: random.unit(), ..Material::default() },
        velocity: Velocity {
            linear: 10f64.powf(4.0 * random.unit()) * DVec3::new(-1.0, 0.0, 0.0),
            angular: 10f64.powf(3.0 * random.unit()) * DVec3::X + random.in_cube(),
        },
        ..BodyDescription::new("wall", TriMesh::default(), representation)
    }
}

/// A plate of five millimetres, or something else as thin, flies at a wall; tells if it got to the other side.
fn through_a_wall(seed: u64) -> Option<String> {
    let mut random = Random::new(seed);
    let mut world = world(0.0);
    let sort = seed % 7;
    let thickness = 0.005 + 0.015 * random.unit();
    let wall = wall(&mut random, sort, thickness);
    let wall = world.add(wall).unwrap();
    let thin = DVec3::new(0.0025, 0.05 + 0.1 * random.unit(), 0.05 + 0.1 * random.unit());
    let thing = match random.next_u64() % 8 {
        0 => {
            Thing { representation: Representation::Ball { radius: 0.0025 }, points: vec![DVec3::ZERO], radius: 0.0025 }
        }
        1 => Thing::convexes(vec![
            Convex::cuboid(Aabb::around(DVec3::X * 0.0025, thin)),
            Convex::cuboid(Aabb::around(DVec3::X * -0.05, DVec3::new(0.05, 0.0025, thin.z))),
        ]),
        2 => {
            let points: Vec<DVec3> = (0..12).map(|_| 2.0 * thin * random.in_cube()).collect();
            Thing::convexes(vec![convex_hull(&points).unwrap()])
        }
        _ => Thing::cuboid(thin),
    };
    let speed = 10f64.powf(1.0 + 4.0 * random.unit());
    let spin = 10f64.powf(4.0 * random.unit()) * random.in_cube();
    let linear = speed * (DVec3::X + 0.1 * random.in_cube().with_x(0.0));
    let material = Material { restitution: random.unit(), friction: random.unit(), ..Material::default() };
    let start = Pose::new(turned(&mut random), DVec3::new(-1.0 - random.unit(), 0.0, 0.0));
    let thing_id = world.add(thing.describe(start, Velocity { linear, angular: spin }, &material)).unwrap();
    let center = thing.points.iter().sum::<DVec3>() / thing.points.len() as f64;
    for step in 0..120 {
        world.step(1.0 / 120.0).unwrap();
        let seen = world.pose(wall).unwrap().inverse() * world.pose(thing_id).unwrap();
        let center = seen.transform_point(center);
        // Beside the wall, or behind what flies away, there is nothing to be seen.
        if center.with_x(0.0).abs().max_element() > 0.9 || center.x < -10.0 {
            return None;
        }
        if center.x > 0.0 {
            let kind = kind_of(&thing.representation);
            return Some(format!("seed {seed} sort {sort} step {step}: {kind} at {speed:.0} m/s is at {center}"));
        }
    }
    None
}

#[test]
fn a_thin_plate_does_not_fly_through_a_wall() {
    let passed: Vec<String> = (1000..1560).filter_map(through_a_wall).collect();
    assert!(passed.is_empty(), "{} of 560:\n{}", passed.len(), passed.join("\n"));
}

/// The tests above with many more seeds.
#[test]
#[ignore = "takes a minute or two; `.ci/run` asks for it by name"]
fn nothing_passes_whatever_the_seed() {
    let mut passed: Vec<String> = (10_000..10_200).flat_map(escaped_from_a_box).collect();
    passed.extend((20_000..20_100).flat_map(escaped_from_a_shell));
    passed.extend((30_000..30_100).flat_map(past_a_piston));
    passed.extend((40_000..45_000).filter_map(through_a_wall));
    assert!(passed.is_empty(), "{} of {}:\n{}", passed.len(), 400 * 8 + 5_000, passed.join("\n"));
}

/// The energy of all that moves, with that of its height over the floor of the box.
fn energy(world: &World, gravity: f64) -> f64 {
    let of = |(id, body): (BodyId, &Body)| {
        let (pose, velocity) = (world.pose(id).unwrap(), world.velocity(id).unwrap());
        let turned = pose.rotation.inverse() * velocity.angular;
        let inertia = body.material().density * body.mass_properties().inertia;
        let center = pose.transform_point(body.mass_properties().centroid);
        let moving = body.mass() * (0.5 * velocity.linear.length_squared() + gravity * (center.y + 0.5));
        moving + 0.5 * turned.dot(inertia * turned)
    };
    world.bodies().filter(|(_, body)| body.motion() == Motion::Dynamic).map(of).sum()
}

/// The largest part by which energy grew over what it was at first, of things in a box.
fn growth(seed: u64, restitution: f64, gravity: f64, fastest: f64, count: usize) -> f64 {
    let mut random = Random::new(seed);
    let mut world = world(gravity);
    let material = Material { restitution, friction: 0.0, ..Material::default() };
    for wall in walls(0.005) {
        let representation = Representation::Cuboid { half_extents: 0.5 * wall.size() };
        let wall = fixed(representation, Pose::at(wall.center()));
        world.add(BodyDescription { material: material.clone(), ..wall }).unwrap();
    }
    for place in 0..count as u32 {
        let sign = |axis: u32| if place >> axis & 1 == 0 { -0.25 } else { 0.25 };
        let thing = Thing::random(&mut random);
        let pose = Pose::new(turned(&mut random), DVec3::new(sign(0), sign(1), sign(2)));
        let velocity = Velocity { linear: fastest * random.in_cube(), angular: 10.0 * fastest * random.in_cube() };
        world.add(thing.describe(pose, velocity, &material)).unwrap();
    }
    let first = energy(&world, gravity);
    let mut most = first;
    for _ in 0..300 {
        world.step(1.0 / 120.0).unwrap();
        most = most.max(energy(&world, gravity));
    }
    most / first - 1.0
}

#[test]
fn what_is_held_does_not_get_faster() {
    for (count, gravity) in [(1, 0.0), (8, 0.0), (8, 9.81)] {
        for restitution in [0.0, 0.9] {
            for fastest in [10.0, 1e3, 1e4] {
                let grown = (0..3).map(|seed| growth(seed, restitution, gravity, fastest, count)).fold(0.0, f64::max);
                // Rapier's bounces at several points at once are not exact.
                assert!(grown < 0.02, "{count} with restitution {restitution}, {fastest} m/s, g {gravity}: {grown}");
            }
        }
    }
}

/// How many steps a stack of thin plates and a ball that bounces take until all of them sleep.
fn steps_to_sleep(continuous: bool, restitution: f64) -> Option<usize> {
    let rigid = RigidOptions { continuous, length_unit: 0.1, ..RigidOptions::default() };
    let mut world = World::new(&WorldOptions { rigid, ..WorldOptions::default() });
    world.add_ground(0.0).unwrap();
    let material = Material { restitution, ..Material::default() };
    for place in 0..8 {
        let thing = Thing::cuboid(DVec3::new(0.1, 0.002, 0.1));
        let pose = Pose::at(DVec3::Y * (0.003 + 0.006 * f64::from(place)));
        world.add(thing.describe(pose, Velocity::default(), &material)).unwrap();
    }
    let ball = Thing { representation: Representation::Ball { radius: 0.02 }, points: Vec::new(), radius: 0.02 };
    world.add(ball.describe(Pose::at(DVec3::new(0.4, 0.5, 0.0)), Velocity::default(), &material)).unwrap();
    let cube = Thing::cuboid(DVec3::splat(0.03));
    world.add(cube.describe(Pose::at(DVec3::new(-0.4, 0.3, 0.0)), Velocity::default(), &material)).unwrap();
    (0..2400).find(|_| {
        world.step(1.0 / 120.0).unwrap();
        let ids: Vec<BodyId> = world.bodies().map(|(id, _)| id).collect();
        ids.into_iter().all(|id| world.body(id).unwrap().motion() == Motion::Fixed || world.is_sleeping(id).unwrap())
    })
}

#[test]
fn what_rests_falls_asleep() {
    for restitution in [0.0, 0.5, 0.9] {
        let [with, without] = [true, false].map(|continuous| steps_to_sleep(continuous, restitution));
        let [with, without] = [with, without].map(|steps| steps.unwrap_or(usize::MAX));
        assert!(with <= without + 60, "restitution {restitution}: {with} steps, and {without} without the sweep");
    }
}

#[test]
fn every_number_of_threads_gives_the_same_state() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut random = Random::new(7);
            let mut world = world(9.81);
            for wall in walls(0.004) {
                let representation = Representation::Cuboid { half_extents: 0.5 * wall.size() };
                world.add(fixed(representation, Pose::at(wall.center()))).unwrap();
            }
            for place in 0..64u32 {
                let place = DVec3::new(f64::from(place % 4), f64::from(place / 4 % 4), f64::from(place / 16));
                let thing = Thing::random(&mut random);
                let pose = Pose::new(turned(&mut random), 0.24 * (place - DVec3::splat(1.5)));
                world.add(thing.describe(pose, thrown(&mut random), &Material::default())).unwrap();
            }
            for _ in 0..40 {
                world.step(1.0 / 120.0).unwrap();
            }
            world.hash()
        })
    };
    let hashes = [1, 2, 4].map(run);
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:x?}");
}

/// Breaks as the method that it stands for, and notes how it was hit.
struct Witness {
    inner: Box<dyn Fracture>,
    impacts: Arc<Mutex<Vec<Impact>>>,
}

impl Fracture for Witness {
    fn piece_kind(&self) -> RepresentationKind {
        self.inner.piece_kind()
    }

    fn duplicate(&self) -> Box<dyn Fracture> {
        Box::new(Witness { inner: self.inner.duplicate(), impacts: self.impacts.clone() })
    }

    fn fracture(&mut self, impact: &Impact) -> Result<Fractured, FractureError> {
        self.impacts.lock().unwrap().push(*impact);
        self.inner.fracture(impact)
    }
}

#[test]
fn a_pane_breaks_where_a_fast_plate_hits_it() {
    let size = DVec3::new(0.01, 2.0, 2.0);
    for speed in [20.0, 500.0, 20_000.0] {
        let mesh = PolyMesh::from(&shapes::cuboid(size));
        let pane = Compound::new(parts_of(&mesh, &PrepareOptions::default()).unwrap(), &CompoundOptions::default());
        let pattern = VoronoiPattern { cells: 40, extent: 3.0, ..VoronoiPattern::default() }.pattern().unwrap();
        let pane = CompoundBody::new(pane.unwrap(), Arc::new(Breakage::new(pattern))).describe("pane");
        let impacts = Arc::new(Mutex::new(Vec::new()));
        let inner = pane.fracture.as_ref().unwrap().duplicate();
        let mut world = world(0.0);
        let pane = BodyDescription {
            fracture: Some(Arc::new(Witness { inner, impacts: impacts.clone() })),
            trigger: Some(FractureTrigger { threshold: 1.0, ..FractureTrigger::default() }),
            motion: Motion::Fixed,
            ..pane
        };
        world.add(pane).unwrap();
        let plate = Thing::cuboid(DVec3::new(0.0025, 0.1, 0.1));
        let velocity = Velocity { linear: speed * DVec3::X, ..Velocity::default() };
        let start = DVec3::new(-1.5, 0.3, -0.2);
        world.add(plate.describe(Pose::at(start), velocity, &Material::default())).unwrap();
        while impacts.lock().unwrap().is_empty() && world.steps() < 120 {
            world.step(1.0 / 120.0).unwrap();
        }
        let impact = impacts.lock().unwrap().first().copied().expect("it breaks");
        let beside = (impact.point - start).with_x(0.0).length();
        assert!(beside < 0.02 && (impact.point.x + 0.005).abs() < 2e-3, "{speed} m/s: at {}", impact.point);
        assert!((impact.speed - speed).abs() < 0.01 * speed, "{speed} m/s: {}", impact.speed);
    }
}
