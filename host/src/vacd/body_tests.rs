use std::sync::Arc;

use glam::DVec3;

use super::*;
use crate::geometry::{Aabb, Convex, Pose};
use crate::pattern::{VoronoiPattern, WebPattern};
use crate::world::{BodyDescription, BodyId, Event, FractureTrigger, Impact, Motion, Velocity, World, WorldOptions};

fn cuboid(min: [f64; 3], max: [f64; 3]) -> Part {
    Part::internal(Convex::cuboid(Aabb { min: min.into(), max: max.into() }))
}

fn breakage(cells: u32) -> Arc<Breakage> {
    Arc::new(Breakage::new(VoronoiPattern { cells, extent: 4.0, ..VoronoiPattern::default() }.pattern().unwrap()))
}

fn momentum(world: &World) -> (DVec3, DVec3) {
    let mut total = (DVec3::ZERO, DVec3::ZERO);
    for (id, body) in world.bodies().filter(|(_, body)| body.motion() == Motion::Dynamic) {
        let (pose, velocity) = (world.pose(id).unwrap(), world.velocity(id).unwrap());
        let center = pose.transform_point(body.mass_properties().centroid);
        let spin = pose.rotation.inverse() * velocity.angular;
        let about_center = pose.rotation * (body.mass_properties().inertia * spin) * body.material().density;
        total.0 += body.mass() * velocity.linear;
        total.1 += center.cross(body.mass() * velocity.linear) + about_center;
    }
    total
}

#[test]
fn pieces_of_a_spinning_block_carry_its_momentum_and_mass() {
    for radius in [None, Some(0.3)] {
        let block = Compound::new(
            vec![cuboid([-0.5, -0.2, -0.1], [0.1, 0.2, 0.1]), cuboid([0.1, -0.2, -0.1], [0.6, 0.2, 0.1])],
            &CompoundOptions::default(),
        )
        .unwrap();
        let mut world = World::new(&WorldOptions::default());
        let id = world
            .add(BodyDescription {
                pose: Pose::at(DVec3::new(1.0, 2.0, 3.0)),
                velocity: Velocity { linear: DVec3::new(1.0, -2.0, 0.5), angular: DVec3::new(2.0, 1.0, -3.0) },
                ..CompoundBody::new(block, breakage(400)).describe("block")
            })
            .unwrap();
        let (linear, angular) = momentum(&world);
        let mass = world.body(id).unwrap().mass();
        let impact = Impact { radius, ..Impact::at(DVec3::new(1.2, 2.0, 3.0)) };
        let pieces = world.fracture(id, &impact).unwrap();
        assert!(pieces.len() > 3);
        assert_eq!(world.body(id).is_some(), radius.is_some());
        let (linear_after, angular_after) = momentum(&world);
        assert!((linear_after - linear).length() < 1e-5 * linear.length(), "{linear} {linear_after}");
        assert!((angular_after - angular).length() < 1e-5 * angular.length(), "{angular} {angular_after}");
        let after: f64 = world.bodies().map(|(_, body)| body.mass()).sum();
        assert!((after - mass).abs() < 1e-9 * mass);
    }
}

#[test]
fn what_an_anchor_holds_stays_and_the_rest_falls() {
    // A beam between two walls, cut through in the middle and then at one end.
    let parts = (0..10).map(|n| cuboid([f64::from(n), 0.0, 0.0], [f64::from(n) + 1.0, 0.5, 0.5])).collect();
    let anchors = [-0.1, 9.9].map(|x| Aabb { min: DVec3::new(x, -1.0, -1.0), max: DVec3::new(x + 0.2, 1.0, 1.0) });
    let options = CompoundOptions { anchors: anchors.to_vec(), overlaps: false };
    let beam = CompoundBody::new(Compound::new(parts, &options).unwrap(), breakage(60)).describe("beam");
    assert_eq!(beam.motion, Motion::Fixed);
    let mut world = World::new(&WorldOptions::default());
    let id = world.add(beam).unwrap();
    let blow = |world: &mut World, x: f64| {
        let impact = Impact { radius: Some(0.6), seed: 3, ..Impact::at(DVec3::new(x, 0.25, 0.25)) };
        world.fracture(id, &impact).unwrap()
    };
    let first = blow(&mut world, 5.0);
    assert!(first.iter().all(|&piece| world.pose(piece).unwrap().translation.x < 7.0), "both halves hold");
    let second = blow(&mut world, 1.5);
    let boxes = |id: BodyId| {
        let (body, pose) = (world.body(id).unwrap(), world.pose(id).unwrap());
        let crate::world::Representation::Convexes(parts) = body.representation() else { unreachable!() };
        parts.values().map(|part| Convex::clone(part).transformed(&pose).aabb()).collect::<Vec<_>>()
    };
    // What was between the two blows is cut off from both walls.
    assert!(boxes(id).iter().all(|part| part.max.x < 2.2 || part.min.x > 4.3));
    assert_eq!(world.body(id).unwrap().motion(), Motion::Fixed);
    for &piece in first.iter().chain(&second) {
        let reaches = boxes(piece).iter().any(|part| part.min.x < 0.1 - 1e-5);
        let motion = world.body(piece).unwrap().motion();
        assert_eq!(motion, if reaches { Motion::Fixed } else { Motion::Dynamic });
    }
}

#[test]
fn a_pane_shows_no_seams_where_it_is_whole() {
    let pane =
        Compound::new(vec![cuboid([-1.0, -1.0, -0.005], [1.0, 1.0, 0.005])], &CompoundOptions::default()).unwrap();
    let web = WebPattern { radius: 0.5, extent: 4.0, ..WebPattern::default() }.pattern().unwrap();
    let breakage = Breakage { turn: Turn::AcrossThinnest, ..Breakage::new(web) };
    let mut world = World::new(&WorldOptions::default());
    let id = world.add(CompoundBody::new(pane, Arc::new(breakage)).describe("pane")).unwrap();
    let impact = Impact { radius: Some(0.1), ..Impact::at(DVec3::ZERO) };
    world.fracture(id, &impact).unwrap();
    let body = world.body(id).unwrap();
    let area = |normal_z: bool| -> f64 {
        let triangles = body.looks().values().flat_map(|look| {
            let mesh = look.mesh();
            (0..mesh.triangles.len()).map(|t| mesh.corners(t)).collect::<Vec<_>>()
        });
        let areas = triangles.map(|[a, b, c]| 0.5 * (b - a).cross(c - a));
        areas.filter(|area| (area.z.abs() > 0.9 * area.length()) == normal_z).map(|area| area.length()).sum()
    };
    // Two sides less the hole; the border of the pane and that of the hole, but no seams between the parts of the rest.
    assert!(area(true) > 2.0 * (4.0 - 0.3) && area(true) < 8.0, "{}", area(true));
    let border = 8.0 * 0.01;
    assert!(area(false) > border && area(false) < border + 4.0 * 0.01, "{}", area(false));
}

#[test]
fn things_break_where_they_fall_and_not_again_below_the_limit() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = World::new(&WorldOptions::default());
            world.add_ground(0.0).unwrap();
            let block = vec![cuboid([-0.3, -0.3, -0.3], [0.3, 0.3, 0.3])];
            let block = Compound::new(block, &CompoundOptions::default()).unwrap();
            let trigger = FractureTrigger { threshold: 100.0, depth_limit: 1, ..FractureTrigger::default() };
            let id = world
                .add(BodyDescription {
                    pose: Pose::at(DVec3::Y * 1.5),
                    trigger: Some(trigger),
                    ..CompoundBody::new(block, breakage(60)).describe("block")
                })
                .unwrap();
            for _ in 0..90 {
                world.step(1.0 / 60.0).unwrap();
            }
            let broke: Vec<Event> =
                world.take_events().into_iter().filter(|event| matches!(event, Event::Broke { .. })).collect();
            assert!(matches!(&broke[..], [Event::Broke { body, remains: false, .. }] if *body == id), "{broke:?}");
            world.hash()
        })
    };
    let expected = run(1);
    assert!([2, 3, 5].into_iter().all(|threads| run(threads) == expected));
}

#[test]
fn a_convex_takes_less_than_two_kilobytes() {
    let block = cuboid([-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]);
    let mut block = Compound::new(vec![block], &CompoundOptions::default()).unwrap();
    let pattern = VoronoiPattern { cells: 2000, extent: 2.0, falloff: 0.0, seed: 1 }.pattern().unwrap();
    let groups = pattern.colored(20, 1).unwrap();
    let options = FractureOptions::default();
    let fractured = block.fracture(&groups.at(DVec3::ZERO, glam::DQuat::IDENTITY), &options).unwrap();
    let parts: usize = fractured.pieces.iter().map(Compound::len).sum();
    let bytes: usize = fractured.pieces.iter().map(Compound::bytes).sum();
    assert!(parts > 100);
    assert!(bytes / parts < 2048, "{} bytes for each of {parts}", bytes / parts);
}
