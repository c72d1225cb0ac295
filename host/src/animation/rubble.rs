//! Pieces that fly, fall and come to rest on each other.

use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::Change;
use crate::geometry::{Convex, Pose, TriMesh, convex_hull};
use crate::world::{BodyDescription, BodyId, Material, Motion, Representation, Velocity, World, WorldOptions};

/// Pieces of more points than this are felt as hulls of those that are farthest in so many directions.
const DIRECTIONS: u32 = 160;

/// Pieces lose a little all around when they come off, within so many frames: what is broken never fits quite again. They
/// are felt a little larger than they will be, because those that rest on each other sink in by a millimetre.
const SHRUNK: f64 = 0.97;
const FELT: f64 = 0.985;
const SHRINKING: u32 = 4;

/// Rigid pieces over the ground, as a [`World`] simulates them.
pub(super) struct Rubble {
    world: World,
    pieces: Vec<Piece>,
    seconds_per_frame: f64,
    steps_per_frame: u32,
}

struct Piece {
    key: u32,
    body: BodyId,
    /// In the coordinates of the body.
    vertices: Vec<DVec3>,
    pose: Pose,
    bend: Bend,
    /// Frames since it came off.
    age: u32,
}

/// How a piece comes off.
#[derive(Clone, Copy)]
pub(super) struct Start {
    pub(super) velocity: Velocity,
    /// kg/m³.
    pub(super) density: f64,
    pub(super) bend: Bend,
}

/// How a piece bends: back and forth about its middle, less and less.
#[derive(Clone, Copy, Default)]
pub(super) struct Bend {
    /// Which way; its length is how far what is one metre from the middle goes, and what is nearer with the square.
    pub(super) across: DVec3,
    /// Radians to a frame.
    pub(super) speed: f64,
}

/// What is left of a bend after a frame, and what counts as none.
const DAMPING: f64 = 0.94;
const STRAIGHT: f64 = 1e-3;

impl Piece {
    fn bend(&self) -> f64 {
        DAMPING.powi(self.age.min(1000) as i32)
    }

    fn is_rigid(&self) -> bool {
        self.age > SHRINKING && self.bend.across.length() * self.bend() < STRAIGHT
    }

    /// Where the vertices are.
    fn positions(&self) -> Vec<DVec3> {
        let is_bent = self.bend.across.length() * self.bend() >= STRAIGHT;
        let swing = if is_bent { self.bend() * (self.bend.speed * f64::from(self.age)).sin() } else { 0.0 };
        let size = 1.0 - (1.0 - SHRUNK) * f64::from(self.age.min(SHRINKING)) / f64::from(SHRINKING);
        let place = |&vertex: &DVec3| {
            let deformed = size * vertex + swing * vertex.length_squared() * self.bend.across;
            self.pose.transform_point(deformed)
        };
        self.vertices.iter().map(place).collect()
    }
}

impl Rubble {
    /// Nothing yet over the ground at y = 0.
    pub(super) fn new(seconds_per_frame: f64, steps_per_frame: u32) -> Rubble {
        let mut world = World::new(&WorldOptions::default());
        world.add_ground(0.0).expect("a plane at zero is one");
        Rubble { world, pieces: Vec::new(), seconds_per_frame, steps_per_frame }
    }

    /// Adds a piece where its vertices are; `felt` are the points that others meet.
    pub(super) fn add(&mut self, key: u32, positions: &[DVec3], felt: &[DVec3], start: Start) {
        let middle = felt.iter().sum::<DVec3>() / felt.len().max(1) as f64;
        let mut description = BodyDescription {
            pose: Pose::at(middle),
            velocity: start.velocity,
            material: Material { density: start.density, friction: 0.7, restitution: 0.05, ..Material::default() },
            ..BodyDescription::new("piece", TriMesh::default(), Representation::Ball { radius: 0.01 })
        };
        // What is too flat for a hull rolls as a small ball.
        if let Some(hull) = hull(felt, middle) {
            description.representation = Representation::convexes([Arc::new(hull)]);
            if let Ok(body) = self.world.add(description.clone()) {
                return self.insert(key, body, positions, start.bend);
            }
            description.representation = Representation::Ball { radius: 0.01 };
        }
        if let Ok(body) = self.world.add(description) {
            self.insert(key, body, positions, start.bend);
        }
    }

    fn insert(&mut self, key: u32, body: BodyId, positions: &[DVec3], bend: Bend) {
        // The world has rounded the pose.
        let pose = self.world.pose(body).unwrap_or_default();
        let to_body = pose.inverse();
        let vertices = positions.iter().map(|&position| to_body.transform_point(position)).collect();
        self.pieces.push(Piece { key, body, vertices, pose, bend, age: 0 });
    }

    /// Adds something that stays where it is until it is removed.
    pub(super) fn add_fixed(&mut self, representation: Representation, pose: Pose) -> Option<BodyId> {
        let description = BodyDescription::new("fixed", TriMesh::default(), representation);
        self.world.add(BodyDescription { motion: Motion::Fixed, pose, ..description }).ok()
    }

    /// Adds a heavy body that [`Rubble::drive`] moves.
    pub(super) fn add_driven(&mut self, representation: Representation, at: DVec3) -> Option<BodyId> {
        let description = BodyDescription::new("driven", TriMesh::default(), representation);
        let material = Material { density: 1e6, friction: 0.2, ..Material::default() };
        self.world.add(BodyDescription { material, pose: Pose::at(at), ..description }).ok()
    }

    pub(super) fn remove(&mut self, body: BodyId) {
        // What is not there need not be removed.
        let _ = self.world.remove(body);
    }

    /// Makes a body move to a place within the next frame.
    pub(super) fn drive(&mut self, body: BodyId, to: DVec3) {
        if let Some(pose) = self.world.pose(body) {
            let linear = (to - pose.translation) / self.seconds_per_frame;
            // Gravity pulls while the frame lasts; half of it is what is missing in the middle of it.
            let lift = 0.5 * self.seconds_per_frame * 9.81 * DVec3::Y;
            let _ = self.world.set_velocity(body, Velocity { linear: linear + lift, angular: DVec3::ZERO });
        }
    }

    /// Goes on by one frame, and appends where the pieces have moved.
    pub(super) fn step(&mut self, changes: &mut Vec<Change>) {
        for _ in 0..self.steps_per_frame {
            if let Err(error) = self.world.step(self.seconds_per_frame / f64::from(self.steps_per_frame)) {
                tracing::warn!(%error, "pieces stay where they are");
            }
        }
        self.world.take_events();
        for piece in &mut self.pieces {
            let pose = self.world.pose(piece.body).unwrap_or(piece.pose);
            let stays = pose == piece.pose && piece.is_rigid();
            piece.pose = pose;
            piece.age += 1;
            if !stays {
                changes.push(Change::Move { key: piece.key, positions: piece.positions() });
            }
        }
    }
}

/// The hull of points around their middle; of many, of those that are farthest in some directions.
fn hull(points: &[DVec3], middle: DVec3) -> Option<Convex> {
    let farthest = |number: u32| {
        let direction = spiral(number, DIRECTIONS);
        let along = |point: &DVec3| point.dot(direction);
        (0..points.len()).max_by(|&one, &other| along(&points[one]).total_cmp(&along(&points[other])))
    };
    let mut chosen: Vec<usize> = match points.len() <= DIRECTIONS as usize {
        true => (0..points.len()).collect(),
        false => (0..DIRECTIONS).filter_map(farthest).collect(),
    };
    chosen.sort_unstable();
    chosen.dedup();
    let felt: Vec<DVec3> = chosen.into_iter().map(|point| FELT * (points[point] - middle)).collect();
    convex_hull(&felt).ok()
}

/// Directions that are spread evenly, along a spiral from pole to pole.
fn spiral(number: u32, count: u32) -> DVec3 {
    let height = 1.0 - (2.0 * f64::from(number) + 1.0) / f64::from(count);
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let across = (1.0 - height * height).sqrt();
    DQuat::from_rotation_y(golden * f64::from(number)) * DVec3::new(across, height, 0.0)
}
