//! Numbers that the search runs on: doubles first, and pairs of doubles where these cannot tell.

use std::ops::{Add, Mul, Sub};

/// A number with a known bound on the rounding of its operations.
pub(super) trait Real: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// No operation is off by more than this, relative to its result.
    const ROUNDING: f64;
    /// Parts of the step are not divided below this: times from 0 to 1 have many roundings in it, and what is smaller tells
    /// nothing that the polynomials' own rounding does not hide.
    const NARROWEST: f64;
    /// One third, as near as it gets.
    const THIRD: Self;

    /// A double as it is.
    fn exactly(value: f64) -> Self;

    /// The difference of two doubles, rounded at most once.
    fn difference(of: f64, from: f64) -> Self;

    /// Half of it, without rounding.
    fn half(self) -> Self;

    /// The nearest double.
    fn leading(self) -> f64;

    /// A double that is not above it.
    fn below(self) -> f64;

    /// The point of a segment at `t`, given with `1 - t`.
    fn between(self, other: Self, t: Self, rest: Self) -> Self {
        self * rest + other * t
    }
}

impl Real for f64 {
    const ROUNDING: f64 = 0.5 * f64::EPSILON;
    const NARROWEST: f64 = 64.0 * f64::ROUNDING;
    const THIRD: f64 = 1.0 / 3.0;

    fn exactly(value: f64) -> f64 {
        value
    }

    fn difference(of: f64, from: f64) -> f64 {
        of - from
    }

    fn half(self) -> f64 {
        0.5 * self
    }

    fn leading(self) -> f64 {
        self
    }

    fn below(self) -> f64 {
        self
    }
}

/// The unevaluated sum of two doubles, about 106 bits (Dekker 1971; the bounds are those of Joldes, Muller and Popescu,
/// "Tight and rigorous error bounds for basic building blocks of double-word arithmetic", 2017).
#[derive(Clone, Copy, Debug)]
pub(super) struct Twofold {
    high: f64,
    low: f64,
}

impl Real for Twofold {
    // The bounds are 3 u² and 5 u² with u² = 2⁻¹⁰⁶, and a little.
    const ROUNDING: f64 = 8.0 * 0.25 * f64::EPSILON * f64::EPSILON;
    const NARROWEST: f64 = f64::EPSILON * f64::EPSILON * 128.0;
    // What is left of a third after its 53 bits is a third of their last one's half.
    const THIRD: Twofold = Twofold { high: 1.0 / 3.0, low: 0.25 * f64::EPSILON / 3.0 };

    fn exactly(value: f64) -> Twofold {
        Twofold { high: value, low: 0.0 }
    }

    fn difference(of: f64, from: f64) -> Twofold {
        sum(of, -from)
    }

    fn half(self) -> Twofold {
        Twofold { high: 0.5 * self.high, low: 0.5 * self.low }
    }

    fn leading(self) -> f64 {
        self.high
    }

    fn below(self) -> f64 {
        if self.low < 0.0 { self.high.next_down() } else { self.high }
    }
}

impl Add for Twofold {
    type Output = Twofold;

    fn add(self, other: Twofold) -> Twofold {
        let high = sum(self.high, other.high);
        let low = sum(self.low, other.low);
        let first = sum_ordered(high.high, high.low + low.high);
        sum_ordered(first.high, low.low + first.low)
    }
}

impl Sub for Twofold {
    type Output = Twofold;

    fn sub(self, other: Twofold) -> Twofold {
        self + Twofold { high: -other.high, low: -other.low }
    }
}

impl Mul for Twofold {
    type Output = Twofold;

    fn mul(self, other: Twofold) -> Twofold {
        let high = product(self.high, other.high);
        sum_ordered(high.high, high.low + (self.high * other.low + self.low * other.high))
    }
}

/// The sum of two doubles without loss.
fn sum(a: f64, b: f64) -> Twofold {
    let high = a + b;
    let part = high - a;
    Twofold { high, low: (a - (high - part)) + (b - part) }
}

/// The sum of two doubles without loss, the first of which is the larger one.
fn sum_ordered(a: f64, b: f64) -> Twofold {
    let high = a + b;
    Twofold { high, low: b - (high - a) }
}

/// The product of two doubles without loss, by halves of 26 bits: a fused multiply-add is a slow call where the compiler
/// may not use the processor's.
fn product(a: f64, b: f64) -> Twofold {
    let high = a * b;
    let ([a_high, a_low], [b_high, b_low]) = (halves(a), halves(b));
    Twofold { high, low: ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low }
}

fn halves(value: f64) -> [f64; 2] {
    let scaled = 134_217_729.0 * value;
    let high = scaled - (scaled - value);
    [high, value - high]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A twofold as an integer multiple of 2⁻²⁰⁰; the inputs of the test keep everything that long.
    fn units(value: f64) -> i128 {
        let scaled = value * 2f64.powi(100);
        assert_eq!(scaled, scaled.trunc());
        scaled as i128
    }

    #[test]
    fn a_third_is_a_third() {
        let whole = Twofold::THIRD + Twofold::THIRD + Twofold::THIRD;
        assert_eq!(whole.high, 1.0);
        assert!(whole.low.abs() <= 4.0 * Twofold::ROUNDING);
    }

    proptest! {
        #[test]
        fn sums_and_products_of_doubles_lose_nothing(a in -1i64 << 52..1 << 52, b in -1i64 << 52..1 << 52, shift in 0i32..40) {
            let (x, y) = (a as f64, b as f64 * 2f64.powi(-shift));
            let total = Twofold::difference(x, -y);
            prop_assert_eq!(units(total.high * 2f64.powi(-52)) + units(total.low * 2f64.powi(-52)),
                units(x * 2f64.powi(-52)) + units(y * 2f64.powi(-52)));
            let times = product(a as f64, b as f64);
            prop_assert_eq!(times.high as i128 + times.low as i128, i128::from(a) * i128::from(b));
        }
    }
}
