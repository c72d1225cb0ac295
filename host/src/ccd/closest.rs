//! Where on the domain a point is nearest, in plain doubles: good enough to say where a contact is, and to guess a direction
//! along which things are apart.

use glam::{DVec2, DVec3};

use super::motion::Motion;
use super::query::Kind;

/// The three vectors of a query at one instant.
#[derive(Clone, Copy)]
pub(super) struct Instant {
    pub(super) offset: DVec3,
    pub(super) first: DVec3,
    pub(super) second: DVec3,
}

impl Instant {
    pub(super) fn of(motion: &Motion<f64>, t: f64) -> Instant {
        let at = |vector: &[[f64; 3]; 2]| DVec3::from_array(vector[0]) * (1.0 - t) + DVec3::from_array(vector[1]) * t;
        Instant { offset: at(&motion.offset), first: at(&motion.first), second: at(&motion.second) }
    }

    /// How the vectors change over the whole step.
    pub(super) fn change(motion: &Motion<f64>) -> Instant {
        let change = |vector: &[[f64; 3]; 2]| DVec3::from_array(vector[1]) - DVec3::from_array(vector[0]);
        Instant { offset: change(&motion.offset), first: change(&motion.first), second: change(&motion.second) }
    }

    /// From the point of the domain at (u, v) to the offset.
    pub(super) fn gap(&self, at: DVec2) -> DVec3 {
        self.offset - at.x * self.first - at.y * self.second
    }

    /// The (u, v) of the domain where the gap is shortest.
    pub(super) fn closest(&self, kind: Kind) -> DVec2 {
        let normal = self.first.cross(self.second);
        let squared = normal.length_squared();
        let weights = DVec2::new(self.offset.cross(self.second).dot(normal), self.first.cross(self.offset).dot(normal));
        let inner = weights / squared;
        let within = match kind {
            Kind::VertexFace => inner.x + inner.y <= 1.0,
            Kind::EdgeEdge => inner.x <= 1.0 && inner.y <= 1.0,
        };
        if within && inner.x >= 0.0 && inner.y >= 0.0 {
            return inner;
        }
        let (origin, u, v) = (DVec2::ZERO, DVec2::X, DVec2::Y);
        let border = match kind {
            Kind::VertexFace => [(origin, u), (origin, v), (u, v), (u, v)],
            Kind::EdgeEdge => [(origin, u), (origin, v), (u, DVec2::ONE), (v, DVec2::ONE)],
        };
        let nearest = border.map(|(from, to)| self.closest_between(from, to));
        let nearer = |one: DVec2, other: DVec2| {
            if self.gap(other).length_squared() < self.gap(one).length_squared() { other } else { one }
        };
        nearest.into_iter().reduce(nearer).unwrap_or(origin)
    }

    fn closest_between(&self, from: DVec2, to: DVec2) -> DVec2 {
        let gap = self.gap(from);
        let along = gap - self.gap(to);
        let squared = along.length_squared();
        if squared > 0.0 { from.lerp(to, (gap.dot(along) / squared).clamp(0.0, 1.0)) } else { from }
    }
}
