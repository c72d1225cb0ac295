//! Bodies that lose parts, debris, and bodies that break by themselves.

use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::test_lattice::Lattice;
use super::tests::momentum;
use super::*;
use crate::geometry::{Aabb, Convex};

fn floating() -> WorldOptions {
    WorldOptions { gravity: DVec3::ZERO, ..WorldOptions::default() }
}

fn steps(world: &mut World, count: usize, time_step: f64) {
    for _ in 0..count {
        world.step(time_step).unwrap();
    }
}

/// A turning, flying lattice of boxes.
fn flying(count: [u32; 3], cell: f64) -> BodyDescription {
    BodyDescription {
        pose: Pose::new(DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.9), DVec3::new(1.0, 2.0, 3.0)),
        velocity: Velocity { linear: DVec3::new(1.0, -2.0, 0.5), angular: DVec3::new(2.0, 1.0, -3.0) },
        ..Lattice::new(count, cell).describe(Motion::Dynamic)
    }
}

fn assert_same_momentum(before: (DVec3, DVec3), after: (DVec3, DVec3)) {
    assert!((after.0 - before.0).length() < 1e-5 * before.0.length(), "{} {}", before.0, after.0);
    assert!((after.1 - before.1).length() < 1e-5 * before.1.length(), "{} {}", before.1, after.1);
}

/// An impact at a point of a body's own coordinates.
fn hit(world: &World, id: BodyId, point: DVec3, radius: f64) -> Impact {
    Impact { radius: Some(radius), ..Impact::at(world.pose(id).unwrap().transform_point(point)) }
}

#[test]
fn a_burst_drives_pieces_apart_and_keeps_the_momentum() {
    let mut world = World::new(&floating());
    let id = world.add(flying([4, 3, 2], 0.1)).unwrap();
    let before = momentum(&world);
    let impact = Impact { burst: 3.0, ..hit(&world, id, DVec3::ZERO, 9.0) };
    let pieces = world.fracture(id, &impact).unwrap();
    assert_eq!(pieces.len(), 24);
    assert_same_momentum(before, momentum(&world));
    let place = |world: &World, id: &BodyId| {
        world.pose(*id).unwrap().transform_point(world.body(*id).unwrap().mass_properties().centroid)
    };
    let farthest = |world: &World| {
        let places: Vec<DVec3> = pieces.iter().map(|id| place(world, id)).collect();
        places.iter().flat_map(|one| places.iter().map(|other| one.distance(*other))).fold(0.0, f64::max)
    };
    // The corners of the block fly off to opposite sides.
    let start = farthest(&world);
    steps(&mut world, 10, 0.01);
    assert!((farthest(&world) - start - 2.0 * 3.0 * 0.1).abs() < 0.02, "{start} {}", farthest(&world));
    let wrong = Impact { burst: f64::NAN, ..Impact::at(DVec3::ZERO) };
    assert!(world.fracture(pieces[0], &wrong).is_err());
}

#[test]
fn a_rest_that_flies_on_keeps_its_share_of_the_momentum() {
    let mut world = World::new(&floating());
    let id = world.add(flying([6, 4, 3], 0.1)).unwrap();
    let before = momentum(&world);
    let pieces = world.fracture(id, &hit(&world, id, DVec3::new(0.3, 0.1, 0.0), 0.16)).unwrap();
    assert!((2..20).contains(&pieces.len()), "{}", pieces.len());
    assert_same_momentum(before, momentum(&world));
    let rest = world.body(id).unwrap();
    assert_eq!((rest.collider_count(), rest.looks().len()), (72 - pieces.len(), 72 - pieces.len()));
    let summed = rest.representation().mass_properties();
    assert!((rest.mass_properties().volume - summed.volume).abs() < 1e-12);
    assert!((rest.mass_properties().centroid - summed.centroid).length() < 1e-12);
    assert_eq!(rest.look_version(), 1);
    assert_eq!(
        world.take_events().last(),
        Some(&Event::Broke { body: id, pieces: pieces.clone(), remains: true, lost: 0 })
    );
    // Rapier goes by the same numbers: nothing touches hard enough to turn them within a few steps.
    let before = momentum(&world).0;
    for _ in 0..5 {
        world.step(1e-3).unwrap();
    }
    assert!((momentum(&world).0 - before).length() < 1e-3 * before.length());
    assert_eq!(world.statistics().fragments, pieces.len());
    assert_eq!(world.statistics().triangles, 72 * 12);
}

#[test]
fn debris_takes_its_momentum_along() {
    let debris = DebrisOptions { smallest: 0.02, ..DebrisOptions::default() };
    let mut world = World::new(&WorldOptions { debris, ..floating() });
    let id = world.add(flying([6, 4, 3], 0.01)).unwrap();
    let before = momentum(&world);
    let pieces = world.fracture(id, &hit(&world, id, DVec3::new(0.03, 0.01, 0.0), 0.016)).unwrap();
    assert_same_momentum(before, momentum(&world));
    let volume = 0.01f64.powi(3);
    for &piece in &pieces {
        let body = world.body(piece).unwrap();
        let Representation::Ball { radius } = body.representation() else { panic!("debris is round") };
        assert!((4.0 / 3.0 * std::f64::consts::PI * radius.powi(3) - volume).abs() < 1e-9 * volume);
        assert!(body.is_debris() && !body.is_breakable() && body.looks().len() == 1);
    }
    let spin = |world: &World| world.velocity(pieces[0]).unwrap().angular.length();
    let before = spin(&world);
    steps(&mut world, 50, 0.01);
    assert!(spin(&world) < 0.1 * before, "{before} {}", spin(&world));
    assert_eq!(world.statistics().debris, pieces.len());
}

#[test]
fn the_oldest_debris_retires_first_and_all_of_it_in_the_end() {
    let debris = DebrisOptions { smallest: 1.0, budget: 5, lifetime: Some(0.2), ..DebrisOptions::default() };
    let mut world = World::new(&WorldOptions { debris, ..floating() });
    let id = world.add(Lattice::new([20, 1, 1], 0.1).describe(Motion::Fixed)).unwrap();
    let mut all = Vec::new();
    for x in [-0.95, -0.55, 0.35] {
        all.extend(world.fracture(id, &hit(&world, id, DVec3::new(x, 0.0, 0.0), 0.11)).unwrap());
    }
    assert_eq!(all.len(), 8);
    let alive: Vec<BodyId> = world.bodies().filter(|(_, body)| body.is_debris()).map(|(id, _)| id).collect();
    assert_eq!(alive, all[3..]);
    let retired = |world: &mut World| -> Vec<BodyId> {
        let events = world.take_events().into_iter();
        events.filter_map(|event| if let Event::Retired { body } = event { Some(body) } else { None }).collect()
    };
    assert_eq!(retired(&mut world), all[..3]);
    world.remove(all[4]).unwrap();
    steps(&mut world, 25, 0.01);
    assert_eq!(retired(&mut world), [all[3], all[5], all[6], all[7]]);
    assert_eq!((world.statistics().debris, world.bodies().count()), (0, 1));
}

#[test]
fn a_wall_that_loses_its_last_anchor_falls() {
    let mut world = World::new(&WorldOptions::default());
    let wall = Lattice::new([4, 5, 1], 0.2).describe(Motion::Fixed);
    let id = world.add(BodyDescription { pose: Pose::at(DVec3::Y * 3.0), ..wall }).unwrap();
    world.step(0.01).unwrap();
    assert_eq!((world.pose(id).unwrap().translation.y, world.body(id).unwrap().motion()), (3.0, Motion::Fixed));
    for x in [-0.2, 0.2] {
        world.fracture(id, &hit(&world, id, DVec3::new(x, -0.4, 0.0), 0.11)).unwrap();
    }
    assert_eq!(world.body(id).unwrap().motion(), Motion::Dynamic);
    assert_eq!(world.body(id).unwrap().collider_count(), 16);
    steps(&mut world, 10, 0.01);
    assert!(world.pose(id).unwrap().translation.y < 2.97);
    assert!(world.velocity(id).unwrap().linear.y < -0.5);
}

/// Answers with whatever it is given, once.
struct Scripted(std::sync::Mutex<Option<Fractured>>);

impl Fracture for Scripted {
    fn piece_kind(&self) -> RepresentationKind {
        RepresentationKind::Solid
    }

    fn duplicate(&self) -> Box<dyn Fracture> {
        Box::new(Scripted(std::sync::Mutex::new(self.0.lock().unwrap().take())))
    }

    fn fracture(&mut self, _: &Impact) -> Result<Fractured, FractureError> {
        self.0.lock().unwrap().take().ok_or(FractureError::Method("once is enough".into()))
    }
}

fn cube(center: DVec3, side: f64) -> Arc<Convex> {
    Arc::new(Convex::cuboid(Aabb::around(center, DVec3::splat(0.5 * side))))
}

fn scripted(parts: ConvexParts, motion: Motion, fractured: Fractured) -> BodyDescription {
    let looks = parts.iter().map(|(&key, convex)| (key, convex.to_tri_mesh().into())).collect();
    BodyDescription {
        looks,
        motion,
        fracture: Some(Arc::new(Scripted(std::sync::Mutex::new(Some(fractured))))),
        ..BodyDescription::new("scripted", TriMesh::default(), Representation::Convexes(parts))
    }
}

#[test]
fn parts_come_and_go_by_their_keys() {
    let part = |key: u32, x: f64| (key, cube(DVec3::X * x, 1.0));
    let change = Change {
        removed: vec![7, 9],
        added: vec![
            BodyPart { key: 9, convex: Some(cube(DVec3::X * 4.0, 1.0)), look: None },
            BodyPart { key: 30, convex: None, look: Some(shapes_look()) },
        ],
        motion: Motion::Fixed,
        mass: None,
    };
    let fractured = Fractured { rest: Rest::Changed(change), ..Fractured::default() };
    let parts = ConvexParts::from([part(7, 0.0), part(8, 1.0), part(9, 2.0)]);
    let mut world = World::new(&WorldOptions::default());
    let id = world.add(scripted(parts, Motion::Fixed, fractured)).unwrap();
    let ball = |x: f64| BodyDescription {
        pose: Pose::at(DVec3::new(x, 0.8, 0.0)),
        ..BodyDescription::new("ball", TriMesh::default(), Representation::Ball { radius: 0.25 })
    };
    let balls = [0.0, 1.0, 2.0, 4.0].map(|x| world.add(ball(x)).unwrap());
    for _ in 0..200 {
        world.step(0.01).unwrap();
    }
    let stands = |world: &World, ball: BodyId| world.pose(ball).unwrap().translation.y > 0.7;
    assert_eq!(balls.map(|ball| stands(&world, ball)), [true, true, true, false]);
    assert_eq!(balls.map(|ball| world.is_sleeping(ball).unwrap()), [true, true, true, false]);
    world.fracture(id, &Impact::at(DVec3::ZERO)).unwrap();
    let body = world.body(id).unwrap();
    assert_eq!(body.looks().keys().copied().collect::<Vec<_>>(), [8, 30]);
    let Representation::Convexes(parts) = body.representation() else { panic!("still convexes") };
    assert_eq!(parts.keys().copied().collect::<Vec<_>>(), [8, 9]);
    let late = world.add(ball(4.0)).unwrap();
    for _ in 0..100 {
        world.step(0.01).unwrap();
    }
    assert_eq!(
        balls.map(|ball| stands(&world, ball)),
        [false, true, false, false],
        "those that stood on parts that went"
    );
    assert!(stands(&world, late), "one that came after the part");
    let again = world.fracture(id, &Impact::at(DVec3::ZERO)).unwrap_err();
    assert!(matches!(again, WorldError::Fracture { source: FractureError::Method(_), .. }));
    let bad = world.fracture(id, &Impact { radius: Some(f64::NAN), ..Impact::at(DVec3::ZERO) }).unwrap_err();
    assert!(matches!(bad, WorldError::Fracture { source: FractureError::BadImpact("radius"), .. }));
}

fn shapes_look() -> LazyMesh {
    LazyMesh::lazy(12, || crate::geometry::shapes::cuboid(DVec3::ONE))
}

fn lone_piece(convex: Arc<Convex>, motion: Motion) -> Piece {
    Piece {
        looks: Looks::new(),
        size: convex.aabb().size().max_element(),
        representation: Representation::convexes([convex]),
        pose: Pose::IDENTITY,
        motion,
        mass: None,
        fracture: None,
    }
}

#[test]
fn what_cannot_be_simulated_becomes_debris_or_is_counted() {
    let flat = Arc::new(Convex::cuboid(Aabb::around(DVec3::ZERO, DVec3::new(0.5, 1e-10, 0.5))));
    let nothing = Arc::new(Convex::cuboid(Aabb::around(DVec3::ZERO, DVec3::splat(1e-20))));
    let pieces = vec![
        lone_piece(cube(DVec3::ZERO, 0.5), Motion::Dynamic),
        lone_piece(flat.clone(), Motion::Dynamic),
        lone_piece(nothing.clone(), Motion::Dynamic),
        lone_piece(flat.clone(), Motion::Fixed),
    ];
    let mut world = World::new(&floating());
    let parts = ConvexParts::from([(0, cube(DVec3::ZERO, 1.0)), (1, flat.clone()), (2, nothing.clone())]);
    let id = world.add(scripted(parts, Motion::Dynamic, Fractured { pieces, ..Fractured::default() })).unwrap();
    assert_eq!(world.body(id).unwrap().collider_count(), 1, "flat parts are left without a collider");
    let added = world.fracture(id, &Impact::at(DVec3::ZERO)).unwrap();
    assert_eq!(added.iter().map(|&id| world.body(id).unwrap().is_debris()).collect::<Vec<_>>(), [false, true]);
    let last = world.take_events().pop();
    assert_eq!(last, Some(Event::Broke { body: id, pieces: added, remains: false, lost: 2 }));
    world.step(0.01).unwrap();
    assert_eq!((world.statistics().lost, world.statistics().debris), (2, 1));
    let alone = BodyDescription::new("flat", TriMesh::default(), Representation::convexes([flat]));
    assert!(world.add(alone).is_err(), "a body of nothing but flat parts is refused");
}

fn fragile(trigger: FractureTrigger) -> BodyDescription {
    let wall = Lattice::new([10, 10, 1], 0.2).describe(Motion::Fixed);
    BodyDescription { trigger: Some(trigger), ..wall }
}

fn shot(speed: f64) -> BodyDescription {
    BodyDescription {
        pose: Pose::at(DVec3::Z * 2.0),
        velocity: Velocity { linear: DVec3::Z * -speed, angular: DVec3::ZERO },
        ..BodyDescription::new("ball", TriMesh::default(), Representation::Ball { radius: 0.15 })
    }
}

fn breaks(world: &mut World) -> Vec<(BodyId, usize)> {
    let events = world.take_events().into_iter();
    events
        .filter_map(
            |event| if let Event::Broke { body, pieces, .. } = event { Some((body, pieces.len())) } else { None },
        )
        .collect()
}

#[test]
fn a_blow_above_the_threshold_breaks_a_wall_where_it_hits() {
    let mass = 2000.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.15f64.powi(3);
    for (strength, expected) in [(0.9, 0), (1.1, 1)] {
        let speed = 20.0;
        let trigger = FractureTrigger {
            threshold: mass * speed / strength,
            radius: Some(0.25),
            passthrough: 0.8,
            ..FractureTrigger::default()
        };
        let mut world = World::new(&floating());
        let wall = world.add(fragile(trigger)).unwrap();
        let ball = world.add(shot(speed)).unwrap();
        let mut broke = Vec::new();
        for _ in 0..40 {
            world.step(1.0 / 240.0).unwrap();
            broke = breaks(&mut world);
            if !broke.is_empty() {
                break;
            }
        }
        assert_eq!(broke.len(), expected, "{broke:?}");
        let velocity = world.velocity(ball).unwrap().linear.z;
        if expected == 1 {
            let (body, pieces) = broke[0];
            assert!(body == wall && (2..=9).contains(&pieces), "{pieces} pieces");
            assert!(velocity < -0.75 * speed, "it keeps most of its speed: {velocity}");
            let piece = world.bodies().find(|(_, body)| body.parent() == Some(wall)).unwrap().1;
            assert_eq!((piece.depth(), piece.trigger()), (1, None), "depth 1: pieces do not break by themselves");
        } else {
            assert!(velocity > -1.0, "it bounces off: {velocity}");
        }
    }
}

#[test]
fn what_breaks_in_flight_and_what_broke_it_keep_their_common_momentum() {
    let mut world = World::new(&floating());
    let trigger = FractureTrigger { threshold: 10.0, radius: Some(0.25), passthrough: 0.7, ..Default::default() };
    let slab = Lattice::new([6, 6, 1], 0.2).describe(Motion::Dynamic);
    let slab = world.add(BodyDescription { trigger: Some(trigger), ..slab }).unwrap();
    let ball = BodyDescription { pose: Pose::at(DVec3::new(0.3, 0.2, 0.6)), ..shot(12.0) };
    world.add(ball).unwrap();
    let (linear, angular) = momentum(&world);
    let mut broke = Vec::new();
    while broke.is_empty() && world.steps() < 60 {
        world.step(1.0 / 240.0).unwrap();
        broke = breaks(&mut world);
    }
    assert!(broke.len() == 1 && broke[0].0 == slab && broke[0].1 < 36, "{broke:?}");
    let (linear_after, angular_after) = momentum(&world);
    assert!((linear_after - linear).length() < 1e-3 * linear.length(), "{linear} {linear_after}");
    assert!((angular_after - angular).length() < 0.02 * angular.length(), "{angular} {angular_after}");
}

#[test]
fn a_load_is_no_blow() {
    let mut world = World::new(&WorldOptions::default());
    world.add_ground(0.0).unwrap();
    let trigger = FractureTrigger { threshold: 30.0, ..FractureTrigger::default() };
    let plinth = Lattice::new([3, 3, 3], 0.2).describe(Motion::Dynamic);
    let plinth = BodyDescription { pose: Pose::at(DVec3::Y * 0.3), trigger: Some(trigger), ..plinth };
    world.add(plinth).unwrap();
    // Eleven tonnes: in each step their weight pushes thirty times as hard as the threshold.
    let half_extents = DVec3::new(0.7, 1.0, 1.0);
    let heavy = BodyDescription::new("heavy", TriMesh::default(), Representation::Cuboid { half_extents });
    let heavy = world.add(BodyDescription { pose: Pose::at(DVec3::Y * 1.6), ..heavy }).unwrap();
    for _ in 0..120 {
        world.step(1.0 / 120.0).unwrap();
    }
    assert_eq!(breaks(&mut world), []);
    assert!(world.pose(heavy).unwrap().translation.y > 1.55);
}

#[test]
fn pieces_break_again_only_down_to_the_depth_and_after_the_cooldown() {
    let run = |depth_limit: u32, cooldown: f64| {
        let mut world = World::new(&WorldOptions::default());
        world.add_ground(0.0).unwrap();
        let trigger = FractureTrigger { threshold: 1.0, depth_limit, cooldown, passthrough: 0.0, radius: None };
        let block = Lattice::new([3, 3, 3], 0.2).describe(Motion::Dynamic);
        let block = BodyDescription { pose: Pose::at(DVec3::Y * 4.0), trigger: Some(trigger), ..block };
        world.add(block).unwrap();
        steps(&mut world, 200, 1.0 / 120.0);
        breaks(&mut world)
    };
    let once = run(1, 0.0);
    assert_eq!(once.iter().map(|(_, pieces)| pieces).collect::<Vec<_>>(), [&27]);
    assert_eq!(run(0, 0.0), []);
    // Its pieces break into one piece each, and those no more.
    let twice = run(2, 0.0);
    assert!(twice.len() > 5 && twice.len() <= 28, "{}", twice.len());
    assert_eq!(run(2, 100.0), once);
}

#[test]
fn no_more_bodies_break_in_a_step_than_may() {
    let mut world = World::new(&WorldOptions { breaks_per_step: 3, ..WorldOptions::default() });
    world.add_ground(0.0).unwrap();
    let trigger = FractureTrigger { threshold: 1.0, ..FractureTrigger::default() };
    for number in 0..8 {
        let pose = Pose::at(DVec3::new(f64::from(number), 1.0, 0.0));
        let block = Lattice::new([2, 2, 2], 0.1 + 0.01 * f64::from(number)).describe(Motion::Dynamic);
        world.add(BodyDescription { pose, trigger: Some(trigger), ..block }).unwrap();
    }
    let mut most = 0;
    for _ in 0..100 {
        world.step(1.0 / 60.0).unwrap();
        most = most.max(breaks(&mut world).len());
    }
    assert_eq!(most, 3);
}

#[test]
fn broken_worlds_have_one_hash_whatever_the_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let debris = DebrisOptions { smallest: 0.1, budget: 50, ..DebrisOptions::default() };
            let mut world = World::new(&WorldOptions { debris, ..WorldOptions::default() });
            world.add_ground(-1.0).unwrap();
            let trigger = FractureTrigger { threshold: 20.0, radius: Some(0.25), depth_limit: 2, ..Default::default() };
            world.add(fragile(trigger)).unwrap();
            let tower = Lattice::new([3, 6, 3], 0.09).describe(Motion::Dynamic);
            let pose = Pose::at(DVec3::new(0.3, 1.5, 0.3));
            world.add(BodyDescription { pose, trigger: Some(trigger), ..tower }).unwrap();
            for number in 0..6 {
                let shot = shot(15.0 + f64::from(number));
                let place =
                    DVec3::new(0.25 * f64::from(number) - 0.5, 0.1 * f64::from(number), 1.0 + f64::from(number));
                world.add(BodyDescription { pose: Pose::at(place), ..shot }).unwrap();
            }
            steps(&mut world, 120, 1.0 / 120.0);
            assert!(world.statistics().fragments > 20 && world.statistics().debris > 0);
            (world.hash(), breaks(&mut world))
        })
    };
    let expected = run(1);
    for threads in [2, 5] {
        assert_eq!(run(threads), expected, "{threads} threads");
    }
}

/// What an event on a fixed body of so many boxes costs: seconds for the fracture, and for the step after it.
fn event_cost(count: [u32; 3]) -> (f64, f64, usize) {
    use crate::statistics::Stage;
    let mut world = World::new(&WorldOptions::default());
    let id = world.add(Lattice::new(count, 0.2).describe(Motion::Fixed)).unwrap();
    steps(&mut world, 3, 0.01);
    let clock = std::time::Instant::now();
    world.step(0.01).unwrap();
    println!("a step without an event: {:?}", clock.elapsed());
    let (mut fracture, mut step, mut pieces) = (f64::INFINITY, f64::INFINITY, 0);
    for z in [-0.5, 0.0, 0.5] {
        let top = 0.1 * f64::from(count[1]);
        let impact = hit(&world, id, DVec3::new(0.0, top, z * 0.1 * f64::from(count[2])), 0.35);
        let clock = std::time::Instant::now();
        let added = world.fracture(id, &impact).unwrap();
        fracture = fracture.min(clock.elapsed().as_secs_f64());
        let clock = std::time::Instant::now();
        world.step(0.01).unwrap();
        step = step.min(clock.elapsed().as_secs_f64());
        let times = world.statistics().times;
        println!("{:?}", Stage::ALL.map(|stage| (stage.name(), times[stage])));
        pieces = added.len();
        added.into_iter().for_each(|piece| world.remove(piece).unwrap());
        world.step(0.01).unwrap();
    }
    (fracture, step, pieces)
}

#[test]
fn an_event_costs_the_same_on_a_large_body_as_on_a_small_one() {
    // For people: `cargo test --release -- --nocapture an_event_costs`. Time is not asserted.
    for count in [[20, 5, 20], [20, 5, 200]] {
        let (fracture, step, pieces) = event_cost(count);
        let boxes: u32 = count.iter().product();
        println!(
            "{boxes} boxes: {pieces} pieces, {:.3} ms for the fracture, {:.3} ms for the step after it",
            fracture * 1e3,
            step * 1e3
        );
        assert!((10..40).contains(&pieces));
    }
}

#[test]
fn many_bodies_over_a_ground_do_not_cost_their_square() {
    // For people, as above.
    for count in [5_000, 20_000] {
        let mut world = World::new(&WorldOptions::default());
        world.add_ground(0.0).unwrap();
        let clock = std::time::Instant::now();
        let side = (f64::from(count) / 4.0).sqrt() as i32;
        for number in 0..count {
            let (layer, place) = (number / (side * side), number % (side * side));
            let pose =
                Pose::at(DVec3::new(f64::from(place % side), 0.3 + 0.6 * f64::from(layer), f64::from(place / side)));
            let half_extents = DVec3::splat(0.25);
            let cuboid = BodyDescription::new("box", TriMesh::default(), Representation::Cuboid { half_extents });
            world.add(BodyDescription { pose, ..cuboid }).unwrap();
        }
        let added = clock.elapsed();
        let clock = std::time::Instant::now();
        world.step(0.01).unwrap();
        let first = clock.elapsed();
        let clock = std::time::Instant::now();
        steps(&mut world, 10, 0.01);
        println!(
            "{count} bodies: {added:?} to add, {first:?} the first step, {:?} each of the next",
            clock.elapsed() / 10
        );
        let lowest = world.bodies().filter_map(|(id, _)| Some(world.pose(id)?.translation.y)).skip(1);
        assert!(lowest.fold(f64::INFINITY, f64::min) > 0.2, "none sinks in");
    }
}

#[test]
fn a_body_breaks_by_the_pattern_that_it_is_given() {
    use crate::fragment::{Fragment, FragmentBody, FragmentBreakage, Solid, SolidOptions, cuboid_tets};
    use crate::geometry::Aabb;
    use crate::pattern::{ImpactPattern, SeedPattern, VoronoiPattern, WebPattern};
    use crate::vacd::{Breakage, Compound, CompoundBody, CompoundOptions, Part};
    let voronoi = |cells: u32| VoronoiPattern { cells, extent: 3.0, falloff: 0.0, ..VoronoiPattern::default() };
    let block = Part::internal(Convex::cuboid(Aabb::around(DVec3::ZERO, DVec3::ONE)));
    let block = Compound::new(vec![block], &CompoundOptions::default()).unwrap();
    let compound =
        CompoundBody::new(block, Arc::new(Breakage::new(voronoi(2).pattern().unwrap()))).describe("compound");
    let solid = Solid::new(&cuboid_tets(DVec3::splat(0.5), [4; 3]).unwrap(), &SolidOptions::default()).unwrap();
    let breakage = Arc::new(FragmentBreakage::by_pattern(SeedPattern::Voronoi(voronoi(2))));
    let tets = FragmentBody::new(Arc::new(Fragment::whole(&solid)), breakage).describe("tets");
    let web = ImpactPattern::Web(WebPattern { radius: 1.5, extent: 4.0, depth: 4.0, ..WebPattern::default() });
    for (description, takes_web) in [(compound, true), (tets, false)] {
        let mut world = World::new(&floating());
        let body = world.add(description).unwrap();
        assert_eq!(world.set_pattern(body, &web).is_ok(), takes_web);
        world.set_pattern(body, &ImpactPattern::Voronoi(voronoi(400))).unwrap();
        let pieces = world.fracture(body, &Impact::at(DVec3::ZERO)).unwrap();
        assert!(pieces.len() > 8, "{} pieces", pieces.len());
    }
    let mut world = World::new(&floating());
    let cuboid = Representation::Cuboid { half_extents: DVec3::ONE };
    let plain = world.add(BodyDescription::new("plain", crate::geometry::TriMesh::default(), cuboid)).unwrap();
    assert!(matches!(world.set_pattern(plain, &web), Err(WorldError::Unbreakable(_))));
}
