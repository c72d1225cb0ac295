//! Smooth noise of a position, the same on every machine.

use glam::DVec3;

/// How much noise has to be stretched for its peaks to come near to one: gradient noise seldom leaves a fifth.
const STRETCH: f64 = 4.0;

/// Bits of a lattice point, as good as random (the finaliser of SplitMix64 after each coordinate).
pub(crate) fn lattice_bits(point: [i64; 3], seed: u64) -> u64 {
    point.iter().fold(seed, |bits, &coordinate| {
        let mut bits = (bits ^ coordinate as u64).wrapping_add(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    })
}

/// Three numbers from -1 to 1 out of 64 bits.
pub(crate) fn signed_triple(bits: u64) -> DVec3 {
    let number = |shift: u32| ((bits >> shift) & 0x1f_ffff) as f64 * (2.0 / 0x1f_ffff as f64) - 1.0;
    DVec3::new(number(0), number(21), number(42))
}

/// Gradient noise (Perlin 1985, with the blend of 2002): zero at lattice points, twice differentiable, and about one
/// bump to a unit of length.
fn gradient_noise(position: DVec3, seed: u64) -> f64 {
    let cell = position.floor();
    let inside = position - cell;
    let blend = inside * inside * inside * (inside * (inside * 6.0 - 15.0) + 10.0);
    let lowest = cell.to_array().map(|coordinate| coordinate as i64);
    let mut sum = 0.0;
    for corner in 0..8 {
        let step: [usize; 3] = [corner & 1, corner >> 1 & 1, corner >> 2];
        let point = std::array::from_fn(|axis| lowest[axis].saturating_add(step[axis] as i64));
        let mut weight = 1.0;
        let mut away = inside;
        for axis in 0..3 {
            weight *= if step[axis] == 1 { blend[axis] } else { 1.0 - blend[axis] };
            away[axis] -= step[axis] as f64;
        }
        sum += weight * signed_triple(lattice_bits(point, seed)).dot(away);
    }
    sum
}

/// Noise of three octaves: bumps of twice the unit of length, of the unit, and of half of it, the finer the lower.
/// Smooth, and always between -1 and 1.
pub(crate) fn fractal_noise(position: DVec3, seed: u64) -> f64 {
    let octave = |number: u64, frequency: f64| {
        // The octaves are shifted so that their lattice points, where each is zero, do not meet.
        gradient_noise(position * frequency + DVec3::splat(0.37 * number as f64), seed.wrapping_add(number))
    };
    let sum = STRETCH * (0.5 * octave(0, 0.5) + 0.35 * octave(1, 1.0) + 0.15 * octave(2, 2.0));
    sum / (1.0 + sum * sum).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn noise_is_spread_between_its_bounds_about_zero() {
        let mut random = Random::new(3);
        let values: Vec<f64> = (0..20_000).map(|_| fractal_noise(100.0 * random.in_cube(), 5)).collect();
        assert!(values.iter().all(|value| value.abs() < 1.0));
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let square = values.iter().map(|value| value * value).sum::<f64>() / values.len() as f64;
        assert!(mean.abs() < 0.02, "{mean}");
        assert!((0.25..0.6).contains(&square.sqrt()), "{}", square.sqrt());
        assert!(values.iter().any(|&value| value > 0.7) && values.iter().any(|&value| value < -0.7));
    }

    #[test]
    fn noise_is_smooth_also_across_the_lattice() {
        let mut random = Random::new(4);
        for number in 0..3000 {
            let mut position = 10.0 * random.in_cube();
            if number % 3 == 0 {
                position.x = position.x.round();
            }
            let step = 1e-4 * random.in_cube();
            let [before, here, after] = [-1.0, 0.0, 1.0].map(|sign| fractal_noise(position + sign * step, 1));
            assert!((after - before).abs() < 10.0 * step.length(), "{position}");
            assert!((after - 2.0 * here + before).abs() < 100.0 * step.length_squared(), "{position}");
        }
    }

    #[test]
    fn seeds_and_octaves_differ_and_far_away_is_no_panic() {
        let position = DVec3::new(0.3, 0.7, -4.2);
        assert_ne!(fractal_noise(position, 1), fractal_noise(position, 2));
        assert_eq!(fractal_noise(position, 1), fractal_noise(position, 1));
        assert!(fractal_noise(DVec3::splat(1e300), 1).is_finite());
    }
}
