//! A long dragon with a looped tail, in place of the Stanford dragon.

use glam::DVec3;

use super::super::implicit::{Sculpture, pebbles};
use super::sculptor::{Joint, Sculptor, spline};

/// From the tip of the tail over the loop, hips, belly and shoulders up the neck to the back of the head.
const SPINE: [Joint; 19] = [
    ([-1.02, 0.92, 0.30], 0.018),
    ([-1.18, 0.84, 0.32], 0.030),
    ([-1.24, 0.66, 0.24], 0.040),
    ([-1.12, 0.52, 0.12], 0.050),
    ([-0.98, 0.62, 0.00], 0.058),
    ([-1.02, 0.80, -0.12], 0.066),
    ([-1.20, 0.82, -0.22], 0.074),
    ([-1.36, 0.64, -0.24], 0.084),
    ([-1.33, 0.36, -0.18], 0.096),
    ([-1.08, 0.20, -0.06], 0.110),
    ([-0.80, 0.34, 0.04], 0.135),
    ([-0.52, 0.60, 0.06], 0.170),
    ([-0.22, 0.66, 0.00], 0.185),
    ([0.08, 0.54, -0.06], 0.180),
    ([0.36, 0.56, -0.04], 0.180),
    ([0.58, 0.80, 0.02], 0.150),
    ([0.54, 1.06, 0.06], 0.118),
    ([0.62, 1.28, 0.04], 0.104),
    ([0.80, 1.36, 0.0], 0.100),
];

/// The dragon looks along +x.
pub(super) fn dragon(spacing: f64) -> Sculpture {
    let mut s = Sculptor::new(spacing);
    s.limb(&SPINE, 5, 0.0);
    head(&mut s);
    legs(&mut s);
    crest(&mut s);
    s.relief(0.0075, 0.062, |point| pebbles(point / 0.062));
    s.relief(0.003, 0.026, |point| pebbles(point / 0.026 + 11.0));
    s.sculpture
}

fn head(s: &mut Sculptor) {
    s.ellipsoid([0.86, 1.37, 0.0], [0.135, 0.105, 0.105], [0.0, 0.0, -8.0], 0.05);
    // Upper jaw with a raised nose, lower jaw hanging open, tongue.
    s.limb(&[([0.90, 1.385, 0.0], 0.085), ([1.04, 1.375, 0.0], 0.066), ([1.15, 1.355, 0.0], 0.056)], 3, 0.05);
    s.limb(&[([0.86, 1.30, 0.0], 0.068), ([0.99, 1.225, 0.0], 0.048), ([1.09, 1.185, 0.0], 0.036)], 3, 0.035);
    s.limb(
        &[
            ([0.92, 1.305, 0.0], 0.022),
            ([1.06, 1.262, 0.0], 0.018),
            ([1.15, 1.258, 0.0], 0.014),
            ([1.20, 1.285, 0.0], 0.010),
        ],
        3,
        0.02,
    );
    s.ball([1.185, 1.395, 0.0], 0.040, 0.035);
    for side in [1.0, -1.0] {
        s.ball([1.175, 1.385, 0.038 * side], 0.032, 0.02);
        s.carve([1.205, 1.392, 0.045 * side], [0.016, 0.014, 0.014], [0.0; 3], 0.008);
        // Eye, brow and cheek.
        s.carve([0.965, 1.432, 0.082 * side], [0.036, 0.026, 0.022], [0.0; 3], 0.012);
        s.ball([0.957, 1.428, 0.066 * side], 0.026, 0.004);
        s.limb(
            &[
                ([0.86, 1.465, 0.072 * side], 0.026),
                ([0.95, 1.470, 0.082 * side], 0.024),
                ([1.03, 1.435, 0.066 * side], 0.014),
            ],
            3,
            0.02,
        );
        s.ball([0.84, 1.33, 0.075 * side], 0.055, 0.04);
        // Teeth.
        for (x, y, length) in [(1.165, 1.315, 0.055), (1.11, 1.315, 0.032), (1.06, 1.322, 0.03), (1.01, 1.325, 0.026)] {
            s.cone(([x, y, 0.036 * side], 0.013), ([x + 0.006, y - length, 0.038 * side], 0.004), 0.008);
        }
        for (x, y, length) in [(1.085, 1.205, 0.05), (1.035, 1.225, 0.028), (0.985, 1.25, 0.026)] {
            s.cone(([x, y, 0.026 * side], 0.012), ([x + 0.002, y + length, 0.03 * side], 0.004), 0.008);
        }
        // Horns, ears, whiskers, beard and mane.
        s.limb(
            &[
                ([0.83, 1.45, 0.06 * side], 0.040),
                ([0.72, 1.56, 0.10 * side], 0.034),
                ([0.58, 1.62, 0.13 * side], 0.026),
                ([0.46, 1.72, 0.12 * side], 0.010),
            ],
            4,
            0.03,
        );
        s.cone(([0.68, 1.59, 0.11 * side], 0.026), ([0.68, 1.70, 0.15 * side], 0.009), 0.02);
        s.ellipsoid([0.74, 1.42, 0.155 * side], [0.095, 0.042, 0.02], [20.0 * side, 35.0 * side, -18.0], 0.025);
        s.limb(
            &[
                ([1.15, 1.375, 0.06 * side], 0.016),
                ([1.22, 1.34, 0.15 * side], 0.014),
                ([1.14, 1.24, 0.21 * side], 0.012),
                ([1.00, 1.21, 0.23 * side], 0.011),
                ([0.90, 1.26, 0.22 * side], 0.008),
            ],
            4,
            0.02,
        );
        for (number, (y, z)) in [(1.40, 0.10), (1.33, 0.12), (1.26, 0.11)].into_iter().enumerate() {
            let far = 0.60 - 0.02 * number as f64;
            s.limb(
                &[
                    ([0.80, y, 0.6 * z * side], 0.042),
                    ([0.70, y - 0.02, (z + 0.04) * side], 0.034),
                    ([far, y + 0.03, (z + 0.06) * side], 0.010),
                ],
                3,
                0.03,
            );
        }
    }
    s.limb(&[([0.98, 1.20, 0.0], 0.034), ([0.95, 1.11, 0.0], 0.026), ([0.99, 1.03, 0.0], 0.009)], 3, 0.03);
    s.limb(&[([0.91, 1.22, 0.0], 0.034), ([0.86, 1.12, 0.0], 0.026), ([0.88, 1.03, 0.0], 0.009)], 3, 0.03);
}

fn legs(s: &mut Sculptor) {
    for side in [1.0, -1.0] {
        // Hind leg: thigh forward, shank back, foot flat.
        s.ellipsoid([-0.50, 0.50, 0.19 * side], [0.17, 0.21, 0.11], [0.0, 0.0, -25.0], 0.06);
        s.limb(
            &[
                ([-0.44, 0.40, 0.24 * side], 0.105),
                ([-0.38, 0.29, 0.27 * side], 0.078),
                ([-0.50, 0.17, 0.28 * side], 0.058),
                ([-0.50, 0.075, 0.28 * side], 0.054),
            ],
            3,
            0.05,
        );
        foot(s, DVec3::new(-0.46, 0.05, 0.28 * side), side);
        // Fore leg, one step ahead on the left.
        let stride = 0.09 * side;
        s.ellipsoid([0.38, 0.50, 0.17 * side], [0.125, 0.17, 0.09], [0.0, 0.0, 20.0], 0.06);
        s.limb(
            &[
                ([0.40, 0.42, 0.21 * side], 0.085),
                ([0.34 + 0.4 * stride, 0.29, 0.26 * side], 0.068),
                ([0.43 + 0.8 * stride, 0.17, 0.27 * side], 0.052),
                ([0.46 + stride, 0.075, 0.27 * side], 0.050),
            ],
            3,
            0.05,
        );
        foot(s, DVec3::new(0.50 + stride, 0.05, 0.27 * side), side);
        // Flames at the elbows.
        for (x, y, z) in [(-0.40, 0.28, 0.27), (0.34 + 0.4 * stride, 0.29, 0.26)] {
            for (back, up) in [(0.17, 0.08), (0.15, -0.01)] {
                s.limb(
                    &[
                        ([x, y, z * side], 0.045),
                        ([x - 0.5 * back, y + 0.3 * up, (z + 0.03) * side], 0.030),
                        ([x - back, y + up, (z + 0.04) * side], 0.008),
                    ],
                    3,
                    0.02,
                );
            }
        }
    }
}

fn foot(s: &mut Sculptor, ankle: DVec3, side: f64) {
    let [x, y, z] = ankle.to_array();
    s.ellipsoid([x + 0.02, y, z], [0.085, 0.048, 0.07], [0.0; 3], 0.03);
    for (forward, outward) in [(0.115, -0.06), (0.135, 0.0), (0.115, 0.06)] {
        let knuckle = [x + 0.62 * forward, y + 0.012, z + outward * side];
        s.cone(([x + 0.03, y, z + 0.5 * outward * side], 0.040), (knuckle, 0.034), 0.02);
        let tip = [x + forward + 0.055, y - 0.034, z + 1.25 * outward * side];
        s.limb(
            &[(knuckle, 0.030), ([x + forward + 0.01, y + 0.008, z + 1.1 * outward * side], 0.024), (tip, 0.008)],
            2,
            0.01,
        );
    }
    s.cone(([x - 0.04, y, z], 0.030), ([x - 0.12, y - 0.03, z], 0.009), 0.02);
}

/// Spines along the back, a flame at the tip of the tail.
fn crest(s: &mut Sculptor) {
    let path = spline(&SPINE, 4);
    for number in 3..path.len() - 3 {
        let (place, radius) = path[number];
        let along = (path[number + 1].0 - path[number - 1].0).normalize_or(DVec3::X);
        // The back is up where the body lies, and behind where it rises; in the loop it is the outer side.
        let away = DVec3::new(-0.25, 1.0, 0.0);
        let mut outward = (away - away.dot(along) * along).normalize_or(DVec3::Y);
        if place.x < -0.9 {
            let from_middle = place - DVec3::new(-1.15, 0.55, place.z);
            outward = (from_middle - from_middle.dot(along) * along).normalize_or(outward);
        } else if place.y > 0.85 {
            let behind = DVec3::new(-1.0, 0.35, 0.0);
            outward = (behind - behind.dot(along) * along).normalize_or(outward);
        }
        let height = 0.35 * radius + 0.045 + if number % 2 == 0 { 0.018 } else { 0.0 };
        let root = place + 0.82 * radius * outward;
        let tip = place + (radius + height) * outward - 0.5 * height * along;
        s.cone((root.to_array(), 0.30 * radius + 0.008), (tip.to_array(), 0.008), 0.02);
    }
    let tip = SPINE[0].0;
    for (x, y, z) in [(0.16, 0.10, 0.02), (0.17, 0.0, -0.04), (0.10, 0.17, 0.05), (0.15, 0.05, 0.10)] {
        let middle = [tip[0] + 0.5 * x, tip[1] + 0.4 * y, tip[2] + 0.5 * z];
        s.limb(&[(tip, 0.028), (middle, 0.036), ([tip[0] + x, tip[1] + y, tip[2] + z], 0.008)], 3, 0.015);
    }
}
