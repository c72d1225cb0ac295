//! A sitting rabbit, in place of the Stanford bunny.

use glam::DVec3;

use super::super::implicit::{Sculpture, pebbles};
use super::sculptor::Sculptor;

/// The rabbit looks along +x.
pub(super) fn rabbit(spacing: f64) -> Sculpture {
    let mut s = Sculptor::new(spacing);
    // Trunk, from the rump to the chest and up the neck.
    s.ellipsoid([-0.13, 0.33, 0.0], [0.34, 0.30, 0.27], [0.0, 0.0, 22.0], 0.0);
    s.ellipsoid([0.10, 0.42, 0.0], [0.24, 0.24, 0.21], [0.0, 0.0, 0.0], 0.18);
    s.ellipsoid([0.18, 0.36, 0.0], [0.15, 0.22, 0.17], [0.0, 0.0, -8.0], 0.12);
    s.cone(([0.14, 0.52, 0.0], 0.17), ([0.24, 0.66, 0.0], 0.13), 0.14);
    // Head: skull, muzzle, cheeks.
    s.ellipsoid([0.27, 0.74, 0.0], [0.165, 0.14, 0.135], [0.0, 0.0, -14.0], 0.08);
    s.ellipsoid([0.39, 0.69, 0.0], [0.095, 0.078, 0.082], [0.0, 0.0, -12.0], 0.07);
    s.on_both_sides(|s, side| {
        s.ball([0.36, 0.665, 0.045 * side], 0.062, 0.05);
        s.ball([0.25, 0.69, 0.085 * side], 0.07, 0.06);
        // Eye under a brow.
        s.ellipsoid([0.315, 0.770, 0.098 * side], [0.040, 0.034, 0.036], [0.0, -20.0 * side, 0.0], 0.004);
        s.limb(
            &[
                ([0.262, 0.800, 0.105 * side], 0.012),
                ([0.310, 0.820, 0.104 * side], 0.014),
                ([0.365, 0.795, 0.082 * side], 0.010),
            ],
            3,
            0.03,
        );
        // Ears: leaves with a hollow on the outer front.
        s.ellipsoid([0.13, 1.02, 0.085 * side], [0.068, 0.245, 0.042], [7.0 * side, 32.0 * side, 17.0], 0.045);
        s.cone(([0.22, 0.83, 0.06 * side], 0.05), ([0.18, 0.91, 0.07 * side], 0.045), 0.05);
        s.carve([0.158, 1.035, 0.118 * side], [0.036, 0.19, 0.022], [7.0 * side, 32.0 * side, 17.0], 0.02);
    });
    s.ellipsoid([0.478, 0.705, 0.0], [0.018, 0.018, 0.030], [0.0; 3], 0.012);
    s.carve([0.482, 0.662, 0.0], [0.016, 0.030, 0.007], [0.0; 3], 0.012);
    s.on_both_sides(|s, side| {
        // Haunch, hind foot, foreleg and paw.
        s.ellipsoid([-0.16, 0.24, 0.19 * side], [0.215, 0.205, 0.12], [0.0, 6.0 * side, 28.0], 0.035);
        s.limb(
            &[
                ([-0.16, 0.055, 0.235 * side], 0.06),
                ([-0.02, 0.05, 0.25 * side], 0.062),
                ([0.11, 0.048, 0.245 * side], 0.055),
            ],
            3,
            0.05,
        );
        s.ellipsoid([0.13, 0.05, 0.245 * side], [0.075, 0.05, 0.06], [0.0, 0.0, 0.0], 0.03);
        s.limb(
            &[
                ([0.20, 0.36, 0.11 * side], 0.085),
                ([0.27, 0.20, 0.105 * side], 0.062),
                ([0.285, 0.075, 0.10 * side], 0.05),
            ],
            3,
            0.06,
        );
        s.ellipsoid([0.325, 0.048, 0.10 * side], [0.085, 0.048, 0.056], [0.0, 0.0, 0.0], 0.03);
        for toe in [-1.0, 1.0] {
            s.carve([0.395, 0.055, (0.10 + 0.018 * toe) * side], [0.022, 0.04, 0.007], [0.0, 0.0, 0.0], 0.008);
            s.carve([0.195, 0.06, (0.245 + 0.02 * toe) * side], [0.022, 0.04, 0.007], [0.0, 0.0, 0.0], 0.008);
        }
    });
    // Tail.
    s.ball([-0.46, 0.22, 0.0], 0.085, 0.03);
    s.ball([-0.49, 0.25, 0.0], 0.06, 0.03);
    s.relief(0.0022, 0.05, fur);
    s.relief(0.006, 0.15, |point| pebbles(point / 0.15 + 7.0));
    s.sculpture
}

/// Tufts that are longer than wide and lie back, on the trunk only.
fn fur(point: DVec3) -> f64 {
    let trunk = 1.0 - ((point.y - 0.58) / 0.1).clamp(0.0, 1.0);
    if trunk == 0.0 {
        return 0.0;
    }
    trunk * pebbles(DVec3::new(point.x * 0.75 + point.y * 0.35, point.y * 0.8, point.z) / 0.05)
}
