//! A ball that breaks eight walls, one after the other.

mod slab;

use glam::{DQuat, DVec2, DVec3};

use super::rubble::{Bend, Rubble, Start};
use super::{Animation, Change, NewPiece};
use crate::geometry::shapes::Sphere;
use crate::geometry::{Pose, TriMesh};
use crate::random::Random;
use crate::world::{BodyId, Representation, Velocity};
use slab::{LAYERS, Slab, Solid};

pub(super) const FRAMES: u32 = 80;
const WALLS: u32 = 8;

/// Across and up, in metres.
const SIZE: DVec2 = DVec2::new(3.0, 2.4);
const THICKNESS: f64 = 0.22;
const SPACING: f64 = 1.2;

/// At full detail.
const CELLS: [f64; 2] = [39.0, 31.0];
const SITES: f64 = 99.0;
const BALL_FREQUENCY: f64 = 8.0;

const RADIUS: f64 = 0.42;
const SECONDS_PER_FRAME: f64 = 1.0 / 40.0;
const STEPS_PER_FRAME: u32 = 4;

/// The first wall breaks in this frame, and another each time after so many more.
const FIRST_BREAK: u32 = 7;
const FRAMES_BETWEEN: u32 = 8;

/// How far the ball has come into a wall before it breaks, and how wide the dent is. It is wider than the ball, so that
/// the wall lies on it and not within.
const DENT: f64 = 0.42;
const DENT_WIDTH: f64 = 0.66;

struct Wall {
    key: u32,
    slab: Slab,
    /// Where its front is.
    front: f64,
    /// Where it is hit.
    hit: DVec2,
    whole: Solid,
    /// What pieces of other walls meet until it begins to give way.
    fixed: Option<BodyId>,
    breaks_at: u32,
}

/// The animation `breaking_walls`.
pub(super) struct BreakingWalls {
    ball: TriMesh,
    driven: Option<BodyId>,
    walls: Vec<Wall>,
    rubble: Rubble,
    random: Random,
    next_key: u32,
    frame: u32,
}

/// Where the middle of the ball is in a frame.
fn ball_center(frame: u32) -> DVec3 {
    let speed = SPACING / f64::from(FRAMES_BETWEEN);
    // So that the ball is as far in the first wall as it can be in the frame before that breaks.
    let x = DENT - RADIUS + speed * (f64::from(frame) + 1.0 - f64::from(FIRST_BREAK));
    DVec3::new(x, 1.25 - 0.02 * x, 0.25 - 0.06 * x)
}

/// Where the ball's axis hits a wall.
fn hit_point(front: f64) -> DVec2 {
    let start = ball_center(0);
    let way = ball_center(1) - start;
    let at = start + (front - start.x) / way.x * way;
    DVec2::new(at.z, at.y)
}

impl BreakingWalls {
    pub(super) fn new(detail: f64) -> BreakingWalls {
        let scaled = |count: f64, least: f64| (count * detail.sqrt()).round().max(least) as u32;
        let mut rubble = Rubble::new(SECONDS_PER_FRAME, STEPS_PER_FRAME);
        let sphere = Sphere { radius: RADIUS, frequency: scaled(BALL_FREQUENCY, 2.0) };
        let ball = sphere.mesh().expect("a ball is one at every frequency");
        let driven = rubble.add_driven(Representation::Ball { radius: RADIUS }, ball_center(0));
        let sites = (SITES * detail).round().max(4.0) as u32;
        let walls = (0..WALLS)
            .map(|number| {
                let front = SPACING * f64::from(number);
                let hit = hit_point(front);
                let cells = CELLS.map(|count| scaled(count, 4.0));
                let slab = Slab::new(SIZE, cells, sites, hit, u64::from(number));
                let middle = DVec3::new(front + 0.5 * THICKNESS, 0.5 * SIZE.y, 0.0);
                let half_extents = 0.5 * DVec3::new(THICKNESS, SIZE.y, SIZE.x);
                Wall {
                    key: 1 + number,
                    whole: slab.whole(),
                    slab,
                    front,
                    hit,
                    fixed: rubble.add_fixed(Representation::Cuboid { half_extents }, Pose::at(middle)),
                    breaks_at: FIRST_BREAK + FRAMES_BETWEEN * number,
                }
            })
            .collect();
        BreakingWalls { ball, driven, walls, rubble, random: Random::new(80), next_key: 1 + WALLS, frame: 0 }
    }

    /// How many triangles there are when all walls are broken.
    #[cfg(test)]
    pub(super) fn triangles_at_the_end(&self) -> usize {
        let pieces = self.walls.iter().flat_map(|wall| wall.slab.pieces());
        let broken: usize = pieces.map(|piece| piece.triangles.len()).sum();
        self.ball.triangles.len() + broken
    }

    fn ball_positions(&self) -> Vec<DVec3> {
        let center = ball_center(self.frame);
        let turn = DQuat::from_rotation_z(-0.12 * f64::from(self.frame));
        self.ball.positions.iter().map(|&corner| center + turn * corner).collect()
    }

    /// What a wall does in this frame.
    fn change_wall(&mut self, number: usize, changes: &mut Vec<Change>) {
        let wall = &self.walls[number];
        if self.frame > wall.breaks_at {
            return;
        }
        if self.frame == wall.breaks_at {
            return self.break_wall(number, changes);
        }
        if wall.dent(self.frame) > 0.0 {
            changes.push(Change::Move { key: wall.key, positions: wall.positions(&wall.whole, self.frame) });
            if let Some(fixed) = self.walls[number].fixed.take() {
                self.rubble.remove(fixed);
            }
        }
    }

    fn break_wall(&mut self, number: usize, changes: &mut Vec<Change>) {
        let wall = &self.walls[number];
        let (before, speed) = (self.frame - 1, (ball_center(1) - ball_center(0)) / SECONDS_PER_FRAME);
        let mut pieces = Vec::new();
        for solid in wall.slab.pieces() {
            let positions = wall.positions(&solid, before);
            let middle = positions.iter().sum::<DVec3>() / positions.len() as f64;
            let out = DVec2::new(middle.z, middle.y) - wall.hit;
            let push = (-(out / DENT_WIDTH).length_squared()).exp();
            let aside = 1.5 * push * out.normalize_or_zero();
            let velocity = Velocity {
                linear: push * speed + DVec3::new(0.0, aside.y, aside.x) + 0.3 * push * self.random.in_cube(),
                angular: 4.0 * push * self.random.in_cube(),
            };
            let start = Start { velocity, density: 2000.0, bend: Bend::default() };
            self.rubble.add(self.next_key, &positions, &positions, start);
            let mesh = TriMesh::new(positions, solid.triangles);
            pieces.push(NewPiece { key: self.next_key, mesh, old_faces: Vec::new() });
            self.next_key += 1;
        }
        changes.push(Change::Split { key: wall.key, pieces });
    }
}

impl Wall {
    /// How deep the dent is in a frame.
    fn dent(&self, frame: u32) -> f64 {
        (ball_center(frame).x + RADIUS - self.front).max(0.0)
    }

    /// Where the vertices of a part are in a frame.
    fn positions(&self, part: &Solid, frame: u32) -> Vec<DVec3> {
        let dent = self.dent(frame);
        let place = |&[point, layer]: &[u32; 2]| {
            let bulge = |point: DVec2| dent * (-((point - self.hit) / DENT_WIDTH).length_squared()).exp();
            let (point, bulge) = self.slab.point_and_value(point, bulge);
            let depth = THICKNESS * f64::from(layer) / f64::from(LAYERS);
            DVec3::new(self.front + depth + bulge, point.y, point.x)
        };
        part.vertices.iter().map(place).collect()
    }
}

impl Animation for BreakingWalls {
    fn name(&self) -> &'static str {
        "breaking_walls"
    }

    fn frames(&self) -> u32 {
        FRAMES
    }

    fn next_frame(&mut self, changes: &mut Vec<Change>) {
        if self.frame == 0 {
            changes
                .push(Change::Add { key: 0, mesh: TriMesh::new(self.ball_positions(), self.ball.triangles.clone()) });
            changes.extend(self.walls.iter().map(|wall| {
                let mesh = TriMesh::new(wall.positions(&wall.whole, 0), wall.whole.triangles.clone());
                Change::Add { key: wall.key, mesh }
            }));
        } else {
            changes.push(Change::Move { key: 0, positions: self.ball_positions() });
            (0..self.walls.len()).for_each(|wall| self.change_wall(wall, changes));
            if let Some(driven) = self.driven {
                self.rubble.drive(driven, ball_center(self.frame));
            }
            self.rubble.step(changes);
        }
        self.frame += 1;
    }
}
