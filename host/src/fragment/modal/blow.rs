//! What hits a body, and how a mode answers.

use std::f64::consts::PI;

use glam::DVec3;

use super::error::{ModalError, positive, require};

/// A blow, in the coordinates of the body that it hits: a force over a small patch that rises and falls as half a sine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blow {
    /// Where the body is hit.
    pub point: DVec3,
    /// What the force adds up to over its time, in N s.
    pub impulse: DVec3,
    /// How far the patch reaches from the point, in m; `None` is a twentieth of the diagonal of the body's box.
    pub radius: Option<f64>,
    /// How long the force lasts, in s; `None` is what Hertz has for a ball of the body's mass and material that hits
    /// such a ball, which gives it this impulse: `2.87 (m² / (R E² v))^(1/5)`, with `v` impulse over mass, `R` half the
    /// edge of a cube of the body's volume and `E` half of Young's modulus over `1 - poisson²`.
    pub duration: Option<f64>,
}

impl Blow {
    /// A blow with the radius and the duration of the rules.
    pub fn new(point: DVec3, impulse: DVec3) -> Blow {
        Blow { point, impulse, radius: None, duration: None }
    }

    /// Whether there can be such a blow.
    ///
    /// # Errors
    /// The first number that cannot be.
    pub fn check(&self) -> Result<(), ModalError> {
        for (what, vector) in [("point", self.point), ("impulse", self.impulse)] {
            // Larger ones would have squares that are not finite.
            let holds = vector.is_finite() && vector.length() < 1e100;
            require("blow", what, vector.abs().max_element(), holds, "coordinates that are finite numbers")?;
        }
        self.radius.map_or(Ok(()), |radius| positive("blow", "radius", radius))?;
        self.duration.map_or(Ok(()), |duration| positive("blow", "duration", duration))
    }
}

/// How far a mode of mass one has swung at a time after a blow of impulse one began. Nothing damps it: what breaks in a
/// brittle body breaks in the first swings.
pub(super) fn swing(frequency: f64, duration: f64, time: f64) -> f64 {
    let pulse = PI / duration;
    // At resonance the formula is zero over zero; a frequency so near to it has the same answer to six digits.
    let frequency = if (frequency - pulse).abs() < 1e-6 * pulse { pulse * (1.0 - 1e-6) } else { frequency };
    let steady = |time: f64| {
        let forced = frequency * (pulse * time).sin() - pulse * (frequency * time).sin();
        0.5 * pulse * forced / (frequency * (frequency - pulse) * (frequency + pulse))
    };
    // Half a sine is a sine and the same one added again half a period later.
    steady(time) + if time > duration { steady(time - duration) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swing_satisfies_its_equation() {
        for frequency in [0.3, 1.0, 2.9, PI, PI * (1.0 + 1e-9), 3.5, 11.0, 40.0] {
            // Velocity Verlet with steps so small that its error is below what is asked for.
            let (mut place, mut speed, step) = (0.0, 0.0, 1e-4);
            let push = |time: f64| if time < 1.0 { 0.5 * PI * (PI * time).sin() } else { 0.0 };
            for k in 0..30_000 {
                let time = step * f64::from(k);
                speed += 0.5 * step * (push(time) - frequency * frequency * place);
                place += step * speed;
                speed += 0.5 * step * (push(time + step) - frequency * frequency * place);
                if k % 100 == 99 {
                    assert!((place - swing(frequency, 1.0, time + step)).abs() < 2e-5, "{frequency} {time}");
                }
            }
        }
    }

    #[test]
    fn a_very_short_blow_gives_its_impulse_and_a_very_long_one_its_force() {
        assert!((swing(2.0, 1e-6, 0.7) - (1.4f64).sin() / 2.0).abs() < 1e-5);
        assert!((swing(2.0, 1e4, 0.5e4) - 0.5 * PI / 1e4 / 4.0).abs() < 1e-7);
    }

    #[test]
    fn a_blow_that_cannot_be_is_told() {
        let good = Blow::new(DVec3::ZERO, DVec3::X);
        assert!(good.check().is_ok());
        let bad = Blow { impulse: DVec3::splat(f64::NAN), ..good };
        assert!(bad.check().is_err_and(|error| error.to_string().starts_with("blow: impulse is NaN")));
        assert!(Blow { point: DVec3::splat(1e300), ..good }.check().is_err());
        assert!(Blow { radius: Some(0.0), ..good }.check().is_err());
        assert!(Blow { duration: Some(f64::INFINITY), ..good }.check().is_err());
    }
}
