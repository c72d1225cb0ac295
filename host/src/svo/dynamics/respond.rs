//! Forces of intersections, integrated by implicit Euler (\[Domaradzki16\] 5.2).
//!
//! The energy of a pair is k V² / 2, its force -k V ∇V. k is chosen so that V ∇V is a depth V / |∇V| along a direction: a
//! body sinks in by the same fraction of a voxel whether it stands on a face or a corner. The force is spread over the
//! surface as that of an elastic bed: over four points that have its middle, its mean squares and its depths, so that it
//! resists rocking as the whole does.
//!
//! To first order, the force of a point at the end of a step is -k (d + dt n·v) n with v the velocities at the end: this is
//! implicit Euler, one unknown for each point. It is solved for all of them by Gauss-Seidel in their order, from what the
//! pair was pressed by in the step before, with no pressure below zero, so nothing sticks. Whatever the number of
//! iterations, a pair's impulses are opposite and on one line, so momentum is conserved.

use glam::{DMat3, DVec3};

use super::body::VoxelBody;
use super::options::ResponseOptions;
use super::press::Press;

/// How a body answers to impulses, during a step.
#[derive(Clone, Copy, Debug)]
struct Motion {
    velocity: DVec3,
    angular_velocity: DVec3,
    inverse_mass: f64,
    inverse_inertia: DMat3,
}

const STILL: Motion =
    Motion { velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO, inverse_mass: 0.0, inverse_inertia: DMat3::ZERO };

impl Motion {
    fn of(body: &VoxelBody) -> Motion {
        if !body.is_moving() {
            return STILL;
        }
        Motion {
            velocity: body.velocity,
            angular_velocity: body.angular_velocity(),
            inverse_mass: 1.0 / body.mass,
            inverse_inertia: body.turned(body.inverse_inertia),
        }
    }

    fn at(&self, arm: DVec3) -> DVec3 {
        self.velocity + self.angular_velocity.cross(arm)
    }
}

/// The motions of two bodies of a pair; what is not there stands still.
struct Motions {
    /// One for each body, and one more.
    list: Vec<Motion>,
}

impl Motions {
    fn place(&self, body: u32) -> usize {
        (body as usize).min(self.list.len() - 1)
    }

    fn push(&mut self, bodies: [usize; 2], arms: [DVec3; 2], impulse: DVec3) {
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let motion = &mut self.list[bodies[side]];
            motion.velocity += sign * motion.inverse_mass * impulse;
            motion.angular_velocity += motion.inverse_inertia * (sign * arms[side].cross(impulse));
        }
    }

    fn twist(&mut self, bodies: [usize; 2], twist: DVec3) {
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let motion = &mut self.list[bodies[side]];
            motion.angular_velocity += motion.inverse_inertia * (sign * twist);
        }
    }
}

/// What came of a point of a pair in a step, which the next one starts from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solved {
    place: DVec3,
    pressure: f64,
    friction: DVec3,
}

/// How hard a pair was pushed apart.
pub(super) fn pressure_of(solved: &[Solved]) -> f64 {
    solved.iter().map(|point| point.pressure).sum()
}

/// A point of a pair during a step. Impulses are on the first body.
struct Point {
    solved: Solved,
    arms: [DVec3; 2],
    /// The pressure that there would be without motion.
    push: f64,
    /// How much the bodies give way to pressure, and to any impulse.
    give: f64,
    give_all: DMat3,
    /// From velocities along the surface to the impulses that end them.
    slide: DMat3,
}

/// A pair during a step.
struct Row {
    bodies: [usize; 2],
    /// The direction of the pressure on the second body.
    direction: DVec3,
    /// How much a point resists motion.
    resistance: f64,
    points: Vec<Point>,
    grip: f64,
    /// How the bodies give way to twists, what ends turning, and how far from the middle the pressure may act.
    give_angular: DMat3,
    roll: DMat3,
    lever: f64,
    twist: DVec3,
}

/// How many times their momentum bodies are braked by in a step as they come nearer, at least: so that what is fast is
/// stopped by what it meets before it has gone through, also without gravity and among large voxels.
const BRAKE: f64 = 5.0;

/// The stiffness that makes a mass sink in by a fraction of a voxel, over the mass.
fn frequency_squared(gravity: f64, cell: f64, dt: f64, options: &ResponseOptions) -> f64 {
    let least = 0.3 / dt;
    (gravity / (options.sink.max(1e-6) * cell)).max(least * least)
}

impl Row {
    fn new(press: &Press, before: &[Solved], bodies: &[VoxelBody], motions: &Motions, step: &Step<'_>) -> Row {
        let Step { gravity, dt, options } = *step;
        let places = press.bodies.map(|body| motions.place(body));
        let [one, other] = places.map(|place| &motions.list[place]);
        let heavier = 1.0
            / [one, other]
                .map(|motion| motion.inverse_mass)
                .into_iter()
                .filter(|&inverse| inverse > 0.0)
                .fold(f64::INFINITY, f64::min);
        let lighter = 1.0 / (one.inverse_mass + other.inverse_mass).max(f64::MIN_POSITIVE);
        let stiffness = heavier * frequency_squared(gravity, press.cell, dt, options);
        let damping = (stiffness * options.recovery).max(BRAKE * heavier / dt);
        let slop = options.slop * press.cell;
        let time = dt + damping / stiffness.max(f64::MIN_POSITIVE);
        let most = press.cell * options.separation.max(0.0) * time;
        // What is carried already is carried on, however much: it is rising that is slow.
        let carried = pressure_of(before) / (dt * stiffness).max(f64::MIN_POSITIVE);
        let undone = |depth: f64| {
            let creep = options.creep.max(0.0) * (depth / press.cell).max(1.0).powi(3);
            (depth - slop).clamp(0.0, most.min(carried.max(press.cell * creep * time)))
        };
        let direction = press.gradient.normalize_or_zero();
        let across = DMat3::IDENTITY - outer(direction, direction);
        let rate = (dt * options.friction).min(1e9) * lighter;
        let [long, short] = press.reach;
        let corners: &[DVec3] = match long.length() > 1e-3 * press.cell {
            true => &[long + short, long - short, -long + short, -long - short],
            false => &[DVec3::ZERO],
        };
        let share = 1.0 / corners.len() as f64;
        let point = |&corner: &DVec3| {
            let center = |body: u32| bodies.get(body as usize).map_or(press.center + corner, VoxelBody::center);
            let arms = press.bodies.map(|body| press.center + corner - center(body));
            let depth = press.depth() + press.lean.dot(corner);
            // A gap that has still to close counts as it is.
            let depth = if depth < 0.0 { depth } else { undone(depth) };
            let give_all = give_at(one, arms[0]) + give_at(other, arms[1]);
            let slide = across * (share * rate);
            Point {
                arms,
                push: share * dt * stiffness * depth,
                give: direction.dot(give_all * direction),
                give_all,
                slide: (DMat3::IDENTITY + slide * give_all).inverse() * slide,
                solved: Solved { place: press.center + corner, pressure: 0.0, friction: DVec3::ZERO },
            }
        };
        let points: Vec<Point> = corners.iter().map(point).collect();
        let farthest = |side: usize| points[0].arms[side].length_squared();
        let roll = dt * options.rolling.max(0.0) * lighter * farthest(0).max(farthest(1));
        let give_angular = one.inverse_inertia + other.inverse_inertia;
        let roll = DMat3::from_diagonal(DVec3::splat(roll));
        Row {
            bodies: places,
            direction,
            resistance: share * (dt * dt * stiffness + dt * damping),
            points,
            grip: options.grip,
            give_angular,
            roll: (DMat3::IDENTITY + roll * give_angular).inverse() * roll,
            // Voxels are as far from round as their edge.
            lever: (long.length() + short.length()).max(press.cell),
            twist: DVec3::ZERO,
        }
    }

    /// The velocity of the first body at a point as the second sees it.
    fn velocity(&self, arms: [DVec3; 2], motions: &Motions) -> DVec3 {
        let [first, second] = self.bodies.map(|body| &motions.list[body]);
        first.at(arms[0]) - second.at(arms[1])
    }

    /// Starts from what the pair was pressed by in the step before: each point from the one that was nearest to it, all
    /// together from the same pressure. Without the friction a heap would slump a little in each step.
    fn start(&mut self, motions: &mut Motions, before: &[Solved]) {
        let distance = |point: &Point, solved: &Solved| solved.place.distance_squared(point.solved.place);
        for point in &mut self.points {
            let nearest = before.iter().min_by(|one, other| distance(point, one).total_cmp(&distance(point, other)));
            let Some(nearest) = nearest else { return };
            point.solved.pressure = nearest.pressure;
            point.solved.friction = nearest.friction.reject_from_normalized(self.direction);
        }
        let total = pressure_of(before);
        let (found, each) = (self.pressure(), total / self.points.len() as f64);
        for point in &mut self.points {
            if found > 0.25 * total {
                point.solved.pressure *= total / found;
                point.solved.friction *= total / found;
            } else {
                // Those that pressed are not near any.
                (point.solved.pressure, point.solved.friction) = (each, DVec3::ZERO);
            }
            motions.push(self.bodies, point.arms, point.solved.friction - point.solved.pressure * self.direction);
        }
    }

    fn solve(&mut self, motions: &mut Motions) {
        let mut total = 0.0;
        for number in 0..self.points.len() {
            let point = &self.points[number];
            let velocity = self.velocity(point.arms, motions);
            let wanted =
                point.push + self.resistance * (self.direction.dot(velocity) + point.give * point.solved.pressure);
            let pressure = (wanted / (1.0 + self.resistance * point.give)).max(0.0);
            let change = (point.solved.pressure - pressure) * self.direction;
            let velocity = velocity + point.give_all * change;
            let wanted = -(point.slide * (velocity - point.give_all * point.solved.friction));
            let friction = wanted.clamp_length_max(self.grip * pressure);
            motions.push(self.bodies, point.arms, change + friction - point.solved.friction);
            total += pressure;
            let point = &mut self.points[number];
            (point.solved.pressure, point.solved.friction) = (pressure, friction);
        }
        let [first, second] = self.bodies.map(|body| motions.list[body].angular_velocity);
        let wanted = -(self.roll * (first - second - self.give_angular * self.twist));
        // Where the pressure acts cannot leave the surface.
        let twist = wanted.clamp_length_max(self.lever * total);
        motions.twist(self.bodies, twist - self.twist);
        self.twist = twist;
    }

    fn pressure(&self) -> f64 {
        self.points.iter().map(|point| point.solved.pressure).sum()
    }
}

/// How a body gives way to impulses at the end of an arm.
fn give_at(motion: &Motion, arm: DVec3) -> DMat3 {
    let cross = skew(arm);
    DMat3::from_diagonal(DVec3::splat(motion.inverse_mass)) + cross * motion.inverse_inertia * cross.transpose()
}

/// The matrix that takes the cross product of a vector with another.
fn skew(arm: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, arm.z, -arm.y), DVec3::new(-arm.z, 0.0, arm.x), DVec3::new(arm.y, -arm.x, 0.0))
}

fn outer(one: DVec3, other: DVec3) -> DMat3 {
    DMat3::from_cols(one * other.x, one * other.y, one * other.z)
}

/// What all pairs of a step have in common.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    pub(super) gravity: f64,
    pub(super) dt: f64,
    pub(super) options: &'a ResponseOptions,
}

/// Changes the motion of bodies by what presses them, and tells what came of each pair's points. Their momentum before the
/// step includes gravity. `before` is what came of each pair in the last step, if it was pressed.
pub(super) fn respond(
    bodies: &mut [VoxelBody],
    presses: &[Press],
    before: &[&[Solved]],
    step: &Step<'_>,
) -> Vec<Vec<Solved>> {
    if presses.is_empty() {
        return Vec::new();
    }
    let mut motions = Motions { list: bodies.iter().map(Motion::of).chain([STILL]).collect() };
    let mut rows: Vec<Row> =
        presses.iter().zip(before).map(|(press, before)| Row::new(press, before, bodies, &motions, step)).collect();
    for (row, before) in rows.iter_mut().zip(before) {
        row.start(&mut motions, before);
    }
    for iteration in 0..step.options.iterations {
        // There and back, so that a stack is gone through from both ends.
        if iteration % 2 == 0 {
            rows.iter_mut().for_each(|row| row.solve(&mut motions));
        } else {
            rows.iter_mut().rev().for_each(|row| row.solve(&mut motions));
        }
    }
    // The sums of impulses, not the velocities: so opposite impulses are opposite to the last bit.
    for row in &rows {
        for point in &row.points {
            let impulse = point.solved.friction - point.solved.pressure * row.direction;
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                if let Some(body) = bodies.get_mut(row.bodies[side]).filter(|body| body.is_moving()) {
                    body.velocity += sign / body.mass * impulse;
                    body.angular_momentum +=
                        sign * (row.twist / row.points.len() as f64 + point.arms[side].cross(impulse));
                }
            }
        }
    }
    rows.iter().map(|row| row.points.iter().map(|point| point.solved).collect()).collect()
}
