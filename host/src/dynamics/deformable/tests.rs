//! Deformable bodies against what physics says.

use glam::{DQuat, DVec3, Vec3A};

use super::elements::Elements;
use super::matrix::StiffnessMatrix;
use super::*;
use crate::geometry::shapes::Torus;
use crate::geometry::{Plane, TetMesh};
use crate::random::Random;
use crate::raytrace::DetectionMethod;

/// A bar of cubes along y, hanging down from the origin; each cube is five tetrahedra.
fn bar(cubes: [u32; 3], size: f64) -> TetMesh {
    let node = |x: u32, y: u32, z: u32| (z * (cubes[1] + 1) + y) * (cubes[0] + 1) + x;
    let mut mesh = TetMesh::default();
    for z in 0..=cubes[2] {
        for y in 0..=cubes[1] {
            for x in 0..=cubes[0] {
                mesh.positions.push(size * DVec3::new(f64::from(x), -f64::from(y), f64::from(z)));
            }
        }
    }
    for z in 0..cubes[2] {
        for y in 0..cubes[1] {
            for x in 0..cubes[0] {
                // Neighbours are mirrored, so that they share the diagonals of their sides.
                let odd = (x + y + z) % 2;
                let corner = |i: u32| node(x + ((i & 1) ^ odd), y + (i >> 1 & 1), z + (i >> 2));
                let tets = [[0, 1, 2, 4], [3, 2, 1, 7], [5, 4, 7, 1], [6, 7, 4, 2], [1, 2, 4, 7]];
                mesh.tets.extend(tets.map(|tet| tet.map(corner)));
            }
        }
    }
    mesh.orient();
    mesh
}

fn small_torus() -> TetMesh {
    torus_tets(&Torus { major_segments: 20, minor_segments: 10, ..Torus::default() }).unwrap()
}

#[test]
fn a_hanging_bar_stretches_as_the_closed_form_says() {
    // Its own weight: density * gravity * length^2 / (2 * young), without any sideways strain.
    let (length, young, density) = (2.0, 1e5, 1000.0);
    let material = ElasticMaterial { young, poisson: 0.0, density, ..ElasticMaterial::default() };
    let body = DeformableBody::new(bar([2, 16, 2], length / 16.0), material).fixed_where(|place| place.y == 0.0);
    let mut options = DeformableOptions { gravity: DVec3::NEG_Y, ..DeformableOptions::default() };
    options.solver.tolerance = 1e-8;
    options.solver.iterations = 2000;
    let mut world = DeformableWorld::new(options);
    world.add(&body).unwrap();
    for _ in 0..60 {
        world.step(0.5).unwrap();
    }
    let stretched = -world.surface(0).aabb().min.y - length;
    let expected = density * length * length / (2.0 * young);
    assert!((stretched / expected - 1.0).abs() < 0.01, "{stretched} {expected}");
    let fixed = body.fixed.iter().map(|&node| node as usize);
    assert!(fixed.into_iter().all(|node| world.positions(0)[node] == body.mesh.positions[node]));
}

#[test]
fn a_free_body_falls_as_all_things_do() {
    let mut world = DeformableWorld::new(DeformableOptions::default());
    let material = ElasticMaterial::default();
    let velocity = DVec3::new(1.0, 2.0, 0.0);
    world.add(&DeformableBody { velocity, ..DeformableBody::new(small_torus(), material) }).unwrap();
    for _ in 0..10 {
        world.step(0.01).unwrap();
    }
    for &found in world.velocities(0) {
        assert!((found - velocity - 0.1 * world.options().gravity).length() < 1e-3, "{found}");
    }
    let expected = (velocity + 0.1 * world.options().gravity) * 1000.0 * small_torus().volume();
    assert!((world.momentum() - expected).length() < 1e-11 * expected.length(), "{}", world.momentum());
}

#[test]
fn the_matrix_is_the_derivative_of_the_forces() {
    let body = DeformableBody::new(small_torus(), ElasticMaterial::default());
    let mut elements = Elements::default();
    elements.add(&body, 0);
    let nodes = body.mesh.positions.len();
    let turn = DQuat::from_scaled_axis(DVec3::new(0.3, -1.0, 0.4));
    let turned: Vec<DVec3> = body.mesh.positions.iter().map(|&place| turn * place + DVec3::X).collect();
    let mut random = Random::new(2);
    let change: Vec<DVec3> = (0..nodes).map(|_| random.in_cube()).collect();
    let mut forces = [vec![DVec3::ZERO; nodes], vec![DVec3::ZERO; nodes]];
    let step = 1e-7;
    for (sign, forces) in [1.0, -1.0].into_iter().zip(&mut forces) {
        let places: Vec<DVec3> = turned.iter().zip(&change).map(|(&place, &by)| place + sign * step * by).collect();
        // Several times, because a turn that far takes more than one search.
        (0..8).for_each(|_| elements.turn(&places));
        StiffnessMatrix::new(&elements, nodes).assemble(&elements, forces);
    }
    let mut matrix = StiffnessMatrix::new(&elements, nodes);
    elements.turn(&turned);
    let mut at_rest = vec![DVec3::ZERO; nodes];
    matrix.assemble(&elements, &mut at_rest);
    let single: Vec<Vec3A> = change.iter().map(|change| change.as_vec3a()).collect();
    let scale = (0..nodes).map(|node| matrix.row(node, &change).length()).fold(0.0, f64::max);
    for node in 0..nodes {
        // A body that is only turned has no forces.
        assert!(at_rest[node].length() < 1e-6 * scale, "{}", at_rest[node]);
        let measured = (forces[1][node] - forces[0][node]) / (2.0 * step);
        assert!((measured - matrix.row(node, &change)).length() < 1e-4 * scale, "{node}");
        let fast = matrix.fast_row(node, &single).as_dvec3();
        assert!((fast - matrix.row(node, &change)).length() < 1e-5 * scale);
    }
}

#[test]
fn momentum_is_conserved_through_collisions() {
    let (mesh, material) = (small_torus(), ElasticMaterial { young: 1e5, ..ElasticMaterial::default() });
    let mut world = DeformableWorld::new(DeformableOptions { gravity: DVec3::ZERO, ..DeformableOptions::default() });
    let shifted = mesh.positions.iter().map(|&place| place + DVec3::new(0.05, 0.25, 0.02)).collect();
    let upper = DeformableBody::new(TetMesh { positions: shifted, tets: mesh.tets.clone() }, material);
    world.add(&DeformableBody::new(mesh, material)).unwrap();
    world.add(&DeformableBody { velocity: DVec3::new(0.5, -3.0, 0.1), ..upper }).unwrap();
    let (before, turning) = (world.momentum(), world.angular_momentum());
    let mut contacts = 0;
    for _ in 0..60 {
        contacts += world.step(0.005).unwrap().contacts;
    }
    assert!(contacts > 100, "{contacts}");
    assert!((world.momentum() - before).length() < 1e-11 * before.length(), "{} {before}", world.momentum());
    // Angular momentum too, friction or not, as the bodies bend and turn.
    let turned = world.angular_momentum() - turning;
    assert!(turned.length() < 1e-11 * turning.length(), "{turned} {turning}");
    // They did collide: the lower one has some of it now.
    assert!(world.velocities(0).iter().all(|velocity| velocity.y < -0.1));
}

fn stays_inside(world: &DeformableWorld) -> bool {
    (0..world.len()).all(|body| world.positions(body).iter().all(|place| place.is_finite() && place.length() < 1e3))
}

#[test]
fn rays_part_tori_that_distance_does_not() {
    // The paper's figure 10.
    let scene = tori_interpenetrating().unwrap();
    for (scene, parts) in [(scene.clone(), true), (scene.with_proximity(), false)] {
        let mut world = scene.world().unwrap();
        for _ in 0..80 {
            world.step(scene.step).unwrap();
        }
        assert!(stays_inside(&world));
        // Whether anything of one is inside of the other, asked of rays in both cases.
        world.options_mut().detection = DetectionMethod::default();
        assert_eq!(world.detect().matches() == 0, parts, "{:?}", scene.options.detection);
    }
}

#[test]
fn steps_of_nearly_half_a_second_come_to_rest_with_rays_alone() {
    // The paper's figure 11: the baseline is left with the tori in each other.
    let rays = tori_drop().unwrap();
    let proximity = rays.clone().with_proximity();
    for step in [0.1, 0.2, 0.3, 0.4, 0.45] {
        assert!(rays.comes_to_rest(step).unwrap(), "{step}");
    }
    assert!(proximity.comes_to_rest(0.2).unwrap());
    assert!(!proximity.comes_to_rest(0.45).unwrap());
}

#[test]
fn tori_that_start_in_each_other_part_calmly() {
    let scene = tori_interpenetrating().unwrap();
    let mut world = scene.world().unwrap();
    let allowed = scene.options.response.parting_speed;
    for step in 0..scene.steps {
        world.step(scene.step).unwrap();
        let speed =
            |body: usize| world.velocities(body).iter().sum::<DVec3>().length() / world.velocities(body).len() as f64;
        assert!(speed(0) + speed(1) < 1.25 * allowed, "{step} {} {}", speed(0), speed(1));
    }
    assert_eq!(world.detect().matches(), 0);
    // From rest: neither momentum nor angular momentum has come of it.
    let weight = 200.0 * scene.bodies[0].mesh.volume();
    assert!(world.momentum().length() < 1e-11 * weight * allowed, "{}", world.momentum());
    assert!(world.angular_momentum().length() < 1e-10 * weight * allowed, "{}", world.angular_momentum());
}

#[test]
fn every_number_of_threads_gives_the_same_hash() {
    let scene = tori_pile(3).unwrap();
    let hashes = [1, 2, 5].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut world = scene.world().unwrap();
            (0..4).for_each(|_| assert!(world.step(scene.step).unwrap().contacts > 0));
            world.hash()
        })
    });
    assert_eq!(hashes[0], hashes[1]);
    assert_eq!(hashes[0], hashes[2]);
}

#[test]
fn scenes_are_what_they_say() {
    let triangles = |scene: &DeformableScene, body: usize| scene.bodies[body].mesh.surface().triangles.len();
    for (scene, bodies, begins_overlapped) in [
        (tori_interpenetrating().unwrap(), 2, true),
        (tori_drop().unwrap(), 2, false),
        (chain().unwrap(), 6, false),
        (tori_pile(64).unwrap(), 64, true),
    ] {
        assert_eq!((scene.bodies.len(), triangles(&scene, 0)), (bodies, 1600));
        assert_eq!(scene.world().unwrap().detect().matches() > 0, begins_overlapped, "{}", scene.name);
    }
}

#[test]
fn a_cylinder_comes_out_of_a_slab_and_does_not_roll_away() {
    // With a flat side below, so that there is nothing that it would roll to.
    for sides in [10, 30] {
        let scene = cylinder_plane(sides).unwrap();
        let mut world = scene.world().unwrap();
        let middle =
            |world: &DeformableWorld| world.positions(0).iter().sum::<DVec3>() / world.positions(0).len() as f64;
        let lowest = |world: &DeformableWorld| world.positions(0).iter().map(|place| place.y).fold(f64::MAX, f64::min);
        let (before, deep) = (middle(&world), lowest(&world));
        (0..100).for_each(|_| {
            world.step(scene.step).unwrap();
        });
        let moved = middle(&world) - before;
        // Its radius is 2: it has come up by most of what it was in, and stands over where it was.
        assert!(lowest(&world) > 0.5 * deep && lowest(&world) < 0.1, "{sides} {deep} {}", lowest(&world));
        assert!(moved.x.abs() < 0.2 && moved.z.abs() < 0.02, "{sides} {moved}");
        // The slab is fixed.
        assert_eq!(world.velocities(1).iter().copied().sum::<DVec3>(), DVec3::ZERO);
    }
}

#[test]
fn a_chain_holds_together() {
    let scene = chain().unwrap();
    let mut world = scene.world().unwrap();
    (0..100).for_each(|_| {
        world.step(scene.step).unwrap();
    });
    // Each link still goes through the hole of the one before it.
    for body in 1..world.len() {
        let linking = linking_number(&middles(&world, body - 1), &middles(&world, body));
        assert!((linking.abs() - 1.0).abs() < 0.1, "{body} {linking}");
    }
    assert!(linking_number(&middles(&world, 0), &middles(&world, 3)).abs() < 0.1);
}

/// The nodes in the middle of a ring's tube.
fn middles(world: &DeformableWorld, body: usize) -> Vec<DVec3> {
    world.positions(body).iter().copied().skip(20).step_by(21).collect()
}

/// How often two closed curves go round each other: Gauss's integral.
fn linking_number(first: &[DVec3], second: &[DVec3]) -> f64 {
    let segments = |curve: &[DVec3]| -> Vec<[DVec3; 2]> {
        let next = curve.iter().cycle().skip(1);
        curve.iter().zip(next).map(|(&from, &to)| [0.5 * (from + to), to - from]).collect()
    };
    let mut sum = 0.0;
    for [place, along] in segments(first) {
        for [other, other_along] in segments(second) {
            let between = place - other;
            sum += between.dot(along.cross(other_along)) / between.length().powi(3);
        }
    }
    sum / (4.0 * std::f64::consts::PI)
}

#[test]
fn friction_stops_what_slides_on_the_ground() {
    let slide = |friction: f64| {
        let mut options =
            DeformableOptions { ground: Some(Plane::through(DVec3::NEG_Y * 0.099, DVec3::Y)), ..Default::default() };
        options.response.friction = friction;
        let mut world = DeformableWorld::new(options);
        let velocity = DVec3::X;
        world
            .add(&DeformableBody { velocity, ..DeformableBody::new(small_torus(), ElasticMaterial::default()) })
            .unwrap();
        (0..60).for_each(|_| {
            world.step(0.01).unwrap();
        });
        world.momentum().x
    };
    let (free, held) = (slide(0.0), slide(0.5));
    assert!(free > 0.0 && held.abs() < 0.1 * free, "{free} {held}");
}

#[test]
fn what_cannot_be_simulated_is_refused() {
    let mut world = DeformableWorld::new(DeformableOptions::default());
    let good = DeformableBody::new(small_torus(), ElasticMaterial::default());
    assert_eq!(world.step(0.0), Err(DeformableError::Step(0.0)));
    assert!(world.step(f64::NAN).is_err());
    let empty = DeformableBody { mesh: TetMesh::default(), ..good.clone() };
    assert_eq!(world.add(&empty), Err(DeformableError::Empty));
    let mut inverted = good.clone();
    inverted.mesh.tets[3].swap(0, 1);
    assert!(matches!(world.add(&inverted), Err(DeformableError::NoVolume { tet: 3, .. })));
    let mut loose = good.clone();
    loose.mesh.positions.push(DVec3::ZERO);
    assert!(matches!(world.add(&loose), Err(DeformableError::LooseVertex { .. })));
    let fixed = DeformableBody { fixed: vec![1_000_000], ..good.clone() };
    assert!(matches!(world.add(&fixed), Err(DeformableError::NoSuchNode { node: 1_000_000, .. })));
    let material = ElasticMaterial { poisson: 0.5, ..ElasticMaterial::default() };
    let problem = world.add(&DeformableBody { material, ..good }).unwrap_err();
    assert_eq!(problem.to_string(), "the material's poisson is 0.5, where from 0 to less than 0.4999 is needed");
    // A world without bodies can be stepped all the same.
    assert_eq!(world.step(0.1).unwrap().contacts, 0);
}
