//! Simple solids whose distance is known everywhere.

use glam::{DMat3, DVec3};

use super::super::Aabb;

/// A solid whose distance is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Primitive {
    /// The hull of two balls: a capsule, or a cone with round ends; a ball if both are one.
    Cone {
        /// The centre of the first ball.
        from: DVec3,
        /// The centre of the second ball.
        to: DVec3,
        /// The radius of the first ball.
        from_radius: f64,
        /// The radius of the second ball.
        to_radius: f64,
    },
    /// An ellipsoid.
    Ellipsoid {
        /// Its centre.
        center: DVec3,
        /// The directions of its axes, as columns.
        axes: DMat3,
        /// Half of its extent along each axis.
        radii: DVec3,
    },
    /// A box with round edges.
    Block {
        /// Its centre.
        center: DVec3,
        /// The directions of its axes, as columns.
        axes: DMat3,
        /// Half of its extent along each axis, edges included.
        half_extents: DVec3,
        /// The radius of its edges.
        rounding: f64,
    },
    /// A ring.
    Ring {
        /// Its centre.
        center: DVec3,
        /// The directions of its axes, as columns; it goes round the second.
        axes: DMat3,
        /// From the centre to the middle of the tube.
        major_radius: f64,
        /// Of the tube.
        minor_radius: f64,
    },
}

impl Primitive {
    /// A ball.
    pub fn ball(center: DVec3, radius: f64) -> Primitive {
        Primitive::Cone { from: center, to: center, from_radius: radius, to_radius: radius }
    }

    /// The distance to the surface, negative inside.
    pub fn distance(&self, point: DVec3) -> f64 {
        match *self {
            Primitive::Cone { from, to, from_radius, to_radius } => {
                cone(point - from, to - from, from_radius, to_radius)
            }
            Primitive::Ellipsoid { center, axes, radii } => ellipsoid(axes.transpose() * (point - center), radii),
            Primitive::Block { center, axes, half_extents, rounding } => {
                let beyond = (axes.transpose() * (point - center)).abs() - (half_extents - rounding);
                beyond.max(DVec3::ZERO).length() + beyond.max_element().min(0.0) - rounding
            }
            Primitive::Ring { center, axes, major_radius, minor_radius } => {
                let local = axes.transpose() * (point - center);
                (local.x.hypot(local.z) - major_radius).hypot(local.y) - minor_radius
            }
        }
    }

    /// A ball around the solid, by its centre and radius.
    pub fn bounding_ball(&self) -> (DVec3, f64) {
        match *self {
            Primitive::Cone { from, to, from_radius, to_radius } => {
                (0.5 * (from + to), 0.5 * from.distance(to) + from_radius.max(to_radius))
            }
            Primitive::Ellipsoid { center, radii, .. } => (center, radii.max_element()),
            Primitive::Block { center, half_extents, .. } => (center, half_extents.length()),
            Primitive::Ring { center, major_radius, minor_radius, .. } => (center, major_radius + minor_radius),
        }
    }

    /// The smallest box around the solid, or one not much larger.
    pub fn bounds(&self) -> Aabb {
        match *self {
            Primitive::Cone { from, to, from_radius, to_radius } => {
                let one = Aabb::around(from, DVec3::splat(from_radius));
                one.union(Aabb::around(to, DVec3::splat(to_radius)))
            }
            Primitive::Ellipsoid { center, axes, radii } => {
                let half = |row: usize| (axes.row(row) * radii).length();
                Aabb::around(center, DVec3::new(half(0), half(1), half(2)))
            }
            Primitive::Block { center, axes, half_extents, .. } => {
                let half = |row: usize| axes.row(row).abs().dot(half_extents);
                Aabb::around(center, DVec3::new(half(0), half(1), half(2)))
            }
            Primitive::Ring { center, major_radius, minor_radius, .. } => {
                Aabb::around(center, DVec3::splat(major_radius + minor_radius))
            }
        }
    }
}

/// The distance to the hull of two balls, the first around the origin.
fn cone(point: DVec3, axis: DVec3, from_radius: f64, to_radius: f64) -> f64 {
    let length_squared = axis.length_squared();
    let taper = from_radius - to_radius;
    if length_squared <= taper * taper {
        // One ball holds the other.
        return if taper >= 0.0 { point.length() - from_radius } else { (point - axis).length() - to_radius };
    }
    let length = length_squared.sqrt();
    let along = point.dot(axis) / length;
    let across = (point - along / length * axis).length();
    // The wall leans by the angle whose sine is taper / length; it touches the balls at right angles to itself.
    let sine = taper / length;
    let cosine = (1.0 - sine * sine).sqrt();
    let foot = along * cosine - across * sine;
    if foot <= 0.0 {
        point.length() - from_radius
    } else if foot >= length * cosine {
        (point - axis).length() - to_radius
    } else {
        across * cosine + along * sine - from_radius
    }
}

/// The distance to an ellipsoid around the origin: Newton's method on the one parameter of its nearest point.
///
/// The function sought a root of is convex and falling, and the start is on the side from which Newton's steps never
/// overshoot, so there is nothing to safeguard.
fn ellipsoid(point: DVec3, radii: DVec3) -> f64 {
    let squares = radii * radii;
    // Off the symmetry planes by a hair, where the formula would divide nothing by nothing.
    let point = point.abs().max(1e-9 * radii);
    let weighted = radii * point;
    // Each single term, and all of them over the largest square, bound the root from below.
    let largest = squares.max_element();
    let mut t = (weighted - squares).max_element().max(weighted.length() - largest);
    for _ in 0..64 {
        let denominators = squares + t;
        let ratios = weighted / denominators;
        let excess = ratios.length_squared() - 1.0;
        let slope = -2.0 * (ratios * ratios / denominators).element_sum();
        let step = -excess / slope;
        t += step;
        if step.abs() <= 1e-10 * largest {
            break;
        }
    }
    let nearest = squares * point / (squares + t);
    let distance = point.distance(nearest);
    if t < 0.0 { -distance } else { distance }
}
