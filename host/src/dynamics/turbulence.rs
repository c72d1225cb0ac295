//! Small swirls of the air, without a grid of fluid.
//!
//! The velocity is the curl of a noise (Bridson, Hourihan and Nordenstam 2007), and so has no sources: dust neither heaps
//! up nor thins out. Two octaves drift in different ways, so that the swirls change.

use glam::{DVec3, Vec3, Vec3A};

/// What makes the mean square of the noise's curl one: found by sampling, held by a test.
const UNIT_SPEED: f32 = 0.533;

/// The shares of the octaves in the speed; together they have the mean square one.
const SHARES: [f32; 2] = [0.894_427_2, 0.447_213_6];

/// The octaves' swirls to a scale.
const FREQUENCIES: [f64; 2] = [1.0, 2.0];

/// How the octaves drift, in scales per second at a speed of one scale per second.
const DRIFTS: [DVec3; 2] = [DVec3::new(0.31, 0.13, -0.23), DVec3::new(-0.37, 0.29, 0.17)];

/// The squared wave number of swirls of about two lattice cells: what turns a potential into its vorticity.
const WAVE_NUMBER_SQUARED: f32 = std::f32::consts::PI * std::f32::consts::PI;

/// What stretches ten bits from -1 to 1.
const STEP: f32 = 2.0 / 1023.0;

/// A field of swirls at one time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turbulence {
    /// Scales to a metre.
    frequency: f64,
    /// The root of the mean square of the velocity.
    speed: f32,
    /// Where the octaves have drifted to, in scales.
    shifts: [DVec3; 2],
}

/// The air at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Swirl {
    /// In m/s.
    pub(super) velocity: Vec3,
    /// How fast a small thing there turns, in rad/s.
    pub(super) spin: Vec3,
}

impl Turbulence {
    /// Swirls of a size and a speed; still air if one of them is not positive.
    pub(super) fn new(scale: f64, speed: f64, time: f64) -> Turbulence {
        let is_moving = scale > 1e-6 && scale.is_finite() && speed > 0.0 && speed.is_finite();
        let (frequency, speed) = if is_moving { (1.0 / scale, speed) } else { (0.0, 0.0) };
        let shifts = DRIFTS.map(|drift| drift * (time * speed * frequency));
        Turbulence { frequency, speed: speed as f32, shifts }
    }

    /// The air at a point.
    #[inline]
    pub(super) fn at(&self, point: Vec3) -> Swirl {
        let mut swirl = Swirl { velocity: Vec3::ZERO, spin: Vec3::ZERO };
        if self.speed == 0.0 {
            return swirl;
        }
        let place = point.as_dvec3() * self.frequency;
        for octave in 0..2 {
            let (potential, curl) =
                potential_and_curl((place + self.shifts[octave]) * FREQUENCIES[octave], 0x51ed_270b * octave as u32);
            let share = SHARES[octave] * UNIT_SPEED * self.speed;
            swirl.velocity += share * curl;
            // A wave's vorticity is its potential times the square of its wave number; a thing turns half as fast.
            let stretch = (self.frequency * FREQUENCIES[octave]) as f32;
            swirl.spin += 0.5 * share * WAVE_NUMBER_SQUARED * stretch * potential;
        }
        swirl
    }
}

/// A vector of value noise with a blend of fifth degree, and its curl, in units of lattice cells.
#[inline]
fn potential_and_curl(place: DVec3, seed: u32) -> (Vec3, Vec3) {
    let [x, y, z] = place.to_array().map(split);
    let inside = Vec3A::new(x.1, y.1, z.1);
    let blend = inside * inside * inside * (inside * (inside * 6.0 - 15.0) + 10.0);
    let slope = 30.0 * STEP * inside * inside * (inside * (inside - 2.0) + 1.0);
    let hashes = |cell: u32, factor: u32| [cell.wrapping_mul(factor), cell.wrapping_add(1).wrapping_mul(factor)];
    let (xs, ys, zs) = (hashes(x.0, 0x8da6_b343), hashes(y.0, 0xd816_3841), hashes(z.0, 0xcb1a_b31f));
    let bits: [u32; 8] =
        std::array::from_fn(|corner| mix(xs[corner & 1] ^ ys[corner >> 1 & 1] ^ zs[corner >> 2] ^ seed));
    // Ten bits for each component; finer steps would not be seen.
    let value = bits.map(|bits| {
        let [x, y, z] = [bits, bits >> 10, bits >> 20].map(|bits| (bits & 1023) as i32 as f32);
        Vec3A::new(x, y, z)
    });
    // Along x first, then y, then z, carrying the differences that the slopes need.
    let along: [Vec3A; 4] = std::array::from_fn(|edge| value[2 * edge + 1] - value[2 * edge]);
    let on_edge: [Vec3A; 4] = std::array::from_fn(|edge| value[2 * edge] + blend.x * along[edge]);
    let up: [Vec3A; 2] = std::array::from_fn(|face| on_edge[2 * face + 1] - on_edge[2 * face]);
    let on_face: [Vec3A; 2] = std::array::from_fn(|face| on_edge[2 * face] + blend.y * up[face]);
    let along_face: [Vec3A; 2] =
        std::array::from_fn(|face| along[2 * face] + blend.y * (along[2 * face + 1] - along[2 * face]));
    let across = on_face[1] - on_face[0];
    let potential = STEP * (on_face[0] + blend.z * across) - 1.0;
    let by_x = slope.x * (along_face[0] + blend.z * (along_face[1] - along_face[0]));
    let by_y = slope.y * (up[0] + blend.z * (up[1] - up[0]));
    let by_z = slope.z * across;
    (potential.into(), Vec3::new(by_y.z - by_z.y, by_z.x - by_x.z, by_x.y - by_y.x))
}

/// The lattice cell of a coordinate, and where it is in the cell. Cells repeat after four thousand million.
#[inline]
fn split(coordinate: f64) -> (u32, f32) {
    let toward_zero = coordinate as i64;
    let cell = toward_zero.wrapping_sub(i64::from((toward_zero as f64) > coordinate));
    (cell as u32, ((coordinate - cell as f64) as f32).clamp(0.0, 1.0))
}

/// The finaliser of MurmurHash3.
#[inline]
fn mix(mut bits: u32) -> u32 {
    bits = (bits ^ bits >> 16).wrapping_mul(0x85eb_ca6b);
    bits = (bits ^ bits >> 13).wrapping_mul(0xc2b2_ae35);
    bits ^ bits >> 16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn the_flow_has_no_sources() {
        let turbulence = Turbulence::new(0.5, 2.0, 3.0);
        let mut random = Random::new(2);
        let step = 2e-3f32;
        let (mut sources, mut slopes) = (0.0f64, 0.0f64);
        for _ in 0..2000 {
            let point = (4.0 * random.in_cube()).as_vec3();
            let mut divergence = 0.0;
            for axis in 0..3 {
                let mut offset = Vec3::ZERO;
                offset[axis] = step;
                // Points as they are rounded, so that rounding them is no error of the difference.
                let (before, after) = (point - offset, point + offset);
                let change = turbulence.at(after).velocity - turbulence.at(before).velocity;
                let slope = change / (after[axis] - before[axis]);
                divergence += slope[axis];
                slopes += f64::from(slope.length_squared());
            }
            sources += f64::from(divergence).powi(2);
        }
        assert!(sources.sqrt() < 3e-3 * slopes.sqrt(), "{} of {}", sources.sqrt(), slopes.sqrt());
    }

    #[test]
    fn the_speed_is_the_one_asked_for() {
        let mut random = Random::new(5);
        for (scale, speed) in [(1.0, 1.0), (0.2, 3.0)] {
            let turbulence = Turbulence::new(scale, speed, 0.0);
            let count = 50_000;
            let mut mean = DVec3::ZERO;
            let mut square = 0.0;
            for _ in 0..count {
                let velocity = turbulence.at((50.0 * random.in_cube()).as_vec3()).velocity.as_dvec3();
                mean += velocity / f64::from(count);
                square += velocity.length_squared() / f64::from(count);
            }
            assert!((square.sqrt() / speed - 1.0).abs() < 0.03, "{}", square.sqrt() / speed);
            assert!(mean.length() < 0.05 * speed, "{mean}");
        }
    }

    /// The spin is an estimate from the potential: it must go with the true vorticity, found by differences.
    #[test]
    fn the_spin_goes_with_the_vorticity() {
        let turbulence = Turbulence::new(1.0, 1.0, 0.0);
        let mut random = Random::new(6);
        let (mut product, mut spins, mut vorticities) = (0.0f32, 0.0f32, 0.0f32);
        for _ in 0..5000 {
            let point = (20.0 * random.in_cube()).as_vec3();
            let step = 0.01;
            let slope = |offset: Vec3| {
                (turbulence.at(point + offset).velocity - turbulence.at(point - offset).velocity) / (2.0 * step)
            };
            let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| slope(step * axis));
            let vorticity = Vec3::new(y.z - z.y, z.x - x.z, x.y - y.x);
            let spin = turbulence.at(point).spin;
            product += spin.dot(vorticity);
            spins += spin.length_squared();
            vorticities += vorticity.length_squared();
        }
        let correlation = product / (spins * vorticities).sqrt();
        assert!(correlation > 0.4, "{correlation}");
        let ratio = (spins / vorticities).sqrt();
        assert!((0.2..1.0).contains(&ratio), "{ratio}");
    }

    #[test]
    fn the_flow_is_smooth_changes_and_stays_finite_anywhere() {
        let turbulence = Turbulence::new(0.3, 1.0, 0.0);
        for point in [Vec3::splat(1e30), Vec3::splat(-1e9), Vec3::NAN, Vec3::ZERO] {
            let swirl = turbulence.at(point);
            assert!(swirl.velocity.is_finite() || point.is_nan());
        }
        let point = Vec3::new(0.1, 0.2, 0.3);
        assert_ne!(turbulence.at(point), Turbulence::new(0.3, 1.0, 1.0).at(point));
        assert_eq!(Turbulence::new(0.0, 1.0, 0.0).at(point).velocity, Vec3::ZERO);
        assert_eq!(Turbulence::new(1.0, f64::NAN, 0.0).at(point).velocity, Vec3::ZERO);
        // Across the border of lattice cells.
        let [before, after] = [-1e-4f32, 1e-4].map(|x| turbulence.at(Vec3::new(x, 0.05, 0.07)).velocity);
        assert!((after - before).length() < 0.02, "{before} {after}");
    }
}
