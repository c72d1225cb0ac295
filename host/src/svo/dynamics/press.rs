//! What a pair's intersection comes down to for the response.

use glam::{DMat3, DVec3};

use crate::svo::Intersection;

/// Two bodies that share some volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Press {
    /// The bodies' places in the list; [`super::pairs::GROUND`] for the ground.
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

/// `None` if they share nothing.
pub(super) fn press(bodies: [u32; 2], intersection: &Intersection, cell: f64) -> Option<Press> {
    let gradients = &intersection.gradients;
    if intersection.volume <= 0.0 || gradients.is_empty() {
        return None;
    }
    let gradient = intersection.gradient(0);
    let total: f64 = 0.5 * gradients.iter().map(|gradient| gradient.vector.length()).sum::<f64>();
    let normal = gradient.normalize_or_zero();
    // Columns along the gradient are what presses; others only where there is none.
    let weigh = |vector: DVec3| vector.dot(normal).abs() + 1e-3 * vector.length();
    let (mut weight, mut first) = (0.0, DVec3::ZERO);
    let origin = gradients[0].point;
    for gradient in gradients {
        weight += weigh(gradient.vector);
        first += weigh(gradient.vector) * (gradient.point - origin);
    }
    let center = origin + first / weight;
    let (mut turning, mut spread) = (DVec3::ZERO, DMat3::ZERO);
    for gradient in gradients {
        let way = gradient.point - center;
        if gradient.owner == 0 {
            turning += way.cross(gradient.vector);
        }
        spread += weigh(gradient.vector) / weight * DMat3::from_cols(way * way.x, way * way.y, way * way.z);
    }
    let area = gradient.length().max(0.1 * total);
    let press = Press { bodies, volume: intersection.volume, gradient, turning, area, center, spread, cell };
    (area > 0.0 && area.is_finite()).then_some(press)
}
