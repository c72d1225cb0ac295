//! Forces between matching points: section 4.
//!
//! A force pulls the two points of a match together, as long as it is deep, along the line that joins them, so that neither
//! momentum nor angular momentum comes from nowhere, and less as they part. It is weighted by the cosine of the angle at which the ray leaves the
//! other body and by the area that the vertex stands for, so that it is a pressure and does not depend on how fine a surface
//! is. Friction is Coulomb's, rounded off where things hardly slide.

use glam::DVec3;

use super::matches::{Match, SurfacePoint};

/// How matches push.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResponseOptions {
    /// Pressure for each length of depth, in newtons for a cubic metre.
    pub stiffness: f64,
    /// How much of the speed at which two points close in is taken away, as a time: damping is so many seconds of stiffness.
    pub damping: f64,
    /// The speed at which two points part at most, in metres for each second: a push is less by the share of it that they have.
    /// So what starts deep in something comes out calmly, however much the depth would push (the damping of Hunt and Crossley
    /// 1975, which grows with the depth and so neither begins nor ends with a jerk). Infinite, it does nothing; what is less than a
    /// micrometre a second counts as that.
    pub parting_speed: f64,
    /// The friction coefficient.
    pub friction: f64,
    /// Below this speed friction grows with speed instead of being whole, in metres for each second.
    pub friction_speed: f64,
    /// Whether matches count by the cosine (the paper's) or all alike.
    pub weight_by_cosine: bool,
}

impl Default for ResponseOptions {
    fn default() -> ResponseOptions {
        ResponseOptions {
            stiffness: 1e6,
            damping: 0.0,
            parting_speed: 2.0,
            friction: 0.3,
            friction_speed: 1e-2,
            weight_by_cosine: true,
        }
    }
}

/// What a contact does: a force, and how it changes as the points move. To first order the first point feels
/// `force - (normal_stiffness n n^T) dx - (normal_damping n n^T + tangent_damping (1 - n n^T)) dv` for relative changes of
/// place and velocity, the second the opposite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// The force on the first point; the other gets the opposite.
    pub force: DVec3,
    /// Newtons for each metre along the normal.
    pub normal_stiffness: f64,
    /// Newtons for each metre per second along the normal.
    pub normal_damping: f64,
    /// Newtons for each metre per second across it.
    pub tangent_damping: f64,
}

impl Push {
    /// The push over some area along a unit normal, of points at some depth that move at some velocity relative to each other
    /// (the first's less the second's).
    pub fn new(area: f64, depth: f64, normal: DVec3, velocity: DVec3, options: &ResponseOptions) -> Push {
        let normal_stiffness = options.stiffness * area;
        let speed = velocity.dot(normal);
        let pressure = normal_stiffness * depth;
        let across = velocity - speed * normal;
        let tangent_damping = options.friction * pressure.max(0.0) / across.length().max(options.friction_speed);
        let normal_damping = options.damping * normal_stiffness + pressure.max(0.0) / options.parting_speed.max(1e-6);
        let force = (pressure - normal_damping * speed) * normal - tangent_damping * across;
        Push { force, normal_stiffness, normal_damping, tangent_damping }
    }
}

/// The push of a match, and what it acts on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    /// The two bodies.
    pub bodies: [u32; 2],
    /// The two points; forces are spread over their vertices by these weights.
    pub points: [SurfacePoint; 2],
    /// What acts on the first point; the other gets the opposite.
    pub push: Push,
}

impl ContactForce {
    /// The force of a match whose points move at some velocity relative to each other (the first's less the second's).
    /// None if it has no area, or leaves through what it does not face, or if the points are apart and stay so in the time
    /// ahead.
    ///
    /// Points that part are not let go before they are out: that would take the support from what rests on something when
    /// steps are long, and what is so held back is energy that the push should not have given in the first place.
    pub fn new(found: &Match, velocity: DVec3, ahead: f64, options: &ResponseOptions) -> Option<ContactForce> {
        let area = if options.weight_by_cosine { found.area * found.cosine } else { found.area };
        let stays_apart = found.depth <= 0.0 && found.depth <= ahead * velocity.dot(found.normal);
        if area <= 0.0 || stays_apart {
            return None;
        }
        let push = Push::new(area, found.depth, found.normal, velocity, options);
        Some(ContactForce { bodies: found.bodies, points: found.points, push })
    }

    /// Calls `add` with the force on each vertex of each of the two bodies.
    pub fn spread(&self, mut add: impl FnMut(u32, u32, DVec3)) {
        for (side, force) in [self.push.force, -self.push.force].into_iter().enumerate() {
            self.points[side].iter().for_each(|(vertex, weight)| add(self.bodies[side], vertex, weight * force));
        }
    }
}
