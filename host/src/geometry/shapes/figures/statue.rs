//! A seated figure on a lotus throne, in place of the Happy Buddha.

use std::f64::consts::TAU;

use glam::DVec3;

use super::super::implicit::{Sculpture, pebbles};
use super::sculptor::Sculptor;

/// The statue looks along +z; left and right are along x.
pub(super) fn statue(spacing: f64) -> Sculpture {
    let mut s = Sculptor::new(spacing);
    throne(&mut s);
    body(&mut s);
    head(&mut s);
    s.relief(0.0045, 0.045, folds);
    s.relief(0.010, 0.046, curls);
    s.sculpture
}

fn throne(s: &mut Sculptor) {
    s.block([0.0, 0.035, 0.0], [0.50, 0.035, 0.40], 0.015, 0.0);
    s.block([0.0, 0.085, 0.0], [0.44, 0.03, 0.345], 0.015, 0.01);
    s.ellipsoid([0.0, 0.18, 0.0], [0.40, 0.11, 0.31], [0.0, 0.0, 0.0], 0.03);
    s.ellipsoid([0.0, 0.255, 0.01], [0.46, 0.05, 0.35], [0.0, 0.0, 0.0], 0.03);
    // Two rows of petals, the lower one hanging.
    for petal in 0..18 {
        let (sin, cos) = (TAU * f64::from(petal) / 18.0).sin_cos();
        let turn = -(0.33 * sin).atan2(0.42 * cos).to_degrees();
        s.ellipsoid([0.43 * cos, 0.225, 0.335 * sin], [0.024, 0.062, 0.062], [0.0, turn, 24.0], 0.008);
        let (sin, cos) = (TAU * (f64::from(petal) + 0.5) / 18.0).sin_cos();
        let turn = -(0.33 * sin).atan2(0.42 * cos).to_degrees();
        s.ellipsoid([0.415 * cos, 0.145, 0.325 * sin], [0.024, 0.052, 0.06], [0.0, turn, -28.0], 0.008);
    }
}

fn body(s: &mut Sculptor) {
    // Trunk: hips, belly, chest.
    s.ellipsoid([0.0, 0.38, -0.06], [0.24, 0.14, 0.18], [0.0; 3], 0.05);
    s.ellipsoid([0.0, 0.55, -0.03], [0.175, 0.22, 0.135], [0.0; 3], 0.10);
    s.ball([0.0, 0.485, 0.035], 0.135, 0.10);
    s.ellipsoid([0.0, 0.73, -0.035], [0.205, 0.13, 0.125], [0.0; 3], 0.10);
    s.cone(([-0.17, 0.80, -0.04], 0.085), ([0.17, 0.80, -0.04], 0.085), 0.06);
    for side in [1.0, -1.0] {
        s.ball([0.085 * side, 0.745, 0.05], 0.07, 0.07);
        // Crossed legs: thigh out to the knee, shin back across, sole up.
        s.limb(
            &[
                ([0.12 * side, 0.37, -0.04], 0.135),
                ([0.30 * side, 0.365, 0.07], 0.12),
                ([0.42 * side, 0.34, 0.15], 0.095),
            ],
            3,
            0.08,
        );
        s.limb(
            &[
                ([0.42 * side, 0.33, 0.16], 0.092),
                ([0.20 * side, 0.335, 0.275], 0.08),
                ([-0.06 * side, 0.34, 0.295], 0.062),
            ],
            3,
            0.05,
        );
        s.ellipsoid([-0.15 * side, 0.385, 0.235], [0.10, 0.036, 0.05], [20.0, 18.0 * side, 12.0 * side], 0.03);
        // Arms with the hands in the lap.
        s.limb(
            &[
                ([0.235 * side, 0.80, -0.04], 0.088),
                ([0.31 * side, 0.67, -0.045], 0.078),
                ([0.335 * side, 0.545, -0.005], 0.070),
            ],
            3,
            0.05,
        );
        s.limb(
            &[
                ([0.335 * side, 0.545, -0.005], 0.070),
                ([0.245 * side, 0.475, 0.12], 0.058),
                ([0.10 * side, 0.445, 0.195], 0.044),
            ],
            3,
            0.02,
        );
        s.ellipsoid(
            [0.035 * side, 0.44 + 0.022 * side, 0.215],
            [0.085, 0.026, 0.05],
            [0.0, 8.0 * side, -6.0 * side],
            0.02,
        );
        s.cone(([0.055 * side, 0.465, 0.235], 0.018), ([0.008 * side, 0.50, 0.245], 0.014), 0.02);
    }
    // The hem of the robe: over one shoulder, down across the chest, and in the lap.
    s.limb(
        &[
            ([-0.205, 0.86, -0.10], 0.03),
            ([-0.15, 0.885, -0.02], 0.032),
            ([-0.07, 0.80, 0.098], 0.026),
            ([0.06, 0.665, 0.118], 0.024),
            ([0.165, 0.555, 0.085], 0.022),
            ([0.195, 0.50, 0.0], 0.02),
        ],
        5,
        0.015,
    );
    s.limb(&[([-0.09, 0.335, 0.33], 0.02), ([0.0, 0.30, 0.345], 0.035), ([0.09, 0.335, 0.33], 0.02)], 4, 0.04);
    s.ellipsoid([0.0, 0.31, 0.31], [0.15, 0.035, 0.07], [10.0, 0.0, 0.0], 0.05);
}

fn head(s: &mut Sculptor) {
    s.cone(([0.0, 0.85, -0.035], 0.075), ([0.0, 0.95, -0.02], 0.068), 0.05);
    s.ellipsoid([0.0, 1.045, -0.01], [0.112, 0.14, 0.122], [0.0; 3], 0.03);
    s.ellipsoid([0.0, 1.00, 0.035], [0.088, 0.095, 0.085], [0.0; 3], 0.05);
    // Hair cap, bump of wisdom and jewel.
    s.ellipsoid([0.0, 1.085, -0.025], [0.122, 0.118, 0.125], [-14.0, 0.0, 0.0], 0.006);
    s.ellipsoid([0.0, 1.20, -0.03], [0.068, 0.062, 0.068], [0.0; 3], 0.03);
    s.ball([0.0, 1.268, -0.03], 0.024, 0.02);
    // Face: straight nose, smiling lips, lids half closed under high brows.
    s.limb(&[([0.0, 1.068, 0.104], 0.010), ([0.0, 1.035, 0.122], 0.013), ([0.0, 1.010, 0.132], 0.018)], 3, 0.016);
    s.ball([0.0, 1.098, 0.116], 0.009, 0.005);
    for (y, z, rise) in [(0.972, 0.116, 0.007), (0.958, 0.114, 0.010)] {
        s.limb(
            &[([-0.036, y + rise, z - 0.014], 0.006), ([0.0, y, z], 0.011), ([0.036, y + rise, z - 0.014], 0.006)],
            4,
            0.008,
        );
    }
    s.ball([0.0, 0.925, 0.090], 0.028, 0.03);
    for side in [1.0, -1.0] {
        s.ellipsoid([0.043 * side, 1.036, 0.086], [0.033, 0.021, 0.026], [0.0, 14.0 * side, -4.0 * side], 0.004);
        s.carve([0.043 * side, 1.029, 0.115], [0.034, 0.0065, 0.012], [0.0, 14.0 * side, -4.0 * side], 0.006);
        s.limb(
            &[
                ([0.012 * side, 1.070, 0.110], 0.006),
                ([0.045 * side, 1.083, 0.103], 0.007),
                ([0.082 * side, 1.066, 0.078], 0.006),
            ],
            3,
            0.010,
        );
        s.ball([0.055 * side, 0.99, 0.075], 0.04, 0.05);
        s.limb(
            &[
                ([0.116 * side, 1.075, -0.01], 0.024),
                ([0.126 * side, 1.02, -0.005], 0.02),
                ([0.118 * side, 0.945, 0.008], 0.022),
            ],
            3,
            0.018,
        );
    }
    // Aureole, held by a stem at the back.
    s.ring([0.0, 1.07, -0.165], 0.225, 0.022, [90.0, 0.0, 0.0], 0.01);
    s.ring([0.0, 1.07, -0.165], 0.168, 0.013, [90.0, 0.0, 0.0], 0.01);
    for ray in 0..16 {
        let (sin, cos) = (TAU * f64::from(ray) / 16.0).sin_cos();
        let at = |radius: f64| [radius * cos, 1.07 + radius * sin, -0.165];
        s.cone((at(0.160), 0.013), (at(0.222), 0.013), 0.01);
        s.cone((at(0.235), 0.018), (at(0.268), 0.010), 0.012);
    }
    s.cone(([0.0, 0.90, -0.165], 0.03), ([0.0, 0.70, -0.12], 0.045), 0.03);
    s.cone(([0.0, 1.12, -0.12], 0.03), ([0.0, 1.235, -0.165], 0.02), 0.02);
}

fn rise(from: f64, to: f64, x: f64) -> f64 {
    let t = ((x - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Folds of the robe: curves that hang across the trunk and the legs, none on the throne or the head.
fn folds(point: DVec3) -> f64 {
    let region = rise(0.27, 0.31, point.y) * (1.0 - rise(0.80, 0.86, point.y));
    if region == 0.0 {
        return 0.0;
    }
    let sag = point.y + 0.55 * point.x * point.x - 0.25 * point.x + 0.2 * point.z;
    region * (sag * (TAU / 0.048)).sin()
}

/// Curls on the cap of hair.
fn curls(point: DVec3) -> f64 {
    let line = point.y - 1.075 + 0.45 * (point.z - 0.06);
    let region = rise(0.0, 0.02, line)
        * (1.0 - rise(0.135, 0.16, (point - DVec3::new(0.0, 1.1, -0.02)).length()))
        * (1.0 - rise(1.235, 1.25, point.y));
    if region == 0.0 { 0.0 } else { region * pebbles(point / 0.046) }
}
