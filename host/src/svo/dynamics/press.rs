//! What a pair's intersection comes down to for the response.

use glam::{DVec2, DVec3};

use super::options::Pressure;
use crate::svo::{Gradient, Intersection};

/// Two bodies that share some volume: a surface on which they press each other, deeper on one side than on the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Press {
    /// The bodies' places in the list; from [`super::pairs::FIRST_PLANE`] down for planes.
    pub(super) bodies: [u32; 2],
    pub(super) volume: f64,
    /// The gradient of the volume as the first body moves; the second one's is the opposite.
    pub(super) gradient: DVec3,
    /// The area that the volume is divided by for a depth: that of the gradient, but not much less than half the surface
    /// of the intersection, whose parts cancel where one body is around the other.
    pub(super) area: f64,
    /// The middle of the surface.
    pub(super) center: DVec3,
    /// How the depth has come to grow from there along the surface since it was looked at.
    pub(super) lean: DVec3,
    /// The principal axes of the surface, as long as its places are away from the middle along them: the roots of the mean
    /// squares.
    pub(super) reach: [DVec3; 2],
    /// The edge of the voxels that were compared.
    pub(super) cell: f64,
    pub(super) pressure: Pressure,
}

impl Press {
    /// The mean depth.
    pub(super) fn depth(&self) -> f64 {
        self.volume / self.area
    }

    /// The same with the bodies exchanged.
    pub(super) fn swapped(self) -> Press {
        let [first, second] = self.bodies;
        Press { bodies: [second, first], gradient: -self.gradient, ..self }
    }

    /// The press as its volume changes and the first body turns a little.
    pub(super) fn turned(self, volume: f64, turn: DVec3) -> Press {
        let lean = match self.pressure {
            Pressure::Even => DVec3::ZERO,
            Pressure::ByDepth => self.lean + self.gradient.normalize_or_zero().cross(turn),
        };
        Press { volume, lean, ..self }
    }
}

/// Gradients that cancel but for this share tell no direction.
const CLOSED: f64 = 0.3;

/// A place of an intersection's surface.
pub(super) struct Place {
    pub(super) point: DVec3,
    /// How large its part of the surface is across the gradient.
    pub(super) area: f64,
    /// How deep the intersection is there along the gradient.
    pub(super) depth: f64,
}

/// Who presses, and how it is read.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    pub(super) bodies: [u32; 2],
    pub(super) cell: f64,
    pub(super) pressure: Pressure,
}

impl Rules {
    /// What presses on the places of a surface, with the gradient of the volume as the first body moves. `None` if there is
    /// nothing.
    ///
    /// With pressure by depth, places count as much as they are deep: force and torque are those of an elastic bed, and
    /// nothing jumps as places come in. Those of k V ∇V would be the same all over the surface and would not set a body
    /// upright before a part of it has lifted off.
    pub(super) fn press(&self, gradient: DVec3, area: f64, places: &[Place]) -> Option<Press> {
        let normal = gradient.try_normalize()?;
        let weight = |place: &Place| match self.pressure {
            Pressure::Even => place.area,
            Pressure::ByDepth => place.area * place.depth,
        };
        let origin = places.first()?.point;
        let (mut total, mut depths, mut first) = (0.0, 0.0, DVec3::ZERO);
        for place in places {
            total += weight(place);
            depths += weight(place) * place.depth;
            first += weight(place) * (place.point - origin);
        }
        let (depth, center) = (depths / total, origin + first / total);
        let (u, v) = normal.any_orthonormal_pair();
        let mut squares = [0.0; 3];
        for place in places {
            let (part, way) = (weight(place) / total, place.point - center);
            let (x, y) = (way.dot(u), way.dot(v));
            squares[0] += part * x * x;
            squares[1] += part * x * y;
            squares[2] += part * y * y;
        }
        let reach = principal(squares).map(|(square, axis)| square.max(0.0).sqrt() * (axis.x * u + axis.y * v));
        let Rules { bodies, cell, pressure } = *self;
        let press =
            Press { bodies, volume: depth * area, gradient, area, center, lean: DVec3::ZERO, reach, cell, pressure };
        (press.volume > 0.0 && press.volume.is_finite() && area.is_finite()).then_some(press)
    }

    /// What presses where two octrees share some volume.
    pub(super) fn press_of(&self, intersection: &Intersection) -> Option<Press> {
        let gradients = &intersection.gradients;
        let total = 0.5 * gradients.iter().map(|gradient| gradient.vector.length()).sum::<f64>();
        let mut sum = intersection.gradient(0);
        if sum.length() < CLOSED * total {
            // What is at the very same place has no way out either: any will do.
            sum = -total * intersection.way_out.try_normalize().unwrap_or(DVec3::Y);
        }
        let normal = sum.normalize_or_zero();
        let place = |gradient: &Gradient| {
            let length = gradient.vector.length();
            // Columns along the gradient are what presses; others only where there is none.
            let along = gradient.vector.dot(normal).abs() + 1e-3 * length;
            Place { point: gradient.point, area: along, depth: gradient.depth * along / length }
        };
        let places: Vec<Place> = gradients.iter().map(place).collect();
        self.press(sum, sum.length().max(total), &places)
    }
}

/// The mean squares along the principal axes of a symmetric matrix of two dimensions (xx, xy, yy), and the axes.
fn principal([xx, xy, yy]: [f64; 3]) -> [(f64, DVec2); 2] {
    let (middle, half) = (0.5 * (xx + yy), 0.5 * (xx - yy));
    let radius = half.hypot(xy);
    // Of the two equations for the axis, the one that does not cancel.
    let axis = if half >= 0.0 { DVec2::new(half + radius, xy) } else { DVec2::new(xy, radius - half) };
    let axis = axis.normalize_or(DVec2::X);
    [(middle + radius, axis), (middle - radius, axis.perp())]
}
