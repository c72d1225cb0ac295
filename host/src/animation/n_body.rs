//! Balls that attract, meet and clump together.

use glam::{DQuat, DVec3};

use super::{Animation, Change};
use crate::geometry::TriMesh;
use crate::geometry::shapes::Sphere;
use crate::random::Random;

pub(super) const FRAMES: u32 = 149;

/// So many balls at full detail, of 320 triangles each.
const BALLS: f64 = 106.0;
const FREQUENCY: u32 = 4;

/// From the smallest to the largest ball, in metres.
const RADII: [f64; 2] = [0.06, 0.14];

/// Seconds between two frames, and steps in these.
const FRAME: f64 = 1.0 / 30.0;
const STEPS: u32 = 4;

/// The pull of a ball is its mass times this, over the square of the distance.
const GRAVITY: f64 = 20.0;

/// The share of the approach speed that a bounce gives back.
const RESTITUTION: f64 = 0.4;
const FRICTION: f64 = 0.3;

/// Balls are felt a little inside of their surface, so that the surfaces of those that press on each other meet.
const FELT: f64 = 0.99;

/// The share of an overlap that a step undoes.
const RELAXATION: f64 = 0.3;

struct Ball {
    radius: f64,
    position: DVec3,
    velocity: DVec3,
    rotation: DQuat,
    spin: DVec3,
}

impl Ball {
    fn mass(&self) -> f64 {
        (self.radius / RADII[1]).powi(3)
    }

    /// The change of speed at the surface, along it, for a unit impulse there: that of the middle and that of the spin
    /// of a solid ball.
    fn ease_along(&self) -> f64 {
        3.5 / self.mass()
    }

    fn push(&mut self, impulse: DVec3, arm: DVec3) {
        self.velocity += impulse / self.mass();
        self.spin += arm.cross(impulse) / (0.4 * self.mass() * self.radius * self.radius);
    }
}

/// The animation `n_body`: balls around a common middle, which pull each other, meet at speed and stay together.
pub(super) struct NBody {
    shape: TriMesh,
    balls: Vec<Ball>,
    frame: u32,
}

impl NBody {
    pub(super) fn new(detail: f64) -> NBody {
        let count = (BALLS * detail).round().max(2.0) as u32;
        let shape = Sphere { radius: 1.0, frequency: FREQUENCY }.mesh().expect("a ball of 320 triangles is one");
        let mut random = Random::new(10);
        // On a lattice, so that none overlap, and shaken out of it.
        let side = (1..).find(|&side: &u32| side.pow(3) >= count).unwrap_or(1);
        let spacing = 3.2 * RADII[1];
        let balls = (0..count)
            .map(|number| {
                let place = [number % side, number / side % side, number / (side * side)];
                let middle = 0.5 * f64::from(side - 1);
                let cell = DVec3::from_array(place.map(|place| f64::from(place) - middle));
                let radius = RADII[0] + (RADII[1] - RADII[0]) * random.unit();
                let position = spacing * cell + 0.5 * RADII[1] * random.in_cube();
                Ball {
                    radius,
                    position,
                    // Around the y axis, so that not all meet in the middle at once.
                    velocity: 0.5 * DVec3::Y.cross(position) + 0.3 * random.in_cube(),
                    rotation: DQuat::IDENTITY,
                    spin: 2.0 * random.in_cube(),
                }
            })
            .collect();
        NBody { shape, balls, frame: 0 }
    }

    fn step(&mut self, seconds: f64) {
        self.attract(seconds);
        for second in 1..self.balls.len() {
            let (before, rest) = self.balls.split_at_mut(second);
            before.iter_mut().for_each(|first| collide(first, &mut rest[0]));
        }
        for ball in &mut self.balls {
            ball.position += seconds * ball.velocity;
            let turn = DQuat::from_vec4((0.5 * seconds * ball.spin).extend(0.0)) * ball.rotation;
            ball.rotation = (ball.rotation + turn).normalize();
        }
    }

    fn attract(&mut self, seconds: f64) {
        let pulls: Vec<DVec3> = self
            .balls
            .iter()
            .map(|ball| {
                let pull = |other: &Ball| {
                    let way = other.position - ball.position;
                    let distance_squared = way.length_squared() + RADII[1] * RADII[1];
                    GRAVITY * RADII[1].powi(3) * other.mass() * way / (distance_squared * distance_squared.sqrt())
                };
                self.balls.iter().map(pull).sum()
            })
            .collect();
        for (ball, pull) in self.balls.iter_mut().zip(pulls) {
            ball.velocity += seconds * pull;
        }
    }

    fn positions(&self, ball: &Ball) -> Vec<DVec3> {
        let place = |&corner: &DVec3| ball.position + ball.rotation * (ball.radius * corner);
        self.shape.positions.iter().map(place).collect()
    }
}

/// Two balls that overlap are pushed apart, and bounce if they come nearer to each other.
fn collide(first: &mut Ball, second: &mut Ball) {
    let way = second.position - first.position;
    let reach = FELT * (first.radius + second.radius);
    if way.length_squared() >= reach * reach {
        return;
    }
    let normal = way.normalize_or(DVec3::Y);
    let overlap = reach - way.dot(normal);
    let (mass, other_mass) = (first.mass(), second.mass());
    let share = RELAXATION * overlap / (mass + other_mass);
    first.position -= share * other_mass * normal;
    second.position += share * mass * normal;
    let (arm, other_arm) = (first.radius * normal, -second.radius * normal);
    let approach = (first.velocity + first.spin.cross(arm)) - (second.velocity + second.spin.cross(other_arm));
    let speed = approach.dot(normal);
    if speed <= 0.0 {
        return;
    }
    let impulse = (1.0 + RESTITUTION) * speed / (1.0 / mass + 1.0 / other_mass);
    let sliding = approach - speed * normal;
    let stop = sliding / (first.ease_along() + second.ease_along());
    let rub = stop.clamp_length_max(FRICTION * impulse);
    let total = impulse * normal + rub;
    first.push(-total, arm);
    second.push(total, other_arm);
}

impl Animation for NBody {
    fn name(&self) -> &'static str {
        "n_body"
    }

    fn frames(&self) -> u32 {
        FRAMES
    }

    fn next_frame(&mut self, changes: &mut Vec<Change>) {
        if self.frame > 0 {
            (0..STEPS).for_each(|_| self.step(FRAME / f64::from(STEPS)));
        }
        for (key, ball) in (0..).zip(&self.balls) {
            let positions = self.positions(ball);
            changes.push(if self.frame == 0 {
                Change::Add { key, mesh: TriMesh::new(positions, self.shape.triangles.clone()) }
            } else {
                Change::Move { key, positions }
            });
        }
        self.frame += 1;
    }
}
