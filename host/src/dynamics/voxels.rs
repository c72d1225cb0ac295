//! Bodies of voxels of a world: the bodies of [`VoxelWorld`] by the world's numbers, with planes for the ground and walls.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Instant;

use glam::DVec3;
use rustc_hash::FxHashMap;

use super::RigidStep;
use super::blow::{Blow, keep_hardest};
use crate::contact::Contact;
use crate::device::SharedBackend;
use crate::geometry::{Plane, Pose};
use crate::hash::StateHash;
use crate::statistics::{Stage, StageTimes};
use crate::svo::{BodyError, Side, VoxelBody, VoxelTouch, VoxelWorld, VoxelWorldOptions, Voxels};
use crate::world::{BodyContact, BodyDescription, BodyId, Motion, Velocity};

/// The bodies of voxels of a world.
pub struct VoxelBodies {
    world: VoxelWorld,
    /// Who is who, by the numbers of the voxels' own world.
    ids: FxHashMap<u32, BodyId>,
    /// Whose each plane is, in the order of the planes.
    planes: Vec<BodyId>,
    fragile: BTreeSet<u32>,
    /// How bodies moved before the last step, if it looked for blows.
    before: FxHashMap<u32, Velocity>,
    touching: BTreeSet<[BodyId; 2]>,
    /// Pieces that came since the last step: of whom, and their numbers.
    born: Vec<(BodyId, Range<u32>)>,
}

impl VoxelBodies {
    /// No bodies yet.
    pub fn new(gravity: DVec3, options: &VoxelWorldOptions) -> VoxelBodies {
        VoxelBodies {
            world: VoxelWorld::new(VoxelWorldOptions { gravity, ..*options }),
            ids: FxHashMap::default(),
            planes: Vec::new(),
            fragile: BTreeSet::new(),
            before: FxHashMap::default(),
            touching: BTreeSet::new(),
            born: Vec::new(),
        }
    }

    /// Makes what is needed to simulate a body, without adding it.
    ///
    /// # Errors
    /// What stands against it.
    pub fn build(description: &BodyDescription, voxels: &Voxels) -> Result<VoxelBody, BodyError> {
        let Velocity { linear, angular } = description.velocity;
        let density = description.material.density;
        let mass = description.mass_properties();
        let body = VoxelBody::with_mass(voxels.tree.clone(), voxels.lattice, &mass, density, description.pose)?;
        match description.motion {
            Motion::Dynamic => body.moving(linear, angular),
            Motion::Fixed => Ok(body.fixed()),
        }
    }

    /// Compares pairs on a backend, or on the CPU.
    pub fn set_backend(&mut self, backend: Option<SharedBackend>) {
        self.world.set_backend(backend);
    }

    /// Adds a body that was built, perhaps as a piece of another.
    pub fn insert(&mut self, id: BodyId, body: VoxelBody, is_fragile: bool, parent: Option<BodyId>) -> u32 {
        let number = self.world.add(body);
        match (parent, self.born.last_mut()) {
            (None, _) => {}
            (Some(whole), Some((last, numbers))) if *last == whole && numbers.end == number => numbers.end += 1,
            (Some(whole), _) => self.born.push((whole, number..number + 1)),
        }
        self.ids.insert(number, id);
        if is_fragile {
            self.fragile.insert(number);
        }
        number
    }

    /// Adds a plane that nothing passes.
    pub fn add_plane(&mut self, id: BodyId, pose: &Pose, normal: DVec3) {
        self.planes.push(id);
        self.world.planes.push(Plane::through(pose.translation, pose.transform_vector(normal)));
    }

    /// Takes a plane out.
    pub fn remove_plane(&mut self, id: BodyId) {
        if let Some(place) = self.planes.iter().position(|&other| other == id) {
            self.planes.remove(place);
            self.world.remove_plane(place);
        }
    }

    /// Takes a body out; what rested on it wakes up.
    pub fn remove(&mut self, number: u32) {
        self.world.remove(number);
        self.fragile.remove(&number);
        if let Some(id) = self.ids.remove(&number) {
            self.touching.retain(|pair| !pair.contains(&id));
        }
    }

    /// Where a body is.
    pub fn pose(&self, number: u32) -> Pose {
        self.world.body(number).map_or(Pose::IDENTITY, VoxelBody::pose)
    }

    /// How a body moves.
    pub fn velocity(&self, number: u32) -> Velocity {
        self.world.body(number).map_or(Velocity::default(), velocity)
    }

    /// How a body moved before the last step, if that step looked for blows.
    pub fn velocity_before(&self, number: u32) -> Velocity {
        self.before.get(&number).copied().unwrap_or_default()
    }

    /// Sets how a body moves, and wakes it; one that is fixed stays where it is.
    pub fn set_velocity(&mut self, number: u32, velocity: Velocity) {
        // Numbers that are not finite were refused before.
        let _ = self.world.set_motion(number, velocity.linear, velocity.angular);
    }

    /// Pushes a body at a point of the world, and wakes it.
    pub fn apply_impulse(&mut self, number: u32, impulse: DVec3, point: DVec3) {
        self.world.apply_impulse(number, impulse, point);
    }

    /// Whether a body rests.
    pub fn is_sleeping(&self, number: u32) -> bool {
        self.world.body(number).is_some_and(VoxelBody::is_asleep)
    }

    /// Takes a body's state into a hash.
    pub fn hash(&self, number: u32, hash: &mut StateHash) {
        let (pose, Velocity { linear, angular }) = (self.pose(number), self.velocity(number));
        for vector in [pose.translation, linear, angular] {
            hash.write_doubles(&vector.to_array());
        }
        hash.write_doubles(&pose.rotation.to_array());
    }

    /// Moves the bodies on. With `watch`, [`VoxelBodies::blows`] can say afterwards who was hit.
    pub fn step(&mut self, time_step: f64, watch: bool) -> RigidStep {
        if self.ids.is_empty() {
            return RigidStep::default();
        }
        self.before.clear();
        if watch {
            self.before.extend(self.world.bodies().iter().map(|body| (body.number(), velocity(body))));
        }
        let clock = Instant::now();
        let stage = tracing::debug_span!("update").entered();
        for (_, numbers) in self.born.drain(..) {
            self.world.expect_pieces(numbers);
        }
        drop(stage);
        let mut times = StageTimes::default();
        times[Stage::Update] = clock.elapsed();
        self.world.step(time_step);
        let statistics = self.world.statistics();
        times[Stage::Broad] = statistics.broad;
        times[Stage::Narrow] = statistics.narrow;
        times[Stage::Response] = statistics.response;
        let (contacts, colliding_points) = (statistics.touching as usize, statistics.points as usize);
        let touching: BTreeSet<[BodyId; 2]> =
            self.world.touches().iter().filter_map(|touch| Some(self.pair(touch)?.0)).collect();
        let touched = touching.difference(&self.touching).copied().collect();
        self.touching = touching;
        let is_lost = |body: &&VoxelBody| !(body.center().is_finite() && body.velocity().is_finite());
        let diverged = self.world.bodies().iter().find(is_lost).and_then(|body| self.ids.get(&body.number()).copied());
        let failure = self.world.take_failure();
        RigidStep { times, contacts, colliding_points, touched, diverged, failure }
    }

    fn id(&self, side: Side) -> Option<BodyId> {
        match side {
            Side::Body(number) => self.ids.get(&number).copied(),
            Side::Plane(plane) => self.planes.get(plane).copied(),
        }
    }

    /// The bodies of a touch, the smaller number first, and whether that exchanged them.
    fn pair(&self, touch: &VoxelTouch) -> Option<([BodyId; 2], bool)> {
        let [first, second] = [self.id(touch.sides[0])?, self.id(touch.sides[1])?];
        Some(if first <= second { ([first, second], false) } else { ([second, first], true) })
    }

    /// The contacts of the last step: one for each pair, at the middle of what they share.
    pub fn contacts(&self) -> Vec<BodyContact> {
        let contact = |touch: &VoxelTouch| {
            let (bodies, is_swapped) = self.pair(touch)?;
            let normal = if is_swapped { -touch.normal } else { touch.normal };
            let contact = Contact { point: touch.point, normal, depth: touch.depth, features: [0; 2] };
            Some(BodyContact { bodies, contact, impulse: touch.impulse })
        };
        self.world.touches().iter().filter_map(contact).collect()
    }

    /// The hardest blow that each fragile body had in the last step, in the order of the bodies' numbers.
    pub fn blows(&self) -> Vec<Blow> {
        let mut hardest: BTreeMap<BodyId, Blow> = BTreeMap::new();
        for touch in self.world.touches() {
            let (speed, impulse) = self.meeting(touch);
            // Also false for NaN.
            if !(speed > 0.0 && impulse > 0.0) {
                continue;
            }
            for (own, direction) in [(0, touch.normal), (1, -touch.normal)] {
                let (Side::Body(number), Some(other)) = (touch.sides[own], self.id(touch.sides[1 - own])) else {
                    continue;
                };
                let Some(&body) = self.ids.get(&number).filter(|_| self.fragile.contains(&number)) else { continue };
                keep_hardest(&mut hardest, Blow { body, other, point: touch.point, direction, speed, impulse });
            }
        }
        hardest.into_values().collect()
    }

    /// How fast two bodies came together where they touch, and the impulse that stops that.
    fn meeting(&self, touch: &VoxelTouch) -> (f64, f64) {
        let side = |side: Side| {
            let Side::Body(number) = side else { return (0.0, 0.0) };
            let Some(body) = self.world.body(number) else { return (0.0, 0.0) };
            let before = self.velocity_before(body.number());
            let arm = touch.point - body.center();
            ((before.linear + before.angular.cross(arm)).dot(touch.normal), body.give_way(touch.point, touch.normal))
        };
        let ((first_speed, first_give), (second_speed, second_give)) = (side(touch.sides[0]), side(touch.sides[1]));
        // The normal pushes the first away from the second.
        let (speed, give) = (second_speed - first_speed, first_give + second_give);
        (speed, if give > 0.0 { speed / give } else { 0.0 })
    }
}

fn velocity(body: &VoxelBody) -> Velocity {
    Velocity { linear: body.velocity(), angular: body.angular_velocity() }
}
