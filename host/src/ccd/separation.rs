//! Contacts of things that need not touch: within a minimum separation.
//!
//! The step is walked from its start on. At each instant the shortest gap gives a direction; along it every corner of the one
//! keeps its distance from every corner of the other up to some later instant, which is linear in time and so known at
//! once. The walk goes there. That is conservative advancement with the motion seen along the gap only: bodies that pass
//! each other are apart in one step. (Mirtich, "Impulse-based dynamic simulation of rigid body systems", 1996; the bound by
//! direction is that of Zhang et al., "Continuous collision detection for articulated models", 2006.)

use glam::{DVec2, DVec3};

use super::closest::Instant;
use super::motion::{Motion, extent};
use super::options::Options;
use super::query::Kind;

/// What the walk came to; there is no contact before `t`.
pub(super) enum Walked {
    Apart,
    Within { t: f64 },
    OutOfBudget { t: f64 },
}

/// Walks until the distance is `separation`, or so little more that it could be within the tolerance of the step.
pub(super) fn walk(motion: &Motion<f64>, kind: Kind, separation: f64, options: &Options) -> Walked {
    let [start, end] = [Instant::of(motion, 0.0), Instant::of(motion, 1.0)];
    let extents = [&motion.offset, &motion.first, &motion.second].map(|vector| DVec3::from_array(extent(vector)));
    let reach = extents[0] + extents[1] + extents[2];
    let change = Instant::change(motion);
    let fastest = change.offset.length() + change.first.length() + change.second.length();
    let mut t = 0.0;
    for _ in 0..options.iterations {
        let now = Instant::of(motion, t);
        let gap = now.gap(now.closest(kind));
        let Some(direction) = gap.try_normalize() else { return Walked::Within { t } };
        // Differences, products and sums of them along a direction whose length is one up to a few roundings, and the
        // point in between: 16 roundings.
        let error = 16.0 * f64::EPSILON * direction.abs().dot(reach) + f64::MIN_POSITIVE;
        let enough = separation * (1.0 + 8.0 * f64::EPSILON) + error;
        let close = enough + options.tolerance.max(0.0) * fastest + error;
        let mut safe_until = f64::INFINITY;
        let mut nearest = f64::INFINITY;
        for corner in corners(kind) {
            let [before, after] = [start, end].map(|instant| instant.gap(corner).dot(direction));
            let distance = before * (1.0 - t) + after * t;
            nearest = nearest.min(distance);
            if after <= enough {
                // From here on it gets nearer, or it is too near already.
                let slope = before - after;
                let until = if slope > 0.0 { t + (distance - enough) / slope } else { t };
                safe_until = safe_until.min(until);
            }
        }
        if nearest <= close || nearest.is_nan() {
            return Walked::Within { t };
        }
        if safe_until == f64::INFINITY {
            return Walked::Apart;
        }
        t = t.max(safe_until - f64::EPSILON).min(1.0);
        if t > options.until {
            return Walked::Apart;
        }
    }
    Walked::OutOfBudget { t }
}

/// The corners of the domain, as factors of the two vectors.
fn corners(kind: Kind) -> impl Iterator<Item = DVec2> {
    let all = [DVec2::ZERO, DVec2::X, DVec2::Y, DVec2::ONE];
    all.into_iter().take(if kind == Kind::VertexFace { 3 } else { 4 })
}
