//! Forces of intersections, integrated by implicit Euler (\[Domaradzki16\] 5.2).
//!
//! The energy of a pair is k V² / 2, its force -k V ∇V. To first order, the force at the end of a step is
//! -k (V + dt ∇V·v) ∇V with v the velocities at the end: this is implicit Euler with the stiffness k ∇V ∇Vᵀ, one unknown
//! for each pair. It is solved for all pairs by Gauss-Seidel in their order, with the pressure of each pair not below zero,
//! so nothing sticks. Whatever the number of iterations, a pair's impulses are opposite and on one line, so momentum is
//! conserved.
//!
//! k is chosen so that V ∇V is a depth V / |∇V| along a direction: a body sinks in by the same fraction of a voxel whether
//! it stands on a face or a corner. The part of the stiffness that ∇V ∇Vᵀ lacks, how ∇V turns as bodies rock, would make
//! an explicit step explode; it is taken as that of an elastic bed as wide as the intersection.

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

    fn push(&mut self, impulse: DVec3, twist: DVec3) {
        self.velocity += self.inverse_mass * impulse;
        self.angular_velocity += self.inverse_inertia * twist;
    }
}

/// A pair during a step. Impulses are on the first body.
struct Row {
    bodies: [usize; 2],
    arms: [DVec3; 2],
    /// The direction of the pressure on the second body, and its torque about the middle, for each unit of pressure.
    direction: DVec3,
    turning: DVec3,
    /// The pressure that there would be without motion, the resistance to motion, and how much the bodies give way.
    push: f64,
    resistance: f64,
    give: f64,
    /// How the bodies give way to impulses at the middle, and to twists.
    give_linear: DMat3,
    give_angular: DMat3,
    /// From velocities to the impulses that end them.
    slide: DMat3,
    rock: DMat3,
    grip: f64,
    lever: f64,
    pressure: f64,
    friction: DVec3,
    twist: DVec3,
}

/// The stiffness that makes a mass sink in by a fraction of a voxel, over the mass.
fn frequency_squared(gravity: f64, cell: f64, dt: f64, options: &ResponseOptions) -> f64 {
    let least = 0.3 / dt;
    (gravity / (options.sink.max(1e-6) * cell)).max(least * least)
}

impl Row {
    fn new(press: &Press, bodies: &[VoxelBody], gravity: f64, dt: f64, options: &ResponseOptions) -> Row {
        let motions = press.bodies.map(|body| bodies.get(body as usize).map_or(STILL, Motion::of));
        let arms =
            press.bodies.map(|body| bodies.get(body as usize).map_or(DVec3::ZERO, |body| press.center - body.center));
        let direction = press.gradient / press.area;
        let turning = press.turning / press.area;
        let mass = |motion: &Motion| if motion.inverse_mass > 0.0 { 1.0 / motion.inverse_mass } else { 0.0 };
        let heavier = mass(&motions[0]).max(mass(&motions[1]));
        let lighter = 1.0 / (motions[0].inverse_mass + motions[1].inverse_mass).max(f64::MIN_POSITIVE);
        let squared = frequency_squared(gravity, press.cell, dt, options);
        let stiffness = heavier * squared;
        let damping = stiffness * options.recovery.max(0.0);
        let depth = (press.volume / press.area - options.slop * press.cell).max(0.0);
        let depth = depth.min(options.separation * press.cell * (dt + damping / stiffness));
        let give: f64 = (0..2)
            .map(|side| {
                let torque = turning + arms[side].cross(direction);
                motions[side].inverse_mass * direction.length_squared()
                    + torque.dot(motions[side].inverse_inertia * torque)
            })
            .sum();
        let give_linear = (0..2).fold(DMat3::ZERO, |sum, side| {
            let cross = skew(arms[side]);
            sum + DMat3::from_diagonal(DVec3::splat(motions[side].inverse_mass))
                + cross * motions[side].inverse_inertia * cross.transpose()
        });
        let give_angular = motions[0].inverse_inertia + motions[1].inverse_inertia;
        let normal = direction.normalize_or_zero();
        let outer = DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
        let rate = (dt * options.friction).min(1e9) * lighter;
        let slide = (DMat3::IDENTITY - outer) * rate;
        let trace = press.spread.x_axis.x + press.spread.y_axis.y + press.spread.z_axis.z;
        let lever = DMat3::from_diagonal(DVec3::splat(trace)) - press.spread;
        let reach = arms[0].length_squared().max(arms[1].length_squared());
        let roll = dt * options.rolling.max(0.0) * lighter * reach;
        let rock = lever * (rate + dt * dt * stiffness) + DMat3::from_diagonal(DVec3::splat(roll));
        Row {
            bodies: press.bodies.map(|body| body as usize),
            arms,
            direction,
            turning,
            push: dt * stiffness * depth,
            resistance: dt * dt * stiffness + dt * damping,
            give,
            give_linear,
            give_angular,
            slide: (DMat3::IDENTITY + slide * give_linear).inverse() * slide,
            rock: (DMat3::IDENTITY + rock * give_angular).inverse() * rock,
            grip: options.grip,
            // Voxels are as far from round as their edge.
            lever: (2.0 * trace.max(0.0)).sqrt().max(press.cell),
            pressure: 0.0,
            friction: DVec3::ZERO,
            twist: DVec3::ZERO,
        }
    }

    /// Impulse and twist on the first body, at the middle; the opposite on the second.
    fn apply(&self, motions: &mut [Motion], impulse: DVec3, twist: DVec3) {
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            if let Some(motion) = motions.get_mut(self.bodies[side]) {
                motion.push(sign * impulse, sign * (twist + self.arms[side].cross(impulse)));
            }
        }
    }

    /// The velocity of the first body at the middle as the second sees it.
    fn relative(&self, motions: &[Motion]) -> (DVec3, DVec3) {
        let [first, second] = self.bodies.map(|body| motions.get(body).copied().unwrap_or(STILL));
        let at = |motion: &Motion, arm: DVec3| motion.velocity + motion.angular_velocity.cross(arm);
        (at(&first, self.arms[0]) - at(&second, self.arms[1]), first.angular_velocity - second.angular_velocity)
    }

    fn solve(&mut self, motions: &mut [Motion]) {
        let (velocity, turn) = self.relative(motions);
        let deepening = self.direction.dot(velocity) + self.turning.dot(turn);
        let wanted = self.push + self.resistance * (deepening + self.give * self.pressure);
        let pressure = (wanted / (1.0 + self.resistance * self.give)).max(0.0);
        let more = self.pressure - pressure;
        self.pressure = pressure;
        self.apply(motions, more * self.direction, more * self.turning);

        let (velocity, _) = self.relative(motions);
        let wanted = -(self.slide * (velocity - self.give_linear * self.friction));
        let friction = wanted.clamp_length_max(self.grip * pressure);
        let more = friction - self.friction;
        self.friction = friction;
        self.apply(motions, more, DVec3::ZERO);

        let (_, turn) = self.relative(motions);
        let wanted = -(self.rock * (turn - self.give_angular * self.twist));
        // Where the pressure acts cannot leave the intersection.
        let twist = wanted.clamp_length_max(self.lever * pressure);
        let more = twist - self.twist;
        self.twist = twist;
        self.apply(motions, DVec3::ZERO, more);
    }
}

fn skew(arm: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, arm.z, -arm.y), DVec3::new(-arm.z, 0.0, arm.x), DVec3::new(arm.y, -arm.x, 0.0))
}

/// Changes the motion of bodies by what presses them, and tells how hard each pair is pushed apart. Their momentum before
/// the step includes gravity.
pub(super) fn respond(
    bodies: &mut [VoxelBody],
    presses: &[Press],
    gravity: f64,
    dt: f64,
    options: &ResponseOptions,
) -> Vec<f64> {
    if presses.is_empty() {
        return Vec::new();
    }
    let mut rows: Vec<Row> = presses.iter().map(|press| Row::new(press, bodies, gravity, dt, options)).collect();
    let mut motions: Vec<Motion> = bodies.iter().map(Motion::of).collect();
    for iteration in 0..options.iterations {
        // There and back, so that a stack is gone through from both ends.
        if iteration % 2 == 0 {
            rows.iter_mut().for_each(|row| row.solve(&mut motions));
        } else {
            rows.iter_mut().rev().for_each(|row| row.solve(&mut motions));
        }
    }
    // The sums of impulses, not the velocities: so opposite impulses are opposite to the last bit.
    for row in &rows {
        let impulse = row.friction - row.pressure * row.direction;
        let twist = row.twist - row.pressure * row.turning;
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            if let Some(body) = bodies.get_mut(row.bodies[side]).filter(|body| body.is_moving()) {
                body.velocity += sign / body.mass * impulse;
                body.angular_momentum += sign * (twist + row.arms[side].cross(impulse));
            }
        }
    }
    rows.iter().map(|row| row.pressure * row.direction.length()).collect()
}
