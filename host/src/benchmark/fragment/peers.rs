//! Fragments beside Rapier's own colliders of the same pieces, in the same places over the same steps.
//!
//! The pieces fall once as fragments. Then each kind of collider is led along the ways that they took, so that nothing but the narrow
//! phase differs.

use std::sync::Arc;

use glam::DVec3;
use rapier3d::parry::query::{DefaultQueryDispatcher, QueryDispatcher};
use rapier3d::prelude::{
    ActiveCollisionTypes, ColliderBuilder, PhysicsWorld, Pose, RigidBodyBuilder, RigidBodyHandle, SharedShape, Vector,
};

use super::{SUITE, on_one_thread};
use crate::benchmark::Row;
use crate::dynamics::rapier::{FragmentDispatcher, FragmentShape};
use crate::fragment::{Fragment, MesherOptions, SeedPartition, Solid, SolidOptions, cuboid_tets, tetrahedralise};
use crate::geometry::{TetMesh, shapes};
use crate::random::Random;

const STEPS: usize = 200;

/// Pieces, and where each was at each step.
struct Fall {
    pieces: Vec<FragmentShape>,
    places: Vec<Vec<Pose>>,
}

pub(super) fn rows() -> Result<Vec<Row>, String> {
    let rabbit = shapes::FigureOptions { figure: shapes::Figure::Rabbit, height: 0.25, triangles: 20_000 };
    let rabbit = rabbit.mesh().map_err(|error| error.to_string())?;
    let options = MesherOptions { cell: Some(0.0105), ..MesherOptions::default() };
    let rabbit = tetrahedralise(&rabbit, &options).map_err(|error| error.to_string())?.mesh;
    let brick = cuboid_tets(0.5 * DVec3::new(0.215, 0.065, 0.1025), [8, 3, 4]).map_err(|error| error.to_string())?;
    let mut rows = Vec::new();
    for (name, mesh, copies, seeds) in [("pieces of rabbits", rabbit, 4, 7), ("pieces of bricks", brick, 8, 6)] {
        rows.extend(on_one_thread(|| compare(name, &mesh, copies, seeds))??);
    }
    Ok(rows)
}

fn compare(name: &str, mesh: &TetMesh, copies: usize, seeds: usize) -> Result<Vec<Row>, String> {
    let solid = Solid::new(mesh, &SolidOptions::default()).map_err(|error| error.to_string())?;
    let fall = Fall::new(&solid, copies, seeds);
    let name = format!("{} {name}", fall.pieces.len());
    let own = fall.play(|piece| Ok(piece.clone().shared()))?;
    let surface = |piece: &FragmentShape| {
        let mesh = piece.fragment().surface_mesh();
        let local = |position: &DVec3| (*position - piece.origin().as_dvec3()).as_vec3();
        (mesh.positions.iter().map(local).collect::<Vec<Vector>>(), mesh.triangles)
    };
    let meshes = fall.play(|piece| {
        let (points, triangles) = surface(piece);
        SharedShape::trimesh(points, triangles).map_err(|error| error.to_string())
    })?;
    let convexes = fall.play(|piece| {
        let (points, triangles) = surface(piece);
        Ok(SharedShape::convex_decomposition(&points, &triangles))
    })?;
    let row = |stage: &str| Row::new(SUITE, name.clone(), stage, own, "ms");
    Ok(vec![
        row("narrow phase of a step").against("triangle meshes", meshes),
        row("narrow phase of a step").against("convex decompositions", convexes),
    ])
}

impl Fall {
    fn new(solid: &Arc<Solid>, copies: usize, seeds: usize) -> Fall {
        let whole = Fragment::whole(solid);
        let aabb = whole.aabb();
        let mut random = Random::new(3);
        let mut world = world();
        let (mut pieces, mut bodies): (Vec<FragmentShape>, Vec<RigidBodyHandle>) = Default::default();
        for copy in 0..copies {
            let seeds: Vec<DVec3> = (0..seeds).map(|_| aabb.center() + 0.5 * aabb.size() * random.in_cube()).collect();
            let rise = DVec3::Y * (0.02 - aabb.min.y + 1.1 * aabb.size().y * copy as f64);
            let place = (rise + 0.2 * aabb.size() * random.in_cube() * DVec3::new(1.0, 0.0, 1.0)).as_vec3();
            for piece in whole.fracture(&SeedPartition::new(solid.positions(), &seeds)) {
                let shape = FragmentShape::new(Arc::new(piece));
                let body = RigidBodyBuilder::dynamic().can_sleep(false).translation(place + shape.origin());
                let body = body.linvel(Vector::new(0.0, -2.0, 0.0));
                let collider = ColliderBuilder::new(shape.clone().shared()).density(1900.0).friction(0.6);
                bodies.push(world.insert(body, collider).0);
                pieces.push(shape);
            }
        }
        let mut places = Vec::with_capacity(STEPS);
        for _ in 0..STEPS {
            places.push(bodies.iter().map(|&body| *world.bodies[body].position()).collect());
            world.step();
        }
        Fall { pieces, places }
    }

    /// Leads colliders along the ways of the pieces; the mean time of the narrow phase, in milliseconds.
    fn play(&self, shape: impl Fn(&FragmentShape) -> Result<SharedShape, String>) -> Result<f64, String> {
        let mut world = world();
        let mut bodies = Vec::new();
        for (piece, place) in self.pieces.iter().zip(&self.places[0]) {
            let collider = ColliderBuilder::new(shape(piece)?).active_collision_types(ActiveCollisionTypes::all());
            bodies.push(world.insert(RigidBodyBuilder::kinematic_position_based().pose(*place), collider).0);
        }
        let mut sum = 0.0;
        for places in &self.places {
            for (&body, place) in bodies.iter().zip(places) {
                if let Some(body) = world.bodies.get_mut(body) {
                    body.set_position(*place, true);
                }
            }
            world.step();
            sum += world.physics_pipeline.counters.cd.narrow_phase_time.time().as_secs_f64();
        }
        Ok(1e3 * sum / self.places.len() as f64)
    }
}

fn world() -> PhysicsWorld {
    let mut world = PhysicsWorld::new();
    world.integration_parameters.length_unit = 0.1;
    world.integration_parameters.dt = 0.005;
    world.narrow_phase.set_query_dispatcher(FragmentDispatcher.chain(DefaultQueryDispatcher));
    let ground = ColliderBuilder::new(SharedShape::halfspace(Vector::Y)).friction(0.7);
    world.insert_collider(ground.active_collision_types(ActiveCollisionTypes::all()), None);
    world
}
