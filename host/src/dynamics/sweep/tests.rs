//! What is slow is not touched by the sweep, to the last bit.

use std::sync::Arc;

use glam::DVec3;
use rapier3d::prelude::RigidBodyHandle;

use super::FragmentForm;
use crate::dynamics::{RigidBodies, RigidOptions, ShapeCache};
use crate::fragment::{Fragment, SeedPartition, Solid, SolidOptions, cuboid_tets};
use crate::geometry::{Pose, SignedDistance, TriMesh};
use crate::random::Random;
use crate::world::{BodyDescription, BodyId, Motion, Representation};

fn pieces(half: DVec3, cells: [u32; 3], seeds: usize, random: &mut Random) -> Vec<Arc<Fragment>> {
    let solid = Solid::new(&cuboid_tets(half, cells).expect("tetrahedra"), &SolidOptions { grid_cells: 24 });
    let whole = Fragment::whole(&solid.expect("a solid"));
    let seeds: Vec<DVec3> = (0..seeds).map(|_| half * random.in_cube()).collect();
    whole.fracture(&SeedPartition::new(whole.solid().positions(), &seeds)).into_iter().map(Arc::new).collect()
}

#[test]
fn a_slow_stack_is_the_same_with_and_without_the_sweep() {
    let mut random = Random::new(5);
    let options = RigidOptions { continuous: true, length_unit: 0.1, ..RigidOptions::default() };
    let mut bodies = RigidBodies::new(DVec3::Y * -9.81, &options, ShapeCache::default());
    let mut add = |number: u32, description: &BodyDescription| {
        let built = bodies.build(description).expect("a body");
        bodies.insert(BodyId(number), built, false);
    };
    let floor = Representation::Cuboid { half_extents: DVec3::new(1.0, 0.5, 1.0) };
    let floor = BodyDescription::new("floor", TriMesh::default(), floor);
    add(0, &BodyDescription { motion: Motion::Fixed, pose: Pose::at(DVec3::Y * -0.5), ..floor });
    let mut number = 1;
    for level in 0..3 {
        for piece in pieces(DVec3::new(0.11, 0.035, 0.055), [6, 2, 3], 4, &mut random) {
            let pose = Pose::at(DVec3::Y * (0.03501 + 0.07002 * f64::from(level)));
            let body = BodyDescription::new("piece", TriMesh::default(), Representation::Fragment(piece));
            add(number, &BodyDescription { pose, ..body });
            number += 1;
        }
    }
    let mut sweep = bodies.sweep.take().expect("it is continuous");
    bodies.physics.integration_parameters.dt = 1.0 / 120.0;
    for step in 0..240 {
        sweep.prepare(&mut bodies.physics.integration_parameters, 1.0 / 120.0);
        let awake: Vec<RigidBodyHandle> = bodies.physics.bodies.iter().map(|(handle, _)| handle).collect();
        bodies.physics.step();
        let poses =
            |bodies: &RigidBodies| bodies.physics.bodies.iter().map(|(_, body)| *body.position()).collect::<Vec<_>>();
        let before = poses(&bodies);
        sweep.set_back(&mut bodies.physics, &bodies.planes, &awake);
        assert_eq!(before, poses(&bodies), "step {step}");
    }
}

#[test]
fn cores_are_inside_of_their_fragment() {
    let mut random = Random::new(9);
    let shapes = [(DVec3::splat(0.03), [6; 3]), (DVec3::new(0.04, 0.004, 0.04), [10, 1, 10])];
    for (half, cells) in shapes {
        for piece in pieces(half, cells, 12, &mut random) {
            let form = FragmentForm::new(&piece, DVec3::ZERO).expect("a form");
            let exact = SignedDistance::new(&piece.surface_mesh()).expect("a closed surface");
            for core in &form.cores {
                let depth = -exact.at(core.center);
                assert!(core.radius < depth, "a ball of {} at a depth of {depth}", core.radius);
            }
            // No ball is larger than half of the least side of the box.
            let [largest, most] = [form.cores[0].radius, 0.5 * piece.aabb().size().min_element()];
            assert!(largest > 0.1 * most && largest <= most, "{largest} of {most}");
        }
    }
}
