//! A standing figure in a toga, for rooftops and niches.

use std::f64::consts::TAU;

use glam::DVec3;

use super::super::implicit::Sculpture;
use super::sculptor::Sculptor;

/// The senator stands on a small plinth and looks along +z, one arm raised.
pub(super) fn senator(spacing: f64) -> Sculpture {
    let mut s = Sculptor::new(spacing);
    s.block([0.0, 0.05, 0.0], [0.20, 0.05, 0.18], 0.01, 0.0);
    // Gown from the hem to the waist, trunk, shoulders.
    s.cone(([0.0, 0.20, 0.0], 0.155), ([0.0, 0.62, 0.0], 0.12), 0.02);
    s.ellipsoid([0.0, 0.13, 0.0], [0.175, 0.06, 0.155], [0.0; 3], 0.03);
    s.cone(([0.0, 0.62, 0.0], 0.115), ([0.0, 0.82, -0.01], 0.118), 0.06);
    s.cone(([-0.125, 0.86, -0.01], 0.065), ([0.125, 0.86, -0.01], 0.065), 0.06);
    // Leading leg under the cloth and both feet.
    s.limb(&[([0.06, 0.52, 0.05], 0.08), ([0.075, 0.33, 0.11], 0.065), ([0.07, 0.14, 0.09], 0.05)], 3, 0.05);
    s.ellipsoid([0.07, 0.118, 0.14], [0.036, 0.026, 0.065], [0.0; 3], 0.01);
    s.ellipsoid([-0.07, 0.118, 0.12], [0.036, 0.026, 0.065], [0.0; 3], 0.01);
    // The raised arm, and the other under the toga with a scroll.
    s.limb(
        &[
            ([0.165, 0.86, 0.0], 0.056),
            ([0.27, 0.82, 0.05], 0.046),
            ([0.31, 0.95, 0.12], 0.036),
            ([0.32, 1.05, 0.15], 0.026),
        ],
        3,
        0.03,
    );
    s.ellipsoid([0.322, 1.085, 0.158], [0.028, 0.042, 0.018], [0.0; 3], 0.012);
    s.limb(&[([-0.165, 0.86, -0.01], 0.058), ([-0.21, 0.70, 0.02], 0.052), ([-0.12, 0.62, 0.13], 0.042)], 3, 0.03);
    s.cone(([-0.13, 0.56, 0.15], 0.024), ([-0.10, 0.70, 0.17], 0.024), 0.01);
    // Folds of the toga: over the shoulder, across the chest, round the hip, and hanging from the arm.
    s.limb(
        &[
            ([-0.13, 0.93, -0.06], 0.036),
            ([-0.10, 0.935, 0.04], 0.036),
            ([-0.02, 0.80, 0.115], 0.034),
            ([0.09, 0.66, 0.105], 0.034),
            ([0.125, 0.56, 0.0], 0.034),
        ],
        4,
        0.02,
    );
    s.limb(&[([0.12, 0.60, 0.05], 0.034), ([0.02, 0.545, 0.125], 0.034), ([-0.11, 0.60, 0.12], 0.034)], 4, 0.02);
    s.limb(&[([-0.17, 0.66, 0.09], 0.042), ([-0.19, 0.48, 0.09], 0.046), ([-0.18, 0.27, 0.08], 0.040)], 3, 0.03);
    // Head with hair.
    s.cone(([0.0, 0.88, 0.0], 0.046), ([0.0, 0.99, 0.005], 0.044), 0.03);
    s.ellipsoid([0.0, 1.06, 0.01], [0.066, 0.088, 0.078], [0.0; 3], 0.015);
    s.ellipsoid([0.0, 1.088, -0.008], [0.073, 0.072, 0.078], [-10.0, 0.0, 0.0], 0.006);
    s.cone(([0.0, 1.065, 0.082], 0.010), ([0.0, 1.045, 0.094], 0.012), 0.01);
    s.ball([0.0, 0.995, 0.062], 0.022, 0.02);
    s.ring([0.0, 1.095, 0.0], 0.074, 0.013, [-12.0, 0.0, 0.0], 0.01);
    s.ellipsoid([0.0, 1.022, 0.078], [0.020, 0.006, 0.010], [0.0; 3], 0.006);
    for side in [1.0, -1.0] {
        s.ball([0.027 * side, 1.058, 0.066], 0.013, 0.004);
        s.ball([0.068 * side, 1.05, 0.0], 0.016, 0.01);
    }
    s.relief(0.008, 0.05, pleats);
    s.sculpture
}

fn rise(from: f64, to: f64, x: f64) -> f64 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Upright pleats round the gown.
fn pleats(point: DVec3) -> f64 {
    let region =
        rise(0.10, 0.14, point.y) * (1.0 - rise(0.50, 0.66, point.y)) * rise(0.06, 0.12, point.x.hypot(point.z));
    if region == 0.0 { 0.0 } else { region * (point.z.atan2(point.x) * 17.0 + TAU * 0.4 * point.y).sin() }
}
