//! What a pair's intersection comes down to for the response.

use glam::{DMat3, DVec3};

use super::options::Pressure;
use crate::svo::{Gradient, Intersection};

/// Two bodies that share some volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Press {
    /// The bodies' places in the list; from [`super::pairs::FIRST_PLANE`] down for planes.
    pub(super) bodies: [u32; 2],
    pub(super) volume: f64,
    /// The gradient of the volume as the first body moves; the second one's is the opposite.
    pub(super) gradient: DVec3,
    /// The gradient as the first body turns about `center`; the second one's is the opposite.
    pub(super) turning: DVec3,
    /// The area that the volume is divided by for a depth: that of the gradient, but not much less than half the surface
    /// of the intersection, whose parts cancel where one body is around the other.
    pub(super) area: f64,
    /// The middle of the surface across the gradient.
    pub(super) center: DVec3,
    /// The mean of the outer products of ways from there with themselves.
    pub(super) spread: DMat3,
    /// The edge of the voxels that were compared.
    pub(super) cell: f64,
}

/// How an intersection is read.
pub(super) struct Rules {
    pub(super) pressure: Pressure,
    /// The ground's normal: what is below a plane changes only as bodies move along that, whatever columns say.
    pub(super) normal: Option<DVec3>,
}

/// `None` if they share nothing. With pressure by depth, columns count as much as they are deep against the mean: force
/// and torque are then those of an elastic bed, where those of k V ∇V would be the same all over the surface and would not
/// set a body upright before a part of it has lifted off.
pub(super) fn press(bodies: [u32; 2], intersection: &Intersection, cell: f64, rules: &Rules) -> Option<Press> {
    let gradients = &intersection.gradients;
    if intersection.volume <= 0.0 || gradients.is_empty() {
        return None;
    }
    let normal = rules.normal.unwrap_or_else(|| intersection.gradient(0).normalize_or_zero());
    // Columns along the gradient are what presses; others only where there is none.
    let along = |vector: DVec3| vector.dot(normal).abs() + 1e-3 * vector.length();
    let (mut weight, mut depths) = (0.0, 0.0);
    for gradient in gradients {
        weight += along(gradient.vector);
        depths += along(gradient.vector) * gradient.depth;
    }
    let mean = depths / weight;
    // Twice the mean is what the deep side of a tilted face has; columns that run along a face are longer than that.
    let share = |gradient: &Gradient| match rules.pressure {
        Pressure::Even => 1.0,
        Pressure::ByDepth => (gradient.depth / mean).min(2.0),
    };
    let vector_of = |gradient: &Gradient| {
        let vector = share(gradient) * gradient.vector;
        if rules.normal.is_some() { vector.dot(normal) * normal } else { vector }
    };
    let origin = gradients[0].point;
    let (mut weight, mut total, mut first, mut sum) = (0.0, 0.0, DVec3::ZERO, DVec3::ZERO);
    for gradient in gradients {
        let vector = vector_of(gradient);
        weight += along(vector);
        first += along(vector) * (gradient.point - origin);
        total += 0.5 * vector.length();
        if gradient.owner == 0 {
            sum += vector;
        }
    }
    let center = origin + first / weight;
    let (mut turning, mut spread) = (DVec3::ZERO, DMat3::ZERO);
    for gradient in gradients {
        let (way, vector) = (gradient.point - center, vector_of(gradient));
        if gradient.owner == 0 {
            turning += way.cross(vector);
        }
        spread += along(vector) / weight * DMat3::from_cols(way * way.x, way * way.y, way * way.z);
    }
    let area = sum.length().max(0.5 * total);
    let volume = intersection.volume;
    let press = Press { bodies, volume, gradient: sum, turning, area, center, spread, cell };
    (area > 0.0 && area.is_finite()).then_some(press)
}
