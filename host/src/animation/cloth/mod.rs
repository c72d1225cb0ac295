//! A cloth that falls on a ball, which then turns back and forth.

mod contacts;
mod sheet;

use glam::{DQuat, DVec3};

use super::{Animation, Change};
use crate::geometry::TriMesh;
use crate::geometry::shapes::{Cloth, Sphere};
use crate::random::Random;
use sheet::{Ball, Sheet};

pub(super) const FRAMES: u32 = 465;

/// The cloth in metres, and its cells along a side and the ball at full detail: 89,888 triangles and 2,000.
const SIZE: f64 = 2.0;
const CELLS: f64 = 212.0;
const BALL_FREQUENCY: f64 = 10.0;

const RADIUS: f64 = 0.36;
const CENTER: DVec3 = DVec3::new(0.0, 0.42, 0.0);
const HEIGHT: f64 = 0.9;

const SECONDS_PER_FRAME: f64 = 0.01;
const STEPS_PER_FRAME: u32 = 16;

/// The ball begins to turn in this frame, back and forth in so many, at up to so many radians a second.
const TURNS_FROM: u32 = 110;
const TURNS_FOR: f64 = 240.0;
const SPIN: f64 = 3.5;

/// The animation `cloth`.
pub(super) struct FallingCloth {
    cloth: TriMesh,
    ball: TriMesh,
    sheet: Sheet,
    /// How far the ball has turned.
    angle: f64,
    frame: u32,
}

const CLOTH_KEY: u32 = 0;
const BALL_KEY: u32 = 1;

impl FallingCloth {
    pub(super) fn new(detail: f64) -> FallingCloth {
        let scaled = |count: f64, least: f64| (count * detail.sqrt()).round().max(least) as u32;
        let cells = scaled(CELLS, 4.0);
        let cloth = Cloth { size: [SIZE; 2], cells: [cells; 2] };
        let mut cloth = cloth.mesh().expect("a cloth is a mesh at every number of cells");
        cloth.normals = None;
        let ball = Sphere { radius: RADIUS, frequency: scaled(BALL_FREQUENCY, 2.0) };
        let ball = ball.mesh().expect("a ball is one at every frequency");
        let spacing = SIZE / f64::from(cells);
        let mut random = Random::new(92);
        // A cloth that is perfectly flat would not know which way to fold.
        let turn = DQuat::from_rotation_y(0.2) * DQuat::from_rotation_x(0.03);
        for position in &mut cloth.positions {
            *position = turn * (*position + 0.02 * spacing * random.in_cube()) + HEIGHT * DVec3::Y;
        }
        let sheet = Sheet::new(cells as usize + 1, spacing, cloth.positions.clone());
        FallingCloth { cloth, ball, sheet, angle: 0.0, frame: 0 }
    }

    fn ball_positions(&self) -> Vec<DVec3> {
        let turn = DQuat::from_rotation_y(self.angle);
        self.ball.positions.iter().map(|&corner| CENTER + turn * corner).collect()
    }

    fn add(&self, changes: &mut Vec<Change>) {
        changes.push(Change::Add { key: CLOTH_KEY, mesh: self.cloth.clone() });
        let ball = TriMesh::new(self.ball_positions(), self.ball.triangles.clone());
        changes.push(Change::Add { key: BALL_KEY, mesh: ball });
    }
}

impl Animation for FallingCloth {
    fn name(&self) -> &'static str {
        "cloth"
    }

    fn frames(&self) -> u32 {
        FRAMES
    }

    fn next_frame(&mut self, changes: &mut Vec<Change>) {
        if self.frame == 0 {
            self.add(changes);
        } else {
            let since = f64::from(self.frame.saturating_sub(TURNS_FROM));
            let spin = SPIN * (std::f64::consts::TAU * since / TURNS_FOR).sin();
            let ball = Ball { center: CENTER, radius: RADIUS, spin };
            self.sheet.advance(&ball, SECONDS_PER_FRAME / f64::from(STEPS_PER_FRAME), STEPS_PER_FRAME);
            changes.push(Change::Move { key: CLOTH_KEY, positions: self.sheet.positions.clone() });
            if self.frame > TURNS_FROM {
                self.angle += spin * SECONDS_PER_FRAME;
                changes.push(Change::Move { key: BALL_KEY, positions: self.ball_positions() });
            }
        }
        self.frame += 1;
    }
}
