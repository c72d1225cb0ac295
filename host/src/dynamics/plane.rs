//! Half-spaces without end, as finite tiles that are laid where bodies are.
//!
//! The box around a half-space is the world, and in Rapier's broad phase such a box costs time in proportion to the square
//! of the number of bodies. So Rapier is given square tiles instead, each the same half-space in its own box. A tile
//! answers only for colliders whose centre is above or below it, so that no contact is found twice; the tiles overlap a
//! little, because Rapier keeps contacts of a pair that has hardly moved, and a collider on its way from one tile to the
//! next must not be without ground in between.
//!
//! A large collider has large tiles: there is a lattice for each doubling of the size, and collision groups see to it that
//! a collider only meets the tiles of its own.

use std::collections::BTreeMap;

use glam::{DQuat, DVec3};
use rapier3d::parry::bounding_volume::{Aabb, BoundingSphere};
use rapier3d::parry::mass_properties::MassProperties;
use rapier3d::parry::query::{PointProjection, PointQuery, Ray, RayCast, RayIntersection};
use rapier3d::parry::shape::{FeatureId, HalfSpace, Shape, ShapeType, TypedShape};
use rapier3d::prelude::{
    ActiveEvents, ColliderBuilder, ColliderHandle, Group, InteractionGroups, InteractionTestMode, PhysicsWorld,
    Pose as RapierPose, RigidBody, RigidBodyHandle, SharedShape, Vector,
};

use super::rigid_build::{Surface, rapier_pose};
use crate::geometry::{self, Pose};
use crate::world::BodyId;

/// The side of the smallest tile, in length units.
const SMALLEST: f32 = 4.0;

/// How far tiles reach under each other, in length units: more than twice the distance up to which Rapier keeps contacts.
const OVERLAP: f32 = 0.125;

/// The depth of a tile, in sides: a body that gets below it is lost.
const DEPTH: f32 = 64.0;

/// Sizes of tiles; more than a collision group has no bits for.
const LEVELS: u32 = 32;

/// A part of a half-space. In its own coordinates the surface is at y = 0, and the middle of the tile at the origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tile {
    pub(super) half_space: HalfSpace,
    side: f32,
    overlap: f32,
}

impl Tile {
    /// Whether the tile answers for a collider whose centre is here.
    pub(super) fn is_under(&self, center: Vector) -> bool {
        let reach = 0.5 * self.side + self.overlap;
        center.x.abs() <= reach && center.z.abs() <= reach
    }
}

/// The half-spaces of a world and their tiles.
pub(super) struct Planes {
    planes: Vec<Plane>,
    length_unit: f32,
}

struct Plane {
    id: BodyId,
    origin: DVec3,
    /// Turns the y axis into the normal.
    rotation: DQuat,
    surface: Surface,
    /// By level, column and row.
    tiles: BTreeMap<(u32, i64, i64), ColliderHandle>,
}

impl Planes {
    pub(super) fn new(length_unit: f64) -> Planes {
        Planes { planes: Vec::new(), length_unit: length_unit as f32 }
    }

    /// Adds a half-space whose surface goes through the origin of a pose.
    pub(super) fn add(&mut self, id: BodyId, pose: &Pose, normal: DVec3, surface: Surface) {
        let rotation = DQuat::from_rotation_arc(DVec3::Y, pose.rotation * normal);
        self.planes.push(Plane { id, origin: pose.translation, rotation, surface, tiles: BTreeMap::new() });
    }

    pub(super) fn remove(&mut self, id: BodyId, physics: &mut PhysicsWorld) {
        if let Some(place) = self.planes.iter().position(|plane| plane.id == id) {
            for tile in self.planes.remove(place).tiles.into_values() {
                physics.remove_collider(tile);
            }
        }
    }

    /// The collision groups of a collider, by which the tiles of its size know it.
    pub(super) fn groups(&self, radius: f32) -> InteractionGroups {
        let level = (0..LEVELS).find(|&level| 0.5 * self.side(level) >= radius).unwrap_or(LEVELS - 1);
        InteractionGroups::new(Group::from_bits_truncate(1 << level), Group::ALL, InteractionTestMode::And)
    }

    /// The surfaces of all half-spaces, normals out.
    pub(super) fn surfaces(&self) -> impl Iterator<Item = geometry::Plane> {
        self.planes.iter().map(|plane| geometry::Plane::through(plane.origin, plane.rotation * DVec3::Y))
    }

    fn side(&self, level: u32) -> f32 {
        SMALLEST * self.length_unit * (level as f32).exp2()
    }

    /// Lays tiles wherever one of the bodies can touch a half-space in a step of `time_step` seconds.
    pub(super) fn lay_tiles(
        &mut self,
        physics: &mut PhysicsWorld,
        bodies: impl Iterator<Item = RigidBodyHandle>,
        time_step: f32,
    ) {
        if self.planes.is_empty() {
            return;
        }
        let mut missing: Vec<(usize, (u32, i64, i64))> = Vec::new();
        for handle in bodies {
            let Some(body) = physics.bodies.get(handle) else { continue };
            let reach = time_step * farthest_speed(body) + OVERLAP * self.length_unit;
            let center = body.center_of_mass().as_dvec3();
            let extent = f64::from(body.mass_properties().max_extent() + reach);
            for (number, plane) in self.planes.iter().enumerate() {
                if plane.local(center).y > extent {
                    continue;
                }
                for &collider in body.colliders() {
                    let Some(collider) = physics.colliders.get(collider) else { continue };
                    let level = collider.collision_groups().memberships.bits().trailing_zeros();
                    let side = self.side(level.min(LEVELS - 1));
                    let here = collider.position().translation;
                    let ahead = here + time_step * body.linvel();
                    for point in [here, ahead] {
                        let local = plane.local(point.as_dvec3());
                        if local.y > f64::from(0.5 * side + reach) || !local.is_finite() {
                            continue;
                        }
                        let [column, row] = [local.x, local.z].map(|along| (along / f64::from(side)).round() as i64);
                        let key = (level, column, row);
                        if !plane.tiles.contains_key(&key) {
                            missing.push((number, key));
                        }
                    }
                }
            }
        }
        for (number, key) in missing {
            self.lay_tile(physics, number, key);
        }
    }

    fn lay_tile(&mut self, physics: &mut PhysicsWorld, number: usize, key: (u32, i64, i64)) {
        let side = self.side(key.0);
        let overlap = OVERLAP * self.length_unit;
        let plane = &mut self.planes[number];
        let entry = plane.tiles.entry(key);
        let std::collections::btree_map::Entry::Vacant(entry) = entry else { return };
        let middle = f64::from(side) * DVec3::new(key.1 as f64, 0.0, key.2 as f64);
        let pose = Pose::new(plane.rotation, plane.origin + plane.rotation * middle);
        let Some(pose) = rapier_pose(&pose) else { return };
        let tile = Tile { half_space: HalfSpace::new(Vector::Y), side, overlap };
        let groups =
            InteractionGroups::new(Group::ALL, Group::from_bits_truncate(1 << key.0), InteractionTestMode::And);
        let collider = ColliderBuilder::new(SharedShape(std::sync::Arc::new(tile)))
            .position(pose)
            .density(0.0)
            .friction(plane.surface.friction)
            .restitution(plane.surface.restitution)
            .collision_groups(groups)
            .active_events(ActiveEvents::COLLISION_EVENTS)
            .user_data(u128::from(plane.id.0));
        entry.insert(physics.insert_collider(collider, None));
    }
}

impl Plane {
    /// A point of the world with the surface at y = 0.
    fn local(&self, point: DVec3) -> DVec3 {
        self.rotation.inverse() * (point - self.origin)
    }
}

/// No point of a body is faster.
fn farthest_speed(body: &RigidBody) -> f32 {
    body.linvel().length() + body.angvel().length() * body.mass_properties().max_extent()
}

impl RayCast for Tile {
    fn cast_local_ray_and_get_normal(&self, ray: &Ray, longest: f32, solid: bool) -> Option<RayIntersection> {
        self.half_space.cast_local_ray_and_get_normal(ray, longest, solid)
    }
}

impl PointQuery for Tile {
    fn project_local_point(&self, point: Vector, solid: bool) -> PointProjection {
        self.half_space.project_local_point(point, solid)
    }

    fn project_local_point_and_get_feature(&self, point: Vector) -> (PointProjection, FeatureId) {
        self.half_space.project_local_point_and_get_feature(point)
    }
}

impl Shape for Tile {
    fn compute_local_aabb(&self) -> Aabb {
        // High enough to hold the centre of every collider of this level that touches the surface.
        let reach = 0.5 * self.side + self.overlap;
        Aabb::new(Vector::new(-reach, -DEPTH * self.side, -reach), Vector::splat(reach))
    }

    fn compute_local_bounding_sphere(&self) -> BoundingSphere {
        self.compute_local_aabb().bounding_sphere()
    }

    fn compute_aabb(&self, position: &RapierPose) -> Aabb {
        self.compute_local_aabb().transform_by(position)
    }

    fn clone_dyn(&self) -> Box<dyn Shape> {
        Box::new(*self)
    }

    fn scale_dyn(&self, _: Vector, _: u32) -> Option<Box<dyn Shape>> {
        None
    }

    fn mass_properties(&self, _: f32) -> MassProperties {
        MassProperties::default()
    }

    fn shape_type(&self) -> ShapeType {
        ShapeType::Custom
    }

    fn as_typed_shape(&self) -> TypedShape<'_> {
        TypedShape::Custom(self)
    }

    fn ccd_thickness(&self) -> f32 {
        f32::MAX
    }

    fn ccd_angular_thickness(&self) -> f32 {
        std::f32::consts::PI
    }

    fn is_convex(&self) -> bool {
        true
    }
}
