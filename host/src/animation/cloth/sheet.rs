//! A sheet of cloth by position-based dynamics (Müller et al. 2007; small steps with one iteration each: Macklin et al.
//! 2019): points that are moved to where the springs between them have their lengths again.

use glam::DVec3;

use super::contacts::Contacts;

/// Gravity in m/s².
const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// The share of the speed that the air leaves after a second.
const DRAG: f64 = 0.55;

/// How much of a spring's error a step undoes: along threads, across them, and of the bending of two cells.
const STRETCH: f64 = 1.0;
const SHEAR: f64 = 0.5;
const BEND: f64 = 0.12;

/// Threads are held together over so many cells too, but only from stretching: one iteration of short springs alone
/// carries a pull no farther than a cell.
const LONG: usize = 8;

/// What the sheet lies on.
pub(super) struct Ball {
    pub(super) center: DVec3,
    pub(super) radius: f64,
    /// Radians a second about the y axis.
    pub(super) spin: f64,
}

/// Coulomb's coefficients.
const BALL_FRICTION: f64 = 0.9;
const FLOOR_FRICTION: f64 = 0.5;

/// A square grid of points.
pub(super) struct Sheet {
    /// Points along a side.
    pub(super) side: usize,
    /// The length of a cell.
    pub(super) spacing: f64,
    pub(super) positions: Vec<DVec3>,
    before: Vec<DVec3>,
    velocities: Vec<DVec3>,
    contacts: Contacts,
}

impl Sheet {
    /// A sheet at rest; points come row by row.
    pub(super) fn new(side: usize, spacing: f64, positions: Vec<DVec3>) -> Sheet {
        let velocities = vec![DVec3::ZERO; positions.len()];
        Sheet { side, spacing, before: positions.clone(), positions, velocities, contacts: Contacts::default() }
    }

    /// Goes on by so many steps. Which points may meet is found out twice.
    pub(super) fn advance(&mut self, ball: &Ball, step: f64, steps: u32) {
        for number in 0..steps {
            if number % steps.div_ceil(2) == 0 {
                self.contacts.find(&self.positions, self.side, self.spacing);
            }
            self.step(ball, step);
        }
    }

    fn step(&mut self, ball: &Ball, step: f64) {
        // Nothing may pass through a layer of cloth within a step.
        let fastest = 0.3 * self.spacing / step;
        let drag = DRAG.powf(step);
        self.before.copy_from_slice(&self.positions);
        for (position, velocity) in self.positions.iter_mut().zip(&mut self.velocities) {
            *velocity = (drag * *velocity + step * GRAVITY).clamp_length_max(fastest);
            *position += step * *velocity;
        }
        self.contacts.push_apart(&mut self.positions, &self.before);
        self.springs();
        self.leave_ball(ball, step);
        self.leave_floor();
        for ((velocity, position), before) in self.velocities.iter_mut().zip(&self.positions).zip(&self.before) {
            *velocity = (*position - *before) / step;
        }
    }

    fn springs(&mut self) {
        let (side, length) = (self.side, self.spacing);
        let diagonal = length * 2f64.sqrt();
        self.pull(LONG, 0, LONG as f64 * length, STRETCH, true);
        self.pull(0, LONG, LONG as f64 * length, STRETCH, true);
        if side > 2 {
            self.pull(2, 0, 2.0 * length, BEND, false);
            self.pull(0, 2, 2.0 * length, BEND, false);
        }
        self.pull(1, 1, diagonal, SHEAR, false);
        self.pull_back(diagonal, SHEAR);
        self.pull(1, 0, length, STRETCH, false);
        self.pull(0, 1, length, STRETCH, false);
    }

    /// Springs from every point to the one so many columns and rows on. Of two springs one behind the other, the first
    /// goes first, then all of the second kind, so that none waits for its neighbour.
    fn pull(&mut self, columns: usize, rows: usize, length: f64, stiffness: f64, is_rope: bool) {
        let side = self.side;
        if columns >= side || rows >= side {
            return;
        }
        let ahead = rows * side + columns;
        for color in 0..2 {
            for row in 0..side - rows {
                if columns == 0 && row / rows % 2 != color {
                    continue;
                }
                let start = row * side;
                if columns == 0 {
                    for point in start..start + side {
                        spring(&mut self.positions, point, point + ahead, length, stiffness, is_rope);
                    }
                    continue;
                }
                let mut column = color * columns;
                while column + columns < side {
                    for point in start + column..start + (column + columns).min(side - columns) {
                        spring(&mut self.positions, point, point + ahead, length, stiffness, is_rope);
                    }
                    column += 2 * columns;
                }
            }
        }
    }

    /// Springs along the other diagonals.
    fn pull_back(&mut self, length: f64, stiffness: f64) {
        for row in 0..self.side - 1 {
            for column in 1..self.side {
                let point = row * self.side + column;
                spring(&mut self.positions, point, point + self.side - 1, length, stiffness, false);
            }
        }
    }

    /// Points within the ball go to its surface, and go with it as far as friction can make them.
    fn leave_ball(&mut self, ball: &Ball, step: f64) {
        for (position, before) in self.positions.iter_mut().zip(&self.before) {
            let from_center = *position - ball.center;
            let distance_squared = from_center.length_squared();
            if distance_squared >= ball.radius * ball.radius || distance_squared == 0.0 {
                continue;
            }
            let normal = from_center / distance_squared.sqrt();
            let depth = ball.radius - distance_squared.sqrt();
            *position += depth * normal;
            let carried = step * (ball.spin * DVec3::Y).cross(from_center);
            let sliding = (*position - *before - carried).reject_from_normalized(normal);
            *position -= sliding.clamp_length_max(BALL_FRICTION * depth);
        }
    }

    fn leave_floor(&mut self) {
        for (position, before) in self.positions.iter_mut().zip(&self.before) {
            let depth = 0.5 * self.spacing - position.y;
            if depth > 0.0 {
                position.y += depth;
                let sliding = DVec3::new(position.x - before.x, 0.0, position.z - before.z);
                *position -= sliding.clamp_length_max(FLOOR_FRICTION * depth);
            }
        }
    }
}

/// Moves two points so that they are as far apart as they should be; a rope only holds them together.
#[inline]
fn spring(positions: &mut [DVec3], one: usize, other: usize, length: f64, stiffness: f64, is_rope: bool) {
    let way = positions[other] - positions[one];
    let distance = way.length();
    if is_rope && distance <= length || distance == 0.0 {
        return;
    }
    let shift = 0.5 * stiffness * (distance - length) / distance * way;
    positions[one] += shift;
    positions[other] -= shift;
}
