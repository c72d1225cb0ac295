use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::*;
use crate::geometry::{Aabb, Convex, shapes};

/// A box that breaks into two boxes across its longest axis, at the impact.
struct Halves(Aabb);

impl Fracture for Halves {
    fn piece_kind(&self) -> RepresentationKind {
        RepresentationKind::Solid
    }

    fn duplicate(&self) -> Box<dyn Fracture> {
        Box::new(Halves(self.0))
    }

    fn fracture(&mut self, impact: &Impact) -> Result<Fractured, FractureError> {
        let axis = self.0.size().max_position();
        let cut = impact.point[axis];
        if !(self.0.min[axis] < cut && cut < self.0.max[axis]) {
            return Err(FractureError::Method("the impact misses the body".into()));
        }
        let (mut low, mut high) = (self.0, self.0);
        low.max[axis] = cut;
        high.min[axis] = cut;
        Ok(Fractured { pieces: [low, high].into_iter().map(piece).collect(), ..Fractured::default() })
    }
}

fn piece(aabb: Aabb) -> Piece {
    let half_extents = 0.5 * aabb.size();
    let mesh = Convex::cuboid(Aabb::around(DVec3::ZERO, half_extents)).to_tri_mesh();
    Piece {
        looks: Looks::from([(0, mesh.into())]),
        representation: Representation::Cuboid { half_extents },
        pose: Pose::at(aabb.center()),
        motion: Motion::Dynamic,
        mass: None,
        fracture: Some(Box::new(Halves(Aabb::around(DVec3::ZERO, half_extents)))),
        size: aabb.size().max_element(),
    }
}

fn brick(size: DVec3) -> BodyDescription {
    BodyDescription {
        fracture: Some(Arc::new(Halves(Aabb::around(DVec3::ZERO, 0.5 * size)))),
        ..BodyDescription::new("brick", shapes::cuboid(size), Representation::Cuboid { half_extents: 0.5 * size })
    }
}

/// Linear and angular momentum of everything that moves, about the origin.
pub(super) fn momentum(world: &World) -> (DVec3, DVec3) {
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
fn a_fracture_conserves_momentum_and_mass() {
    let mut world = World::new(&WorldOptions::default());
    let id = world
        .add(BodyDescription {
            pose: Pose::new(DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.9), DVec3::new(1.0, 2.0, 3.0)),
            velocity: Velocity { linear: DVec3::new(1.0, -2.0, 0.5), angular: DVec3::new(2.0, 1.0, -3.0) },
            ..brick(DVec3::new(0.4, 0.2, 0.1))
        })
        .unwrap();
    let (linear, angular) = momentum(&world);
    let mass = world.body(id).unwrap().mass();
    let impact = world.pose(id).unwrap().transform_point(DVec3::new(0.05, 0.0, 0.0));
    let pieces = world.fracture(id, &Impact::at(impact)).unwrap();
    assert_eq!(pieces.len(), 2);
    assert!(world.body(id).is_none());
    assert_eq!(world.body(pieces[0]).unwrap().parent(), Some(id));
    let (linear_after, angular_after) = momentum(&world);
    assert!((linear_after - linear).length() < 1e-5 * linear.length(), "{linear} {linear_after}");
    assert!((angular_after - angular).length() < 1e-5 * angular.length(), "{angular} {angular_after}");
    let mass_after: f64 = pieces.iter().map(|&piece| world.body(piece).unwrap().mass()).sum();
    assert!((mass_after - mass).abs() < 1e-9 * mass);
    let events = world.take_events();
    assert_eq!(events.last(), Some(&Event::Broke { body: id, pieces, remains: false, lost: 0 }));
    assert!(world.events().is_empty());
}

#[test]
fn pieces_break_again_and_are_counted() {
    let mut world = World::new(&WorldOptions::default());
    let whole = world.add(brick(DVec3::new(0.4, 0.2, 0.1))).unwrap();
    let pieces = world.fracture(whole, &Impact::at(DVec3::ZERO)).unwrap();
    let center = world.pose(pieces[0]).unwrap().translation;
    world.fracture(pieces[0], &Impact::at(center)).unwrap();
    world.step(0.01).unwrap();
    let statistics = world.statistics();
    assert_eq!((statistics.fragments, statistics.triangles), (3, 36));
    assert!(statistics.times[crate::statistics::Stage::Fracture] > std::time::Duration::ZERO);
}

#[test]
fn what_cannot_break_says_so_and_stays() {
    let mut world = World::new(&WorldOptions::default());
    let ground = world.add_ground(0.0).unwrap();
    let whole = world.add(brick(DVec3::new(0.4, 0.2, 0.1))).unwrap();
    assert!(
        matches!(world.fracture(ground, &Impact::at(DVec3::ZERO)), Err(WorldError::Unbreakable(name)) if name == "ground")
    );
    let missed = world.fracture(whole, &Impact::at(DVec3::splat(9.0))).unwrap_err();
    assert_eq!(missed.to_string(), "body 'brick' did not break: the impact misses the body");
    assert!(world.body(whole).is_some());
    assert!(matches!(world.fracture(BodyId(77), &Impact::at(DVec3::ZERO)), Err(WorldError::NoBody(BodyId(77)))));
}

/// Breaks into hollow surfaces, which have no narrow phase against each other.
struct Shells;

impl Fracture for Shells {
    fn piece_kind(&self) -> RepresentationKind {
        RepresentationKind::Surface
    }

    fn duplicate(&self) -> Box<dyn Fracture> {
        Box::new(Shells)
    }

    fn fracture(&mut self, _: &Impact) -> Result<Fractured, FractureError> {
        Ok(Fractured::default())
    }
}

#[test]
fn bodies_whose_pieces_nothing_could_tell_apart_are_refused_when_they_are_added() {
    let mut world = World::new(&WorldOptions::default());
    let shells = || BodyDescription { fracture: Some(Arc::new(Shells)), ..brick(DVec3::ONE) };
    let refused = world.add(shells()).unwrap_err();
    assert!(matches!(refused, WorldError::NoNarrowPhase { .. }), "{refused}");
    assert!(world.bodies().count() == 0 && world.events().is_empty());
}

#[test]
fn a_world_that_flew_apart_says_so_again() {
    let mut world = World::new(&WorldOptions { gravity: DVec3::splat(f64::NAN), ..WorldOptions::default() });
    world.add(brick(DVec3::ONE)).unwrap();
    for _ in 0..2 {
        assert!(matches!(world.step(0.01), Err(WorldError::Diverged { step: 1, .. })));
    }
}

#[test]
fn bodies_are_pushed_and_fast_ones_are_not_slowed_down() {
    let mut world = World::new(&WorldOptions { gravity: DVec3::ZERO, ..WorldOptions::default() });
    let id = world.add(brick(DVec3::ONE)).unwrap();
    world.set_velocity(id, Velocity { linear: DVec3::X * 1000.0, angular: DVec3::ZERO }).unwrap();
    for _ in 0..5 {
        world.step(0.01).unwrap();
    }
    assert!((world.pose(id).unwrap().translation.x - 50.0).abs() < 0.01);
    let mass = world.body(id).unwrap().mass();
    world.apply_impulse(id, DVec3::X * -1000.0 * mass, world.pose(id).unwrap().translation).unwrap();
    assert!(world.velocity(id).unwrap().linear.length() < 0.1);
    assert!(world.set_velocity(id, Velocity { linear: DVec3::NAN, ..Velocity::default() }).is_err());
    assert_eq!(world.is_sleeping(id), Some(false));
}

#[test]
fn a_pair_without_a_narrow_phase_is_refused_when_it_is_added() {
    let surface = |motion: Motion| {
        let mesh = Arc::new(shapes::cuboid(DVec3::ONE));
        BodyDescription { motion, ..BodyDescription::new("shell", mesh.clone(), Representation::Surface(mesh)) }
    };
    let mut world = World::new(&WorldOptions::default());
    world.add_ground(0.0).unwrap();
    world.add(surface(Motion::Fixed)).unwrap();
    world.add(surface(Motion::Fixed)).unwrap();
    let refused = world.add(surface(Motion::Dynamic)).unwrap_err();
    assert!(matches!(refused, WorldError::NoNarrowPhase { .. }), "{refused}");
    assert_eq!(world.bodies().count(), 3);
}

#[test]
fn bodies_without_sense_are_refused() {
    let mut world = World::new(&WorldOptions::default());
    let refuse = |world: &mut World, description: BodyDescription| world.add(description).unwrap_err().to_string();
    let at = |y: f64| BodyDescription { pose: Pose::at(DVec3::new(0.0, y, 0.0)), ..brick(DVec3::ONE) };
    assert!(refuse(&mut world, at(f64::NAN)).contains("position"));
    assert!(refuse(&mut world, at(1e39)).contains("position"));
    assert!(refuse(&mut world, brick(DVec3::new(1.0, 0.0, 1.0))).contains("half extent"));
    let moving_ground =
        BodyDescription::new("slab", TriMesh::default(), Representation::HalfSpace { normal: DVec3::Y });
    assert!(refuse(&mut world, moving_ground).contains("half-space"));
    assert!(matches!(world.step(0.0), Err(WorldError::TimeStep(_))));
    for time_step in [f64::NAN, -1.0, 1e-60, 1e60] {
        assert!(matches!(world.step(time_step), Err(WorldError::TimeStep(_))));
    }
    let mut mesh = shapes::cuboid(DVec3::ONE);
    mesh.triangles[0][0] = 999;
    let broken = BodyDescription::new("mesh", mesh.clone(), Representation::Surface(Arc::new(mesh)));
    assert!(refuse(&mut world, broken).contains("names vertex 999"));
    let sticky = Material { friction: f64::NAN, ..Material::default() };
    assert!(refuse(&mut world, BodyDescription { material: sticky, ..brick(DVec3::ONE) }).contains("friction"));
    assert_eq!(world.bodies().count(), 0);
}

#[test]
fn bodies_that_meet_are_reported_with_their_contacts() {
    let mut world = World::new(&WorldOptions::default());
    let ground = world.add_ground(0.0).unwrap();
    let id = world.add(BodyDescription { pose: Pose::at(DVec3::Y * 0.6), ..brick(DVec3::ONE) }).unwrap();
    for _ in 0..60 {
        world.step(1.0 / 60.0).unwrap();
    }
    let touched: Vec<_> = world.take_events().into_iter().filter(|e| matches!(e, Event::Touched { .. })).collect();
    assert_eq!(touched, [Event::Touched { bodies: [ground, id] }]);
    let contacts = world.contacts();
    assert_eq!(contacts.len(), 4);
    let weight: f64 = contacts.iter().map(|touch| touch.impulse).sum();
    assert!((weight * 60.0 / (2000.0 * 9.81) - 1.0).abs() < 0.05, "the contacts carry the brick: {weight}");
    for BodyContact { bodies, contact, .. } in contacts {
        assert_eq!(bodies, [ground, id]);
        assert!(contact.normal.dot(DVec3::NEG_Y) > 0.999, "the ground has to move down to get free");
        assert!(contact.depth.abs() < 0.02 && contact.point.y.abs() < 0.02);
    }
}

#[test]
fn the_hash_does_not_depend_on_the_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = World::new(&WorldOptions::default());
            world.add_ground(0.0).unwrap();
            for number in 0..200 {
                let place = DVec3::new(
                    f64::from(number % 5) * 0.21,
                    0.2 + f64::from(number / 5) * 0.11,
                    0.003 * f64::from(number),
                );
                world.add(BodyDescription { pose: Pose::at(place), ..brick(DVec3::new(0.2, 0.1, 0.1)) }).unwrap();
            }
            for step in 0..60 {
                if step == 30 {
                    let center = world.pose(BodyId(50)).unwrap().translation;
                    world.fracture(BodyId(50), &Impact::at(center)).unwrap();
                }
                world.step(1.0 / 60.0).unwrap();
            }
            world.hash()
        })
    };
    let expected = run(1);
    for threads in [1, 2, 3, 5] {
        assert_eq!(run(threads), expected, "{threads} threads");
    }
}
